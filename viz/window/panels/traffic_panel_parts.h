// The parts of the traffic panel: the programs it holds side by side, and its three pages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "viz/views/traffic_view.h"
#include "viz/window/panel.h"

namespace flashscope::window {

// The running program and the built-in algorithms on the same problem and tiles, all at the same
// fraction of their ops. They are made, sampled and moved a little in every frame.
class TrafficLanes {
 public:
  struct Entry {
    std::string name;
    std::string refused;                    // why this algorithm has no program here
    std::unique_ptr<Program> program;       // nothing: the running one
    std::optional<views::Lane> lane;        // once made
    std::optional<views::LaneState> state;  // where it stands
  };

  // Forgets all when the program is another one.
  void follow_running(const Context& context);
  // Brings what is shown further, for a part of a frame; with `curves`, their points too. Returns
  // whether work is left.
  bool follow_all(const Context& context, bool curves);

  bool belongs_to(const Context& context) const { return version_ == context.program_version; }
  const Entry& running() const { return entries_.front(); }
  std::vector<Entry>& entries() { return entries_; }  // the running one first
  bool shows(const Entry& entry) const { return hidden_.count(entry.name) == 0; }
  void show(const Entry& entry, bool on);
  // What is shown and made, in order.
  std::vector<const Entry*> shown() const;
  // So that nothing is drawn over the running one.
  std::vector<const Entry*> shown_running_last() const;
  std::size_t index_of(const Entry& entry) const {
    return static_cast<std::size_t>(&entry - entries_.data());
  }

  // Programs of a mask expression may take long to make: the user is asked first.
  bool asks() const { return asks_; }
  void make_all() { asks_ = false; }

 private:
  bool advance(const Context& context,
               bool curves);  // by one unit of work; false: nothing is left to do
  void make(const Context& context, Entry& entry);

  std::uint64_t version_ = 0;
  std::vector<Entry> entries_;
  std::set<std::string> hidden_;
  bool asks_ = false;
  double fraction_ = 0;  // of the running program
  std::size_t turn_ = 0;
};

void draw_bytes_page(const Context& context, const views::TrafficView& view);
void draw_lockstep_page(const Context& context, TrafficLanes& lanes, Requests& requests);
// `looked_at`: a device's name; empty: the session's.
void draw_roofline_page(const Context& context, TrafficLanes& lanes, std::string& looked_at);

}  // namespace flashscope::window
