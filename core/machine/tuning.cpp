#include "core/machine/tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/machine/cost/cost_models.h"
#include "core/machine/platform_writer.h"

namespace hw {

namespace {

constexpr std::int64_t kMostChannels = 1024;
constexpr double kMostMacs = 1e9;

tl::unexpected<Error> badTuning(const std::string& message) {
  return fail(ErrorCode::invalidArgument, message);
}

Result<std::int64_t> parseRate(std::string_view text) {
  const bool perSecond = text.ends_with("/s");
  const auto bytes = parseSize(text.substr(0, text.size() - (perSecond ? 2 : 0)));
  if (perSecond && bytes && *bytes > Bytes()) return bytes->count();
  return badTuning(fmt::format("dma: '{}' is not a rate such as 4GB/s", printable(text, 40)));
}

constexpr std::pair<std::string_view, KernelWays> kWays[] = {{"none", {}},
                                                             {"forward", {.forward = true}},
                                                             {"reverse", {.reverse = true}},
                                                             {"both", {true, true}}};

Result<KernelWays> parseWays(std::string_view text) {
  const auto found = std::ranges::find(kWays, text, [](const auto& way) { return way.first; });
  if (found != std::end(kWays)) return found->second;
  return badTuning(
      fmt::format("kernels: '{}' is not one of none, forward, reverse, both", printable(text, 40)));
}

std::string_view waysText(const KernelWays& ways) {
  return std::ranges::find(kWays, ways, [](const auto& way) { return way.second; })->first;
}

bool ownBandwidth(const DeviceSpec& device) {
  return std::ranges::any_of(device.dma, [](const DmaSpec& dma) { return dma.bandwidth > 0; });
}

void setRate(DeviceSpec& device, std::int64_t rate) {
  if (!ownBandwidth(device)) {
    device.pools.back().readBandwidth = rate;
    device.pools.back().writeBandwidth = rate;
    return;
  }
  for (DmaSpec& dma : device.dma) {
    if (dma.bandwidth > 0) dma.bandwidth = rate;
  }
}

double mostMacs(const DeviceSpec& device) {
  double most = 0;
  for (const UnitSpec& unit : device.units) most = std::max(most, unit.macsPerCycle);
  return most;
}

}  // namespace

TunedName splitTuning(const std::string& text) {
  // A path may have a colon too; a tuning is what follows the last one, if it has a '='.
  const std::size_t colon = text.rfind(':');
  const bool says = colon != std::string::npos && text.find('=', colon) != std::string::npos;
  if (!says) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Result<Tuning> parseTuning(std::string_view text) {
  Tuning tuning;
  for (const std::string_view part : splitText(text, ',')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view key = trimText(part.substr(0, equals));
    const std::string_view value = trimText(part.substr(std::min(equals + 1, part.size())));
    if (key == "dma" && !tuning.dma) {
      HW_TRY(rate, parseRate(value));
      tuning.dma = rate;
    } else if (key == "channels" && !tuning.channels) {
      const auto count = parseInteger(value);
      if (!count || *count < 1 || *count > kMostChannels) {
        return badTuning(fmt::format("channels: '{}' is not a whole number from 1 to {}",
                                     printable(value, 40), kMostChannels));
      }
      tuning.channels = static_cast<std::uint32_t>(*count);
    } else if (key == "macs" && !tuning.macs) {
      const auto number = parseNumber(value);
      if (!number || !(*number > 0) || *number > kMostMacs) {
        return badTuning(fmt::format("macs: '{}' is not a number above 0", printable(value, 40)));
      }
      tuning.macs = *number;
    } else if (key == "kernels" && !tuning.kernels) {
      HW_TRY(ways, parseWays(value));
      tuning.kernels = ways;
    } else {
      return badTuning(
          fmt::format("'{}' is not one of dma=RATE, channels=N, macs=N, kernels=WAYS, once each",
                      printable(part, 40)));
    }
  }
  return tuning;
}

std::string tuningText(const Tuning& tuning) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ",") + part; };
  if (tuning.dma) add("dma=" + rateText(*tuning.dma));
  if (tuning.channels) add(fmt::format("channels={}", *tuning.channels));
  if (tuning.macs) add(fmt::format("macs={}", *tuning.macs));
  if (tuning.kernels) add(fmt::format("kernels={}", waysText(*tuning.kernels)));
  return text;
}

Result<Platform> tuned(Platform platform, const Tuning& tuning) {
  const bool engines = std::ranges::any_of(
      platform.devices, [](const DeviceSpec& device) { return !device.dma.empty(); });
  if (tuning.channels && !engines) {
    return badTuning(fmt::format("channels: platform '{}' has no DMA engine", platform.name));
  }
  for (DeviceSpec& device : platform.devices) {
    if (tuning.dma) setRate(device, *tuning.dma);
    if (tuning.channels) {
      for (DmaSpec& dma : device.dma) dma.channels = *tuning.channels;
    }
    const double most = mostMacs(device);
    for (UnitSpec& unit : device.units) {
      if (tuning.kernels) unit.kernels = *tuning.kernels;
      if (!tuning.macs || unit.macsPerCycle != most) continue;
      if (costModel(unit).peak != nullptr) {
        return badTuning(
            fmt::format("macs: unit '{}' of platform '{}' is an array (cycles = "
                        "\"{}\"), whose size says them",
                        unit.name, platform.name, costModel(unit).name));
      }
      unit.macsPerCycle = *tuning.macs;
      if (const std::string problem = macsProblem(unit); !problem.empty()) {
        return badTuning("macs: " + problem);
      }
    }
  }
  if (tuning.empty()) return platform;
  std::string& name = platform.file.empty() ? platform.name : platform.file;
  name = splitTuning(name).base + ":" + tuningText(tuning);
  return platform;
}

Tuning tuningOf(const Platform& platform) {
  const DeviceSpec& device = platform.devices.front();
  Tuning tuning{.dma = device.pools.back().readBandwidth};
  const UnitSpec& most = *std::ranges::max_element(device.units, {}, &UnitSpec::macsPerCycle);
  if (costModel(most).peak == nullptr) tuning.macs = most.macsPerCycle;
  for (const DmaSpec& dma : device.dma) {
    tuning.channels = std::max(tuning.channels.value_or(1), dma.channels);
  }
  if (ownBandwidth(device)) {
    tuning.dma = std::ranges::max(device.dma, {}, &DmaSpec::bandwidth).bandwidth;
  }
  return tuning;
}

}  // namespace hw
