// Options by name; see facts_options.h.
#include "lessons/engine/facts_options.h"

#include <charconv>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "lessons/engine/message.h"
#include "sim/error.h"

namespace flashscope::lessons {
namespace {

bool names_files(const ProblemOption& option) {
  for (const std::string_view name : {"--q", "--k", "--v", "--tensors", "--prefix", "--layout"}) {
    if (name == option.name) return true;
  }
  return false;
}

template <typename T>
T parse_number(const std::string& text, const char* option) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool right = code == std::errc() && end == text.data() + text.size();
  if constexpr (std::is_floating_point_v<T>) right = right && std::isfinite(value);
  if (!right) {
    throw Error(fmt::format("{} '{}': it takes {}", option, text,
                            std::is_floating_point_v<T> ? "a number" : "a whole number"));
  }
  return value;
}

bool parse_flag(const std::string& text, const char* option) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw Error(fmt::format("{} '{}': it takes true or false", option, text));
}

template <typename T>
struct Plain {
  using Type = T;
};
template <typename T>
struct Plain<std::optional<T>> {
  using Type = T;
};

}  // namespace

const ProblemOption& find_option(std::string_view name) {
  const std::string full = name.starts_with("--") ? std::string(name) : fmt::format("--{}", name);
  std::vector<std::string> names;
  for (const ProblemOption& option : problem_option_list()) {
    if (names_files(option)) {
      if (option.name != full) continue;
      throw Error(fmt::format("{} names a file, which can't be changed here", full));
    }
    if (option.name == full) return option;
    names.emplace_back(option.name + 2);
  }
  throw Error(fmt::format("there is no option '{}'; {}", full.substr(2),
                          suggestion(full.substr(2), names)));
}

void set_option(ProblemOptions& options, std::string_view name, const std::string& value) {
  const ProblemOption& option = find_option(name);
  std::visit(
      [&](auto member) {
        auto& target = options.*member;
        using T = typename Plain<std::remove_reference_t<decltype(target)>>::Type;
        if constexpr (std::is_same_v<T, bool>) {
          target = parse_flag(value, option.name);
        } else if constexpr (std::is_arithmetic_v<T>) {
          target = parse_number<T>(value, option.name);
        } else {
          target = value;
        }
      },
      option.member);
}

void copy_option(ProblemOptions& to, const ProblemOptions& from, std::string_view name) {
  std::visit([&](auto member) { to.*member = from.*member; }, find_option(name).member);
}

}  // namespace flashscope::lessons
