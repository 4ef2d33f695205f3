#include "core/machine/platform_writer.h"

#include <fmt/format.h>

#include <array>
#include <span>

#include "core/base/text.h"
#include "core/machine/cost/cost_models.h"

namespace hw {
namespace {

/// A basic string of TOML. Names are UTF-8, whatever file they came from.
std::string quotedToml(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      quoted += fmt::format("\\{}", letter);
    } else if (code < 0x20 || code == 0x7F) {
      quoted += fmt::format("\\u{:04X}", code);
    } else {
      quoted += letter;
    }
  }
  return quoted + '"';
}

std::string listToml(std::span<const std::string> words) {
  return "[" + joinText(words, ", ", quotedToml) + "]";
}

/// Those of more than 1, or if there is none, the first.
std::string loopsToml(const Loops& loops) {
  std::string list;
  for (std::size_t i = 0; i < kLoopNames.size(); ++i) {
    if (loops.sizes[i] == 1) continue;
    list += fmt::format("{}{} = {}", list.empty() ? "" : ", ", kLoopNames[i], loops.sizes[i]);
  }
  return list.empty() ? fmt::format("{{ {} = 1 }}", kLoopNames[0]) : "{ " + list + " }";
}

using Units = std::array<std::pair<std::int64_t, const char*>, 3>;

/// Exact: in the largest unit of which it is a whole number, else in the `smallest`.
std::string exactText(std::int64_t amount, const Units& units, const char* smallest) {
  for (const auto& [unit, name] : units) {
    if (amount % unit == 0) return fmt::format("{}{}", amount / unit, name);
  }
  return fmt::format("{}{}", amount, smallest);
}

std::string exactTime(SimTime time) {
  constexpr Units kUnits{{{1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}}};
  return time == SimTime() ? "0ps" : exactText(time.count(), kUnits, "ps");
}

std::string exactClock(std::int64_t hertz) {
  constexpr Units kUnits{{{1'000'000'000, "GHz"}, {1'000'000, "MHz"}, {1'000, "kHz"}}};
  return exactText(hertz, kUnits, "Hz");
}

class TomlText {
 public:
  void heading(const char* name) { text_ += fmt::format("\n[[{}]]\n", name); }
  /// `value` is TOML already.
  void key(std::string_view name, const std::string& value) {
    text_ += fmt::format("{} = {}\n", name, value);
  }
  void quoted(std::string_view name, std::string_view value) { key(name, quotedToml(value)); }
  void number(std::string_view name, double value) { key(name, fmt::format("{}", value)); }

  void memory(const PoolSpec& pool) {
    quoted("name", pool.name);
    if (pool.capacity) quoted("capacity", sizeWord(*pool.capacity));
    if (pool.reserved != Bytes()) quoted("reserved", sizeWord(pool.reserved));
    if (pool.alignment != Bytes(1)) key("alignment", fmt::format("{}", pool.alignment.count()));
    if (pool.readBandwidth > 0) quoted("read", rateText(pool.readBandwidth));
    if (pool.writeBandwidth > 0) quoted("write", rateText(pool.writeBandwidth));
    if (pool.fullDuplex) quoted("duplex", "full");
    if (pool.readLatency != SimTime()) quoted("read_latency", exactTime(pool.readLatency));
    if (pool.writeLatency != SimTime()) quoted("write_latency", exactTime(pool.writeLatency));
    if (pool.burst != Bytes(1)) key("burst", fmt::format("{}", pool.burst.count()));
    if (pool.picojoulesPerByte != 0) number("pj_per_byte", pool.picojoulesPerByte);
  }

  void unit(const UnitSpec& unit) {
    heading("device.unit");
    quoted("name", unit.name);
    key("ops", listToml(unit.ops));
    quoted("clock", exactClock(unit.clock));
    if (costModel(unit).peak == nullptr) number("macs_per_cycle", unit.macsPerCycle);
    number("elements_per_cycle", unit.elementsPerCycle);
    quoted("elements", kElementCountNames[static_cast<std::size_t>(unit.elements)]);
    if (unit.cost.model != 0) cost(unit);
    if (unit.count != 1) key("count", fmt::format("{}", unit.count));
    std::vector<std::string> ways;
    if (unit.kernels.forward) ways.emplace_back(kKernelWays[0]);
    if (unit.kernels.reverse) ways.emplace_back(kKernelWays[1]);
    if (!ways.empty()) key("kernels", listToml(ways));
  }

  void cost(const UnitSpec& unit) {
    quoted("cycles", costModel(unit).name);
    for (const CostParam& param : costModel(unit).params) {
      const auto write = [&]<class Value>(Value CostSpec::*member) {
        const Value& value = unit.cost.*member;
        if constexpr (std::is_same_v<Value, std::int64_t>) {
          key(param.key, fmt::format("{}", value));
        } else if constexpr (std::is_same_v<Value, double>) {
          if (value > 0) number(param.key, value);
        } else if constexpr (std::is_same_v<Value, Dataflow>) {
          quoted(param.key, kDataflowNames[static_cast<std::size_t>(value)]);
        } else if constexpr (std::is_same_v<Value, Loops>) {
          key(param.key, loopsToml(value));
        } else {
          laws(param.key, value);
        }
      };
      std::visit(write, param.member);
    }
  }

  /// A line for each class.
  void laws(std::string_view name, const CostTable& table) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!table[i]) continue;
      key(fmt::format("{}.{}", name, kCostClassNames[i]),
          fmt::format("{{ call = {}, {} = {} }}", table[i]->call,
                      countedKey(static_cast<CostClass>(i)), table[i]->each));
    }
  }

  void dma(const Platform& platform, const DeviceSpec& device, const DmaSpec& dma) {
    heading("device.dma");
    quoted("name", dma.name);
    std::vector<std::string> moves;
    for (const DmaSpec::Pair& pair : dma.moves) moves.push_back(pairText(platform, device, pair));
    key("moves", listToml(moves));
    key("channels", fmt::format("{}", dma.channels));
    if (dma.bandwidth > 0) quoted("bandwidth", rateText(dma.bandwidth));
    if (dma.setup != SimTime()) quoted("setup", exactTime(dma.setup));
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string rateText(std::int64_t rate) {
  constexpr Units kUnits{{{1'000'000'000, "GB/s"}, {1'000'000, "MB/s"}, {1'000, "kB/s"}}};
  return exactText(rate, kUnits, "B/s");
}

std::string platformToml(const Platform& platform) {
  TomlText text;
  text.quoted("name", platform.name);
  if (!platform.summary.empty()) text.quoted("summary", platform.summary);
  if (!platform.source.empty()) text.quoted("source", platform.source);
  // Said only where it is not as usual: who says it needs bandwidths for all pools.
  if (platform.contention != Contention::proportional) {
    text.quoted("contention", kContentionNames[static_cast<std::size_t>(platform.contention)]);
  }
  const MachinePools machine = machinePools(platform, platform.devices.size());
  for (const MachinePools::Pool& pool : machine.pools) {
    if (!pool.spec->shared) continue;
    text.heading("memory");
    text.memory(*pool.spec);
  }
  for (const DeviceSpec& device : platform.devices) {
    text.heading("device");
    text.quoted("name", device.name);
    text.key("ops", listToml(device.ops));
    text.quoted("issue", kIssueNames[static_cast<std::size_t>(device.issue)]);
    for (const PoolSpec& pool : device.pools) {
      text.heading("device.pool");
      if (pool.shared) {
        text.quoted("use", pool.name);
      } else {
        text.memory(pool);
      }
    }
    for (const UnitSpec& unit : device.units) text.unit(unit);
    for (const DmaSpec& dma : device.dma) text.dma(platform, device, dma);
  }
  return text.take();
}

}  // namespace hw
