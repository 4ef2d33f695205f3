#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/machine/memory_model.h"

namespace hw {

using ActivityId = Id<struct ActivityTag>;

/// The kinds of activities that a run of a model consists of.
enum class ActivityKind : std::uint8_t {
  compute,  ///< One op, on a unit.
  load,     ///< A buffer comes nearer to the units.
  store,    ///< It goes further away.
  copy,     ///< It goes to another device.
};
inline constexpr std::array<std::string_view, 4> kActivityKindNames = {"compute", "load", "store",
                                                                       "copy"};

/// A bandwidth that activities share: a pool, or one direction of it.
struct Port {
  std::string name{};
  std::int64_t read = 0;  ///< Bytes per second; 0: takes no time.
  std::int64_t write = 0;
  PoolId pool{};
};

/// A runner of activities: a unit, so many of which are alike, or a DMA engine with its channels.
struct Engine {
  std::string name{};
  bool dma = false;
  std::uint32_t channels = 1;  ///< So many activities at once.
  std::int64_t bandwidth = 0;  ///< Of all channels together; 0: no bound.
  std::uint32_t device = 0;
};

/// A device, as far as time goes.
struct Issuer {
  std::string name{};
  Issue issue = Issue::sequential;
};

/// A stay with its address: which bytes of its pool it holds. Two stays *meet* when they have a
/// byte in common.
struct PlacedStay {
  PoolId pool{};  ///< None: it has no address, and nothing touches it.
  Interval<Bytes> bytes{};
  StayId over{};  ///< The input that it is written over.
  bool outlives = false;
  Interval<Step> steps{};
};

/// Bytes of a stay, counted from its beginning, that an activity reads or writes.
struct Access {
  StayId stay{};
  Interval<Bytes> bytes{};
  bool write = false;
  std::uint32_t life = 0;  ///< Which of the stay's lives, where gaps part them.
};

/// Bytes of a tensor that an op reads or writes, wherever they lie.
struct TensorUse {
  TensorId tensor{};
  Bytes moved{};
  bool write = false;
  bool loose = false;          ///< It is read and has no address then: its makers are waited for.
  Interval<Bytes> inBuffer{};  ///< Which bytes of its buffer those are; empty where it has none.
};

/// The bytes that an activity moves through a port, in whole bursts.
struct PortUse {
  std::uint32_t port = 0;
  Bytes read{};
  Bytes written{};
};

/// One thing that takes time on the machine, without its time.
struct Activity {
  static constexpr std::uint32_t kNoEngine = std::numeric_limits<std::uint32_t>::max();

  ActivityKind kind = ActivityKind::compute;
  std::uint32_t device = 0;
  std::uint32_t engine = kNoEngine;  ///< None: a move that needs the pools alone.
  Step step{};
  OpId op{};          ///< Of a compute.
  BufferId buffer{};  ///< Of a move, like the next two.
  StayId from{};      ///< None: it lies without an address.
  StayId to{};
  SimTime fixed{};    ///< First accesses and set-up, before anything flows.
  SimTime compute{};  ///< What the unit alone would take.
  Bytes bytes{};      ///< Of a move.
  std::vector<PortUse> ports{};
  std::vector<Access> accesses{};
  std::vector<ActivityId> after{};  ///< Makers of what it reads that has no address.
};

/// All that happens in a run, in program order: what `execute` gives times to. Nothing in here
/// depends on time.
struct ActivityList {
  Contention contention = Contention::proportional;
  std::vector<Port> ports{};
  std::vector<Engine> engines{};
  std::vector<Issuer> devices{};
  IdMap<StayId, PlacedStay> stays{};
  IdMap<ActivityId, Activity> activities{};

  /// Nothing ever happens beside anything else.
  bool sequential() const {
    for (const Issuer& device : devices) {
      if (device.issue != Issue::sequential) return false;
    }
    return true;
  }
};

}  // namespace hw
