// JSON of strangers: what is broken or absurdly deep is discarded, without a deep recursion.
#include "sim/io/parse_json.h"

#include <string>

#include <doctest/doctest.h>

namespace flashscope::io {

TEST_CASE("JSON is parsed, and discarded where it is broken or nested too deeply") {
  CHECK(parse_json(R"({"a": [1, 2]})")["a"][1] == 2);
  CHECK(parse_json("{").is_discarded());
  CHECK(parse_json("").is_discarded());
  for (const std::size_t depth : {60u, 1000u, 1000000u}) {
    const std::string deep = std::string(depth, '[') + std::string(depth, ']');
    CAPTURE(depth);
    CHECK(parse_json(deep).is_discarded() == (depth > 64));
    CHECK(parse_json("{\"batch\": " + deep + "}").is_discarded() == (depth > 64));
  }
}

}  // namespace flashscope::io
