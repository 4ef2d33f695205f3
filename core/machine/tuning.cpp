#include "core/machine/tuning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "core/base/text.h"
#include "core/base/toml.h"
#include "core/machine/cost/cost_models.h"
#include "core/machine/platform_writer.h"
#include "core/machine/platforms.h"

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

/// A value as TOML has it: a number, a flag, or a text.
void setKey(toml::table& part, std::string_view key, std::string_view value) {
  if (const auto whole = parseInteger(value)) {
    part.insert_or_assign(key, *whole);
  } else if (const auto number = parseNumber(value)) {
    part.insert_or_assign(key, *number);
  } else if (value == "true" || value == "false") {
    part.insert_or_assign(key, value == "true");
  } else {
    part.insert_or_assign(key, std::string(value));
  }
}

/// The tables with a name below `parent` in the document, by their paths.
void findParts(toml::table& parent, const std::string& path,
               std::vector<std::pair<std::string, toml::table*>>& found) {
  for (auto&& [key, node] : parent) {
    toml::array* list = node.as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      toml::table* table = list->get(i)->as_table();
      const auto name = table == nullptr ? std::nullopt : (*table)["name"].value<std::string>();
      if (!name) continue;
      found.emplace_back(path + *name, table);
      findParts(*table, path + *name + ".", found);
    }
  }
}

/// Sets a key of each part that has this path; fails, and says which there are, where none has.
void setPart(toml::table& document, const std::string& path, const std::string& value) {
  const std::size_t dot = path.rfind('.');
  const std::string wanted =
      path.substr(kPartPath.size(), std::max(dot, kPartPath.size()) - kPartPath.size());
  std::vector<std::pair<std::string, toml::table*>> parts;
  findParts(document, "", parts);
  bool any = false;
  std::vector<std::string> known;
  for (const auto& [name, table] : parts) {
    known.push_back(std::string(kPartPath) + name);
    if (name != wanted) continue;
    setKey(*table, path.substr(dot + 1), value);
    any = true;
  }
  if (any) return;
  refuse(fmt::format("{}: the machine has no such part; it has {}", printable(path, 80),
                     printable(fmt::format("{}", fmt::join(known, ", ")), 400)),
         "");
}

/// The machine as it is read from its file with other values of some keys.
Result<Platform> withParts(const Platform& platform,
                           const std::vector<std::pair<std::string, std::string>>& parts) {
  auto changed = readToml(platformToml(platform), [&](const toml::table& read) {
    toml::table document = read;
    for (const auto& [path, value] : parts) setPart(document, path, value);
    std::ostringstream text;
    text << document;
    auto made = parsePlatform(text.str());
    if (!made) refuse(made.error().message, "");
    made->file = platform.file;
    return *std::move(made);
  });
  if (!changed) return badTuning(changed.error().message);
  return changed;
}

/// True if a unit's `macs_per_cycle` is not what its operators go by.
bool saysMacs(const CostModel& model) { return model.peak != nullptr || model.most != nullptr; }

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
    } else if (key.starts_with(kPartPath) && !value.empty()) {
      const auto isKey = [&](const auto& each) { return each.first == key; };
      if (std::ranges::any_of(tuning.parts, isKey)) {
        return badTuning(fmt::format("'{}' is said twice", printable(key, 80)));
      }
      tuning.parts.emplace_back(key, value);
    } else {
      return badTuning(
          fmt::format("'{}' is not one of dma=RATE, channels=N, macs=N, kernels=WAYS, "
                      "device.DEVICE.PART.KEY=VALUE, once each",
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
  for (const auto& [path, value] : tuning.parts) add(fmt::format("{}={}", path, value));
  return text;
}

Result<Platform> tuned(Platform platform, const Tuning& tuning) {
  if (!tuning.parts.empty()) {
    HW_TRY(changed, withParts(platform, tuning.parts));
    platform = std::move(changed);
  }
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
      if (const CostModel& model = costModel(unit); saysMacs(model)) {
        return badTuning(fmt::format(
            "macs: unit '{}' of platform '{}' {} (cycles = \"{}\"), {}", unit.name, platform.name,
            model.array ? "is an array" : "has laws of its own", model.name,
            model.array ? "whose size says them" : "which say what operators take"));
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

std::span<const std::int64_t> macsChoices(const Platform& platform) {
  for (const DeviceSpec& device : platform.devices) {
    const double most = mostMacs(device);
    for (const UnitSpec& unit : device.units) {
      const auto choices = costModel(unit).macs;
      if (unit.macsPerCycle == most && !choices.empty()) return choices;
    }
  }
  return {};
}

Tuning tuningOf(const Platform& platform) {
  const DeviceSpec& device = platform.devices.front();
  Tuning tuning{.dma = device.pools.back().readBandwidth};
  const UnitSpec& most = *std::ranges::max_element(device.units, {}, &UnitSpec::macsPerCycle);
  if (!saysMacs(costModel(most))) tuning.macs = most.macsPerCycle;
  for (const DmaSpec& dma : device.dma) {
    tuning.channels = std::max(tuning.channels.value_or(1), dma.channels);
  }
  if (ownBandwidth(device)) {
    tuning.dma = std::ranges::max(device.dma, {}, &DmaSpec::bandwidth).bandwidth;
  }
  return tuning;
}

}  // namespace hw
