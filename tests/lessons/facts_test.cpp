// Facts of scenarios, against numbers that are known otherwise: design goldens, the pencil problem
// by hand, data sheets, the committed record.
#include "lessons/engine/facts.h"

#include <map>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "lessons/engine/facts_options.h"
#include "lessons/engine/facts_table.h"
#include "sim/error.h"

using namespace flashscope;
using namespace flashscope::lessons;

namespace {

using Options = std::map<std::string, std::string>;

ScenarioChange scenario(const Options& options, std::vector<TableEdit> edits = {},
                        const std::string& record = "") {
  ScenarioChange change;
  for (const auto& [name, value] : options) {
    set_option(change.options, name, value);
    change.given.push_back(name);
  }
  change.edits = std::move(edits);
  change.record = record;
  return change;
}

Options layer(const std::string& algorithm, const std::string& kv_tile = "64") {
  return {{"batch", "4"},    {"q-heads", "16"}, {"q-len", "4096"},    {"head-dim", "64"},
          {"dtype", "fp16"}, {"q-tile", "128"}, {"kv-tile", kv_tile}, {"algorithm", algorithm}};
}

double fact(const ScenarioChange& change, const std::string& name) {
  return ScenarioFacts(change).fact(name);
}

std::string reason(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing is wrong";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// From pairs of a line's beginning and what it becomes.
std::vector<TableEdit> edits(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<TableEdit> result;
  for (const auto& [line, to] : pairs) {
    TableEdit& edit = result.emplace_back();
    edit.line.text = line;
    edit.to = to;
  }
  return result;
}

const Options kPencil = {{"problem", "pencil"}};

}  // namespace

TEST_CASE("bytes of the large layer are those of the design") {
  const ScenarioFacts fa2(scenario(layer("fa2")));
  CHECK(fa2.fact("load_bytes") == 2'181'038'080);
  CHECK(fa2.fact("store_bytes") == 34'603'008);
  CHECK(fa2.fact("total_bytes") == 2'181'038'080.0 + 34'603'008);
  CHECK(fa2.fact("closed_form_bytes") == fa2.fact("total_bytes"));
  CHECK(fa2.fact("init_bytes") == 0);
  const ScenarioFacts standard(scenario(layer("standard")));
  CHECK(standard.fact("load_bytes") == 8'589'934'592);
  CHECK(standard.fact("store_bytes") == 4'329'570'304);
  const ScenarioFacts fa1(scenario(layer("fa1")));
  CHECK(fa1.fact("load_bytes") == 6'643'777'536);
  CHECK(fa1.fact("store_bytes") == 4'394'582'016);
  CHECK(fa1.fact("init_bytes") == 69'206'016);
  Options causal = layer("fa2");
  causal["causal"] = "true";
  CHECK(fact(scenario(causal), "load_bytes") == 1'140'850'688);
}

TEST_CASE("work, tiles and sizes follow from the problem") {
  const ScenarioFacts fa2(scenario(layer("fa2")));
  const double heads = 64, n = 4096, d = 64;
  CHECK(fa2.fact("matmul_flops") == heads * 4 * d * n * n);
  CHECK(fa2.fact("useful_flops") == heads * 4 * d * n * n);
  CHECK(fa2.fact("exponentials") == heads * (n * n + n * n / 64));
  CHECK(fa2.fact("rescales") == heads * n * (n / 64 - 1));
  CHECK(fa2.fact("work_items") == heads * 32);
  CHECK(fa2.fact("full_tiles") == heads * 32 * 64);
  CHECK(fa2.fact("partial_tiles") == 0);
  CHECK(fa2.fact("q_tiles") == 32);
  CHECK(fa2.fact("kv_tiles") == 64);
  CHECK(fa2.fact("q_bytes") == heads * n * d * 2);
  CHECK(fa2.fact("compulsory_bytes") == 3 * heads * n * d * 2);
  CHECK(fa2.fact("element_bytes") == 2);
  CHECK(fa2.fact("scale") == 0.125);
  Options gqa = layer("fa2");
  gqa["kv-heads"] = "2";
  CHECK(fact(scenario(gqa), "k_bytes") == 4 * 2 * n * d * 2);
  CHECK(fact(scenario(gqa), "o_bytes") == heads * n * d * 2);
  Options causal = layer("fa2", "128");
  causal["causal"] = "true";
  const ScenarioFacts triangle(scenario(causal));
  CHECK(triangle.fact("partial_tiles") == heads * 32);
  CHECK(triangle.fact("full_tiles") == heads * 32 * 31 / 2);
  CHECK(triangle.fact("empty_tiles") == heads * 32 * 31 / 2);
  CHECK(triangle.fact("useful_flops") == heads * 4 * d * n * (n + 1) / 2);
}

TEST_CASE("the budget is what the tiles add up to, and a tiling that does not fit is shown") {
  const ScenarioFacts fa2(scenario(layer("fa2")));
  const double kib = 1024;
  CHECK(fa2.fact("shared_bytes") == (16 + 2 * 8 + 2 * 8) * kib);  // Q, K and V in two stages
  CHECK(fa2.fact("shared_limit") == 163 * kib);
  CHECK(fa2.fact("registers_limit") == 255);
  CHECK(fa2.fact("fits") == 1);
  Options large = layer("fa2", "256");
  large["q-tile"] = "512";
  large["device"] = "h100";
  CHECK(fact(scenario(large), "fits") == 0);
  CHECK(fact(scenario(large), "shared_limit") == 227 * kib);
  CHECK(fact(scenario(large), "q_tile") == 512);
  CHECK(fact(scenario(large), "blocks_per_sm") == 0);
}

TEST_CASE("a device's figures are in plain units") {
  const ScenarioFacts a100(scenario(layer("fa2")));
  CHECK(a100.fact("sm_count") == 108);
  CHECK(a100.fact("l2_bytes") == 40 * 1024 * 1024);
  CHECK(a100.fact("fp16_flop_per_s") == doctest::Approx(312e12));
  CHECK(a100.fact("fp32_flop_per_s") == doctest::Approx(19.5e12));
  CHECK(a100.fact("clock_hz") == doctest::Approx(1410e6));
  Options h200 = layer("fa2");
  h200["device"] = "h200";
  CHECK(fact(scenario(h200), "hbm_bytes_per_s") == doctest::Approx(4.8e12));
}

TEST_CASE("a run is held against fp64") {
  const ScenarioFacts right(scenario(kPencil));
  CHECK(right.fact("max_abs_error") < 1e-6);
  CHECK(right.fact("max_abs_error") > 0);
  CHECK(right.fact("rmse") <= right.fact("max_abs_error"));
  CHECK(right.fact("lse_max_abs_error") < 1e-6);
  CHECK(right.fact("rescales_taken") == 4);  // four rows, once each
  Options faulty = kPencil;
  faulty["fault"] = "o_not_rescaled";
  CHECK(fact(scenario(faulty), "max_abs_error") > 0.1);
  Options large = layer("fa2");
  CHECK(says(reason([&] { fact(scenario(large), "max_abs_error"); }), "too large"));
}

TEST_CASE("measured facts are those of the committed record") {
  const ScenarioFacts fa2(scenario(layer("fa2"), {}, "h200"));
  CHECK(fa2.fact("measured_us") == doctest::Approx(846.304));
  CHECK(fa2.fact("measured_l2_to_sm_bytes") ==
        doctest::Approx(fa2.fact("load_bytes")).epsilon(0.01));
  CHECK(fa2.fact("measured_dram_load_bytes") ==
        doctest::Approx(fa2.fact("compulsory_bytes")).epsilon(0.01));
  CHECK(fa2.fact("device_l2_bytes") == 62'914'560);
  CHECK(fa2.fact("copy_bytes_per_s") == doctest::Approx(4.27e12).epsilon(0.01));
  // standard has three kernels: their counters add up.
  const ScenarioFacts standard(scenario(layer("standard", "128"), {}, "h200"));
  CHECK(standard.fact("measured_l2_to_sm_bytes") == 2148816128.0 + 2147483648.0 + 3221225472.0);

  CHECK(says(reason([&] { fact(scenario(layer("fa2")), "measured_us"); }), "has no record"));
  CHECK(says(reason([&] { fact(scenario(layer("standard"), {}, "h200"), "measured_us"); }),
             "in tiles 128x128, not 128x64"));
  CHECK(says(reason([&] { fact(scenario(kPencil, {}, "h200"), "measured_us"); }), "has no fa2 on"));
  CHECK(says(reason([&] { fact(scenario(kPencil, {}, "a100"), "q_len"); }), "no record 'a100'"));
}

TEST_CASE("every fact has a value, a meaning and a name of its own") {
  const ScenarioFacts here(scenario(
      {{"batch", "4"}, {"q-heads", "16"}, {"q-len", "4096"}, {"q-tile", "128"}, {"kv-tile", "64"}},
      {}, "h200"));
  const std::set<std::string_view> of_runs = {"max_abs_error", "rmse", "lse_max_abs_error",
                                              "rescales_taken"};
  std::set<std::string_view> names;
  for (const FactName& fact : fact_names()) {
    CAPTURE(std::string(fact.name));
    CHECK(names.insert(fact.name).second);
    CHECK(!fact.meaning.empty());
    if (!of_runs.contains(fact.name)) CHECK(here.fact(fact.name) >= 0);
  }
  CHECK(says(reason([&] { here.fact("load_byte"); }), "did you mean 'load_bytes'"));
}

TEST_CASE("an edit replaces the line that begins so, with its indent and its condition") {
  const ScenarioFacts edited(scenario(kPencil, edits({{"l =  alpha * l", "l = l + rowsum P"},
                                                      {"  O = alpha * O", ""},
                                                      {"mask S", "mask S when full"}})));
  const std::string& table = edited.program().algorithm().source;
  CHECK(says(table, "\n    l = l + rowsum P\n"));
  CHECK(!says(table, "alpha * l"));
  CHECK(!says(table, "O = alpha * O"));
  CHECK(says(table, "\n    mask S when full\n"));
  CHECK(edited.program().algorithm().name == "fa2");
  CHECK(edited.fact("max_abs_error") > 0.1);
  CHECK(says(reason([&] { edited.fact("closed_form_bytes"); }), "no closed form"));
  // The condition stays where the new text has none.
  const ScenarioFacts kept(scenario(kPencil, edits({{"O = alpha * O", "O = l * O"}})));
  CHECK(says(kept.program().algorithm().source, "\n    O = l * O when not first\n"));
  // Several lines for one.
  const ScenarioFacts two(
      scenario(kPencil, edits({{"l = alpha * l", "l = alpha * l\nl = l + rowsum P"}})));
  CHECK(two.program().algorithm().lines.size() == load_algorithm("fa2").lines.size() + 1);
  CHECK(two.fact("max_abs_error") < 1e-6);
}

TEST_CASE("an edit that names no line, or several, is told with the nearest") {
  const auto why = [&](const std::string& line, const std::string& to = "x") {
    return reason([&] { ScenarioFacts(scenario(kPencil, edits({{line, to}}))); });
  };
  CHECK(says(why("l = alfa * l"), "no line of the table begins with 'l = alfa * l'"));
  CHECK(says(why("l = alfa * l"), "the nearest is 'l = alpha * l + rowsum P'"));
  CHECK(says(why("O ="), "several lines of the table begin with 'O ='"));
  CHECK(says(why("m = m_new", "m = nonsense"), "edited table:"));
  Options standard = kPencil;
  standard["algorithm"] = "standard";
  CHECK(says(reason([&] {
               ScenarioFacts(scenario(standard, edits({{"cast S to score", ""}})));
             }),
             "an edit changes one"));
  // `store O` is a line of its own, though `store O to O_work` begins with it.
  Options fa1 = kPencil;
  fa1["algorithm"] = "fa1";
  CHECK(says(reason([&] {
               ScenarioFacts(scenario(fa1, edits({{"store O", ""}})));
             }),
             "stands in lines"));
}

TEST_CASE("a scenario reads nothing but the lesson") {
  const auto why = [](const std::function<void(ProblemOptions&)>& spoil) {
    ScenarioChange change = scenario(kPencil);
    spoil(change.options);
    return reason([&] { ScenarioFacts facts(change); });
  };
  CHECK(says(why([](ProblemOptions& o) { o.q = "/etc/passwd"; }), "reads no files"));
  CHECK(says(why([](ProblemOptions& o) { o.tensors = "x"; }), "reads no files"));
  CHECK(says(why([](ProblemOptions& o) { o.algorithm = "mine.alg"; }), "reads no files"));
  CHECK(says(why([](ProblemOptions& o) { o.algorithm = "all"; }), "one algorithm"));
  ProblemOptions options;
  CHECK(says(reason([&] { set_option(options, "tensors", "x"); }), "names a file"));
}

TEST_CASE("options are read as strictly as on the command line") {
  ProblemOptions options;
  set_option(options, "--q-len", "12");
  set_option(options, "scale", "0.5");
  set_option(options, "causal", "true");
  CHECK(options.q_len == 12);
  CHECK(options.scale == 0.5);
  CHECK(options.causal);
  CHECK(says(reason([&] { set_option(options, "q-len", "12x"); }), "whole number"));
  CHECK(says(reason([&] { set_option(options, "q-len", ""); }), "whole number"));
  CHECK(says(reason([&] { set_option(options, "scale", "inf"); }), "a number"));
  CHECK(says(reason([&] { set_option(options, "causal", "yes"); }), "true or false"));
  CHECK(says(reason([&] { set_option(options, "q-lenn", "1"); }), "did you mean 'q-len'"));
}

TEST_CASE("scenarios are known by name, and here is the open one") {
  Facts facts;
  CHECK(says(reason([&] { facts.find("here"); }), "no scenario is open"));
  facts.define("pencil", scenario(kPencil));
  facts.define("flash", scenario(layer("fa2")));
  CHECK(says(reason([&] { facts.find("flsh"); }), "did you mean 'flash'"));
  CHECK(says(reason([&] { facts.open("here"); }), "no scenario"));
  CHECK(says(reason([&] { facts.define("here", scenario(kPencil)); }), "taken"));
  CHECK(says(reason([&] { facts.define("my-own", scenario(kPencil)); }), "letters"));
  facts.open("pencil");
  CHECK(facts.find("here").fact("q_len") == 4);
  ProblemOptions options = facts.find("here").options();
  options.kv_tile = 4;
  facts.replace_here(options);
  CHECK(facts.find("here").fact("kv_tile") == 4);
  CHECK(facts.find("pencil").fact("kv_tile") == 2);
  facts.open("pencil");
  CHECK(facts.find("here").fact("kv_tile") == 2);
}

TEST_CASE("a sweep sets an option in all scenarios, and only those that are used must have it") {
  Facts facts;
  facts.define("pencil", scenario(kPencil));
  facts.define("flash", scenario({{"q-len", "1024"}, {"q-tile", "64"}, {"kv-tile", "64"}}));
  facts.open("flash");
  const Facts longer = facts.with_option("q-len", "2048");
  CHECK(longer.find("flash").fact("q_len") == 2048);
  CHECK(longer.find("here").fact("q_len") == 2048);
  CHECK(longer.find("flash").fact("kv_len") == 2048);
  CHECK(facts.find("flash").fact("q_len") == 1024);
  CHECK(says(reason([&] { longer.find("pencil"); }), "contradicts"));
  CHECK(says(reason([&] { facts.with_option("q-length", "1"); }), "no option 'q-length'"));
  CHECK(says(reason([&] { facts.with_option("q-len", "one"); }), "whole number"));
}
