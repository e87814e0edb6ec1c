// Tiles, state and maps of a player at its last position; see player_parts.h. The script shows
// other positions in the same elements.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sim/io/number_text.h"
#include "viz/pages/code_html.h"
#include "viz/pages/player_parts.h"
#include "viz/pages/tile_map_svg.h"
#include "viz/pages/words.h"
#include "viz/views/tile_map_view.h"

namespace flashscope::pages {
namespace {

constexpr std::int64_t kMostMapTiles = 16;  // along a side; of a larger map, a part

const Buffer& buffer_of(const Program& program, int index) {
  return program.algorithm().buffers[static_cast<std::size_t>(index)];
}

std::string table_html(const TileShot& shot) {
  std::string html = "<thead><tr><td></td>";
  for (const std::string& column : shot.columns) {
    html += fmt::format("<th scope=\"col\">{}</th>", column);
  }
  html += "</tr></thead><tbody>";
  for (std::size_t r = 0; r < shot.rows.size(); ++r) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", shot.rows[r]);
    for (std::size_t c = 0; c < shot.columns.size(); ++c) {
      html += fmt::format("<td>{}</td>", shot.cells[r * shot.columns.size() + c]);
    }
    html += "</tr>";
  }
  return html + "</tbody>";
}

std::string tile_html(const Program& program, int index, const TileShot& shot) {
  const Buffer& buffer = buffer_of(program, index);
  const bool blank = shot.cells.empty();
  std::string html = fmt::format(
      "<figure class=\"tile {}{}\" data-b=\"{}\"><figcaption><b>{}</b> <span class=\"holds\">{}"
      "</span> <span class=\"size\">{}</span></figcaption>",
      tensor_class(buffer.name), blank ? " blank" : "", index, escaped(buffer.name),
      blank ? "nothing yet" : escaped(shot.holds),
      escaped(name_of(format_of(buffer.stage, program.precision(), program.tiling()))));
  html += fmt::format(
      "<canvas hidden width=\"0\" height=\"0\" role=\"img\" aria-label=\"Heat map "
      "of {}\"></canvas><p class=\"scale\" hidden></p>",
      escaped(buffer.name));
  html +=
      fmt::format("<div class=\"scroll\"><table><caption>{}</caption>{}</table></div></figure>\n",
                  escaped(buffer.name), table_html(shot));
  return html;
}

}  // namespace

std::map<int, TileShot> final_tiles(const Recording& recording) {
  std::map<int, TileShot> tiles = recording.start;
  for (const RecordedOp& op : recording.ops) {
    for (const auto& [buffer, shot] : op.tiles) tiles[buffer] = shot;
  }
  return tiles;
}

std::string tiles_html(const Recording& recording, const Program& program, int first) {
  const std::map<int, TileShot> tiles = final_tiles(recording);
  std::string html;
  for (const Place place : {Place::shared, Place::registers}) {
    std::vector<int> here;
    std::string vectors;
    for (const int index : recording.buffers) {
      const Buffer& buffer = buffer_of(program, index);
      if (buffer.place != place) continue;
      if (buffer.is_vector()) {
        vectors += (vectors.empty() ? "" : ", ") + buffer.name;
      } else {
        here.push_back(index);
      }
    }
    if (here.empty() && vectors.empty()) continue;
    std::stable_sort(here.begin(), here.end(),
                     [&](int a, int b) { return (a == first) > (b == first); });
    html += fmt::format("<div class=\"level\"><p class=\"level-name\">{}</p>",
                        place == Place::shared ? "SRAM (shared memory)" : "Registers");
    html += "<div class=\"tiles\">";
    for (const int index : here) {
      const auto found = tiles.find(index);
      html += tile_html(program, index, found == tiles.end() ? TileShot{} : found->second);
    }
    html += "</div>";
    if (!vectors.empty()) {
      html += fmt::format("<p class=\"note\">and {}: in the table of the running state</p>",
                          escaped(vectors));
    }
    html += "</div>\n";
  }
  return html;
}

std::string state_html(const Recording& recording, const Program& program) {
  const std::map<int, TileShot> tiles = final_tiles(recording);
  std::vector<int> vectors;
  for (const int index : recording.buffers) {
    if (buffer_of(program, index).is_vector()) vectors.push_back(index);
  }
  if (vectors.empty()) return "";
  std::string html =
      "<div class=\"scroll\"><table class=\"state\"><caption>Entry per query row</caption><thead>"
      "<tr><th scope=\"col\">row</th>";
  std::vector<std::string> rows;  // of all vectors, in their order
  for (const int index : vectors) {
    html += fmt::format("<th scope=\"col\" data-b=\"{}\">{}</th>", index,
                        escaped(buffer_of(program, index).name));
    const auto found = tiles.find(index);
    if (found == tiles.end()) continue;
    for (const std::string& row : found->second.rows) {
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
  }
  html += "</tr></thead><tbody>";
  for (const std::string& row : rows) {
    html += fmt::format("<tr><th scope=\"row\">{}</th>", row);
    for (const int index : vectors) {
      std::string text = "·";
      if (const auto found = tiles.find(index); found != tiles.end()) {
        const TileShot& shot = found->second;
        const auto at = std::find(shot.rows.begin(), shot.rows.end(), row);
        if (at != shot.rows.end()) {
          text = shot.cells[static_cast<std::size_t>(at - shot.rows.begin())];
        }
      }
      html += fmt::format("<td>{}</td>", text);
    }
    html += "</tr>";
  }
  return html + "</tbody></table></div>\n";
}

std::string maps_html(const Recording& recording, const Program& program, const std::string& id) {
  std::string html;
  std::set<int> phases;
  for (const RecordedPlace& place : recording.places) {
    if (place.map >= 0) phases.insert(place.map);
  }
  const RecordedPlace* last = recording.places.empty() ? nullptr : &recording.places.back();
  for (const int phase : phases) {
    const views::TileMapView view(program, phase, recording.batch, recording.head);
    // The part of the map where the recorded steps lie.
    std::int64_t q_low = INT64_MAX, k_low = INT64_MAX;
    for (const RecordedPlace& place : recording.places) {
      if (place.map != phase) continue;
      if (place.q_tile >= 0) q_low = std::min(q_low, place.q_tile);
      if (place.kv_tile >= 0) k_low = std::min(k_low, place.kv_tile);
    }
    const auto window = [](std::int64_t low, std::int64_t size) {
      const std::int64_t shown = std::min(size, kMostMapTiles);
      const std::int64_t begin =
          low == INT64_MAX ? 0 : std::clamp<std::int64_t>(low - shown / 3, 0, size - shown);
      return IndexRange{begin, begin + shown};
    };
    const IndexRange q = window(q_low, view.q_tiles()), k = window(k_low, view.kv_tiles());
    const std::int64_t position = recording.ops.empty() ? 0 : recording.ops.back().op + 1;
    TileMapPicture picture;
    picture.id = fmt::format("{}-map-{}", id, phase);
    picture.first_q_tile = q.begin;
    picture.first_kv_tile = k.begin;
    picture.q_tiles = view.q_tiles();
    picture.kv_tiles = view.kv_tiles();
    for (std::int64_t i = q.begin; i < q.end; ++i) {
      auto& row = picture.cells.emplace_back();
      for (std::int64_t j = k.begin; j < k.end; ++j) {
        const views::TileMapCell cell = view.cell(i, j, position);
        const bool current =
            last != nullptr && last->map == phase && last->q_tile == i && last->kv_tile == j;
        row.push_back({cell.tile_class, cell.op, cell.order,
                       cell.op >= 0 && cell.op < position && !current, current});
      }
    }
    const auto& counts = view.counts();
    picture.title = fmt::format(
        "Score tiles of head {}: {} × {} tiles, {} full, {} partial, {} empty", recording.head,
        view.q_tiles(), view.kv_tiles(), counts[static_cast<std::size_t>(TileClass::full)],
        counts[static_cast<std::size_t>(TileClass::partial)],
        counts[static_cast<std::size_t>(TileClass::empty)]);
    const bool shown = last != nullptr && last->map == phase;
    html += fmt::format("<div class=\"map\" id=\"{}-box\"{}>{}", picture.id, shown ? "" : " hidden",
                        tile_map_svg(picture, true));
    std::string size = fmt::format("rows: q tiles, columns: kv tiles");
    if (q.size() < view.q_tiles() || k.size() < view.kv_tiles()) {
      size += fmt::format("; a part of {} × {} tiles", io::grouped(view.q_tiles()),
                          io::grouped(view.kv_tiles()));
    }
    html += fmt::format("<p class=\"note\">{}</p></div>\n", size);
  }
  return phases.empty() ? html : html + tile_map_legend(true);
}

}  // namespace flashscope::pages
