#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace hw {

/// Threads that do tasks, up to a number: the caller's, and others, which are begun with the first
/// tasks and wait while there are none. A task may itself have tasks done, which threads that are
/// free take over.
///
/// A thread that waits for tasks of a task begins no others, for it may hold a lock that these
/// need; the thread of the outermost `run` does. So tasks of tasks must need no lock that a caller
/// of `run` may hold, and wait for no task that nobody has begun.
class Workers {
 public:
  explicit Workers(int threads) : threads_(static_cast<std::size_t>(std::max(threads, 1))) {}

  /// Does tasks 0 to `count` - 1, begun in the order of their numbers, each by whoever is free.
  /// What a task does must depend on its number alone for the result to be the same with any number
  /// of threads. Returns when all are done; of what tasks throw, that of the lowest number comes
  /// through, and no further task is begun then.
  void run(std::size_t count, const std::function<void(std::size_t number)>& task) {
    Batch batch{.task = task, .count = count, .failed = count};
    std::unique_lock lock(mutex_);
    while (count > 1 && others_.size() + 1 < threads_) {
      others_.emplace_back([this](const std::stop_token& stop) { serve(stop); });
    }
    const bool outermost = batches_.empty();
    batches_.push_back(&batch);
    changed_.notify_all();
    while (batch.hasNext()) doNext(batch, lock);
    while (batch.running > 0) {
      Batch* other = outermost ? waiting() : nullptr;
      if (other != nullptr) {
        doNext(*other, lock);
      } else {
        changed_.wait(lock);
      }
    }
    std::erase(batches_, &batch);
    if (batch.error) std::rethrow_exception(batch.error);
  }

 private:
  /// The tasks of one call of `run`.
  struct Batch {
    const std::function<void(std::size_t)>& task;
    std::size_t count = 0;
    std::size_t failed = 0;  ///< The lowest number of those that have thrown.
    std::size_t next = 0;
    std::size_t running = 0;
    std::exception_ptr error{};

    bool hasNext() const { return next < count && !error; }
  };

  /// The oldest batch with a task that nobody has begun.
  Batch* waiting() const {
    const auto found = std::ranges::find_if(batches_, &Batch::hasNext);
    return found == batches_.end() ? nullptr : *found;
  }

  /// Does the next task of `batch`, without the lock.
  void doNext(Batch& batch, std::unique_lock<std::mutex>& lock) {
    const std::size_t number = batch.next++;
    ++batch.running;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      batch.task(number);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (thrown && number < batch.failed) {
      batch.failed = number;
      batch.error = thrown;
    }
    if (--batch.running == 0) changed_.notify_all();
  }

  void serve(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return waiting() != nullptr; })) {
      doNext(*waiting(), lock);
    }
  }

  std::size_t threads_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Batch*> batches_;       ///< Those of calls that have not returned, the oldest first.
  std::vector<std::jthread> others_;  ///< Last, so that they end before what they use.
};

/// One `Workers::run` with threads of its own.
///
/// Work of several kinds (rows, capacities, rewrites) goes into one such queue: a queue inside of a
/// task would use more threads than were asked for.
inline void runTasks(std::size_t count, int threads,
                     const std::function<void(std::size_t number)>& task) {
  Workers(std::cmp_less(count, threads) ? static_cast<int>(count) : threads).run(count, task);
}

}  // namespace hw
