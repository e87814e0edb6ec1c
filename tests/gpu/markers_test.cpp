// The kernels against the tables they claim to follow: `//>` comments in gpu/kernels/NAME.cuh carry
// the text of NAME.alg's lines, each line there and nothing else. An explanation may follow the
// text after a colon ("//> cast S to score: fp32 as it is"). Lines of the rescale threshold, which
// the kernels do not have, are left out.
#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gpu/launch/plan.h"
#include "sample_call.h"
#include "sim/attention/algorithm.h"

using namespace flashscope;

namespace {

struct Marker {
  std::string text;
  std::string place;  // file:line
};

std::vector<Marker> markers_of(const std::string& file) {
  std::ifstream in(std::string(FLASHSCOPE_SOURCE_DIR) + "/" + file);
  REQUIRE_MESSAGE(in.good(), file, " cannot be read");
  std::vector<Marker> markers;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::size_t at = line.find("//> ");
    if (at == std::string::npos) continue;
    markers.push_back({line.substr(at + 4), file + ":" + std::to_string(number)});
  }
  return markers;
}

bool carries(const Marker& marker, const Line& line) {
  return marker.text == line.text || marker.text.starts_with(line.text + ":");
}

}  // namespace

TEST_CASE("kernels and tables have the same lines") {
  for (const gpu::Algorithm algorithm : {gpu::Algorithm::standard, gpu::Algorithm::fa1,
                                         gpu::Algorithm::fa2, gpu::Algorithm::split_kv}) {
    if (!gpu::has_kernels(algorithm)) continue;
    const std::string name = gpu::name_of(algorithm);
    const std::string file = "gpu/kernels/" + name + ".cuh";
    const Algorithm table = load_algorithm(name);
    const std::vector<Marker> markers = markers_of(file);
    for (const Line& line : table.lines) {
      if (line.when.threshold == true) continue;
      const bool found =
          std::ranges::any_of(markers, [&](const Marker& m) { return carries(m, line); });
      CHECK_MESSAGE(found, "sim/attention/algorithms/", name, ".alg:", line.source_line,
                    ": no `//> ", line.text, "` in ", file);
    }
    for (const Marker& marker : markers) {
      const bool found =
          std::ranges::any_of(table.lines, [&](const Line& line) { return carries(marker, line); });
      CHECK_MESSAGE(found, marker.place, ": `", marker.text, "` is no line of ", name, ".alg");
    }
  }
}
