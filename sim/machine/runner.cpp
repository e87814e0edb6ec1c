// Threads over chains; see runner.h.
#include "sim/machine/runner.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "sim/machine/interpreter.h"
#include "sim/machine/threads.h"

namespace flashscope {
namespace {

class Crew {
 public:
  Crew(const Program& program, const Inputs& inputs, Outputs& outputs, const RunOptions& options)
      : program_(program),
        inputs_(inputs),
        outputs_(outputs),
        options_(options),
        totals_{Ledger(program.algorithm()), 0} {}

  RunTotals run(int threads) {
    work_on_threads(threads, [this] { work(); });
    if (failure_) std::rethrow_exception(failure_);
    return std::move(totals_);
  }

 private:
  void work() {
    try {
      Interpreter interpreter(program_, inputs_, outputs_);
      Ledger ledger(program_.algorithm());
      std::int64_t rescales = 0;
      while (true) {
        const std::int64_t index = next_.fetch_add(1);
        if (index >= program_.chains()) break;
        const Chain chain = program_.chain(index);
        interpreter.begin(chain);
        program_.visit_chain(chain, [&](const Segment& s) { interpreter.execute(s, &ledger); });
        rescales += interpreter.rescales_applied();
        report();
      }
      const std::scoped_lock lock(mutex_);
      totals_.ledger.add(ledger);
      totals_.rescales_applied += rescales;
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = program_.chains();  // the others need not go on
    }
  }

  void report() {
    const std::int64_t done = done_.fetch_add(1) + 1;
    if (!options_.progress) return;
    const std::scoped_lock lock(mutex_);
    options_.progress(done, program_.chains());
  }

  const Program& program_;
  const Inputs& inputs_;
  Outputs& outputs_;
  const RunOptions& options_;
  std::atomic<std::int64_t> next_ = 0, done_ = 0;
  std::mutex mutex_;
  RunTotals totals_;
  std::exception_ptr failure_;
};

}  // namespace

RunTotals run(const Program& program, const Inputs& inputs, Outputs& outputs,
              const RunOptions& options) {
  const std::int64_t wanted = options.threads > 0 ? options.threads : machine_threads();
  const auto threads = static_cast<int>(std::clamp<std::int64_t>(program.chains(), 1, wanted));
  return Crew(program, inputs, outputs, options).run(threads);
}

}  // namespace flashscope
