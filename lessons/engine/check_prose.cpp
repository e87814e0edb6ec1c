// Numbers in the prose; see check_prose.h.
#include "lessons/engine/check_prose.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lessons/engine/evaluate_numbers.h"

namespace flashscope::lessons {
namespace {

constexpr int kSectionLevel = 2;
constexpr std::string_view kUnclaimed[] = {"Sources", "For the teacher", "Try next"};

bool begins_section(const TextBlock& block) {
  return block.kind == TextBlock::Kind::heading && block.level <= kSectionLevel;
}

// Everything that a reader reads of a block, code included.
std::string whole_text(const TextBlock& block) {
  std::string text = plain_text(block.text) + " " + block.code;
  for (const auto& row : block.rows) {
    for (const TextBlock::Cell& cell : row) text += " | " + plain_text(cell.text);
  }
  return plain_numbers(text);
}

// What of it may state a number that somebody computed.
std::string claims_of(const Text& text) {
  std::string claims;
  for (const Span& span : text) {
    const bool is_claim = span.style != Span::Style::code && span.style != Span::Style::link;
    claims += is_claim ? span.text : " ; ";
  }
  return plain_numbers(claims);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether digits that end here are those of a longer number.
bool goes_on(std::string_view behind) {
  if (behind.empty()) return false;
  const char next = behind.size() > 1 ? behind[1] : ' ';
  if (is_digit(behind[0])) return true;
  if (behind[0] == '.' || behind[0] == ',') return is_digit(next);
  return behind[0] == 'e' && (is_digit(next) || next == '-' || next == '+');
}

// Where the number `wanted` stands in a text, not as part of another one.
std::vector<std::size_t> places_of(std::string_view text, std::string_view wanted, bool with_unit) {
  std::vector<std::size_t> places;
  if (wanted.empty()) return places;
  const auto stated = parse_stated(wanted);
  const std::size_t first = wanted.find_first_of("-0123456789");
  for (std::size_t at = text.find(wanted); at != std::string_view::npos;
       at = text.find(wanted, at + 1)) {
    const std::size_t begin = at + first;
    if (!stated || first == std::string_view::npos) {
      places.push_back(at);
      continue;
    }
    // What stands there must be this very number: with the sign before it, the unit behind it.
    const char before = begin > 0 ? text[begin - 1] : ' ';
    if (is_digit(before) || before == '-' || before == ',' || before == '.') continue;
    const std::string_view behind = text.substr(at + wanted.size());
    if (is_digit(wanted.back()) && goes_on(behind)) continue;
    // The exponent of e^88.72 is a logarithm, and stated; that of 10^3 is a part.
    const bool of_e = begin >= 2 && text.substr(begin - 2, 2) == "e^";
    const std::size_t cut = of_e ? begin : 0;
    const auto number = next_number(text.substr(cut), begin - cut);
    if (!number || number->begin != begin - cut) continue;
    // FLOP and the like may be counted in any thousands; bytes, times and shares not.
    const double value = number->stated.value;
    const bool same = std::abs(value - stated->value) <= 1e-12 * std::abs(value);
    if (same || !with_unit || number->stated.unit == Unit::none) places.push_back(at);
  }
  return places;
}

bool covers(std::string_view text, std::string_view wanted, std::size_t begin, std::size_t end) {
  const std::string plain = plain_numbers(wanted);
  for (const std::size_t at : places_of(text, plain, false)) {
    if (at < end && at + plain.size() > begin) return true;
  }
  return false;
}

}  // namespace

ProseCheck::ProseCheck(const Lesson& lesson) : lesson_(lesson), sections_(1) {
  for (const Block& block : lesson.blocks) {
    if (const auto* prose = std::get_if<Prose>(&block)) {
      for (const TextBlock& text : prose->blocks) add(text);
    } else if (const auto* expect = std::get_if<ExpectBlock>(&block)) {
      if (expect->says) sections_.back().says.push_back(expect->says->text);
    }
  }
}

void ProseCheck::add(const TextBlock& block) {
  if (begins_section(block)) {
    sections_.push_back({plain_text(block.text), {}, {}});
    return;
  }
  if (block.kind == TextBlock::Kind::heading || block.kind == TextBlock::Kind::code) return;
  sections_.back().passages.push_back({block.line, claims_of(block.text)});
  for (const auto& row : block.rows) {
    for (const TextBlock::Cell& cell : row) {
      sections_.back().passages.push_back({block.line, claims_of(cell.text)});
    }
  }
}

bool ProseCheck::says(std::size_t block, std::string_view text) const {
  const std::string wanted = plain_numbers(text);
  for (std::size_t n = block; n-- > 0;) {
    const auto* prose = std::get_if<Prose>(&lesson_.blocks[n]);
    if (prose == nullptr) continue;
    for (auto part = prose->blocks.rbegin(); part != prose->blocks.rend(); ++part) {
      if (begins_section(*part)) return false;
      if (!places_of(whole_text(*part), wanted, true).empty()) return true;
    }
  }
  return false;
}

void ProseCheck::find_claims(const Section& section,
                             std::vector<CheckReport::Finding>& hints) const {
  for (const Passage& passage : section.passages) {
    const std::string& text = passage.text;
    std::size_t from = 0;
    while (const auto number = next_number(text, from)) {
      from = number->end;
      const auto is_covered = [&](const std::string& by) {
        return covers(text, by, number->begin, number->end);
      };
      if (!number->is_claim || std::any_of(section.says.begin(), section.says.end(), is_covered) ||
          std::any_of(lesson_.given.begin(), lesson_.given.end(), is_covered)) {
        continue;
      }
      hints.push_back(
          {passage.line, fmt::format("'{}' is covered by no expect",
                                     text.substr(number->begin, number->end - number->begin))});
    }
  }
}

std::vector<CheckReport::Finding> ProseCheck::hints() const {
  std::vector<CheckReport::Finding> hints;
  const auto has = [&](std::string_view title) {
    return std::any_of(sections_.begin(), sections_.end(),
                       [&](const Section& section) { return section.title == title; });
  };
  for (const Section& section : sections_) {
    const bool unclaimed = std::find(std::begin(kUnclaimed), std::end(kUnclaimed), section.title) !=
                           std::end(kUnclaimed);
    if (!unclaimed) find_claims(section, hints);
  }
  const int last_line =
      static_cast<int>(std::count(lesson_.source.begin(), lesson_.source.end(), '\n'));
  for (const std::string_view title : {"Try next", "Sources"}) {
    if (!has(title)) hints.push_back({last_line, fmt::format("there is no section '{}'", title)});
  }
  if (lesson_.teacher.empty() && !has("For the teacher")) {
    hints.push_back({last_line, "there is no section 'For the teacher'"});
  }
  return hints;
}

}  // namespace flashscope::lessons
