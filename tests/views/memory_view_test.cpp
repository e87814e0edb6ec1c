// The memory hierarchy: copies per tile against a walk over every op and element, the map of shared
// memory against the budget, the bytes of a copy against the ledger.
#include "viz/views/memory_view.h"

#include <map>
#include <tuple>

#include <doctest/doctest.h>

#include "sim/machine/count.h"
#include "tests/attention/sample_problem.h"

using namespace flashscope;
using namespace flashscope::views;

namespace {

// Bytes of a tensor's tile, by direction, tensor, split, q or kv tile, and kv tile of a score
// matrix.
using Key = std::tuple<Direction, int, std::int64_t, std::int64_t, std::int64_t>;
using Bytes = std::map<Key, std::int64_t>;

// One op's elements, each put into the tile where its row and column lie.
void add_elements(const Program& program, const Op& op, Bytes& bytes) {
  const Algorithm& algorithm = program.algorithm();
  const Line& line = algorithm.lines[static_cast<std::size_t>(op.line)];
  if (line.hbm < 0) return;
  const Buffer& tile = algorithm.buffers[static_cast<std::size_t>(line.result)];
  const Buffer& tensor = algorithm.buffers[static_cast<std::size_t>(line.hbm)];
  const Direction direction = line.kind == LineKind::load ? Direction::load : Direction::store;
  const std::int64_t size =
      bytes_per_element(format_of(tensor.stage, program.precision(), program.tiling()));
  const bool of_keys = tile.rows == Dim::kv_tile;
  const IndexRange rows = of_keys ? program.kv_rows(op.segment) : program.q_rows(op.segment);
  const std::int64_t tile_rows =
      of_keys ? program.tiling().kv_tile_rows : program.tiling().q_tile_rows;
  const bool scores = tensor.columns == Dim::kv_len;
  IndexRange columns{0, 1};
  if (tile.columns == Dim::head_dim) columns = {0, program.problem().head_dim};
  if (tile.columns == Dim::kv_len) columns = {0, program.problem().kv_len};
  if (tile.columns == Dim::kv_tile) columns = program.kv_rows(op.segment);
  IndexRange splits{0, 1};
  if (tensor.per_split) splits = {op.segment.split, op.segment.split + 1};
  if (tile.columns == Dim::splits) splits = {0, program.tiling().splits};
  for (std::int64_t s = splits.begin; s < splits.end; ++s) {
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      for (std::int64_t column = columns.begin; column < columns.end; ++column) {
        const std::int64_t kv = scores ? column / program.tiling().kv_tile_rows : 0;
        bytes[{direction, line.hbm, s, row / tile_rows, kv}] += size;
      }
    }
  }
}

// Every tile that the counter has, against the walk; and nothing beyond them.
void check_equal(const Program& program, const CopyCounter& counter, const Bytes& want) {
  std::size_t found = 0;
  for (const TensorCopies& tensor : counter.tensors()) {
    for (const Direction direction : {Direction::load, Direction::store}) {
      std::int64_t total = 0;
      for (std::int64_t y = 0; y < tensor.grid.rows; ++y) {
        for (std::int64_t x = 0; x < tensor.grid.columns; ++x) {
          const bool scores = tensor.grid.row_axis == GridAxis::q_tile;
          const Key key{direction, tensor.grid.tensor, scores ? 0 : y, scores ? y : x,
                        scores ? x : 0};
          const auto at = want.find(key);
          const std::int64_t bytes = at == want.end() ? 0 : at->second;
          REQUIRE(bytes_copied(program, tensor, direction, {y, y + 1}, {x, x + 1}) == bytes);
          const TileArea area = area_of(program, tensor.grid, {y, y + 1}, {x, x + 1});
          const double times = times_copied(program, tensor, direction, y, x);
          REQUIRE(times * static_cast<double>(area.elements * tensor.bytes_per_element) ==
                  doctest::Approx(static_cast<double>(bytes)));
          total += bytes;
          found += bytes > 0 ? 1 : 0;
        }
      }
      REQUIRE(tensor.counts(direction).bytes == total);
    }
  }
  REQUIRE(found == want.size());
}

Program make_program(const Problem& problem, const char* algorithm, const Tiling& tiling) {
  Algorithm table = load_algorithm(algorithm);
  const Precision precision = default_precision(table, problem.dtype);
  return {problem, std::move(table), tiling, precision};
}

Problem small_problem() {
  Problem problem;
  problem.q_heads = 2;
  problem.q_len = 13;
  problem.kv_len = 11;
  problem.head_dim = 3;
  problem.mask.causal = true;
  return problem;
}

Tiling tiles(std::int64_t q_tile_rows, std::int64_t kv_tile_rows) {
  Tiling tiling;
  tiling.q_tile_rows = q_tile_rows;
  tiling.kv_tile_rows = kv_tile_rows;
  return tiling;
}

// Forwards op by op, and afresh at some positions.
void check_whole_program(const Program& program, std::int64_t every) {
  std::map<std::pair<std::int64_t, std::int64_t>, Bytes> heads;
  CopyCounter stepping(program);
  for (std::int64_t position = 0; position < program.size(); ++position) {
    const Op op = program.op(position);
    Bytes& bytes = heads[{op.segment.batch, op.segment.head}];
    if (position % every == 0) {
      stepping.move_to(position, op.segment);
      check_equal(program, stepping, bytes);
      CopyCounter jumping(program);
      jumping.move_to(position, op.segment);
      check_equal(program, jumping, bytes);
    }
    add_elements(program, op, bytes);
  }
  if (program.size() == 0) return;
  const Segment last = program.op(program.size() - 1).segment;
  stepping.move_to(program.size(), last);
  check_equal(program, stepping, heads[{last.batch, last.head}]);
  for (const auto& [head, bytes] : heads) {
    stepping.count_whole_head(head.first, head.second);
    check_equal(program, stepping, bytes);
  }
}

}  // namespace

TEST_CASE("memory view: copies of every tile are those of a walk over all ops") {
  for (const char* algorithm : {"fa2", "fa1", "split_kv", "standard"}) {
    CAPTURE(std::string(algorithm));
    Tiling tiling = tiles(4, 3);
    if (std::string(algorithm) == "split_kv") tiling.splits = 3;
    check_whole_program(make_program(small_problem(), algorithm, tiling), 1);
  }
}

TEST_CASE("memory view: and so they are for any problem, mask, order and packing") {
  test::Dice dice(2025);
  for (int n = 0; n < 60; ++n) {
    for (const char* algorithm : {"fa2", "fa1", "split_kv", "standard"}) {
      const test::Sample sample = test::random_sample(dice, algorithm, 18);
      CAPTURE(test::describe(sample));
      const Program program(sample.problem, load_algorithm(algorithm), sample.tiling,
                            sample.precision);
      check_whole_program(program, larger(program.size() / 7, 1));
    }
  }
}

TEST_CASE("memory view: one head's bytes are the ledger's") {
  Problem problem = small_problem();
  problem.q_heads = 1;
  for (const char* algorithm : {"fa2", "fa1", "split_kv", "standard"}) {
    const Program program = make_program(problem, algorithm, tiles(4, 3));
    CopyCounter counter(program);
    for (std::int64_t position = 0; position < program.size(); ++position) {
      counter.move_to(position, program.op(position).segment);
      std::int64_t loaded = 0, stored = 0;
      for (const TensorCopies& tensor : counter.tensors()) {
        loaded += tensor.loads.bytes;
        stored += tensor.stores.bytes;
      }
      const Ledger ledger = ledger_before(program, position);
      REQUIRE(loaded == ledger.all_load_bytes());
      REQUIRE(stored == ledger.all_store_bytes());
    }
  }
}

TEST_CASE("memory view: bins show the largest of their tiles") {
  const Program program = make_program(small_problem(), "standard", tiles(4, 3));
  CopyCounter counter(program);
  counter.move_to(program.size(), program.op(program.size() - 1).segment);
  for (const TensorCopies& tensor : counter.tensors()) {
    for (const Direction direction : {Direction::load, Direction::store}) {
      const std::int64_t rows = larger(tensor.grid.rows / 2, 1);
      const std::vector<float> bins = binned_times(program, tensor, direction, rows, 2);
      for (std::int64_t y = 0; y < tensor.grid.rows; ++y) {
        for (std::int64_t x = 0; x < tensor.grid.columns; ++x) {
          std::size_t bin = 0;
          while (!tiles_of_bin(static_cast<std::int64_t>(bin) / 2, rows, tensor.grid.rows)
                      .contains(y) ||
                 !tiles_of_bin(static_cast<std::int64_t>(bin) % 2, 2, tensor.grid.columns)
                      .contains(x)) {
            ++bin;
          }
          CHECK(bins[bin] >= doctest::Approx(times_copied(program, tensor, direction, y, x)));
        }
      }
    }
  }
  CHECK(counter.most_times() == doctest::Approx(4));  // K and V, once for each of 4 q tiles
}

TEST_CASE("memory view: a large score matrix is counted by q tiles, as whole passes") {
  Problem problem = small_problem();
  problem.q_heads = 1;
  problem.mask.causal = false;
  problem.q_len = problem.kv_len = 1050;
  problem.head_dim = 1;
  const Program program = make_program(problem, "standard", tiles(1, 1));
  CopyCounter counter(program);
  counter.count_whole_head(0, 0);
  const TensorCopies& s = counter.tensor(program.algorithm().find("S", true));
  REQUIRE(s.grid.by_rows);
  CHECK(s.stores.bytes == 1050 * 1050 * s.bytes_per_element);
  CHECK(times_copied(program, s, Direction::store, 7, 0) == doctest::Approx(1));
  CHECK(times_copied(program, s, Direction::load, 1049, 0) == doctest::Approx(1));
  CHECK(binned_times(program, s, Direction::load, 10, 1)[9] == doctest::Approx(1));
  CHECK(!bytes_copied(program, s, Direction::load, {0, 1}, {0, 1}));
}

TEST_CASE("memory view: the chip's map is the budget's, and a copy's bytes are the ledger's") {
  const Scenario scenario = pencil_scenario();
  const Device& device = find_device("a100-80");
  for (const char* algorithm : {"fa2", "fa1", "split_kv", "standard"}) {
    CAPTURE(std::string(algorithm));
    const Program program = make_program(scenario.problem, algorithm, tiles(2, 2));
    Session session(scenario, program);
    CopyCounter counter(program);
    for (const Placement placement : {Placement::kernel, Placement::paper}) {
      const Budget want = budget(program.algorithm(), program.problem(), program.tiling(),
                                 program.precision(), device, placement);
      for (std::int64_t position = 0; position < program.size(); ++position) {
        session.seek(position);
        counter.move_to(position, session.segment());
        const MemoryView view = memory_view(session, counter, device, placement);
        std::int64_t end = 0;
        for (const ChipTile& tile : view.chip) {
          if (tile.item.place != Place::shared) continue;
          CHECK(tile.item.offset_bytes == end);
          end += tile.item.bytes;
        }
        CHECK(end == want.phases[static_cast<std::size_t>(view.segment.phase)].shared_bytes);
        CHECK(view.needs.shared_bytes == end);
        CHECK(view.shared_limit_bytes == want.shared_limit_bytes);

        const Ledger before = ledger_before(program, position);
        const Ledger after = ledger_before(program, position + 1);
        const std::int64_t bytes = after.all_load_bytes() - before.all_load_bytes() +
                                   after.all_store_bytes() - before.all_store_bytes();
        CHECK(view.copy.has_value() == (bytes > 0));
        if (view.copy) CHECK(view.copy->bytes == bytes);
      }
    }
  }
}

TEST_CASE("memory view: says what each tile on chip holds") {
  const Scenario scenario = pencil_scenario();
  const auto holds = [&](const Program& program, std::int64_t position, const char* buffer) {
    Session session(scenario, program);
    session.seek(position);
    CopyCounter counter(program);
    const MemoryView view =
        memory_view(session, counter, find_device("a100-80"), Placement::kernel);
    for (const ChipTile& tile : view.chip) {
      if (tile.item.buffer == buffer) return tile.holds;
    }
    return std::string("none");
  };
  const auto op_of = [](const Program& program, std::int64_t q, std::int64_t kv, const char* text) {
    for (std::int64_t op = 0; op < program.size(); ++op) {
      const Op at = program.op(op);
      const Line& line = program.algorithm().lines[static_cast<std::size_t>(at.line)];
      if (at.segment.q_tile == q && at.segment.kv_tile == kv && line.text == text) return op;
    }
    return std::int64_t{-1};
  };
  const Program fa2 = make_program(scenario.problem, "fa2", tiles(2, 2));
  CHECK(holds(fa2, 0, "Q").empty());
  CHECK(holds(fa2, 1, "Q") == "q tile 0");
  const std::int64_t load_v = op_of(fa2, 1, 1, "load V");
  CHECK(holds(fa2, load_v, "Q") == "q tile 1");
  CHECK(holds(fa2, load_v, "K") == "kv tile 1");
  CHECK(holds(fa2, load_v, "V") == "kv tile 0");
  CHECK(holds(fa2, load_v, "P") == "q 1 × kv 0");
  CHECK(holds(fa2, fa2.size(), "K") == "kv tile 1");
  const Program fa1 = make_program(scenario.problem, "fa1", tiles(2, 2));
  const std::int64_t load_q = op_of(fa1, 1, 1, "load Q");
  CHECK(holds(fa1, load_q, "K") == "kv tile 1");
  CHECK(holds(fa1, load_q, "S").empty());
}

TEST_CASE("memory view: a tile's next copy is an op that copies it") {
  for (const char* algorithm : {"fa2", "fa1", "split_kv", "standard"}) {
    CAPTURE(std::string(algorithm));
    const Program program = make_program(small_problem(), algorithm, tiles(4, 3));
    const CopyCounter counter(program);
    for (std::int64_t position = 0; position < program.size(); position += 5) {
      const Segment here = program.op(position).segment;
      for (const TensorCopies& tensor : counter.tensors()) {
        for (std::int64_t x = 0; x < tensor.grid.columns; ++x) {
          const auto op = op_of_copy(program, counter, here, position, tensor.grid.tensor, 0, x);
          if (!op) continue;
          const Op at = program.op(*op);
          const Line& line = program.algorithm().lines[static_cast<std::size_t>(at.line)];
          CHECK(line.hbm == tensor.grid.tensor);
          CHECK(counter.copy_of(at.segment, line).columns.contains(x));
          CHECK(at.segment.head == here.head);
        }
      }
    }
  }
  const Program program = make_program(small_problem(), "fa2", tiles(4, 3));
  const CopyCounter counter(program);
  const int k = program.algorithm().find("K", true);
  const Segment start = program.op(0).segment;
  CHECK(op_of_copy(program, counter, start, 0, k, 0, 0).has_value());
  // 13 rows, 11 keys, causal: rows 0 and 1 see nothing, the last q tile sees the tail.
  CHECK(op_of_copy(program, counter, start, 0, k, 0, 3).has_value());
}
