#pragma once

#include <ctime>

namespace hw::bench {

/// Processor time of this thread since the timer was made: what the work costs one core, however
/// busy the machine is otherwise.
class CpuTimer {
 public:
  double seconds() const { return now() - start_; }
  double milliseconds() const { return seconds() * 1e3; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  }

  double start_ = now();
};

}  // namespace hw::bench
