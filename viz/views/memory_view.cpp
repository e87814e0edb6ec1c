// What lies where; see memory_view.h.
#include "viz/views/memory_view.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/machine/count.h"

namespace flashscope::views {
namespace {

bool contains(const std::vector<int>& buffers, int buffer) {
  return std::find(buffers.begin(), buffers.end(), buffer) != buffers.end();
}

bool writes(const Algorithm& algorithm, std::span<const int> lines, int buffer) {
  return std::any_of(lines.begin(), lines.end(), [&](int line) {
    return contains(effects(algorithm.lines[static_cast<std::size_t>(line)]).writes, buffer);
  });
}

// The segment whose lines last wrote a buffer, as far as its contents belong to the work at hand:
// this segment, the step before it, or what stands before the loop.
std::optional<Segment> last_writer(const Program& program, const Segment& here,
                                   std::int64_t position, int buffer) {
  const Algorithm& algorithm = program.algorithm();
  const Phase& phase = algorithm.phases[static_cast<std::size_t>(here.phase)];
  const auto done = static_cast<std::size_t>(position - here.first_op);
  if (writes(algorithm, here.lines.first(done), buffer)) return here;
  if (here.part == Part::before || phase.grain == Grain::step || here.first_op == 0) {
    return std::nullopt;
  }
  const Segment previous = program.op(here.first_op - 1).segment;
  // Where a work item is a whole head, its q tiles take turns on the chip.
  const bool own = previous.work_item == here.work_item &&
                   (phase.grain != Grain::head || previous.q_tile == here.q_tile);
  if (own && writes(algorithm, previous.lines, buffer)) return previous;
  if (!writes(algorithm, phase.before, buffer)) return std::nullopt;
  Segment before = here;
  (phase.row_axis == RowAxis::kv_tile ? before.q_tile : before.kv_tile) = -1;
  return before;
}

std::string contents(const Buffer& buffer, const Segment& writer) {
  const bool of_keys = buffer.rows == Dim::kv_tile;
  if (of_keys) return fmt::format("kv tile {}", writer.kv_tile);
  if (buffer.rows == Dim::q_row) return fmt::format("row {}", writer.q_row);
  if (buffer.columns != Dim::kv_tile) return fmt::format("q tile {}", writer.q_tile);
  return fmt::format("q {} × kv {}", writer.q_tile, writer.kv_tile);
}

std::string range_text(const char* one, const char* many, IndexRange range) {
  if (range.size() == 1) return fmt::format("{} {}", one, range.begin);
  return fmt::format("{} {}-{}", many, range.begin, range.end - 1);
}

}  // namespace

MemoryView memory_view(const Session& session, const CopyCounter& counter, const Device& device,
                       Placement placement) {
  const Program& program = session.program();
  const Algorithm& algorithm = program.algorithm();
  MemoryView view;
  view.segment = session.segment();
  const auto phase = static_cast<std::size_t>(view.segment.phase);
  view.phase = algorithm.phases[phase].name;

  Effects effect;
  if (!session.at_end()) {
    const int index = session.next_op().line;
    const Line& line = algorithm.lines[static_cast<std::size_t>(index)];
    view.line = line.text;
    effect = effects(line);
    if (effect.hbm_read || effect.hbm_written) {
      Ledger ledger(algorithm);
      add_op(program, view.segment, index, ledger);
      view.copy = {counter.copy_of(view.segment, line), line.result,
                   ledger.all_load_bytes() + ledger.all_store_bytes()};
    }
  }

  const Budget needs = budget(algorithm, program.problem(), program.tiling(), program.precision(),
                              device, placement);
  view.needs = needs.phases[phase];
  view.shared_limit_bytes = needs.shared_limit_bytes;
  view.registers_limit = needs.registers_limit;
  view.reason = needs.reason;
  for (const BudgetItem& item : needs.items) {
    if (item.phase != view.phase) continue;
    ChipTile tile{algorithm.find(item.buffer, false), item, false, false, ""};
    tile.is_read = contains(effect.reads, tile.buffer);
    tile.is_written = contains(effect.writes, tile.buffer);
    if (program.size() > 0) {
      const auto writer = last_writer(program, view.segment, session.position(), tile.buffer);
      const Buffer& buffer = algorithm.buffers[static_cast<std::size_t>(tile.buffer)];
      if (writer) tile.holds = contents(buffer, *writer);
    }
    view.chip.push_back(std::move(tile));
  }
  return view;
}

std::string name_of_tiles(const TileGrid& grid, IndexRange rows, IndexRange columns) {
  if (grid.row_axis == GridAxis::q_tile) {
    if (rows.size() == 1 && columns.size() == 1) {
      return fmt::format("q {} × kv {}", rows.begin, columns.begin);
    }
    return range_text("q tile", "q tiles", rows) + " × " +
           range_text("kv tile", "kv tiles", columns);
  }
  const std::string tiles = grid.column_axis == GridAxis::kv_tile
                                ? range_text("kv tile", "kv tiles", columns)
                                : range_text("q tile", "q tiles", columns);
  return grid.row_axis == GridAxis::split ? range_text("split", "splits", rows) + ", " + tiles
                                          : tiles;
}

std::string rows_text(const TileArea& area) {
  std::string text;
  if (!area.query_rows.empty()) text = range_text("row", "rows", area.query_rows);
  if (!area.keys.empty()) {
    text += (text.empty() ? "" : " × ") + range_text("key", "keys", area.keys);
  }
  return text;
}

Sheet memory_sheet(const Program& program, std::span<const TensorCopies> tensors) {
  Sheet sheet;
  sheet.header = {"tensor in HBM",        "format",       "tiles",
                  "most reads of a tile", "loaded bytes", "most writes of a tile",
                  "stored bytes"};
  for (const TensorCopies& tensor : tensors) {
    const TileGrid& grid = tensor.grid;
    const Buffer& buffer = program.algorithm().buffers[static_cast<std::size_t>(grid.tensor)];
    const auto most = [&](Direction direction) {
      if (grid.rows == 0 || grid.columns == 0) return std::string("0");
      return fmt::format("{:.4g}", binned_times(program, tensor, direction, 1, 1)[0]);
    };
    const Format format = format_of(buffer.stage, program.precision(), program.tiling());
    sheet.rows.push_back({buffer.name, std::string(name_of(format)),
                          fmt::format("{}", grid.rows * grid.columns), most(Direction::load),
                          fmt::format("{}", tensor.loads.bytes), most(Direction::store),
                          fmt::format("{}", tensor.stores.bytes)});
  }
  return sheet;
}

}  // namespace flashscope::views
