// The debug prompt without a terminal: scripts, pipes, session files, and what is refused.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "command.h"

using namespace flashscope::terminal_tests;

namespace {

std::string file_with(const std::string& name, const std::string& text) {
  const auto folder = std::filesystem::temp_directory_path() / "flashscope_debug_test";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / name).string();
  std::ofstream(path) << text;
  return path;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Result debug(const std::string& script, const Arguments& more = {}) {
  return run_command(Arguments{"debug", "--script", file_with("script", script)} + more);
}

}  // namespace

TEST_CASE("a script steps, goes back and prints what is there") {
  const Result result = debug("goto 20\nprint alpha\nrs 2\nprint op\nrc\nprint op\n");
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(result.out.find("alpha = 0.1353 1\n") != std::string::npos);
  CHECK(result.out.find("op = 18\n") != std::string::npos);
  CHECK(result.out.find("op = 0\n") != std::string::npos);
}

TEST_CASE("the first command that fails ends a script with its line number and exit code 2") {
  for (const auto& [script, mention] :
       {std::pair{"step\nbogus\nstep\n", "script:2: there is no command 'bogus'"},
        std::pair{"print\n", "script:1: print what"},
        std::pair{"\n# comment\nprint m[\n", "script:3: "},
        std::pair{"print nothing\n", "script:1: unknown name 'nothing'"},
        std::pair{"goto 999\n", "script:1: op 999"},
        std::pair{"goto item 9\n", "work items 0 to 1"},
        std::pair{"goto tile 5 5\n", "q tiles 0 to 1"},
        std::pair{"until 9 0\n", "rows 0 to 3"},
        std::pair{"step x\n", "'x'"},
        std::pair{"step -1\n", "-1"},
        std::pair{"break nowhere\n", "nowhere"},
        std::pair{"break 1\n", "line 1"},
        std::pair{"break if S > 0\n", "any"},
        std::pair{"delete 3\n", "no breakpoint 3"},
        std::pair{"set m = 3\n", "write an element"},
        std::pair{"set m[9] = 3\n", "elements"},
        std::pair{"set zz[0] = 3\n", "zz"},
        std::pair{"x zz\n", "zz"},
        std::pair{"x\n", "x which"},
        std::pair{"info zz\n", "zz"},
        std::pair{"load /nowhere\n", "/nowhere"},
        std::pair{"save /nowhere/at/all\n", "/nowhere/at/all"},
        std::pair{"source /nowhere\n", "/nowhere"},
        std::pair{"help zz\n", "zz"},
        std::pair{"option\n", "write: option"},
        std::pair{"option zz 3\n", "'zz'"},
        std::pair{"option q-tile\n", "takes a value"},
        std::pair{"option q-tile x\n", "'x'"},
        std::pair{"option q-tile 0\n", "0"},
        std::pair{"option mask q>=\n", "mask"},
        std::pair{"option algorithm all\n", "all"},
        std::pair{"option causal maybe\n", "true or false"},
        std::pair{"option q some.npy\n", "--q names a file"},
        std::pair{"edit\n", "write: edit"},
        std::pair{"edit l = alpha\n", "write: edit"},
        std::pair{"edit 1 O = 0\n", "line 1"},
        std::pair{"edit 999999999999 O = 0\n", "999999999999"},
        std::pair{"edit nothing => O = 0\n", "'nothing'"},
        std::pair{"edit 40 O = O -+ P V\n", "40"},
        std::pair{"undisplay 3\n", "nothing is displayed"}}) {
    CAPTURE(std::string(script));
    const Result result = debug(script);
    CHECK(result.exit_code == 2);
    CHECK(result.err.find(mention) != std::string::npos);
    CHECK(result.err.starts_with("flashscope: "));
    CHECK(lines_of(result.err).size() <= 3);
  }
}

TEST_CASE("option makes another problem, schedule or precision, as on the command line") {
  Result result = debug(
      "goto 20\noption q-tile 4\nprint op\noption --causal\ninfo sram\noption causal off\n"
      "option kv-tile=1\noption precision 'accumulator=fp16'\noption algorithm fa1\noption "
      "q-tile default\noption q-len 8\n",
      {"--problem", "pencil"});
  CHECK(result.exit_code == 2);  // pencil has 4 queries
  CHECK(result.err.find("q-len") != std::string::npos);
  CHECK(result.out.find("op = 20\n") != std::string::npos);  // the op stays where it can
  CHECK(result.out.find("tiles 4 x 2") != std::string::npos);
  CHECK(result.out.find("causal") != std::string::npos);
  CHECK(result.out.find("tiles 4 x 1") != std::string::npos);
  CHECK(result.out.find("fa1") != std::string::npos);
  CHECK(result.out.find("tiles 2 x 1") != std::string::npos);
  // What fails leaves all as it was.
  result =
      debug("option kv-tile 1\nsource " + file_with("fails", "option window nonsense\n") + "\n");
  CHECK(result.exit_code == 2);
}

TEST_CASE("option and edit are kept in a session file") {
  const std::string path = file_with("session.json", "");
  Result result =
      debug("option q-tile 4\nedit l = alpha => l = l + rowsum P\ngoto 12\nsave " + path + "\n");
  CHECK(result.exit_code == 0);
  result = run_command(
      {"debug", "--session", path, "--script", file_with("look", "print op\ninfo line\nlist\n")});
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("op = 12\n") != std::string::npos);
  CHECK(result.out.find("    l = l + rowsum P\n") != std::string::npos);
  CHECK(result.out.find("alpha * l") == std::string::npos);
}

TEST_CASE("edit replaces a line of the table by its number or how it begins, or takes it out") {
  // The table's line numbers, from `list`.
  const std::string listed = debug("list\n").out;
  std::string number;
  for (const std::string& line : lines_of(listed)) {
    if (line.find("O = alpha * O") == std::string::npos) continue;
    number = line.substr(line.find('|') + 1, line.rfind('|') - line.find('|') - 1);
  }
  REQUIRE_FALSE(number.empty());
  Result result = debug("edit " + number + " O = O * alpha\n");
  CHECK(result.exit_code == 2);  // no form of the language
  result = debug("goto 20\nedit " + number + "\nlist\nbreak wrong\ncontinue\n");
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("O = alpha * O when not first -> (gone)") != std::string::npos);
  CHECK(result.out.find("Breakpoint 1, row") != std::string::npos);  // it is wrong now
  // A condition stays unless another is written.
  result = debug("edit O = alpha => O = alpha * O\nlist\n");
  CHECK(result.out.find("O = alpha * O when not first\n") != std::string::npos);
  result = debug("edit O = alpha => O = alpha * O when first\nlist\n");
  CHECK(result.out.find("O = alpha * O when first\n") != std::string::npos);
  result = debug("fault o_not_rescaled on\nedit m_new = max => m_new = m\n");
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("fault o_not_rescaled off") != std::string::npos);
}

TEST_CASE("a script that sources itself is stopped") {
  const std::string path = file_with("loop", "");
  std::ofstream(path) << "source " << path << "\n";
  const Result result = run_command({"debug", "--script", path});
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("too deeply") != std::string::npos);
}

TEST_CASE("a session file opens at the same op with the same numbers, sets and breakpoints") {
  const std::string path = file_with("session.json", "");
  const Arguments problem = words("--q-len 37 --kv-len 41 --causal --q-tile 8 --kv-tile 8");
  const Result saved = debug(
      "goto tile 2 1\nset m[3] = 2.5\nstep 3\nbreak rescale\nwatch l\n"
      "display max(O)\nsave " +
          path + "\nprint op\nprint m\nprint O\n",
      problem);
  REQUIRE(saved.exit_code == 0);
  const std::string want = saved.out.substr(saved.out.find("op = "));
  const Result loaded = run_command(
      {"debug", "--session", path, "--script", file_with("s", "print op\nprint m\nprint O\n")});
  CHECK(loaded.exit_code == 0);
  CHECK(loaded.out == want);
  const Result info = run_command(
      {"debug", "--session", path, "--script", file_with("s", "info breakpoints\ndisplay\n")});
  CHECK(info.out.find("break rescale") != std::string::npos);
  CHECK(info.out.find("watch l") != std::string::npos);
  CHECK(info.out.find("max(O)") != std::string::npos);
}

TEST_CASE("broken session files are refused in one line, and the running session stays") {
  const std::string path = file_with("whole.json", "");
  REQUIRE(debug("goto 7\nset m[0] = 1\nbreak load\nsave " + path + "\n").exit_code == 0);
  const std::string whole = text_of(path);
  for (std::size_t length = 0; length + 2 < whole.size(); length += 17) {
    CAPTURE(length);
    const std::string cut = file_with("cut.json", whole.substr(0, length));
    check_refused({"debug", "--session", cut, "--script", file_with("s", "")}, "cut.json");
  }
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    return file_with("changed.json", text);
  };
  for (const auto& [from, to] :
       {std::pair{"flashscope.session/1", "flashscope.session/9"},
        std::pair{"\"position\": 7", "\"position\": 7000"},
        std::pair{"\"position\": 7", "\"position\": -7"},
        std::pair{"\"position\": 7", "\"position\": \"7\""},
        std::pair{"\"op\": 7", "\"op\": 99999"}, std::pair{"\"row\": 0", "\"row\": 12"},
        std::pair{"\"tile\": \"m\"", "\"tile\": \"zz\""},
        std::pair{"\"text\": \"load\"", "\"text\": \"zz\""},
        std::pair{"\"arguments\": []", "\"arguments\": [\"--zz\"]"},
        std::pair{"\"arguments\": []", "\"arguments\": [\"--q-len\", \"5\"]"},
        std::pair{"\"displays\": []", "\"displays\": 3"}}) {
    CAPTURE(std::string(to));
    const Result result =
        run_command({"debug", "--session", changed(from, to), "--script", file_with("s", "")});
    CHECK(fault_of_refusal(result, "") == "");
  }
}

TEST_CASE("a fault is put in and taken out at the same op") {
  const Result result = debug(
      "goto 22\nprint l\nfault l_not_rescaled on\ngoto 22\nprint l\nfault l_not_rescaled off\n"
      "goto 22\nprint l\n");
  CHECK(result.exit_code == 0);
  const std::size_t first = result.out.find("l = 1.553 1.871");
  const std::size_t wrong = result.out.find("l = 2.736 1.871");
  CHECK(first < wrong);
  CHECK(wrong < result.out.rfind("l = 1.553 1.871"));
  CHECK(debug("fault zz on\n").exit_code == 2);
  CHECK(debug("fault l_not_rescaled off\n").exit_code == 2);
  CHECK(debug("fault l_not_rescaled\n").exit_code == 2);
}

TEST_CASE("every command has help, and abbreviations mean what gdb's do") {
  const Result result =
      debug("help\nhelp step\nhelp rc\ns\nn\nfin\nrs\nrn\nc\nrc\ni line\nq\nbogus\n");
  CHECK(result.exit_code == 0);  // nothing is read after quit
  for (const char* name :
       {"reverse-continue", "tbreak", "watch", "display", "source", "undisplay"}) {
    CHECK(result.out.find(name) != std::string::npos);
  }
}

TEST_CASE("commands come from a pipe as well, and every algorithm can be debugged to its end") {
  for (const char* name : {"standard", "fa1", "fa2", "split_kv"}) {
    const Result result = debug("continue\nrc\nfinish\nnext 3\nstep 4\ninfo traffic\ninfo tiles\n",
                                {"--problem", "pencil", "--algorithm", name});
    CAPTURE(std::string(name));
    CHECK(result.exit_code == 0);
    CHECK(result.out.find("the end of the program") != std::string::npos);
  }
}

TEST_CASE("a tile that holds nothing yet says so; a NaN that was computed is one") {
  Result result = debug("print m\nprint m[0]\nprint m + l\nstep 13\nprint m\n");
  CHECK(result.out.starts_with("m = nothing yet\nm[0] = nothing yet\nm + l = nothing yet\n"));
  CHECK(result.out.find("m = 1 2\n") != std::string::npos);
  result = debug("goto 12\nset m[0] = 0/0\nset m[1] = 0/0\nprint m\n");
  CHECK(result.out.find("m = nan nan\n") != std::string::npos);
  // Where the next q tile is to come, the last one's tiles are gone.
  result = debug("goto item 1\nprint m\n");
  CHECK(result.out.find("m = nothing yet\n") != std::string::npos);
  // In fa1 q tiles take turns: what was loaded in this step is there, alpha of the last one not.
  result = debug("goto tile 0 1\nstep 5\nprint l\nprint alpha\nprint K\n", {"--algorithm", "fa1"});
  CHECK(result.out.find("l = 1.368 1.368\n") != std::string::npos);
  CHECK(result.out.find("alpha = nothing yet\n") != std::string::npos);
  CHECK(result.out.find("K =\n") != std::string::npos);
}

TEST_CASE("whole numbers are printed with all their digits, and nothing is wider than the screen") {
  const Result result =
      debug("print 123456789012\nprint 1/3\ngoto tile 0 1\nstep 6\nprint S\nhelp\nlist\n",
            {"--q-len", "256", "--q-tile", "64", "--kv-tile", "64"});
  CHECK(result.out.starts_with("123456789012 = 123456789012\n1/3 = 0.333333333\n"));
  for (const std::string& line : lines_of(result.out)) {
    CAPTURE(line);
    CHECK(columns_of(line) <= 80);
  }
  CHECK(result.out.find("An empty line repeats.") != std::string::npos);
}
