// [figure]; see parse_blocks.h.
#include <algorithm>

#include <fmt/format.h>

#include "lessons/engine/parse_blocks.h"
#include "sim/expression/nearest_name.h"
#include "sim/io/message_text.h"

namespace flashscope::lessons {
namespace {

using Kind = FigureBlock::Kind;

struct KindKeys {
  Kind kind;
  std::string name;
  Keys keys;  // besides title and kind
};

const std::vector<KindKeys>& kinds() {
  static const std::vector<KindKeys> kKinds = {
      {Kind::bars, "bars", {"bars", "series", "sweep", "values", "unit", "log"}},
      {Kind::steps, "steps", {"series", "q-tile", "head", "unit"}},
      {Kind::tiles, "tiles", {"of", "head"}},
      {Kind::budget, "budget", {"of"}},
      {Kind::table, "table", {"of", "from", "to"}},
      {Kind::kernel, "kernel", {"of", "line"}},
  };
  return kKinds;
}

const KindKeys& kind_of(const TableSource& source) {
  Keys all = {"title", "kind"};
  std::vector<std::string> names;
  for (const KindKeys& each : kinds()) {
    all = joined(all, each.keys);
    names.push_back(each.name);
  }
  const TomlReader reader(source.table, "figure", source.line, source.file, all);
  reader.require("kind");
  return kinds()[reader.choice("kind", names)];
}

std::vector<FigureSeries> read_series(const TomlReader& reader, const std::string& key) {
  std::vector<FigureSeries> series;
  for (const TomlReader& each : reader.tables(key, "figure's " + key, {"label", "value"})) {
    series.push_back({each.required_text("label").text, each.required_text("value")});
  }
  return series;
}

// The values of an option, as the command line would say them.
std::vector<std::string> read_values(const TomlReader& reader) {
  const TomlValue& value = *reader.find("values");
  const auto* array = std::get_if<TomlArray>(&value.value);
  if (!array || array->empty() || array->size() > 64) {
    reader.fail(value.line, "figure: 'values' must be an array of 1 to 64 values of the option");
  }
  std::vector<std::string> values;
  for (const TomlValue& each : *array) {
    if (const auto* integer = std::get_if<std::int64_t>(&each.value)) {
      values.push_back(fmt::format("{}", *integer));
    } else if (const auto* number = std::get_if<double>(&each.value)) {
      values.push_back(fmt::format("{}", *number));
    } else if (std::holds_alternative<std::string>(each.value)) {
      values.push_back(reader.text_of("values", each).text);
    } else {
      reader.wrong_type("values", each, "an array of numbers or texts");
    }
  }
  return values;
}

void read_sweep(const TomlReader& reader, FigureBlock& figure) {
  for (const std::string_view key : {"sweep", "values"}) reader.require(key);
  figure.sweep = reader.text("sweep");
  const Keys& options = scenario_option_keys();
  if (std::find(options.begin(), options.end(), figure.sweep->text) == options.end()) {
    reader.fail(figure.sweep->line, fmt::format("figure: there is no option {} to sweep; {}",
                                                io::quoted_name(figure.sweep->text),
                                                nearest_name(figure.sweep->text, options)));
  }
  figure.values = read_values(reader);
}

void read_bars(const TomlReader& reader, FigureBlock& figure) {
  for (const std::string_view key : {"series", "sweep", "values"}) reader.exclude({"bars", key});
  reader.require_one_of({"bars", "series"});
  if (reader.has("bars")) {
    figure.series = read_series(reader, "bars");
  } else {
    figure.series = read_series(reader, "series");
    read_sweep(reader, figure);
  }
}

}  // namespace

FigureBlock parse_figure(const TableSource& source) {
  const KindKeys& kind = kind_of(source);
  const TomlReader reader(source.table, fmt::format("a figure of kind '{}'", kind.name),
                          source.line, source.file, joined({"title", "kind"}, kind.keys));
  FigureBlock figure;
  figure.line = source.line;
  figure.kind = kind.kind;
  figure.title = reader.required_text("title").text;
  figure.of = reader.text_or("of", "");
  figure.unit = read_unit(reader);
  figure.logarithmic = reader.flag("log");
  figure.q_tile = reader.integer("q-tile", 0, kNoLimit).value_or(0);
  figure.head = reader.integer("head", 0, kNoLimit).value_or(0);
  figure.from = reader.text_or("from", "");
  figure.to = reader.text_or("to", "");
  if (kind.kind == Kind::bars) read_bars(reader, figure);
  if (kind.kind == Kind::steps) {
    reader.require("series");
    figure.series = read_series(reader, "series");
  }
  if (kind.kind == Kind::kernel) figure.from = reader.required_text("line").text;
  return figure;
}

}  // namespace flashscope::lessons
