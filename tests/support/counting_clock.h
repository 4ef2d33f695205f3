#pragma once

#include "core/solver/search_use.h"

namespace hw::test {

/// Time that moves when it is looked at, so that no test depends on how fast the machine is: a
/// millisecond passes with every look. Outlives the clocks that it hands out.
struct CountingClock {
  double seconds = 0;
  Clock clock() {
    return [this] { return seconds += 0.001; };
  }
};

}  // namespace hw::test
