#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/quantity.h"
#include "core/memory/event.h"
#include "core/sim/activity_builder.h"
#include "core/sim/execute.h"
#include "core/trace/trace.h"

namespace hw {

/// 64-bit FNV-1a, over whole words instead of bytes: what is hashed is made of words.
class Digest {
 public:
  void add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001B3ULL;
    hash_ ^= hash_ >> 32;  // A product carries upwards only.
  }
  void add(SimTime time) { add(static_cast<std::uint64_t>(time.count())); }
  void add(const MemoryEvent& event) {
    add(static_cast<std::uint64_t>(event.offset.count()));
    add(static_cast<std::uint64_t>(event.size.count()));
    add(std::uint64_t{event.stay.index()} << 32 | static_cast<std::uint32_t>(event.step));
    add(std::uint64_t{event.region.index()} << 32 | std::uint64_t{event.pool} << 8 |
        static_cast<std::uint8_t>(event.kind));
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

/// A story with times, and one number for all that happened, in order: equal runs, equal digests.
struct TimedStory {
  Trace trace{};
  std::uint64_t digest = 0;
  std::vector<std::string> notes{};  ///< What holds no memory, and why.
};

/// The plan's story in time, for runs that do one thing after the other: what makes room for a step
/// happens as it begins, what it gives up as it ends. A problem without ops has no times: all
/// happens at 0, step by step.
TimedStory planStory(const SimulationInput& input, const PlannedWork& work, const Execution& run);

/// The story that a run tells where things happen side by side: anew, from addresses and lives. A
/// life is an interval of a stay's live steps; it has its bytes from the first start to the last
/// end of what touches it, from 0 if the run opens it, to the end if it outlives; what is written
/// over an input takes over as that op ends. At an end lives end first, then others take over; at a
/// start they begin; in the order of the run's log, by stay. Steps are those of the activities, and
/// may go backwards.
TimedStory runStory(const SimulationInput& input, const PlannedWork& work, const Execution& run);

}  // namespace hw
