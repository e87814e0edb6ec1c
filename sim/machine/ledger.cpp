// Sums of bytes and work; see ledger.h.
#include "sim/machine/ledger.h"

namespace flashscope {

Work& Work::operator+=(const Work& other) {
  matmul_flops += other.matmul_flops;
  exponentials += other.exponentials;
  rescales += other.rescales;
  nonmatmul_flops += other.nonmatmul_flops;
  return *this;
}

Work Work::operator*(std::int64_t times) const {
  return {matmul_flops * times, exponentials * times, rescales * times, nonmatmul_flops * times};
}

Ledger::Ledger(const Algorithm& algorithm) {
  for (const Phase& phase : algorithm.phases) phases_.push_back(phase.name);
  for (const Buffer& buffer : algorithm.buffers) tensors_.push_back(buffer.name);
  bytes_.resize(phases_.size() * 2 * tensors_.size());
}

std::int64_t& Ledger::cell(int phase, int tensor, Direction direction) {
  const std::size_t row = static_cast<std::size_t>(phase) * 2 + static_cast<std::size_t>(direction);
  return bytes_[row * tensors_.size() + static_cast<std::size_t>(tensor)];
}

void Ledger::add_copy(int phase, int tensor, Direction direction, std::int64_t bytes) {
  cell(phase, tensor, direction) += bytes;
}

void Ledger::add(const Ledger& other) {
  for (std::size_t n = 0; n < bytes_.size(); ++n) bytes_[n] += other.bytes_[n];
  work_ += other.work_;
}

std::vector<TrafficRow> Ledger::traffic() const {
  std::vector<TrafficRow> rows;
  for (std::size_t n = 0; n < bytes_.size(); ++n) {
    if (bytes_[n] == 0) continue;
    const std::size_t row = n / tensors_.size();
    rows.push_back({phases_[row / 2], tensors_[n % tensors_.size()],
                    static_cast<Direction>(row % 2), bytes_[n]});
  }
  return rows;
}

std::int64_t Ledger::sum(Direction direction, bool init) const {
  std::int64_t total = 0;
  for (std::size_t n = 0; n < bytes_.size(); ++n) {
    const std::size_t row = n / tensors_.size();
    if (static_cast<Direction>(row % 2) == direction && (phases_[row / 2] == "init") == init) {
      total += bytes_[n];
    }
  }
  return total;
}

}  // namespace flashscope
