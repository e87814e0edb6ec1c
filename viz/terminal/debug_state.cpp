// Breakpoints, sets, and session files of the debug prompt; see debug_prompt.h.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/write_file.h"
#include "sim/scenario/problem_json.h"
#include "sim/setup/parse_values.h"
#include "viz/terminal/commands.h"
#include "viz/terminal/debug_world.h"
#include "viz/terminal/screen.h"

namespace flashscope::terminal {
namespace {

constexpr const char* kSchema = "flashscope.session/1";
constexpr int kDeepestSource = 16;
constexpr std::size_t kLargestSession = 1 << 20;

Json read_session(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kLargestSession + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (text.empty()) throw Error(fmt::format("{}: no session file can be read there", path));
  if (text.size() > kLargestSession) {
    throw Error(fmt::format("{}: too large for a session file (1 MiB)", path));
  }
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    throw Error(fmt::format("{}: not a session file: the JSON is broken or cut off", path));
  }
  if (!json.is_object() || json.value("schema", Json()) != kSchema) {
    throw Error(fmt::format("{}: not a session file: \"schema\" is not \"{}\"", path, kSchema));
  }
  return json;
}

// `m[0]`, `S[1,2]`, `S[1, 2]`.
struct Element {
  std::string tile;
  std::int64_t row = 0, column = 0;
};
Element parse_element(const std::string& text) {
  const std::size_t open = text.find('['), close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    throw Error(fmt::format("set '{}': write an element, such as m[0] or S[1,2]", text));
  }
  std::string indices = text.substr(open + 1, close - open - 1);
  std::erase(indices, ' ');
  const std::vector<std::int64_t> numbers = parse_integers(indices, "set");
  if (numbers.size() > 2) throw Error(fmt::format("set '{}': at most two indices", text));
  return {text.substr(0, open), numbers[0], numbers.size() == 2 ? numbers[1] : 0};
}

}  // namespace

void DebugPrompt::add_breakpoint(const std::string& arguments) {
  fmt::print(output_, "Breakpoint {}: {}\n", debugger().add_breakpoint(arguments, false),
             arguments);
}

void DebugPrompt::add_temporary(const std::string& arguments) {
  fmt::print(output_, "Temporary breakpoint {}: {}\n", debugger().add_breakpoint(arguments, true),
             arguments);
}

void DebugPrompt::watch(const std::string& arguments) {
  if (arguments.empty()) throw Error("watch what? for example: watch row(0).m");
  fmt::print(output_, "Watch {}: {}\n", debugger().add_watch(arguments), arguments);
}

void DebugPrompt::remove(const std::string& arguments) {
  if (!arguments.empty()) {
    debugger().remove_breakpoint(static_cast<int>(parse_integers(arguments, "delete")[0]));
    return;
  }
  while (!debugger().breakpoints().empty()) {
    debugger().remove_breakpoint(debugger().breakpoints().back().id);
  }
}

void DebugPrompt::set(const std::string& arguments) {
  const std::size_t equals = arguments.find('=');
  if (equals == std::string::npos) throw Error("set: write ELEMENT = VALUE, such as m[0] = 3");
  const Element element = parse_element(arguments.substr(0, equals));
  const auto value =
      expression::StateExpression::parse(arguments.substr(equals + 1), debugger().vocabulary());
  const double number = value.value(debugger().view());
  const int buffer = tile_named(element.tile);
  const float before = debugger().session().tile(buffer).rows > element.row && element.row >= 0
                           ? debugger().session().tile(buffer).at(element.row, 0)
                           : 0;
  debugger().session().set(buffer, element.row, element.column, static_cast<float>(number));
  fmt::print(output_, "{}[{}{}] = {}{}\n", element.tile, element.row,
             element.column > 0 ? fmt::format(",{}", element.column) : "", short_number(number),
             element.column == 0 ? fmt::format(" (was {})", short_number(before)) : "");
}

void DebugPrompt::save_command(const std::string& path) {
  if (path.empty()) throw Error("save where? for example: save mine.json");
  save(path);
  fmt::print(output_, "saved to {}\n", path);
}

void DebugPrompt::save(const std::string& path) const {
  const Debugger& d = debugger();
  Json events = Json::array(), breakpoints = Json::array();
  for (const SetEvent& event : d.session().events()) {
    events.push_back(
        {{"op", event.op},
         {"tile", d.program().algorithm().buffers[static_cast<std::size_t>(event.buffer)].name},
         {"row", event.row},
         {"column", event.column},
         {"value", number_json(static_cast<double>(event.value))}});
  }
  for (const Breakpoint& b : d.breakpoints()) {
    breakpoints.push_back({{"what", b.kind == Breakpoint::Kind::watch ? "watch" : "break"},
                           {"text", b.text},
                           {"temporary", b.temporary}});
  }
  Json session = {{"schema", kSchema},
                  {"arguments", problem_arguments(options_)},
                  {"problem", to_json(d.program().problem())},
                  {"position", d.session().position()},
                  {"events", events},
                  {"breakpoints", breakpoints},
                  {"displays", displays_}};
  if (options_.table) session["table"] = *options_.table;
  std::string text;
  try {
    text = session.dump(2);
  } catch (const Json::exception&) {
    throw Error(fmt::format("{}: not saved: a file's name in this session is not UTF-8", path));
  }
  io::write_text(path, text + "\n");
}

void DebugPrompt::load(const std::string& path) {
  const Json json = read_session(path);
  try {
    ProblemOptions options =
        parse_problem_arguments(json.at("arguments").get<std::vector<std::string>>());
    if (json.contains("table")) options.table = json.at("table").get<std::string>();
    DebugPrompt loaded(options, output_, source_);
    Debugger& d = loaded.debugger();
    if (to_json(d.program().problem()) != json.at("problem")) {
      throw Error(
          fmt::format("{}: its files now hold another problem than when it was saved", path));
    }
    std::vector<SetEvent> events;
    for (const Json& event : json.at("events")) {
      const std::int64_t op = event.at("op").get<std::int64_t>();
      const int buffer = loaded.tile_named(event.at("tile").get<std::string>());
      const Json& value = event.at("value");
      const SetEvent set{op, buffer, event.at("row").get<std::int64_t>(),
                         event.at("column").get<std::int64_t>(),
                         value.is_string() ? std::strtof(value.get<std::string>().c_str(), nullptr)
                                           : value.get<float>()};
      const Tile& tile = d.session().tile(buffer);
      if (op < 0 || op >= d.program().size() || set.row < 0 || set.row >= tile.rows ||
          set.column < 0 || set.column >= tile.columns) {
        throw Error(fmt::format("{}: a set lies outside the program or its tile", path));
      }
      events.push_back(set);
    }
    d.session().set_events(std::move(events));
    d.go_to(json.at("position").get<std::int64_t>());
    for (const Json& b : json.at("breakpoints")) {
      const std::string text = b.at("text").get<std::string>();
      if (b.at("what") == "watch") {
        d.add_watch(text);
      } else {
        d.add_breakpoint(text, b.at("temporary").get<bool>());
      }
    }
    loaded.displays_ = json.at("displays").get<std::vector<std::string>>();
    // Only a session that is whole replaces the running one.
    loaded.source_depth_ = source_depth_;
    loaded.generation_ = generation_ + 1;
    *this = loaded;
  } catch (const Json::exception&) {
    throw Error(
        fmt::format("{}: not a whole session file: a field is missing or of another kind", path));
  }
}

void DebugPrompt::load_command(const std::string& path) {
  if (path.empty()) throw Error("load which file?");
  load(path);
  show_position();
}

void DebugPrompt::source(const std::string& path) {
  if (path.empty()) throw Error("source which file?");
  std::error_code failed;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, failed)) file.open(path);
  if (!file.is_open()) throw Error(fmt::format("{}: no script can be read there", path));
  if (std::filesystem::file_size(path, failed) > kLargestSession) {
    throw Error(fmt::format("{}: too large for a script (1 MiB)", path));
  }
  if (source_depth_ >= kDeepestSource) throw Error("scripts source each other too deeply");
  ++source_depth_;
  try {
    run_script(file, path);
  } catch (...) {
    --source_depth_;
    throw;
  }
  --source_depth_;
}

}  // namespace flashscope::terminal
