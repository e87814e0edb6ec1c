// Subprocesses with POSIX calls, and checks of what they print; see command.h.
#include "tests/terminal/command.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace flashscope::terminal_tests {
namespace {

void limit(int resource, std::uint64_t value) {
  const rlimit both{value, value};
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &both);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// In the child, between fork and exec.
[[noreturn]] void become(std::vector<char*>& argv, std::vector<char*>& environment,
                         const Surroundings& surroundings, int in, int out, int err) {
  limit(RLIMIT_CORE, 0);
#ifndef __SANITIZE_ADDRESS__  // which reserves terabytes of addresses
  limit(RLIMIT_AS, std::uint64_t{4} << 30);
#endif
  if (surroundings.largest_file_bytes) {
    limit(RLIMIT_FSIZE, *surroundings.largest_file_bytes);
    std::signal(SIGXFSZ, SIG_IGN);  // so that write() fails, as on a full disk
  }
  if (!surroundings.folder.empty() && ::chdir(surroundings.folder.c_str()) != 0) ::_exit(126);
  ::dup2(in, STDIN_FILENO);
  if (!surroundings.stdout_path.empty()) out = ::open(surroundings.stdout_path.c_str(), O_WRONLY);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  ::closefrom(3);
  if (surroundings.close_stdout) ::close(STDOUT_FILENO);
  ::execve(argv[0], argv.data(), environment.data());
  ::_exit(127);
}

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read = ends[0];
    write = ends[1];
  }
  void close_write() {
    ::close(write);
    write = -1;
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (read >= 0) ::close(read);
    if (write >= 0) ::close(write);
  }
};

// Reads both pipes until they end; false when the time is up before.
bool read_all(const Pipe& out, const Pipe& err, double seconds, Result& result) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  pollfd polled[] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
  std::string* const texts[] = {&result.out, &result.err};
  std::vector<char> buffer(1 << 16);
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    if (::poll(polled, 2, static_cast<int>(left)) <= 0) continue;
    for (std::size_t n = 0; n < 2; ++n) {
      if (polled[n].fd < 0 || polled[n].revents == 0) continue;
      const ssize_t count = ::read(polled[n].fd, buffer.data(), buffer.size());
      if (count <= 0) {
        polled[n].fd = -1;  // poll() skips it
      } else {
        texts[n]->append(buffer.data(), static_cast<std::size_t>(count));
      }
    }
  }
  return true;
}

}  // namespace

Result run_command(const Arguments& arguments, const Surroundings& surroundings) {
  Arguments all = Arguments{FLASHSCOPE_BINARY} + arguments;
  std::vector<std::string> variables = surroundings.environment;
  std::vector<char*> argv = pointers(all), environment = pointers(variables);
  Pipe in, out, err;
  // All of it at once, before anybody reads: a pipe holds 64 KiB.
  const std::string& input = surroundings.input;
  if (::write(in.write, input.data(), input.size()) != static_cast<ssize_t>(input.size()) ||
      input.size() > (1 << 15)) {
    throw std::runtime_error("input of a test is too long");
  }
  in.close_write();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) become(argv, environment, surroundings, in.read, out.write, err.write);
  out.close_write();
  err.close_write();
  Result result;
  result.timed_out = !read_all(out, err, surroundings.seconds, result);
  if (result.timed_out) ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

std::string typed(const Arguments& arguments) {
  std::string text = "flashscope";
  for (const std::string& argument : arguments) {
    const bool plain =
        !argument.empty() && argument.find_first_of(" '|&<>*()") == std::string::npos;
    text += plain ? " " + argument : " '" + argument.substr(0, 200) + "'";
  }
  return text;
}

Arguments words(std::string_view line) {
  std::istringstream stream{std::string(line)};
  Arguments result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

Arguments operator+(Arguments left, const Arguments& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.emplace_back(text.substr(0, text[end] == '\n' ? end : end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

int columns_of(std::string_view line) {
  return static_cast<int>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string output_of(const Arguments& arguments, const Surroundings& surroundings) {
  const Result result = run_command(arguments, surroundings);
  const std::string command = typed(arguments);
  CAPTURE(command);
  CAPTURE(result.err);
  CHECK_FALSE(result.timed_out);
  CHECK(result.signal == 0);
  REQUIRE(result.exit_code == 0);
  CHECK(result.err.empty());
  return result.out;
}

nlohmann::json json_of(const Arguments& arguments) {
  return nlohmann::json::parse(output_of(arguments + Arguments{"--json"}));
}

std::vector<nlohmann::json> json_lines_of(const Arguments& arguments) {
  std::vector<nlohmann::json> objects;
  for (const std::string& line : lines_of(output_of(arguments + Arguments{"--json"}))) {
    objects.push_back(nlohmann::json::parse(line));
  }
  return objects;
}

std::string fault_of_refusal(const Result& result, std::string_view mention) {
  if (result.timed_out) return "it takes too long";
  if (result.signal != 0) return "a signal ended it: " + std::to_string(result.signal);
  if (result.exit_code != 2) return "exit code " + std::to_string(result.exit_code);
  if (!result.out.empty()) return "stdout is not empty: " + result.out.substr(0, 200);
  if (!result.err.starts_with("flashscope: ")) return "stderr starts otherwise: " + result.err;
  if (!result.err.ends_with('\n')) return "stderr does not end its line: " + result.err;
  const std::size_t count = lines_of(result.err).size();
  const bool caret = count == 3 && result.err.find("^\n") != std::string::npos;
  if (count != 1 && !caret) return "stderr has " + std::to_string(count) + " lines: " + result.err;
  const bool control = std::any_of(result.err.begin(), result.err.end(), [](char c) {
    return c != '\n' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7F);
  });
  if (control) return "stderr holds control characters: " + result.err;
  if (result.err.size() > 2000) return "stderr is too long to read";
  if (result.err.find(mention) == std::string::npos) {
    return "stderr does not mention '" + std::string(mention) + "': " + result.err;
  }
  return "";
}

void check_refused(const Arguments& arguments, std::string_view mention,
                   const Surroundings& surroundings) {
  const std::string command = typed(arguments);
  CAPTURE(command);
  CHECK(fault_of_refusal(run_command(arguments, surroundings), mention) == "");
}

void check_all_refused(const std::vector<Refused>& cases) {
  for (const Refused& refused : cases) check_refused(refused.arguments, refused.mention);
}

}  // namespace flashscope::terminal_tests
