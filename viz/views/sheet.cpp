// Writing tables; see sheet.h.
#include "viz/views/sheet.h"

namespace flashscope::views {
namespace {

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

std::string escaped(const std::string& field) {
  std::string text;
  for (const char c : field) {
    if (c == '|' || c == '\\') text += '\\';
    text += c == '\n' || c == '\r' ? ' ' : c;
  }
  return text;
}

}  // namespace

std::string to_csv(const Sheet& sheet) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& fields) {
    for (std::size_t n = 0; n < fields.size(); ++n) {
      if (n > 0) text += ',';
      text += quoted(fields[n]);
    }
    text += "\n";
  };
  add(sheet.header);
  for (const auto& row : sheet.rows) add(row);
  return text;
}

std::string to_markdown(const Sheet& sheet) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& fields) {
    text += "|";
    for (const std::string& field : fields) {
      text += ' ';
      text += escaped(field);
      text += " |";
    }
    text += "\n";
  };
  add(sheet.header);
  add(std::vector<std::string>(sheet.header.size(), "---"));
  for (const auto& row : sheet.rows) add(row);
  return text;
}

}  // namespace flashscope::views
