// The cursor over a table's lines that the parts of its parser share: what stands here, what is
// expected, and where a mistake is.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/attention/alg_statement.h"
#include "sim/attention/alg_tokens.h"

namespace flashscope {

class TableReader {
 public:
  // Throws Error at a character that no token starts with.
  TableReader(const std::string& text, const std::string& where)
      : where_(where), lines_(tokenize_table(text, where)) {}

  const std::string& where() const { return where_; }
  bool empty() const { return lines_.empty(); }
  bool at_end() const { return next_ >= lines_.size(); }
  void advance() { ++next_; }
  const TokenLine& line() const { return lines_[next_]; }
  const std::vector<Token>& tokens() const { return lines_[next_].tokens; }
  bool has_token(std::size_t token) const { return token < tokens().size(); }
  const std::string& word(std::size_t token) const { return tokens()[token].text; }
  // Indent of the line that comes next; 0 at the end.
  int indent() const { return at_end() ? 0 : line().indent; }

  // Throws an Error at a token of this line (the last line's, at the end of the table).
  [[noreturn]] void fail(const std::string& what, std::size_t token = 0) const {
    const TokenLine& here = lines_[std::min(next_, lines_.size() - 1)];
    fail_at(where_, here.line, here.tokens[std::min(token, here.tokens.size() - 1)].column, what);
  }

  void expect(std::size_t token, std::string_view text) const {
    if (!has_token(token) || word(token) != text) fail(fmt::format("expected '{}'", text), token);
  }

  void expect_end(std::size_t token) const {
    if (has_token(token)) fail("nothing may follow here", token);
  }

 private:
  std::string where_;
  std::vector<TokenLine> lines_;
  std::size_t next_ = 0;
};

}  // namespace flashscope
