// Lessons that are damaged or ask for too much: each kind is refused, with its line.
#include <string>

#include <doctest/doctest.h>

#include "lessons/engine/check.h"
#include "lessons/engine/message.h"
#include "sim/error.h"

using namespace flashscope;
using namespace flashscope::lessons;

namespace {

const std::string kHead =
    "# T\n\n```toml\n[lesson]\nminutes = 1\nabout = \"a\"\n```\n\n```toml\n[scenario]\n"
    "name = \"p\"\n";  // the scenario's options begin in line 12

// The mistakes, "LINE: reason" each; of one that does not parse, that error.
std::string mistakes_of(const std::string& text) {
  try {
    std::string result;
    for (const auto& mistake : check(parse_lesson(text, "x.md")).mistakes) {
      result += std::to_string(mistake.line) + ": " + mistake.reason + "\n";
    }
    return result;
  } catch (const Error& error) {
    return error.what();
  }
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

const std::string kPencil =
    "problem = \"pencil\"\nalgorithm = \"fa2\"\n```\n\n";  // ends in line 15

}  // namespace

TEST_CASE("a damaged fence loses no block") {
  for (const char* begin :
       {"``toml\n", "```tom\n", "```Toml,x\n", "```\n\n", "```\n# c\n", "lmot```\n"}) {
    CAPTURE(begin);
    CHECK(has(mistakes_of(kHead + kPencil + begin + " [[ expect ]] # c\nholds = \"1\"\n```\n"),
              "x.md:1"));
  }
  CHECK(has(mistakes_of(kHead + kPencil + "[stop]\n"),
            "x.md:16: a block of [stop] without its label"));
  CHECK(mistakes_of(kHead + kPencil + "```text\n[stop]\n```\n\nOf `[stop]` and [a](b).\n").empty());
}

TEST_CASE("messages are one printable line") {
  CHECK(one_line("bad\n  a +\n    ^") == "bad: a + (at column 3)");
  CHECK(one_line_without("bad\n  a +\n    ^", "a +") == "bad (at column 3)");
  CHECK(one_line("a\x1b\nb") == "a\\x1b b");
  CHECK(one_line(std::string(1000, 'x')).size() < 410);
  CHECK(
      has(mistakes_of(kHead + kPencil + "```toml\n[[expect]]\nholds = \"1 > 2 ||\\n2 > 3\"\n```\n"),
          "x.md:18: expect: 'holds' is one line"));
  CHECK(has(mistakes_of(kHead + kPencil + "\u202e\n"), "x.md:16: a character that nobody sees"));
}

TEST_CASE("more work than anybody waits for is refused") {
  CHECK(has(mistakes_of(kHead + "q-len = 1000000\nmask = \"q>=k && (q-k)%7<3\"\n```\n"),
            "11: a mask expression on 1000000 x 1000000"));
  CHECK(has(mistakes_of(kHead + "q-len = 100000\nhead-dim = 1\n```\n\n```toml\n[[expect]]\n"
                                "holds = \"here.rmse >= 0\"\n```\n"),
            "too large to be computed"));
  CHECK(has(mistakes_of(kHead + "q-len = 100000\nhead-dim = 64\nq-tile = 4096\nkv-tile = 4096\n"
                                "algorithm = \"fa2\"\n```\n\n```toml\n[stop]\ntitle = \"a\"\n"
                                "when = \"m[0] > 1e30\"\n```\n"),
            "too much work for a lesson"));
}

TEST_CASE("a number of the prose stands alone") {
  const auto told = [](const std::string& prose, const std::string& says, const std::string& is) {
    return mistakes_of(kHead + kPencil + prose + "\n\n```toml\n[[expect]]\nsays = \"" + says +
                       "\"\nis = \"" + is + "\"\n```\n");
  };
  CHECK(has(told("It is -5 here.", "5", "5"), "does not say"));
  CHECK(has(told("It is 6.6 MB.", "6.6", "6.6"), "does not say"));
  CHECK(has(told("It is 12 %.", "12", "12"), "does not say"));
  CHECK(has(told("It is 12^3.", "12", "12"), "does not say"));
  CHECK(has(told("It is 1e5.", "5", "5"), "does not say"));
  CHECK(has(told("The H200.", "200", "200"), "does not say"));
  CHECK(has(told("1e99999999999", "1e99999999999", "1"), "states no number"));
  CHECK(told("It is 6.6 MB.", "6.6 MB", "6.6e6").empty());
}

TEST_CASE("a scenario without ops, or none at all, is told once and with its line") {
  const std::string empty = kHead + "q-len = 0\nkv-len = 4\n```\n\n";
  CHECK(mistakes_of(empty + "```toml\n[stop]\ntitle = \"a\"\nend = true\n```\n") ==
        "17: the problem has no ops (q-len, kv-len or batch is 0)\n");
  CHECK(has(mistakes_of(empty + "```toml\n[task]\ntext = \"a\"\nuntil = \"here.q_len == 1\"\n"
                                "solution = { q-len = 1 }\n```\n"),
            "17: the problem has no ops"));
  const std::string broken =
      kHead + "window = \"x\"\n```\n\n```toml\n[stop]\ntitle = \"a\"\nop = 0\n```\n";
  CHECK(has(mistakes_of(broken), "11: "));
  CHECK_FALSE(has(mistakes_of(broken), "no scenario is open"));
}

TEST_CASE("options that read alike, and a stop behind the reader") {
  const auto quiz = [](const std::string& lines) {
    return mistakes_of(kHead + kPencil + "```toml\n[quiz]\nquestion = \"a\"\n" + lines + "\n```\n");
  };
  CHECK(has(
      quiz("options = [ { text = \"No\", holds = \"1\" }, { text = \"**no** \", holds = \"0\" } ]"),
      "reads"));
  CHECK(has(quiz("answer = \"1000\"\nunit = \"bytes\"\nwrong = [ { value = \"1000.0001\" } ]"),
            "reads"));
  CHECK(has(quiz("answer = \"exp(1e9)\"\nwrong = [ { value = \"1\" } ]"), "infinite"));
  const std::string stop = "```toml\n[stop]\ntitle = \"a\"\nop = ";
  CHECK(has(mistakes_of(kHead + kPencil + stop + "5\n```\n\n" + stop + "0\n```\n"), "lies before"));
}
