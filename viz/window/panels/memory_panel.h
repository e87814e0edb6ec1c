// What the parts of the memory hierarchy's picture share: HBM (memory_panel_hbm.cpp and
// _tiles.cpp), the chip (_chip.cpp, _cards.cpp) and what moves between them (_paths.cpp). Each part
// first says how high it is at a width, then draws itself in a box. All sizes follow the font.
#pragma once

#include <cstdint>
#include <imgui.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "viz/views/memory_view.h"
#include "viz/window/panel.h"

namespace flashscope::window::memory {

struct Box {
  ImVec2 min, max;
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
  ImVec2 center() const { return {(min.x + max.x) / 2, (min.y + max.y) / 2}; }
};

// binned_times(), kept as long as the session stays where it is.
class BinCache {
 public:
  void clear() { entries_.clear(); }
  const std::vector<float>& bins(const Program& program, const views::TensorCopies& tensor,
                                 Direction direction, std::int64_t rows, std::int64_t columns);

 private:
  struct Entry {
    int tensor;
    Direction direction;
    std::int64_t rows, columns;
    std::vector<float> times;
  };
  std::vector<Entry> entries_;
};

// Text on the drawing. small: of a note beside the main thing.
enum class Font : std::uint8_t { sans, mono, sans_small, mono_small };

struct Words {
  Font font;
  ImVec2 at;
  ImU32 color;
  std::string text;
};

// One frame of the picture.
struct Frame {
  Frame(const Context& c, Requests& r, const views::MemoryView& v, const views::CopyCounter& counts,
        BinCache& cache)
      : context(c), requests(r), view(v), counter(counts), bins(cache) {}

  const Context& context;
  Requests& requests;
  const views::MemoryView& view;
  const views::CopyCounter& counter;
  BinCache& bins;
  double most_times = 0;  // copies of a tile, by the end of this head: the full colour
  ImDrawList* list = nullptr;
  float em = 0;
  bool compact = false;  // less air, and cards of one line, where the picture would not fit else
  // Filled while the memories are drawn, for the paths between them.
  std::optional<Box> copied_tiles;  // in HBM
  float tiles_left = 0;             // where the strips of HBM begin
  Box l2;
  std::vector<Box> chip_tiles;          // like view.chip
  std::vector<Words> words;             // on top of the paths
  std::optional<Words> moved;           // the tile on its way: the middle of its name and bytes
  float path_left = 0, path_right = 0;  // what the path takes of L2

  float card_gap() const { return (compact ? 0.4f : 0.7f) * em; }

  const Theme& theme() const { return context.theme; }
  const Buffer& buffer(int index) const {
    return context.program().algorithm().buffers[static_cast<std::size_t>(index)];
  }
};

ImVec2 text_size(const Frame& frame, Font font, std::string_view text, float wrap = 0);
void draw_text(const Frame& frame, Font font, ImVec2 at, ImU32 color, std::string_view text,
               float wrap = 0);
// `color` at `part` on the background, opaque.
ImU32 tint(const Theme& theme, ImU32 color, float part);
// "16 KiB", "20 B": exact.
std::string short_bytes(std::int64_t bytes);

// A memory's frame: its name (which explains itself), a note, and at the right end a number.
// Returns the room inside. The texts wait in frame.words.
Box draw_memory(Frame& frame, const Box& box, const char* name, std::string_view note,
                std::string_view number, ImU32 number_color, const char* explanation);
float memory_title_height(const Frame& frame);

// Of one tensor in HBM, the tiles that fit into a box; hovering tells more, a click goes there.
void draw_tiles(Frame& frame, const views::TensorCopies& tensor, Direction direction,
                const Box& box);
const char* verb(Direction direction);                                     // "read", "written"
std::string shape(const Frame& frame, const views::TensorCopies& tensor);  // "4,096 × 64 fp16"
std::string times_text(double times);

float hbm_height(const Frame& frame, float width, float strip_height);
void draw_hbm(Frame& frame, const Box& box, float strip_height);

// A card for each tile in a place on chip.
float cards_height(const Frame& frame, Place place, float width);
void draw_cards(Frame& frame, Place place, const Box& room);

float shared_height(const Frame& frame, float width);
void draw_shared(Frame& frame, const Box& box);
float registers_height(const Frame& frame, float width);  // 0: nothing lies in registers
void draw_registers(Frame& frame, const Box& box);

// The way of the copy under way, from tile to tile; sideways: HBM stands left of the chip.
void draw_copy(Frame& frame, bool sideways);
// frame.words, each on a ground that no path shows through.
void draw_words(const Frame& frame);
// The copied tile on that way, with its bytes.
void draw_moved(const Frame& frame);
// From the tiles that the next op reads to the one that it writes.
void draw_operation(const Frame& frame);

}  // namespace flashscope::window::memory
