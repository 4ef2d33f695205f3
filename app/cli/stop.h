#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace hw::cli {

/// From now on Ctrl-C ends the program with exit code 130, SIGTERM and SIGHUP as shells count them
/// (143, 129), and none of them leaves a file half written. Writing to a pipe that nobody reads, or
/// beyond the limit on file sizes, fails like any other write. Call once, before any other thread
/// is started.
void handleSignals();

/// While one of these lives, the first Ctrl-C asks for a stop instead of ending the program; a
/// second one ends it. For work of which a part is of use: rows that are done, points that are
/// found.
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
