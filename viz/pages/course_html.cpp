// Links between the pages of a course, and its index; see course_html.h and page.h.
#include "viz/pages/course_html.h"

#include <algorithm>

#include <fmt/format.h>

#include "viz/pages/document.h"
#include "viz/pages/prose_html.h"
#include "viz/pages/words.h"

namespace flashscope::pages {
namespace {

std::string link(const CoursePage& page, std::string_view rel, const std::string& inside) {
  return fmt::format("<a href=\"{}\"{}>{}</a>", escaped(page.file), rel, inside);
}

}  // namespace

std::string facts_html(const lessons::Lesson& lesson, const std::vector<CoursePage>& course) {
  std::string facts;
  const auto add = [&](const std::string& text) { facts += (facts.empty() ? "" : " · ") + text; };
  if (lesson.number > 0) add(fmt::format("Lesson {}", lesson.number));
  if (lesson.minutes > 0) add(fmt::format("{} minutes", lesson.minutes));
  std::string needs;
  for (const int number : lesson.needs) {
    const auto page = std::find_if(course.begin(), course.end(),
                                   [&](const CoursePage& p) { return p.lesson == number; });
    const std::string text = std::to_string(number);
    needs += (needs.empty() ? "" : ", ") + (page == course.end() ? text : link(*page, "", text));
  }
  if (!needs.empty())
    add(fmt::format("after lesson{} {}", lesson.needs.size() == 1 ? "" : "s", needs));
  return facts;
}

std::string turn_html(int lesson, const std::vector<CoursePage>& course) {
  const auto here = std::find_if(course.begin(), course.end(),
                                 [&](const CoursePage& p) { return p.lesson == lesson; });
  if (here == course.end()) return "";
  const auto named = [](const CoursePage& page) {
    return fmt::format("{} {}", page.lesson, title_html(page.title));
  };
  std::string html = "<nav class=\"turn\" aria-label=\"Lessons\">";
  if (here != course.begin()) {
    html += link(here[-1], " rel=\"prev\"", "← " + named(here[-1])) + "\n";
  }
  html += fmt::format("<a href=\"{}\">All lessons</a>\n", kIndexFile);
  if (here + 1 != course.end()) html += link(here[1], " rel=\"next\"", named(here[1]) + " →");
  return html + "</nav>\n";
}

std::string index_page(std::span<const lessons::Lesson> lessons,
                       const std::vector<CoursePage>& course) {
  int minutes = 0;
  std::string list;
  for (std::size_t n = 0; n < lessons.size(); ++n) {
    const lessons::Lesson& lesson = lessons[n];
    minutes += lesson.minutes;
    list += fmt::format("<li><h2>{}</h2>\n<p>{}</p>\n<p class=\"facts\">{}</p></li>\n",
                        link(course[n], "", title_html(lesson.title)), title_html(lesson.about),
                        facts_html(lesson, course));
  }
  DocumentParts page;
  page.title = "FlashScope: the lessons";
  page.description = "A course on FlashAttention that runs: every number is computed.";
  page.body = fmt::format(
      "<header class=\"page-head\"><h1>{}</h1>\n<p class=\"lead\">{}</p>\n<p class=\"facts\">{} "
      "lessons · {} minutes in all</p>\n</header>\n<main>\n<ol "
      "class=\"lessons\">\n{}</ol>\n</main>\n"
      "<footer><p>Each page is one file that needs no network. Answers are kept in this browser "
      "only.</p></footer>\n",
      page.title, page.description, lessons.size(), minutes, list);
  page.has_players = false;
  return document(page);
}

}  // namespace flashscope::pages
