// Splits one line of an .alg table into tokens with their columns. What the tokens mean is the
// business of alg_parser.cpp and alg_statement.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flashscope {

enum class TokenKind : std::uint8_t { name, number, symbol };

struct Token {
  TokenKind kind = TokenKind::symbol;
  std::string text;
  int column = 1;  // 1-based
};

struct TokenLine {
  int line = 0;    // 1-based
  int indent = 0;  // leading spaces
  std::vector<Token> tokens;
  std::string text;  // without indent and comment
};

// One line of a table; a comment (from '#' on) is dropped. Throws Error, with `where` and the
// column, at a character that no token starts with.
TokenLine tokenize(std::string_view line, int line_number, const std::string& where);

// All lines that hold a token. Also refuses tabs, NUL bytes and texts above 64 KiB.
std::vector<TokenLine> tokenize_table(std::string_view text, const std::string& where);

}  // namespace flashscope
