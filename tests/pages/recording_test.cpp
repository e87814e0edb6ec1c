// What a page plays against the walk itself: ops, words, bytes, truth, and the tiles behind every
// op.
#include "viz/pages/recording.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "lessons/engine/stage.h"
#include "sim/io/number_text.h"
#include "sim/machine/count.h"
#include "tests/pages/html_tree.h"
#include "tests/pages/sample_pages.h"
#include "viz/pages/lesson_blocks.h"

using namespace flashscope;
using pages::Recording;
using pages::TileShot;

namespace {

std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '\n') result += c;
  }
  return result;
}

}  // namespace

TEST_CASE("a recording holds what the walk says, op by op") {
  for (const SampleWalk& walk : sample_walks()) {
    CAPTURE(walk.name);
    const Recording recording = pages::record(walk.scenario, walk.program(), walk.options);
    views::Walker walker(walk.scenario, walk.program(), walk.options);
    views::Formulas formulas(walk.program(), walker.interpreter());
    const auto& buffers = walk.program().algorithm().buffers;
    std::map<int, TileShot> tiles = recording.start;
    std::size_t n = 0;
    std::size_t tiles_checked = 0;
    walker.walk([&](const views::WalkEvent& event) {
      REQUIRE(n < recording.ops.size());
      const pages::RecordedOp& op = recording.ops[n++];
      CAPTURE(event.op);
      CHECK(op.op == event.op);
      const Ledger so_far = ledger_before(walk.program(), event.op + 1);
      CHECK(op.load_bytes == so_far.all_load_bytes());
      CHECK(op.store_bytes == so_far.all_store_bytes());
      CHECK(op.copied_bytes == event.copied_bytes);
      const std::vector<views::Change> changes = formulas.changes(event);
      REQUIRE(op.changes.size() == changes.size());
      for (std::size_t c = 0; c < changes.size(); ++c) {
        CHECK(op.changes[c].target == changes[c].target);
        CHECK(op.changes[c].formula == changes[c].formula);
        CHECK(op.changes[c].value == changes[c].value);
      }
      CHECK(op.truth.size() == (event.truth == nullptr ? 0 : 2 * event.truth->rows.size()));
      for (const auto& [buffer, shot] : op.tiles) tiles[buffer] = shot;
      // What the op wrote, at every place shown.
      if (event.line->kind == LineKind::store) return;
      const Buffer& buffer = buffers[static_cast<std::size_t>(event.line->result)];
      const TileShot& shot = tiles.at(event.line->result);
      REQUIRE(shot.cells.size() == shot.rows.size() * shot.columns.size());
      const std::int64_t first_row = buffer.rows == Dim::kv_tile
                                         ? walk.program().kv_rows(*event.segment).begin
                                         : walk.program().q_rows(*event.segment).begin;
      const std::int64_t first_column =
          buffer.columns == Dim::kv_tile ? walk.program().kv_rows(*event.segment).begin : 0;
      for (std::size_t cell = 0; cell < shot.cells.size(); ++cell) {
        const std::string& row = shot.rows[cell / shot.columns.size()];
        const std::string& column = shot.columns[cell % shot.columns.size()];
        if (row == "…" || column == "…") continue;
        ++tiles_checked;
        CHECK(shot.cells[cell] ==
              io::short_number(static_cast<double>(event.after->at(
                  std::stoll(row) - first_row, std::stoll(column) - first_column))));
      }
    });
    CHECK(n == recording.ops.size());
    CHECK(tiles_checked > 20);
  }
}

TEST_CASE("a recording that begins later has the same tiles at its beginning") {
  const SampleWalk whole = sample_walk("whole", {});
  const Recording all = pages::record(whole.scenario, whole.program(), whole.options);
  for (const std::size_t cut : {3U, 9U, 14U, 20U}) {
    CAPTURE(cut);
    REQUIRE(cut < all.ops.size());
    views::WalkOptions walk;
    walk.from_op = all.ops[cut].op;
    const Recording part = pages::record(whole.scenario, whole.program(), walk);
    std::map<int, TileShot> tiles = all.start;
    for (std::size_t n = 0; n < cut; ++n) {
      for (const auto& [buffer, shot] : all.ops[n].tiles) tiles[buffer] = shot;
    }
    CHECK(part.start == tiles);
    CHECK(part.start_load_bytes == all.ops[cut - 1].load_bytes);
    CHECK(part.start_store_bytes == all.ops[cut - 1].store_bytes);
    REQUIRE(part.ops.size() == all.ops.size() - cut);
    for (std::size_t n = 0; n < part.ops.size(); ++n) {
      CHECK(part.ops[n].tiles == all.ops[cut + n].tiles);
    }
  }
}

TEST_CASE("bytes are those of all work items so far, also of those that are not shown") {
  views::WalkOptions second;
  second.work_item = 1;
  const SampleWalk walk = sample_walk("second", {}, second);
  REQUIRE(walk.program().work_items() > 1);
  const Recording recording = pages::record(walk.scenario, walk.program(), walk.options);
  const Ledger before = ledger_before(walk.program(), recording.ops.front().op);
  CHECK(recording.start_load_bytes > 0);
  CHECK(recording.start_load_bytes == before.all_load_bytes());
  CHECK(recording.start_store_bytes == before.all_store_bytes());
}

TEST_CASE("a stop behind a work item's last op shows what that op left on chip") {
  std::string source = kSampleLesson;
  const std::string place = "tile = [0, 1]\nafter = \"alpha = exp(m - m_new)\"\nwalk = \"since\"";
  REQUIRE(source.find(place) != std::string::npos);
  const lessons::Lesson first = lessons::parse_lesson(source, "sample.md");
  std::int64_t item_end = 0;
  {
    lessons::Stage stage(first);
    for (std::size_t n = 0; n < first.blocks.size() && item_end == 0; ++n) {
      stage.enter(n);
      if (std::holds_alternative<lessons::StopBlock>(first.blocks[n])) {
        item_end = stage.debugger().program().ops_of_work_item(0).end;
      }
    }
  }
  source.replace(source.find(place), place.size(),
                 "op = " + std::to_string(item_end) + "\nwalk = \"since\"");
  const lessons::Lesson lesson = lessons::parse_lesson(source, "sample.md");
  lessons::Stage stage(lesson);
  int seen = 0;
  for (std::size_t n = 0; n < lesson.blocks.size(); ++n) {
    stage.enter(n);
    const auto* stop = std::get_if<lessons::StopBlock>(&lesson.blocks[n]);
    if (stop == nullptr || stop->title != "The maximum moves") continue;
    ++seen;
    const Program& program = stage.debugger().program();
    CHECK(stage.debugger().session().position() == item_end);
    const Recording recording =
        pages::record(stage.scenario(), program, pages::stop_window(*stop, stage));
    CHECK(recording.ops.back().op == item_end - 1);
    std::map<int, TileShot> tiles = recording.start;
    for (const pages::RecordedOp& op : recording.ops) {
      for (const auto& [buffer, shot] : op.tiles) tiles[buffer] = shot;
    }
    for (const char* name : {"m", "l", "O", "S"}) {
      CAPTURE(name);
      CHECK(!tiles.at(program.algorithm().find(name, false)).cells.empty());
    }
    CHECK(tiles.at(program.algorithm().find("S", false)).holds == "q 0 × kv 1");
  }
  CHECK(seen == 1);
}

TEST_CASE("a new work item starts with nothing on chip") {
  ProblemOptions options;
  options.algorithm = "standard";
  const SampleWalk walk = sample_walk("standard", options);
  const Recording recording = pages::record(walk.scenario, walk.program(), {});
  std::map<int, TileShot> tiles = recording.start;
  int phases = 0;
  std::size_t place = recording.places.size();
  for (const pages::RecordedOp& op : recording.ops) {
    for (const auto& [buffer, shot] : op.tiles) tiles[buffer] = shot;
    if (op.place != place && recording.places[op.place].phase != phases - 1) {
      ++phases;
      // Its first op has written one tile, and all others are blank.
      CHECK(std::count_if(tiles.begin(), tiles.end(),
                          [](const auto& tile) { return !tile.second.cells.empty(); }) == 1);
    }
    place = op.place;
  }
  CHECK(phases == 3);
}

TEST_CASE("the page writes the recording out, for readers without a script too") {
  for (const SampleWalk& walk : sample_walks()) {
    CAPTURE(walk.name);
    const Recording recording = pages::record(walk.scenario, walk.program(), walk.options);
    const auto root = parse_html(page_of(walk));
    const auto entries =
        root->find([](const HtmlElement& e) { return e.name == "li" && e.has("data-op"); });
    REQUIRE(entries.size() == recording.ops.size());
    for (std::size_t n = 0; n < entries.size(); ++n) {
      const pages::RecordedOp& op = recording.ops[n];
      CHECK(entries[n]->get("data-op") == std::to_string(op.op));
      const std::string text = squeezed(entries[n]->all_text());
      for (const views::Change& change : op.changes) {
        const std::string formula = change.formula.empty() ? "" : "=" + change.formula;
        CAPTURE(text);
        CHECK(text.find(squeezed(change.target + formula + "=" + change.value)) !=
              std::string::npos);
      }
    }
    const auto log = root->find([](const HtmlElement& e) { return e.is_of_class("log"); });
    REQUIRE(log.size() == 1);
    CHECK(log[0]->has("open"));
    // The last op is the current one in the table and its tile in the map.
    const auto current = root->find([](const HtmlElement& e) {
      return e.name == "li" && e.has("data-n") && e.is_of_class("current");
    });
    REQUIRE(current.size() == 1);
    CHECK(current[0]->get("data-n") == entries.back()->get("data-line"));
  }
}

TEST_CASE("a wrong state is marked in words") {
  for (const SampleWalk& walk : sample_walks()) {
    const Recording recording = pages::record(walk.scenario, walk.program(), walk.options);
    const bool all_agree =
        std::all_of(recording.ops.begin(), recording.ops.end(), [](const pages::RecordedOp& op) {
          return std::all_of(op.truth.begin(), op.truth.end(),
                             [](const pages::TruthRow& row) { return row.agrees; });
        });
    CAPTURE(walk.name);
    CHECK(all_agree == (walk.name != "fault"));
    CHECK((page_of(walk).find("✗ wrong") == std::string::npos) == all_agree);
  }
}

TEST_CASE("a heat map has the extremes of its tile") {
  Tile tile;
  tile.resize(100, 30);
  tile.values.setConstant(1);
  tile.at(0, 0) = -3;
  tile.at(99, 29) = 5;
  tile.at(50, 1) = -INFINITY;
  tile.at(51, 20) = NAN;
  ProblemOptions options;
  options.q_len = 100;
  options.head_dim = 30;
  options.q_tile = 100;
  options.kv_tile = 10;
  const SampleWalk walk = sample_walk("heat", options);
  Buffer buffer;
  buffer.name = "O";
  buffer.rows = Dim::q_tile;
  buffer.columns = Dim::head_dim;
  const Segment segment = walk.program().op(0).segment;
  const TileShot shot = pages::shoot(walk.program(), buffer, tile, segment, {});
  REQUIRE(shot.heat);
  CHECK(shot.heat->rows == 20);
  CHECK(shot.heat->columns == 15);
  CHECK(shot.heat->levels.size() == 300);
  CHECK(shot.heat->low == "-3");
  CHECK(shot.heat->high == "5");
  CHECK(shot.heat->levels.front() == 'A');
  CHECK(shot.heat->levels.back() == '/');
  CHECK(shot.heat->levels[10 * 15] == '-');
  CHECK(shot.heat->levels[10 * 15 + 10] == '!');
  CHECK(shot.size == "100 × 30");
  CHECK(shot.rows == std::vector<std::string>{"0", "1", "2", "…", "99"});
  CHECK(shot.columns == std::vector<std::string>{"0", "1", "2", "3", "…", "29"});
}
