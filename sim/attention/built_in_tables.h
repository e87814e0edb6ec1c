// The texts of algorithms/*.alg, embedded in the binary by the build.
#pragma once

#include <span>
#include <string_view>

namespace flashscope {

struct BuiltInTable {
  std::string_view name;
  std::string_view text;
};

// In the order standard, fa1, fa2, split_kv.
std::span<const BuiltInTable> built_in_tables();

}  // namespace flashscope
