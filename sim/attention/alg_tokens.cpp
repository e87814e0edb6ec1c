// Tokens of .alg tables, by a PEGTL grammar; see alg_tokens.h.
#include "sim/attention/alg_tokens.h"

#include <fmt/format.h>
#include <tao/pegtl.hpp>

#include "sim/error.h"

namespace flashscope {
namespace {

namespace peg = tao::pegtl;

constexpr std::size_t kLargestTable = 64 * 1024;

struct Name : peg::identifier {};
struct Number
    : peg::seq<peg::plus<peg::digit>, peg::opt<peg::one<'.'>, peg::star<peg::digit>>,
               peg::opt<peg::one<'e', 'E'>, peg::opt<peg::one<'+', '-'>>, peg::plus<peg::digit>>> {
};
struct Symbol : peg::sor<peg::string<'<', '='>,
                         peg::one<'=', '*', '+', '-', '/', '(', ')', '[', ']', ',', '\''>> {};
struct Comment : peg::seq<peg::one<'#'>, peg::until<peg::eof>> {};
struct Item : peg::sor<Name, Number, Symbol> {};
struct LineGrammar : peg::seq<peg::star<peg::sor<peg::space, Item>>, peg::opt<Comment>, peg::eof> {
};

template <typename Rule>
struct Collect : peg::nothing<Rule> {};

template <TokenKind kind>
struct CollectToken {
  template <typename Input>
  static void apply(const Input& input, std::vector<Token>& tokens) {
    tokens.push_back({kind, input.string(), static_cast<int>(input.position().column)});
  }
};
template <>
struct Collect<Name> : CollectToken<TokenKind::name> {};
template <>
struct Collect<Number> : CollectToken<TokenKind::number> {};
template <>
struct Collect<Symbol> : CollectToken<TokenKind::symbol> {};

// The column of the first character that starts no token.
int column_of_error(std::string_view line) {
  peg::memory_input input(line.data(), line.size(), "");
  std::vector<Token> tokens;
  peg::parse<peg::star<peg::sor<peg::space, Item>>, Collect>(input, tokens);
  return static_cast<int>(input.position().column);
}

}  // namespace

TokenLine tokenize(std::string_view line, int line_number, const std::string& where) {
  TokenLine result;
  result.line = line_number;
  while (static_cast<std::size_t>(result.indent) < line.size() &&
         line[static_cast<std::size_t>(result.indent)] == ' ') {
    ++result.indent;
  }
  peg::memory_input input(line.data(), line.size(), where);
  if (!peg::parse<LineGrammar, Collect>(input, result.tokens)) {
    const int column = column_of_error(line);
    const char bad = line[static_cast<std::size_t>(column - 1)];
    const std::string shown = bad >= ' ' && bad <= '~'
                                  ? fmt::format("'{}'", bad)
                                  : fmt::format("byte 0x{:02x}", static_cast<unsigned char>(bad));
    throw Error(
        fmt::format("{}:{}:{}: unexpected {}: statements use names, numbers and = * + - / "
                    "( ) [ ] , ' <=",
                    where, line_number, column, shown));
  }
  const std::size_t end = line.find('#');
  result.text = line.substr(0, end).substr(static_cast<std::size_t>(result.indent));
  while (!result.text.empty() && result.text.back() == ' ') result.text.pop_back();
  return result;
}

std::vector<TokenLine> tokenize_table(std::string_view text, const std::string& where) {
  if (text.size() > kLargestTable) {
    throw Error(fmt::format("{}: {} bytes is too long for a table (at most {})", where, text.size(),
                            kLargestTable));
  }
  std::vector<TokenLine> lines;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (const std::size_t tab = line.find('\t'); tab < line.find('#')) {
      throw Error(
          fmt::format("{}:{}:{}: a tab: indent and separate with spaces", where, number, tab + 1));
    }
    TokenLine tokens = tokenize(line, number, where);
    if (!tokens.tokens.empty()) lines.push_back(std::move(tokens));
  }
  return lines;
}

}  // namespace flashscope
