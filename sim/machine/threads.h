// The one way we use threads: the same work on each, which shares itself out by an atomic counter.
#pragma once

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace flashscope {

inline int machine_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// Runs `work` on this thread and up to threads - 1 others, and returns when all are done. Where the
// system grants fewer threads, those there are do all the work. `work` must not throw.
template <typename Work>
void work_on_threads(int threads, Work work) {
  std::vector<std::jthread> others;
  try {
    for (int n = 1; n < threads; ++n) others.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads to be had.
  }
  work();
}

}  // namespace flashscope
