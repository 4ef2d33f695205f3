#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hw {

/// Does tasks 0 to `count` - 1 with up to `threads` at a time, the caller's among them. They are
/// begun in the order of their numbers, each by whoever is free. What a task does must depend on
/// its number alone for the result to be the same with any `threads`. Returns when all are done; of
/// what tasks throw, that of the lowest number comes through, and no further task is begun then.
///
/// Work of several kinds (rows, capacities, rewrites) goes into one such queue: a queue inside of a
/// task would use more threads than were asked for.
inline void runTasks(std::size_t count, int threads,
                     const std::function<void(std::size_t number)>& task) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t failedNumber = count;
  const auto fail = [&](std::size_t number) {
    const std::lock_guard lock(mutex);
    failed = true;
    if (number >= failedNumber) return;
    failedNumber = number;
    error = std::current_exception();
  };
  const auto work = [&] {
    for (std::size_t number = next++; number < count && !failed; number = next++) {
      try {
        task(number);
      } catch (...) {
        fail(number);
      }
    }
  };
  {
    std::vector<std::jthread> others;
    const auto most = std::min(static_cast<std::size_t>(std::max(threads, 1)), count);
    for (std::size_t i = 1; i < most; ++i) others.emplace_back(work);
    work();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace hw
