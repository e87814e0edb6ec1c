// Checking an observed result row by row, choosing the rows to probe, and ranking the hypotheses of
// hypotheses.h; see diagnose.h.
#include "sim/debugger/diagnose.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "sim/debugger/hypotheses.h"
#include "sim/error.h"

namespace flashscope {
namespace {

constexpr double kCheapFlops = 1.2e10;       // of the reference: a few seconds
constexpr std::int64_t kSampledRows = 1024;  // in all
constexpr std::size_t kPlainRows = 48;       // and their neighbours, for the tolerance
constexpr std::int64_t kTinyLength = 64;
constexpr std::int64_t kTileRows = 32;  // of WrongTile
constexpr double kExplained = 0.25;     // a residual above this share of the error explains nothing
constexpr double kSameShare = 0.01;     // shares below are all alike: nothing tells them apart

struct CheckedRow {
  ProbeRow at;
  double error = 0, lse_error = 0;
  double share = 0;  // of the tolerance; set once that is known
};

// Calls work(index) for every index, on all cores. The first exception comes out again.
void in_parallel(std::size_t count, int threads,
                 const std::function<void(int, std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto loop = [&](int thread) {
    try {
      for (std::size_t n = next++; n < count; n = next++) work(thread, n);
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> helpers;
  for (int n = 1; n < threads; ++n) helpers.emplace_back(loop, n);
  loop(0);
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

void require_shape(const TensorView& view, const Shape& want, const char* what) {
  if (view.shape == want) return;
  throw Error(
      fmt::format("{} has shape ({}), but the problem's is ({}) as batch, heads, rows, "
                  "columns; is --layout right?",
                  what, fmt::join(view.shape, ", "), fmt::join(want, ", ")));
}

class Examination {
 public:
  Examination(const Scenario& scenario, const Observed& observed, const Precision& precision,
              const DiagnoseOptions& options)
      : scenario_(scenario), observed_(observed), precision_(precision), options_(options) {
    const int machine = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    threads_ = options.threads > 0 ? options.threads : machine;
  }

  Diagnosis run() {
    const Problem& p = scenario_.problem;
    require_shape(observed_.o, {p.batch, p.q_heads, p.q_len, p.head_dim}, "the observed O");
    if (observed_.lse) {
      require_shape(*observed_.lse, {p.batch, p.q_heads, p.q_len, 1}, "the observed LSE");
    }
    result_.total_rows = p.batch * p.q_heads * p.q_len;
    if (result_.total_rows == 0) {
      result_.is_right = true;
      return result_;
    }
    check_rows();
    derive_tolerance();
    judge();
    if (!result_.is_right && p.kv_len > 0) suspect();
    return result_;
  }

 private:
  void check_rows() {
    const Problem& p = scenario_.problem;
    const std::int64_t heads = p.batch * p.q_heads;
    const double flops = 4.0 * static_cast<double>(result_.total_rows) *
                         static_cast<double>(p.kv_len) * static_cast<double>(p.head_dim);
    const std::int64_t per_head =
        flops <= kCheapFlops
            ? p.q_len
            : std::clamp<std::int64_t>(kSampledRows / heads, std::min<std::int64_t>(2, p.q_len),
                                       p.q_len);
    rows_.resize(static_cast<std::size_t>(heads * per_head));
    const reference::Inputs inputs =
        reference_inputs(scenario_, precision_.input, ReferenceInput::rounded);
    in_parallel(static_cast<std::size_t>(heads), threads_, [&](int, std::size_t index) {
      const auto head = static_cast<std::int64_t>(index);
      std::vector<std::int64_t> rows;
      for (std::int64_t n = 0; n < per_head; ++n) {
        rows.push_back(per_head == 1 ? 0 : n * (p.q_len - 1) / (per_head - 1));
      }
      const reference::Rows want =
          reference::attention(p, inputs, head / p.q_heads, head % p.q_heads, rows);
      check_head(head, rows, want);
    });
    result_.checked_rows = heads * per_head;
  }

  void check_head(std::int64_t head, const std::vector<std::int64_t>& rows,
                  const reference::Rows& want) {
    const Problem& p = scenario_.problem;
    const auto width = static_cast<std::size_t>(p.head_dim);
    std::vector<float> seen(width);
    for (std::size_t n = 0; n < rows.size(); ++n) {
      CheckedRow& row = rows_[static_cast<std::size_t>(head) * rows.size() + n];
      row.at = {head / p.q_heads, head % p.q_heads, rows[n]};
      observed_.o.read_row(row.at.batch, row.at.head, row.at.row, seen);
      for (std::size_t d = 0; d < width; ++d) {
        row.error = std::max(row.error, difference(seen[d], want.o[n * width + d]));
      }
      if (!observed_.lse) continue;
      float lse = 0;
      observed_.lse->read_row(row.at.batch, row.at.head, row.at.row, {&lse, 1});
      row.lse_error = difference(static_cast<double>(lse), want.lse[n]);
    }
  }

  void derive_tolerance() {
    std::vector<ProbeRow> sample;
    const std::size_t count = std::min(rows_.size(), kPlainRows);
    for (std::size_t n = 0; n < count; ++n) {
      sample.push_back(rows_[count == 1 ? 0 : n * (rows_.size() - 1) / (count - 1)].at);
    }
    const PlainError plain = plain_error(scenario_, precision_, sample);
    result_.tolerance = tolerance(scenario_.problem, precision_,
                                  magnitudes(scenario_, precision_.input), plain.o, plain.lse);
  }

  static double share(double error, double allowed) {
    if (error == 0) return 0;
    return allowed > 0 ? error / allowed : std::numeric_limits<double>::infinity();
  }

  void judge() {
    double worst = -1;
    for (CheckedRow& row : rows_) {
      row.share = std::max(share(row.error, result_.tolerance.o),
                           share(row.lse_error, result_.tolerance.lse));
      result_.max_abs_error = std::max(result_.max_abs_error, row.error);
      result_.lse_max_abs_error = std::max(result_.lse_max_abs_error, row.lse_error);
      if (row.share > worst) {
        worst = row.share;
        worst_ = row.at;
      }
      if (row.share > 1) count_wrong(row);
    }
    result_.batch = worst_.batch;
    result_.head = worst_.head;
    result_.row = worst_.row;
    result_.is_right = worst <= 1;
  }

  void count_wrong(const CheckedRow& row) {
    ++result_.wrong_rows;
    const std::int64_t first = row.at.row / kTileRows * kTileRows;
    std::vector<WrongTile>& tiles = result_.wrong_tiles;
    if (tiles.empty() || tiles.back().batch != row.at.batch || tiles.back().head != row.at.head ||
        tiles.back().first_row != first) {
      tiles.push_back({row.at.batch, row.at.head, first, 0, 0});
    }
    ++tiles.back().wrong_rows;
    tiles.back().max_abs_error = std::max(tiles.back().max_abs_error, row.error);
  }

  // The worst row, the worst one of another head, and rows spread over the worst one's head.
  std::vector<ProbeRow> probes() const {
    std::vector<ProbeRow> result = {worst_};
    const CheckedRow* other = nullptr;
    for (const CheckedRow& row : rows_) {
      const bool same = row.at.head == worst_.head && row.at.batch == worst_.batch;
      if (!same && (other == nullptr || row.share > other->share)) other = &row;
    }
    if (other != nullptr) result.push_back(other->at);
    const std::int64_t last = scenario_.problem.q_len - 1;
    for (const std::int64_t row : {std::int64_t{0}, last / 2, last}) {
      result.push_back({worst_.batch, worst_.head, row});
    }
    return result;
  }

  bool explains(const Candidate& candidate) const {
    if (result_.max_abs_error > result_.tolerance.o) {
      return candidate.residual <= kExplained * result_.max_abs_error;
    }
    return candidate.lse_fits() && candidate.lse_residual <= kExplained * result_.lse_max_abs_error;
  }

  void suspect() {
    test_all(hypotheses(scenario_.problem, options_, KvOrder::ascending));
    if (!options_.tries_other_tilings) return;
    if (result_.candidates.empty()) {
      test_all(hypotheses(scenario_.problem, options_, KvOrder::descending));
    }
    if (result_.candidates.empty()) {
      DiagnoseOptions others = options_;
      // Tiny tiles belong to tiny problems, made up to be followed by hand.
      const bool tiny = std::max(scenario_.problem.q_len, scenario_.problem.kv_len) <= kTinyLength;
      others.q_tiles = tiny ? std::vector<std::int64_t>{1, 2, 4, 8}
                            : std::vector<std::int64_t>{64, 80, 96, 128, 192};
      others.kv_tiles =
          tiny ? std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 8, 12, 24, 32, 48}
               : std::vector<std::int64_t>{8, 24, 40, 48, 80, 96, 112, 144, 160, 176, 192, 224};
      test_all(hypotheses(scenario_.problem, others, KvOrder::ascending));
    }
  }

  void test_all(const std::vector<Hypothesis>& all) {
    const std::vector<ProbeRow> rows = probes();
    std::vector<Candidate> tested(all.size());
    std::vector<std::unique_ptr<HypothesisTester>> testers(static_cast<std::size_t>(threads_));
    std::mutex mutex;
    std::int64_t done = 0;
    in_parallel(all.size(), threads_, [&](int thread, std::size_t n) {
      std::unique_ptr<HypothesisTester>& tester = testers[static_cast<std::size_t>(thread)];
      if (!tester) {
        tester =
            std::make_unique<HypothesisTester>(scenario_, observed_, precision_, result_.tolerance);
      }
      tested[n] = tester->test(all[n], rows);
      tested[n].reproduces = tested[n].reproduces && explains(tested[n]);
      const std::scoped_lock lock(mutex);
      ++done;
      if (options_.progress) options_.progress(done, static_cast<std::int64_t>(all.size()));
    });
    result_.hypotheses += static_cast<std::int64_t>(all.size());
    rank(tested);
  }

  static bool is_better(const Candidate& a, const Candidate& b) {
    if (a.reproduces != b.reproduces) return a.reproduces;
    if (a.lse_fits() != b.lse_fits()) return a.lse_fits();
    return std::max(a.share, kSameShare) < std::max(b.share, kSameShare);
  }

  // The best of every fault: those that reproduce, and the nearest of the others.
  void rank(const std::vector<Candidate>& tested) {
    std::vector<Candidate> best;
    for (const Candidate& next : tested) {
      const auto same = std::find_if(best.begin(), best.end(), [&](const Candidate& candidate) {
        return candidate.fault == next.fault;
      });
      if (same == best.end()) {
        best.push_back(next);
      } else if (is_better(next, *same) || (!is_better(*same, next) && next.share < same->share)) {
        *same = next;
      }
    }
    std::stable_sort(best.begin(), best.end(), is_better);
    result_.nearest.clear();
    for (const Candidate& candidate : best) {
      if (candidate.reproduces) {
        result_.candidates.push_back(candidate);
      } else if (result_.nearest.size() < 3 && explains(candidate)) {
        result_.nearest.push_back(candidate);
      }
    }
    result_.is_convention = !result_.candidates.empty() && result_.candidates.front().lse_fits() &&
                            result_.candidates.front().fault->kind == FaultKind::convention;
  }

  const Scenario& scenario_;
  const Observed& observed_;
  Precision precision_;
  const DiagnoseOptions& options_;
  int threads_ = 1;
  std::vector<CheckedRow> rows_;  // head by head
  ProbeRow worst_;
  Diagnosis result_;
};

}  // namespace

Diagnosis diagnose(const Scenario& scenario, const Observed& observed, const Precision& precision,
                   const DiagnoseOptions& options) {
  return Examination(scenario, observed, precision, options).run();
}

}  // namespace flashscope
