// The sources of the CUDA kernels, gpu/kernels/NAME.cuh, as text in the binary: also where nothing
// was built with CUDA, and without a file to be found at run time.
#pragma once

#include <span>
#include <string_view>

namespace flashscope::views {

struct KernelSource {
  std::string_view name;  // "fa2", as its table is called
  std::string_view text;
};

std::span<const KernelSource> kernel_sources();

}  // namespace flashscope::views
