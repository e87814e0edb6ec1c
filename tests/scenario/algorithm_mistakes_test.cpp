// Mistakes in .alg tables: each is one line with its place, and the nearest form or name.
#include <doctest/doctest.h>

#include "own_table.h"
#include "sim/attention/alg_parser.h"
#include "sim/error.h"

using namespace flashscope;
using namespace flashscope::test;

namespace {

std::string message(const std::string& text) {
  try {
    parse_algorithm(text, "my.alg");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// The message when the first `from` in kBackwards' table reads `to`.
std::string message_with(const std::string& from, const std::string& to) {
  std::string text = kDeclarations + kBackwards;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return message(text.replace(at, from.size(), to));
}

struct Mistake {
  const char *from, *to, *message;
};

}  // namespace

TEST_CASE("a statement that is no known one names its place and the nearest forms or name") {
  const Mistake mistakes[] = {
      {"rowmax S", "rowmx S", "my.alg:24:20: unknown name 'rowmx': did you mean 'rowmax'?"},
      {"alpha * l", "alpah * l", "my.alg:27:9: unknown name 'alpah': did you mean 'alpha'?"},
      {"S = Q K'", "S = Q K",
       "my.alg:21:5: `S = Q K` is no known statement; nearest forms: `A = B C'` or `A = n` (A B C "
       "tiles, u v w vectors)"},
      {"O = O + P V", "O = O - P V",
       "my.alg:33:5: `O = O - P V` is no known statement; nearest forms: `A = A + B C` or `A = B "
       "C'` "
       "(A B C tiles, u v w vectors)"},
      {"O = O / l\n", "O = l / O\n",
       "my.alg:36:3: `O = l / O` is no known statement; nearest forms: `A = A / v` or `A = v * A` "
       "(A "
       "B C tiles, u v w vectors)"},
      {"    load K\n", "    load\n",
       "my.alg:20:5: `load` is no known statement; nearest forms: `load A` or `load v` (A B C "
       "tiles, "
       "u v w vectors)"},
      {"    load K\n", "\tload K\n", "my.alg:20:1: a tab: indent and separate with spaces"},
      {"    load K\n", "    load K!\n",
       "my.alg:20:11: unexpected '!': statements use names, numbers and = * + - / ( ) [ ] , ' <="},
      {"mask S", "mask S when fulll",
       "my.alg:23:17: unknown condition 'fulll': did you mean 'full'?"},
      {"mask S", "mask S when",
       "my.alg:23:12: `when` needs a condition: empty, partial, full, first, last or threshold"},
      {"mask S", "mask S when not full or last",
       "my.alg:23:26: unexpected 'or' after a condition: join conditions with `and`"},
  };
  for (const auto& [from, to, expected] : mistakes) CHECK(message_with(from, to) == expected);
}

TEST_CASE("tiles that do not fit together, or that nothing fixes, are named with their shapes") {
  const Mistake mistakes[] = {
      {"O = O + P V", "O = O + V P",
       "my.alg:33:5: the shapes of O (q_tile x head_dim), V (kv_tile x head_dim) and P (q_tile x "
       "kv_tile) do not fit a product"},
      {"    load K\n", "    load S\n",
       "my.alg:20:5: no tensor 'S' is declared in HBM: name one with `load S from TENSOR`"},
      {"    load K\n", "    load S from Q\n",
       "my.alg:20:5: S (q_tile x kv_tile) does not fit into the tensor Q (q_len x head_dim) in "
       "HBM"},
      {"store LSE", "store LSE to O",
       "my.alg:35:3: LSE (q_tile) does not fit into the tensor O (q_len x head_dim) in HBM"},
      {"  load Q", "  load K", "my.alg:15:3: `load K`: no loop around it fixes the kv_tile of K"},
      {"  m = -inf", "  m = -inf when first",
       "my.alg:16:3: `m = -inf`: conditions on the tile (partial, first, …) apply inside a step "
       "only"},
  };
  for (const auto& [from, to, expected] : mistakes) CHECK(message_with(from, to) == expected);
}

TEST_CASE("mistakes in declarations, grids and loops give their place and what may stand there") {
  const Mistake mistakes[] = {
      {"algorithm mine", "algoritm mine", "my.alg:1:1: begin with `algorithm NAME`"},
      {"head_dim    input", "head_dim    inptu",
       "my.alg:2:52: unknown format 'inptu': did you mean 'input'?"},
      {"q_len x head_dim", "qlen x head_dim",
       "my.alg:2:32: unknown dimension 'qlen': did you mean 'q_len'?"},
      {"q_len x head_dim", "q_tile x head_dim",
       "my.alg:2:1: rows of a tensor in HBM are q_len or kv_len"},
      {"input\nshared", "input 99 stages\nshared", "my.alg:6:58: stages must be 1 to 16"},
      {"phase attention", "phse attention",
       "my.alg:13:1: 'phse' begins no declaration: did you mean 'phase'?"},
      {"phase attention", "phase", "my.alg:13:1: write `phase NAME`"},
      {"grid batch, head, q_tile", "grid batch, head, kv_tile", "my.alg:14:19: expected 'q_tile'"},
      {"grid batch, head, q_tile", "grid batch, head",
       "my.alg:15:3: under `grid batch, head` comes one `for` loop that holds everything"},
      {"grid batch, head, q_tile\n", "", "my.alg:14:3: a phase begins with `grid batch, head, …`"},
      {"for descending", "for backwards",
       "my.alg:19:7: unknown word 'backwards': known: all, ascending, descending"},
      {"descending kv_tile", "descending kv_tiles",
       "my.alg:19:18: 'kv_tiles' is no loop axis: did you mean 'kv_tile'?"},
      {"descending kv_tile", "kv_tile\n      for kv_tile",
       "my.alg:20:7: loops nest at most two deep"},
      {"for descending kv_tile", "for q_tile",
       "my.alg:19:3: `for q_tile` has nothing to run over here: that axis is fixed already"},
      {"for descending kv_tile", "for descending split",
       "my.alg:19:7: only kv tiles have an order"},
      {"    load K\n", "      load K\n",
       "my.alg:21:5: this line is indented like no line above it"},
  };
  for (const auto& [from, to, expected] : mistakes) CHECK(message_with(from, to) == expected);
}

TEST_CASE("a table that ends too early, or says a thing twice, says what is missing") {
  CHECK(message("") == "my.alg:1:1: an empty table: begin with `algorithm NAME`");
  CHECK(message("# nothing\n\n") == "my.alg:1:1: an empty table: begin with `algorithm NAME`");
  CHECK(message("algorithm a\n") == "my.alg:1:1: the table has no `phase`");
  CHECK(message("algorithm a\nphase p\n") ==
        "my.alg:2:1: a phase begins with `grid batch, head, …`");
  CHECK(message("algorithm a\nphase p\ngrid batch, head, q_tile\n") ==
        "my.alg:3:1: a phase needs indented statements under its grid");
  CHECK(message("algorithm a\nalgorithm b\n") ==
        "my.alg:2:1: a second `algorithm`: one table a file");
  CHECK(message("algorithm a\nestimate O\n") ==
        "my.alg:2:10: write `estimate O / l, m + ln l` or `estimate O, m + ln l`, O a q_tile x "
        "head_dim tile, m and l vectors of q_tile");
  CHECK(message("algorithm a\ndefault score = fp64\n") ==
        "my.alg:2:17: unknown format 'fp64': did you mean 'fp32'?");
  CHECK(message(kDeclarations + "estimate O / l, m + l\n" + kBackwards) ==
        "my.alg:13:21: expected 'ln'");
  CHECK(message(kDeclarations + kBackwards + kBackwards.substr(kBackwards.find("  for"))) ==
        "my.alg:38:3: a second loop: one a phase and level");
  CHECK(message(kDeclarations + std::string(70000, '#')) ==
        "my.alg: 70652 bytes is too long for a table (at most 65536)");
}
