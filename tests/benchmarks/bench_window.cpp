// What a frame of the window costs the processor, without drawing its pixels: all panels open, at
// rest, stepping, and jumping to any op of the program (the seek included). Asked for: a jump under
// 16 ms and a frame under 4 ms at N 4096, D 64, 8 heads.
#include <chrono>
#include <imgui.h>
#include <imgui_impl_null.h>
#include <imgui_internal.h>
#include <optional>
#include <random>
#include <string>

#include <benchmark/benchmark.h>

#include "sim/error.h"
#include "viz/window/app.h"

namespace {

using namespace flashscope;
using namespace flashscope::window;

// Every panel in a place of its own, so that all are drawn in each frame.
void dock_side_by_side() {
  const ImGuiWindow* docked = ImGui::FindWindowByName("Program");
  ImGuiID root = ImGui::DockNodeGetRootNode(docked->DockNode)->ID;
  ImGui::DockBuilderRemoveNodeChildNodes(root);
  ImGui::DockBuilderSetNodeSize(root, {1920, 1000});
  // Three rows of four columns.
  ImGuiID rows[3] = {0, 0, root};
  rows[0] = ImGui::DockBuilderSplitNode(root, ImGuiDir_Up, 0.33f, nullptr, &rows[2]);
  rows[1] = ImGui::DockBuilderSplitNode(rows[2], ImGuiDir_Up, 0.5f, nullptr, &rows[2]);
  std::size_t panel = 0;
  for (ImGuiID rest : rows) {
    for (const float part : {0.25f, 0.33f, 0.5f, 1.0f}) {
      const ImGuiID place =
          part < 1 ? ImGui::DockBuilderSplitNode(rest, ImGuiDir_Left, part, nullptr, &rest) : rest;
      if (panel < kPanelTitles.size()) ImGui::DockBuilderDockWindow(kPanelTitles[panel++], place);
    }
  }
  ImGui::DockBuilderFinish(root);
}

class Bench {
 public:
  Bench(std::int64_t length, const char* algorithm) {
    ImGui_ImplNull_Init();
    App::Start start;
    start.options.q_len = length;
    start.options.q_heads = 8;
    start.options.head_dim = 64;
    start.options.algorithm = algorithm;
    start.options.q_tile = 128;
    start.options.kv_tile = 64;
    start.tour = false;
    app_.emplace(gui_, start, "", 1.0f);
    frame();
    for (int n = 0; n < static_cast<int>(app_->panels().size()); ++n) {
      if (!app_->is_open(n)) app_->toggle_panel(n);
    }
    frame();
    dock_side_by_side();
    for (int n = 0; n < 10; ++n) frame();
    for (const char* title : kPanelTitles) {
      const ImGuiWindow* window = ImGui::FindWindowByName(title);
      if (window == nullptr || window->Hidden || !window->Active) {
        throw Error(std::string(title) + " is not drawn");
      }
    }
  }
  ~Bench() { ImGui_ImplNull_Shutdown(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  App& app() { return *app_; }
  std::int64_t size() const { return app_->document().debugger().program().size(); }
  void frame() {
    ImGui::GetIO().DisplaySize = {1920, 1080};
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    ImGui_ImplNull_NewFrame();
    app_->before_frame();
    ImGui::NewFrame();
    app_->frame(1.0 / 60);
    ImGui::Render();
  }

 private:
  Gui gui_;
  std::optional<App> app_;
};

void at_rest(benchmark::State& state, std::int64_t length, const char* algorithm) {
  Bench bench(length, algorithm);
  bench.app().go_to(bench.size() * 2 / 3);
  bench.frame();
  for (auto _ : state) bench.frame();
}

void stepping(benchmark::State& state, std::int64_t length, const char* algorithm) {
  Bench bench(length, algorithm);
  bench.app().go_to(bench.size() * 2 / 3);
  for (auto _ : state) {
    bench.app().move(Unit::op, true);
    bench.frame();
  }
}

void jumping(benchmark::State& state, std::int64_t length, const char* algorithm) {
  Bench bench(length, algorithm);
  std::mt19937_64 random(1);
  double slowest = 0;
  for (auto _ : state) {
    const auto op = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bench.size()));
    const auto begin = std::chrono::steady_clock::now();
    bench.app().go_to(op);
    bench.frame();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    slowest = std::max(slowest, took.count());
  }
  state.counters["slowest_ms"] = slowest;
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::int64_t length : {4096, 65536}) {
    for (const char* algorithm : {"fa2", "fa1", "standard", "split_kv"}) {
      if (length > 4096 && std::string_view(algorithm) == "standard") continue;
      const std::string name = std::string(algorithm) + " N" + std::to_string(length) + " ";
      const auto add = [&](const char* what, auto function) {
        benchmark::RegisterBenchmark((name + what).c_str(), function, length, algorithm)
            ->Unit(benchmark::kMillisecond)
            ->MinTime(0.5);
      };
      add("at rest", at_rest);
      add("stepping", stepping);
      add("jumping", jumping);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
