// Markdown as front ends get it: kinds, lines, spans; and texts that mean harm.
#include "lessons/engine/markdown.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace flashscope::lessons;
using Kind = TextBlock::Kind;
using Style = Span::Style;

namespace {

Text inline_of(std::string_view text) {
  const std::vector<TextBlock> blocks = parse_markdown(text);
  REQUIRE(blocks.size() == 1);
  return blocks[0].text;
}

// "kind line label text" of every block.
std::string outline(std::string_view text) {
  static constexpr const char* kNames[] = {"heading", "paragraph", "item", "quote",
                                           "code",    "table",     "rule"};
  std::string result;
  for (const TextBlock& block : parse_markdown(text)) {
    result += std::string(kNames[static_cast<int>(block.kind)]) + " " + std::to_string(block.line);
    if (block.kind == Kind::item || block.kind == Kind::heading) {
      result += " " + std::to_string(block.level);
    }
    result += " [" + block.label + "] " + plain_text(block.text) + block.code;
    if (result.back() != '\n') result += '\n';
  }
  return result;
}

}  // namespace

TEST_CASE("blocks with their lines") {
  CHECK(outline("# One\n\nA paragraph\nof two lines.\n\n## Two\n> quoted\n> text\n\n---\nend\n") ==
        "heading 1 1 [] One\n"
        "paragraph 3 [] A paragraph of two lines.\n"
        "heading 6 2 [] Two\n"
        "quote 7 [] quoted text\n"
        "rule 8 [] \n"
        "paragraph 11 [] end\n");
  CHECK(parse_markdown("text", 40)[0].line == 40);
  CHECK(parse_markdown("").empty());
}

TEST_CASE("a code block's line is that of its fence, whatever is in it") {
  CHECK(outline("a\n\n```toml\nx = 1\n```\n") == "paragraph 1 [] a\ncode 3 [toml] x = 1\n");
  CHECK(outline("a\n\n```toml\n\n\nx = 1\n```\n") == "paragraph 1 [] a\ncode 3 [toml] \n\nx = 1\n");
  CHECK(outline("a\n\n```\n\nx = 1\n```\n") == "paragraph 1 [] a\ncode 3 [] \nx = 1\n");
  CHECK(outline("a\n\n```toml\n```\nb\n") ==
        "paragraph 1 [] a\ncode 3 [toml] \nparagraph 5 [] b\n");
  CHECK(outline("a\n\n    x = 1\n\n    y\n") == "paragraph 1 [] a\ncode 3 [] x = 1\n\ny\n");
  CHECK(outline("a\r\n\r\n```toml\r\nx = 1\r\n```\r\n") ==
        "paragraph 1 [] a\ncode 3 [toml] x = 1\n");
  CHECK(outline("- a\n\n  ```toml\n  x = 1\n  ```\n") == "item 1 1 [-] a\ncode 3 [toml] x = 1\n");
}

TEST_CASE("lists are flat items with a level; what goes on with an item has no label") {
  CHECK(outline("- a\n- b\n  - c\n\n3. d\n4. e\n") ==
        "item 1 1 [-] a\nitem 2 1 [-] b\nitem 3 2 [-] c\nitem 5 1 [3.] d\nitem 6 1 [4.] e\n");
  CHECK(outline("1) a\n\n   more\n\n2) b\n") ==
        "item 1 1 [1)] a\nitem 3 1 [] more\nitem 5 1 [2)] b\n");
  CHECK(outline("- a\n  - b\n\n  back\n") == "item 1 1 [-] a\nitem 2 2 [-] b\nitem 4 1 [] back\n");
  CHECK(outline("- ```\n  code\n  ```\n-\n") == "item 1 1 [-] \ncode 1 [] code\nitem 2 1 [-] \n");
  CHECK(outline("- > q\n- b\n") == "item 1 1 [-] \nquote 1 [] q\nitem 2 1 [-] b\n");
}

TEST_CASE("a table has rows of cells, aligned") {
  const std::vector<TextBlock> blocks =
      parse_markdown("a\n\n| x | `y` |\n|---|--:|\n| 1 | *2* |\n| 3 |\n");
  REQUIRE(blocks.size() == 2);
  const TextBlock& table = blocks[1];
  CHECK(table.kind == Kind::table);
  CHECK(table.line == 3);
  REQUIRE(table.rows.size() == 3);
  REQUIRE(table.rows[2].size() == 2);
  CHECK(table.rows[0][1].text[0].style == Style::code);
  CHECK(table.rows[0][1].right_aligned);
  CHECK_FALSE(table.rows[0][0].right_aligned);
  CHECK(plain_text(table.rows[1][1].text) == "2");
  CHECK(table.rows[2][1].text.empty());
}

TEST_CASE("spans have one style each") {
  const Text text = inline_of("a *b* **c** `d` [e **f** `g`](h.md) **i *j* `k`**");
  std::string styles;
  for (const Span& span : text) styles += "pesCL"[static_cast<int>(span.style)] + span.text + "|";
  CHECK(styles == "pa |eb|p |sc|p |Cd|p |Le f g|p |si |ej|s |Ck|");
  CHECK(text[7].target == "h.md");
}

TEST_CASE("an item of a list may begin with a span, in tight and in loose lists") {
  for (const char* text : {"- **m**, the largest\n- `l`\n", "- **m**, the largest\n\n- `l`\n"}) {
    CAPTURE(std::string(text));
    const std::vector<TextBlock> blocks = parse_markdown(text);
    REQUIRE(blocks.size() == 2);
    REQUIRE(blocks[0].text.size() == 2);
    CHECK(blocks[0].kind == Kind::item);
    CHECK(blocks[0].text[0].style == Style::strong);
    CHECK(blocks[0].text[0].text == "m");
    CHECK(blocks[0].text[1].style == Style::plain);
    REQUIRE(blocks[1].text.size() == 1);
    CHECK(blocks[1].text[0].style == Style::code);
  }
}

TEST_CASE("links that overlap") {
  CHECK(outline("![i](j[k[ )]](j) [k][l]\n\nnext\n") ==
        "paragraph 1 [] i] [k][l]\nparagraph 3 [] next\n");
}

TEST_CASE("line breaks: soft ones are spaces, hard ones stay, code has none") {
  CHECK(plain_text(inline_of("a\nb  \nc\\\nd")) == "a b\nc\nd");
  const Text code = inline_of("`a\nb`");
  REQUIRE(code.size() == 1);
  CHECK(code[0].text == "a b");
}

TEST_CASE("character references are decoded, unknown ones stay") {
  CHECK(plain_text(inline_of("&amp; &lt;b&gt; 2 &times; 3 &#955; &#x3BB; &nonsense; &#0;")) ==
        "& <b> 2 × 3 λ λ &nonsense; \uFFFD");
  CHECK(plain_text(inline_of("&#27;[2J &#x9b; &#x110000; &#xD800;")) ==
        "\uFFFD[2J \uFFFD \uFFFD \uFFFD");
  CHECK(plain_text(inline_of("`&amp;`")) == "&amp;");
}

TEST_CASE("HTML is text") {
  CHECK(plain_text(inline_of("a <b onclick=\"x()\">b</b> <script>")) ==
        "a <b onclick=\"x()\">b</b> <script>");
  CHECK(outline("<script>\nalert(1)\n</script>\n") ==
        "paragraph 1 [] <script> alert(1) </script>\n");
}

TEST_CASE("links lead to http, https or a relative address, or are text") {
  const auto target = [](std::string_view text) {
    const Text spans = inline_of(text);
    REQUIRE(!spans.empty());
    CHECK((spans[0].style == Style::link) == !spans[0].target.empty());
    return spans[0].target;
  };
  CHECK(target("[a](https://x.org/y?z=1&amp;u)") == "https://x.org/y?z=1&u");
  CHECK(target("[a](HTTP://x.org)") == "HTTP://x.org");
  CHECK(target("[a](02-tiles.md#top)") == "02-tiles.md#top");
  CHECK(target("[a](#here:now)") == "#here:now");
  CHECK(target("<https://x.org>") == "https://x.org");
  CHECK(target("[a][b]\n\n[b]: ../README.md") == "../README.md");
  for (const char* harmful :
       {"[a](javascript:alert(1))", "[a](JavaScript:alert(1))", "[a](java&#115;cript:alert(1))",
        "[a](javascript&colon;alert(1))x", "[a](java&#9;script:alert(1))", "[a](data:text/html,x)",
        "[a](file:///etc/passwd)", "[a](vbscript:x)", "[a](&#1;javascript:x)", "[a](mailto:a@b.c)",
        "<javascript:alert(1)>", "<a@b.org>", "[a](//x.org)", "[a](\\\\\\\\x\\\\y)", "[a]()"}) {
    CAPTURE(harmful);
    const std::string found = target(harmful);
    CHECK((found.empty() || found == "javascript&colon;alert(1)"));
  }
  CHECK(plain_text(inline_of("![the *picture*](x.png)")) == "the picture");
}

TEST_CASE("one paragraph stays one, whatever it begins with") {
  for (const char* text : {"1. x", "# x", "- x", "> x", "    x", "x #", "#", "a | b", "---", "C#",
                           "1368. Then", "x ##"}) {
    std::string expected = text;
    expected.erase(0, expected.find_first_not_of(' '));
    CHECK(plain_text(parse_inline(text)) == expected);
  }
  CHECK(plain_text(parse_inline("a\nb\n\n\nc\r\n\r\nd\n")) == "a b\nc\nd");
  CHECK(parse_inline("").empty());
  CHECK(parse_inline("use `m`").back().style == Style::code);
}

TEST_CASE("a table bomb stays small") {
  std::string text = "|";
  for (int i = 0; i < 50'000; ++i) text += "a|";
  text += "\n|";
  for (int i = 0; i < 50'000; ++i) text += "-|";
  for (int i = 0; i < 50'000; ++i) text += "\n|a";
  const std::vector<TextBlock> blocks = parse_markdown(text);
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].kind == Kind::paragraph);
}

TEST_CASE("any text is Markdown, and its lines lie within it") {
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  std::minstd_rand random(seed);
  static constexpr std::string_view kPieces[] = {
      "\n",    "\n\n",     "```",  "```toml\n", "`",    "*",    "**",   "_",  "[",   "](",
      ")",     "!",        "<",    ">",         "> ",   "- ",   "1. ",  "# ", "|",   "|-|-|\n",
      "&amp;", "&",        "\\",   "    ",      "\t",   "\r",   "\r\n", "a",  "b c", "---",
      "===\n", "[x]: y\n", "\xff", "é",         "<!--", "</a>", "~~~"};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (auto length = random() % 40; length > 0; --length) {
      text += kPieces[random() % std::size(kPieces)];
    }
    CAPTURE(text);
    const int lines = 1 + static_cast<int>(text.size());
    for (const TextBlock& block : parse_markdown(text)) {
      CHECK(block.line >= 1);
      CHECK(block.line <= lines);
      CHECK(block.level >= 1);
      if (block.kind != Kind::code) CHECK(block.code.empty());
    }
    parse_inline(text);
  }
}
