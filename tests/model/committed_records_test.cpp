// The records that are kept: what a device read must be what the simulator counts. The bounds are
// those within which loads that bypass L1 were found to agree: 1 % for fa2 and split_kv, 3 % for
// standard and fa1, whose workspaces add rows that end inside a 32-byte sector.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "sim/model/compare.h"
#include "sim/model/record.h"

namespace flashscope {

TEST_CASE("an H200 read the bytes that the simulator counts") {
  const std::string path = FLASHSCOPE_SOURCE_DIR "/gpu/measure/records/h200.json";
  const Record record = read_record(path);
  REQUIRE(record.counters);
  const std::vector<ComparedRow> rows = compare(record, path);
  CHECK(rows.size() >= 15);
  for (const ComparedRow& row : rows) {
    const std::string& algorithm = row.measured_row.algorithm;
    CAPTURE(algorithm);
    CAPTURE(describe(row.measured_row.problem));
    REQUIRE(row.l2_to_sm_ratio());
    const double bound = algorithm == "fa2" || algorithm == "split_kv" ? 0.01 : 0.03;
    CHECK(*row.l2_to_sm_ratio() == doctest::Approx(1).epsilon(bound));
    CHECK(row.measured_row.us);
    REQUIRE(row.measured_row.max_abs_error);
    REQUIRE(row.measured_row.tolerance);
    CHECK(*row.measured_row.max_abs_error <= *row.measured_row.tolerance);
  }
}

}  // namespace flashscope
