// A table of text as people copy it into a spreadsheet or a report.
#pragma once

#include <string>
#include <vector>

namespace flashscope::views {

struct Sheet {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as long as the header
};

// Fields with commas, quotes or line ends are quoted (RFC 4180).
std::string to_csv(const Sheet& sheet);
// A GitHub-flavoured table; `|` is escaped.
std::string to_markdown(const Sheet& sheet);

}  // namespace flashscope::views
