// Copies between HBM and tiles; see memory.h.
#include "sim/machine/memory.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/machine/cost.h"
#include "sim/machine/numerics.h"

namespace flashscope {
namespace {

constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();
// Larger tiles could never be meant; the limit keeps a mistyped size from exhausting the machine.
constexpr std::int64_t kLargestTileElements = std::int64_t{1} << 30;

// Rows and columns of a tile: never more than the problem has, so that a query of one row is not
// computed 128 times. The size is that of the whole problem, not of a slice: bits do not depend on
// which part of a problem is run.
std::int64_t size_of(Dim dim, const Program& program) {
  const Problem& problem = program.problem();
  const Tiling& tiling = program.tiling();
  std::int64_t size = 1;
  switch (dim) {
    case Dim::one:
    case Dim::q_row:
    case Dim::q_len:
      break;
    case Dim::q_tile:
      size = std::min(tiling.q_tile_rows, problem.q_len * program.group());
      break;
    case Dim::kv_tile:
      // Where the tail is not masked, its zeros count: the tile keeps its whole size.
      size = program.algorithm().behaviour.masks_tail
                 ? std::min(tiling.kv_tile_rows, problem.kv_len)
                 : tiling.kv_tile_rows;
      break;
    case Dim::head_dim:
      size = problem.head_dim;
      break;
    case Dim::splits:
      size = tiling.splits;
      break;
    case Dim::kv_len:
      return problem.kv_len;
  }
  return std::max<std::int64_t>(size, 1);
}

// Tiles that lines only load or multiply keep HBM's row order.
bool is_only_loaded(const Algorithm& algorithm, int buffer) {
  return std::none_of(algorithm.lines.begin(), algorithm.lines.end(), [&](const Line& line) {
    if (line.kind == LineKind::load) return false;
    if (line.kind == LineKind::product || line.kind == LineKind::accumulate) {
      return line.result == buffer;
    }
    return line.result == buffer ||
           std::find(line.operands.begin(), line.operands.end(), buffer) != line.operands.end();
  });
}

float in_form(LseForm form, float lse) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (form == LseForm::base_2) return lse * std::numbers::log2e_v<float>;
  return form == LseForm::infinite_when_empty && lse == -kInfinity ? kInfinity : lse;
}

bool all_finite(std::span<const float> values) {
  // x - x is 0 for finite x and NaN otherwise; the sum vectorises where isfinite() would not.
  float sum = 0;
  for (const float x : values) sum += x - x;
  return sum == 0;
}

}  // namespace

Outputs make_outputs(const Problem& problem, const Precision& precision) {
  const Shape shape{problem.batch, problem.q_heads, problem.q_len, problem.head_dim};
  return {Tensor(precision.output, shape), Tensor(Format::fp32, {shape[0], shape[1], shape[2], 1})};
}

Memory::Memory(const Program& program, const Inputs& inputs, Outputs& outputs)
    : program_(program), inputs_(inputs), outputs_(outputs) {
  const Algorithm& algorithm = program.algorithm();
  tiles_.resize(algorithm.buffers.size());
  roles_.resize(algorithm.buffers.size());
  workspaces_.resize(algorithm.buffers.size());
  for (std::size_t n = 0; n < tiles_.size(); ++n) {
    const Buffer& buffer = algorithm.buffers[n];
    if (buffer.place == Place::hbm) {
      roles_[n] = role_of(buffer);
      continue;
    }
    const std::int64_t rows = size_of(buffer.rows, program);
    const std::int64_t columns = size_of(buffer.columns, program);
    if (columns > 0 && rows > kLargestTileElements / columns) {
      throw Error(
          fmt::format("tile {} of {} x {} elements is too large to simulate: make the tiles "
                      "smaller",
                      buffer.name, rows, columns));
    }
    tiles_[n].row_major = is_only_loaded(algorithm, static_cast<int>(n));
    tiles_[n].resize(rows, columns);
  }
}

Memory::Role Memory::role_of(const Buffer& tensor) const {
  const bool matrix = tensor.columns == Dim::head_dim && !tensor.per_split;
  const bool of_queries = tensor.rows == Dim::q_len;
  if (tensor.name == "Q" && matrix && of_queries) return Role::q;
  if (tensor.name == "K" && matrix && !of_queries) return Role::k;
  if (tensor.name == "V" && matrix && !of_queries) return Role::v;
  if (tensor.name == "O" && matrix && of_queries) return Role::o;
  if (tensor.name == "LSE" && tensor.is_vector() && of_queries && !tensor.per_split) {
    return Role::lse;
  }
  if (!of_queries) {
    throw Error(fmt::format("{}: workspace {} has key rows: workspaces hold query rows",
                            program_.algorithm().origin, tensor.name));
  }
  return Role::workspace;
}

std::int64_t Memory::columns_of(const Buffer& tensor) const {
  return size_of(tensor.columns, program_);
}

Memory::Snapshot Memory::save() const { return {tiles_, workspaces_, rows_}; }

void Memory::restore(const Snapshot& snapshot) {
  tiles_ = snapshot.tiles;
  workspaces_ = snapshot.workspaces;
  rows_ = snapshot.rows;
}

void Memory::begin(IndexRange rows) {
  rows_ = rows;
  const Algorithm& algorithm = program_.algorithm();
  for (std::size_t n = 0; n < tiles_.size(); ++n) {
    const Buffer& buffer = algorithm.buffers[n];
    if (buffer.place != Place::hbm) {
      tiles_[n].values.setConstant(kPoison);
    } else if (roles_[n] == Role::workspace) {
      Workspace& space = workspaces_[n];
      space.columns = columns_of(buffer);
      space.splits = buffer.per_split ? program_.tiling().splits : 1;
      space.values.assign(static_cast<std::size_t>(space.splits * rows.size() * space.columns),
                          kPoison);
    }
  }
}

float* Memory::workspace_row(int tensor, std::int64_t split, std::int64_t row) {
  return const_cast<float*>(std::as_const(*this).workspace_row(tensor, split, row));
}

const float* Memory::workspace_row(int tensor, std::int64_t split, std::int64_t row) const {
  const Workspace& space = workspaces_[static_cast<std::size_t>(tensor)];
  assert(rows_.contains(row));
  const std::int64_t index = std::max<std::int64_t>(split, 0) * rows_.size() + row - rows_.begin;
  return space.values.data() + index * space.columns;
}

void Memory::load_row(int tensor, const Segment& segment, std::int64_t row, IndexRange columns,
                      std::span<float> values) const {
  const Buffer& buffer = program_.algorithm().buffers[static_cast<std::size_t>(tensor)];
  const Role role = roles_[static_cast<std::size_t>(tensor)];
  const HeadRow at = place_of(role, segment, row);
  switch (role) {
    case Role::q:
      inputs_.q.read_row(segment.batch, at.head, at.row, values);
      break;
    case Role::k:
      inputs_.k.read_row(segment.batch, at.head, at.row, values);
      break;
    case Role::v:
      inputs_.v.read_row(segment.batch, at.head, at.row, values);
      break;
    case Role::o:
      outputs_.o.read_row(segment.batch, at.head, at.row, values);
      return;
    case Role::lse:
      outputs_.lse.read_row(segment.batch, at.head, at.row, values);
      return;
    case Role::workspace: {
      const float* source =
          workspace_row(tensor, buffer.per_split ? segment.split : 0, row) + columns.begin;
      std::copy_n(source, values.size(), values.begin());
      return;
    }
  }
  // Files may hold more digits than the tensor of the simulated machine would.
  round_in_place(format_of(buffer.stage, program_.precision(), program_.tiling()), values);
}

void Memory::store_row(int tensor, const Segment& segment, std::int64_t row, IndexRange columns,
                       std::span<float> values) {
  const Buffer& buffer = program_.algorithm().buffers[static_cast<std::size_t>(tensor)];
  const Role role = roles_[static_cast<std::size_t>(tensor)];
  const HeadRow at = place_of(role, segment, row);
  switch (role) {
    case Role::o:
      outputs_.o.write_row(segment.batch, at.head, at.row, values);
      return;
    case Role::lse:
      values[0] = in_form(program_.algorithm().behaviour.lse, values[0]);
      outputs_.lse.write_row(segment.batch, at.head, at.row, values);
      return;
    case Role::workspace:
      round_in_place(format_of(buffer.stage, program_.precision(), program_.tiling()), values);
      std::copy(values.begin(), values.end(),
                workspace_row(tensor, buffer.per_split ? segment.split : 0, row) + columns.begin);
      return;
    case Role::q:
    case Role::k:
    case Role::v:
      throw Error(fmt::format("{}: `store` to the input {}: inputs are read only",
                              program_.algorithm().origin, buffer.name));
  }
}

// A tile with a column per split gathers one value of each split's vector.
void Memory::load_all_splits(const Line& line, const Segment& segment) {
  Tile& tile = tiles_[static_cast<std::size_t>(line.result)];
  const IndexRange rows = program_.q_rows(segment);
  tile.values.setZero();
  for (std::int64_t split = 0; split < tile.columns; ++split) {
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      tile.at(row - rows.begin, split) = *workspace_row(line.hbm, split, row);
    }
  }
}

void Memory::copy(const Line& line, const Segment& segment, Ledger* ledger) {
  const Algorithm& algorithm = program_.algorithm();
  const Buffer& buffer = algorithm.buffers[static_cast<std::size_t>(line.result)];
  const Buffer& tensor = algorithm.buffers[static_cast<std::size_t>(line.hbm)];
  const bool of_keys = buffer.rows == Dim::kv_tile;
  const IndexRange rows = of_keys ? program_.kv_rows(segment) : program_.q_rows(segment);
  const IndexRange columns = buffer.columns == Dim::kv_tile
                                 ? program_.kv_rows(segment)
                                 : IndexRange{0, size_of(buffer.columns, program_)};
  if (ledger != nullptr) {
    const Format format = format_of(tensor.stage, program_.precision(), program_.tiling());
    ledger->add_copy(segment.phase, line.hbm,
                     line.kind == LineKind::load ? Direction::load : Direction::store,
                     rows.size() * columns.size() * bytes_per_element(format));
  }
  if (line.kind == LineKind::load && buffer.columns == Dim::splits) {
    load_all_splits(line, segment);
    return;
  }
  Tile& tile = tiles_[static_cast<std::size_t>(line.result)];
  const auto width = static_cast<std::size_t>(columns.size());
  row_buffer_.resize(width);
  if (line.kind == LineKind::load) {
    const bool is_full = rows.size() == tile.rows && columns.size() == tile.columns;
    if (!is_full) tile.values.setZero();
    tile.has_non_finite = false;
    for (std::int64_t r = 0; r < rows.size(); ++r) {
      // A row-major tile takes the row where it is; else it is spread over the columns.
      const std::span<float> values =
          tile.row_major ? std::span<float>(tile.values.col(r).data(), width) : row_buffer_;
      load_row(line.hbm, segment, rows.begin + r, columns, values);
      if (of_keys && !all_finite(values)) tile.has_non_finite = true;
      if (tile.row_major) continue;
      for (std::size_t c = 0; c < width; ++c) {
        tile.values(r, static_cast<Eigen::Index>(c)) = values[c];
      }
    }
    return;
  }
  for (std::int64_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < width; ++c) {
      row_buffer_[c] = tile.at(r, static_cast<std::int64_t>(c));
    }
    store_row(line.hbm, segment, rows.begin + r, columns, row_buffer_);
  }
}

}  // namespace flashscope
