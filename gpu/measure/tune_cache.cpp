// See tune_cache.h.
#include "gpu/measure/tune_cache.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "gpu/launch/plan.h"
#include "sim/error.h"
#include "sim/io/file_bytes.h"
#include "sim/io/message_text.h"
#include "sim/io/parse_json.h"
#include "sim/io/write_file.h"
#include "sim/model/json_fields.h"

namespace flashscope::gpu {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "flashscope.tune/1";
constexpr std::int64_t kMostTile = 1 << 16;
constexpr double kMostUs = 1e15;

// The least power of two that is not below; 0 stays 0.
std::int64_t bucket(std::int64_t length) {
  std::int64_t power = length > 0 ? 1 : 0;
  while (power < length) power *= 2;
  return power;
}

}  // namespace

std::string TuneCache::default_path() {
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return std::string(cache) + "/flashscope/tune.json";
  }
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::string(home) + "/.cache/flashscope/tune.json";
  }
  throw Error("neither XDG_CACHE_HOME nor HOME is set: name the tuning cache with --cache FILE");
}

std::string TuneCache::key(const std::string& device, const Problem& problem, Algorithm algorithm) {
  return fmt::format("{}/{}/{}/d{}/{}/q{}/k{}", device, flashscope::name_of(problem.dtype),
                     name_of(algorithm), problem.head_dim, problem.mask.causal ? "causal" : "full",
                     bucket(problem.q_len), bucket(problem.kv_len));
}

TuneCache TuneCache::read(const std::string& path) {
  TuneCache cache;
  std::error_code no_file;
  if (!std::filesystem::exists(path, no_file)) return cache;
  const io::FileBytes file = io::map_file(path);
  const Json json =
      io::parse_json({reinterpret_cast<const char*>(file.data.get()), file.size_bytes});
  if (!json.is_object() || json.value("schema", Json()) != kSchema) {
    throw Error(fmt::format("{}: this is no tuning cache ({}): delete it, or name another file",
                            file.name, kSchema));
  }
  const JsonField winners = JsonField(json, file.name)["winners"];
  if (!winners.json().is_object()) winners.fail("it must be an object");
  for (const auto& [key, value] : winners.json().items()) {
    const JsonField winner = winners[key.c_str()];
    cache.set(key, {static_cast<int>(winner["q_tile"].integer(0, kMostTile)),
                    static_cast<int>(winner["kv_tile"].integer(0, kMostTile)),
                    static_cast<int>(winner["splits"].integer(0, kMostTile)),
                    winner["us"].number(0, kMostUs)});
  }
  return cache;
}

void TuneCache::write(const std::string& path) const {
  Json winners = Json::object();
  for (const auto& [key, choice] : choices_) {
    winners[key] = {{"q_tile", choice.q_tile},
                    {"kv_tile", choice.kv_tile},
                    {"splits", choice.splits},
                    {"us", choice.us}};
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error(fmt::format("{}: the folder cannot be made: {}", io::printable(folder.string()),
                            error.message()));
  }
  io::write_text(path, Json{{"schema", kSchema}, {"winners", winners}}.dump(2) + "\n");
}

std::optional<TunedChoice> TuneCache::find(const std::string& key) const {
  const auto found = choices_.find(key);
  if (found == choices_.end()) return std::nullopt;
  return found->second;
}

}  // namespace flashscope::gpu
