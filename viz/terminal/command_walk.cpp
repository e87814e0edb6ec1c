// `flashscope walk`: one work item, op by op.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/write_file.h"
#include "sim/scenario/problem_json.h"
#include "sim/setup/parse_values.h"
#include "sim/setup/setup.h"
#include "viz/pages/page.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/screen.h"
#include "viz/terminal/walk_text.h"
#include "viz/views/walker.h"

namespace flashscope::terminal {
namespace {

struct WalkCommandOptions {
  ProblemOptions problem;
  std::optional<std::int64_t> work_item, from_op, to_op;
  std::int64_t head = 0;
  std::string rows;
  std::string html;  // file to write instead of printing
};

// Values of the shown rows: a number a row for vectors, a list a row for tiles. Tiles of keys are
// given whole.
Json changed_json(const Program& program, const views::WalkEvent& event) {
  const Buffer& b = program.algorithm().buffers[static_cast<std::size_t>(event.line->result)];
  if (event.line->kind == LineKind::store) return Json::object();
  const Segment& segment = *event.segment;
  std::vector<std::int64_t> rows;  // of the tile
  if (b.rows == Dim::kv_tile) {
    for (std::int64_t k = 0; k < program.kv_rows(segment).size(); ++k) rows.push_back(k);
  } else {
    const IndexRange held = program.q_rows(segment);
    for (const std::int64_t row : event.rows) rows.push_back(row - held.begin);
  }
  const std::int64_t columns =
      b.columns == Dim::kv_tile ? program.kv_rows(segment).size() : event.after->columns;
  Json values = Json::array();
  for (const std::int64_t row : rows) {
    if (b.is_vector()) {
      values.push_back(number_json(event.after->at(row, 0)));
      continue;
    }
    Json line = Json::array();
    for (std::int64_t c = 0; c < columns; ++c) line.push_back(number_json(event.after->at(row, c)));
    values.push_back(line);
  }
  return {{b.name, values}};
}

Json truth_json(const PrefixTruth& truth) {
  Json rows = Json::array();
  for (const PrefixTruth::Row& row : truth.rows) {
    Json here = Json::array(), want = Json::array();
    for (const double value : row.o_here) here.push_back(number_json(value));
    for (const double value : row.o_true) want.push_back(number_json(value));
    rows.push_back({{"row", row.row},
                    {"lse", number_json(row.lse_here)},
                    {"lse_true", number_json(row.lse_true)},
                    {"o", here},
                    {"o_true", want}});
  }
  return rows;
}

Json event_json(const Program& program, const views::WalkEvent& event) {
  const Algorithm& algorithm = program.algorithm();
  const Segment& segment = *event.segment;
  const auto index = [](std::int64_t value) { return value < 0 ? Json(nullptr) : Json(value); };
  const bool step = segment.part == Part::step && segment.kv_tile >= 0;
  Json json = {{"schema", "flashscope.walk/1"},
               {"op", event.op},
               {"kind", name_of(event.line->kind)},
               {"line", event.line->text},
               {"actor", algorithm.actors[static_cast<std::size_t>(event.line->actor)]},
               {"work_item", segment.work_item},
               {"batch", segment.batch},
               {"head", segment.head},
               {"q_tile", index(segment.q_tile)},
               {"kv_tile", index(segment.kv_tile)},
               {"split", index(segment.split)},
               {"tile_class", step ? Json(name_of(segment.kind.tile_class)) : Json(nullptr)},
               {"rows", event.rows},
               {"changed", changed_json(program, event)},
               {"load_bytes", event.load_bytes},
               {"store_bytes", event.store_bytes}};
  if (event.truth != nullptr) json["prefix_truth"] = truth_json(*event.truth);
  return json;
}

// The command as typed, as far as it matters; for the page.
std::string command_of(const WalkCommandOptions& options) {
  std::string text = "flashscope walk";
  for (const std::string& word : problem_arguments(options.problem))
    (text += ' ') += shell_word(word);
  if (options.work_item) text += fmt::format(" --work-item {}", *options.work_item);
  if (options.head != 0) text += fmt::format(" --head {}", options.head);
  if (!options.rows.empty()) text += fmt::format(" --rows {}", options.rows);
  if (options.from_op) text += fmt::format(" --from {}", *options.from_op);
  if (options.to_op) text += fmt::format(" --to {}", *options.to_op);
  return text;
}

int walk_command(const WalkCommandOptions& options) {
  if (options.problem.algorithm == "all") {
    throw Error("walk follows one algorithm: --algorithm all is for count");
  }
  if (options.problem.json && !options.html.empty())
    throw Error("walk: --json or --html, not both");
  const Setup setup = set_up(options.problem, Purpose::compute, "pencil");
  print_note(setup.note);
  const Program& program = setup.programs.front();
  const Scenario scenario = setup.make_scenario();
  views::WalkOptions walk;
  walk.work_item = options.work_item;
  walk.head = options.head;
  if (!options.rows.empty()) walk.rows = parse_rows(options.rows, "--rows");
  walk.from_op = options.from_op.value_or(0);
  walk.to_op = options.to_op.value_or(INT64_MAX);
  if (walk.from_op < 0 || walk.to_op < walk.from_op) {
    throw Error(
        fmt::format("--from {} --to {}: ops are counted from 0, and --to is not before --from",
                    walk.from_op, walk.to_op));
  }
  if (program.size() > 0 && walk.from_op >= program.size()) {
    throw Error(
        fmt::format("--from {}: this program has ops 0 to {}", walk.from_op, program.size() - 1));
  }
  if (!options.html.empty()) {
    io::require_writable(options.html);
    io::write_text(options.html, pages::walk_page(scenario, program, walk, command_of(options)));
    fmt::print("{}\n", options.html);
    return 0;
  }
  views::Walker walker(scenario, program, walk);
  if (options.problem.json) {
    walker.walk([&](const views::WalkEvent& event) {
      fmt::print("{}\n", event_json(program, event).dump());
    });
    if (walker.ops_seen() == 0) throw Error("walk: no op lies between --from and --to there");
    return 0;
  }
  WalkText text(scenario, program, walker.interpreter());
  walker.walk([&](const views::WalkEvent& event) {
    if (walker.ops_seen() == 1) text.heading(walker);
    text.show(event);
  });
  if (walker.ops_seen() == 0) throw Error("walk: no op lies between --from and --to there");
  text.footer(walker);
  return 0;
}

}  // namespace

Action add_walk(CLI::App& command) {
  const auto options = std::make_shared<WalkCommandOptions>();
  add_problem_options(command, options->problem);
  command.add_option("--work-item", options->work_item,
                     "which one; default: all that the first q tile goes through");
  command.add_option("--head", options->head, "of the default walk");
  command.add_option("--rows", options->rows, "rows of the head to show, such as 0,3 or 4-7");
  command.add_option("--from", options->from_op, "first op to show");
  command.add_option("--to", options->to_op, "last op to show");
  command.add_option("--html", options->html, "write a page with a player instead of printing")
      ->group("Output");
  command.footer(defaults_help());
  return [options] { return walk_command(*options); };
}

}  // namespace flashscope::terminal
