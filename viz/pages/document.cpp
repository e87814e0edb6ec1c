// The frame of a page; see document.h.
#include "viz/pages/document.h"

#include <string_view>

#include <fmt/format.h>

#include "viz/pages/assets.h"
#include "viz/pages/words.h"

namespace flashscope::pages {
namespace {

// Nothing is fetched, from anywhere; what runs and what styles stands in the file itself.
constexpr std::string_view kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'";

}  // namespace

std::string document(const DocumentParts& parts) {
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  html += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", kPolicy);
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  html += fmt::format("<meta name=\"description\" content=\"{}\">\n", escaped(parts.description));
  html += fmt::format("<title>{}</title>\n", escaped(parts.title));
  // An empty icon: a browser asks for none.
  html += "<link rel=\"icon\" href=\"data:,\">\n<style>\n";
  html += page_css();
  html += "</style>\n</head>\n<body>\n";
  html += parts.body;
  if (parts.has_players || parts.has_quizzes) html += "<script>\n";
  if (parts.has_players) html += player_js();
  if (parts.has_quizzes) html += quiz_js();
  if (parts.has_players || parts.has_quizzes) html += "</script>\n";
  html += "</body>\n</html>\n";
  return html;
}

}  // namespace flashscope::pages
