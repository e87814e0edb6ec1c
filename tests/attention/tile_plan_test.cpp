// Every function of the tile plan against its definition, element by element, on small sizes.
#include "sim/attention/tile_plan.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace flashscope::test {
namespace {

// The plan must be usable in constant expressions: kernels size their loops with it.
static_assert(visited_kv_tiles(make_band(8, 8, true, -1, -1), {0, 4}, 2) == IndexRange{0, 2});
static_assert(classify(make_band(8, 8, true, -1, -1), {4, 8}, 0, 4) == TileClass::full);
static_assert(split_kv_tiles(1, 3, 7) == IndexRange{3, 5});

// A mask's band as the user states it.
struct Case {
  std::int64_t q_len, kv_len;
  bool causal;
  std::int64_t left, right;

  Band band() const { return make_band(q_len, kv_len, causal, left, right); }
  bool sees(std::int64_t row, std::int64_t key) const {
    const std::int64_t diagonal = row + kv_len - q_len;
    return (!causal || key <= diagonal) && (left < 0 || key >= diagonal - left) &&
           (right < 0 || key <= diagonal + right);
  }
  std::string text() const {
    return "q_len " + std::to_string(q_len) + " kv_len " + std::to_string(kv_len) +
           (causal ? " causal" : "") + " window " + std::to_string(left) + "," +
           std::to_string(right);
  }
};

template <typename F>
void for_each_case(F visit) {
  for (const std::int64_t q_len : {1, 2, 5, 8}) {
    for (const std::int64_t kv_len : {0, 1, 3, 5, 8, 11}) {
      for (const bool causal : {false, true}) {
        for (const std::int64_t left : {-1, 0, 1, 4, 30}) {
          for (const std::int64_t right : {-1, 0, 2, 5, 30}) {
            visit(Case{q_len, kv_len, causal, left, right});
          }
        }
      }
    }
  }
}

// For every case and every range of at least one row.
template <typename F>
void for_each_row_range(F visit) {
  for_each_case([&](const Case& c) {
    for (std::int64_t begin = 0; begin < c.q_len; ++begin) {
      for (std::int64_t end = begin + 1; end <= c.q_len; ++end) visit(c, IndexRange{begin, end});
    }
  });
}

// The range holds exactly the indices of [-2, limit + 2) that the predicate names.
template <typename F>
bool is_exactly(IndexRange range, std::int64_t limit, F holds) {
  for (std::int64_t index = -2; index < limit + 2; ++index) {
    const bool expected = index >= 0 && index < limit && holds(index);
    if (range.contains(index) != expected) return false;
  }
  return true;
}

std::int64_t seen_in(const Case& c, IndexRange rows, IndexRange keys) {
  std::int64_t seen = 0;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    for (std::int64_t key = keys.begin; key < keys.end; ++key) seen += c.sees(row, key) ? 1 : 0;
  }
  return seen;
}

// Of kv tile `tile`, without smaller() or tile_rows().
IndexRange keys_of(const Case& c, std::int64_t tile, std::int64_t kv_tile_rows) {
  IndexRange keys{tile * kv_tile_rows, tile * kv_tile_rows};
  while (keys.end < c.kv_len && keys.size() < kv_tile_rows) ++keys.end;
  return keys;
}

std::int64_t kv_tiles_of(const Case& c, std::int64_t kv_tile_rows) {
  std::int64_t tiles = 0;
  while (tiles * kv_tile_rows < c.kv_len) ++tiles;
  return tiles;
}

TEST_CASE("smaller and larger pick by value") {
  CHECK(smaller(-3, 2) == -3);
  CHECK(smaller(2, -3) == -3);
  CHECK(larger(-3, 2) == 2);
  CHECK(larger(2, -3) == 2);
  CHECK(smaller(4, 4) == 4);
}

TEST_CASE("floor_div and ceil_div round towards minus and plus infinity") {
  for (std::int64_t a = -40; a <= 40; ++a) {
    for (std::int64_t b = 1; b <= 9; ++b) {
      CAPTURE(a);
      CAPTURE(b);
      const std::int64_t low = floor_div(a, b), high = ceil_div(a, b);
      CHECK((low * b <= a && a < (low + 1) * b));
      CHECK(((high - 1) * b < a && a <= high * b));
    }
  }
}

TEST_CASE("intersect holds exactly the common indices") {
  for (std::int64_t n = 0; n < 6 * 6 * 6 * 6; ++n) {
    const IndexRange a{n % 6, n / 6 % 6}, b{n / 36 % 6, n / 216};
    CAPTURE(n);
    CHECK(is_exactly(intersect(a, b), 6,
                     [&](std::int64_t index) { return a.contains(index) && b.contains(index); }));
  }
}

TEST_CASE("tile_rows cuts a length into tiles in order, the last one short") {
  for (std::int64_t length = 0; length <= 13; ++length) {
    for (std::int64_t rows = 1; rows <= 15; ++rows) {
      std::int64_t next = 0;
      for (std::int64_t index = 0; next < length; ++index) {
        const IndexRange tile = tile_rows(index, rows, length);
        CHECK(tile.begin == next);
        CHECK((tile.size() == rows || tile.end == length));
        next = tile.end;
      }
      CHECK(next == length);
    }
  }
}

TEST_CASE("visible_keys is what causal, window and lengths say for each row") {
  for_each_case([](const Case& c) {
    CAPTURE(c.text());
    for (std::int64_t row = 0; row < c.q_len; ++row) {
      CHECK(is_exactly(visible_keys(c.band(), row), c.kv_len,
                       [&](std::int64_t key) { return c.sees(row, key); }));
    }
  });
}

TEST_CASE("make_band keeps sums small for the widest window that can be given") {
  for (const bool causal : {false, true}) {
    const Band band = make_band(1'000'000, 10, causal, INT64_MAX, INT64_MAX);
    CHECK(visible_keys(band, 999'999) == IndexRange{0, 10});
    CHECK(visible_keys(band, 0).size() == (causal ? 0 : 10));
  }
}

TEST_CASE("keys_seen_by_any and keys_seen_by_all are the union and the intersection of the rows") {
  for_each_row_range([](const Case& c, IndexRange rows) {
    INFO(c.text() << " rows " << rows.begin << ".." << rows.end);
    CHECK(is_exactly(keys_seen_by_any(c.band(), rows), c.kv_len, [&](std::int64_t key) {
      return seen_in(c, rows, {key, key + 1}) > 0;
    }));
    CHECK(is_exactly(keys_seen_by_all(c.band(), rows), c.kv_len, [&](std::int64_t key) {
      return seen_in(c, rows, {key, key + 1}) == rows.size();
    }));
  });
}

TEST_CASE("kv tiles are visited, full, and classified as their elements say") {
  for_each_row_range([](const Case& c, IndexRange rows) {
    for (const std::int64_t kv_tile_rows : {1, 2, 3, 4, 16}) {
      INFO(c.text() << " rows " << rows.begin << ".." << rows.end << " kv tile " << kv_tile_rows);
      const auto tile_class = [&](std::int64_t tile) {
        const IndexRange keys = keys_of(c, tile, kv_tile_rows);
        const std::int64_t seen = seen_in(c, rows, keys);
        if (seen == 0) return TileClass::empty;
        const bool whole = keys.size() == kv_tile_rows && seen == rows.size() * keys.size();
        return whole ? TileClass::full : TileClass::partial;
      };
      const std::int64_t tiles = kv_tiles_of(c, kv_tile_rows);
      const IndexRange visited = visited_kv_tiles(c.band(), rows, kv_tile_rows);
      CHECK((visited.begin >= 0 && visited.begin <= tiles && visited.end <= tiles));
      CHECK(is_exactly(visited, tiles,
                       [&](std::int64_t tile) { return tile_class(tile) != TileClass::empty; }));
      CHECK(is_exactly(full_kv_tiles(c.band(), rows, kv_tile_rows), tiles,
                       [&](std::int64_t tile) { return tile_class(tile) == TileClass::full; }));
      bool classified = true;
      for (std::int64_t tile = 0; tile < tiles; ++tile) {
        classified = classified && classify(c.band(), rows, tile, kv_tile_rows) == tile_class(tile);
      }
      CHECK(classified);
    }
  });
}

// TileMap bisects over q tiles and needs this even where a q tile visits nothing.
TEST_CASE("the ends of visited and full kv tiles never move back from one q tile to the next") {
  for_each_case([](const Case& c) {
    CAPTURE(c.text());
    for (const std::int64_t kv_tile_rows : {1, 2, 3, 4}) {
      for (const std::int64_t q_tile_rows : {1, 2, 3}) {
        for (std::int64_t row = 0; row + q_tile_rows < c.q_len; row += q_tile_rows) {
          const IndexRange rows{row, row + q_tile_rows};
          const IndexRange next{rows.end, smaller(rows.end + q_tile_rows, c.q_len)};
          const auto moves_back = [](IndexRange a, IndexRange b) {
            return b.begin < a.begin || b.end < a.end;
          };
          CHECK_FALSE(moves_back(visited_kv_tiles(c.band(), rows, kv_tile_rows),
                                 visited_kv_tiles(c.band(), next, kv_tile_rows)));
          CHECK_FALSE(moves_back(full_kv_tiles(c.band(), rows, kv_tile_rows),
                                 full_kv_tiles(c.band(), next, kv_tile_rows)));
        }
      }
    }
  });
}

TEST_CASE("split_kv_tiles shares all tiles out in order, parts differing by one at most") {
  for (std::int64_t tiles = 0; tiles <= 20; ++tiles) {
    for (std::int64_t splits = 1; splits <= 9; ++splits) {
      CAPTURE(tiles);
      CAPTURE(splits);
      std::int64_t next = 0, previous = tiles;
      for (std::int64_t split = 0; split < splits; ++split) {
        const IndexRange part = split_kv_tiles(split, splits, tiles);
        CHECK(part.begin == next);
        CHECK((part.size() == tiles / splits || part.size() == tiles / splits + 1));
        CHECK(part.size() <= previous);  // the longer parts come first
        previous = part.size();
        next = part.end;
      }
      CHECK(next == tiles);
    }
  }
}

TEST_CASE("query_rows_of_packed is every query row that a packed row belongs to") {
  for (std::int64_t group = 1; group <= 5; ++group) {
    for (std::int64_t begin = 0; begin < 12; ++begin) {
      for (std::int64_t end = begin + 1; end <= 12; ++end) {
        std::vector<bool> touched(12, false);
        for (std::int64_t packed = begin; packed < end; ++packed) {
          touched[static_cast<std::size_t>(packed / group)] = true;
        }
        CHECK(is_exactly(query_rows_of_packed({begin, end}, group), 12,
                         [&](std::int64_t row) { return touched[static_cast<std::size_t>(row)]; }));
      }
    }
  }
}

}  // namespace
}  // namespace flashscope::test
