// Setting and reading the traps; see guarded_problem.h.
#include "gpu/verify/guarded_problem.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "sim/machine/numerics.h"

namespace flashscope::gpu {
namespace {

constexpr std::uint8_t kTrapByte = 0xff;
constexpr std::uint16_t kTrap = 0xffff;
constexpr std::uint32_t kLseTrap = 0xffffffff;
constexpr std::int64_t kElementBytes = 2;
constexpr std::size_t kLseGuard = 1024;           // floats on each side
constexpr std::size_t kWorkspaceGuard = 1 << 16;  // bytes on each side
// Keeps a stream busy for a millisecond or so.
constexpr std::size_t kDelayBytes = std::size_t{32} << 20;
constexpr int kDelayFills = 50;

template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

}  // namespace

std::uint16_t* GuardedProblem::Image::at(std::int64_t element) {
  const auto region = std::find_if(regions.begin(), regions.end(), [&](const IndexRange& range) {
    return range.contains(element);
  });
  return elements[static_cast<std::size_t>(region - regions.begin())].data() +
         (element - region->begin);
}

GuardedProblem::Image GuardedProblem::empty_image(int buffer) const {
  Image image;
  image.regions = placement_.regions(buffer);
  for (const IndexRange& region : image.regions) {
    image.elements.emplace_back(static_cast<std::size_t>(region.size()), kTrap);
  }
  return image;
}

std::int64_t GuardedProblem::bytes_needed(const Problem& problem, MemoryLayout layout) {
  std::int64_t bytes = 0;
  for (const std::int64_t elements : place(problem, layout).buffer_elements) {
    bytes += elements * kElementBytes;
  }
  return bytes;
}

GuardedProblem::GuardedProblem(Backend& backend, const Scenario& scenario, MemoryLayout layout)
    : backend_(backend), problem_(scenario.problem), placement_(place(problem_, layout)) {
  for (const std::int64_t elements : placement_.buffer_elements) {
    buffers_.push_back(backend_.allocate(static_cast<std::size_t>(elements * kElementBytes)));
    buffers_.back()->fill(kTrapByte, nullptr);
  }
  for (int buffer = 0; buffer < placement_.o.buffer; ++buffer) {
    input_images_.push_back(empty_image(buffer));
  }
  upload(placement_.q, scenario.inputs.q, input_images_);
  upload(placement_.k, scenario.inputs.k, input_images_);
  upload(placement_.v, scenario.inputs.v, input_images_);
  for (std::size_t buffer = 0; buffer < input_images_.size(); ++buffer) {
    const Image& image = input_images_[buffer];
    for (std::size_t n = 0; n < image.regions.size(); ++n) {
      buffers_[buffer]->upload(bytes_of(image.elements[n]),
                               static_cast<std::size_t>(image.regions[n].begin * kElementBytes));
    }
  }
  const std::int64_t rows = problem_.batch * problem_.q_heads * problem_.q_len;
  lse_ = backend_.allocate((static_cast<std::size_t>(rows) + 2 * kLseGuard) * sizeof(float));
}

void GuardedProblem::upload(const PlacedTensor& tensor, const TensorView& values,
                            std::vector<Image>& images) {
  Image& image = images[static_cast<std::size_t>(tensor.buffer)];
  std::vector<float> row(static_cast<std::size_t>(tensor.shape[3]));
  for (std::int64_t b = 0; b < tensor.shape[0]; ++b) {
    for (std::int64_t h = 0; h < tensor.shape[1]; ++h) {
      for (std::int64_t r = 0; r < tensor.shape[2]; ++r) {
        values.read_row(b, h, r, row);
        encode(problem_.dtype, row, reinterpret_cast<std::byte*>(image.at(tensor.row(b, h, r))));
      }
    }
  }
}

AttentionCall GuardedProblem::call(const LaunchOptions& options) const {
  const auto address = [&](const PlacedTensor& tensor) -> void* {
    return static_cast<std::uint16_t*>(buffers_[static_cast<std::size_t>(tensor.buffer)]->data()) +
           tensor.first;
  };
  AttentionCall call;
  call.dtype = problem_.dtype;
  call.q = address(placement_.q);
  call.k = address(placement_.k);
  call.v = address(placement_.v);
  call.o = address(placement_.o);
  call.lse = options.with_lse ? static_cast<float*>(lse_->data()) + kLseGuard : nullptr;
  call.batch = problem_.batch;
  call.q_heads = problem_.q_heads;
  call.kv_heads = problem_.kv_heads;
  call.q_len = problem_.q_len;
  call.kv_len = problem_.kv_len;
  call.head_dim = problem_.head_dim;
  call.q_stride = placement_.q.strides;
  call.k_stride = placement_.k.strides;
  call.v_stride = placement_.v.strides;
  call.o_stride = placement_.o.strides;
  call.scale = static_cast<float>(problem_.scale);
  call.causal = problem_.mask.causal;
  call.window_left = problem_.mask.window_left;
  call.window_right = problem_.mask.window_right;
  call.algorithm = options.algorithm;
  call.q_tile = options.q_tile;
  call.kv_tile = options.kv_tile;
  call.splits = options.splits;
  call.stream = options.on_busy_stream ? backend_.other_stream() : nullptr;
  return call;
}

// On the call's stream: a delay, the arrival of the inputs, the call.
void GuardedProblem::launch_behind_inputs(const AttentionCall& call) {
  const auto delay = backend_.allocate(kDelayBytes);
  std::vector<std::unique_ptr<BackendArray>> sources;
  for (std::size_t n = 0; n < input_images_.size(); ++n) {
    sources.push_back(backend_.allocate(buffers_[n]->bytes()));
    sources.back()->copy_from(*buffers_[n], nullptr);
    buffers_[n]->fill(kTrapByte, nullptr);
  }
  backend_.wait();
  for (int n = 0; n < kDelayFills; ++n) delay->fill(kTrapByte, call.stream);
  for (std::size_t n = 0; n < sources.size(); ++n) {
    buffers_[n]->copy_from(*sources[n], call.stream);
  }
  backend_.attention(call, nullptr);
  backend_.wait();
}

RunResult GuardedProblem::run(const LaunchOptions& options, const TraceLogs* trace) {
  buffers_[static_cast<std::size_t>(placement_.o.buffer)]->fill(kTrapByte, nullptr);
  lse_->fill(kTrapByte, nullptr);
  AttentionCall call = this->call(options);
  const std::size_t needed =
      options.give_workspace ? plan(call, backend_.limits()).workspace_bytes : 0;
  std::unique_ptr<BackendArray> workspace;
  if (needed > 0) {
    workspace = backend_.allocate(needed + 2 * kWorkspaceGuard);
    workspace->fill(kTrapByte, nullptr);
    call.workspace = static_cast<std::byte*>(workspace->data()) + kWorkspaceGuard;
    call.workspace_bytes = needed;
  }
  if (options.on_busy_stream) {
    launch_behind_inputs(call);
  } else {
    backend_.attention(call, trace);
    backend_.wait();
  }

  RunResult result;
  read_o(result);
  read_lse(result, options.with_lse);
  if (result.damage.empty()) result.damage = inputs_damage();
  if (workspace && result.damage.empty()) {
    std::vector<std::byte> guard(kWorkspaceGuard);
    for (const std::size_t offset : {std::size_t{0}, kWorkspaceGuard + needed}) {
      workspace->download(guard, offset);
      if (std::any_of(guard.begin(), guard.end(),
                      [](std::byte b) { return b != std::byte{kTrapByte}; })) {
        result.damage =
            fmt::format("memory {} the workspace was written", offset == 0 ? "before" : "behind");
      }
    }
  }
  return result;
}

// Takes O's rows out of what was read; what is left must be the trap.
void GuardedProblem::read_o(RunResult& result) const {
  const PlacedTensor& o = placement_.o;
  const auto& buffer = *buffers_[static_cast<std::size_t>(o.buffer)];
  Image image = empty_image(o.buffer);
  for (std::size_t n = 0; n < image.regions.size(); ++n) {
    buffer.download(std::as_writable_bytes(std::span(image.elements[n])),
                    static_cast<std::size_t>(image.regions[n].begin * kElementBytes));
  }
  const auto width = static_cast<std::size_t>(o.shape[3]);
  result.o.reserve(static_cast<std::size_t>(o.shape[0] * o.shape[1] * o.shape[2]) * width);
  for (std::int64_t b = 0; b < o.shape[0]; ++b) {
    for (std::int64_t h = 0; h < o.shape[1]; ++h) {
      for (std::int64_t r = 0; r < o.shape[2]; ++r) {
        std::uint16_t* const row = image.at(o.row(b, h, r));
        result.o.insert(result.o.end(), row, row + width);
        std::fill_n(row, width, kTrap);
      }
    }
  }
  for (std::size_t n = 0; n < image.regions.size() && result.damage.empty(); ++n) {
    const auto& elements = image.elements[n];
    const auto bad = std::find_if(elements.begin(), elements.end(),
                                  [](std::uint16_t element) { return element != kTrap; });
    if (bad == elements.end()) continue;
    result.damage = place_in_o(image.regions[n].begin + (bad - elements.begin()));
  }
}

std::string GuardedProblem::place_in_o(std::int64_t element) const {
  const PlacedTensor& o = placement_.o;
  std::int64_t nearest = -1, batch = 0, head = 0, row = 0;  // end of the last row before it
  for (std::int64_t b = 0; b < o.shape[0]; ++b) {
    for (std::int64_t h = 0; h < o.shape[1]; ++h) {
      for (std::int64_t r = 0; r < o.shape[2]; ++r) {
        const std::int64_t end = o.row(b, h, r) + o.shape[3];
        if (end > element || end <= nearest) continue;
        nearest = end;
        batch = b;
        head = h;
        row = r;
      }
    }
  }
  if (nearest < 0) return "memory before O was written";
  return fmt::format(
      "memory {} elements behind the end of O's row {} of batch {}, head {} was "
      "written",
      element - nearest, row, batch, head);
}

void GuardedProblem::read_lse(RunResult& result, bool wanted) const {
  std::vector<float> all(lse_->bytes() / sizeof(float));
  lse_->download(std::as_writable_bytes(std::span(all)), 0);
  const auto is_trap = [](float x) { return std::bit_cast<std::uint32_t>(x) == kLseTrap; };
  const auto begin = all.begin() + kLseGuard, end = wanted ? all.end() - kLseGuard : begin;
  result.lse.assign(begin, end);
  if (!result.damage.empty()) return;
  if (!std::all_of(all.begin(), begin, is_trap)) {
    result.damage = "memory before LSE was written";
  } else if (!std::all_of(end, all.end(), is_trap)) {
    result.damage = "memory behind LSE was written";
  }
}

std::string GuardedProblem::inputs_damage() const {
  std::vector<std::uint16_t> now;
  for (std::size_t buffer = 0; buffer < input_images_.size(); ++buffer) {
    const Image& image = input_images_[buffer];
    for (std::size_t n = 0; n < image.regions.size(); ++n) {
      now.resize(image.elements[n].size());
      buffers_[buffer]->download(std::as_writable_bytes(std::span(now)),
                                 static_cast<std::size_t>(image.regions[n].begin * kElementBytes));
      if (now != image.elements[n]) return "Q, K or V, or memory around them, was written";
    }
  }
  return "";
}

}  // namespace flashscope::gpu
