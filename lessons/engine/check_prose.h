// The numbers in a lesson's prose: whether an expect's number stands there, and which ones no
// expect covers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lessons/engine/check.h"

namespace flashscope::lessons {

class ProseCheck {
 public:
  explicit ProseCheck(const Lesson& lesson);  // must outlive this

  // Whether the prose of the section of block `block` says a number before it.
  bool says(std::size_t block, std::string_view text) const;

  // Numbers that no expect of their section covers and no source states, and sections that are
  // missing.
  std::vector<CheckReport::Finding> hints() const;

 private:
  // A run of prose without code, headings or links: what may hold claims.
  struct Passage {
    int line = 0;
    std::string text;
  };
  struct Section {
    std::string title;  // of its heading of level 2; empty at the beginning
    std::vector<Passage> passages;
    std::vector<std::string> says;  // of its expects
  };
  void add(const TextBlock& block);
  void find_claims(const Section& section, std::vector<CheckReport::Finding>& hints) const;

  const Lesson& lesson_;
  std::vector<Section> sections_;
};

}  // namespace flashscope::lessons
