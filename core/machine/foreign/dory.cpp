#include <fmt/format.h>

#include <algorithm>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/machine/foreign/machine_formats.h"

// The hardware description of the planner DORY: levels of memory, how many bytes a cycle each
// moves, what the accelerator multiplies, and the stacks that lie in the nearest memory.

namespace hw {
namespace {

constexpr std::int64_t kMostLevels = 64;
constexpr std::int64_t kMostCores = 65536;

class DoryReader {
 public:
  explicit DoryReader(const ParsedJson& document) : root_{document} {}

  Platform read() {
    root_.object();
    const auto memory = root_.find("memory");
    if (!memory) root_.expected("a description with \"memory\"");
    const auto levels = memory->object().count("levels", kMostLevels);
    if (!levels || *levels < 1) memory->expected("\"levels\", how many memories there are");
    DeviceSpec device{.name = "cluster", .ops = {"*"}};
    for (std::int64_t level = 1; level <= *levels; ++level) {
      device.pools.push_back(pool(*memory, fmt::format("L{}", level)));
    }
    device.pools.front().reserved = stacks(*device.pools.front().capacity);
    device.units.push_back(unit());
    addCopies(*memory, device);
    told_.add("alignment 4");
    told_.add("energy not counted");
    const std::string name = root_.text("name");
    Platform platform{.name = name.empty() ? "dory" : name};
    platform.source = told_.source("DORY's hardware description");
    platform.summary =
        fmt::format("{:g} MAC/cycle at {:g} MHz, {} memories", device.units.front().macsPerCycle,
                    static_cast<double>(device.units.front().clock) * 1e-6, *levels);
    platform.devices.push_back(std::move(device));
    return platform;
  }

 private:
  /// A number from 0; nothing when it is not there.
  static std::optional<double> figure(const JsonNode& node, const char* key) {
    const auto member = node.find(key);
    if (!member) return std::nullopt;
    if (!member->value.is_number() || !(member->value.get<double>() >= 0)) {
      member->expected("a number from 0");
    }
    return member->value.get<double>();
  }

  PoolSpec pool(const JsonNode& memory, const std::string& name) {
    const auto level = memory.find(name.c_str());
    if (!level) memory.refuse("{} is missing, one of the levels of memory", name);
    PoolSpec pool{.name = name, .capacity = level->object().bytes("dimension")};
    if (!pool.capacity) level->expected("\"dimension\", a size in bytes");
    pool.alignment = Bytes(4);
    const auto perCycle = figure(*level, "bandwidth");
    const auto cycles = figure(*level, "latency");
    auto clock = figure(*level, "frequency");
    if (!clock && (perCycle || cycles)) {
      clock = static_cast<double>(unitClock());
      told_.add(fmt::format("{} at the clock of the accelerator", name));
    }
    if (perCycle) {
      pool.readBandwidth = checkedRate(*perCycle * *clock, "bandwidth", level->where);
    } else {
      // As that of the preset gap8.
      pool.readBandwidth = 100'000'000;
      told_.add(fmt::format("{} at 100 MB/s", name));
    }
    pool.writeBandwidth = pool.readBandwidth;
    if (cycles) {
      pool.readLatency = checkedTime(*cycles == 0 ? 0 : *cycles / *clock, "latency", level->where);
    } else {
      pool.readLatency = SimTime(1'000'000);
      told_.add(fmt::format("{} with a latency of 1 \u00b5s", name));
    }
    pool.writeLatency = pool.readLatency;
    return pool;
  }

  /// Bytes of the nearest memory that DORY leaves to the cores: "accelerator core0 stack" is one,
  /// "accelerator core1-7 stack" seven.
  Bytes stacks(Bytes capacity) const {
    Bytes sum;
    const auto specific = root_.find("HW specific parameters");
    if (!specific) return sum;
    for (const auto& [key, value] : specific->object().value.items()) {
      constexpr std::string_view kBefore = "accelerator core";
      constexpr std::string_view kBehind = " stack";
      if (!key.starts_with(kBefore) || !key.ends_with(kBehind)) continue;
      const std::string cores =
          key.substr(kBefore.size(), key.size() - kBefore.size() - kBehind.size());
      const std::size_t dash = std::min(cores.find('-'), cores.size());
      const auto first = parseInteger(cores.substr(0, dash));
      const auto last = dash == cores.size() ? first : parseInteger(cores.substr(dash + 1));
      if (!first || !last || *first < 0 || *last < *first || *last >= kMostCores) continue;
      const JsonNode stack{value, specific->where + "." + printable(key, 80)};
      const std::int64_t each = stack.count(capacity.count());
      sum += Bytes(each * (*last - *first + 1));
      if (sum > capacity) {
        stack.refuse("stacks of {} bytes do not fit the {} of L1", sum.count(), capacity.count());
      }
    }
    return sum;
  }

  std::int64_t unitClock() const {
    for (const char* key : {"accelerator frequency", "core frequency"}) {
      const auto hertz = figure(root_, key);
      if (hertz) return checkedClock(*hertz, key, key);
    }
    refuse("neither 'accelerator frequency' nor 'core frequency' is there");
  }

  UnitSpec unit() {
    UnitSpec unit{.name = "accelerator", .ops = {"*"}, .clock = unitClock()};
    double most = 0;
    if (const auto peak = root_.find("peak MAC/cycle")) {
      for (const auto& [key, value] : peak->object().value.items()) {
        const auto macs = figure(*peak, key.c_str());
        most = std::max(most, macs.value_or(0));
      }
      if (most > 1e9) peak->expected("at most 1e9 multiply-accumulates a cycle");
    }
    if (most < 1e-6) {
      most = 1;
      told_.add("1 MAC/cycle");
    }
    unit.macsPerCycle = most;
    unit.elementsPerCycle = std::max(1.0, most / 2);
    unit.elements = ElementCount::touched;
    told_.add(
        fmt::format("{:g} elements a cycle where nothing is multiplied", unit.elementsPerCycle));
    return unit;
  }

  /// With "DMA", an engine between each two levels; where it blocks, nothing goes on beside it.
  void addCopies(const JsonNode& memory, DeviceSpec& device) {
    const std::string dma = memory.text("DMA");
    if (dma != "yes" || device.pools.size() < 2) return;
    const auto blocking = root_.find("blocking_dma_transfers");
    device.issue = blocking && blocking->flag() ? Issue::sequential : Issue::parallel;
    if (!blocking) told_.add("copies that go on beside the cores");
    for (std::uint32_t near = 0; near + 1 < device.pools.size(); ++near) {
      device.dma.push_back({.name = fmt::format("dma{}", near + 1),
                            .moves = {{{0, near + 1}, {0, near}}, {{0, near}, {0, near + 1}}}});
    }
    told_.add("a DMA engine of one channel between each two levels, whose copies start at once");
  }

  JsonNode root_;
  Assumptions told_;
};

}  // namespace

bool acceptsDory(std::string_view bytes) {
  return opensObject(bytes) && bytes.find("\"peak MAC/cycle\"") != std::string_view::npos &&
         bytes.find("\"memory\"") != std::string_view::npos;
}

Result<Platform> readDory(std::string_view bytes, std::string_view choice) {
  if (!choice.empty()) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("DORY describes one machine, of which '{}' cannot be chosen",
                            printable(choice, 80)));
  }
  HW_TRY(document, parseJson(bytes));
  return unlessRefused([&] { return DoryReader(document).read(); });
}

}  // namespace hw
