#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace hw::cli {

/// From now on Ctrl-C ends the program with exit code 130, and SIGPIPE ends it without a word.
/// Call once, before any other thread is started.
void handleSignals();

/// While one of these lives, the first Ctrl-C asks for a stop instead of ending the program; a
/// second one ends it.
class StoppableWork {
 public:
  StoppableWork();
  StoppableWork(const StoppableWork&) = delete;
  StoppableWork& operator=(const StoppableWork&) = delete;
  ~StoppableWork();

  std::stop_token token() const;

  /// Asks for a stop by itself when this many seconds have gone by.
  void stopAfter(double seconds);
  /// It was the clock that asked for a stop, not the user.
  bool timedOut() const { return timedOut_; }

 private:
  std::atomic<bool> timedOut_ = false;
  std::jthread clock_;
};

}  // namespace hw::cli
