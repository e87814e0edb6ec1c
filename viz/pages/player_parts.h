// The parts of a player's HTML; player.cpp puts them together.
#pragma once

#include <map>
#include <string>

#include "viz/pages/player.h"

namespace flashscope::pages {

// Tiles as they are behind the last op.
std::map<int, TileShot> final_tiles(const Recording& recording);

// Every op in words, under its place: what `flashscope walk` prints.
std::string log_html(const Recording& recording, const Program& program, const std::string& id);
// One op: its line, its bytes, its arithmetic and the truth.
std::string op_html(const RecordedOp& op, const Program& program);
// The table's lines of the recorded phases. The last op's line is the current one.
std::string program_html(const Recording& recording, const Program& program,
                         const PlayerOptions& options);
// Tiles that are no vectors, by where they lie; `first` comes before the others.
std::string tiles_html(const Recording& recording, const Program& program, int first);
// The vectors (m, l, alpha, …) of the rows shown, as one table.
std::string state_html(const Recording& recording, const Program& program);
// One map for each phase recorded that has tiles.
std::string maps_html(const Recording& recording, const Program& program, const std::string& id);
// What the script needs beyond the HTML.
std::string player_json(const Recording& recording, const Program& program);

}  // namespace flashscope::pages
