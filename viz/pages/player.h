// A player: the HTML of a recording at one of its positions, and the data that the script needs to
// show the others. Without the script it is a picture of that position, and all ops in words.
#pragma once

#include <map>
#include <string>

#include "viz/pages/recording.h"

namespace flashscope::pages {

// Tables of algorithms on a page: their HTML, and the id of the player that has all lines of it.
using TablesShown = std::map<std::string, std::string>;

struct PlayerOptions {
  std::string id = "player";  // unique on the page; begins those of its parts
  std::string title;          // inline Markdown
  int heading = 2;            // level of the title
  int first_tile = -1;        // buffer to show first; -1: as declared
  std::string below_title;    // HTML
  // Where another player of the page has the same table already, this one holds only its current
  // line; the script copies the others. Null: it is the only player.
  TablesShown* tables = nullptr;
};

// Opens behind its last op.
std::string player_html(const Recording& recording, const Program& program,
                        const PlayerOptions& options);

}  // namespace flashscope::pages
