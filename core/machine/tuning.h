#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/machine/memory_model.h"

namespace hw {

/// Settings that may follow the name of a machine: "reuse:dma=16GB/s,channels=2,macs=512", and keys
/// of its parts as its file has them, by names: "reuse:device.npu.L2.capacity=1MiB".
struct Tuning {
  /// Bytes per second between the near and the far memory: of each DMA engine that has a bandwidth
  /// of its own, or where none has, of the far memory, both ways.
  std::optional<std::int64_t> dma{};
  std::optional<std::uint32_t> channels{};  ///< Of each DMA engine.
  std::optional<double> macs{};  ///< A cycle, of each unit that does as many as any of its device.
  std::optional<KernelWays> kernels{};  ///< Of every unit.
  /// Paths and values: {"device.npu.L2.capacity", "1MiB"}.
  std::vector<std::pair<std::string, std::string>> parts{};

  bool empty() const { return !dma && !channels && !macs && !kernels && parts.empty(); }
  friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// A name or file without what is said behind it, and that.
struct TunedName {
  std::string base{};
  std::string tuning{};  ///< Empty: nothing is said.
};
TunedName splitTuning(const std::string& text);

/// "dma=16GB/s,channels=2"; keys once each, in any order.
Result<Tuning> parseTuning(std::string_view text);
/// The text that `parseTuning` reads as the same tuning.
std::string tuningText(const Tuning& tuning);

/// The beginning of the path of a key of a part: "device.".
inline constexpr std::string_view kPartPath = "device.";

/// The machine with that changed, named so; keys of parts first. Fails where it has nothing to
/// change: a machine without DMA engines has no channels.
Result<Platform> tuned(Platform platform, const Tuning& tuning);

/// The numbers that `macs` of a machine can be set to, ascending; empty: any above 0.
std::span<const std::int64_t> macsChoices(const Platform& platform);

/// The tuning that describes a machine as it is, by its first device; without `macs` where an array
/// says them.
Tuning tuningOf(const Platform& platform);

}  // namespace hw
