// The winners of `flashscope-gpu tune`, in a JSON file (flashscope.tune/1): by device, dtype,
// algorithm, head_dim, causal or not, and length bucket, where lengths within a factor of two share
// one.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "gpu/launch/algorithm.h"
#include "sim/attention/problem.h"

namespace flashscope::gpu {

struct TunedChoice {
  int q_tile = 0, kv_tile = 0, splits = 0;
  double us = 0;  // for whoever reads the file
};

class TuneCache {
 public:
  // $XDG_CACHE_HOME/flashscope/tune.json, or ~/.cache/flashscope/tune.json. Throws Error when
  // neither variable is set.
  static std::string default_path();

  // "NVIDIA H100 80GB HBM3/fp16/fa2/d64/causal/q4096/k4096": lengths rounded up to powers of two.
  static std::string key(const std::string& device, const Problem& problem, Algorithm algorithm);

  // A file that is not there reads as empty. Throws Error, naming it, when it holds something else.
  static TuneCache read(const std::string& path);
  // Whole or not at all; makes the folder.
  void write(const std::string& path) const;

  std::optional<TunedChoice> find(const std::string& key) const;
  void set(const std::string& key, const TunedChoice& choice) { choices_[key] = choice; }

 private:
  std::map<std::string, TunedChoice> choices_;
};

}  // namespace flashscope::gpu
