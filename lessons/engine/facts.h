// Numbers about whole scenarios that a lesson's expressions may use as NAME.fact: fa2.load_bytes,
// here.shared_bytes, naive.measured_us. Each is computed when it is first asked for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/engine/lesson.h"
#include "sim/error.h"
#include "sim/setup/setup.h"

namespace flashscope::lessons {

struct FactName {
  std::string_view name, meaning;
};
// All of them, for messages and for the authors' guide.
std::span<const FactName> fact_names();

class FactCache;  // facts_cache.h

// A scenario with what is known of it. Throws Error when options or edits do not make one; messages
// name the option. Big problems cost nothing until their data is asked for. Not for several threads
// at once: facts are kept when they are first computed.
class ScenarioFacts {
 public:
  explicit ScenarioFacts(const ScenarioChange& change);
  ~ScenarioFacts();
  ScenarioFacts(const ScenarioFacts&) = delete;
  ScenarioFacts& operator=(const ScenarioFacts&) = delete;

  const ScenarioChange& change() const { return change_; }
  // With the edits worked into its table.
  const ProblemOptions& options() const { return options_; }
  const Program& program() const { return setup_.programs.front(); }
  const Setup& setup() const { return setup_; }
  // Throws Error where the scenario has no such fact (no record, no row of it for this problem).
  double fact(std::string_view name) const;
  // What its mask and its facts have cost up to now; see work.h.
  double work_done() const;

 private:
  ScenarioChange change_;
  ProblemOptions options_;
  double mask_work_;
  Setup setup_;
  std::unique_ptr<FactCache> cache_;
};

// The options that a change describes: with its edits as a table of its own. Throws Error.
ProblemOptions options_of(const ScenarioChange& change);

// What a scenario of a lesson is made of: as `debug` would take it (the pencil problem, unless a
// size is given), but a tiling that does not fit the device is shown, not refused.
Setup lesson_setup(const ProblemOptions& options);
// Its tensors. Throws Error when they would take more than a gigabyte.
Scenario lesson_scenario(const Setup& setup);

// The known scenarios of a lesson by name. "here" is the one that is open.
class Facts {
 public:
  void define(const std::string& name, const ScenarioChange& change);
  void open(const std::string& name);  // throws Error for an unknown one
  void close() { here_ = {}; }         // none is open
  // What a student made of the open scenario: here.… is this from now on, until open().
  void replace_here(const ProblemOptions& options);
  const ScenarioFacts& find(std::string_view name) const;  // throws Error
  bool has_here() const { return !here_.name.empty(); }
  std::vector<std::string> names() const;
  double work_done() const;  // of all scenarios
  // All scenarios with an option set to another value, for sweeps. Throws Error for an option or a
  // value that is none; a scenario that can't have it throws when it is asked for.
  Facts with_option(const std::string& option, const std::string& value) const;

 private:
  struct Known {
    std::string name;
    ScenarioChange change;
    mutable std::shared_ptr<const ScenarioFacts> facts;  // made when first asked for
  };
  static const ScenarioFacts& made(const Known& known);
  Error unknown(std::string_view name) const;

  std::map<std::string, Known, std::less<>> scenarios_;
  Known here_;  // no name: none is open
};

}  // namespace flashscope::lessons
