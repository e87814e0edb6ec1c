// See parse_json.h.
#include "sim/io/parse_json.h"

namespace flashscope::io {

nlohmann::ordered_json parse_json(std::string_view text) {
  using Json = nlohmann::ordered_json;
  constexpr int kDeepestNesting = 64;
  bool too_deep = false;
  const auto keep = [&](int depth, Json::parse_event_t, const Json&) {
    too_deep = too_deep || depth > kDeepestNesting;
    return depth <= kDeepestNesting;
  };
  Json json = Json::parse(text, keep, false);
  return too_deep ? Json(Json::value_t::discarded) : json;
}

}  // namespace flashscope::io
