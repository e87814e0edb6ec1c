// `flashscope lesson check`: the mistakes of lessons with their lines; exit code 2 when there are
// any.
#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "lessons/engine/check.h"
#include "lessons/engine/course.h"
#include "sim/error.h"
#include "sim/scenario/problem_json.h"
#include "viz/terminal/lesson_verbs.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

constexpr int kBroken = 2;

using lessons::CheckReport;

struct Checked {
  std::string file;
  CheckReport report;
  bool read = true;  // else its one mistake is why not
};

// "FILE:LINE: reason", or nothing when a message is not of that form.
std::optional<Checked> located(const std::string& message) {
  for (std::size_t colon = message.find(':'); colon != std::string::npos;
       colon = message.find(':', colon + 1)) {
    int line = 0;
    const char* const begin = message.data() + colon + 1;
    const auto [end, code] = std::from_chars(begin, message.data() + message.size(), line);
    if (code != std::errc() || !std::string_view(end).starts_with(": ")) continue;
    Checked checked;
    checked.file = message.substr(0, colon);
    checked.read = false;
    checked.report.mistakes.push_back({line, end + 2});
    return checked;
  }
  return std::nullopt;
}

Checked check_one(const std::string& which) {
  try {
    const lessons::Lesson lesson = lessons::load_lesson(which);
    return {lesson.file, lessons::check(lesson), true};
  } catch (const Error& error) {
    // A lesson that can't be read is broken; one that is not there is a mistake of whoever asked.
    if (auto broken = located(error.what())) return *std::move(broken);
    throw;
  }
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string summary(const Checked& checked) {
  const CheckReport& r = checked.report;
  std::string text = checked.file + ": ";
  if (checked.read) {
    const auto part = [&](int count, const char* one, const char* many) {
      return counted(static_cast<std::size_t>(count), one, many);
    };
    text += fmt::format("{}, {}, {}, {}, {}: ", part(r.stops, "stop", "stops"),
                        part(r.quizzes, "quiz", "quizzes"), part(r.expects, "expect", "expects"),
                        part(r.tasks, "task", "tasks"), part(r.figures, "figure", "figures"));
  }
  text += r.mistakes.empty()
              ? styled("all hold", Style::good)
              : styled(counted(r.mistakes.size(), "mistake", "mistakes"), Style::bad);
  if (!r.hints.empty()) text += ", " + counted(r.hints.size(), "hint", "hints");
  return text;
}

void print_findings(const Checked& checked) {
  for (const CheckReport::Finding& mistake : checked.report.mistakes) {
    fmt::print("{}:{}: {}\n", checked.file, mistake.line, mistake.reason);
  }
  for (const CheckReport::Finding& hint : checked.report.hints) {
    fmt::print("{}:{}: {} {}\n", checked.file, hint.line, styled("hint:", Style::dim), hint.reason);
  }
  fmt::print("{}\n", summary(checked));
}

Json findings_json(const std::vector<CheckReport::Finding>& findings) {
  Json list = Json::array();
  for (const CheckReport::Finding& finding : findings) {
    list.push_back({{"line", finding.line}, {"reason", finding.reason}});
  }
  return list;
}

Json to_json(const Checked& checked) {
  const CheckReport& r = checked.report;
  return {{"file", checked.file},
          {"holds", r.mistakes.empty()},
          {"mistakes", findings_json(r.mistakes)},
          {"hints", findings_json(r.hints)},
          {"stops", r.stops},
          {"quizzes", r.quizzes},
          {"expects", r.expects},
          {"tasks", r.tasks},
          {"figures", r.figures}};
}

}  // namespace

int check_lessons(const LessonCheckOptions& options) {
  std::vector<std::string> which = options.lessons;
  if (which.empty()) {
    for (const lessons::CourseFile& file : lessons::course_files()) which.emplace_back(file.file);
    if (which.empty()) throw Error("lesson check: the course has no lessons; name a file");
  }
  std::vector<Checked> all;
  for (const std::string& lesson : which) {
    all.push_back(check_one(lesson));
    if (!options.json) print_findings(all.back());
    std::fflush(stdout);  // a lesson takes seconds, and authors read while the next one is checked
  }
  if (options.json) {
    Json list = Json::array();
    for (const Checked& checked : all) list.push_back(to_json(checked));
    const Json report = {{"schema", "flashscope.lesson_check/1"}, {"lessons", list}};
    fmt::print("{}\n", report.dump(2, ' ', false, Json::error_handler_t::replace));
  }
  const bool holds = std::all_of(all.begin(), all.end(), [](const Checked& checked) {
    return checked.report.mistakes.empty();
  });
  return holds ? 0 : kBroken;
}

}  // namespace flashscope::terminal
