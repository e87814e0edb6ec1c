// ncu's CSV as counters, and counters joined to the rows of a record.
#include <doctest/doctest.h>

#include "gpu/launch/plan.h"
#include "gpu/measure/ncu_csv.h"
#include "gpu/measure/record_set.h"
#include "sim/error.h"

namespace flashscope::gpu {
namespace {

// In the form of ncu --csv --page raw: remarks, a heading, a line of units, one line per kernel.
const std::string kHeading =
    "==PROF== Connected to process 4242 (flashscope-gpu)\n"
    "B4 H16 Lq 4096 fa2\n"
    "==PROF== Profiling \"flush_l2_kernel\" - 0: 0%....50%....100% - 2 passes\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"dram__bytes_read.sum\","
    "\"dram__bytes_write.sum\",\"l1tex__m_xbar2l1tex_read_bytes.sum\","
    "\"smsp__sass_data_bytes_mem_shared.sum\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"byte\",\"Mbyte\",\"byte\",\"byte\"\n";

std::string line(const std::string& kernel, const std::string& read, const std::string& written,
                 const std::string& l2) {
  return "\"0\",\"4242\",\"flashscope-gpu\",\"127.0.0.1\",\"" + kernel +
         "\",\"1\",\"7\",\"(128, 1, 1)\",\"(2048, 1, 1)\",\"0\",\"9.0\",\"" + read + "\",\"" +
         written + "\",\"" + l2 + "\",\"5\"\n";
}

const std::string kFlush =
    line("flashscope::gpu::flush_l2_kernel(uint4 *, unsigned long)", "1", "2", "3");
const std::string kFa2 = line(
    "void flashscope::gpu::fa2_kernel<flashscope::gpu::Fa2Shape<__half, (int)64, (int)128>>"
    "(flashscope::gpu::KernelArguments)",
    "100,663,296", "26.8", "2,181,038,080");
const std::string kSplit =
    line("void flashscope::gpu::split_kv_kernel<S>(A)", "10", "1", "20") +
    line("void flashscope::gpu::combine_splits_kernel<S>(A)", "11", "1", "21");

std::string why_refused(const std::string& text) {
  try {
    parse_ncu_csv(text, "n.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("ncu's CSV becomes one list of kernels per flush, in bytes") {
  const auto calls = parse_ncu_csv(kHeading + kFlush + kFa2 + kFlush + kSplit + kFlush, "n.csv");
  REQUIRE(calls.size() == 3);
  REQUIRE(calls[0].size() == 1);
  CHECK(calls[0][0].name == "fa2_kernel");
  CHECK(calls[0][0].dram_load_bytes == 100663296);
  CHECK(calls[0][0].dram_store_bytes == 26800000);
  CHECK(calls[0][0].l2_to_sm_bytes == 2181038080);
  CHECK(calls[0][0].shared_bytes == 5);
  REQUIRE(calls[1].size() == 2);
  CHECK(calls[1][0].name == "split_kv_kernel");
  CHECK(calls[1][1].dram_load_bytes == 11);
  CHECK(calls[2].empty());
}

TEST_CASE("a metric that was not collected is missing, and carriage returns do not matter") {
  std::string text = kHeading + kFlush + kFa2;
  const std::size_t at = text.find("smsp__sass_data_bytes_mem_shared.sum");
  text.replace(at, 4, "sm__");
  for (std::size_t i = 0; (i = text.find('\n', i)) != std::string::npos; i += 2) {
    text.insert(i, "\r");
  }
  const auto calls = parse_ncu_csv(text, "n.csv");
  CHECK_FALSE(calls[0][0].shared_bytes.has_value());
  CHECK(calls[0][0].l2_to_sm_bytes == 2181038080);
}

TEST_CASE("what is no such CSV is refused with its line") {
  CHECK(why_refused("") ==
        "n.csv:0: there is no line that begins with \"ID\": is this the output of ncu --csv --page "
        "raw?");
  CHECK(
      why_refused("\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Value\"\n").find("--page raw") !=
      std::string::npos);
  CHECK(why_refused("\"ID\",\"Kernel Name\"\n\"\",\"\"\n").find("none of our metrics") !=
        std::string::npos);
  CHECK(why_refused(kHeading + kFa2).find("before any flush_l2_kernel") != std::string::npos);
  CHECK(why_refused(kHeading + kFlush + kFa2.substr(0, 80)).starts_with("n.csv:7: it has "));
  std::string bad = kHeading + kFlush + kFa2;
  bad.replace(bad.find("26.8"), 4, "n/a ");
  CHECK(why_refused(bad) ==
        "n.csv:7: dram__bytes_write.sum is 'n/a ', which is no number of bytes");
  bad = kHeading;
  bad.replace(bad.find("\"Mbyte\""), 7, "\"%\"");
  CHECK(why_refused(bad + kFlush).find("is in '%', not in bytes") != std::string::npos);
}

TEST_CASE("text that is cut off anywhere is read or refused, never more") {
  const std::string text = kHeading + kFlush + kFa2 + kFlush + kSplit;
  for (std::size_t size = 0; size < text.size(); size += 7) {
    const std::string why = why_refused(text.substr(0, size));
    CHECK((why.empty() || why.starts_with("n.csv:")));
  }
}

RecordRow row(const char* algorithm) {
  RecordRow result;
  result.algorithm = algorithm;
  return result;
}

TEST_CASE("a profiler's calls join the rows in order, and another order is noticed") {
  const auto calls = parse_ncu_csv(kHeading + kFlush + kFa2 + kFlush + kSplit, "n.csv");
  std::vector<RecordRow> rows = {row("fa2"), row("split_kv")};
  add_counters(rows, calls, "n.csv");
  CHECK(rows[0].kernels[0].l2_to_sm_bytes == 2181038080);
  CHECK(rows[1].kernels.size() == 2);
  std::vector<RecordRow> swapped = {row("split_kv"), row("fa2")};
  CHECK_THROWS_WITH_AS(add_counters(swapped, calls, "n.csv"),
                       doctest::Contains("call 0 begins with kernel 'fa2_kernel'"), Error);
  std::vector<RecordRow> fewer = {row("fa2")};
  CHECK_THROWS_WITH_AS(add_counters(fewer, calls, "n.csv"),
                       doctest::Contains("it holds 2 calls, and this record 1"), Error);
}

TEST_CASE("kernels without a name get that of the table's phase") {
  RecordRow split = row("split_kv");
  add_counters(split, {KernelCounters{}, KernelCounters{}});
  CHECK(split.kernels[0].name == "partial");
  CHECK(split.kernels[1].name == "combine");
  add_counters(split, {KernelCounters{}, KernelCounters{}, KernelCounters{}});
  CHECK(split.kernels[2].name == "kernel 2");
}

TEST_CASE("the command for ncu names every metric") {
  CHECK(ncu_command("c.csv", "flashscope-gpu record --once") ==
        "ncu --csv --page raw --print-units base --clock-control none --metrics "
        "l1tex__m_xbar2l1tex_read_bytes.sum,dram__bytes_read.sum,dram__bytes_write.sum,"
        "smsp__sass_data_bytes_mem_shared.sum --log-file c.csv flashscope-gpu record --once");
}

TEST_CASE("the record's cases are the same shapes at an eighth of the length when quick") {
  const std::vector<RecordCase> whole = record_cases(false), quick = record_cases(true);
  REQUIRE(whole.size() == quick.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    CHECK(whole[i].problem.kv_len == 8 * quick[i].problem.kv_len);
    CHECK(whole[i].algorithms == quick[i].algorithms);
  }
  CHECK(whole[3].problem.q_len == 1);
  CHECK(quick[3].problem.q_len == 1);
}

}  // namespace
}  // namespace flashscope::gpu
