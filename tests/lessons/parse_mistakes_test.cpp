// What an author is told about a broken lesson: the whole line, for every kind of mistake.
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "lessons/engine/lesson.h"
#include "sim/error.h"

using namespace flashscope;
using namespace flashscope::lessons;

namespace {

std::string error_of(std::string text) {
  try {
    parse_lesson(std::move(text), "x.md");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// A whole lesson around one toml block, whose first line is line 10 of the file.
std::string with_block(std::string_view toml) {
  return "# T\n\n```toml\n[lesson]\nminutes = 5\nabout = \"a\"\n```\n\n```toml\n" +
         std::string(toml) + "\n```\n";
}

struct Mistake {
  std::string_view text, error;
};

}  // namespace

TEST_CASE("mistakes in a lesson as a whole") {
  const Mistake kMistakes[] = {
      {"", "x.md:1: a lesson begins with its title: # The title"},
      {"\n\nSome prose.\n\n# T\n", "x.md:3: a lesson begins with its title: # The title"},
      {"## T\n", "x.md:1: a lesson begins with its title: # The title"},
      {"# T\n\nProse.\n", "x.md:1: there is no [lesson] block; put one below the title"},
      {"# T\n\n```toml\n[stop]\n```\n",
       "x.md:4: [stop] before [lesson]: put [lesson] below the title"},
      {"# T\n\n```toml\n[lesson]\nminutes = 1\nabout = \"a\"\n",
       "x.md:3: the block that begins here has no closing ```"},
      {"# T\n\nA\xff.\n", "x.md:3: the byte 0xff is no text; a lesson is Markdown, saved as UTF-8"},
      {"# T\n\x1b[31m\n", "x.md:2: the byte 0x1b is no text; a lesson is Markdown, saved as UTF-8"},
      {"# T\n\n```toml\n\n```\n",
       "x.md:3: an empty toml block; begin it with a table such as [stop]"},
  };
  for (const Mistake& each : kMistakes) CHECK(error_of(std::string(each.text)) == each.error);

  CHECK(error_of(std::string("# T\n\0\n", 6)) ==
        "x.md:2: the byte 0x00 is no text; a lesson is Markdown, saved as UTF-8");
  CHECK(error_of("# T\n" + std::string((1 << 20) - 3, 'x')) ==
        "x.md:1: 1048577 bytes; a lesson has at most 1 MiB");
  CHECK(error_of(with_block("[[expect]]\nholds = \"1\"") + "\n# U\n") ==
        "x.md:14: a second title; sections begin with ##");
  CHECK(error_of(with_block("[[expect]]\nholds = \"1\"") +
                 "\n## For the teacher\n\n```toml\n[stop]\n```\n") ==
        "x.md:16: a toml block for the teacher: blocks belong into the lesson itself");
  CHECK(error_of(with_block("[[expect]]\nholds = \"1\"") + "\n```\n[stop]\ntitle = \"a\"\n```\n") ==
        "x.md:14: a block of [stop] without its label: begin it with ```toml");
  CHECK(error_of(with_block("[scenario]\nname = \"a\"\nq-len = 2") +
                 "\n```toml\n[scenarios]\na = { q-len = 3 }\n```\n") ==
        "x.md:17: scenario 'a' was made in line 11; take another name, or say nothing but the name "
        "to go back to it");
  std::string many = with_block("[[expect]]\nholds = \"1\"");
  for (int i = 0; i < 1000; ++i) many += "\n```toml\n[[expect]]\nholds = \"1\"\n```\n";
  CHECK(error_of(many) == "x.md:1: a lesson has at most 1000 blocks; make two of it");
}

TEST_CASE("mistakes in one block") {
  const Mistake kMistakes[] = {
      // The block itself.
      {"[stopp]\ntitle = \"a\"", "x.md:10: there is no block [stopp]; did you mean 'stop'?"},
      {"\ntitle = \"a\"\n[stop]",
       "x.md:11: 'title' stands before any table: begin the block with "
       "one, such as [stop]"},
      {"[stop]\ntitle = \"a\"\n\n[quiz]",
       "x.md:13: one table per toml block: 'quiz' needs a block "
       "of its own"},
      {"[[stop]]\ntitle = \"a\"", "x.md:10: write [stop], not [[stop]]"},
      {"[lesson]\nminutes = 1\nabout = \"a\"", "x.md:10: a second [lesson] block"},
      {"stop = 3",
       "x.md:10: 'stop' stands before any table: begin the block with one, such as "
       "[stop]"},
      {"expect = [{ holds = \"1\" }, 2]", "x.md:10: expect is a table: write [[expect]]"},

      // Keys and types, of any block.
      {"[stop]\ntitle = \"a\"\n\ntilee = [0, 1]",
       "x.md:13: stop has no key 'tilee'; did you mean 'tile'?"},
      {"[stop]\ntile = [0, 1]", "x.md:10: stop needs 'title'"},
      {"[stop]\ntitle = 3", "x.md:11: stop: 'title' must be a text, not an integer"},
      {"[stop]\ntitle = \"  \"", "x.md:11: stop: 'title' is empty"},
      {"[stop]\ntitle = \"\\u001b[2J\"", "x.md:11: stop: 'title' holds a control character"},
      {"[stop]\ntitle = 1979-05-27", "x.md:11: stop: 'title' must be a text, not a date or time"},

      // Places.
      {"[stop]\ntitle = \"a\"\nend = true\npanels = [\"Tile mop\"]",
       "x.md:13: stop: the window has no panel 'Tile mop'; did you mean 'Tile map'?"},
      {"[stop]\ntitle = \"a\"",
       "x.md:10: stop says no place: add tile, after, before, op, when or "
       "end"},
      {"[stop]\ntitle = \"a\"\nop = 3\ntile = [0, 1]",
       "x.md:13: stop: 'op' and 'tile' exclude each other"},
      {"[stop]\ntitle = \"a\"\nafter = \"x\"\nbefore = \"y\"",
       "x.md:13: stop: 'after' and 'before' exclude each other"},
      {"[stop]\ntitle = \"a\"\nend = true\nhead = 1",
       "x.md:13: stop: 'end' and 'head' exclude each other"},
      {"[stop]\ntitle = \"a\"\nop = -1", "x.md:12: stop: 'op' is -1, but must be at least 0"},
      {"[stop]\ntitle = \"a\"\ntile = [0, 1, 2]",
       "x.md:12: stop: 'tile' has 3 numbers: write [q tile, kv tile]"},
      {"[stop]\ntitle = \"a\"\ntile = [0, 1.5]",
       "x.md:12: stop: 'tile' must be an integer, not a number"},
      {"[stop]\ntitle = \"a\"\nop = 1\nrows = [0,\n -3]",
       "x.md:14: stop: 'rows' is -3, but must be at least 0"},
      {"[stop]\ntitle = \"a\"\nop = 1\nwalk = \"all\"",
       "x.md:13: stop: 'walk' must be one of line, step, since, none, not 'all'"},
      {"[stop]\ntitle = \"a\"\nop = 1\nprint = \"m[0]\"",
       "x.md:13: stop: 'print' must be an array of texts, not a text"},
      {"[stop]\ntitle = \"a\"\nop = 1\nend = 1",
       "x.md:13: stop: 'op' and 'end' exclude each other"},

      // Scenarios.
      {"[scenario]\nq-len = 4", "x.md:10: scenario needs 'name'"},
      {"[scenario]\nname = \"here\"\nq-len = 4",
       "x.md:11: 'here' is always the open scenario; name it otherwise"},
      {"[scenario]\nname = \"my-own\"",
       "x.md:11: 'my-own' is no name for a scenario: use letters, "
       "digits and _, a letter first"},
      {"[scenario]\nname = \"a\"\nq_len = 4",
       "x.md:12: scenario has no key 'q_len'; did you mean 'q-len'?"},
      {"[scenario]\nname = \"a\"\nq-len = \"4\"",
       "x.md:12: scenario: 'q-len' must be an integer, not a text"},
      {"[scenario]\nname = \"a\"\nscale = true",
       "x.md:12: scenario: 'scale' must be a number, not true or false"},
      {"[scenario]\nname = \"a\"\ncausal = 1",
       "x.md:12: scenario: 'causal' must be true or false, not an integer"},
      {"[scenario]\nname = \"a\"\nseed = -1",
       "x.md:12: scenario: 'seed' is -1, but must be at least 0"},
      {"[scenario]\nname = \"a\"\ntensors = \"f.safetensors\"",
       "x.md:12: scenario: 'tensors' is about a file, and a lesson opens no files"},
      {"[scenario]\nname = \"a\"\nthreads = 2",
       "x.md:12: scenario: 'threads' belongs to a machine, not to a lesson"},
      {"[scenario]\nname = \"a\"\nalgorithm = \"own.alg\"",
       "x.md:12: scenario: algorithm 'own.alg' is not built in, and a lesson opens no files: put "
       "its "
       "text into 'table'; known: fa1, fa2, split_kv, standard"},
      {"[scenario]\nname = \"a\"\nalgorithm = \"all\"",
       "x.md:12: scenario: algorithm 'all' is not built in, and a lesson opens no files: put its "
       "text into 'table'; known: "
       "fa1, fa2, split_kv, standard"},
      {"[scenario]\nname = \"a\"\nalgorithm = \"fa2\"\ntable = \"x\"",
       "x.md:13: scenario: 'algorithm' and 'table' exclude each other"},
      {"[scenario]\nname = \"a\"\ntable = \"x\"\nedit = [{ line = \"a\", to = \"b\" }]",
       "x.md:13: scenario: 'table' and 'edit' exclude each other"},
      {"[scenario]\nname = \"a\"\nedit = [\n{ line = \"a\" }]",
       "x.md:13: scenario's edit needs 'to'"},
      {"[scenarios]", "x.md:10: scenarios is empty: write NAME = { q-len = 4096 }"},
      {"[scenarios]\na = 4",
       "x.md:11: scenario 'a' must be a table, not an integer: write a = { "
       "q-len = 4096 }"},
      {"[scenarios]\na = { q-len = 4, edits = 1 }",
       "x.md:11: scenario 'a' has no key 'edits'; did you mean 'edit'?"},
      {"[scenarios]\na = { k = \"k.npy\" }",
       "x.md:11: scenario 'a': 'k' is about a file, and a lesson opens no files"},

      // Quizzes.
      {"[quiz]\nanswer = \"1\"", "x.md:10: quiz needs 'question'"},
      {"[quiz]\nquestion = \"a\"", "x.md:10: quiz needs 'answer' or 'options'"},
      {"[quiz]\nquestion = \"a\"\nanswer = \"1\"", "x.md:10: quiz needs 'wrong'"},
      {"[quiz]\nquestion = \"a\"\nanswer = \"1\"\nwrong = []", "x.md:13: quiz: 'wrong' is empty"},
      {"[quiz]\nquestion = \"a\"\nanswer = \"1\"\noptions = []",
       "x.md:13: quiz: 'answer' and 'options' exclude each other"},
      {"[quiz]\nquestion = \"a\"\nanswer = \"1\"\nwrong = [\"2\"]",
       "x.md:13: quiz: 'wrong' must be an array of tables, not a text"},
      {"[quiz]\nquestion = \"a\"\nanswer = \"1\"\nwrong = [{ why = \"2\" }]",
       "x.md:13: wrong answer needs 'value'"},
      {"[quiz]\nquestion = \"a\"\nanswer = \"1\"\nwrong = [{ value = \"2\" }]\ndigits = 18",
       "x.md:14: quiz: 'digits' is 18, but must be 0 to 17"},
      {"[quiz]\nquestion = \"a\"\nanswer = \"1\"\nwrong = [{ value = \"2\" }]\nunit = \"byte\"",
       "x.md:14: quiz: 'unit' must be one of none, bytes, binary-bytes, times, percent, "
       "microseconds, not 'byte'"},
      {"[quiz]\nquestion = \"a\"\noptions = [{ text = \"a\", holds = \"1\" }]",
       "x.md:12: quiz: one option leaves no choice"},
      {"[quiz]\nquestion = \"a\"\nunit = \"bytes\"\noptions = [{ text = \"a\", holds = \"1\" }]",
       "x.md:13: quiz: 'unit' and 'options' exclude each other"},
      {"[quiz]\nquestion = \"a\"\nat = {}\nanswer = \"1\"", "x.md:12: at says no place"},
      {"[quiz]\nquestion = \"a\"\nat = { tiles = [0, 1] }\nanswer = \"1\"",
       "x.md:12: at has no key 'tiles'; did you mean 'tile'?"},
      {"[quiz]\nquestion = \"a\"\nanswer = \"1\"\nwrong = [{value=\"1\"}, {value=\"1\"}, "
       "{value=\"1\"}, {value=\"1\"}, {value=\"1\"}, {value=\"1\"}, {value=\"1\"}, {value=\"1\"}, "
       "{value=\"1\"}]",
       "x.md:10: quiz: 10 answers to choose from; at most 9 fit"},

      // Expects.
      {"[[expect]]\nholds = \"1\"\n\n[[expect]]\nsays = \"1\"", "x.md:13: expect needs 'is'"},
      {"[[expect]]\nis = \"1\"", "x.md:10: expect needs 'says' or 'holds'"},
      {"[[expect]]\nholds = \"1\"\nsays = \"1\"",
       "x.md:12: expect: 'holds' and 'says' exclude each other"},

      // Tasks.
      {"[task]\ntext = \"a\"\nsolution = { q-tile = 4 }", "x.md:10: task needs 'until'"},
      {"[task]\ntext = \"a\"\nuntil = \"1\"", "x.md:10: task needs 'solution' or 'edit' or 'at'"},
      {"[task]\ntext = \"a\"\nuntil = \"1\"\nsolution = \"q-tile = 4\"",
       "x.md:13: task: 'solution' must be a table, not a text"},
      {"[task]\ntext = \"a\"\nuntil = \"1\"\nsolution = { layout = \"bhsd\" }",
       "x.md:13: solution: 'layout' is about a file, and a lesson opens no files"},
      {"[task]\ntext = \"a\"\nuntil = \"1\"\nsolution = { table = \"x\" }\nedit = [{ line = \"a\", "
       "to = \"\" }]",
       "x.md:14: task: 'edit' beside a solution that edits the table too"},
      {"[task]\ntext = \"a\"\nuntil = \"1\"\nsolution = { record = \"h200\" }",
       "x.md:13: solution has no key 'record'; known: algorithm, batch, causal, device, "
       "distribution, dtype, edit, fa1-workspace, fault, head-dim, kv-heads, kv-len, kv-order, "
       "kv-tile, mask, pack-gqa, placement, precision, problem, q-heads, q-len, q-tile, "
       "rescale-threshold, scale, seed, splits, table, window"},

      // Figures.
      {"[figure]\ntitle = \"a\"", "x.md:10: figure needs 'kind'"},
      {"[figure]\ntitle = \"a\"\nkind = \"pie\"",
       "x.md:12: figure: 'kind' must be one of bars, "
       "steps, tiles, budget, table, kernel, not 'pie'"},
      {"[figure]\ntitle = \"a\"\nkind = \"tiles\"\nseries = []",
       "x.md:13: a figure of kind 'tiles' has no key 'series'; known: head, kind, of, title"},
      {"[figure]\ntitle = \"a\"\nkind = \"bars\"",
       "x.md:10: a figure of kind 'bars' needs 'bars' or 'series'"},
      {"[figure]\ntitle = \"a\"\nkind = \"bars\"\nseries = [{ label = \"a\", value = \"1\" }]",
       "x.md:10: a figure of kind 'bars' needs 'sweep'"},
      {"[figure]\ntitle = \"a\"\nkind = \"bars\"\nseries = [{ label = \"a\", value = \"1\" }]\n"
       "sweep = \"q-lne\"\nvalues = [1]",
       "x.md:14: figure: there is no option 'q-lne' to sweep; did you mean 'q-len'?"},
      {"[figure]\ntitle = \"a\"\nkind = \"kernel\"",
       "x.md:10: a figure of kind 'kernel' needs "
       "'line'"},
  };
  for (const Mistake& each : kMistakes) {
    CAPTURE(each.text);
    CHECK(error_of(with_block(each.text)) == each.error);
  }
}

TEST_CASE("TOML that is none is told by its own line") {
  const std::string broken = error_of(with_block("[stop]\ntitle = \"a\"\nop = = 3"));
  CHECK(broken.starts_with("x.md:12: TOML: "));
  CHECK(broken.find('\n') == std::string::npos);
  CHECK(
      error_of(with_block("[stop]\ntitle = \"a\"\ntitle = \"b\"")).starts_with("x.md:12: TOML: "));
}

TEST_CASE("nesting that would overflow the stack is refused") {
  std::string key;
  for (int i = 0; i < 100'000; ++i) key += "a.";
  CHECK(error_of(with_block(key + "a = 1")) == "x.md:10: more than 2000 dots in one toml block");
  CHECK(error_of(with_block("a = " + std::string(100'000, '['))).starts_with("x.md:10: TOML: "));
}

TEST_CASE("a file's name in a message is printable") {
  try {
    parse_lesson("x", "a\nb.md");
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "a\\x0ab.md:1: a lesson begins with its title: # The title");
  }
}
