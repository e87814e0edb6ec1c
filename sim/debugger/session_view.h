// The names that expressions of the debugger may use, and what they are at a session's position:
// the tiles on chip by the names of the table; i, j, op, work_item, tile_class, batch, head, split;
// rescales, load_bytes, store_bytes so far; and the words empty, partial, full.
#pragma once

#include <functional>
#include <vector>

#include "sim/debugger/session.h"
#include "sim/expression/state_expression.h"
#include "sim/machine/ledger.h"

namespace flashscope {

expression::StateVocabulary session_vocabulary(const Program& program);

// Indices of the vocabulary's scalars.
enum class SessionScalar : int {
  i,
  j,
  op,
  work_item,
  tile_class,
  batch,
  head,
  split,
  rescales,
  load_bytes,
  store_bytes,
};

class SessionView final : public expression::StateView {
 public:
  // `ledger` gives what the ops before the session's position have cost; it is asked only when an
  // expression needs it. Both must outlive the view.
  using LedgerSource = std::function<const Ledger&()>;
  SessionView(const Session& session, LedgerSource ledger);

  double scalar(int index) const override;
  expression::TileRef tile(int index) const override;
  std::optional<std::int64_t> local_row(int tile, std::int64_t global_row) const override;

 private:
  const Session& session_;
  LedgerSource ledger_;
};

// What an expression depends on, so that it need not be evaluated after every op.
struct Dependencies {
  std::vector<int> buffers;  // tiles it reads
  bool every_op = false;     // op, rescales, load_bytes, store_bytes
};
Dependencies dependencies(const expression::StateExpression& expression, const Program& program);

}  // namespace flashscope
