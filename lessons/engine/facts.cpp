// Scenarios of a lesson and their facts; see facts.h.
#include "lessons/engine/facts.h"

#include <algorithm>

#include <fmt/format.h>

#include "lessons/engine/facts_cache.h"
#include "lessons/engine/facts_list.h"
#include "lessons/engine/facts_options.h"
#include "lessons/engine/facts_table.h"
#include "lessons/engine/records.h"
#include "lessons/engine/work.h"
#include "sim/attention/built_in_tables.h"
#include "sim/error.h"
#include "sim/expression/nearest_name.h"

namespace flashscope::lessons {
namespace {

constexpr const char* kDefaultProblem = "pencil";
constexpr std::string_view kHere = "here";

// Expressions read it as one word.
void require_word(const std::string& name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool is_word = !name.empty() && is_letter(name[0]) &&
                       std::all_of(name.begin(), name.end(),
                                   [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  if (!is_word) {
    throw Error(
        fmt::format("scenario '{}': a name is letters, digits and _, a letter first", name));
  }
  for (const std::string_view taken : {"here", "and", "or", "not"}) {
    if (name == taken) throw Error(fmt::format("scenario '{}': this name is taken", name));
  }
}

std::string table_of(const ProblemOptions& options) {
  if (options.table) return *options.table;
  for (const BuiltInTable& table : built_in_tables()) {
    if (table.name == options.algorithm) return std::string(table.text);
  }
  return load_algorithm(options.algorithm).source;  // throws: there is no such table
}

}  // namespace

ProblemOptions options_of(const ScenarioChange& change) {
  ProblemOptions options = change.options;
  if (options.has_input()) throw Error("a lesson reads no files: leave q, k, v and tensors out");
  if (options.algorithm.ends_with(".alg")) {
    throw Error(fmt::format("algorithm '{}': a lesson reads no files; write the table into it",
                            options.algorithm));
  }
  if (options.algorithm == "all") throw Error("a scenario has one algorithm, not all");
  if (!change.edits.empty()) options.table = edited_table(table_of(options), change.edits);
  return options;
}

// What is refused only because it does not fit is good enough to be looked at.
Setup lesson_setup(const ProblemOptions& options) {
  try {
    return set_up(options, Purpose::compute, kDefaultProblem);
  } catch (const Error&) {
    return set_up(options, Purpose::inspect, kDefaultProblem);
  }
}

Scenario lesson_scenario(const Setup& setup) {
  constexpr double kMostElements = 1 << 28;  // fp32 in memory
  const Problem& p = setup.problem;
  const auto rows = [&](std::int64_t heads, std::int64_t length) {
    return static_cast<double>(p.batch) * static_cast<double>(heads) * static_cast<double>(length);
  };
  const double elements = (2 * rows(p.q_heads, p.q_len) + 2 * rows(p.kv_heads, p.kv_len)) *
                          static_cast<double>(p.head_dim);  // Q, O, K, V
  if (elements > kMostElements) {
    throw Error(
        fmt::format("{}: its data is too large for a lesson; make it smaller, or ask for "
                    "facts alone, which need none",
                    describe(p)));
  }
  return setup.make_scenario();
}

ScenarioFacts::ScenarioFacts(const ScenarioChange& change)
    : change_(change),
      options_(options_of(change)),
      mask_work_(mask_work(options_)),
      setup_(lesson_setup(options_)),
      cache_(std::make_unique<FactCache>(options_, setup_, change.record)) {
  if (!change.record.empty()) find_record(change.record);
}

ScenarioFacts::~ScenarioFacts() = default;

double ScenarioFacts::fact(std::string_view name) const { return find_fact(name).value(*cache_); }

double ScenarioFacts::work_done() const { return mask_work_ + cache_->work_done(); }

double Facts::work_done() const {
  double work = here_.facts ? here_.facts->work_done() : 0;
  for (const auto& [name, known] : scenarios_) {
    if (known.facts && known.facts != here_.facts) work += known.facts->work_done();
  }
  return work;
}

const ScenarioFacts& Facts::made(const Known& known) {
  if (!known.facts) known.facts = std::make_shared<const ScenarioFacts>(known.change);
  return *known.facts;
}

void Facts::define(const std::string& name, const ScenarioChange& change) {
  require_word(name);
  Known known{name, change, nullptr};
  made(known);
  scenarios_[name] = std::move(known);
}

void Facts::open(const std::string& name) {
  const auto found = scenarios_.find(name);
  if (found == scenarios_.end()) throw unknown(name);
  made(found->second);
  here_ = found->second;
}

void Facts::replace_here(const ProblemOptions& options) {
  Known known = here_;
  known.change.options = options;
  known.change.edits.clear();  // they are in the table
  known.facts = nullptr;
  made(known);
  here_ = std::move(known);
}

const ScenarioFacts& Facts::find(std::string_view name) const {
  if (name == kHere) {
    if (!has_here()) throw Error("no scenario is open");
    return made(here_);
  }
  const auto found = scenarios_.find(name);
  if (found != scenarios_.end()) return made(found->second);
  throw unknown(name);
}

Error Facts::unknown(std::string_view name) const {
  const std::string what = fmt::format("there is no scenario '{}'", name);
  if (names().empty()) return Error(what);
  return Error(fmt::format("{}; {}", what, nearest_name(std::string(name), names())));
}

std::vector<std::string> Facts::names() const {
  std::vector<std::string> names;
  for (const auto& [name, known] : scenarios_) names.push_back(name);
  if (has_here()) names.emplace_back(kHere);
  return names;
}

Facts Facts::with_option(const std::string& option, const std::string& value) const {
  Facts result = *this;
  const auto change = [&](Known& known) {
    set_option(known.change.options, option, value);
    if (find_option(option).name == std::string_view("--algorithm")) {
      known.change.options.table.reset();
    }
    known.facts = nullptr;
  };
  for (auto& [name, known] : result.scenarios_) change(known);
  if (has_here()) change(result.here_);
  if (scenarios_.empty() && !has_here()) find_option(option);
  return result;
}

}  // namespace flashscope::lessons
