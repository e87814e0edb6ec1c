// One walk as a page.
#include <fmt/format.h>

#include "viz/pages/document.h"
#include "viz/pages/page.h"
#include "viz/pages/player.h"
#include "viz/pages/words.h"

namespace flashscope::pages {

std::string walk_page(const Scenario& scenario, const Program& program,
                      const views::WalkOptions& options, const std::string& command) {
  const Recording recording = record(scenario, program, options);
  const Algorithm& algorithm = program.algorithm();
  DocumentParts page;
  page.title = fmt::format("{} on {}", algorithm.full_name(), scenario.title);
  page.description =
      fmt::format("{}, {}: {}", page.title, describe(program.problem()), recording.extent);
  page.body = fmt::format(
      "<header class=\"page-head\"><h1>{}</h1>\n<p class=\"lead\">{}</p>\n"
      "<p class=\"facts\">{}<br>{}</p>\n",
      escaped(page.title), escaped(algorithm.title), escaped(describe(program.problem())),
      escaped(recording.extent));
  if (!command.empty()) {
    page.body += fmt::format("<p class=\"command\"><code>{}</code></p>\n", escaped(command));
  }
  page.body += "</header>\n<main class=\"walk\">\n";
  PlayerOptions player;
  player.title = "Op by op";
  page.body += player_html(recording, program, player);
  page.body +=
      "</main>\n<footer><p>Simulated by FlashScope: every number is computed by the lines of the "
      "table. Bytes are those between HBM and SRAM, without a cache; registers are free. Keys: ← "
      "→ one op, Home, End, Space plays.</p></footer>\n";
  return document(page);
}

}  // namespace flashscope::pages
