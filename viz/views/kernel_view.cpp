// See kernel_view.h, which has the rule.
#include "viz/views/kernel_view.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include <fmt/format.h>

#include "viz/views/kernel_sources.h"

namespace flashscope::views {
namespace {

using std::string_view;

constexpr string_view kMarker = "//> ";

struct Statement {
  std::size_t begin = 0, end = 0;  // lines, counted from 0
};

bool is_blank(const CodeLine& line) { return line.spans.empty(); }
bool is_marker(const CodeLine& line) {
  return line.spans.size() == 1 && line.spans.front().ink == Ink::marker;
}
bool is_comment(const Span& span) { return span.ink == Ink::comment || span.ink == Ink::marker; }
string_view word(const CodeLine& line, const Span& span) {
  return string_view(line.text).substr(span.begin, span.end - span.begin);
}
bool is_name(string_view text) {
  const char c = text.empty() ? ' ' : text.front();
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Code {
 public:
  explicit Code(const std::vector<CodeLine>& lines) : lines_(lines) {}

  // The statement that begins at a line; nothing at an empty line, a marker, or a block's end.
  std::optional<Statement> statement(std::size_t begin) const {
    int depth = 0;
    for (std::size_t n = begin; n < lines_.size(); ++n) {
      const CodeLine& line = lines_[n];
      if (n == begin && (is_blank(line) || is_marker(line) || closes_block(line))) return {};
      char last = 0;
      for (const Span& span : line.spans) {
        if (is_comment(span) || line.text[span.begin] == '#') continue;
        for (const char c : word(line, span)) {
          depth += c == '(' || c == '{' || c == '[' ? 1 : 0;
          depth -= c == ')' || c == '}' || c == ']' ? 1 : 0;
          last = c;
        }
      }
      if (depth == 0 && (last == ';' || last == '}')) return Statement{begin, n + 1};
    }
    return {};
  }

  bool holds_marker(const Statement& statement) const {
    return std::any_of(at(statement.begin), at(statement.end), is_marker);
  }

  // `if (…) return;` on one line.
  bool is_guard(const Statement& statement) const {
    const string_view text = lines_[statement.begin].text;
    return statement.end == statement.begin + 1 && text.find(" return;") != string_view::npos &&
           text.substr(lines_[statement.begin].spans.front().begin).starts_with("if (");
  }

  bool uses(const Statement& statement, const std::vector<string_view>& names) const {
    for (std::size_t n = statement.begin; n < statement.end; ++n) {
      for (const Span& span : lines_[n].spans) {
        if (is_comment(span)) continue;
        if (std::find(names.begin(), names.end(), word(lines_[n], span)) != names.end())
          return true;
      }
    }
    return false;
  }

  // The name that a statement `Type name …` declares; empty when it is no declaration. A type may
  // have template arguments; words before the name must be words, not operators.
  string_view declared(const Statement& statement) const {
    const CodeLine& line = lines_[statement.begin];
    string_view before, name;
    int angle = 0;
    for (const Span& span : line.spans) {
      const string_view text = word(line, span);
      if (is_name(text)) {
        if (text == "if" || text == "for" || text == "return") return {};
        if (angle == 0) {
          before = name;
          name = text;
        }
        continue;
      }
      for (const char c : text) {
        angle += c == '<' ? 1 : 0;
        angle -= c == '>' ? 1 : 0;
        if (angle > 0 || c == '>' || c == '*' || c == '&' || c == ':') continue;
        // In `o.clear()` and `x[i] = …` another mark comes first.
        const bool ends_name = c == '=' || c == ';' || c == '{' || c == '(';
        return ends_name && !before.empty() ? name : string_view();
      }
    }
    return {};
  }

  LineRange code_after(std::size_t begin) const {
    std::vector<Statement> statements;
    for (std::size_t n = begin; n < lines_.size();) {
      const std::optional<Statement> next = statement(n);
      if (!next || holds_marker(*next)) break;
      statements.push_back(*next);
      n = next->end;
    }
    if (statements.empty()) return {};
    std::size_t used = 1;
    std::vector<string_view> names;
    for (std::size_t n = 0; n < statements.size(); ++n) {
      const bool first = n == 0 || (n == used && is_guard(statements[n - 1]));
      if (!first && !uses(statements[n], names)) continue;
      used = n + 1;
      const string_view name = declared(statements[n]);
      if (!name.empty()) names.push_back(name);
    }
    return {static_cast<int>(begin) + 1, static_cast<int>(statements[used - 1].end) + 1};
  }

 private:
  std::vector<CodeLine>::const_iterator at(std::size_t line) const {
    return lines_.begin() + static_cast<std::ptrdiff_t>(line);
  }
  static bool closes_block(const CodeLine& line) {
    return line.text[line.spans.front().begin] == '}';
  }

  const std::vector<CodeLine>& lines_;
};

bool carries(const KernelMarker& marker, const Line& line) {
  return marker.text == line.text || marker.text.starts_with(line.text + ":");
}

// "fa2_kernel" of "…) void fa2_kernel(".
string_view function_name(const std::vector<CodeLine>& code, std::size_t line) {
  for (; line < code.size(); ++line) {
    const string_view text = code[line].text;
    const std::size_t at = text.find("void ");
    if (at == string_view::npos) continue;
    const string_view rest = text.substr(at + 5);
    return rest.substr(0, rest.find('('));
  }
  return {};
}

void tie(KernelView& kernel, const Algorithm& algorithm) {
  for (std::size_t phase = 0; phase < algorithm.phases.size(); ++phase) {
    const Phase& p = algorithm.phases[phase];
    std::vector<int> statements = p.before;
    statements.insert(statements.end(), p.step.begin(), p.step.end());
    statements.insert(statements.end(), p.after.begin(), p.after.end());
    for (KernelMarker& marker : kernel.markers) {
      if (marker.function != static_cast<int>(phase)) continue;
      std::vector<int> same_text;
      for (const int statement : statements) {
        if (carries(marker, algorithm.lines[static_cast<std::size_t>(statement)])) {
          same_text.push_back(statement);
        }
      }
      if (same_text.empty()) continue;
      // The how manieth marker of this text it is.
      const Line& line = algorithm.lines[static_cast<std::size_t>(same_text.front())];
      const auto before =
          std::count_if(kernel.markers.data(), &marker, [&](const KernelMarker& other) {
            return other.function == marker.function && carries(other, line);
          });
      marker.statement =
          same_text[std::min(static_cast<std::size_t>(before), same_text.size() - 1)];
    }
  }
}

}  // namespace

std::vector<const KernelMarker*> KernelView::markers_of(int statement) const {
  std::vector<const KernelMarker*> result;
  for (const KernelMarker& marker : markers) {
    if (statement >= 0 && marker.statement == statement) result.push_back(&marker);
  }
  return result;
}

KernelView parse_kernel(string_view text) {
  KernelView kernel;
  kernel.code = cpp_lines(text);
  const Code code(kernel.code);
  std::size_t run_end = 0;  // of markers that follow each other
  for (std::size_t n = 0; n < kernel.code.size(); ++n) {
    const CodeLine& line = kernel.code[n];
    if (line.text.starts_with("__global__")) {
      kernel.functions.emplace_back(function_name(kernel.code, n));
    }
    if (!is_marker(line)) continue;
    run_end = std::max(run_end, n);
    while (run_end < kernel.code.size() && is_marker(kernel.code[run_end])) ++run_end;
    KernelMarker marker;
    marker.line = static_cast<int>(n) + 1;
    marker.text = line.text.substr(line.spans.front().begin + kMarker.size());
    marker.function = static_cast<int>(kernel.functions.size()) - 1;
    marker.code = code.code_after(run_end);
    kernel.markers.push_back(std::move(marker));
  }
  return kernel;
}

KernelView kernel_view(const Algorithm& algorithm) {
  const auto sources = kernel_sources();
  const auto source = std::find_if(sources.begin(), sources.end(),
                                   [&](const KernelSource& s) { return s.name == algorithm.name; });
  if (source == sources.end()) {
    KernelView none;
    std::string names;
    for (const KernelSource& s : sources)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", s.name);
    none.caution = fmt::format("No kernel: none follows a table named {}; there are kernels for {}",
                               algorithm.name, names);
    return none;
  }
  KernelView kernel = parse_kernel(source->text);
  kernel.file = fmt::format("gpu/kernels/{}.cuh", source->name);
  tie(kernel, algorithm);
  if (!algorithm.fault.empty()) {
    kernel.caution =
        fmt::format("No kernel has the fault {}: this is the kernel without it", algorithm.fault);
  } else if (!algorithm.is_built_in()) {
    kernel.caution = fmt::format(
        "No kernel: this table is not the built-in {}, whose kernel is shown; lines with the same "
        "text are still found in it",
        algorithm.name);
  }
  return kernel;
}

std::string why_no_code(const Line& line, const KernelView& kernel) {
  if (kernel.file.empty()) return kernel.caution;
  if (line.when.threshold == true) return "not in this kernel, which has no rescale threshold";
  return "not in this kernel";
}

}  // namespace flashscope::views
