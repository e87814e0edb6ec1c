// `--fault` and `diagnose` as a user meets them: headings, JSON, exit codes, refusals, and the
// round from a faulty run to its diagnosis.
#include <filesystem>

#include <doctest/doctest.h>

#include "tests/terminal/command.h"

namespace flashscope::terminal_tests {
namespace {

using nlohmann::json;

const Arguments kProblem = words("--q-len 150 --q-heads 2 --causal --dtype fp32");

// A folder of its own, gone afterwards.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "flashscope_faults_test") {
    std::filesystem::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Runs with the fault at 32 x 64, then asks what is wrong.
Result diagnose(const Folder& folder, const Arguments& fault) {
  const std::string o = folder.file("o.npy"), lse = folder.file("lse.npy");
  output_of(words("run --q-tile 32 --kv-tile 64 --verify none") + kProblem + fault +
            Arguments{"--out", o, "--lse", lse});
  return run_command(words("diagnose --json") + kProblem +
                     Arguments{"--observed", o, "--observed-lse", lse});
}

TEST_CASE("a fault stands in the heading, in the walked line and in JSON") {
  const std::string walk = output_of(words("walk --rows 0 --fault l_not_rescaled"));
  CHECK(walk.find("fa2 with fault l_not_rescaled on pencil") != std::string::npos);
  CHECK(walk.find("l = l + rowsum P") != std::string::npos);
  CHECK(walk.find("l = alpha * l") == std::string::npos);
  const json run = json_of(words("run --json --fault o_not_rescaled") + kProblem);
  CHECK(run.at("algorithm") == "fa2");
  CHECK(run.at("fault") == "o_not_rescaled");
  CHECK(run.at("max_abs_error").get<double>() > 0.01);
  const json count = json_of(words("count --json --fault diagonal_tile_skipped") + kProblem);
  CHECK(count.at("algorithms")[0].at("fault") == "diagonal_tile_skipped");
  CHECK(count.at("algorithms")[0].at("closed_form_bytes").is_null());
  CHECK(json_of(words("run --json") + kProblem).at("fault").is_null());
}

TEST_CASE("diagnose names the fault of a run, and exits with 1") {
  const Folder folder;
  const Result result = diagnose(folder, words("--fault o_not_rescaled"));
  CHECK(result.exit_code == 1);
  const json diagnosis = json::parse(result.out);
  CHECK(diagnosis.at("schema") == "flashscope.diagnose/1");
  CHECK(diagnosis.at("correct") == false);
  CHECK(diagnosis.at("max_abs_error").get<double>() > diagnosis.at("tolerance").get<double>());
  CHECK(diagnosis.at("wrong_rows").get<int>() > 0);
  const json& first = diagnosis.at("candidates").at(0);
  CHECK(first.at("fault") == "o_not_rescaled");
  CHECK(first.at("kind") == "fault");
  CHECK(first.at("kv_tile") == 64);
  CHECK(first.at("residual").get<double>() < 1e-6);
}

TEST_CASE("diagnose exits with 0 for right outputs and for conventions") {
  const Folder folder;
  const Result right = diagnose(folder, {});
  CHECK(right.exit_code == 0);
  CHECK(json::parse(right.out).at("correct") == true);
  CHECK(json::parse(right.out).at("candidates").empty());
  const Result base_2 = diagnose(folder, words("--fault lse_base2"));
  CHECK(base_2.exit_code == 0);
  const json diagnosis = json::parse(base_2.out);
  CHECK(diagnosis.at("correct") == true);
  CHECK(diagnosis.at("candidates").at(0).at("fault") == "lse_base2");
  CHECK(diagnosis.at("candidates").at(0).at("kind") == "convention");
}

TEST_CASE("diagnose tells people what is wrong, and where") {
  const Folder folder;
  const std::string o = folder.file("o.npy");
  output_of(words("run --fault causal_off_by_one --verify none") + kProblem +
            Arguments{"--out", o});
  const Result result = run_command(words("diagnose") + kProblem + Arguments{"--observed", o});
  CHECK(result.exit_code == 1);
  CHECK(result.out.find("wrong, as a known fault is") != std::string::npos);
  CHECK(result.out.find("causal_off_by_one") != std::string::npos);
  CHECK(result.out.find("of 300 rows checked; worst at batch 0, head") != std::string::npos);
}

TEST_CASE("faults and observations that make no sense are refused") {
  check_all_refused({
      {words("run --fault o_not_rescalled"), "did you mean 'o_not_rescaled'"},
      {words("run --algorithm standard --fault m_init_zero"),
       "does not apply to algorithm standard"},
      {words("count --algorithm all --fault m_init_zero"), "--algorithm all"},
      {words("diagnose --q-len 8"), "--observed"},
      {words("diagnose --q-len 8 --observed /nowhere/o.npy"), "/nowhere/o.npy"},
      {words("diagnose --q-len 8 --observed o.npy --fault m_init_zero"), "--fault"},
  });
}

}  // namespace
}  // namespace flashscope::terminal_tests
