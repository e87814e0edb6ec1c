// Ops in words, and the table's lines; see player_parts.h.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sim/io/number_text.h"
#include "viz/pages/code_html.h"
#include "viz/pages/player_parts.h"
#include "viz/pages/words.h"

namespace flashscope::pages {
namespace {

const Line& line_of(const Program& program, const RecordedOp& op) {
  return program.algorithm().lines[static_cast<std::size_t>(op.line)];
}

std::string changes_html(const RecordedOp& op) {
  if (op.changes.empty()) return "";
  std::string html = "<ul class=\"changes\">";
  for (const views::Change& change : op.changes) {
    html += fmt::format("<li><span class=\"{}\">{}</span>", tensor_class(change.target),
                        escaped(change.target));
    if (!change.formula.empty()) {
      html += fmt::format(" = <span class=\"formula\">{}</span>", escaped(change.formula));
    }
    html += fmt::format(" = <b>{}</b></li>", escaped(change.value));
  }
  return html + "</ul>";
}

std::string truth_html(const RecordedOp& op) {
  if (op.truth.empty()) return "";
  std::string html = fmt::format(
      "<div class=\"scroll\"><table class=\"truth\"><caption>Had the keys ended here "
      "({})</caption><thead><tr><th scope=\"col\">row</th><th scope=\"col\"></th><th "
      "scope=\"col\">here</th><th scope=\"col\">fp64</th><th scope=\"col\">off "
      "by</th></tr></thead><tbody>",
      op.truth_keys);
  for (const TruthRow& row : op.truth) {
    html += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>"
        "<td class=\"{}\">{}</td></tr>",
        row.row, row.name, row.here, row.truth, row.agrees ? "good" : "bad",
        row.agrees ? row.off : row.off + " ✗ wrong");
  }
  return html + "</tbody></table></div>";
}

}  // namespace

std::string op_html(const RecordedOp& op, const Program& program) {
  std::string html = fmt::format(
      "<span class=\"op-line\"><span class=\"op-number\">{}</span> "
      "<code>{}</code>",
      op.op, escaped(line_of(program, op).text));
  if (op.copied_bytes > 0) {
    html += fmt::format(" <span class=\"bytes\">+{} B</span>", io::grouped(op.copied_bytes));
  }
  return html + "</span>" + changes_html(op) + truth_html(op);
}

std::string log_html(const Recording& recording, const Program& program, const std::string& id) {
  std::string html;
  std::size_t place = recording.places.size();
  for (const RecordedOp& op : recording.ops) {
    if (op.place != place) {
      if (place != recording.places.size()) html += "</ol></div>\n";
      place = op.place;
      const RecordedPlace& at = recording.places[place];
      std::string data = fmt::format("data-first=\"{}\"", at.first_op);
      if (at.map >= 0) data += fmt::format(" data-map=\"{}-map-{}\"", id, at.map);
      if (at.kv_tile >= 0 && at.q_tile >= 0) {
        data += fmt::format(" data-q=\"{}\" data-k=\"{}\"", at.q_tile, at.kv_tile);
      }
      html += fmt::format("<div class=\"log-place\" {}><p>{}</p><ol>", data, escaped(at.text));
    }
    html += fmt::format("<li data-op=\"{}\" data-line=\"{}\">{}</li>\n", op.op,
                        line_of(program, op).source_line, op_html(op, program));
  }
  return recording.ops.empty() ? html : html + "</ol></div>\n";
}

std::string program_html(const Recording& recording, const Program& program,
                         const PlayerOptions& options) {
  const Algorithm& algorithm = program.algorithm();
  // The statements of the recorded phases, by their lines in the text.
  std::map<int, const Line*> statements;
  int first = 0, last = 0;
  std::set<int> phases;
  for (const RecordedPlace& place : recording.places) phases.insert(place.phase);
  for (const int index : phases) {
    const Phase& phase = algorithm.phases[static_cast<std::size_t>(index)];
    for (const std::vector<int>* part : {&phase.before, &phase.step, &phase.after}) {
      for (const int n : *part) {
        const Line& line = algorithm.lines[static_cast<std::size_t>(n)];
        statements[line.source_line] = &line;
        first = first == 0 ? line.source_line : std::min(first, line.source_line);
        last = std::max(last, line.source_line);
      }
    }
  }
  const std::vector<views::CodeLine> code = views::table_lines(algorithm.source, algorithm.buffers);
  // Up to the heading of the first of these phases.
  while (first > 1 && !code[static_cast<std::size_t>(first - 1)].text.starts_with("phase")) --first;
  const int current =
      recording.ops.empty() ? 0 : line_of(program, recording.ops.back()).source_line;
  std::string all, shown, current_line;
  for (int n = first; n > 0 && n <= std::min(last, static_cast<int>(code.size())); ++n) {
    const auto found = statements.find(n);
    std::string data;
    if (found != statements.end()) {
      const Effects use = effects(*found->second);
      data = fmt::format(" data-reads=\"{}\" data-writes=\"{}\"", fmt::join(use.reads, " "),
                         fmt::join(use.writes, " "));
    }
    const auto line = [&](std::string_view look) {
      return fmt::format("<li data-n=\"{}\"{}{}>{}</li>\n", n, data, look,
                         code_line_html(code[static_cast<std::size_t>(n - 1)]));
    };
    all += line("");
    if (n == current) current_line = line(" class=\"current\" aria-current=\"step\"");
    shown += n == current ? current_line : line("");
  }
  std::string like, where;
  if (options.tables != nullptr) {
    const auto [found, is_first] = options.tables->try_emplace(all, options.id);
    if (!is_first) {
      like = fmt::format(" data-like=\"{}\"", found->second);
      where = fmt::format(
          "<noscript><p class=\"note\"><a href=\"#{}\">The whole table</a></p></noscript>",
          found->second);
      shown = current_line;
    }
  }
  return fmt::format(
      "<ol class=\"code\" tabindex=\"0\" aria-label=\"The table of the algorithm\"{}>{}</ol>{}",
      like, shown, where);
}

}  // namespace flashscope::pages
