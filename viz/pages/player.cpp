// Putting a player together; see player.h.
#include "viz/pages/player.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/io/number_text.h"
#include "viz/pages/player_parts.h"
#include "viz/pages/prose_html.h"
#include "viz/pages/words.h"

namespace flashscope::pages {
namespace {

using Json = nlohmann::ordered_json;

// Cells of a tile are written as one text, with spaces between: none of them has one.
std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

// What differs from the same tile before: v cells, r row names, c column names, h what it holds,
// z its size, x heat map (rows, columns, levels, low, high; 0: none).
Json shot_json(const TileShot& shot, const TileShot& before) {
  Json json = Json::object();
  json["v"] = joined(shot.cells);
  if (shot.rows != before.rows) json["r"] = joined(shot.rows);
  if (shot.columns != before.columns) json["c"] = joined(shot.columns);
  if (shot.holds != before.holds) json["h"] = shot.holds;
  if (shot.size != before.size) json["z"] = shot.size;
  if (shot.heat != before.heat) {
    json["x"] = shot.heat ? Json::array({shot.heat->rows, shot.heat->columns, shot.heat->levels,
                                         shot.heat->low, shot.heat->high})
                          : Json(0);
  }
  return json;
}

struct Button {
  std::string_view go, label, key, path;
};
constexpr Button kButtons[] = {
    {"first", "To the beginning", "Home", "M5 4v12M17 4 8 10l9 6z"},
    {"back", "One op back", "←", "M15 4 6 10l9 6z"},
    {"play", "Play", "Space", "M6 4l10 6-10 6z"},
    {"step", "One op on", "→", "M5 4l9 6-9 6zM16 4v12"},
    {"last", "To the end", "End", "M3 4l9 6-9 6zM13 4v12M16 4v12"},
};

std::string controls_html(const Recording& recording, const std::string& id) {
  std::string html = fmt::format(
      "<div class=\"controls\" role=\"group\" aria-label=\"Player controls\" hidden>\n"
      "<div class=\"brief\" aria-hidden=\"true\"><code></code><span "
      "class=\"position\"></span></div>\n"
      "<label class=\"scrub\" for=\"{}-scrub\"><span class=\"visually-hidden\">Op</span><input "
      "type=\"range\" id=\"{}-scrub\" min=\"0\" max=\"{}\" value=\"{}\" step=\"1\"></label>\n"
      "<div class=\"buttons\">",
      id, id, recording.ops.size(), recording.ops.size());
  for (const Button& button : kButtons) {
    html += fmt::format(
        "<button type=\"button\" data-go=\"{}\" aria-label=\"{}\" title=\"{} ({})\"><svg "
        "viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path d=\"{}\"/></svg></button>\n",
        button.go, button.label, button.label, button.key, button.path);
  }
  html += fmt::format(
      "<label class=\"speed\" for=\"{}-speed\"><span class=\"visually-hidden\">Speed</span><select "
      "id=\"{}-speed\"><option value=\"0.5\">0.5 ops/s</option><option value=\"1\" selected>1 op/s"
      "</option><option value=\"2\">2 ops/s</option><option value=\"5\">5 ops/s</option><option "
      "value=\"15\">15 ops/s</option></select></label></div></div>\n",
      id, id);
  return html;
}

std::string bytes_html(const Recording& recording) {
  const bool none = recording.ops.empty();
  const std::int64_t load = none ? recording.start_load_bytes : recording.ops.back().load_bytes;
  const std::int64_t store = none ? recording.start_store_bytes : recording.ops.back().store_bytes;
  return fmt::format(
      "<div class=\"traffic\"><dl><div><dt>this op</dt><dd class=\"copied\">{} B</dd></div></dl>"
      "<p>so far, all work items:</p><dl><div><dt>HBM → SRAM</dt><dd class=\"loaded\">{} "
      "B</dd></div>"
      "<div><dt>SRAM → HBM</dt><dd class=\"stored\">{} B</dd></div></dl></div>\n",
      io::grouped(none ? 0 : recording.ops.back().copied_bytes), io::grouped(load),
      io::grouped(store));
}

}  // namespace

std::string player_json(const Recording& recording, const Program& program) {
  std::map<int, TileShot> tiles = recording.start;
  const auto wanted = [&](int buffer) {
    return std::find(recording.buffers.begin(), recording.buffers.end(), buffer) !=
           recording.buffers.end();
  };
  Json vectors = Json::array(), start = Json::object(), ops = Json::array();
  for (const int buffer : recording.buffers) {
    if (program.algorithm().buffers[static_cast<std::size_t>(buffer)].is_vector()) {
      vectors.push_back(buffer);
    }
  }
  for (const auto& [buffer, shot] : recording.start) {
    if (wanted(buffer)) start[std::to_string(buffer)] = shot_json(shot, {});
  }
  for (const RecordedOp& op : recording.ops) {
    Json changed = Json::object();
    for (const auto& [buffer, shot] : op.tiles) {
      if (!wanted(buffer)) continue;
      changed[std::to_string(buffer)] = shot_json(shot, tiles[buffer]);
      tiles[buffer] = shot;
    }
    ops.push_back({op.load_bytes, op.store_bytes, op.copied_bytes, changed});
  }
  return Json{{"vectors", vectors},
              {"bytes", {recording.start_load_bytes, recording.start_store_bytes}},
              {"start", start},
              {"ops", ops}}
      .dump();
}

std::string player_html(const Recording& recording, const Program& program,
                        const PlayerOptions& options) {
  const std::string& id = options.id;
  const std::size_t ops = recording.ops.size();
  const auto card = [&](std::string_view name, std::string_view title, const std::string& inside) {
    return fmt::format("<div class=\"card {0}\"><h{1} id=\"{2}-{0}\">{3}</h{1}>\n{4}</div>\n", name,
                       options.heading + 1, id, title, inside);
  };
  std::string html = fmt::format(
      "<section class=\"player\" id=\"{0}\" aria-labelledby=\"{0}-title\" tabindex=\"-1\">\n"
      "<h{1} class=\"player-title\" id=\"{0}-title\">{2}</h{1}>\n",
      id, options.heading, title_html(options.title));
  html += options.below_title + "<div class=\"panels\">\n";
  if (ops > 0) {
    const RecordedOp& op = recording.ops.back();
    html += fmt::format(
        "<div class=\"card now\"><p class=\"where\">{}</p><div class=\"op\">{}</div>{}</div>\n",
        escaped(recording.places[op.place].text), op_html(op, program), bytes_html(recording));
  }
  html += card("chip", "On chip", tiles_html(recording, program, options.first_tile));
  if (const std::string state = state_html(recording, program); !state.empty()) {
    html += card("softmax", "Running state", state + "<div class=\"truth-so-far\"></div>");
  }
  if (const std::string maps = maps_html(recording, program, id); !maps.empty()) {
    html += card("tilemap", "Tile map", maps);
  }
  html += card("table", "The algorithm", program_html(recording, program, options));
  html += "</div>\n";
  html += controls_html(recording, id);
  html +=
      fmt::format("<details class=\"log\" open><summary>{} {} in words</summary>\n{}</details>\n",
                  ops, ops == 1 ? "op" : "ops", log_html(recording, program, id));
  html += "<p class=\"visually-hidden said\" aria-live=\"polite\"></p>\n";
  html += fmt::format("<script type=\"application/json\">{}</script>\n</section>\n",
                      escaped_json(player_json(recording, program)));
  return html;
}

}  // namespace flashscope::pages
