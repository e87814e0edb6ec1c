// An attention algorithm as data: what is stored where, and a table of lines. Every reader (the
// interpreter, the counts, walk, and later debugger and window) works from this one structure,
// which alg_parser.h makes from the text of an .alg file. The language is described in
// algorithms/README.md; the closed list of statements is in forms.h.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/attention/behaviour.h"
#include "sim/attention/forms.h"
#include "sim/attention/tile_map.h"
#include "sim/attention/tiling.h"

namespace flashscope {

// A side of a tile or tensor. q_row: a single query row. one: a vector has one column.
enum class Dim : std::uint8_t { one, q_row, q_tile, kv_tile, head_dim, splits, q_len, kv_len };

// The number format of a tensor: a stage of the Precision, or always fp32, or fa1's workspace.
enum class Stage : std::uint8_t { input, score, probability, accumulator, output, workspace, fp32 };

enum class Place : std::uint8_t { hbm, shared, registers };

// A tensor in HBM (of one head) or a tile on chip.
struct Buffer {
  std::string name;
  Place place = Place::hbm;
  Dim rows = Dim::one;
  Dim columns = Dim::one;  // one: a vector with an entry per row
  Stage stage = Stage::fp32;
  bool per_split = false;   // HBM only: one such tensor for every split
  std::int64_t stages = 1;  // copies kept in flight (double buffering), for the SRAM budget
  bool is_vector() const { return columns == Dim::one; }
};

// When a line of a step applies; all conditions must hold. Lines outside a step always apply.
struct When {
  std::uint8_t classes = 0b111;  // bit per TileClass
  std::optional<bool> first, last;
  std::optional<bool> threshold;  // a rescale threshold is set
  bool applies(const StepKind& kind, bool has_threshold) const;
};

// One statement. Buffer indices point into Algorithm::buffers; -1 = unused.
struct Line {
  LineKind kind = LineKind::copy;
  int result = -1;            // the on-chip buffer that changes (store: the one that is read)
  std::vector<int> operands;  // in the order of the form's text
  int hbm = -1;               // load, store: the tensor in HBM
  double number = 0;          // fill: the value
  // mask: what hidden elements, and keys past the end, become; nothing: they stay as they are.
  std::optional<float> hidden = -std::numeric_limits<float>::infinity();
  std::optional<float> past_end = -std::numeric_limits<float>::infinity();
  bool scaled = false;        // product: multiplied by the problem's scale
  Stage stage = Stage::fp32;  // cast: to this
  When when;
  int actor = 0;                           // index into Algorithm::actors
  std::string text;                        // as written, without the condition
  int source_line = 0, source_column = 0;  // 1-based, in the .alg text
};

// What a line reads and writes, for watches, diffs and timelines.
struct Effects {
  std::vector<int> reads, writes;  // on chip
  std::optional<int> hbm_read, hbm_written;
};
Effects effects(const Line& line);

// One work item is one thread block's work: a row of the nest below, or one step, or all of a head.
enum class Grain : std::uint8_t { head, row, step };
enum class RowAxis : std::uint8_t { q_tile, q_row, kv_tile };
enum class RowVisit : std::uint8_t { all, non_empty, unseen };
enum class StepAxis : std::uint8_t { none, q_tile, kv_tile, split };

// One kernel: for every head, for every row, [before], for every step [step lines], [after]. The
// grid says which of these loops run in parallel; the others are `for` loops of the table.
struct Phase {
  std::string name;
  Grain grain = Grain::row;
  RowAxis row_axis = RowAxis::q_tile;
  RowVisit row_visit = RowVisit::all;
  bool split_grid = false;  // each row exists once per split, over that split's kv tiles
  StepAxis step_axis = StepAxis::none;
  Visit step_visit = Visit::non_empty;
  std::optional<KvOrder> kv_order;       // fixed by the table; else the tiling decides
  std::vector<int> before, step, after;  // indices into Algorithm::lines
};

// How the running state of a q tile reads as an answer over the keys so far ("prefix truth").
struct Estimate {
  int o = -1;          // O
  int o_divisor = -1;  // l when O is not yet normalised, else -1
  int m = -1, l = -1;  // LSE so far = m + ln l
};

struct Algorithm {
  std::string name;
  std::string origin;  // kBuiltIn or the file's path
  std::string title;   // the first comment line of the file
  std::string source;  // the whole text
  std::string fault;   // the name of what apply_fault() of faults.h put in; empty when honest
  std::vector<Buffer> buffers;
  std::vector<Line> lines;  // in the order of the text
  std::vector<Phase> phases;
  std::vector<std::string> actors = {"block"};
  std::optional<Estimate> estimate;
  Stage default_score = Stage::fp32;  // what S is rounded to unless --precision says otherwise
  Behaviour behaviour;

  static constexpr std::string_view kBuiltIn = "built in";
  bool is_built_in() const { return origin == kBuiltIn && fault.empty(); }
  std::string full_name() const;  // "fa2", or "fa2 with fault o_not_rescaled"
  int find(std::string_view buffer, bool in_hbm) const;  // -1 when there is none
  bool has_splits() const;                               // some loop or grid runs over splits
  bool has_threshold() const;  // some line applies only with a rescale threshold
};

// The precision an algorithm has at a problem's dtype: P and O in the dtype, sums in fp32.
Precision default_precision(const Algorithm& algorithm, Format dtype);

Format format_of(Stage stage, const Precision& precision, const Tiling& tiling);

std::string_view name_of(Dim dim);
std::string_view name_of(Stage stage);

// The tables that come with FlashScope: standard, fa1, fa2, split_kv.
std::vector<std::string> built_in_algorithm_names();
// By name, or from a file when the name ends in ".alg". Throws Error (an unknown name lists those
// there; a mistake in a file gives its line and column).
Algorithm load_algorithm(const std::string& name_or_path);

}  // namespace flashscope
