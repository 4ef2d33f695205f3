#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/id.h"
#include "core/base/quantity.h"

namespace hw {

/// One memory of one device.
struct PoolSpec {
  std::string name{};               ///< "L2", "L3"; the first pool of a device is its L2.
  std::optional<Bytes> capacity{};  ///< Nothing: unbounded.
  Bytes reserved{};                 ///< Not for planning; capacity - reserved is the target.
  Bytes alignment{1};               ///< Of every address; a power of two.
  std::int64_t readBandwidth = 0;   ///< Bytes per second; 0: takes no time.
  std::int64_t writeBandwidth = 0;  ///< Bytes per second; 0: takes no time.
  SimTime readLatency{};            ///< Of the first access.
  SimTime writeLatency{};
  Bytes burst{1};  ///< Every access moves a multiple of this.
  double picojoulesPerByte = 0;

  /// What a planner may use: capacity - reserved, nothing when unbounded.
  std::optional<Bytes> target() const;
};

/// One compute unit.
struct UnitSpec {
  std::string name{};
  std::vector<std::string> ops{};      ///< Op types it runs; "*" for all.
  std::int64_t clock = 1'000'000'000;  ///< Hz.
  double macsPerCycle = 1;
  double elementsPerCycle = 1;
};

struct DeviceSpec {
  std::string name{};
  std::vector<std::string> ops{};  ///< Op types it supports; "*" for all.
  std::vector<PoolSpec> pools{};   ///< In order of preference.
  std::vector<UnitSpec> units{};
};

/// A machine. Where its figures come from is part of it.
struct Platform {
  std::string name{};
  std::string file{};  ///< Where it was read from; empty for a preset.
  std::string source{};
  std::string summary{};
  std::vector<DeviceSpec> devices{};  ///< At least one, each with at least one pool and unit.
};

}  // namespace hw
