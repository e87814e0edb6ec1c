// The memory hierarchy: HBM with every tensor, L2, the chip with its allocation map, and the next
// op as what moves between them. Left out: a model of L2, and values, which the tile view shows.
#include "viz/window/panels/memory_panel.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/setup/setup.h"
#include "viz/terminal/screen.h"

namespace flashscope::window {
namespace {

using namespace memory;

constexpr float kSideways = 40;  // em: from this width on, the chip may stand beside HBM
constexpr float kThinnestStrip = 0.95f, kThickestStrip = 3.0f;  // em
constexpr float kL2 = 1.2f, kGap = 0.7f;                        // em
constexpr float kCompactL2 = 0.95f, kCompactGap = 0.3f;         // em

class MemoryPanel final : public Panel {
 public:
  const char* title() const override { return "Memory hierarchy"; }
  const char* summary() const override {
    return "Where every tile lies, and what the next op moves between HBM, SRAM and registers.";
  }
  void draw(const Context& context, Requests& requests) override;
  std::optional<views::Sheet> sheet(const Context& context) const override {
    views::CopyCounter counter(context.program());
    counter.move_to(context.session().position(), context.session().segment());
    return views::memory_sheet(context.program(), counter.tensors());
  }

 private:
  void update(const Context& context);
  void follow(const Frame& frame);

  std::optional<views::CopyCounter> counter_;
  std::optional<views::MemoryView> view_;
  std::uint64_t program_version_ = 0, state_version_ = 0;
  BinCache bins_;
  double most_times_ = 0;
  std::optional<std::size_t> head_class_;  // that most_times_ is of
  // Scrolling to the op, until the user scrolls elsewhere.
  std::uint64_t followed_version_ = 0;
  float scroll_ = 0, scroll_end_ = 0;  // of the last frame
  bool is_scrolled_by_hand_ = false;
};

void MemoryPanel::update(const Context& context) {
  const Program& program = context.program();
  const Session& session = context.session();
  if (!counter_ || program_version_ != context.program_version) {
    counter_.emplace(program);
    head_class_.reset();
    view_.reset();
    is_scrolled_by_hand_ = false;
  }
  if (view_ && state_version_ == context.state_version) return;
  program_version_ = context.program_version;
  state_version_ = context.state_version;
  const Segment& here = session.segment();
  if (program.size() > 0 && head_class_ != program.class_of(here.batch, here.head)) {
    head_class_ = program.class_of(here.batch, here.head);
    views::CopyCounter whole(program);
    whole.count_whole_head(here.batch, here.head);
    most_times_ = whole.most_times();
  }
  counter_->move_to(session.position(), here);
  view_ = views::memory_view(session, *counter_, context.device, placement(context.options));
  bins_.clear();
}

// What the next op moves: "K kv tile 3: 8,192 B, HBM → SRAM"; or what it reads and writes.
std::string movement(const Frame& frame) {
  const views::MemoryView& view = frame.view;
  if (view.line.empty()) return "the program is at its end";
  if (view.copy) {
    const views::TileCopy& tiles = view.copy->tiles;
    const views::TileGrid& grid = frame.counter.tensor(tiles.tensor).grid;
    const bool load = tiles.direction == Direction::load;
    const char* chip = frame.buffer(view.copy->chip).place == Place::shared ? "SRAM" : "registers";
    const std::string bytes =
        frame.context.numbers_hidden ? "?" : terminal::grouped(view.copy->bytes);
    std::string what = tiles.rows.empty() ? std::string("no tile")
                                          : views::name_of_tiles(grid, tiles.rows, tiles.columns);
    if (load && frame.context.program().algorithm().behaviour.changes_addresses()) {
      what += " (the fault fetches other rows)";
    }
    if (tiles.one_row) what = fmt::format("row {}", view.segment.q_row);
    return fmt::format("{} of {}, {} B, {} → {}", what, frame.buffer(tiles.tensor).name, bytes,
                       load ? "HBM" : chip, load ? chip : "HBM");
  }
  std::string reads, writes;
  for (const views::ChipTile& tile : view.chip) {
    if (tile.is_read) reads += (reads.empty() ? "reads " : ", ") + tile.item.buffer;
    if (tile.is_written) writes += (writes.empty() ? "writes " : ", ") + tile.item.buffer;
  }
  return reads.empty() ? writes : reads + ", " + writes;
}

std::string place(const Frame& frame) {
  const Segment& segment = frame.view.segment;
  std::string text =
      fmt::format("batch {} · {} {}", segment.batch,
                  frame.context.program().group() > 1 ? "kv head" : "head", segment.head);
  if (segment.q_row >= 0) text += fmt::format(" · row {}", segment.q_row);
  if (segment.q_row < 0 && segment.q_tile >= 0) text += fmt::format(" · q tile {}", segment.q_tile);
  if (segment.split >= 0) text += fmt::format(" · split {}", segment.split);
  if (segment.kv_tile >= 0) text += fmt::format(" · kv tile {}", segment.kv_tile);
  return text;
}

// The next op, what it moves, and where in the problem: in one line if that has room.
struct Header {
  std::string line, what, where;
  float line_width, what_width, where_width, height;
  bool one_line;
};

Header header(const Frame& frame, float width) {
  Header result;
  result.line = frame.view.line.empty() ? std::string("end") : frame.view.line;
  result.what = movement(frame);
  result.where = place(frame);
  result.line_width = text_size(frame, Font::mono, result.line).x;
  result.what_width = text_size(frame, Font::sans_small, result.what).x;
  result.where_width = text_size(frame, Font::sans_small, result.where).x;
  result.one_line =
      result.line_width + result.what_width + result.where_width + 3 * frame.em < width;
  const float wrapped = text_size(frame, Font::sans_small, result.what, width).y + 1.2f * frame.em;
  result.height = (result.one_line ? 1.2f * frame.em : wrapped) + 0.3f * frame.em;
  return result;
}

void draw_header(const Frame& frame, const Header& header, ImVec2 at, float width) {
  const Theme& theme = frame.theme();
  const float em = frame.em, small = 0.12f * em;
  draw_text(frame, Font::mono, at, theme.accent, header.line);
  if (header.one_line || header.line_width + header.where_width + em < width) {
    draw_text(frame, Font::sans_small, {at.x + width - header.where_width, at.y + small},
              theme.text_dim, header.where);
  }
  if (header.one_line) {
    draw_text(frame, Font::sans_small, {at.x + header.line_width + 1.2f * em, at.y + small},
              theme.text, header.what);
  } else {
    draw_text(frame, Font::sans_small, {at.x, at.y + 1.2f * em}, theme.text, header.what, width);
  }
}

void draw_l2(Frame& frame, const Box& box) {
  const Theme& theme = frame.theme();
  frame.l2 = box;
  frame.list->AddRectFilled(box.min, box.max, theme.surface, 0.3f * frame.em);
  frame.list->AddRect(box.min, box.max, theme.line, 0.3f * frame.em);
  ImGui::SetCursorScreenPos(box.min);
  ImGui::InvisibleButton("##l2", {box.width(), box.height()});
  ImGui::SetItemTooltip("%s",
                        "L2, the cache of the whole GPU: not modelled. A GPU's L2 absorbs repeated "
                        "reads;\nthe counts here are the papers' two-level model, in which every "
                        "copy between\nHBM and SRAM counts its bytes.");
}

// Where the path through it leaves room.
void add_l2_name(Frame& frame, bool sideways) {
  const float em = frame.em;
  const std::string name = sideways ? "L2" : "L2   not modelled";
  const ImVec2 size = text_size(frame, Font::sans_small, name);
  const Box& box = frame.l2;
  const float edge = 0.6f * em, left = box.min.x + edge;
  const bool is_crossed =
      frame.moved && frame.path_left < left + size.x + edge && frame.path_right > box.min.x;
  const float x = is_crossed ? box.max.x - edge - size.x : left;
  const ImVec2 at{sideways ? box.center().x - size.x / 2 : x,
                  sideways ? box.min.y + 0.45f * em : box.center().y - size.y / 2};
  frame.words.push_back({Font::sans_small, at, frame.theme().text_dim, name});
}

// What the next op writes comes into view, if the picture is too high for its window.
void MemoryPanel::follow(const Frame& frame) {
  const float scroll = ImGui::GetScrollY(), end = ImGui::GetScrollMaxY();
  if (end != scroll_end_) {
    followed_version_ = 0;  // another size: what shows has changed, though nobody scrolled
  } else if (scroll != scroll_) {
    is_scrolled_by_hand_ = true;
  }
  scroll_ = scroll;
  scroll_end_ = end;
  if (end <= 0) is_scrolled_by_hand_ = false;
  if (is_scrolled_by_hand_ || end <= 0 || followed_version_ == state_version_) return;
  followed_version_ = state_version_;
  const float margin = 0.5f * frame.em;
  const float top = frame.list->GetClipRectMin().y + margin;
  const float bottom = frame.list->GetClipRectMax().y - margin;
  float wanted = scroll;
  const auto show = [&](const Box& box) {
    const float by = wanted - scroll;
    if (box.max.y - by > bottom) wanted += box.max.y - by - bottom;
    if (box.min.y - (wanted - scroll) < top) wanted += box.min.y - (wanted - scroll) - top;
  };
  // The one written is the last and has its way.
  if (frame.copied_tiles) show(*frame.copied_tiles);
  for (const bool written : {false, true}) {
    for (std::size_t n = 0; n < frame.view.chip.size(); ++n) {
      const views::ChipTile& tile = frame.view.chip[n];
      if (written ? tile.is_written : tile.is_read) show(frame.chip_tiles[n]);
    }
  }
  scroll_ = std::clamp(std::floor(wanted), 0.0f, end);
  if (scroll_ != scroll) ImGui::SetScrollY(scroll_);
}

void MemoryPanel::draw(const Context& context, Requests& requests) {
  update(context);
  Frame frame{context, requests, *view_, *counter_, bins_};
  frame.most_times = most_times_;
  frame.list = ImGui::GetWindowDrawList();
  frame.em = ImGui::GetFontSize();
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float em = frame.em;
  const float width = std::max(room.x, 10 * em);
  const float right = origin.x + width;
  const Header head = header(frame, width);
  draw_header(frame, head, origin, width);
  const float top = origin.y + head.height;

  // One below the other where that fits or is not as high; else the chip stands beside HBM.
  float gap = kGap * em, l2 = kL2 * em;
  const auto strip_height = [&](float hbm_width, float free) {
    const float fixed = hbm_height(frame, hbm_width, 0);
    const float per_strip = (hbm_height(frame, hbm_width, em) - fixed) / em;
    const float most = per_strip > 0 ? (free - fixed) / per_strip : 0;
    return std::clamp(most, kThinnestStrip * em, kThickestStrip * em);
  };
  const auto chip_height = [&](float chip_width) {
    const float registers = registers_height(frame, chip_width);
    return shared_height(frame, chip_width) + (registers > 0 ? registers + gap : 0);
  };
  const auto draw_chip = [&](float x, float y) {
    const float shared = shared_height(frame, right - x);
    const float registers = registers_height(frame, right - x);
    draw_shared(frame, {{x, y}, {right, y + shared}});
    y += shared + gap;
    if (registers > 0) draw_registers(frame, {{x, y}, {right, y + registers}});
  };
  const float available = room.y - head.height;
  float below = 0, stacked = 0, hbm_width = 0, chip_width = 0, beside = 0;
  const auto measure = [&] {
    below = chip_height(width) + 2 * gap + l2;
    stacked = hbm_height(frame, width, kThinnestStrip * em) + below;
    hbm_width = 0.5f * width - gap;
    chip_width = width - hbm_width - 2 * gap - l2;
    beside = std::max(hbm_height(frame, hbm_width, kThinnestStrip * em), chip_height(chip_width));
  };
  measure();
  const bool wide = width >= kSideways * em;
  if (stacked > available && !(wide && beside <= available)) {
    frame.compact = true;
    gap = kCompactGap * em;
    l2 = kCompactL2 * em;
    measure();
  }
  const bool sideways = stacked > available && wide && beside < stacked;
  float bottom = top;
  if (sideways) {
    const float strip = strip_height(hbm_width, std::max(available, beside));
    bottom = top + std::max(hbm_height(frame, hbm_width, strip), chip_height(chip_width));
    draw_hbm(frame, {{origin.x, top}, {origin.x + hbm_width, bottom}}, strip);
    const float l2_x = origin.x + hbm_width + gap;
    draw_l2(frame, {{l2_x, top}, {l2_x + l2, bottom}});
    draw_chip(right - chip_width, top);
  } else {
    const float strip = strip_height(width, available - below);
    // What room is left makes the ways between the memories longer.
    const float spare = available - below - hbm_height(frame, width, strip);
    gap += std::clamp(spare / 4, 0.0f, 2.0f * em);
    float y = top + hbm_height(frame, width, strip);
    draw_hbm(frame, {{origin.x, top}, {right, y}}, strip);
    y += gap;
    draw_l2(frame, {{origin.x, y}, {right, y + l2}});
    y += l2 + gap;
    draw_chip(origin.x, y);
    bottom = y + chip_height(width);
  }
  draw_copy(frame, sideways);
  add_l2_name(frame, sideways);
  draw_words(frame);
  draw_moved(frame);
  draw_operation(frame);
  follow(frame);
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy({width, bottom - origin.y});
}

}  // namespace

std::unique_ptr<Panel> make_memory_panel() { return std::make_unique<MemoryPanel>(); }

}  // namespace flashscope::window
