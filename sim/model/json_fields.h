// Reading JSON that a stranger wrote: a value together with where it stands, so that every mistake
// is an Error "FILE: rows[2].us.median: …". Numbers are checked against the range that makes sense.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace flashscope {

class JsonField {
 public:
  using Json = nlohmann::ordered_json;

  // The whole of a document; `name` is what messages call it. The value must outlive the field.
  JsonField(const Json& value, std::string name) : value_(&value), name_(std::move(name)) {}

  // A member of an object; throws when this is no object or has no such member.
  JsonField operator[](const char* key) const;
  std::vector<JsonField> elements() const;  // of an array
  bool is_null() const { return value_->is_null(); }
  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
  const Json& json() const { return *value_; }

  std::string text() const;
  bool boolean() const;
  std::int64_t integer(std::int64_t from, std::int64_t to) const;
  double number(double from, double to) const;  // finite

  // Nothing where the value is null.
  std::optional<std::int64_t> optional_integer(std::int64_t from, std::int64_t to) const;
  std::optional<double> optional_number(double from, double to) const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  JsonField(const Json& value, std::string name, std::string path)
      : value_(&value), name_(std::move(name)), path_(std::move(path)) {}

  const Json* value_;
  std::string name_, path_;
};

}  // namespace flashscope
