// The frame of a page: everything around its body, so that one file is all there is.
#pragma once

#include <string>

namespace flashscope::pages {

struct DocumentParts {
  std::string title;        // plain text
  std::string description;  // plain text
  std::string body;         // HTML
  bool has_players = true;  // or code
  bool has_quizzes = false;
};
std::string document(const DocumentParts& parts);

}  // namespace flashscope::pages
