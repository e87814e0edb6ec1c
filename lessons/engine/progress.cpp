// The file of a reader's progress; see progress.h.
#include "lessons/engine/progress.h"

#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/parse_json.h"
#include "sim/io/write_file.h"

namespace flashscope::lessons {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Lessons = std::map<std::string, LessonProgress>;

constexpr const char* kSchema = "flashscope.lesson_progress/1";
constexpr std::uintmax_t kLargestFile = 1 << 20;

fs::path absolute_folder(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return {};
  const fs::path path = value;
  return path.is_absolute() ? path : fs::path();
}

// A count from 0 up; anything else is damage.
std::optional<int> count_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto value = found->get<std::uint64_t>();
  if (value > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(value);
}

std::optional<LessonProgress> parse_lesson(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto block = count_of(json, "block"), right = count_of(json, "right"),
             asked = count_of(json, "asked");
  const auto finished = json.find("finished"), answers = json.find("answers");
  if (!block || !right || !asked || finished == json.end() || !finished->is_boolean() ||
      answers == json.end() || !answers->is_array()) {
    return std::nullopt;
  }
  LessonProgress progress{*block, finished->get<bool>(), *right, *asked, {}};
  for (const Json& answer : *answers) {
    if (!answer.is_object()) return std::nullopt;
    const auto line = count_of(answer, "line");
    const auto is_right = answer.find("right");
    if (!line || is_right == answer.end() || !is_right->is_boolean()) return std::nullopt;
    progress.answers[*line] = is_right->get<bool>();
  }
  return progress;
}

std::optional<Lessons> parse(const std::string& text) {
  const Json json = io::parse_json(text);
  if (json.is_discarded() || !json.is_object() || json.value("schema", Json()) != kSchema) {
    return std::nullopt;
  }
  const auto list = json.find("lessons");
  if (list == json.end() || !list->is_object()) return std::nullopt;
  Lessons lessons;
  for (const auto& [name, value] : list->items()) {
    const auto lesson = parse_lesson(value);
    if (!lesson) return std::nullopt;
    lessons[name] = *lesson;
  }
  return lessons;
}

// Nothing when there is a file but it can't be read: not ours to replace.
std::optional<std::string> text_of(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return std::nullopt;
  const std::uintmax_t size = fs::file_size(path, failed);
  if (failed || size > kLargestFile) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(size))) return std::nullopt;
  return text;
}

Json to_json(const LessonProgress& progress) {
  Json answers = Json::array();
  for (const auto& [line, right] : progress.answers) {
    answers.push_back({{"line", line}, {"right", right}});
  }
  return {{"block", progress.block},
          {"finished", progress.finished},
          {"right", progress.right},
          {"asked", progress.asked},
          {"answers", answers}};
}

}  // namespace

void LessonProgress::answer(int line, bool is_right, bool is_quiz) {
  const auto [kept, is_new] = answers.try_emplace(line, is_right);
  if (!is_quiz) {
    kept->second = kept->second || is_right;
  } else if (is_new) {
    ++asked;
    right += is_right ? 1 : 0;
  }
}

fs::path Progress::default_file() {
  fs::path folder = absolute_folder("XDG_STATE_HOME");
  if (folder.empty()) {
    const fs::path home = absolute_folder("HOME");
    if (home.empty()) return {};
    folder = home / ".local" / "state";
  }
  return folder / "flashscope" / "lessons.json";
}

Progress::Progress(fs::path file) : file_(std::move(file)) {
  std::error_code failed;
  if (file_.empty() || !fs::exists(file_, failed)) return;
  const auto text = text_of(file_);
  if (!text) {
    note_ = fmt::format("{}: progress can't be read there; it is not kept", file_.string());
    file_.clear();
    return;
  }
  if (auto lessons = parse(*text)) {
    lessons_ = *std::move(lessons);
    return;
  }
  const fs::path aside = file_.string() + ".damaged";
  fs::rename(file_, aside, failed);
  if (failed) {
    note_ =
        fmt::format("{}: damaged, and can't be set aside; progress is not kept", file_.string());
    file_.clear();
  } else {
    note_ = fmt::format("{}: damaged, set aside as {}; progress starts anew", file_.string(),
                        aside.filename().string());
  }
}

LessonProgress& Progress::of(const std::string& lesson_name) {
  asked_for_.insert(lesson_name);
  return lessons_[lesson_name];
}

void Progress::keep() const {
  if (file_.empty()) return;
  Lessons all = lessons_;
  if (const auto text = text_of(file_)) {
    if (const auto present = parse(*text)) {
      all = *present;
      for (const std::string& name : asked_for_) all[name] = lessons_.at(name);
    }
  }
  Json list = Json::object();
  for (const auto& [name, progress] : all) list[name] = to_json(progress);
  const Json json = {{"schema", kSchema}, {"lessons", list}};
  std::error_code failed;
  fs::create_directories(file_.parent_path(), failed);
  if (failed) {
    throw Error(fmt::format("{}: no folder can be made there: {}", file_.parent_path().string(),
                            failed.message()));
  }
  io::write_text(file_.string(), json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace flashscope::lessons
