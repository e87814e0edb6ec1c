// libFuzzer target: any bytes as a lesson are rejected with an Error of one printable line that
// names a line of the file, or are a lesson whose blocks lie within it.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lessons/engine/lesson.h"
#include "sim/error.h"

namespace {

using namespace flashscope;
using namespace flashscope::lessons;

void require(bool fact) {
  if (!fact) std::abort();
}

void check_message(std::string_view message, std::int64_t lines) {
  require(message.starts_with("input.md:"));
  message.remove_prefix(9);
  std::int64_t line = 0;
  const auto [end, error] = std::from_chars(message.data(), message.data() + message.size(), line);
  require(error == std::errc() && line >= 1 && line <= lines);
  require(message.substr(static_cast<std::size_t>(end - message.data())).starts_with(": "));
  require(std::none_of(message.begin(), message.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }));
}

void check_lesson(const Lesson& lesson, std::int64_t lines) {
  require(!lesson.title.empty() && lesson.minutes > 0);
  for (const Block& block : lesson.blocks) {
    const auto* prose = std::get_if<Prose>(&block);
    if (!prose) continue;
    require(!prose->blocks.empty());
    for (const TextBlock& each : prose->blocks) require(each.line >= 1 && each.line <= lines);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  const std::int64_t lines = 1 + std::count(text.begin(), text.end(), '\n');
  try {
    check_lesson(parse_lesson(text, "input.md"), lines);
  } catch (const Error& error) {
    check_message(error.what(), lines);
  }
  return 0;
}
