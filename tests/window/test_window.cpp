// See test_window.h. The engine runs a test's function on a thread of its own, turn by turn with
// the frames: what is thrown there is kept and thrown again where doctest expects it.
#include "tests/window/test_window.h"

#include <GLFW/glfw3.h>
#include <algorithm>
#include <cctype>
#include <exception>
#include <imgui_internal.h>
#include <imgui_te_context.h>
#include <imgui_te_engine.h>
#include <stdexcept>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "viz/window/commands.h"

namespace flashscope::window_tests {
namespace {

constexpr double kFrameSeconds = 1.0 / 60;
constexpr int kDrawnOneIn = 16;  // while a person acts

// Dear ImGui has made the frame; unless it is one of those to be seen, nothing is left to draw.
// Filling pixels without a GPU takes most of a frame's time.
void leave_out(ImGuiContext*, ImGuiContextHook*) {
  if (ImGui::GetFrameCount() % kDrawnOneIn == 0) return;
  ImDrawData& drawn = *ImGui::GetDrawData();
  drawn.CmdLists.clear();
  drawn.TotalIdxCount = drawn.TotalVtxCount = 0;
}

// The engine's own log from errors down to this level.
std::string lines_of(ImGuiTestLog& log, ImGuiTestVerboseLevel level) {
  ImGuiTextBuffer text;
  log.ExtractLinesForVerboseLevels(ImGuiTestVerboseLevel_Error, level, &text);
  return text.c_str();
}

// For a file's name: letters and digits only.
std::string name_of_present_test() {
  std::string name = doctest::getContextOptions()->currentTest->m_name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
  return name;
}

}  // namespace

std::vector<std::string> WorkingFolder::files(const std::string& extension) const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    if (entry.path().extension() == extension) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

// --- a person -----------------------------------------------------------------------------------

void Person::check() {
  if (context_.IsError())
    throw std::runtime_error("the window has no such item, or it is out of reach");
}

void Person::click(const std::string& item) {
  context_.ItemClick(item.c_str());
  check();
}

ImVec4 Person::rectangle(const std::string& item) {
  const ImRect r = context_.ItemInfo(item.c_str()).RectFull;
  check();
  return {r.Min.x, r.Min.y, r.Max.x, r.Max.y};
}

void Person::hover_at(const std::string& item, float x, float y) {
  context_.MouseMove(item.c_str());
  const ImVec4 r = rectangle(item);
  context_.MouseMoveToPos({r.x + x * (r.z - r.x), r.y + y * (r.w - r.y)});
  check();
}

void Person::click_at(const std::string& item, float x, float y) {
  hover_at(item, x, y);
  context_.MouseClick();
  check();
}

void Person::right_click_at(const std::string& window, float x, float y) {
  const ImGuiWindow* const w = context_.GetWindowByRef(window.c_str());
  if (w == nullptr) throw std::runtime_error("there is no window " + window);
  context_.MouseMoveToPos(w->Pos + ImVec2(x, y) * w->Size);
  context_.MouseClick(ImGuiMouseButton_Right);
}

void Person::drag(const std::string& item, float from_x, float to_x) {
  hover_at(item, from_x, 0.5f);
  const ImVec4 r = rectangle(item);
  context_.MouseDown();
  context_.MouseMoveToPos({r.x + to_x * (r.z - r.x), (r.y + r.w) / 2});
  context_.MouseUp();
  check();
}

void Person::press(ImGuiKeyChord key) { context_.KeyPress(key); }
void Person::type(const std::string& text) { context_.KeyChars(text.c_str()); }

void Person::enter(const std::string& field, const std::string& text) {
  context_.ItemInput(field.c_str());
  check();
  context_.KeyCharsReplaceEnter(text.c_str());
}

void Person::replace(const std::string& field, const std::string& text) {
  context_.ItemInput(field.c_str());
  check();
  context_.KeyCharsReplace(text.c_str());
}

void Person::choose(const std::string& combo, const std::string& item) {
  context_.ItemClick(combo.c_str());
  check();
  const ImGuiWindow* const list = context_.GetWindowByRef("//$FOCUSED");
  context_.ItemClick(fmt::format("//{}/{}", list->Name, item).c_str());
  check();
}

void Person::open_section(const std::string& header) {
  context_.ItemOpen(header.c_str());
  check();
}

void Person::focus(const std::string& window) {
  context_.WindowFocus(("//" + window).c_str());
  check();
}

void Person::menu(const std::string& command) {
  const Command& c = find_command(command);
  context_.MenuClick(("//##MainMenuBar/" + c.group + "/" + c.title + "##" + c.name).c_str());
  check();
}

void Person::palette(const std::string& command) {
  const Command& c = find_command(command);
  context_.KeyPress(find_command("command_palette").key);
  wait(2);
  context_.KeyChars((c.group + ": " + c.title).c_str());
  wait(2);
  context_.KeyPress(ImGuiKey_Enter);
  check();
}

void Person::wait(int frames) { context_.Yield(frames); }

void Person::wait_until(const std::function<bool()>& done) {
  for (int frame = 0; frame < 20 * 60 && !done(); ++frame) context_.Yield();
  if (!done()) throw std::runtime_error("waited 20 seconds in vain");
}

bool Person::sees(const std::string& item) { return context_.ItemExists(item.c_str()); }

bool Person::has_focus(const std::string& item) {
  return context_.ItemInfo(item.c_str()).ID == ImGui::GetCurrentContext()->NavId;
}

std::string Person::clipboard() const { return ImGui::GetClipboardText(); }
void Person::clear_clipboard() { ImGui::SetClipboardText(""); }

// --- its window ---------------------------------------------------------------------------------

TestWindow::TestWindow(const Setup& setup) : draws_every_frame_(setup.draws_every_frame) {
  App::Start start;
  start.options = terminal::parse_problem_arguments(setup.options);
  start.session = setup.session;
  start.panel = setup.panel;
  start.lesson = setup.lesson;
  start.progress = setup.progress;
  start.layout = setup.layout;
  start.tour = setup.tour;
  loop_ = std::make_unique<Loop>(start, Loop::Settings{.storage = setup.storage,
                                                       .width = setup.width,
                                                       .height = setup.height,
                                                       .scale = setup.scale,
                                                       .visible = setup.visible});
  engine_ = ImGuiTestEngine_CreateContext();
  ImGuiTestEngineIO& io = ImGuiTestEngine_GetIO(engine_);
  io.ConfigRunSpeed = ImGuiTestRunSpeed_Fast;
  io.ConfigNoThrottle = true;
  io.ConfigSavedSettings = false;
  io.ConfigFixedDeltaTime = static_cast<float>(kFrameSeconds);
  ImGuiTestEngine_Start(engine_, ImGui::GetCurrentContext());
}

TestWindow::~TestWindow() {
  ImGuiTestEngine_Stop(engine_);
  loop_.reset();
  ImGuiTestEngine_DestroyContext(engine_);
}

void TestWindow::run(const std::function<void(Person&)>& actions) {
  std::exception_ptr thrown;
  std::string ambiguous;
  ImGuiTest* test = IM_REGISTER_TEST(engine_, "window", "test");
  test->TestFunc = [&](ImGuiTestContext* context) {
    try {
      Person person(*context, app());
      actions(person);
    } catch (...) {
      thrown = std::current_exception();
    }
  };
  ImGuiTestEngine_QueueTest(engine_, test);
  ImGuiContextHook hook;
  hook.Type = ImGuiContextHookType_RenderPost;
  hook.Callback = leave_out;
  const ImGuiID hook_id =
      draws_every_frame_ ? 0 : ImGui::AddContextHook(ImGui::GetCurrentContext(), &hook);
  while (!ImGuiTestEngine_IsTestQueueEmpty(engine_)) {
    loop_->draw(kFrameSeconds);
    ImGuiTestEngine_PostSwap(engine_);
    // Two items of one name under the mouse: Dear ImGui would press both.
    const ImGuiID twice = ImGui::GetCurrentContext()->DebugDrawIdConflictsId;
    if (twice != 0 && ambiguous.empty()) {
      ambiguous = ImGuiTestEngine_FindItemDebugLabel(ImGui::GetCurrentContext(), twice);
    }
  }
  if (hook_id != 0) ImGui::RemoveContextHook(ImGui::GetCurrentContext(), hook_id);
  const bool missed = test->Output.Status != ImGuiTestStatus_Success;
  // Warnings are what Dear ImGui complains of: a Begin() without its End(), and the like. The first
  // is the heading.
  ImGuiTestLog& log = test->Output.Log;
  std::string complaint;
  if (missed) complaint = lines_of(log, ImGuiTestVerboseLevel_Info);
  if (log.CountPerLevel[ImGuiTestVerboseLevel_Warning] > 1) {
    complaint += lines_of(log, ImGuiTestVerboseLevel_Warning);
  }
  ImGuiTestEngine_UnregisterTest(engine_, test);
  loop_->draw(0);
  if (missed || thrown) keep_picture("failed-" + name_of_present_test());
  if (!complaint.empty()) FAIL_CHECK(complaint);
  CHECK(ambiguous == "");
  if (thrown) std::rethrow_exception(thrown);
}

void TestWindow::drop(const std::vector<std::string>& paths) {
  auto* const window = static_cast<GLFWwindow*>(ImGui::GetMainViewport()->PlatformHandle);
  const GLFWdropfun callback = glfwSetDropCallback(window, nullptr);
  glfwSetDropCallback(window, callback);
  std::vector<const char*> names;
  for (const std::string& path : paths) names.push_back(path.c_str());
  callback(window, static_cast<int>(names.size()), names.data());
  app().drop(loop_->screen().take_dropped());
}

void TestWindow::keep_picture(const std::string& name) {
  std::filesystem::create_directories(FLASHSCOPE_WINDOW_PICTURES);
  write_png(loop_->screen().picture(), fmt::format("{}/{}.png", FLASHSCOPE_WINDOW_PICTURES, name));
}

int panel_index(const std::string& title) {
  const auto found = std::ranges::find(kPanelTitles, title);
  REQUIRE(found != kPanelTitles.end());
  return static_cast<int>(found - kPanelTitles.begin());
}

}  // namespace flashscope::window_tests
