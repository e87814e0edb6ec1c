// A recursive-descent parser for {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
#include "sim/io/npy_dictionary.h"

#include <charconv>
#include <set>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/message_text.h"

namespace flashscope::io {
namespace {

constexpr std::string_view kSpaces = " \t\n\r";

class Parser {
 public:
  Parser(std::string_view text, std::size_t first_byte, std::string_view name)
      : text_(text), first_byte_(first_byte), name_(name) {}

  NpyDictionary dictionary() {
    NpyDictionary result;
    std::set<std::string_view> keys;
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string("a key in quotes");
      if (!keys.insert(key).second) fail(fmt::format("the key {} occurs twice", quoted_name(key)));
      expect(':');
      if (key == "descr") {
        result.descr = descr();
      } else if (key == "fortran_order") {
        result.fortran_order = boolean();
      } else if (key == "shape") {
        result.shape = shape();
      } else {
        fail(fmt::format("the key {} is not one of descr, fortran_order, shape", quoted_name(key)));
      }
      if (!accept(',') && !next_is('}')) fail("expected ',' or '}'");
    }
    skip_spaces();
    if (position_ != text_.size()) fail("expected nothing after '}'");
    for (const std::string_view key : {"descr", "fortran_order", "shape"}) {
      if (!keys.contains(key)) fail(fmt::format("the key '{}' is missing", key));
    }
    return result;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(fmt::format("{}, byte {}: broken npy header: {}; save it again with np.save", name_,
                            first_byte_ + position_, what));
  }

  void skip_spaces() {
    while (position_ < text_.size() && kSpaces.find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
  }

  bool next_is(char character) {
    skip_spaces();
    return position_ < text_.size() && text_[position_] == character;
  }

  bool accept(char character) {
    const bool found = next_is(character);
    if (found) ++position_;
    return found;
  }

  void expect(char character) {
    if (!accept(character)) fail(fmt::format("expected '{}'", character));
  }

  // Without escapes: no name or dtype needs them.
  std::string_view string(std::string_view expected) {
    const char quote = next_is('"') ? '"' : '\'';
    if (!accept(quote)) fail(fmt::format("expected {}", expected));
    const std::size_t end = text_.find(quote, position_);
    if (end == std::string_view::npos) fail("the string is not closed");
    const std::string_view content = text_.substr(position_, end - position_);
    if (content.find('\\') != std::string_view::npos) fail("a string holds a backslash");
    position_ = end + 1;
    return content;
  }

  std::string_view descr() {
    if (next_is('[') || next_is('(')) {
      fail("record dtypes are not read: save one field, x['name']");
    }
    return string("a dtype in quotes");
  }

  bool boolean() {
    skip_spaces();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(position_, word.size()) == word) {
        position_ += word.size();
        return value;
      }
    }
    fail("expected True or False");
  }

  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> result;
    bool comma = true;
    expect('(');
    while (!accept(')')) {
      if (!comma) fail("expected ',' or ')'");
      result.push_back(integer());
      comma = accept(',');
    }
    // In Python (3) is a number, and only (3,) a tuple.
    if (result.size() == 1 && !comma) fail("a shape of one dimension is written (n,)");
    return result;
  }

  std::int64_t integer() {
    skip_spaces();
    std::int64_t value = 0;
    const char* const begin = text_.data() + position_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("a dimension does not fit 63 bits");
    if (error != std::errc() || *begin == '-') fail("expected a dimension (digits)");
    if (*begin == '0' && end != begin + 1) fail("a dimension starts with 0");
    position_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  std::string_view text_;
  std::size_t first_byte_;
  std::string_view name_;
  std::size_t position_ = 0;
};

}  // namespace

NpyDictionary parse_npy_dictionary(std::string_view text, std::size_t first_byte,
                                   std::string_view name) {
  return Parser(text, first_byte, name).dictionary();
}

}  // namespace flashscope::io
