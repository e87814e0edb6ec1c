// What holds for every page: it is well formed, refers to nothing outside, can be read and used
// without eyes or mouse, and shows texts as texts.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "lessons/engine/course.h"
#include "sim/error.h"
#include "tests/pages/html_tree.h"
#include "tests/pages/sample_pages.h"
#include "viz/pages/assets.h"
#include "viz/pages/figure_html.h"
#include "viz/pages/page.h"
#include "viz/pages/words.h"

using namespace flashscope;

namespace {

struct Page {
  std::string name, html;
};

const std::vector<Page>& all_pages() {
  static const std::vector<Page> kPages = [] {
    std::vector<Page> pages;
    for (const SampleWalk& walk : sample_walks()) pages.push_back({walk.name, page_of(walk)});
    pages.push_back({"lesson", pages::lesson_page(sample_lesson())});
    return pages;
  }();
  return kPages;
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \n\t") == std::string::npos;
}

// The accessible name of a control, by the rules that matter here.
std::string label_of(const HtmlElement& root, const HtmlElement& control) {
  if (control.has("aria-label")) return control.get("aria-label");
  if (control.name == "button") return control.all_text();
  for (const HtmlElement* label : root.named("label")) {
    if (label->get("for") == control.get("id")) return label->all_text();
  }
  return "";
}

}  // namespace

TEST_CASE("every page is well formed, in English, and asks a browser for nothing") {
  for (const Page& page : all_pages()) {
    CAPTURE(page.name);
    const auto root = parse_html(page.html);
    REQUIRE(root->named("html").size() == 1);
    CHECK(root->named("html")[0]->get("lang") == "en");
    CHECK(root->named("h1").size() == 1);
    CHECK(!is_blank(root->named("title")[0]->all_text()));
    const auto policy = root->find(
        [](const HtmlElement& e) { return e.get("http-equiv") == "Content-Security-Policy"; });
    REQUIRE(policy.size() == 1);
    CHECK(policy[0]->get("content").starts_with("default-src 'none';"));
    root->visit([](const HtmlElement& e) {
      CAPTURE(e.name);
      CHECK(!e.has("src"));
      CHECK(!e.has("srcset"));
      CHECK(!e.has("action"));
      if (e.name != "a" && e.has("href")) CHECK(e.get("href") == "data:,");
      if (e.name == "a") {
        const bool known = e.get("href").starts_with("https://") || e.get("href").starts_with("#");
        CHECK(known);
      }
    });
  }
  for (const std::string_view text : {pages::page_css(), pages::player_js(), pages::quiz_js()}) {
    for (const char* word : {"http", "url(", "@import", "fetch(", "XMLHttp", "eval(", "</"}) {
      CAPTURE(word);
      CHECK(text.find(word) == std::string_view::npos);
    }
  }
}

TEST_CASE("ids are unique and everything that is referred to is there") {
  for (const Page& page : all_pages()) {
    CAPTURE(page.name);
    const auto root = parse_html(page.html);
    std::set<std::string> ids;
    root->visit([&](const HtmlElement& e) {
      if (!e.has("id")) return;
      CAPTURE(e.get("id"));
      CHECK(ids.insert(e.get("id")).second);
    });
    root->visit([&](const HtmlElement& e) {
      for (const char* attribute : {"for", "aria-labelledby"}) {
        if (e.has(attribute)) CHECK(ids.contains(e.get(attribute)));
      }
      if (e.get("href").starts_with("#")) CHECK(ids.contains(e.get("href").substr(1)));
      const std::string fill = e.get("fill");
      if (fill.starts_with("url(#")) CHECK(ids.contains(fill.substr(5, fill.size() - 6)));
      if (e.has("data-map")) CHECK(ids.contains(e.get("data-map")));
    });
  }
}

TEST_CASE("controls have labels, pictures have words, headings come in order") {
  for (const Page& page : all_pages()) {
    CAPTURE(page.name);
    const auto root = parse_html(page.html);
    int controls = 0, last = 0;
    root->visit([&](const HtmlElement& e) {
      CAPTURE(e.name);
      if (e.name == "button" || e.name == "input" || e.name == "select") {
        ++controls;
        CAPTURE(e.get("id"));
        CHECK(!is_blank(label_of(*root, e)));
      }
      if (e.name == "button") CHECK(e.get("type") == "button");
      if (e.name == "svg" && e.get("aria-hidden") != "true") {
        CHECK(e.get("role") == "img");
        CHECK(!is_blank(e.get("aria-label")));
      }
      if (e.name == "canvas") CHECK(!is_blank(e.get("aria-label")));
      if (e.name.size() == 2 && e.name[0] == 'h' && e.name[1] >= '1' && e.name[1] <= '6') {
        const int level = e.name[1] - '0';
        CAPTURE(e.all_text());
        CHECK(level <= last + 1);
        CHECK(!is_blank(e.all_text()));
        last = level;
      }
      if (e.name == "th" && !e.has("scope")) FAIL_CHECK("a header that heads nothing");
      // What scrolls must be reachable with the keyboard.
      if (e.name == "pre" || e.is_of_class("code")) CHECK(e.get("tabindex") == "0");
    });
    CHECK(controls >= 6);
    CHECK(!root->find([](const HtmlElement& e) { return e.get("aria-live") == "polite"; }).empty());
  }
}

TEST_CASE("texts of lessons and commands are never markup") {
  for (const Page& page : all_pages()) {
    CAPTURE(page.name);
    const auto root = parse_html(page.html);
    std::size_t data = 0, code = 0;
    for (const HtmlElement* script : root->named("script")) {
      (script->get("type") == "application/json" ? data : code) += 1;
      // Neither ends it: what a browser looks for inside is "</script" and "<!--".
      if (script->get("type") == "application/json") {
        CHECK(script->text.find('<') == std::string::npos);
      }
      CHECK(script->text.find("bad()") == std::string::npos);
    }
    CHECK(code == 1);
    const auto players = root->find([](const HtmlElement& e) { return e.is_of_class("player"); });
    CHECK(data == players.size());
    root->visit([](const HtmlElement& e) {
      for (const auto& [name, value] : e.attributes) CHECK(!name.starts_with("on"));
      CHECK(!e.get("href").starts_with("javascript"));
    });
    for (const char* name : {"img", "u", "s", "i", "iframe", "object", "units"}) {
      CHECK(root->named(name).empty());
    }
    CHECK(root->all_text().find("<script>bad()</script>") != std::string::npos);
  }
}

TEST_CASE("text is escaped, whatever its bytes are") {
  CHECK(pages::escaped("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(pages::escaped("−∞ ü 𝄞\t\n") == "−∞ ü 𝄞\t\n");
  const std::string_view bad("\xFF\xC0\x80\xED\xA0\x80\xF4\x90\x80\x80\x00\x1B\x7F\xE2\x82", 15);
  const std::string cleaned = pages::escaped(bad);
  for (const char c : cleaned) {
    const bool known = c == '\xEF' || c == '\xBF' || c == '\xBD';
    CHECK(known);
  }
  CHECK(pages::escaped("\xE2\x82") == "\xEF\xBF\xBD\xEF\xBF\xBD");
  CHECK(pages::escaped_json("{\"a\":\"</script>\"}") == "{\"a\":\"\\u003c/script>\"}");
}

TEST_CASE("a walk of the pencil problem is a small file") {
  const Page& pencil = all_pages().front();
  REQUIRE(pencil.name == "pencil");
  CHECK(pencil.html.size() < 80'000);
  for (const Page& page : all_pages()) CHECK(page.html.size() < 300'000);
}

TEST_CASE("a lesson's page has its parts, and no answers to be seen") {
  const auto root = parse_html(all_pages().back().html);
  const auto of_class = [&](const char* name) {
    return root->find([&](const HtmlElement& e) { return e.is_of_class(name); });
  };
  CHECK(of_class("player").size() == 2);
  CHECK(of_class("stop").size() == 1);  // before the first op
  CHECK(of_class("quiz").size() == 2);
  CHECK(of_class("figure").size() == 7);
  CHECK(of_class("task").size() == 1);
  // Notes for the teacher only where they are asked for.
  CHECK(of_class("teacher").empty());
  CHECK(root->all_text().find("Ten minutes.") == std::string::npos);
  pages::LessonPageOptions teacher;
  teacher.teacher = true;
  const auto with_notes = parse_html(pages::lesson_page(sample_lesson(), teacher));
  const auto notes =
      with_notes->find([](const HtmlElement& e) { return e.is_of_class("teacher"); });
  REQUIRE(notes.size() == 1);
  CHECK(!notes[0]->has("open"));
  CHECK(notes[0]->all_text().find("Ten minutes.") != std::string::npos);
  // One of the two players has the lines of the table they share.
  const auto tables = root->find(
      [](const HtmlElement& e) { return e.get("aria-label") == "The table of the algorithm"; });
  REQUIRE(tables.size() == 2);
  CHECK(tables[0]->named("li").size() > 10);
  CHECK(tables[1]->get("data-like") == of_class("player")[0]->get("id"));
  CHECK(tables[1]->named("li").size() == 1);
  const auto values = of_class("values");
  REQUIRE(!values.empty());
  CHECK(values[0]->all_text() == "m[0]1l[0]1.368");
  // What is right is told in templates and behind a fold.
  for (const HtmlElement* quiz : of_class("quiz")) {
    CHECK(!quiz->named("template").empty());
    CHECK(quiz->named("noscript").size() == 1);
    for (const HtmlElement* feedback :
         quiz->find([](const HtmlElement& e) { return e.is_of_class("feedback"); })) {
      CHECK(feedback->all_text().empty());
      CHECK(feedback->get("aria-live") == "polite");
    }
    for (const HtmlElement* radio : quiz->named("input")) CHECK(!radio->has("checked"));
  }
  CHECK(of_class("quiz")[0]->get("data-right").size() == 1);
  const std::string task = of_class("task")[0]->all_text();
  CHECK(task.find("flashscope debug --problem pencil --q-tile 2 --kv-tile 2") != std::string::npos);
  CHECK(task.find("flashscope debug --problem pencil --q-tile 4 --kv-tile 2") != std::string::npos);
  // Expects are for the check.
  const auto lists = root->named("li");
  CHECK(!lists.empty());
  const auto headings = root->named("h2");
  std::vector<std::string> texts;
  for (const HtmlElement* heading : headings) texts.push_back(heading->all_text());
  CHECK(std::find(texts.begin(), texts.end(), "The first tile") != texts.end());
  CHECK(std::find(texts.begin(), texts.end(), "Sources") != texts.end());
  const auto links = root->find([](const HtmlElement& e) {
    return e.name == "a" && e.get("href").starts_with("https://example.org");
  });
  CHECK(links.size() == 1);
  // The kernel's lines are there, and the meant one is marked.
  const auto kernel = of_class("figure").back()->find(
      [](const HtmlElement& e) { return e.name == "li" && e.is_of_class("current"); });
  CHECK(!kernel.empty());
}

TEST_CASE("logarithmic bars say so, to eyes and ears, and are drawn so") {
  lessons::Figure figure;
  figure.title = "Lengths of `q`";
  figure.alt = "1, 10, 100";
  figure.labels = {"`one`", "ten", "hundred"};
  figure.series = {"bytes"};
  figure.values = {{1, 10, 100}};
  figure.texts = {{"1", "10", "100"}};
  const auto widths = [](const HtmlElement& root) {
    std::vector<double> found;
    for (const HtmlElement* rect : root.named("rect"))
      found.push_back(std::stod(rect->get("width")));
    return found;
  };
  for (const bool logarithmic : {false, true}) {
    CAPTURE(logarithmic);
    figure.logarithmic = logarithmic;
    const std::string html = "<!DOCTYPE html>\n" + pages::figure_html(figure, "f");
    const auto root = parse_html(html);
    const std::vector<double> bars = widths(*root);
    REQUIRE(bars.size() == 3);
    const std::string said(pages::kLogarithmic);
    const auto notes = root->find([](const HtmlElement& e) { return e.is_of_class("note"); });
    const auto lines = root->find([](const HtmlElement& e) { return e.is_of_class("axis"); });
    CHECK((root->named("desc")[0]->all_text().find(said) != std::string::npos) == logarithmic);
    REQUIRE(notes.size() == (logarithmic ? 1 : 0));
    if (logarithmic) {
      CHECK(notes[0]->all_text().starts_with(said));
      CHECK(bars[2] - bars[1] == doctest::Approx(bars[1] - bars[0]).epsilon(0.01));
      CHECK(lines.size() == 3);  // 1, 10 and 100, from 0.1 on
    } else {
      CHECK(bars[2] == doctest::Approx(10 * bars[1]).epsilon(0.02));
      CHECK(lines.empty());
    }
    // Backticks are code where HTML can show it, and never characters.
    CHECK(html.find('`') == std::string::npos);
    CHECK(root->named("figcaption")[0]->named("code").size() == 1);
  }
}

TEST_CASE("code of a figure is whole up to forty lines") {
  lessons::Figure figure;
  figure.kind = lessons::FigureBlock::Kind::table;
  for (int n = 1; n <= 41; ++n) figure.code.push_back({n, "line", n == 35});
  const auto is_long = [&] {
    const auto root = parse_html("<!DOCTYPE html>\n" + pages::figure_html(figure, "f"));
    CHECK(root->named("li").size() == figure.code.size());
    return root->named("ol")[0]->is_of_class("long");
  };
  CHECK(is_long());
  figure.code.pop_back();
  CHECK(!is_long());
}

TEST_CASE("pages of a course lead to each other, and an index to all") {
  std::vector<lessons::Lesson> course;
  pages::LessonPageOptions options;
  for (int n = 1; n <= 3; ++n) {
    lessons::Lesson& lesson = course.emplace_back(sample_lesson());
    lesson.number = n;
    lesson.needs = n == 3 ? std::vector<int>{1, 2} : std::vector<int>{};
    options.course.push_back({n, "0" + std::to_string(n) + "-x.html", lesson.title});
  }
  const auto links = [](const std::string& html) {
    std::vector<std::string> found;
    const auto root = parse_html(html);
    for (const HtmlElement* link : root->named("a")) {
      const std::string to = link->get("href");
      if (!to.starts_with("#") && !to.starts_with("https:")) found.push_back(to);
    }
    return found;
  };
  using Links = std::vector<std::string>;
  CHECK(links(pages::lesson_page(course[0])).empty());
  CHECK(links(pages::lesson_page(course[0], options)) == Links{"index.html", "02-x.html"});
  CHECK(links(pages::lesson_page(course[1], options)) ==
        Links{"01-x.html", "index.html", "03-x.html"});
  CHECK(links(pages::lesson_page(course[2], options)) ==
        Links{"01-x.html", "02-x.html", "02-x.html", "index.html"});
  const std::string index = pages::index_page(course, options.course);
  CHECK(links(index) == Links{"01-x.html", "02-x.html", "03-x.html", "01-x.html", "02-x.html"});
  const auto root = parse_html(index);
  CHECK(root->named("h2").size() == 3);
  CHECK(root->named("script").empty());
  CHECK(root->all_text().find("21 minutes in all") != std::string::npos);
  CHECK(root->all_text().find("About <b>bold</b> things & more.") != std::string::npos);
}

TEST_CASE("every page of the course is below 300 KB") {
  for (const lessons::CourseFile& file : lessons::course_files()) {
    CAPTURE(file.file);
    const lessons::Lesson lesson =
        lessons::parse_lesson(std::string(file.text), std::string(file.file));
    CHECK(pages::lesson_page(lesson).size() < 300'000);
  }
}

TEST_CASE("what a page can't show is said in one line") {
  ProblemOptions options;
  options.q_len = 4096;
  options.head_dim = 16;
  options.q_tile = 16;
  options.kv_tile = 16;
  const SampleWalk walk = sample_walk("long", options);
  try {
    page_of(walk);
    FAIL("a page of thousands of ops");
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK(message.find("--from") != std::string::npos);
    CHECK(message.find("--work-item") != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
  SampleWalk some = sample_walk("some", options);
  some.options.to_op = 100;
  CHECK(page_of(some).size() < 300'000);

  SampleWalk nothing = sample_walk("nothing", {});
  nothing.options.rows = {7};
  CHECK_THROWS_AS(page_of(nothing), Error);
  nothing.options.rows = {};
  nothing.options.from_op = 1000;
  CHECK_THROWS_AS(page_of(nothing), Error);
}

TEST_CASE("a lesson that does not hold is refused with its line") {
  std::string source = kSampleLesson;
  const std::string whole = "tile = [0, 1]\nafter";
  source.replace(source.find(whole), whole.size(), "tile = [0, 9]\nafter");
  try {
    pages::lesson_page(lessons::parse_lesson(source, "broken.md"));
    FAIL("a stop at a tile that is not there");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with("broken.md:"));
  }
}
