#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/document_limits.h"
#include "core/base/result.h"
#include "core/base/text.h"
#include "core/machine/cost/cost_models.h"
#include "core/machine/foreign/machine_formats.h"

// Vela's configuration: systems, which say what is at its two ports and how fast that is, and
// memory modes, which say what lies where. Vela is told one of each, and the accelerator.

namespace hw {
namespace {

std::string iniPlace(std::size_t line) { return fmt::format("line {}", line); }

/// Keys are the same in any case; others than letters of ASCII stay as they are.
std::string lowerKey(std::string_view key) {
  std::string lower(key);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

/// What Python's configparser makes of a file of sections, `[NAME]`, and `key = value` below them:
/// keys are the same in any case, lines that begin with '#' or ';' are comments, and nothing may
/// be there twice. What is no such file, or beyond kIniLimits, is refused (base/refusal.h), with
/// its line.
class IniFile {
 public:
  struct Value {
    std::string text{};
    std::size_t line = 0;

    std::string where() const;
  };
  struct Section {
    std::string name{};
    std::size_t line = 0;
    std::map<std::string, Value, std::less<>> values{};
  };

  explicit IniFile(std::string_view text) {
    const auto within = [](Result<void> checked) {
      if (!checked) throw Refusal{std::move(checked).error()};
    };
    within(checkSize(kIniLimits, text.size()));
    std::size_t number = 0;
    std::size_t values = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = trimText(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      if (line.empty() || line.front() == '#' || line.front() == ';') continue;
      if (line.size() > kIniLimits.text) within(tooLongText(kIniLimits, iniPlace(number)));
      if (++values > kIniLimits.values) within(tooManyValues(kIniLimits, iniPlace(number)));
      if (line.front() == '[') {
        if (line.back() != ']') refuse("a section has no ']' at its end", iniPlace(number));
        Section section{.name = std::string(line.substr(1, line.size() - 2)), .line = number};
        if (!places_.emplace(section.name, sections_.size()).second) {
          refuse(fmt::format("section '{}' is there twice", printable(section.name, 80)),
                 iniPlace(number));
        }
        sections_.push_back(std::move(section));
        continue;
      }
      const std::size_t equals = line.find_first_of("=:");
      if (equals == std::string_view::npos) {
        refuse(
            fmt::format("expected 'key = value' or '[section]', found '{}'", printable(line, 40)),
            iniPlace(number));
      }
      if (sections_.empty()) refuse("a key stands before the first [section]", iniPlace(number));
      Section& section = sections_.back();
      const std::string key = lowerKey(trimText(line.substr(0, equals)));
      Value value{.text = std::string(trimText(line.substr(equals + 1))), .line = number};
      if (!section.values.emplace(key, std::move(value)).second) {
        refuse(fmt::format("'{}' is in section '{}' twice", printable(key, 80),
                           printable(section.name, 80)),
               iniPlace(number));
      }
    }
  }

  /// In the order of the file.
  const std::vector<Section>& sections() const { return sections_; }
  /// By name; null if there is none.
  const Section* find(std::string_view name) const {
    const auto place = places_.find(name);
    return place == places_.end() ? nullptr : &sections_[place->second];
  }

  /// The value of a key, in lower case, in a section, or in the one whose name is its `inherit`,
  /// and so on. A section that inherits from itself, or from one that is not there, is refused.
  std::optional<Value> value(const Section& section, std::string_view key) const {
    const Section* at = &section;
    for (std::size_t steps = 0;; ++steps) {
      if (const auto found = at->values.find(key); found != at->values.end()) return found->second;
      const auto parent = at->values.find("inherit");
      if (parent == at->values.end()) return std::nullopt;
      if (steps == sections_.size()) {
        refuse(fmt::format("section '{}' inherits from itself", printable(section.name, 80)),
               parent->second.where());
      }
      at = find(parent->second.text);
      if (at == nullptr) {
        refuse(fmt::format("there is no section '{}' to inherit from",
                           printable(parent->second.text, 80)),
               parent->second.where());
      }
    }
  }

 private:
  std::vector<Section> sections_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

std::string IniFile::Value::where() const { return iniPlace(line); }

constexpr std::string_view kSystem = "System_Config.";
constexpr std::string_view kMode = "Memory_Mode.";
constexpr std::size_t kMostNamed = 24;

/// Facts of an accelerator that Vela knows and the file does not say.
struct EthosFamily {
  std::string_view name;      ///< "ethos-u55", with its multiply-accumulates a cycle behind it.
  std::string_view system{};  ///< In the names of its systems.
  int usualMacs = 256;
  int portBytes = 8;                  ///< Bytes a cycle of one port.
  std::uint32_t copies = 1;           ///< Of its DMA, at once.
  int macsPerElement = 32;            ///< An estimate, as in the presets.
  std::string_view cost = "ethos-u";  ///< The cost model of its cycles.
};
constexpr std::array kFamilies = {
    EthosFamily{"ethos-u55", "U55", 256, 8, 1, 32},
    EthosFamily{"ethos-u65", "U65", 512, 16, 2, 32},
    EthosFamily{"ethos-u85", "U85", 512, 16, 4, 16, "ethos-u85"},
};

struct Accelerator {
  EthosFamily family{};
  int macs = 0;
};

/// "ethos-u65-512"; nothing when it is no name of that kind.
std::optional<Accelerator> accelerator(std::string_view word) {
  for (const EthosFamily& family : kFamilies) {
    if (!word.starts_with(family.name) || word.size() <= family.name.size() + 1) continue;
    const auto macs = parseInteger(word.substr(family.name.size() + 1));
    const bool power = macs && *macs >= 32 && *macs <= 2048 && (*macs & (*macs - 1)) == 0;
    if (power && word[family.name.size()] == '-') {
      return Accelerator{family, static_cast<int>(*macs)};
    }
  }
  return std::nullopt;
}

class VelaReader {
 public:
  explicit VelaReader(std::string_view bytes) : file_(bytes) {
    for (const IniFile::Section& section : file_.sections()) {
      if (section.name.starts_with(kSystem)) systems_.push_back(&section);
      if (section.name.starts_with(kMode)) modes_.push_back(&section);
    }
    if (systems_.empty()) refuse("no section [System_Config.NAME]");
    if (modes_.empty()) refuse("no section [Memory_Mode.NAME]");
  }

  Platform read(std::string_view choice) {
    choose(choice);
    clock_ = checkedClock(number(*system_, "core_clock", std::nullopt), "core_clock",
                          placeOf(*system_, "core_clock"));
    const std::string near = areaOf("cache_mem_area");
    if (near != "Sram") {
      refuse(fmt::format("cache_mem_area of '{}' is {} of '{}'; Vela takes Sram there",
                         shortName(*mode_), near, shortName(*system_)),
             placeOf(*mode_, "cache_mem_area"));
    }
    DeviceSpec device{.name = "npu", .ops = {"*"}, .issue = Issue::inOrder};
    device.pools.push_back(pool(near));
    device.pools.back().capacity = cacheSize();
    for (const char* key : {"arena_mem_area", "const_mem_area"}) {
      const std::string far = areaOf(key);
      if (far != near && device.pools.size() == 1) device.pools.push_back(pool(far));
    }
    device.units.push_back(unit());
    if (device.pools.size() > 1) {
      device.dma.push_back({.name = "dma",
                            .moves = {{{0, 1}, {0, 0}}, {{0, 0}, {0, 1}}},
                            .channels = accelerator_.family.copies});
      told_.add("unlimited " + device.pools.back().name);
      if (areaOf("arena_mem_area") == near) {
        told_.add(device.pools.back().name + " can be written, though the mode reads it only");
      }
    }
    told_.add("alignment 16, as Vela has it");
    told_.add("copies that start at once");
    told_.add("energy not counted");
    Platform platform{.name = shortName(*system_) + "," + shortName(*mode_)};
    platform.source = told_.source(fmt::format("Vela's system configuration {}, memory mode {}",
                                               shortName(*system_), shortName(*mode_)));
    platform.summary = fmt::format("{} MAC/cycle at {:g} MHz", accelerator_.macs,
                                   static_cast<double>(clock_) * 1e-6);
    platform.devices.push_back(std::move(device));
    return platform;
  }

 private:
  using Sections = std::vector<const IniFile::Section*>;

  /// Without what all of its kind begin with.
  static std::string shortName(const IniFile::Section& section) {
    return printable(section.name.substr(section.name.find('.') + 1), 80);
  }

  static std::string names(const Sections& sections) {
    std::string text;
    for (std::size_t i = 0; i < std::min(sections.size(), kMostNamed); ++i) {
      text += (i == 0 ? "" : ", ") + shortName(*sections[i]);
    }
    if (sections.size() > kMostNamed) {
      text += fmt::format(" and {} more", sections.size() - kMostNamed);
    }
    return text;
  }

  [[noreturn]] void refuseChoice(const std::string& problem) const {
    refuse(fmt::format("{}; say SYSTEM,MODE behind the file, such as vela.ini:{},{}, and "
                       "ACCELERATOR behind those where it is not the usual one; systems: {}; "
                       "modes: {}",
                       problem, shortName(*systems_.front()), shortName(*modes_.front()),
                       names(systems_), names(modes_)),
           "", ErrorCode::invalidArgument);
  }

  /// Each word is a system, a memory mode or an accelerator; of what there is one only, none need
  /// be said.
  void choose(std::string_view choice) {
    std::optional<Accelerator> wanted;
    for (const std::string_view part : splitText(choice, ',')) {
      const std::string_view word = trimText(part);
      if (choice.empty()) break;
      const auto* system = file_.find(std::string(kSystem) + std::string(word));
      const auto* mode = file_.find(std::string(kMode) + std::string(word));
      const auto macs = accelerator(word);
      if (system != nullptr && system_ == nullptr) {
        system_ = system;
      } else if (mode != nullptr && mode_ == nullptr) {
        mode_ = mode;
      } else if (macs && !wanted) {
        wanted = macs;
      } else {
        refuseChoice(
            fmt::format("'{}' is not one more of a system, a memory mode and an "
                        "accelerator such as ethos-u55-128",
                        printable(word, 80)));
      }
    }
    if (system_ == nullptr && systems_.size() == 1) system_ = systems_.front();
    if (mode_ == nullptr && modes_.size() == 1) mode_ = modes_.front();
    if (system_ == nullptr || mode_ == nullptr) {
      refuseChoice("it is not said which machine of the file is meant");
    }
    if (wanted) {
      accelerator_ = *wanted;
    } else {
      const auto named = std::ranges::find_if(kFamilies, [&](const EthosFamily& family) {
        return system_->name.find(family.system) != std::string::npos;
      });
      const EthosFamily& family = named == kFamilies.end() ? kFamilies.front() : *named;
      accelerator_ = {family, family.usualMacs};
      told_.add(fmt::format("accelerator {}-{}", family.name, family.usualMacs));
    }
  }

  /// The place of a value, or the section that does not have it.
  std::string placeOf(const IniFile::Section& section, const std::string& key) const {
    const auto value = file_.value(section, key);
    return value ? value->where() : fmt::format("line {}", section.line);
  }

  /// `fallback` when not said; nothing: has to be.
  double number(const IniFile::Section& section, const std::string& key,
                std::optional<double> fallback) const {
    const auto value = file_.value(section, key);
    if (!value && fallback) return *fallback;
    if (!value) {
      refuse(fmt::format("section '{}' has no {}", printable(section.name, 80), key),
             placeOf(section, key));
    }
    const auto figure = parseNumber(value->text);
    if (!figure || *figure < 0) {
      refuse(
          fmt::format("{}: expected a number from 0, found '{}'", key, printable(value->text, 40)),
          value->where());
    }
    return *figure;
  }

  /// "Sram": what is at the port where `key` of the mode puts things.
  std::string areaOf(const std::string& key) const {
    const auto port = file_.value(*mode_, key);
    const std::string name = port ? port->text : "Axi0";
    if (name != "Axi0" && name != "Axi1") {
      refuse(fmt::format("{}: expected Axi0 or Axi1, found '{}'", key, printable(name, 40)),
             placeOf(*mode_, key));
    }
    const std::string at = name == "Axi0" ? "axi0_port" : "axi1_port";
    constexpr std::array<std::string_view, 4> kAreas = {"Sram", "Dram", "OnChipFlash",
                                                        "OffChipFlash"};
    const auto area = file_.value(*system_, at);
    if (!area || std::ranges::find(kAreas, area->text) == kAreas.end()) {
      refuse(fmt::format("{}: expected one of {}, found {}", at, fmt::join(kAreas, ", "),
                         area ? "'" + printable(area->text, 40) + "'" : "nothing"),
             placeOf(*system_, at));
    }
    return area->text;
  }

  /// The beginning of all keys of a memory.
  static std::string keysOf(const std::string& area) {
    std::string lower = area;
    for (char& letter : lower) letter = static_cast<char>(letter | 0x20);
    return lower;
  }

  /// Through all ports of a memory, by the beginning of its keys.
  double bytesPerCycle(const std::string& keys) const {
    const double ports = std::max(1.0, number(*system_, keys + "_ports_used", 1));
    return accelerator_.family.portBytes * ports * number(*system_, keys + "_clock_scale", 1);
  }

  /// A memory by what the system says of it. Where it says nothing, Vela takes 1, and no latency.
  PoolSpec pool(const std::string& area) const {
    const std::string lower = keysOf(area);
    const auto figure = [&](const char* what, double fallback) {
      return number(*system_, lower + what, fallback);
    };
    const auto clock = static_cast<double>(clock_);
    PoolSpec pool{.name = area, .alignment = Bytes(16)};
    const std::string scale = lower + "_clock_scale";
    pool.readBandwidth = checkedRate(bytesPerCycle(lower) * clock, scale, placeOf(*system_, scale));
    pool.writeBandwidth = pool.readBandwidth;
    const auto latency = [&](const char* what) {
      const std::string key = lower + what;
      return checkedTime(figure(what, 0) / clock, key, placeOf(*system_, key));
    };
    pool.readLatency = latency("_read_latency");
    pool.writeLatency = latency("_write_latency");
    const double burst = figure("_burst_length", 1);
    if (burst < 1 || burst > 1 << 30 || burst != std::floor(burst)) {
      refuse(fmt::format("{}_burst_length: expected a whole number from 1 to {}", lower, 1 << 30),
             placeOf(*system_, lower + "_burst_length"));
    }
    pool.burst = Bytes(static_cast<std::int64_t>(burst));
    return pool;
  }

  std::optional<Bytes> cacheSize() {
    constexpr const char* kKey = "arena_cache_size";
    const auto value = file_.value(*mode_, kKey);
    if (!value) {
      told_.add("unlimited Sram");
      return std::nullopt;
    }
    const auto size = parseInteger(value->text);
    if (!size || *size < 0 || *size > kMaxBytes.count()) {
      refuse(
          fmt::format("{}: expected a size in bytes, found '{}'", kKey, printable(value->text, 40)),
          value->where());
    }
    return Bytes(*size);
  }

  UnitSpec unit() {
    const double elements =
        std::max(1.0, static_cast<double>(accelerator_.macs) / accelerator_.family.macsPerElement);
    told_.add(fmt::format("{:g} elements a cycle where nothing is multiplied", elements));
    UnitSpec unit{.name = "mac",
                  .ops = {"*"},
                  .clock = clock_,
                  .macsPerCycle = static_cast<double>(accelerator_.macs),
                  .elementsPerCycle = elements,
                  .elements = ElementCount::touched};
    unit.cost.model = costModelNamed(accelerator_.family.cost);
    unit.cost.portBytes = bytesPerCycle("sram");
    const std::string weights = keysOf(areaOf("const_mem_area"));
    // A platform file cannot say 0; one cycle is less than any operator takes.
    unit.cost.farLatency = std::max(1.0, number(*system_, weights + "_read_latency", 0));
    if (macsProblem(unit).empty()) {
      told_.add("weights as large as in the model");
    } else {
      unit.cost = {};
    }
    return unit;
  }

  IniFile file_;
  Sections systems_;
  Sections modes_;
  const IniFile::Section* system_ = nullptr;
  const IniFile::Section* mode_ = nullptr;
  Accelerator accelerator_;
  std::int64_t clock_ = 0;
  Assumptions told_;
};

}  // namespace

bool acceptsVelaIni(std::string_view bytes) {
  for (const std::string_view kind : {kSystem, kMode}) {
    for (std::size_t at = bytes.find(kind); at != std::string_view::npos;
         at = bytes.find(kind, at + 1)) {
      const bool heading = at > 0 && bytes[at - 1] == '[';
      if (heading && (at == 1 || bytes[at - 2] == '\n')) return true;
    }
  }
  return false;
}

Result<Platform> readVelaIni(std::string_view bytes, std::string_view choice) {
  return unlessRefused([&] { return VelaReader(bytes).read(choice); });
}

}  // namespace hw
