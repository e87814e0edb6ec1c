// What panels show are the session's numbers: their tables, as one copies them, against the
// machine's tiles, its results, its ledger and the count of the whole program.
#include <cmath>
#include <imgui.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sim/machine/count.h"
#include "sim/model/sram_budget.h"
#include "tests/window/test_window.h"

namespace flashscope::window_tests {
namespace {

using Arguments = std::vector<std::string>;

const std::vector<Arguments> kScenarios = {
    {"--problem", "pencil"},
    {"--q-len", "20", "--kv-len", "28", "--head-dim", "8", "--q-tile", "8", "--kv-tile", "8",
     "--causal", "--dtype", "fp16"},
    {"--algorithm", "split_kv", "--splits", "2", "--q-len", "6", "--kv-len", "24", "--head-dim",
     "4", "--q-tile", "4", "--kv-tile", "4", "--mask", "k % 5 != 2", "--dtype", "fp32"},
};

views::Sheet sheet_of(Person& p, const std::string& panel) {
  p.focus(panel);
  p.wait(4);
  const auto sheet =
      p.app().panels()[static_cast<std::size_t>(panel_index(panel))]->sheet(p.app().context());
  REQUIRE(sheet.has_value());
  for (const auto& row : sheet->rows) REQUIRE(row.size() == sheet->header.size());
  return *sheet;
}

std::size_t column(const views::Sheet& sheet, const std::string& name) {
  const auto found = std::ranges::find(sheet.header, name);
  REQUIRE(found != sheet.header.end());
  return static_cast<std::size_t>(found - sheet.header.begin());
}

void check_traffic(Person& p) {
  const views::Sheet sheet = sheet_of(p, "Traffic");
  const auto rows_with = [&](const Ledger& ledger, const char* name) {
    const std::size_t bytes = column(sheet, name);
    std::int64_t all = 0;
    for (const TrafficRow& row : ledger.traffic()) {
      all += row.bytes;
      const std::string direction =
          row.direction == Direction::load ? "HBM -> SRAM" : "SRAM -> HBM";
      const auto found = std::ranges::find_if(sheet.rows, [&](const auto& r) {
        return r[0] == row.phase && r[1] == row.tensor && r[2] == direction;
      });
      REQUIRE(found != sheet.rows.end());
      CHECK((*found)[bytes] == std::to_string(row.bytes));
    }
    const auto total =
        std::ranges::find_if(sheet.rows, [](const auto& r) { return r[0] == "all"; });
    REQUIRE(total != sheet.rows.end());
    CHECK((*total)[bytes] == std::to_string(all));
  };
  rows_with(p.debugger().ledger(), "bytes so far");
  rows_with(count(p.program()).ledger, "bytes in all");
}

// All problems here have one head: what it has read is what has passed.
void check_memory(Person& p) {
  const views::Sheet sheet = sheet_of(p, "Memory hierarchy");
  for (const auto& row : sheet.rows) {
    std::int64_t loaded = 0, stored = 0;
    for (const TrafficRow& t : p.debugger().ledger().traffic()) {
      if (t.tensor == row[0]) (t.direction == Direction::load ? loaded : stored) += t.bytes;
    }
    CAPTURE(row[0]);
    CHECK(row[column(sheet, "loaded bytes")] == std::to_string(loaded));
    CHECK(row[column(sheet, "stored bytes")] == std::to_string(stored));
  }
}

void check_tile_map(Person& p) {
  const views::Sheet sheet = sheet_of(p, "Tile map");
  CHECK(sheet.rows.size() == static_cast<std::size_t>(p.program().tile_map(0, 0).q_tiles() *
                                                      p.program().tile_map(0, 0).kv_tiles()));
  TileCounts classes;
  const std::size_t op = column(sheet, "op"), state = column(sheet, "state");
  for (const auto& row : sheet.rows) {
    const std::string& name = row[column(sheet, "class")];
    ++(name == "full" ? classes.full : name == "partial" ? classes.partial : classes.empty);
    if (row[op].empty()) continue;
    const std::int64_t begin = std::stoll(row[op]);
    CHECK(begin == p.debugger().op_of_tile(std::stoll(row[0]), std::stoll(row[1])));
    if (row[state] == "done") CHECK(begin < p.position());
    if (row[state] == "to come") CHECK(begin >= p.position());
  }
  const TileCounts counted = count(p.program()).tiles;
  CHECK(classes.full == counted.full);
  CHECK(classes.partial == counted.partial);
  CHECK(classes.empty == counted.empty);
}

void check_tile(Person& p, const std::string& name) {
  CAPTURE(name);
  p.focus("Tile");
  p.click("//Tile/" + name);
  const views::Sheet sheet = sheet_of(p, "Tile");
  const int buffer = p.program().algorithm().find(name, false);
  const Tile& tile = p.debugger().session().tile(buffer);
  REQUIRE(!sheet.rows.empty());
  for (std::size_t r = 0; r < sheet.rows.size(); ++r) {
    for (std::size_t c = 1; c < sheet.header.size(); ++c) {
      const float value = tile.at(static_cast<std::int64_t>(r), static_cast<std::int64_t>(c - 1));
      const std::string& text = sheet.rows[r][c];
      CHECK_MESSAGE((std::isnan(value) ? text == "nan" : std::stof(text) == value),
                    fmt::format("{} is shown as {}", value, text));
    }
  }
}

// At the end of a q tile's keys, m + ln l is what is stored as LSE; not where each part of the keys
// has its own, which another phase combines.
void check_softmax(Person& p) {
  if (p.program().algorithm().has_splits()) return;
  const std::int64_t size = p.program().size();
  p.app().go_to(size);
  p.wait_until([&] {
    p.focus("Softmax state");
    const auto sheet = p.app().panels()[3]->sheet(p.app().context());
    return sheet.has_value() && !sheet->rows.empty();
  });
  const views::Sheet sheet = sheet_of(p, "Softmax state");
  const auto& last = sheet.rows.back();
  const std::int64_t row = std::stoll(last[0]);
  const double lse = std::stod(last[column(sheet, "m + ln l")]);
  const Tensor& stored = p.debugger().session().outputs().lse;
  CHECK(lse == doctest::Approx(stored.at(0, 0, row, 0)).epsilon(1e-5));
  CHECK(last[column(sheet, "departs")] == "no");
}

void check_budget(Person& p) {
  const views::Sheet sheet = sheet_of(p, "SRAM budget");
  std::vector<std::string> shared;
  for (const auto& row : sheet.rows) {
    if (row[column(sheet, "tile")] == "all") shared.push_back(row[column(sheet, "bytes")]);
  }
  const Budget needs = budget(p.program().algorithm(), p.program().problem(), p.program().tiling(),
                              p.program().precision(), p.app().context().device, Placement::kernel);
  REQUIRE(shared.size() == needs.phases.size());
  for (std::size_t n = 0; n < shared.size(); ++n) {
    CHECK(shared[n] == std::to_string(needs.phases[n].shared_bytes));
  }
}

}  // namespace

TEST_CASE("numbers: every panel's table holds the session's own values") {
  for (const Arguments& scenario : kScenarios) {
    CAPTURE(fmt::format("{}", scenario.front()));
    TestWindow window({.options = scenario, .width = 1600, .height = 1000});
    window.run([](Person& p) {
      for (int n = 0; n < static_cast<int>(kPanelTitles.size()); ++n) {
        if (!p.app().is_open(n)) p.app().toggle_panel(n);
      }
      p.wait(4);
      const std::int64_t size = p.program().size();
      for (const std::int64_t op : {std::int64_t{0}, size / 3, size / 2 + 1, size}) {
        CAPTURE(op);
        p.app().go_to(op);
        p.wait(2);
        check_traffic(p);
        check_memory(p);
        check_tile_map(p);
      }
      // Behind the last line of a step, all tiles hold something.
      p.app().go_to(p.debugger().op_of_tile(0, 1) - 1);
      p.wait(2);
      for (const char* const name : {"S", "P", "O", "K", "m", "l"}) check_tile(p, name);
      check_budget(p);
      check_softmax(p);
    });
  }
}

TEST_CASE("numbers: what is copied is the table of the panel in front") {
  TestWindow window({.options = kScenarios[0]});
  window.run([](Person& p) {
    p.app().go_to(17);
    for (const std::string panel : {"Tile map", "Softmax state", "Program"}) {
      CAPTURE(panel);
      p.clear_clipboard();
      p.focus(panel);
      p.wait(4);
      const auto sheet =
          p.app().panels()[static_cast<std::size_t>(panel_index(panel))]->sheet(p.app().context());
      p.press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_C);
      p.wait(2);
      CHECK(p.clipboard() == (sheet ? to_csv(*sheet) : ""));
      p.press(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_M);
      p.wait(2);
      CHECK(p.clipboard() == (sheet ? to_markdown(*sheet) : ""));
    }
  });
}

TEST_CASE("numbers: hidden ones are in no table") {
  TestWindow window({.options = kScenarios[0]});
  window.run([](Person& p) {
    p.app().go_to(17);
    for (int n = 0; n < static_cast<int>(kPanelTitles.size()); ++n) {
      if (!p.app().is_open(n)) p.app().toggle_panel(n);
    }
    p.wait(4);
    p.press(ImGuiKey_H);
    REQUIRE(p.app().numbers_hidden());
    p.wait(4);
    for (const std::string panel : {"Traffic", "Tile", "Softmax state", "Compare"}) {
      CAPTURE(panel);
      const auto n = static_cast<std::size_t>(panel_index(panel));
      CHECK_FALSE(p.app().panels()[n]->sheet(p.app().context()).has_value());
    }
  });
}

}  // namespace flashscope::window_tests
