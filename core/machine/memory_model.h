#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/id.h"
#include "core/base/quantity.h"
#include "core/machine/cost/cost_spec.h"

namespace hw {

/// One memory of one device.
struct PoolSpec {
  std::string name{};               ///< "L2", "L3"; the first pool of a device is its L2.
  std::optional<Bytes> capacity{};  ///< Nothing: unbounded.
  Bytes reserved{};                 ///< Not for planning; capacity - reserved is the target.
  Bytes alignment{1};               ///< Of every address; a power of two.
  std::int64_t readBandwidth = 0;   ///< Bytes per second; 0: takes no time.
  std::int64_t writeBandwidth = 0;  ///< Bytes per second; 0: takes no time.
  bool fullDuplex = false;          ///< Reads and writes do not slow each other down.
  SimTime readLatency{};            ///< Of the first access.
  SimTime writeLatency{};
  Bytes burst{1};  ///< Every access moves a multiple of this.
  double picojoulesPerByte = 0;
  /// A memory of the platform: every device that uses one of this name uses this one.
  bool shared = false;

  /// The bytes that a planner may use: capacity - reserved, nothing when unbounded.
  std::optional<Bytes> target() const;
};

/// The work of an op without multiply-accumulates, in elements.
enum class ElementCount : std::uint8_t {
  written,  ///< Those it writes: a unit that takes in a whole window at once.
  touched,  ///< A window of pooling each time, all that a reduction reads; of what is copied none.
};
inline constexpr std::array<std::string_view, 2> kElementCountNames = {"written", "touched"};

/// In which order the kernels of a unit make the rows of an output, where every row is written
/// once, when all that it needs has been read: then an output may overlap its input (docs/less.md).
struct KernelWays {
  bool forward = false;  ///< From the first row to the last.
  bool reverse = false;  ///< From the last to the first.
  friend bool operator==(const KernelWays&, const KernelWays&) = default;
};
inline constexpr std::array<std::string_view, 2> kKernelWays = {"forward", "reverse"};

/// One compute unit.
struct UnitSpec {
  std::string name{};
  std::vector<std::string> ops{};      ///< Op types it runs; "*" for all.
  std::int64_t clock = 1'000'000'000;  ///< Hz.
  double macsPerCycle = 1;             ///< Of an array: when it is full.
  double elementsPerCycle = 1;
  ElementCount elements = ElementCount::written;
  CostSpec cost{};
  std::uint32_t count = 1;  ///< So many identical ones; each runs one op at a time.
  KernelWays kernels{};     ///< Of all its ops. Neither: the order is not known.
};

/// An engine that copies between memories without a compute unit.
struct DmaSpec {
  /// Two pools of the platform, by index of device and of the device's pool.
  struct Place {
    std::uint32_t device = 0;
    std::uint32_t pool = 0;
  };
  struct Pair {
    Place from{};
    Place to{};
  };
  std::string name{};
  std::vector<Pair> moves{};   ///< What it serves; not empty.
  std::uint32_t channels = 1;  ///< Moves at once, at least one.
  std::int64_t bandwidth = 0;  ///< Of all channels together, bytes per second; 0: no bound.
  SimTime setup{};             ///< Of each move.
};

/// When a device may start what is next in program order.
enum class Issue : std::uint8_t {
  parallel,    ///< When its operands and its engine are ready.
  inOrder,     ///< Not before what precedes it on this device has started.
  sequential,  ///< Not before what precedes it on any sequential device has ended.
};
inline constexpr std::array<std::string_view, 3> kIssueNames = {"parallel", "in-order",
                                                                "sequential"};

struct DeviceSpec {
  std::string name{};
  std::vector<std::string> ops{};  ///< Op types it supports; "*" for all.
  std::vector<PoolSpec> pools{};   ///< In order of preference.
  std::vector<UnitSpec> units{};
  std::vector<DmaSpec> dma{};
  Issue issue = Issue::sequential;
};

/// The rule by which flows share a port that cannot serve them all.
enum class Contention : std::uint8_t {
  proportional,  ///< All slow down to the same share of their own speed.
  fair,          ///< All get the same bytes per second: max-min fair.
  none,          ///< Nobody slows down: ports are no bound.
  inOrder,       ///< Who is earlier in the program takes what it can use, others what is left.
};
inline constexpr std::array<std::string_view, 4> kContentionNames = {"proportional", "fair", "none",
                                                                     "in order"};

/// A machine. Where its figures come from is part of it.
struct Platform {
  std::string name{};
  std::string file{};  ///< Where it was read from; empty for a preset.
  std::string source{};
  std::string summary{};
  std::vector<DeviceSpec> devices{};  ///< At least one, each with at least one pool and unit.
  Contention contention = Contention::proportional;
};

/// The memories of the first `devices` devices, one device after the other, a shared one where it
/// is used first: the pools of a run's problem, in its order.
struct MachinePools {
  /// A pool of the machine, and where it is found first.
  struct Pool {
    const PoolSpec* spec = nullptr;
    std::uint32_t device = 0;
  };
  IdMap<PoolId, Pool> pools{};
  std::vector<std::vector<PoolId>> ofDevice{};  ///< In order of preference.

  PoolId at(DmaSpec::Place place) const { return ofDevice[place.device][place.pool]; }
};
/// "L3>L2", as `device` would write it: pools of others with their device's name, "B.L2".
std::string pairText(const Platform& platform, const DeviceSpec& device, const DmaSpec::Pair& pair);
/// The result points into `platform`.
MachinePools machinePools(const Platform& platform, std::size_t devices);

/// True if a device's or unit's list of op types covers `type`; "*" covers all.
inline bool coversOp(const std::vector<std::string>& ops, const std::string& type) {
  return std::ranges::any_of(ops, [&](const std::string& op) { return op == "*" || op == type; });
}

}  // namespace hw
