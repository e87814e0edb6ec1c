// See ncu_csv.h.
#include "gpu/measure/ncu_csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "gpu/measure/counters.h"
#include "sim/error.h"
#include "sim/io/file_bytes.h"
#include "sim/io/message_text.h"

namespace flashscope::gpu {
namespace {

constexpr double kLargestBytes = 9e18;  // fits 64 bits

using Cells = std::vector<std::string>;

// One line of CSV; a cell may be quoted, and a quote within it is doubled.
Cells split_line(std::string_view line) {
  Cells cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        cells.back() += '"';
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

// Bytes in one of ncu's units.
std::optional<double> bytes_in(std::string_view unit) {
  if (unit == "byte") return 1;
  if (unit == "Kbyte") return 1e3;
  if (unit == "Mbyte") return 1e6;
  if (unit == "Gbyte") return 1e9;
  if (unit == "Tbyte") return 1e12;
  return std::nullopt;
}

// "fa2_kernel" of "void flashscope::gpu::fa2_kernel<…>(flashscope::gpu::KernelArguments)".
std::string short_name(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find_first_of("<("));
  const std::size_t last = kernel.find_last_of(" :");
  return std::string(last == std::string_view::npos ? kernel : kernel.substr(last + 1));
}

class Table {
 public:
  Table(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  std::vector<std::vector<KernelCounters>> read() {
    find_header();
    read_units();
    std::vector<std::vector<KernelCounters>> calls;
    std::string_view line;
    while (next_line(line)) {
      if (line.empty() || line.front() != '"') continue;  // ncu's own remarks
      const Cells cells = split_line(line);
      if (cells.size() != header_.size()) {
        fail(fmt::format("it has {} cells, and the heading {}: was the file cut off?", cells.size(),
                         header_.size()));
      }
      const std::string kernel = short_name(cells[kernel_name_]);
      if (kernel == kFlushKernel) {
        calls.emplace_back();
        continue;
      }
      if (calls.empty()) {
        fail(
            fmt::format("kernel '{}' comes before any {}: profile every kernel of `bench --once` "
                        "or `record --once`",
                        io::printable(kernel), kFlushKernel));
      }
      calls.back().push_back(counters(kernel, cells));
    }
    return calls;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}:{}: {}", io::printable(name_), line_number_, what));
  }

  bool next_line(std::string_view& line) {
    if (text_.empty()) return false;
    const std::size_t end = text_.find('\n');
    line = text_.substr(0, end);
    text_ = end == std::string_view::npos ? std::string_view() : text_.substr(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++line_number_;
    return true;
  }

  // The program's own output and ncu's remarks may stand before it.
  void find_header() {
    std::string_view line;
    while (next_line(line)) {
      if (!line.starts_with("\"ID\"")) continue;
      header_ = split_line(line);
      if (column("Metric Name")) fail("this is ncu's details page: add --page raw");
      const std::optional<std::size_t> name = column("Kernel Name");
      if (!name) fail("the heading has no \"Kernel Name\": is this ncu --csv --page raw?");
      kernel_name_ = *name;
      return;
    }
    fail("there is no line that begins with \"ID\": is this the output of ncu --csv --page raw?");
  }

  void read_units() {
    std::string_view line;
    if (!next_line(line)) fail("the line of units is missing: was the file cut off?");
    const Cells units = split_line(line);
    if (units.size() != header_.size()) fail("the line of units is cut off");
    for (const Counter& counter : kCounters) {
      const std::optional<std::size_t> at = column(counter.metric);
      if (!at) continue;
      const std::optional<double> bytes = bytes_in(units[*at]);
      if (!bytes) {
        fail(fmt::format("{} is in '{}', not in bytes", counter.metric, io::printable(units[*at])));
      }
      columns_.push_back({&counter, *at, *bytes});
    }
    if (columns_.empty()) {
      fail(fmt::format("none of our metrics is here, such as {}", kCounters.front().metric));
    }
  }

  KernelCounters counters(const std::string& kernel, const Cells& cells) const {
    KernelCounters result;
    result.name = kernel;
    for (const Column& c : columns_) {
      std::string digits = cells[c.at];
      std::erase(digits, ',');
      double value = 0;
      const char* const end = digits.data() + digits.size();
      const auto parsed = std::from_chars(digits.data(), end, value);
      if (parsed.ec != std::errc() || parsed.ptr != end || !(value >= 0) ||
          value * c.unit > kLargestBytes) {
        fail(fmt::format("{} is '{}', which is no number of bytes", c.counter->metric,
                         io::printable(cells[c.at])));
      }
      result.*(c.counter->field) = std::llround(value * c.unit);
    }
    return result;
  }

  std::optional<std::size_t> column(std::string_view title) const {
    const auto found = std::find(header_.begin(), header_.end(), title);
    if (found == header_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header_.begin());
  }

  struct Column {
    const Counter* counter;
    std::size_t at;
    double unit;  // bytes
  };

  std::string_view text_;
  const std::string& name_;
  int line_number_ = 0;
  Cells header_;
  std::size_t kernel_name_ = 0;
  std::vector<Column> columns_;
};

}  // namespace

std::string ncu_command(const std::string& csv_file, const std::string& program) {
  std::string metrics;
  for (const Counter& counter : kCounters) {
    metrics += (metrics.empty() ? "" : ",") + std::string(counter.metric);
  }
  return fmt::format(
      "ncu --csv --page raw --print-units base --clock-control none --metrics {} --log-file {} {}",
      metrics, csv_file, program);
}

std::vector<std::vector<KernelCounters>> parse_ncu_csv(std::string_view text,
                                                       const std::string& name) {
  return Table(text, name).read();
}

std::vector<std::vector<KernelCounters>> read_ncu_csv(const std::string& path) {
  const io::FileBytes file = io::map_file(path);
  return parse_ncu_csv({reinterpret_cast<const char*>(file.data.get()), file.size_bytes},
                       file.name);
}

}  // namespace flashscope::gpu
