// Finding and applying faults; see faults.h. The catalogue itself is in fault_catalogue_*.cpp.
#include "sim/attention/faults.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/attention/alg_parser.h"
#include "sim/attention/fault_catalogue.h"
#include "sim/error.h"
#include "sim/expression/nearest_name.h"

namespace flashscope {
namespace {

std::vector<Fault> whole_catalogue() {
  std::vector<Fault> all;
  for (const auto part : {softmax_faults, mask_faults, placement_faults, conventions}) {
    for (Fault& fault : part()) all.push_back(std::move(fault));
  }
  return all;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// A line of a table in its parts. Statements are compared with single spaces between words.
struct TableLine {
  std::string indent, statement, condition;
};

TableLine split_line(std::string_view line) {
  TableLine parts;
  line = line.substr(0, line.find('#'));
  parts.indent = line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
  std::string_view rest = trimmed(line);
  const std::size_t when = rest.find(" when ");
  if (when != std::string_view::npos) {
    parts.condition = trimmed(rest.substr(when));
    rest = trimmed(rest.substr(0, when));
  }
  for (const char c : rest) {
    const char plain = c == '\t' ? ' ' : c;
    if (plain != ' ' || !parts.statement.ends_with(' ')) parts.statement += plain;
  }
  return parts;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

// The table's text after the edits; nothing when one of their statements does not occur.
std::optional<std::string> edited(const std::string& source, const std::vector<TextEdit>& edits,
                                  std::string& missing) {
  std::string text;
  std::vector<bool> used(edits.size(), false);
  for (const std::string_view line : lines_of(source)) {
    const TableLine parts = split_line(line);
    const auto edit = std::find_if(edits.begin(), edits.end(), [&](const TextEdit& e) {
      return e.statement == parts.statement;
    });
    if (edit == edits.end()) {
      text += fmt::format("{}\n", line);
      continue;
    }
    used[static_cast<std::size_t>(edit - edits.begin())] = true;
    for (const std::string_view statement : lines_of(edit->replacement)) {
      const bool has_own = statement.find(" when ") != std::string_view::npos;
      const std::string condition =
          has_own || parts.condition.empty() ? "" : "  " + parts.condition;
      text += fmt::format("{}{}{}\n", parts.indent, statement, condition);
    }
  }
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused == used.end()) return text;
  missing = edits[static_cast<std::size_t>(unused - used.begin())].statement;
  return std::nullopt;
}

bool hides_keys(const Mask& mask) {
  return mask.causal || mask.expression || mask.window_left != kUnbounded ||
         mask.window_right != kUnbounded;
}

[[noreturn]] void fail(const Algorithm& algorithm, const Fault& fault, const std::string& why) {
  throw Error(fmt::format("--fault {}: it does not apply to algorithm {}: {}", fault.name,
                          algorithm.name, why));
}

}  // namespace

std::span<const Fault> faults() {
  static const std::vector<Fault> catalogue = whole_catalogue();
  return catalogue;
}

const Fault& find_fault(std::string_view name) {
  std::vector<std::string> names;
  for (const Fault& fault : faults()) {
    if (fault.name == name) return fault;
    names.emplace_back(fault.name);
  }
  throw Error(fmt::format("--fault '{}': there is no such fault; {}", name,
                          nearest_name(std::string(name), names)));
}

bool can_show_on(const Fault& fault, const Problem& problem) {
  switch (fault.needs) {
    case FaultNeeds::nothing:
      return true;
    case FaultNeeds::causal:
      return problem.mask.causal;
    case FaultNeeds::unequal_causal:
      return problem.mask.causal && problem.q_len != problem.kv_len;
    case FaultNeeds::hidden_keys:
    case FaultNeeds::empty_rows:
      return hides_keys(problem.mask);
    case FaultNeeds::tail:
      return !problem.mask.causal;  // keys past the end lie right of the diagonal
    case FaultNeeds::several_kv_heads:
      return problem.kv_heads > 1 && problem.q_heads > problem.kv_heads;
    case FaultNeeds::several_heads:
      return problem.q_heads > 1;
  }
  return true;
}

std::string_view shows_where(FaultNeeds needs) {
  switch (needs) {
    case FaultNeeds::nothing:
      return "everywhere";
    case FaultNeeds::causal:
      return "under a causal mask";
    case FaultNeeds::unequal_causal:
      return "under a causal mask with q_len other than kv_len";
    case FaultNeeds::hidden_keys:
      return "where a mask hides keys";
    case FaultNeeds::empty_rows:
      return "where a mask leaves rows without a key";
    case FaultNeeds::tail:
      return "without a causal mask, where kv_tile does not divide kv_len";
    case FaultNeeds::several_kv_heads:
      return "where q heads share one of several kv heads";
    case FaultNeeds::several_heads:
      return "with several heads";
  }
  return "";
}

void apply_fault(Algorithm& algorithm, std::string_view name) {
  const Fault& fault = find_fault(name);
  apply_fault(algorithm, fault, fault.forms.front());
}

void apply_fault(Algorithm& algorithm, const Fault& fault, const FaultForm& form) {
  if (!algorithm.fault.empty()) {
    fail(algorithm, fault, fmt::format("it has the fault {} already", algorithm.fault));
  }
  std::string missing;
  std::optional<Algorithm> result;
  for (const std::vector<TextEdit>& edits : form.tables) {
    std::string other;
    const std::optional<std::string> text = edited(algorithm.source, edits, other);
    if (missing.empty()) missing = other;
    if (!text) continue;
    result = edits.empty() ? algorithm : parse_algorithm(*text, algorithm.origin);
    break;
  }
  if (!result) fail(algorithm, fault, fmt::format("it has no line `{}`", missing));
  if (form.adjust != nullptr) {
    const std::string why = form.adjust(*result);
    if (!why.empty()) fail(algorithm, fault, why);
  }
  result->origin = algorithm.origin;
  result->fault = fault.name;
  algorithm = std::move(*result);
}

}  // namespace flashscope
