// Every control of the Controls panel: what it changes in the program that runs, that undo brings
// the old settings back, and that a wrong entry changes nothing and is explained.
#include <functional>
#include <imgui.h>

#include <doctest/doctest.h>

#include "sim/attention/faults.h"
#include "tests/window/test_window.h"

namespace flashscope::window_tests {
namespace {

using Arguments = std::vector<std::string>;

// Where a control is: its section's table, and its name, which is the option's on the command line.
std::string control(const std::string& name) {
  const std::string schedule = " algorithm q-tile kv-tile splits kv-order pack-gqa device ";
  const std::string spaced = " " + name + " ";
  const bool masks = std::string(" causal window mask ").find(spaced) != std::string::npos;
  const char* const section = masks                                        ? "Mask"
                              : schedule.find(spaced) != std::string::npos ? "Schedule"
                                                                           : "Problem";
  return "//Controls/" + std::string(section) + "/##" + name;
}

Arguments arguments(Person& p) { return problem_arguments(p.app().document().options()); }

// Does something that must change the settings; then undo must bring them back, and redo the
// change.
void check_change(Person& p, const std::function<void()>& act,
                  const std::function<bool(const Program&)>& shows) {
  const Arguments before = arguments(p);
  act();
  p.wait(2);
  CHECK_FALSE(p.app().dialogs().is_open());
  const Arguments after = arguments(p);
  CHECK(after != before);
  CHECK(shows(p.program()));
  p.click("//Controls/Undo");
  p.wait(2);
  CHECK(arguments(p) == before);
  CHECK_FALSE(shows(p.program()));
  p.click("//Controls/Redo");
  p.wait(2);
  CHECK(arguments(p) == after);
  CHECK(shows(p.program()));
}

// Enters text that can't be used: nothing changes, and a dialog mentions `why`.
void check_refused(Person& p, const std::string& name, const std::string& text,
                   const std::string& why) {
  CAPTURE(text);
  const Arguments before = arguments(p);
  const Program* const program = &p.program();
  p.enter(control(name), text);
  p.wait(2);
  CHECK(arguments(p) == before);
  CHECK(&p.program() == program);
  REQUIRE(p.app().dialogs().is_open());
  CHECK(p.app().dialogs().message().find(why) != std::string::npos);
  p.click("//###dialog/OK");
  p.wait(2);
  CHECK_FALSE(p.app().dialogs().is_open());
}

// With the panel alone, large: all its controls are in view.
TestWindow::Setup alone(const Arguments& options) {
  return {.options = options, .panel = "Controls", .width = 900, .height = 1200};
}

}  // namespace

TEST_CASE("controls: the problem and its sizes") {
  TestWindow window({.options = {"--problem", "pencil"}});
  window.run([](Person& p) {
    struct Whisper {
      std::string name;
      std::int64_t q_len, kv_len;
    };
    for (const Whisper& w : {Whisper{"whisper-decoder", 74, 74}, {"whisper-cross", 74, 1500}}) {
      CAPTURE(w.name);
      check_change(
          p, [&] { p.choose(control("problem"), w.name); },
          [&](const Program& program) {
            return program.problem().q_len == w.q_len && program.problem().kv_len == w.kv_len;
          });
    }
    check_change(
        p, [&] { p.choose(control("problem"), "random"); },
        [](const Program& program) {
          return program.problem().q_len == 512 && program.problem().q_heads == 4;
        });
    const auto check_size = [&](const std::string& name, std::int64_t value, auto member) {
      CAPTURE(name);
      check_change(
          p, [&] { p.enter(control(name), std::to_string(value)); },
          [&](const Program& program) { return program.problem().*member == value; });
    };
    check_size("batch", 2, &Problem::batch);
    check_size("q-heads", 6, &Problem::q_heads);
    check_size("kv-heads", 3, &Problem::kv_heads);
    check_size("q-len", 40, &Problem::q_len);
    check_size("kv-len", 56, &Problem::kv_len);
    check_size("head-dim", 16, &Problem::head_dim);
    for (const auto& [name, format] :
         {std::pair{"fp32", Format::fp32}, {"bf16", Format::bf16}, {"fp16", Format::fp16}}) {
      check_change(
          p, [&] { p.choose(control("dtype"), name); },
          [&](const Program& program) { return program.problem().dtype == format; });
    }
    const Arguments before = arguments(p);
    p.enter(control("distribution"), "ramp");
    p.wait(2);
    CHECK(p.app().document().options().distribution == "ramp");
    check_refused(p, "distribution", "romp", "romp");
    p.click("//Controls/Undo");
    CHECK(arguments(p) == before);
    check_refused(p, "q-heads", "7", "heads");
    check_refused(p, "head-dim", "1000", "head-dim");
    // No number at all is said beside the fields.
    p.enter(control("q-len"), "many");
    p.wait(2);
    CHECK(arguments(p) == before);
    CHECK_FALSE(p.app().dialogs().is_open());
  });
}

TEST_CASE("controls: the mask") {
  TestWindow window(
      {.options = {"--q-len", "12", "--head-dim", "4", "--q-tile", "4", "--kv-tile", "4"}});
  window.run([](Person& p) {
    const auto visible = [&] { return p.program().tile_map(0, 0).visible_elements(); };
    CHECK(visible() == 144);
    check_change(
        p, [&] { p.click(control("causal")); }, [&](const Program&) { return visible() == 78; });
    check_change(
        p, [&] { p.enter(control("window"), "3,0"); },
        [](const Program& program) { return program.problem().mask.window_left == 3; });
    check_change(
        p, [&] { p.enter(control("mask"), "k < 4"); },
        [&](const Program&) { return visible() == 16; });
    check_refused(p, "mask", "q>=", "text ends");
    check_refused(p, "mask", "row > 3", "row");
    check_refused(p, "window", "3", "window");
    // An empty field takes the mask away.
    check_change(
        p, [&] { p.enter(control("mask"), ""); },
        [](const Program& program) { return !program.problem().mask.expression.has_value(); });
  });
}

TEST_CASE("controls: the schedule") {
  TestWindow window(
      {.options = {"--q-len", "32", "--q-heads", "4", "--kv-heads", "2", "--head-dim", "8"}});
  window.run([](Person& p) {
    check_change(
        p, [&] { p.enter(control("q-tile"), "8"); },
        [](const Program& program) { return program.tiling().q_tile_rows == 8; });
    check_change(
        p, [&] { p.enter(control("kv-tile"), "4"); },
        [](const Program& program) { return program.tiling().kv_tile_rows == 4; });
    check_refused(p, "q-tile", "0", "q-tile");
    check_change(
        p, [&] { p.choose(control("kv-order"), "descending"); },
        [](const Program& program) { return program.tiling().kv_order == KvOrder::descending; });
    p.app().undo();
    check_change(
        p, [&] { p.click(control("pack-gqa")); },
        [](const Program& program) { return program.tiling().pack_gqa && program.group() == 2; });
    p.app().undo();
    for (const std::string name : {"fa1", "standard", "split_kv"}) {
      CAPTURE(name);
      check_change(
          p, [&] { p.choose(control("algorithm"), name); },
          [&](const Program& program) { return program.algorithm().name == name; });
    }
    check_change(
        p, [&] { p.enter(control("splits"), "3"); },
        [](const Program& program) { return program.tiling().splits == 3; });
    // What only split_kv has is left behind with it.
    p.choose(control("algorithm"), "fa2");
    p.wait(2);
    CHECK(p.program().algorithm().name == "fa2");
    CHECK_FALSE(p.sees(control("splits")));
    const auto device = [&](const Program&) {
      return std::string(p.app().context().device.name) == "toy";
    };
    check_change(
        p, [&] { p.choose(control("device"), "toy"); }, device);
    check_refused(p, "q-tile", "4096", "toy");
  });
}

TEST_CASE("controls: precision and faults") {
  TestWindow window(alone({"--problem", "pencil"}));
  window.run([](Person& p) {
    // Sections that begin closed open by a click, as everywhere.
    p.open_section("//Beamer/Precision");
    const auto undo = [&] {
      p.click("//Beamer/Undo");
      p.wait(2);
    };
    const auto check_stage = [&](const std::string& name, auto member) {
      CAPTURE(name);
      p.choose("//Beamer/Precision/##" + name, "bf16");
      p.wait(2);
      CHECK(p.program().precision().*member == Format::bf16);
    };
    const Arguments before = arguments(p);
    check_stage("input", &Precision::input);
    check_stage("score", &Precision::score);
    check_stage("probability", &Precision::probability);
    check_stage("accumulator", &Precision::accumulator);
    check_stage("output", &Precision::output);
    CHECK(p.program().precision().input == Format::bf16);
    p.click("//Beamer/**/As the algorithm has it");
    p.wait(2);
    CHECK(arguments(p) == before);
    for (int n = 0; n < 6; ++n) undo();
    CHECK(arguments(p) == before);

    p.choose("//Beamer/Fault/##fault", "o_not_rescaled");
    p.wait(2);
    CHECK(p.program().algorithm().fault == "o_not_rescaled");
    p.choose("//Beamer/Fault/##fault", "none");
    p.wait(2);
    CHECK(p.program().algorithm().fault.empty());
    undo();
    CHECK(p.program().algorithm().fault == "o_not_rescaled");
    undo();
    CHECK(arguments(p) == before);
  });
}

}  // namespace flashscope::window_tests
