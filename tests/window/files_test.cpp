// Files: sessions saved and opened, tensors and tables dropped, and files that are none of these.
// What can't be used is explained, and the session that runs stays.
#include <fstream>
#include <imgui.h>

#include <doctest/doctest.h>

#include "sim/io/npy.h"
#include "tests/window/test_window.h"

namespace flashscope::window_tests {
namespace {

using Arguments = std::vector<std::string>;

const std::string kWhisper = FLASHSCOPE_SOURCE_DIR "/lessons/data/whisper_tiny_en.safetensors";

// Everything that must stay when a file is refused.
struct Held {
  explicit Held(App& app)
      : program(&app.document().debugger().program()),
        arguments(problem_arguments(app.document().options())),
        position(app.document().debugger().session().position()),
        breakpoints(app.document().debugger().breakpoints().size()) {}
  const Program* program;
  Arguments arguments;
  std::int64_t position;
  std::size_t breakpoints;
  friend bool operator==(const Held&, const Held&) = default;
};

void write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

// heads x length x 4 ramps.
void write_tensor(const std::string& path, std::int64_t heads, std::int64_t length) {
  const std::vector<std::int64_t> shape = {heads, length, 4};
  std::vector<float> values(static_cast<std::size_t>(heads * length * 4));
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = 0.25f * static_cast<float>(n % 7);
  io::write_npy(path, io::ElementType::f32, shape, std::as_bytes(std::span(values)));
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("files: a session saved and opened in dialogs stands at the very op") {
  const WorkingFolder folder;
  TestWindow window({.options = {"--problem", "pencil", "--causal"}});
  window.run([&](Person& p) {
    p.app().go_to(11);
    REQUIRE(p.app().type("set m[0] = 2.5") == "");
    REQUIRE(p.app().type("break O = O + P V") == "");
    const Held saved(p.app());
    p.press(ImGuiMod_Ctrl | ImGuiKey_S);
    p.wait(2);
    p.enter("//###dialog/##path", "lesson.json");
    p.wait(2);
    REQUIRE_FALSE(p.app().dialogs().is_open());
    REQUIRE(folder.files(".json") == Arguments{"lesson.json"});

    p.app().change(terminal::parse_problem_arguments({"--q-len", "16", "--algorithm", "fa1"}));
    p.app().go_to(3);
    CHECK_FALSE(Held(p.app()) == saved);
    p.press(ImGuiMod_Ctrl | ImGuiKey_O);
    p.wait(2);
    p.click("//###dialog/**/lesson.json");  // from the list
    p.click("//###dialog/Open");
    p.wait(2);
    CHECK_FALSE(p.app().dialogs().is_open());
    Held opened(p.app());
    opened.program = saved.program;
    CHECK(opened == saved);
    CHECK(p.debugger().session().events().size() == 1);
    const int m = p.program().algorithm().find("m", false);
    CHECK(p.debugger().session().tile(m).at(0, 0) == 2.5f);
    // Opening is a change of settings like others: undo goes back.
    p.press(ImGuiMod_Ctrl | ImGuiKey_Z);
    p.wait(2);
    CHECK(p.program().algorithm().name == "fa1");
  });
}

TEST_CASE("files: a session that is cut off or damaged is refused in the dialog") {
  const WorkingFolder folder;
  TestWindow window;
  window.run([&](Person& p) {
    p.app().go_to(9);
    p.app().save("whole.json");
    const std::string whole = io::file_content("whole.json");
    write("half.json", whole.substr(0, whole.size() / 2));
    write("empty.json", "");
    write("other.json", R"({"a": [1, 2, 3]})");
    write("binary.json", std::string("\x00\xff\x7f\x00{", 5));
    std::string wrong = whole;
    wrong.replace(wrong.find("\"position\""), 10, "\"positiom\"");
    write("wrong.json", wrong);
    const Held before(p.app());
    for (const std::string name :
         {"half.json", "empty.json", "other.json", "binary.json", "wrong.json", "missing.json", ".",
          "/", "/dev/null", "no/such/folder.json"}) {
      CAPTURE(name);
      p.press(ImGuiMod_Ctrl | ImGuiKey_O);
      p.wait(2);
      p.enter("//###dialog/##path", name);
      p.wait(2);
      CHECK(p.app().dialogs().is_open());
      CHECK(p.app().dialogs().error() != "");
      CHECK(Held(p.app()) == before);
      p.click("//###dialog/Cancel");
      p.wait(2);
      CHECK_FALSE(p.app().dialogs().is_open());
    }
    // A name that no file can have, as typed letter by letter.
    p.press(ImGuiMod_Ctrl | ImGuiKey_O);
    p.wait(2);
    p.enter("//###dialog/##path", std::string(300, 'x') + "/" + std::string(5000, 'y'));
    p.wait(2);
    CHECK(p.app().dialogs().error() != "");
    p.click("//###dialog/Cancel");
    // Where nothing can be written, saving says so.
    for (const std::string name : {"no/such/folder.json", "/proc/session.json", ""}) {
      CAPTURE(name);
      p.press(ImGuiMod_Ctrl | ImGuiKey_S);
      p.wait(2);
      p.enter("//###dialog/##path", name);
      p.wait(2);
      CHECK(p.app().dialogs().is_open());
      CHECK(p.app().dialogs().error() != "");
      p.press(ImGuiKey_Escape);
      p.wait(2);
      CHECK_FALSE(p.app().dialogs().is_open());
    }
    CHECK(Held(p.app()) == before);
  });
}

TEST_CASE("files: a dropped session, table and file of one problem are opened at once") {
  const WorkingFolder folder;
  TestWindow window;
  App& app = window.app();
  app.go_to(5);
  app.save("session.json");
  app.go_to(0);
  window.drop({folder / "session.json"});
  CHECK(app.document().debugger().session().position() == 5);
  window.drop({FLASHSCOPE_SOURCE_DIR "/lessons/data/planted_bug.alg"});
  CHECK(mentions(app.document().options().algorithm, "planted_bug.alg"));
  CHECK_FALSE(app.dialogs().is_open());
}

TEST_CASE("files: a dropped file of several problems asks which") {
  TestWindow window;
  window.drop({kWhisper});
  window.run([&](Person& p) {
    p.wait(2);
    REQUIRE(p.app().dialogs().is_open());
    p.click("//###dialog/decoder.1.self");
    p.wait(2);
    CHECK_FALSE(p.app().dialogs().is_open());
    CHECK(p.program().problem().q_len == 74);
    CHECK(p.program().problem().q_heads == 6);
    CHECK(p.app().document().options().prefix == "decoder.1.self");
    p.press(ImGuiMod_Ctrl | ImGuiKey_Z);
    p.wait(2);
    CHECK(p.program().problem().q_len == 4);
  });
  // The same through the dialog.
  window.run([&](Person& p) {
    p.press(ImGuiMod_Ctrl | ImGuiKey_O);
    p.wait(2);
    p.enter("//###dialog/##path", kWhisper);
    p.wait(2);
    p.click("//###dialog/decoder.1.cross");
    p.wait(2);
    CHECK(p.program().problem().kv_len == 1500);
    CHECK_FALSE(p.app().dialogs().is_open());
  });
}

TEST_CASE("files: three dropped tensors named q, k and v are a problem") {
  const WorkingFolder folder;
  write_tensor("q.npy", 2, 6);
  write_tensor("my_k.npy", 2, 10);
  write_tensor("V-1.npy", 2, 10);
  write_tensor("values.npy", 2, 10);
  TestWindow window;
  window.drop({folder / "q.npy", folder / "my_k.npy", folder / "V-1.npy"});
  window.run([&](Person& p) {
    p.wait(2);
    CHECK_FALSE(p.app().dialogs().is_open());
    CHECK(p.program().problem().q_heads == 2);
    CHECK(p.program().problem().q_len == 6);
    CHECK(p.program().problem().kv_len == 10);
    p.app().undo();
  });
  // One by one; and one whose name says nothing is asked about.
  window.drop({folder / "q.npy"});
  window.drop({folder / "values.npy"});
  window.run([&](Person& p) {
    p.wait(2);
    REQUIRE(p.app().dialogs().is_open());
    p.click("//###dialog/V");
    p.wait(2);
    CHECK(p.app().dialogs().is_open());
    CHECK(p.program().problem().q_len == 4);
  });
  window.drop({folder / "my_k.npy"});
  window.run([&](Person& p) {
    p.wait(2);
    CHECK_FALSE(p.app().dialogs().is_open());
    CHECK(p.program().problem().kv_len == 10);
    CHECK(mentions(*p.app().document().options().v, "values.npy"));
  });
}

TEST_CASE("files: tensors that don't fit are explained, and can be taken back") {
  const WorkingFolder folder;
  write_tensor("q.npy", 2, 6);
  write_tensor("k.npy", 3, 10);
  write_tensor("v.npy", 3, 10);
  TestWindow window;
  const Held before(window.app());
  window.drop({folder / "q.npy", folder / "k.npy", folder / "v.npy"});
  window.run([&](Person& p) {
    p.wait(2);
    REQUIRE(p.app().dialogs().is_open());
    CHECK(mentions(p.app().dialogs().error(), "heads"));
    CHECK(Held(p.app()) == before);
    p.click("//###dialog/Cancel");
    p.wait(2);
    CHECK_FALSE(p.app().dialogs().is_open());
  });
}

TEST_CASE("files: garbage that is dropped is refused, whatever its name says") {
  const WorkingFolder folder;
  TestWindow window;
  window.app().go_to(7);
  const Held before(window.app());
  for (const std::string name : {"a.json", "b.alg", "c.safetensors", "d.png", "e", "f.JSON"}) {
    for (const std::string& content :
         {std::string(), std::string("garbage\n"), std::string(4096, '\xff')}) {
      CAPTURE(name);
      write(name, content);
      window.drop({folder / name});
      window.run([&](Person& p) {
        p.wait(2);
        REQUIRE(p.app().dialogs().is_open());
        CHECK(mentions(p.app().dialogs().message(), name));
        CHECK(Held(p.app()) == before);
        p.press(ImGuiKey_Enter);
        p.wait(2);
        CHECK_FALSE(p.app().dialogs().is_open());
      });
    }
  }
  // Arrays are read only when all three are there.
  for (const char* const name : {"q.npy", "k.npy", "v.npz"}) write(name, "garbage");
  window.drop({folder / "q.npy", folder / "k.npy", folder / "v.npz"});
  window.run([&](Person& p) {
    p.wait(2);
    REQUIRE(p.app().dialogs().is_open());
    CHECK(mentions(p.app().dialogs().error(), ".np"));
    CHECK(Held(p.app()) == before);
    p.click("//###dialog/Cancel");
  });
}

}  // namespace flashscope::window_tests
