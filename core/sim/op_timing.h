#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/quantity.h"
#include "core/plan/problem.h"

namespace hw {

/// The purposes for which a byte is moved.
enum class TrafficClass : std::uint8_t {
  input,
  output,
  intermediate,
  weight,
  fill,      ///< A load of what an op wrote, or of an input again.
  spill,     ///< A store of what is no graph output.
  prefetch,  ///< A load of a weight.
};
inline constexpr std::size_t kTrafficClasses = 7;
inline constexpr std::array<TrafficClass, kTrafficClasses> kEveryTrafficClass = {
    TrafficClass::input, TrafficClass::output, TrafficClass::intermediate, TrafficClass::weight,
    TrafficClass::fill,  TrafficClass::spill,  TrafficClass::prefetch};
/// Those that only runs with moves have.
constexpr bool isOfMoves(TrafficClass kind) { return kind >= TrafficClass::fill; }
std::string_view trafficClassName(TrafficClass kind);

/// Bytes moved are cut off here, so that adding them up never overflows.
inline constexpr Bytes kMaxTraffic{(std::int64_t{1} << 62) - 1};

/// a + b, at most kMaxTraffic.
Bytes addMoved(Bytes a, Bytes b);

/// Bytes one pool moved, by direction and class.
struct Traffic {
  std::array<Bytes, kTrafficClasses> read{};
  std::array<Bytes, kTrafficClasses> written{};
  Bytes total() const;
  Traffic& operator+=(const Traffic& other);
};

/// The resource that decides how long an op takes.
struct Bottleneck {
  enum class Kind : std::uint8_t { nothing, compute, memory };
  Kind kind = Kind::nothing;
  PoolId pool{};  ///< The memory that decides.
  bool operator==(const Bottleneck&) const = default;
};
/// "nothing", "compute", or the pool's name.
std::string_view bottleneckName(Bottleneck bottleneck, const IdMap<PoolId, ProblemPool>& pools);

/// One op on the machine. An op that only aliases or is folded takes no time.
struct OpTiming {
  Interval<SimTime> time{};
  std::int64_t macs = 0;
  std::int64_t elements = 0;        ///< Element operations where there are no MACs.
  SimTime compute{};                ///< Time the unit alone would take.
  bool byModel = false;             ///< By the unit's cost model, not by its rates beside that.
  IdMap<PoolId, SimTime> memory{};  ///< Time each pool's bandwidth alone would take.
  SimTime latency{};                ///< First accesses.
  IdMap<PoolId, Bytes> moved{};     ///< By each pool, read and written.
  Bytes inputs{};                   ///< Read from all pools, besides weights.
  Bytes weights{};                  ///< As they are stored.
  Bytes outputs{};
  Bottleneck bottleneck{};
  std::uint32_t unit = 0;  ///< Index into the device's units.
};

/// One copy between devices on the machine.
struct TransferTiming {
  StayId from{};
  StayId to{};
  Step step{};
  Bytes bytes{};
  Interval<SimTime> time{};
};

}  // namespace hw
