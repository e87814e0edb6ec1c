// A lesson's file as a whole: prose, and which toml block is what. Declared in lesson.h.
#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "lessons/engine/parse_blocks.h"
#include "lessons/engine/parse_bytes.h"
#include "lessons/engine/parse_lost.h"
#include "sim/expression/nearest_name.h"
#include "sim/io/message_text.h"

namespace flashscope::lessons {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostBlocks = 1000;

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// "03-online-softmax.md" is number 3, "online-softmax"; "mine.md" has no number.
std::pair<int, std::string> number_and_name(const std::string& file) {
  std::string name = file.substr(file.find_last_of('/') + 1);
  if (name.ends_with(".md")) name.resize(name.size() - 3);
  int number = 0;
  const char* const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(name.data(), last, number);
  const bool numbered = error == std::errc() && number > 0 && last - end > 1 && *end == '-';
  if (!numbered) return {0, name};
  return {number, std::string(end + 1, last)};
}

class LessonParser {
 public:
  LessonParser(std::string source, const std::string& file) : file_(file) {
    lesson_.file = file;
    std::tie(lesson_.number, lesson_.name) = number_and_name(file);
    lesson_.source = std::move(source);
  }

  Lesson parse() {
    check_text();
    std::string_view text = lesson_.source;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
    const std::vector<TextBlock> blocks = parse_markdown(text);
    if (blocks.empty() || !is_title(blocks.front())) {
      fail(blocks.empty() ? 1 : blocks.front().line, "a lesson begins with its title: # The title");
    }
    refuse_lost_blocks(text, blocks, file_);
    lesson_.title = plain_text(blocks.front().text);
    for (auto block = blocks.begin() + 1; block != blocks.end(); ++block) add(*block);
    if (lesson_.minutes == 0) fail(1, "there is no [lesson] block; put one below the title");
    return std::move(lesson_);
  }

 private:
  [[noreturn]] void fail(int line, std::string_view reason) const { fail_at(file_, line, reason); }

  static bool is_title(const TextBlock& block) {
    return block.kind == TextBlock::Kind::heading && block.level == 1 && !block.text.empty();
  }

  void check_text() const {
    const std::string& source = lesson_.source;
    if (source.size() > kMostBytes) {
      fail(1, fmt::format("{} bytes; a lesson has at most 1 MiB", source.size()));
    }
    const std::size_t bad = first_non_text(source);
    if (bad < source.size()) {
      const auto first = static_cast<unsigned char>(source[bad]);
      const auto end = source.begin() + static_cast<std::ptrdiff_t>(bad);
      fail(1 + static_cast<int>(std::count(source.begin(), end, '\n')),
           begins_hidden(std::string_view(source).substr(bad))
               ? "a character that nobody sees turns or breaks the text here; take it out"
               : fmt::format("the byte 0x{:02x} is no text; a lesson is Markdown, saved as UTF-8",
                             first));
    }
  }

  void add(const TextBlock& block) {
    if (block.kind == TextBlock::Kind::heading) begin_section(block);
    if (block.kind == TextBlock::Kind::code && lower(block.label) == "toml") return add_toml(block);
    if (teacher_level_ > 0) {
      if (block.kind != TextBlock::Kind::heading || !is_teacher_heading(block)) {
        lesson_.teacher.push_back(block);
      }
      return;
    }
    if (lesson_.blocks.empty() || !std::holds_alternative<Prose>(lesson_.blocks.back())) {
      push(Prose{});
    }
    std::get<Prose>(lesson_.blocks.back()).blocks.push_back(block);
  }

  static bool is_teacher_heading(const TextBlock& block) {
    return lower(plain_text(block.text)) == "for the teacher";
  }

  void begin_section(const TextBlock& heading) {
    if (heading.level == 1) fail(heading.line, "a second title; sections begin with ##");
    if (heading.level <= teacher_level_) teacher_level_ = 0;
    if (teacher_level_ == 0 && is_teacher_heading(heading)) teacher_level_ = heading.level;
  }

  // The line below the code must be its fence; md4c takes the end of the file for one as well.
  void check_closed(const TextBlock& block) const {
    const auto code_lines = std::count(block.code.begin(), block.code.end(), '\n');
    std::string_view rest = lesson_.source;
    for (std::int64_t line = 1; line < block.line + code_lines + 1; ++line) {
      const std::size_t end = rest.find('\n');
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    const std::string_view last = rest.substr(0, rest.find('\n'));
    if (last.find("```") == std::string_view::npos && last.find("~~~") == std::string_view::npos) {
      fail(block.line, "the block that begins here has no closing ```");
    }
  }

  void add_toml(const TextBlock& block) {
    check_closed(block);
    if (teacher_level_ > 0) {
      fail(block.line, "a toml block for the teacher: blocks belong into the lesson itself");
    }
    const TomlTable root = parse_toml(block.code, file_, block.line + 1);
    if (root.empty()) fail(block.line, "an empty toml block; begin it with a table such as [stop]");
    const TomlEntry& entry = root.front();
    const auto* array = std::get_if<TomlArray>(&entry.value.value);
    const bool is_table =
        std::holds_alternative<TomlTable>(entry.value.value) ||
        (array && !array->empty() && std::holds_alternative<TomlTable>(array->front().value));
    if (!is_table) {
      fail(entry.line, fmt::format("{} stands before any table: begin the block with one, such as "
                                   "[stop]",
                                   io::quoted_name(entry.key)));
    }
    const auto names = table_names();
    const std::vector<std::string> tables(names.begin(), names.end());
    if (std::find(tables.begin(), tables.end(), entry.key) == tables.end()) {
      fail(entry.line, fmt::format("there is no block [{}]; {}", io::printable(entry.key),
                                   nearest_name(entry.key, tables)));
    }
    if (root.size() > 1) {
      fail(root[1].line, fmt::format("one table per toml block: {} needs a block of its own",
                                     io::quoted_name(root[1].key)));
    }
    add_entry(entry);
  }

  void add_entry(const TomlEntry& entry) {
    if (entry.key != "lesson" && lesson_.minutes == 0) {
      fail(entry.line,
           fmt::format("[{}] before [lesson]: put [lesson] below the title", entry.key));
    }
    if (const auto* table = std::get_if<TomlTable>(&entry.value.value)) {
      return add_table(entry.key, {*table, entry.line, file_});
    }
    if (entry.key != "expect") {
      fail(entry.line, fmt::format("write [{0}], not [[{0}]]", entry.key));
    }
    for (const TomlValue& each : std::get<TomlArray>(entry.value.value)) {
      const auto* table = std::get_if<TomlTable>(&each.value);
      if (!table) fail(each.line, "expect is a table: write [[expect]]");
      add_table(entry.key, {*table, each.line, file_});
    }
  }

  void add_table(std::string_view key, const TableSource& source) {
    if (key == "lesson") {
      if (lesson_.minutes > 0) fail(source.line, "a second [lesson] block");
      parse_header(source, lesson_);
    } else if (key == "scenario") {
      add_scenario(parse_scenario(source));
    } else if (key == "scenarios") {
      for (ScenarioBlock& each : parse_scenarios(source)) add_scenario(std::move(each));
    } else if (key == "stop") {
      push(parse_stop(source));
    } else if (key == "quiz") {
      push(parse_quiz(source));
    } else if (key == "expect") {
      push(parse_expect(source));
    } else if (key == "task") {
      push(parse_task(source));
    } else {
      push(parse_figure(source));
    }
  }

  void add_scenario(ScenarioBlock block) {
    if (!block.again) {
      const auto [known, is_new] = scenario_lines_.emplace(block.name.text, block.name.line);
      if (!is_new) {
        fail(block.name.line,
             fmt::format("scenario '{}' was made in line {}; take another name, or say nothing but "
                         "the name to go back to it",
                         block.name.text, known->second));
      }
    }
    push(std::move(block));
  }

  void push(Block block) {
    if (lesson_.blocks.size() == kMostBlocks) {
      fail(1, fmt::format("a lesson has at most {} blocks; make two of it", kMostBlocks));
    }
    lesson_.blocks.push_back(std::move(block));
  }

  const std::string& file_;
  Lesson lesson_;
  int teacher_level_ = 0;  // of the heading whose section this is; 0: not for the teacher
  std::map<std::string, int> scenario_lines_;
};

}  // namespace

Lesson parse_lesson(std::string source, const std::string& file) {
  return LessonParser(std::move(source), file).parse();
}

}  // namespace flashscope::lessons
