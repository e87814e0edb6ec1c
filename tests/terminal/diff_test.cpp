// `flashscope diff` from outside: exit codes, JSON, and traces that are refused.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "command.h"

using namespace flashscope::terminal_tests;

namespace {

std::string trace_file(const std::string& text) {
  const auto path = std::filesystem::temp_directory_path() / "flashscope_trace.jsonl";
  std::ofstream(path) << text;
  return path.string();
}

constexpr const char* kRecord =
    "{\"batch\":0,\"head\":0,\"row\":0,\"kv_begin\":0,\"kv_end\":2,\"m\":1,\"l\":1.3678794}\n";
// What the other rows of the pencil problem hold behind the first tile.
constexpr const char* kOtherRows =
    "{\"batch\":0,\"head\":0,\"row\":1,\"kv_begin\":0,\"kv_end\":2,\"m\":2,\"l\":1.3678794}\n"
    "{\"batch\":0,\"head\":0,\"row\":2,\"kv_begin\":0,\"kv_end\":2,\"m\":3,\"l\":1.1353353}\n"
    "{\"batch\":0,\"head\":0,\"row\":3,\"kv_begin\":0,\"kv_end\":2,\"m\":-1,\"l\":2}\n";

}  // namespace

TEST_CASE("diff exits with 0 when nothing parts and with 1 when something does") {
  const Result same = run_command(words("diff --a algorithm=fa1 --b algorithm=fa2"));
  CHECK(same.exit_code == 0);
  CHECK(same.out.find("no difference") != std::string::npos);
  const std::string broken = FLASHSCOPE_SOURCE_DIR "/lessons/data/planted_bug.alg";
  const Result parted =
      run_command({"diff", "--problem", "pencil", "--json", "--b", "algorithm=" + broken});
  CHECK(parted.exit_code == 1);
  const auto json = nlohmann::json::parse(parted.out);
  CHECK(json["schema"] == "flashscope.diff/1");
  const auto& first = json["first_difference"];
  for (const char* field :
       {"op_a", "op_b", "batch", "head", "row", "kv_begin", "kv_end", "quantity", "a", "b"}) {
    CHECK(first.contains(field));
  }
  CHECK(json_of(words("diff --problem pencil --json --b q-tile=1"))["first_difference"].is_null());
}

TEST_CASE("a trace of right records agrees, a wrong one does not") {
  const auto with = [](const std::string& text) {
    return run_command({"diff", "--problem", "pencil", "--trace", trace_file(text)});
  };
  CHECK(with(std::string(kRecord) + kOtherRows).exit_code == 0);
  std::string wrong = std::string(kRecord) + kOtherRows;
  wrong.replace(wrong.find("\"m\":1"), 5, "\"m\":7");
  CHECK(with(wrong).exit_code == 1);
}

TEST_CASE("bad traces and sides are refused in one line that names the place") {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kRecord;
    text.replace(text.find(from), from.size(), to);
    return trace_file(text);
  };
  const auto refused = [](const std::string& path, const std::string& mention) {
    check_refused({"diff", "--problem", "pencil", "--trace", path}, mention);
  };
  refused("/nowhere", "/nowhere");
  refused(trace_file(kRecord), "row 1 of batch 0, head 0 is missing");
  refused(trace_file(kOtherRows), "row 0 of batch 0, head 0 is missing");
  refused(with("\"m\":1,", "\"m\":\"nan\","), "m is NaN");
  refused(trace_file(""), "no record");
  refused(trace_file("not json\n"), ":1");
  refused(trace_file(std::string(kRecord) + "[1]\n"), ":2");
  refused(with("\"m\":1,", ""), "\"m\"");
  refused(with("\"row\":0", "\"row\":4"), "\"row\"");
  refused(with("\"row\":0", "\"row\":-1"), "\"row\"");
  refused(with("\"row\":0", "\"row\":0.5"), "\"row\"");
  refused(with("\"head\":0", "\"head\":\"x\""), "\"head\"");
  refused(with("\"kv_end\":2", "\"kv_end\":9"), "\"kv_end\"");
  refused(with("\"kv_begin\":0", "\"kv_begin\":3"), "\"kv_end\"");
  refused(with("\"l\":1.3678794", "\"l\":\"x\""), "\"l\"");
  refused(with("\"l\":1.3678794", "\"l\":1,\"O\":[1]"), "\"O\"");
  refused(trace_file("{\"schema\":\"zz\"}\n"), "schema");
  refused(trace_file("{\"schema\":\"flashscope.trace/1\",\"base\":10}\n"), "base");
  check_refused(words("diff"), "--b");
  check_refused(words("diff --b q-tile"), "KEY=VALUE");
  check_refused(words("diff --b qtile=3"), "qtile");
  check_refused(words("diff --b q-tile=x"), "q-tile");
  check_refused(words("diff --b q-tile=0"), "--q-tile");
  check_refused(words("diff --b algorithm=fa9"), "fa9");
  check_refused(words("diff --b q-tile=1 --trace x"), "--trace");
  check_refused(words("diff --b q-tile=1 --tolerance -1"), "--tolerance");
}
