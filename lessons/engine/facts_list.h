// The facts by name: how each is computed.
#pragma once

#include <span>

#include "lessons/engine/facts.h"
#include "lessons/engine/facts_cache.h"

namespace flashscope::lessons {

struct FactDefinition {
  FactName name;
  double (*value)(FactCache&);
};

// In the order of the guide.
std::span<const FactDefinition> fact_definitions();

// Throws Error for an unknown name, with the nearest one.
const FactDefinition& find_fact(std::string_view name);

}  // namespace flashscope::lessons
