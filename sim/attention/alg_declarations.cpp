// Declarations of .alg tables; see alg_declarations.h.
#include "sim/attention/alg_declarations.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

#include <fmt/format.h>

#include "sim/expression/nearest_name.h"

namespace flashscope {
namespace {

Dim dim(const TableReader& reader, std::size_t token) {
  static const std::vector<std::string> kNames = {"q_row",  "q_tile", "kv_tile", "head_dim",
                                                  "splits", "q_len",  "kv_len"};
  const std::string& word = reader.word(token);
  for (const Dim d : {Dim::q_row, Dim::q_tile, Dim::kv_tile, Dim::head_dim, Dim::splits, Dim::q_len,
                      Dim::kv_len}) {
    if (name_of(d) == word) return d;
  }
  reader.fail(fmt::format("unknown dimension '{}': {}", word, nearest_name(word, kNames)), token);
}

Stage stage(const TableReader& reader, std::size_t token) {
  static const std::vector<std::string> kNames = {
      "input", "score", "probability", "accumulator", "output", "workspace", "fp32"};
  if (token >= reader.tokens().size()) {
    reader.fail(fmt::format("a declaration ends with a format: {}", fmt::join(kNames, ", ")),
                token);
  }
  const std::string& word = reader.word(token);
  for (const Stage s : {Stage::input, Stage::score, Stage::probability, Stage::accumulator,
                        Stage::output, Stage::workspace, Stage::fp32}) {
    if (name_of(s) == word) return s;
  }
  reader.fail(fmt::format("unknown format '{}': {}", word, nearest_name(word, kNames)), token);
}

void set_shape(const TableReader& reader, Buffer& buffer, std::vector<Dim> dims) {
  const bool hbm = buffer.place == Place::hbm;
  if (hbm && dims.front() == Dim::splits) {
    buffer.per_split = true;
    dims.erase(dims.begin());
  }
  if (dims.empty() || dims.size() > 2) reader.fail("a tile has one or two dimensions");
  buffer.rows = dims[0];
  buffer.columns = dims.size() == 2 ? dims[1] : Dim::one;
  const bool rows_ok =
      hbm ? buffer.rows == Dim::q_len || buffer.rows == Dim::kv_len
          : buffer.rows == Dim::q_tile || buffer.rows == Dim::kv_tile || buffer.rows == Dim::q_row;
  if (!rows_ok) {
    reader.fail(hbm ? "rows of a tensor in HBM are q_len or kv_len"
                    : "rows of a tile on chip are q_tile, kv_tile or q_row");
  }
  const auto columns_are = [&](std::initializer_list<Dim> allowed) {
    return std::find(allowed.begin(), allowed.end(), buffer.columns) != allowed.end();
  };
  if (hbm ? !columns_are({Dim::one, Dim::head_dim, Dim::kv_len})
          : columns_are({Dim::q_row, Dim::q_len})) {
    reader.fail(hbm ? "columns of a tensor in HBM are head_dim or kv_len"
                    : "columns of a tile on chip are head_dim, kv_tile, kv_len, splits or q_tile");
  }
}

}  // namespace

// PLACE NAME, NAME, ... DIM [x DIM [x DIM]] FORMAT [N stages]
void parse_declaration(TableReader& reader, Algorithm& algorithm) {
  Buffer buffer;
  const std::string& place = reader.word(0);
  buffer.place = place == "hbm" ? Place::hbm : place == "shared" ? Place::shared : Place::registers;
  std::size_t n = 1;
  std::vector<std::string> names;
  while (true) {
    if (n >= reader.tokens().size() || reader.tokens()[n].kind != TokenKind::name) {
      reader.fail("write `hbm|shared|registers NAME, … ROWS [x COLUMNS] FORMAT`", n);
    }
    if (algorithm.find(reader.word(n), buffer.place == Place::hbm) >= 0 ||
        std::find(names.begin(), names.end(), reader.word(n)) != names.end()) {
      reader.fail(fmt::format("'{}' is declared twice", reader.word(n)), n);
    }
    names.push_back(reader.word(n++));
    if (n >= reader.tokens().size() || reader.word(n) != ",") break;
    ++n;
  }
  std::vector<Dim> dims;
  do {
    if (!dims.empty()) ++n;
    if (n >= reader.tokens().size())
      reader.fail("a declaration needs a shape, such as `q_tile x head_dim`", n);
    dims.push_back(dim(reader, n++));
  } while (n < reader.tokens().size() && reader.word(n) == "x");
  set_shape(reader, buffer, dims);
  buffer.stage = stage(reader, n++);
  if (n < reader.tokens().size()) {
    if (n + 2 != reader.tokens().size() || reader.word(n + 1) != "stages") {
      reader.fail("after the format only `N stages` may follow", n);
    }
    buffer.stages = std::atoll(reader.word(n).c_str());
    if (buffer.stages < 1 || buffer.stages > 16) reader.fail("stages must be 1 to 16", n);
  }
  for (const std::string& name : names) {
    buffer.name = name;
    algorithm.buffers.push_back(buffer);
  }
  reader.advance();
}

void parse_estimate(TableReader& reader, Algorithm& algorithm) {
  // O is a tile of query rows; what stands beside it are vectors with an entry for each of them.
  const auto operand = [&](std::size_t token, bool vector) {
    const int index = reader.has_token(token) ? algorithm.find(reader.word(token), false) : -1;
    if (index >= 0) {
      const Buffer& buffer = algorithm.buffers[static_cast<std::size_t>(index)];
      if (buffer.rows == Dim::q_tile && buffer.columns == (vector ? Dim::one : Dim::head_dim)) {
        return index;
      }
    }
    reader.fail(
        "write `estimate O / l, m + ln l` or `estimate O, m + ln l`, O a q_tile x head_dim "
        "tile, m and l vectors of q_tile",
        token);
  };
  Estimate estimate;
  std::size_t n = 1;
  estimate.o = operand(n++, false);
  if (reader.has_token(n) && reader.word(n) == "/") {
    estimate.o_divisor = operand(n + 1, true);
    n += 2;
  }
  reader.expect(n, ",");
  estimate.m = operand(n + 1, true);
  reader.expect(n + 2, "+");
  reader.expect(n + 3, "ln");
  estimate.l = operand(n + 4, true);
  reader.expect_end(n + 5);
  algorithm.estimate = estimate;
  reader.advance();
}

void parse_default(TableReader& reader, Algorithm& algorithm) {
  reader.expect(1, "score");
  reader.expect(2, "=");
  algorithm.default_score = stage(reader, 3);
  reader.expect_end(4);
  reader.advance();
}

}  // namespace flashscope
