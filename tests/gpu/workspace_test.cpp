// The workspace's layout against a plain recomputation: the sizes of its tensors, one after
// another, each begun at a multiple of 256.
#include "gpu/kernels/workspace.h"

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "gpu/launch/plan.h"
#include "sample_call.h"

using namespace flashscope;
using namespace flashscope::gpu;

namespace {

struct Part {
  std::int64_t rows, columns, element_bytes;
};

std::vector<Part> parts(Algorithm algorithm, const WorkspaceShape& s) {
  const std::int64_t rows = s.heads * s.q_len;
  switch (algorithm) {
    case Algorithm::fa1:
      return {{rows, s.head_dim, 4}, {rows, 1, 4}, {rows, 1, 4}};
    case Algorithm::split_kv:
      return {{rows * s.splits, s.head_dim, 4}, {rows * s.splits, 1, 4}};
    case Algorithm::standard: {
      std::int64_t pitch = s.kv_len;
      while (pitch % 64 != 0) ++pitch;
      return {{rows, pitch, 2}, {rows, pitch, 2}};
    }
    default:
      return {};
  }
}

void check_layout(Algorithm algorithm, const WorkspaceShape& s) {
  std::vector<std::int64_t> starts;
  std::int64_t end = 0;
  for (const Part& part : parts(algorithm, s)) {
    starts.push_back(end);
    end += part.rows * part.columns * part.element_bytes;
    while (end % 256 != 0) ++end;
  }
  const Workspace w = workspace(algorithm, s);
  CHECK(w.first == 0);
  if (starts.size() > 1) CHECK(w.second == starts[1]);
  if (starts.size() > 2) CHECK(w.third == starts[2]);
  CHECK(w.bytes == end);
}

}  // namespace

TEST_CASE("every part starts where the one before it ends, rounded up to 256 bytes") {
  for (const Algorithm algorithm :
       {Algorithm::standard, Algorithm::fa1, Algorithm::fa2, Algorithm::split_kv}) {
    for (const std::int64_t heads : {1, 6}) {
      for (const std::int64_t q_len : {1, 31, 128}) {
        for (const std::int64_t kv_len : {0, 1, 8, 129}) {
          for (const std::int64_t splits : {1, 3, 128}) {
            CAPTURE(heads);
            CAPTURE(q_len);
            CAPTURE(kv_len);
            CAPTURE(splits);
            check_layout(algorithm, {heads, q_len, kv_len, 96, splits});
          }
        }
      }
    }
  }
}

TEST_CASE("a plan asks for the bytes of its layout") {
  for (const Algorithm algorithm :
       {Algorithm::standard, Algorithm::fa1, Algorithm::fa2, Algorithm::split_kv}) {
    if (!has_kernels(algorithm)) continue;
    AttentionCall call = sample_call();
    call.algorithm = algorithm;
    const Plan p = plan(call, {});
    const WorkspaceShape shape = {call.batch * call.q_heads, call.q_len, call.kv_len, call.head_dim,
                                  p.splits};
    CHECK(p.workspace_bytes == static_cast<std::size_t>(workspace(algorithm, shape).bytes));
    CHECK((p.workspace_bytes == 0) == (algorithm == Algorithm::fa2));
  }
}
