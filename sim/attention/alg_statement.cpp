// Statements of .alg tables: form matching, shape checks, conditions; see alg_statement.h.
#include "sim/attention/alg_statement.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/expression/nearest_name.h"

namespace flashscope {
namespace {

enum class Slot { tile, vector, number, tensor, format, literal };

Slot slot_of(const Token& token) {
  if (token.kind != TokenKind::name || token.text.size() != 1) return Slot::literal;
  const char c = token.text[0];
  if (c == 'A' || c == 'B' || c == 'C') return Slot::tile;
  if (c == 'u' || c == 'v' || c == 'w' || c == 'x') return Slot::vector;
  if (c == 'n') return Slot::number;
  if (c == 'H') return Slot::tensor;
  return c == 'F' ? Slot::format : Slot::literal;
}

std::optional<Stage> stage_of(const std::string& name) {
  for (const Stage stage : {Stage::input, Stage::score, Stage::probability, Stage::accumulator,
                            Stage::output, Stage::workspace, Stage::fp32}) {
    if (name_of(stage) == name) return stage;
  }
  return std::nullopt;
}

// Does one token of the statement fit one of the pattern (names of buffers by their shape)?
bool fits(const Token& token, const Token& pattern, const Algorithm& algorithm) {
  switch (slot_of(pattern)) {
    case Slot::tile:
    case Slot::vector: {
      const int buffer = token.kind == TokenKind::name ? algorithm.find(token.text, false) : -1;
      return buffer >= 0 && algorithm.buffers[static_cast<std::size_t>(buffer)].is_vector() ==
                                (slot_of(pattern) == Slot::vector);
    }
    case Slot::tensor:
      return token.kind == TokenKind::name && algorithm.find(token.text, true) >= 0;
    case Slot::number:
      return token.kind == TokenKind::number || token.text == "inf";
    case Slot::format:
      return stage_of(token.text).has_value();
    case Slot::literal:
      break;
  }
  return token.text == pattern.text;
}

// A sign belongs to the number behind it only where a pattern has a number: `m = -inf`.
std::vector<Token> join_sign(std::vector<Token> tokens) {
  if (tokens.size() == 4 && tokens[1].text == "=" && tokens[2].text == "-" &&
      (tokens[3].kind == TokenKind::number || tokens[3].text == "inf")) {
    tokens[2] = {TokenKind::number, "-" + tokens[3].text, tokens[2].column};
    tokens.pop_back();
  }
  return tokens;
}

// Letters bound to tokens, when the whole statement fits the pattern and a repeated letter always
// stands for the same name.
std::optional<std::map<char, Token>> match(std::span<const Token> tokens,
                                           std::span<const Token> pattern,
                                           const Algorithm& algorithm) {
  if (tokens.size() != pattern.size()) return std::nullopt;
  std::map<char, Token> bound;
  for (std::size_t n = 0; n < tokens.size(); ++n) {
    if (!fits(tokens[n], pattern[n], algorithm)) return std::nullopt;
    if (slot_of(pattern[n]) == Slot::literal) continue;
    const auto [place, is_new] = bound.emplace(pattern[n].text[0], tokens[n]);
    if (!is_new && place->second.text != tokens[n].text) return std::nullopt;
  }
  return bound;
}

// Edit distance of token sequences.
std::size_t distance(std::span<const Token> tokens, std::span<const Token> pattern,
                     const Algorithm& algorithm) {
  std::vector<std::size_t> row(pattern.size() + 1);
  for (std::size_t j = 0; j <= pattern.size(); ++j) row[j] = 2 * j;
  for (std::size_t i = 1; i <= tokens.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = 2 * i;
    for (std::size_t j = 1; j <= pattern.size(); ++j) {
      const bool same_sort = tokens[i - 1].kind == TokenKind::name &&
                             pattern[j - 1].kind == TokenKind::name &&
                             slot_of(pattern[j - 1]) != Slot::literal;
      const std::size_t replace =
          fits(tokens[i - 1], pattern[j - 1], algorithm) ? 0 : (same_sort ? 1 : 3);
      const std::size_t best = std::min({diagonal + replace, row[j] + 2, row[j - 1] + 2});
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row.back();
}

std::vector<Token> pattern_tokens(const Form& form) {
  return tokenize(form.pattern, 0, "forms").tokens;
}

std::string nearest_forms(std::span<const Token> tokens, const Algorithm& algorithm) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const Form& form : forms()) {
    ranked.emplace_back(distance(tokens, pattern_tokens(form), algorithm), form.pattern);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return fmt::format("nearest forms: `{}` or `{}` (A B C tiles, u v w vectors)", ranked[0].second,
                     ranked[1].second);
}

// Names of a statement that are neither declared nor a word of the language get their own message.
void check_names(std::span<const Token> tokens, const Algorithm& algorithm, int line,
                 const std::string& where) {
  std::vector<std::string> words;
  for (const Form& form : forms()) {
    for (const Token& token : pattern_tokens(form)) {
      if (token.kind == TokenKind::name && slot_of(token) == Slot::literal) {
        words.push_back(token.text);
      }
    }
  }
  std::vector<std::string> known = words;
  known.emplace_back("inf");
  for (const Buffer& buffer : algorithm.buffers) known.push_back(buffer.name);
  for (std::size_t n = 0; n < tokens.size(); ++n) {
    const Token& token = tokens[n];
    if (token.kind != TokenKind::name || stage_of(token.text)) continue;
    if (std::find(known.begin(), known.end(), token.text) == known.end()) {
      fail_at(where, line, token.column,
              fmt::format("unknown name '{}': {}", token.text, nearest_name(token.text, known)));
    }
  }
}

// Shape rules of the kinds whose tiles must agree; vectors must have an entry per row of the tile.
std::string shape_mistake(const Line& line, const Algorithm& algorithm) {
  const auto at = [&](int index) -> const Buffer& {
    return algorithm.buffers[static_cast<std::size_t>(index)];
  };
  const Buffer& result = at(line.result);
  const auto shape = [](const Buffer& b) {
    return b.is_vector() ? fmt::format("{} ({})", b.name, name_of(b.rows))
                         : fmt::format("{} ({} x {})", b.name, name_of(b.rows), name_of(b.columns));
  };
  if (line.kind == LineKind::product || line.kind == LineKind::accumulate) {
    const std::size_t left = line.kind == LineKind::product ? 0 : 1;
    const Buffer &b = at(line.operands[left]), &c = at(line.operands[left + 1]);
    const bool ok =
        line.kind == LineKind::product
            ? b.rows == result.rows && c.rows == result.columns && b.columns == c.columns
            : b.rows == result.rows && c.columns == result.columns && b.columns == c.rows;
    if (!ok) {
      return fmt::format("the shapes of {}, {} and {} do not fit a product", shape(result),
                         shape(b), shape(c));
    }
    return "";
  }
  if (line.kind == LineKind::mask &&
      (result.rows != Dim::q_tile || result.columns != Dim::kv_tile)) {
    return fmt::format("{} is no tile of scores: mask needs q_tile x kv_tile", shape(result));
  }
  if (line.kind == LineKind::store && result.columns == Dim::splits) {
    return fmt::format("{} holds all splits, and a store writes one: store a vector",
                       shape(result));
  }
  for (const int operand : line.operands) {
    const Buffer& b = at(operand);
    const bool weights = line.kind == LineKind::accumulate_split && operand == line.operands[1];
    if (b.rows != result.rows ||
        (!b.is_vector() && !result.is_vector() && !weights && b.columns != result.columns)) {
      return fmt::format("{} and {} differ in shape", shape(result), shape(b));
    }
    if (weights && b.columns != Dim::splits) {
      return fmt::format("{} needs a column for each split", shape(b));
    }
  }
  if (line.kind == LineKind::load || line.kind == LineKind::store) {
    const Buffer& tensor = at(line.hbm);
    const Dim whole = result.rows == Dim::kv_tile ? Dim::kv_len : Dim::q_len;
    const Dim columns = result.columns == Dim::kv_tile ? Dim::kv_len : result.columns;
    const bool all_splits = columns == Dim::splits;
    if (tensor.rows != whole ||
        (all_splits ? !(tensor.per_split && tensor.is_vector()) : tensor.columns != columns)) {
      return fmt::format("{} does not fit into the tensor {} in HBM", shape(result), shape(tensor));
    }
  }
  return "";
}

Line make_line(const Form& form, const std::map<char, Token>& bound, std::span<const Token> pattern,
               const Algorithm& algorithm) {
  Line line;
  line.kind = form.kind;
  for (const Token& slot : pattern) {
    const char letter = slot.text[0];
    switch (slot_of(slot)) {
      case Slot::tile:
      case Slot::vector: {
        const int buffer = algorithm.find(bound.at(letter).text, false);
        if (line.result < 0) {
          line.result = buffer;
        } else {
          line.operands.push_back(buffer);
        }
        break;
      }
      case Slot::number: {
        const std::string& text = bound.at(letter).text;
        line.number = std::strtod(text.c_str(), nullptr);
        break;
      }
      case Slot::tensor:
        line.hbm = algorithm.find(bound.at(letter).text, true);
        break;
      case Slot::format:
        line.stage = *stage_of(bound.at(letter).text);
        break;
      case Slot::literal:
        break;
    }
  }
  line.scaled = form.pattern.find("scale * B") != std::string_view::npos;
  return line;
}

// `when [not] CONDITION [and [not] CONDITION ...]`, from the token behind `when` on.
When parse_when(std::span<const Token> tokens, const Token& when, int line,
                const std::string& where) {
  static const std::vector<std::string> kConditions = {"empty", "partial", "full",
                                                       "first", "last",    "threshold"};
  When result;
  std::size_t n = 0;
  while (true) {
    const bool negated = n < tokens.size() && tokens[n].text == "not";
    if (negated) ++n;
    if (n >= tokens.size()) {
      fail_at(where, line, when.column,
              "`when` needs a condition: empty, partial, full, first, last or threshold");
    }
    const std::string& word = tokens[n].text;
    if (word == "first") {
      result.first = !negated;
    } else if (word == "last") {
      result.last = !negated;
    } else if (word == "threshold") {
      result.threshold = !negated;
    } else if (word == "empty" || word == "partial" || word == "full") {
      const auto tile_class = word == "empty"     ? TileClass::empty
                              : word == "partial" ? TileClass::partial
                                                  : TileClass::full;
      const auto bit = static_cast<std::uint8_t>(1U << static_cast<unsigned>(tile_class));
      result.classes = static_cast<std::uint8_t>(result.classes & (negated ? ~bit : bit));
    } else {
      fail_at(where, line, tokens[n].column,
              fmt::format("unknown condition '{}': {}", word, nearest_name(word, kConditions)));
    }
    ++n;
    if (n == tokens.size()) return result;
    if (tokens[n].text != "and") {
      fail_at(where, line, tokens[n].column,
              fmt::format("unexpected '{}' after a condition: join conditions with `and`",
                          tokens[n].text));
    }
    ++n;
  }
}

}  // namespace

void fail_at(const std::string& where, int line, int column, const std::string& what) {
  throw Error(fmt::format("{}:{}:{}: {}", where, line, column, what));
}

Line parse_statement(const TokenLine& source, const Algorithm& algorithm,
                     const std::string& where) {
  const auto when = std::find_if(source.tokens.begin(), source.tokens.end(),
                                 [](const Token& token) { return token.text == "when"; });
  const std::vector<Token> tokens = join_sign({source.tokens.begin(), when});
  for (const Form& form : forms()) {
    const std::vector<Token> pattern = pattern_tokens(form);
    const auto bound = match(tokens, pattern, algorithm);
    if (!bound) continue;
    Line line = make_line(form, *bound, pattern, algorithm);
    line.source_line = source.line;
    line.source_column = source.tokens[0].column;
    line.text = source.text;
    if (when != source.tokens.end()) {
      line.text = source.text.substr(0, static_cast<std::size_t>(when->column - 1 - source.indent));
      while (!line.text.empty() && line.text.back() == ' ') line.text.pop_back();
      line.when = parse_when({when + 1, source.tokens.end()}, *when, source.line, where);
    }
    if (line.kind == LineKind::load || line.kind == LineKind::store) {
      const std::string& name = algorithm.buffers[static_cast<std::size_t>(line.result)].name;
      if (line.hbm < 0) line.hbm = algorithm.find(name, true);
      if (line.hbm < 0) {
        fail_at(
            where, source.line, source.tokens[0].column,
            fmt::format("no tensor '{}' is declared in HBM: name one with `{} {} {} TENSOR`", name,
                        name_of(line.kind), name, line.kind == LineKind::load ? "from" : "to"));
      }
    }
    if (const std::string mistake = shape_mistake(line, algorithm); !mistake.empty()) {
      fail_at(where, source.line, source.tokens[0].column, mistake);
    }
    return line;
  }
  check_names(tokens, algorithm, source.line, where);
  const int column = source.tokens[0].column;
  fail_at(
      where, source.line, column,
      fmt::format("`{}` is no known statement; {}", source.text, nearest_forms(tokens, algorithm)));
}

}  // namespace flashscope
