// What of a CUDA kernel implements a line of its table.
#include "viz/views/kernel_view.h"

#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "sim/attention/faults.h"
#include "viz/views/kernel_sources.h"

using namespace flashscope;

namespace {

// The first line of code of every range of a statement, trimmed, and how many lines each has.
struct Found {
  std::string first;
  int lines = 0;
  friend bool operator==(const Found&, const Found&) = default;
};
int statement(const Algorithm& algorithm, std::string_view text, std::size_t phase,
              int occurrence = 0) {
  const Phase& p = algorithm.phases[phase];
  for (const std::vector<int>* part : {&p.before, &p.step, &p.after}) {
    for (const int index : *part) {
      if (algorithm.lines[static_cast<std::size_t>(index)].text == text && occurrence-- == 0) {
        return index;
      }
    }
  }
  FAIL("no such statement: ", std::string(text));
  return -1;
}

std::vector<Found> find(const std::string& name, std::string_view text, std::size_t phase = 0,
                        int occurrence = 0) {
  const Algorithm algorithm = load_algorithm(name);
  const views::KernelView kernel = views::kernel_view(algorithm);
  std::vector<Found> result;
  for (const views::KernelMarker* marker :
       kernel.markers_of(statement(algorithm, text, phase, occurrence))) {
    std::string first = kernel.code[static_cast<std::size_t>(marker->code.begin) - 1].text;
    first.erase(0, first.find_first_not_of(' '));
    result.push_back({first, marker->code.end - marker->code.begin});
  }
  return result;
}

using All = std::vector<Found>;

}  // namespace

TEST_CASE("the embedded sources are the files") {
  for (const views::KernelSource& source : views::kernel_sources()) {
    const std::string name(source.name);
    std::ifstream in(std::string(FLASHSCOPE_SOURCE_DIR) + "/gpu/kernels/" + name + ".cuh");
    std::ostringstream text;
    text << in.rdbuf();
    CHECK_MESSAGE(text.str() == source.text, name);
  }
}

// The same lines that tests/gpu/markers_test.cpp asks for.
TEST_CASE("every line of a table has code in its kernel, those of the threshold apart") {
  for (const std::string& name : built_in_algorithm_names()) {
    const Algorithm algorithm = load_algorithm(name);
    const views::KernelView kernel = views::kernel_view(algorithm);
    CHECK(kernel.caution.empty());
    CHECK(kernel.functions.size() == algorithm.phases.size());
    for (std::size_t n = 0; n < algorithm.lines.size(); ++n) {
      const auto markers = kernel.markers_of(static_cast<int>(n));
      CAPTURE(name);
      CAPTURE(algorithm.lines[n].text);
      if (algorithm.lines[n].when.threshold == true) {
        CHECK(markers.empty());
        CHECK(views::why_no_code(algorithm.lines[n], kernel).find("threshold") !=
              std::string::npos);
        continue;
      }
      CHECK(!markers.empty());
    }
    for (const views::KernelMarker& marker : kernel.markers) {
      CAPTURE(name);
      CAPTURE(marker.text);
      CHECK(marker.statement >= 0);
      CHECK(marker.code.begin > marker.line);
      CHECK(marker.code.end > marker.code.begin);
      CHECK(marker.code.end - marker.code.begin <= 12);
    }
  }
}

TEST_CASE("fa2: whole statements, and what declares their names, but no bookkeeping") {
  CHECK(find("fa2", "load K") ==
        All{{"k_stream.load(k_tile(tile), a.kv_len - tile * kKvTile);", 1}});
  CHECK(find("fa2", "load Q") == All{{"q_rows_stream.load(q_tile, q_rows);", 1}});
  CHECK(find("fa2", "m = -inf") == All{{"state.clear();", 1}});
  CHECK(find("fa2", "O = 0") == All{{"Output<kBlocks, kHeadDim> o;", 2}});
  CHECK(find("fa2", "mask S") == All{{"if (tile < first_full || tile >= end_full) {", 3}});
  CHECK(find("fa2", "m = m_new") ==
        All{{"const SoftmaxStep<kBlocks> step = update_max(s, state, scale);", 1}});
  CHECK(find("fa2", "O = O + P V") ==
        All{{"accumulate_output<T>(o, s, step, scale, state, v_tile(tile), lane);", 1}});
  CHECK(find("fa2", "store LSE") == All{{"if (head.lse != nullptr) {", 3}});
}

TEST_CASE("standard: phase by phase, and the same text twice") {
  CHECK(find("standard", "S = Q K'") == All{{"Scores<kRows / 16, kColumns> s;", 4}});
  CHECK(find("standard", "cast S to score", 0, 0) == All{{"round_and_scale<T>(s.x, a.scale);", 1}});
  CHECK(find("standard", "cast S to score", 0, 1) ==
        All{{"const typename Shape::STile s_tile{q.base};", 2}});
  CHECK(find("standard", "m = rowmax S_row", 1) == All{{"float m = minus_infinity();", 8}});
  CHECK(find("standard", "load S_row from S", 1) == All{{"#pragma unroll 4", 5}});
  CHECK(find("standard", "O = 0", 2) == All{{"Output<kRows / 16, Shape::kHeadDim> o;", 2}});
}

TEST_CASE("fa1 and split_kv: a text of two phases is found in the right kernel") {
  CHECK(find("fa1", "O = 0", 0) == All{{"float* const o = state.o + rows.begin * kHeadDim;", 4}});
  CHECK(find("fa1", "O = 0", 1) ==
        All{{"for (int i = thread; i < rows.size() * kChunks; i += Shape::kThreads) {", 4}});
  CHECK(find("fa1", "LSE = -inf", 1) == All{{"if (head.lse == nullptr) return;", 4}});
  CHECK(find("fa1", "store LSE", 2).size() == 1);
  CHECK(find("split_kv", "O = 0", 0) == All{{"Output<1, kHeadDim> o;", 2}});
  CHECK(find("split_kv", "O = 0", 1) == All{{"float4 sum = {0, 0, 0, 0};", 1}});
  CHECK(find("split_kv", "O = O / l", 0).front().lines == 2);
}

TEST_CASE("tables without a kernel of their own say so") {
  Algorithm algorithm = load_algorithm("fa2");
  apply_fault(algorithm, "o_not_rescaled");
  const views::KernelView faulty = views::kernel_view(algorithm);
  CHECK(faulty.caution.starts_with("No kernel has the fault o_not_rescaled"));
  CHECK(!faulty.code.empty());
  algorithm = load_algorithm("fa2");
  algorithm.origin = "edited table";
  CHECK(views::kernel_view(algorithm).caution.starts_with("No kernel: this table is not"));
  algorithm.name = "mine";
  const views::KernelView none = views::kernel_view(algorithm);
  CHECK(none.code.empty());
  CHECK(none.caution.starts_with("No kernel: none follows a table named mine"));
  CHECK(views::why_no_code(algorithm.lines[0], none) == none.caution);
}

TEST_CASE("odd texts are no kernels, but nothing fails") {
  CHECK(views::parse_kernel("").markers.empty());
  const views::KernelView last = views::parse_kernel("  //> load Q");
  REQUIRE(last.markers.size() == 1);
  CHECK(last.markers[0].code == views::LineRange{});
  CHECK(views::parse_kernel("//> a\n}\n//> b\nopen(\n").markers[1].code == views::LineRange{});
}
