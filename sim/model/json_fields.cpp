// See json_fields.h.
#include "sim/model/json_fields.h"

#include <cmath>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/message_text.h"

namespace flashscope {
namespace {

constexpr std::size_t kLongestShown = 40;

// The value as it stands, cut short.
std::string shown(const JsonField::Json& value) {
  const std::string text = value.dump(-1, ' ', false, JsonField::Json::error_handler_t::replace);
  return io::printable(text.size() <= kLongestShown ? text : text.substr(0, kLongestShown) + "…");
}

}  // namespace

void JsonField::fail(const std::string& what) const {
  throw Error(
      fmt::format("{}: {}{}{}", io::printable(name_), path_, path_.empty() ? "" : ": ", what));
}

JsonField JsonField::operator[](const char* key) const {
  if (!value_->is_object()) fail(fmt::format("it must be an object with \"{}\"", key));
  const auto member = value_->find(key);
  if (member == value_->end()) fail(fmt::format("\"{}\" is missing", key));
  return {*member, name_, path_.empty() ? key : path_ + "." + key};
}

std::vector<JsonField> JsonField::elements() const {
  if (!value_->is_array()) fail("it must be a list");
  std::vector<JsonField> result;
  for (const Json& element : *value_) {
    result.push_back({element, name_, fmt::format("{}[{}]", path_, result.size())});
  }
  return result;
}

std::string JsonField::text() const {
  if (!value_->is_string()) fail(fmt::format("{} is no text", shown(*value_)));
  return value_->get<std::string>();
}

bool JsonField::boolean() const {
  if (!value_->is_boolean()) fail(fmt::format("{} is neither true nor false", shown(*value_)));
  return value_->get<bool>();
}

std::int64_t JsonField::integer(std::int64_t from, std::int64_t to) const {
  // Counters beyond 2^63 would wrap; such a number is no 64-bit integer for us.
  const bool fits = value_->is_number_integer() &&
                    (!value_->is_number_unsigned() || value_->get<std::uint64_t>() <= INT64_MAX);
  if (!fits || value_->get<std::int64_t>() < from || value_->get<std::int64_t>() > to) {
    fail(fmt::format("{} is no integer from {} to {}", shown(*value_), from, to));
  }
  return value_->get<std::int64_t>();
}

double JsonField::number(double from, double to) const {
  if (!value_->is_number() || !std::isfinite(value_->get<double>()) ||
      value_->get<double>() < from || value_->get<double>() > to) {
    fail(fmt::format("{} is no number from {} to {}", shown(*value_), from, to));
  }
  return value_->get<double>();
}

std::optional<std::int64_t> JsonField::optional_integer(std::int64_t from, std::int64_t to) const {
  if (is_null()) return std::nullopt;
  return integer(from, to);
}

std::optional<double> JsonField::optional_number(double from, double to) const {
  if (is_null()) return std::nullopt;
  return number(from, to);
}

}  // namespace flashscope
