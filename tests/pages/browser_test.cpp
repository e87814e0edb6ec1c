// Pages in a real browser, without a person: a script of ours (browser_driver.js) clicks through
// every player and every quiz, at the width of a phone and of a screen, in both themes, and holds
// what is shown against what was recorded. Built where a Chromium is found.
#ifdef FLASHSCOPE_CHROMIUM

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lessons/engine/stage.h"
#include "sim/io/number_text.h"
#include "tests/pages/sample_pages.h"
#include "viz/pages/lesson_blocks.h"
#include "viz/pages/page.h"
#include "viz/pages/recording.h"
#include "viz/views/tile_map_view.h"

using namespace flashscope;
using Json = nlohmann::json;
using pages::Recording;
using pages::TileShot;

namespace {

struct Look {
  int width = 0, height = 0;
  bool dark = false;
};
constexpr Look kLooks[] = {
    {360, 740, false}, {360, 740, true}, {1440, 900, false}, {1440, 900, true}};

std::string grid(const TileShot& shot) {
  std::string text;
  for (std::size_t r = 0; r < shot.rows.size(); ++r) {
    text += (r == 0 ? "" : " | ") + shot.rows[r];
    for (std::size_t c = 0; c < shot.columns.size(); ++c) {
      text += " " + shot.cells[r * shot.columns.size() + c];
    }
  }
  return text;
}

// The entries of all vectors, row by row.
std::string state(const std::map<int, TileShot>& tiles, const std::vector<int>& vectors) {
  std::vector<std::string> rows;
  for (const int buffer : vectors) {
    for (const std::string& row : tiles.at(buffer).rows) {
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
  }
  std::string text;
  for (const std::string& row : rows) {
    text += (text.empty() ? "" : " | ") + row;
    for (const int buffer : vectors) {
      const TileShot& shot = tiles.at(buffer);
      const auto at = std::find(shot.rows.begin(), shot.rows.end(), row);
      text += " " + (at == shot.rows.end()
                         ? "·"
                         : shot.cells[static_cast<std::size_t>(at - shot.rows.begin())]);
    }
  }
  return text;
}

// What a player has to show behind every op, worked out from the recording and the tile map.
Json expected_player(const Recording& recording, const Program& program) {
  const Algorithm& algorithm = program.algorithm();
  std::vector<int> vectors;
  for (const int buffer : recording.buffers) {
    if (algorithm.buffers[static_cast<std::size_t>(buffer)].is_vector()) vectors.push_back(buffer);
  }
  std::map<int, TileShot> tiles = recording.start;
  Json ops = Json::array();
  for (const pages::RecordedOp& op : recording.ops) {
    const pages::RecordedPlace& place = recording.places[op.place];
    for (const auto& [buffer, shot] : op.tiles) tiles[buffer] = shot;
    Json shown = Json::object(), changes = Json::array();
    for (const int buffer : recording.buffers) {
      if (algorithm.buffers[static_cast<std::size_t>(buffer)].is_vector()) continue;
      shown[std::to_string(buffer)] = grid(tiles.at(buffer));
    }
    for (const views::Change& change : op.changes) {
      changes.push_back(change.target + (change.formula.empty() ? "" : "=" + change.formula) + "=" +
                        change.value);
    }
    std::string truth;
    for (const pages::TruthRow& row : op.truth) {
      truth += row.row + row.name + row.here + row.truth + row.off + (row.agrees ? "" : "✗wrong");
    }
    const bool step = place.q_tile >= 0 && place.kv_tile >= 0;
    const Line& line = algorithm.lines[static_cast<std::size_t>(op.line)];
    ops.push_back({{"op", op.op},
                   {"line", line.text},
                   {"source_line", line.source_line},
                   {"place", place.text},
                   {"loaded", io::grouped(op.load_bytes) + " B"},
                   {"stored", io::grouped(op.store_bytes) + " B"},
                   {"changes", changes},
                   {"tiles", shown},
                   {"state", state(tiles, vectors)},
                   {"truth", truth},
                   {"current_tile", step ? fmt::format("{},{}", place.q_tile, place.kv_tile) : ""},
                   {"done_tiles", -1}});
    if (place.map < 0) {
      ops.back()["done_tiles"] = 0;
      continue;
    }
    // Small maps are drawn whole: their tiles can be counted here.
    const views::TileMapView view(program, place.map, recording.batch, recording.head);
    std::int64_t done = 0;
    for (std::int64_t i = 0; i < view.q_tiles(); ++i) {
      for (std::int64_t j = 0; j < view.kv_tiles(); ++j) {
        const std::int64_t first = view.cell(i, j, 0).op;
        const bool current = step && i == place.q_tile && j == place.kv_tile;
        if (first >= 0 && first <= op.op && !current) ++done;
      }
    }
    ops.back()["done_tiles"] = done;
  }
  return {{"ops", ops}};
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "flashscope-pages-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Errors of the page's own scripts; and what it shows before they run.
constexpr const char* kWatch = R"(<script>
window.pageErrors = [];
addEventListener('error', (event) => pageErrors.push(event.message));
addEventListener('securitypolicyviolation', (event) => pageErrors.push('policy: ' + event.violatedDirective));
console.error = console.warn = (...words) => pageErrors.push(words.join(' '));
</script>
)";
constexpr const char* kBefore = R"(<script>
window.before = [...document.querySelectorAll('.player')].map((root) => {
  const text = (node) => node ? node.textContent.replace(/\s+/g, '') : '(missing)';
  const tiles = {};
  for (const figure of root.querySelectorAll('.tile')) {
    tiles[figure.dataset.b] = [...figure.querySelectorAll('tbody tr')].map((row) =>
      [...row.children].map((cell) => cell.textContent).join(' ')).join(' | ');
  }
  const map = root.querySelector('.tilemap');
  return { tiles, state: text(root.querySelector('.state')),
    line: text(root.querySelector('.code .current')), map: map ? map.innerHTML : '' };
});
</script>
)";

std::string driver() {
  std::ifstream file(FLASHSCOPE_SOURCE_DIR "/tests/pages/browser_driver.js");
  std::stringstream text;
  text << file.rdbuf();
  REQUIRE(text.str().size() > 1000);
  return text.str();
}

Json look_at(const std::filesystem::path& folder, const Look& look, int profile) {
  // A frame has the width of a phone; a window of Chromium can't be that narrow.
  write(
      folder / "frame.html",
      fmt::format("<body style=\"margin:0\"><iframe src=\"page.html\" style=\"border:0;width:{}px;"
                  "height:{}px\"></iframe><pre id=\"verdict\"></pre><script>"
                  "addEventListener('message', (event) => {{"
                  "document.getElementById('verdict').textContent = event.data;}});</script>",
                  look.width, look.height));
  const std::string command = fmt::format(
      "'{}' --headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run "
      "--user-data-dir='{}' --window-size=1600,1000 --blink-settings=preferredColorScheme={} "
      "--virtual-time-budget=300000 --dump-dom 'file://{}' 2>'{}'",
      FLASHSCOPE_CHROMIUM, (folder / fmt::format("profile_{}", profile)).string(),
      look.dark ? 0 : 1, (folder / "frame.html").string(), (folder / "browser.log").string());
  std::FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string dom;
  std::array<char, 4096> buffer;
  for (std::size_t size; (size = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    dom.append(buffer.data(), size);
  }
  REQUIRE(pclose(pipe) == 0);
  const std::string begin = "<pre id=\"verdict\">";
  const std::size_t at = dom.find(begin), end = dom.find("</pre>", at);
  REQUIRE(at != std::string::npos);
  std::string verdict = dom.substr(at + begin.size(), end - at - begin.size());
  for (const auto& [entity, text] :
       {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&amp;", "&"}}) {
    for (std::size_t n; (n = verdict.find(entity)) != std::string::npos;) {
      verdict.replace(n, std::string(entity).size(), text);
    }
  }
  CAPTURE(dom.substr(0, 500));
  REQUIRE(!verdict.empty());
  return Json::parse(verdict);
}

// A copy of the page with the driver in it.
std::string driven(std::string html, const Json& expected) {
  const std::size_t head = html.find("<title>"), script = html.rfind("<script>");
  REQUIRE(head != std::string::npos);
  REQUIRE(script != std::string::npos);
  // The page's own script comes last in its body: what it shows before is kept in front of that.
  html.insert(script, kBefore);
  html.insert(head, kWatch);
  std::string data = expected.dump();
  for (std::size_t at = 0; (at = data.find('<', at)) != std::string::npos; at += 6) {
    data.replace(at, 1, "\\u003c");
  }
  html.insert(html.rfind("</body>"),
              "<script>const expected = " + data + ";\n" + driver() + "</script>\n");
  return html;
}

void check_verdict(const Json& verdict) {
  for (const Json& error : verdict["errors"]) FAIL_CHECK(error.get<std::string>());
  for (const Json& failure : verdict["failures"]) FAIL_CHECK(failure.get<std::string>());
  CHECK(verdict["checks"].get<int>() >= 200);
}

}  // namespace

TEST_CASE("walks play in a browser as they were recorded") {
  for (const SampleWalk& walk : sample_walks()) {
    if (walk.name == "wide") continue;  // its map is drawn in part
    CAPTURE(walk.name);
    const Recording recording = pages::record(walk.scenario, walk.program(), walk.options);
    const Json expected = {{"players", {expected_player(recording, walk.program())}}};
    const TemporaryFolder folder;
    write(folder.path() / "page.html", driven(page_of(walk), expected));
    for (const Look& look : kLooks) {
      // The theme changes colours only: for most walks, one for each width will do.
      if (walk.name != "pencil" && look.dark != (look.width > 1000)) continue;
      CAPTURE(look.width);
      CAPTURE(look.dark);
      check_verdict(look_at(folder.path(), look, 0));
    }
  }
}

TEST_CASE("a lesson plays in a browser, with its quizzes") {
  const lessons::Lesson lesson = sample_lesson();
  lessons::Stage stage(lesson);
  Json players = Json::array();
  for (std::size_t n = 0; n < lesson.blocks.size(); ++n) {
    stage.enter(n);
    const auto* stop = std::get_if<lessons::StopBlock>(&lesson.blocks[n]);
    if (stop == nullptr || stage.debugger().session().position() == 0) continue;
    const Program& program = stage.debugger().program();
    players.push_back(expected_player(
        pages::record(stage.scenario(), program, pages::stop_window(*stop, stage)), program));
  }
  REQUIRE(players.size() == 2);
  const TemporaryFolder folder;
  Json expected = {{"players", players}, {"again", false}};
  write(folder.path() / "page.html", driven(pages::lesson_page(lesson), expected));
  int profile = 0;  // a reader of their own for each look
  for (const Look& look : kLooks) {
    CAPTURE(look.width);
    CAPTURE(look.dark);
    check_verdict(look_at(folder.path(), look, ++profile));
  }
  // The last of them comes back.
  expected["again"] = true;
  write(folder.path() / "page.html", driven(pages::lesson_page(lesson), expected));
  check_verdict(look_at(folder.path(), kLooks[0], profile));
  // Somebody else has the answers shown.
  expected["again"] = false;
  expected["gives_up"] = true;
  write(folder.path() / "page.html", driven(pages::lesson_page(lesson), expected));
  check_verdict(look_at(folder.path(), kLooks[0], ++profile));
}

#endif  // FLASHSCOPE_CHROMIUM
