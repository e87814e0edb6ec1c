// State of a session for expressions; see session_view.h.
#include "sim/debugger/session_view.h"

#include <fmt/format.h>

#include "sim/error.h"

namespace flashscope {
namespace {

// The tiles of the vocabulary are the on-chip buffers in the order of the table.
int on_chip_buffer(const Algorithm& algorithm, int index) {
  for (std::size_t n = 0; n < algorithm.buffers.size(); ++n) {
    if (algorithm.buffers[n].place != Place::hbm && index-- == 0) return static_cast<int>(n);
  }
  return -1;
}

}  // namespace

expression::StateVocabulary session_vocabulary(const Program& program) {
  expression::StateVocabulary vocabulary;
  vocabulary.scalars = {"i",    "j",     "op",       "work_item",  "tile_class", "batch",
                        "head", "split", "rescales", "load_bytes", "store_bytes"};
  for (const Buffer& buffer : program.algorithm().buffers) {
    if (buffer.place != Place::hbm) vocabulary.tiles.push_back(buffer.name);
  }
  vocabulary.words = {{"empty", 0}, {"partial", 1}, {"full", 2}};
  return vocabulary;
}

Dependencies dependencies(const expression::StateExpression& expression, const Program& program) {
  Dependencies result;
  for (const int tile : expression.tiles_used()) {
    result.buffers.push_back(on_chip_buffer(program.algorithm(), tile));
  }
  for (const int scalar : expression.scalars_used()) {
    const auto name = static_cast<SessionScalar>(scalar);
    result.every_op = result.every_op || name == SessionScalar::op ||
                      name == SessionScalar::rescales || name == SessionScalar::load_bytes ||
                      name == SessionScalar::store_bytes;
  }
  // A constant has nothing to wait for.
  const bool constant = expression.tiles_used().empty() && expression.scalars_used().empty();
  result.every_op = result.every_op || constant;
  return result;
}

SessionView::SessionView(const Session& session, LedgerSource ledger)
    : session_(session), ledger_(std::move(ledger)) {}

double SessionView::scalar(int index) const {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const Segment& segment = session_.segment();
  switch (static_cast<SessionScalar>(index)) {
    case SessionScalar::i:
      return number(segment.q_tile);
    case SessionScalar::j:
      return number(segment.kv_tile);
    case SessionScalar::op:
      return number(session_.position());
    case SessionScalar::work_item:
      return number(segment.work_item);
    case SessionScalar::tile_class:
      return segment.part == Part::step ? static_cast<double>(segment.kind.tile_class) : -1;
    case SessionScalar::batch:
      return number(segment.batch);
    case SessionScalar::head:
      return number(segment.head);
    case SessionScalar::split:
      return number(segment.split);
    case SessionScalar::rescales:
      return number(ledger_().work().rescales);
    case SessionScalar::load_bytes:
      return number(ledger_().all_load_bytes());
    case SessionScalar::store_bytes:
      break;
  }
  return number(ledger_().all_store_bytes());
}

// In-bounds rows and columns only: what lies past an end is no part of the problem.
expression::TileRef SessionView::tile(int index) const {
  const Program& program = session_.program();
  const int buffer = on_chip_buffer(program.algorithm(), index);
  const Buffer& b = program.algorithm().buffers[static_cast<std::size_t>(buffer)];
  const Tile& tile = session_.tile(buffer);
  const Segment& segment = session_.segment();
  const auto in_bounds = [&](Dim dim, std::int64_t all) {
    if (dim == Dim::q_tile) return program.q_rows(segment).size();
    if (dim == Dim::kv_tile) return program.kv_rows(segment).size();
    return all;
  };
  expression::TileRef ref;
  ref.data = tile.values.data();
  ref.rows = std::min(tile.rows, in_bounds(b.rows, tile.rows));
  ref.columns = std::min(tile.columns, in_bounds(b.columns, tile.columns));
  ref.row_stride = tile.row_major ? tile.columns : 1;
  ref.column_stride = tile.row_major ? 1 : tile.rows;
  ref.is_vector = b.is_vector();
  return ref;
}

std::optional<std::int64_t> SessionView::local_row(int index, std::int64_t global_row) const {
  const Program& program = session_.program();
  const int buffer = on_chip_buffer(program.algorithm(), index);
  const Buffer& b = program.algorithm().buffers[static_cast<std::size_t>(buffer)];
  const bool of_keys = b.rows == Dim::kv_tile;
  const std::int64_t all =
      of_keys ? program.problem().kv_len : program.problem().q_len * program.group();
  if (global_row < 0 || global_row >= all) {
    throw Error(fmt::format("row({}) of {}: there are rows 0 to {}", global_row, b.name, all - 1));
  }
  const IndexRange held =
      of_keys ? program.kv_rows(session_.segment()) : program.q_rows(session_.segment());
  if (!held.contains(global_row)) return std::nullopt;
  return global_row - held.begin;
}

}  // namespace flashscope
