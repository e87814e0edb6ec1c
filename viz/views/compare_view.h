// Two computations of one problem, A and B: one row of both where they have consumed the same keys,
// and the search for the place where they part, which runs beside the frames. What B is, the caller
// decides. Left out: values that a user set by hand in A count in A's recording, not in the search.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sim/debugger/diff.h"
#include "viz/views/chain_recording.h"
#include "viz/views/sheet.h"

namespace flashscope::views {

// Where both sides have consumed the same keys, or are done.
struct CommonPoint {
  bool final = false;                  // the results as stored
  std::size_t step_a = 0, step_b = 0;  // of the recordings; not of a final point
  std::int64_t op_a = 0;               // behind it A is at this point
  std::int64_t keys = 0;               // consumed; of a final point, all there are
  IndexRange hull;
};
// In the order of A. Both recordings keep O, are of the same row, and complete.
std::vector<CommonPoint> common_points(const ChainRecording& a, const ChainRecording& b,
                                       std::int64_t kv_len);

// A quantity of the first recorded row at a point.
struct ComparedValue {
  std::string name;  // "m + ln l", "O[3]"
  double a = 0, b = 0, truth = 0;
  double apart = 0;      // |a - b|, 0 for equal infinities and two NaN
  bool differs = false;  // by more than the tolerance
};
// m + ln l first, then O, element by element.
std::vector<ComparedValue> compared_values(const ChainRecording& a, const ChainRecording& b,
                                           const CommonPoint& point, double tolerance);
// The last point that lies before a position of A; nothing when there is none yet.
std::optional<std::size_t> point_at(const std::vector<CommonPoint>& points, std::int64_t position);

// How far apart the row is at every point, as diff() says it of the first row that differs.
std::vector<Growth> growth_of(const ChainRecording& a, const ChainRecording& b,
                              const std::vector<CommonPoint>& points);

Sheet compare_sheet(const ChainRecording& a, const ChainRecording& b,
                    const std::vector<CommonPoint>& points);

// Query rows of a q head that the q tile of a (packed) row holds.
DiffScope scope_of_row(const Program& program, const Chain& chain, std::int64_t packed_row);

// Arithmetic that diff() does for both sides, about.
double diff_flops(const Problem& problem);

// diff() on a thread of its own, with copies of everything it reads.
class DiffJob {
 public:
  DiffJob(Scenario scenario, Program a, Program b, std::optional<DiffScope> only);
  ~DiffJob();  // stops, and waits for the part under way
  DiffJob(const DiffJob&) = delete;
  DiffJob& operator=(const DiffJob&) = delete;

  void stop() { stopped_ = true; }  // it ends soon, and has no result
  bool finished() const { return finished_; }
  double progress() const { return progress_; }  // 0 to 1
  double tolerance() const { return tolerance_; }
  const std::optional<DiffScope>& scope() const { return only_; }
  // When finished: nothing if it was stopped, or if it failed with an error().
  const std::optional<DiffResult>& result() const { return result_; }
  const std::string& error() const { return error_; }

 private:
  void work();

  const Scenario scenario_;
  const Program a_, b_;
  const std::optional<DiffScope> only_;
  const double tolerance_;
  std::optional<DiffResult> result_;
  std::string error_;
  std::atomic<bool> stopped_ = false, finished_ = false;
  std::atomic<double> progress_ = 0;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace flashscope::views
