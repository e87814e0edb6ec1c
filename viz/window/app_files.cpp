// Settings, session files, dropped files, typed lines; see app.h.
#include <algorithm>

#include <fmt/format.h>

#include "sim/error.h"
#include "sim/io/safetensors.h"
#include "sim/setup/setup.h"
#include "viz/window/app.h"
#include "viz/window/commands.h"

namespace flashscope::window {

void App::change(const ProblemOptions& options) {
  pause_playing();
  document_->change(options);
  position_changed();
}

void App::undo() {
  pause_playing();
  try_to("Undo", [&] { document_->undo(); });
  position_changed();
}

void App::redo() {
  pause_playing();
  try_to("Redo", [&] { document_->redo(); });
  position_changed();
}

void App::pause_playing() {
  playback_.play(false);
  running_forward_.reset();
  export_.stop();
}

void App::ask_open() { dialogs_.ask_open(); }
void App::ask_save() { dialogs_.ask_save(); }
void App::ask_go_to() { dialogs_.ask_go_to(); }
void App::show_keys() { dialogs_.show_keys(); }

void App::ask_export() {
  const Session& session = document_->debugger().session();
  const std::int64_t last = std::max<std::int64_t>(0, session.program().size() - 1);
  const std::int64_t first = std::min(session.position(), last);
  dialogs_.ask_export(first, std::min(last, first + 9), panel_to_present());
}

void App::open(const std::string& path) {
  const std::filesystem::path file(path);
  const std::string extension = file.extension().string();
  if (extension == ".alg") {
    change(with_algorithm(document_->options(), path));
  } else if (extension == ".safetensors") {
    // Problems in the file: names that have all of .q, .k and .v.
    const std::vector<std::string> names = io::SafetensorsFile::open(path).names();
    const auto has = [&](const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    };
    std::vector<std::string> prefixes;
    for (const std::string& name : names) {
      if (!name.ends_with(".q")) continue;
      const std::string prefix = name.substr(0, name.size() - 2);
      if (has(prefix + ".k") && has(prefix + ".v")) prefixes.push_back(prefix);
    }
    if (prefixes.empty()) {
      throw Error(fmt::format("{}: no tensors NAME.q, NAME.k and NAME.v in it", path));
    }
    if (prefixes.size() > 1) {
      dialogs_.choose_prefix(path, prefixes);
      return;
    }
    ProblemOptions options = document_->options().without_problem();
    options.tensors = path;
    options.prefix = prefixes.front();
    change(options);
  } else if (extension == ".npy" || extension == ".npz") {
    dialogs_.add_tensors({path});
  } else if (extension == ".md") {
    open_lesson(path);
  } else {
    pause_playing();
    document_->open(path);
    selection_ = {};
    position_changed();
  }
}

void App::save(const std::string& path) {
  if (path.empty()) throw Error("name a file to save to");
  document_->save(path);
  notice_ = "saved to " + path;
}

void App::drop(const std::vector<std::string>& paths) {
  std::vector<std::string> arrays;
  for (const std::string& path : paths) {
    const std::string extension = std::filesystem::path(path).extension().string();
    if (extension == ".npy" || extension == ".npz") {
      arrays.push_back(path);
    } else {
      try_to("Dropped file", [&] { open(path); });
    }
  }
  if (!arrays.empty()) dialogs_.add_tensors(arrays);
}

std::string App::type(const std::string& line) {
  pause_playing();
  std::string failure = document_->type(line);
  position_changed();
  return failure;
}

void App::carry_out(Requests& requests) {
  unfinished_ = unfinished_ || requests.another_frame;
  Debugger& d = document_->debugger();
  for (const int line : requests.toggle_breakpoints) {
    const auto& all = d.breakpoints();
    const auto found = std::ranges::find_if(all, [&](const Breakpoint& b) {
      return b.kind == Breakpoint::Kind::line && b.source_line == line;
    });
    try {
      found != all.end() ? d.remove_breakpoint(found->id)
                         : static_cast<void>(d.add_breakpoint(std::to_string(line), false));
    } catch (const Error& error) {
      notice_ = error.what();
    }
    changed();
  }
  if (requests.selection && *requests.selection != selection_) {
    selection_ = *requests.selection;
    changed();
  }
  if (requests.go_to) {
    pause_playing();
    go_to(*requests.go_to);
  }
  if (requests.settings) try_to("Settings", [&] { change(*requests.settings); });
  if (requests.console) type(*requests.console);
  if (requests.lesson) carry_out(*requests.lesson);
  for (const std::string& name : requests.commands) {
    const Command& command = find_command(name);
    command.run(*this, command.argument);
  }
}

}  // namespace flashscope::window
