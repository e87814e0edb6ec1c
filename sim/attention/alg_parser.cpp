// Tables as a whole; see alg_parser.h. Declarations, phases and statements have files of their own.
#include "sim/attention/alg_parser.h"

#include <fmt/format.h>

#include "sim/attention/alg_declarations.h"
#include "sim/attention/alg_phases.h"
#include "sim/attention/alg_reader.h"
#include "sim/expression/nearest_name.h"

namespace flashscope {
namespace {

void parse_name(TableReader& reader, Algorithm& algorithm) {
  if (!algorithm.name.empty()) reader.fail("a second `algorithm`: one table a file");
  if (reader.tokens().size() != 2) reader.fail("write `algorithm NAME`");
  algorithm.name = reader.word(1);
  reader.advance();
}

void parse_entry(TableReader& reader, Algorithm& algorithm) {
  const std::string& word = reader.word(0);
  if (algorithm.name.empty() && word != "algorithm") reader.fail("begin with `algorithm NAME`");
  if (word == "algorithm") {
    parse_name(reader, algorithm);
  } else if (word == "hbm" || word == "shared" || word == "registers") {
    parse_declaration(reader, algorithm);
  } else if (word == "estimate") {
    parse_estimate(reader, algorithm);
  } else if (word == "default") {
    parse_default(reader, algorithm);
  } else if (word == "phase") {
    parse_phase(reader, algorithm);
  } else {
    reader.fail(fmt::format("'{}' begins no declaration: {}", word,
                            nearest_name(word, {"algorithm", "hbm", "shared", "registers",
                                                "estimate", "default", "phase"})));
  }
}

// The text of a comment in the first line.
std::string title_of(const std::string& text) {
  if (!text.starts_with("# ")) return "";
  std::string title = text.substr(2, text.find('\n') - 2);
  if (!title.empty() && title.back() == '\r') title.pop_back();
  return title;
}

}  // namespace

Algorithm parse_algorithm(const std::string& text, const std::string& where) {
  Algorithm algorithm;
  algorithm.source = text;
  algorithm.origin = where;
  algorithm.title = title_of(text);
  TableReader reader(text, where);
  if (reader.empty()) fail_at(where, 1, 1, "an empty table: begin with `algorithm NAME`");
  while (!reader.at_end()) parse_entry(reader, algorithm);
  if (algorithm.phases.empty()) reader.fail("the table has no `phase`");
  return algorithm;
}

}  // namespace flashscope
