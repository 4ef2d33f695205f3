#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/check.h"
#include "core/base/json.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/machine/foreign/machine_formats.h"
#include "core/machine/platforms.h"

// Memory pools of ST Edge AI: those that its network_c_info.json lists, with how large they are
// and a class of throughput and latency; and those of the .mpool files that its compiler is given,
// which say bytes a cycle, too.

namespace hw {
namespace {

constexpr std::size_t kMostMemoryPools = 255;
/// To whose cycles `freqRatio` is.
constexpr double kStClock = 1e9;

/// A class, as ST calls it, and what is taken for it: as in the files of the STM32N6.
struct StClass {
  std::string_view name;
  std::int64_t rate = 0;
  SimTime latency{};
};
/// The nearest first: quick by throughput, and by the latency that is its opposite.
constexpr std::array kStRates = {StClass{"HIGH", 6'400'000'000}, StClass{"MID", 3'200'000'000},
                                 StClass{"LOW", 400'000'000}, StClass{"UNDEF", 400'000'000}};
const std::array kStLatencies = {
    StClass{"LOW", 0, SimTime(10'000)}, StClass{"MID", 0, SimTime(50'000)},
    StClass{"HIGH", 0, SimTime(200'000)}, StClass{"UNDEF", 0, SimTime(200'000)}};

struct StMemory {
  PoolSpec spec{};
  std::size_t rank = 0;  ///< Nearer ones first: what can be written, then the quicker ones.
};

class StPoolReader {
 public:
  explicit StPoolReader(const ParsedJson& document) : root_{document} {}

  Platform read() {
    const auto described = root_.object().find("memory");
    if (described) {
      described->object().forEach("mempools", [&](const JsonNode& node) { readDescribed(node); });
    } else {
      root_.forEach("memory_pools", [&](const JsonNode& node) { readListed(node); });
    }
    if (memories_.empty()) {
      refuse("no memory pool has room for tensors", described ? "memory.mempools" : "memory_pools");
    }
    std::ranges::stable_sort(memories_, {}, &StMemory::rank);
    DeviceSpec device{.name = "npu", .ops = {"*"}};
    for (StMemory& memory : memories_) device.pools.push_back(std::move(memory.spec));
    const auto usual = findPlatform("stm32n657");
    check(usual.has_value(), "the preset of the machine that ST's tool is for");
    device.units = usual->devices.front().units;
    told_.add("the compute unit of the preset stm32n657");
    told_.add("no DMA engine");
    told_.add("energy not counted");
    Platform platform{.name = described ? "st-pools" : "st-" + networkName()};
    platform.summary = fmt::format("{} memory pools of ST Edge AI", device.pools.size());
    platform.source = told_.source(described ? "memory pools of an .mpool file of ST Edge AI"
                                             : "memory pools of ST Edge AI's c_info");
    platform.devices.push_back(std::move(device));
    return platform;
  }

 private:
  std::string networkName() const {
    const auto environment = root_.find("environment");
    const auto model = environment ? environment->object().find("generated_model") : environment;
    const std::string name = model ? model->object().text("name") : "";
    return name.empty() ? "network" : name;
  }

  void add(PoolSpec spec, const JsonNode& node, std::size_t rank) {
    if (spec.name.empty()) spec.name = fmt::format("pool {}", names_.size());
    if (!names_.insert(spec.name).second) {
      node.refuse("memory pool '{}' is listed twice", printable(spec.name, 80));
    }
    if (memories_.size() == kMostMemoryPools) {
      node.refuse("more than {} memory pools", kMostMemoryPools);
    }
    const auto alignment = node.bytes("alignment").value_or(Bytes());
    spec.alignment = alignment == Bytes() ? Bytes(8) : alignment;
    if (alignment == Bytes()) told_.add("alignment 8 of " + printable(spec.name, 80));
    if (!isAlignment(spec.alignment)) {
      refuse(fmt::format("alignment {} is not a power of two up to 1 GiB", alignment.count()),
             node.where + ".alignment");
    }
    spec.writeBandwidth = spec.readBandwidth;
    spec.writeLatency = spec.readLatency;
    memories_.push_back({std::move(spec), rank});
  }

  /// Sets what the classes of `attributes` stand for; returns how near that is.
  std::size_t classify(const JsonNode& node, const char* attributes, PoolSpec& spec,
                       bool ratesKnown) {
    const auto classes = node.find(attributes);
    const auto pick = [&](const char* key, const auto& known) {
      const std::string name = classes ? classes->object().text(key) : "";
      const auto found = std::ranges::find(known, name.empty() ? "UNDEF" : name, &StClass::name);
      if (found == known.end()) {
        classes->refuse("{}: expected HIGH, MID, LOW or UNDEF, found '{}'", key,
                        printable(name, 40));
      }
      return static_cast<std::size_t>(found - known.begin());
    };
    const std::size_t rate = pick("throughput", kStRates);
    const std::size_t latency = pick("latency", kStLatencies);
    const std::string shown = printable(spec.name, 80);
    if (!ratesKnown) {
      spec.readBandwidth = kStRates[rate].rate;
      told_.add(fmt::format("{} at {} MB/s ({} throughput)", shown, spec.readBandwidth / 1'000'000,
                            kStRates[rate].name));
    }
    spec.readLatency = kStLatencies[latency].latency;
    told_.add(fmt::format("{} with {} ns ({} latency)", shown, spec.readLatency.count() / 1000,
                          kStLatencies[latency].name));
    const std::string rights =
        node.text("rights").empty() && classes ? classes->text("rights") : node.text("rights");
    const bool readOnly = rights == "ACC_READ";
    if (readOnly) told_.add(shown + " can be written, though ST reads it only");
    return (readOnly ? 100 : 0) + rate * 10 + latency;
  }

  /// Of network_c_info.json.
  void readListed(const JsonNode& node) {
    PoolSpec spec{.name = node.object().text("name")};
    const auto of = node.find("virtual");
    if (of && of->flag()) return;  // Stands for several others.
    const auto size = node.find("size_bytes");
    const bool unbounded = !size || (size->value.is_number_integer() && size->value == -1);
    if (!unbounded) spec.capacity = node.bytes("size_bytes");
    if (spec.capacity == Bytes()) return;
    if (unbounded) told_.add(fmt::format("unlimited {}", printable(spec.name, 80)));
    const std::size_t rank = classify(node, "attributes", spec, false);
    add(std::move(spec), node, rank);
  }

  /// Of an .mpool file.
  void readDescribed(const JsonNode& node) {
    PoolSpec spec{.name = node.object().text("name")};
    if (spec.name.empty()) spec.name = node.text("fname");
    spec.capacity = magnitude(node, "size");
    if (!spec.capacity) told_.add(fmt::format("unlimited {}", printable(spec.name, 80)));
    if (spec.capacity == Bytes()) {
      told_.add(fmt::format("no memory {}, whose size is 0", printable(spec.name, 80)));
      return;
    }
    const auto prop = node.find("prop");
    const auto width = prop ? prop->object().find("byteWidth") : prop;
    const auto ratio = prop ? prop->find("freqRatio") : prop;
    const bool known = width && ratio;
    if (known) {
      if (!width->value.is_number() || !ratio->value.is_number()) {
        prop->expected("byteWidth and freqRatio as numbers");
      }
      const double rate = width->value.get<double>() * kStClock / ratio->value.get<double>();
      spec.readBandwidth = checkedRate(rate, "byteWidth and freqRatio", prop->where);
      if (std::exchange(clockTold_, true) == false) told_.add("freqRatio to a clock of 1 GHz");
    }
    const std::size_t rank = classify(node, "prop", spec, known);
    add(std::move(spec), node, rank);
  }

  /// {"value": "448", "magnitude": "KBYTES"}; nothing: more than any memory has, which ST writes
  /// for one whose size it does not know.
  static std::optional<Bytes> magnitude(const JsonNode& node, const char* key) {
    static constexpr std::array<std::pair<std::string_view, std::int64_t>, 4> kUnits = {
        {{"BYTES", 1}, {"KBYTES", 1 << 10}, {"MBYTES", 1 << 20}, {"GBYTES", 1 << 30}}};
    const auto size = node.find(key);
    if (!size) node.expected("a memory pool with a \"size\"");
    const std::string value = size->object().text("value");
    const auto number = parseInteger(value);
    const bool digits = !value.empty() && value.find_first_not_of("0123456789") == value.npos;
    const std::string unit = size->text("magnitude");
    const auto found =
        std::ranges::find(kUnits, unit, [](const auto& known) { return known.first; });
    if (found == kUnits.end() || !digits) {
      size->expected("a \"value\" and a \"magnitude\" of BYTES, KBYTES, MBYTES or GBYTES");
    }
    if (!number || *number > kMaxBytes.count() / found->second) return std::nullopt;
    return Bytes(*number * found->second);
  }

  JsonNode root_;
  std::vector<StMemory> memories_;
  std::set<std::string> names_;
  bool clockTold_ = false;
  Assumptions told_;
};

}  // namespace

bool acceptsStPools(std::string_view bytes) {
  if (!opensObject(bytes)) return false;
  const auto has = [&](std::string_view key) { return bytes.find(key) != std::string_view::npos; };
  return has("\"mempools\"") || (has("\"json_schema_version\"") && has("\"memory_pools\""));
}

Result<Platform> readStPools(std::string_view bytes, std::string_view choice) {
  if (!choice.empty()) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("ST's memory pools are one machine, of which '{}' cannot be chosen",
                            printable(choice, 80)));
  }
  HW_TRY(document, parseJson(bytes));
  return unlessRefused([&] { return StPoolReader(document).read(); });
}

}  // namespace hw
