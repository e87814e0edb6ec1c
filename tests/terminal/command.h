// Runs the built `flashscope` as a user would: its own process, arguments as they are (no shell), a
// small environment, bounded time and memory. Everything that the tests of the command share is
// here; nothing of it looks inside the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace flashscope::terminal_tests {

using Arguments = std::vector<std::string>;

struct Surroundings {
  std::vector<std::string> environment = {"COLUMNS=80"};
  std::string stdout_path;  // instead of a pipe
  bool close_stdout = false;
  std::optional<std::uint64_t> largest_file_bytes;  // what the child may write into one file
  std::string folder;                               // to run in; else the test's own
  std::string input;                                // what it reads from stdin, a pipe; short
  double seconds = 20;
};

struct Result {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;
  bool timed_out = false;
  std::string out, err;
};

Result run_command(const Arguments& arguments, const Surroundings& surroundings = {});

// Arguments as one would type them, for messages.
std::string typed(const Arguments& arguments);

// A command line split at spaces, for arguments that hold none.
Arguments words(std::string_view line);
Arguments operator+(Arguments left, const Arguments& right);

std::vector<std::string> lines_of(std::string_view text);  // "\n" ends a line
int columns_of(std::string_view line);                     // code points

// Runs, requires exit code 0 and a silent stderr, and gives stdout.
std::string output_of(const Arguments& arguments, const Surroundings& surroundings = {});
nlohmann::json json_of(const Arguments& arguments);
std::vector<nlohmann::json> json_lines_of(const Arguments& arguments);

// What is wrong with a refusal; "" when it is as it must be: exit code 2, nothing on stdout, one
// line on stderr (two more may show the place with a caret) that starts with the program's name and
// mentions `mention`.
std::string fault_of_refusal(const Result& result, std::string_view mention);

// Checks that the command refuses these arguments as described above.
void check_refused(const Arguments& arguments, std::string_view mention,
                   const Surroundings& surroundings = {});

struct Refused {
  Arguments arguments;
  const char* mention;
};
void check_all_refused(const std::vector<Refused>& cases);

}  // namespace flashscope::terminal_tests
