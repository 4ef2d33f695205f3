#pragma once

#include <QFutureWatcher>
#include <QPromise>
#include <QThreadPool>
#include <functional>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "core/run/run.h"

namespace hw {

/// True for runs so small that what a view shows of them is made within a frame.
inline bool isSmallRun(const Run& run) {
  constexpr std::size_t kSmall = 60'000;
  return run.problem.stays.size() + run.trace.size() + run.timeline.size() +
             static_cast<std::size_t>(run.problem.steps.count()) <
         kSmall;
}

/// Makes a value for a view without holding up the screen: one at a time, the latest wanted. Lives
/// in the thread of the event loop; what it hands to other threads is `work` alone, which must own
/// all it reads. What a person starts, watches and stops is a Job.
template <class Value>
class Background {
 public:
  using Accept = std::function<void(Value)>;

  Background() = default;
  ~Background() { drop(); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Calls `accept(work())`: before returning when `atOnce`, otherwise from the event loop after a
  /// thread of the pool has done the work. Whatever was under way is dropped; work that takes a
  /// std::stop_token can ask it whether that is so.
  template <class Work>
  void start(bool atOnce, Work work, Accept accept) {
    drop();
    stop_ = std::stop_source();
    const auto made = [work = std::move(work), stop = stop_.get_token()] {
      if constexpr (std::is_invocable_v<Work, std::stop_token>) {
        return work(stop);
      } else {
        return work();
      }
    };
    if (atOnce) {
      accept(made());
      return;
    }
    accept_ = std::move(accept);
    auto promise = std::make_shared<QPromise<Value>>();
    watcher_ = std::make_unique<QFutureWatcher<Value>>();
    QObject::connect(watcher_.get(), &QFutureWatcherBase::finished, watcher_.get(),
                     [this] { finish(); });
    watcher_->setFuture(promise->future());
    promise->start();
    QThreadPool::globalInstance()->start([promise, made] {
      promise->addResult(made());
      promise->finish();
    });
  }

  /// Blocks until what is under way is done, and accepts it: for pictures, which cannot wait.
  void wait() {
    if (!watcher_) return;
    watcher_->waitForFinished();
    finish();
  }

  /// Nothing will be accepted of what was started.
  void drop() {
    stop_.request_stop();
    watcher_.reset();
  }
  bool isRunning() const { return watcher_ != nullptr; }

 private:
  void finish() {
    // `accept` may start the next.
    QFutureWatcher<Value>* done = watcher_.release();
    done->disconnect();
    done->deleteLater();
    const Accept accept = std::exchange(accept_, nullptr);
    accept(done->future().takeResult());
  }

  Accept accept_;
  std::stop_source stop_{std::nostopstate};
  std::unique_ptr<QFutureWatcher<Value>> watcher_;
};

}  // namespace hw
