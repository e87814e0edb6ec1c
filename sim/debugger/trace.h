// Traces of real kernels: what a kernel's rows held after each kv tile, as JSON lines. One object a
// line; the first may be a header that says what the numbers mean:
//   {"schema": "flashscope.trace/1", "base": "e" | 2, "scaled": true | false, "o": "sum" |
//   "normalised"}
//   {"batch": 0, "head": 0, "row": 5, "kv_begin": 0, "kv_end": 64, "m": 1.5, "l": 3.2, "O": [...]}
// kv_begin and kv_end are the keys of the step (or all keys so far: the union is taken). base 2: m
// is a base-2 logarithm, as kernels that use exp2 keep it. scaled false: m is a maximum before the
// scale. What no header says is recognised from the numbers. Non-finite numbers are "-inf", "inf",
// "nan".
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "sim/debugger/diff.h"

namespace flashscope {

class TraceSide final : public OtherSide {
 public:
  // Throws Error "FILE:LINE: …" on a line that is no record, fields that are missing or out of the
  // problem's range, O of another length, m or l NaN, and when a traced head lacks a row that
  // sees keys (a trace may leave out whole heads).
  TraceSide(const Scenario& scenario, const std::string& path);

  RowStates states(std::int64_t batch, std::int64_t head, IndexRange rows) const override;

  // How m is read: "natural logarithm, scaled (recognised)".
  const std::string& convention() const { return convention_; }
  std::int64_t records() const { return records_; }

 private:
  struct Record {
    KeySet keys;
    double m = 0, l = 0;
    std::vector<double> o;  // as logged
  };
  struct Convention {
    bool base2 = false, scaled = true;
  };
  void require_whole_heads(const Problem& problem, const std::string& path) const;
  double lse(const Record& record, const Convention& convention) const;
  void recognise(const Scenario& scenario, bool base_known, bool scaled_known);
  void name_convention(const std::string& how);

  double scale_ = 1;
  std::int64_t kv_len_ = 0, records_ = 0;
  bool o_normalised_ = false;
  Convention read_as_;
  std::string convention_;
  // (batch, head, row) -> records in the order of the file
  std::map<std::array<std::int64_t, 3>, std::vector<Record>> rows_;
};

}  // namespace flashscope
