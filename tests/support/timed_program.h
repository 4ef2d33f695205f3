#pragma once

#include "core/allocators/catalog.h"
#include "core/sim/activity.h"

namespace hw::test {

/// Stays and the activities that touch them, with everything that time depends on drawn at random:
/// units with channels, DMA, issue, ports, contention, who writes what in slices.
struct TimedProgram {
  Problem problem{};
  ActivityList list{};  ///< Its stays have no addresses yet.

  ActivityList at(const std::vector<Bytes>& offsets) const;
};

struct TimedProgramShape {
  std::size_t stays = 20;
  std::int64_t steps = 15;
  std::int64_t maxSize = 200;  ///< Of a stay.
};
TimedProgram randomTimedProgram(std::uint64_t seed, const TimedProgramShape& shape);

/// Where an allocator puts the stays of a problem.
std::vector<Bytes> offsetsBy(const std::string& allocator, const Problem& problem);

}  // namespace hw::test
