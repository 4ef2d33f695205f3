#include "core/study/study.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>

#include "core/base/check.h"
#include "core/base/task_queue.h"
#include "core/base/text.h"
#include "core/base/toml.h"
#include "core/machine/platforms.h"
#include "core/machine/tuning.h"
#include "core/run/embedded.h"
#include "core/run/stages.h"

namespace hw {
namespace {

std::string textOf(const toml::node& node, std::string_view key) {
  if (const auto text = node.value<std::string>()) return *text;
  if (node.is_integer()) return std::to_string(**node.as_integer());
  if (node.is_floating_point()) return fmt::format("{}", **node.as_floating_point());
  refuse(fmt::format("{}: expected a text or a number, or a list of them", key), node.source());
}

/// The values of {from, to, steps, scale}: sizes, rates and whole numbers.
class ValueRange {
 public:
  ValueRange(const toml::table& table, std::string_view key) : table_(table), key_(key) {
    const auto parts = {"from", "to", "steps", "scale"};
    for (const auto& [part, node] : table) {
      if (std::ranges::find(parts, part.str()) == parts.end()) {
        refuseRange(fmt::format("unknown key '{}' in a range", printable(part.str())));
      }
    }
    from_ = end("from");
    to_ = end("to");
    const auto steps = parseInteger(text("steps"));
    if (!steps || *steps < 2 || *steps > kMostSteps) {
      refuseRange(fmt::format("steps is a whole number from 2 to {}", kMostSteps));
    }
    steps_ = *steps;
    const std::string scale = table.contains("scale") ? text("scale") : "linear";
    byFactors_ = scale == "log";
    if (to_ <= from_ || (scale != "linear" && !byFactors_) || (byFactors_ && from_ <= 0)) {
      refuseRange(R"(a range goes up, by scale "linear" or, from more than 0, "log")");
    }
  }

  /// Each once.
  std::vector<std::string> values() const {
    std::vector<std::string> values;
    for (std::int64_t i = 0; i < steps_; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(steps_ - 1);
      const double value =
          byFactors_ ? from_ * std::pow(to_ / from_, part) : from_ + part * (to_ - from_);
      const bool isEnd = i == 0 || i == steps_ - 1;
      const auto whole = isEnd || !byFactors_ ? std::llround(value) : rounded(value);
      const std::string text = word(Bytes(whole));
      if (values.empty() || values.back() != text) values.push_back(text);
    }
    return values;
  }

 private:
  static constexpr std::int64_t kMostSteps = 10'000;

  [[noreturn]] void refuseRange(const std::string& message) const {
    refuse(fmt::format("{}: {}", key_, message), table_.source());
  }

  std::string text(std::string_view part) const {
    const toml::node* node = table_.get(part);
    if (node != nullptr) return textOf(*node, key_);
    refuseRange(
        fmt::format("a range is {{from = A, to = B, steps = N}}, and scale = \"log\" for "
                    "equal factors; '{}' is missing",
                    part));
  }

  double end(std::string_view part) {
    std::string said = text(part);
    isRate_ = said.ends_with("/s");
    if (isRate_) said.resize(said.size() - 2);
    isPlain_ = isPlain_ && parseInteger(said);
    const auto size = parseSize(said);
    if (!size) refuseRange(fmt::format("{}: {}", part, size.error().text()));
    return size->real();
  }

  /// Sizes of memories have few bits, rates few digits: six behind the first, or three.
  std::int64_t rounded(double value) const {
    constexpr int kBits = 6;
    const auto whole = std::llround(value);
    if (isPlain_ || whole < 4096) return whole;
    const std::int64_t unit = isRate_
                                  ? std::llround(std::pow(10, std::floor(std::log10(value)) - 2))
                                  : std::int64_t{1} << (std::ilogb(value) - kBits);
    return (whole + unit / 2) / unit * unit;
  }

  std::string word(Bytes bytes) const {
    if (!isRate_) return isPlain_ ? std::to_string(bytes.count()) : sizeWord(bytes);
    constexpr std::pair<std::int64_t, std::string_view> kUnits[] = {
        {1'000'000'000, "GB/s"}, {1'000'000, "MB/s"}, {1000, "kB/s"}, {1, "/s"}};
    const auto unit = std::ranges::find_if(
        kUnits, [&](const auto& each) { return bytes.count() % each.first == 0; });
    return fmt::format("{}{}", bytes.count() / unit->first, unit->second);
  }

  const toml::table& table_;
  std::string_view key_;
  double from_ = 0;
  double to_ = 0;
  std::int64_t steps_ = 2;
  bool byFactors_ = false;
  bool isRate_ = false;
  bool isPlain_ = true;  ///< Numbers, not sizes.
};

std::vector<std::string> textsOf(const toml::node& node, std::string_view key) {
  if (const toml::table* range = node.as_table()) return ValueRange(*range, key).values();
  const toml::array* array = node.as_array();
  if (array == nullptr) return {textOf(node, key)};
  if (array->empty()) {
    refuse(fmt::format("{}: the list is empty{}", key,
                       key == "models" ? "" : "; leave the key out for its default"),
           node.source());
  }
  std::vector<std::string> texts;
  for (const toml::node& element : *array) texts.push_back(textOf(element, key));
  return texts;
}

/// An option that a study may name: models and allocators have lists of their own, and how many
/// threads there are is no part of a study.
const RunOption* optionOf(std::string_view key) {
  const RunOption* option = findOption(key);
  const bool own =
      option && (option->group == OptionGroup::model || option->group == OptionGroup::allocator ||
                 option->group == OptionGroup::effort);
  return own ? nullptr : option;
}

[[noreturn]] void refuseKey(std::string_view key, const toml::source_region& source) {
  std::vector<std::string> known = {"models", "allocators", "sample", "constraints", "record"};
  known.insert(known.end(), std::begin(kTunings), std::end(kTunings));
  for (const RunOption& option : runOptions()) {
    if (optionOf(option.name)) known.emplace_back(option.name);
  }
  const auto closest = closestWord(key, known);
  refuse(fmt::format("unknown key '{}'{}", printable(key),
                     closest ? fmt::format("; did you mean '{}'?", *closest) : ""),
         source);
}

void readAllocators(const toml::node& node, Plugins plugins, Study& study) {
  const std::vector<std::string> texts = textsOf(node, "allocators");
  for (const std::string& text : texts) {
    if (auto allowed = checkPlugins(text, plugins); !allowed) {
      refuse("allocators: " + allowed.error().text(), node.source());
    }
    auto choices = parseAllocators(text);
    if (!choices) refuse("allocators: " + choices.error().text(), node.source());
    if (choices->empty() && texts.size() > 1) {
      refuse("allocators: \"all\" stands alone", node.source());
    }
    study.allocators.insert(study.allocators.end(), choices->begin(), choices->end());
  }
}

void readSample(const toml::node& node, Study& study) {
  const toml::table* table = node.as_table();
  const auto runs = table ? (*table)["runs"].value<std::int64_t>() : std::nullopt;
  const bool seeded = table && table->contains("seed");
  const auto seed = seeded ? (*table)["seed"].value<std::int64_t>() : 1;
  const bool known = table && table->size() == (seeded ? 2U : 1U);
  if (!known || !runs || *runs < 1 || !seed || *seed < 0) {
    refuse("sample: expected {runs = N, seed = M}, whole numbers", node.source());
  }
  study.sample = static_cast<std::size_t>(*runs);
  study.seed = static_cast<std::uint64_t>(*seed);
}

/// Keys of parts of platforms: device.npu.L2.capacity = [...]. A table without the ends of a range
/// is one part more of the path.
void readParts(const toml::node& node, const std::string& path, Study& study) {
  const toml::table* table = node.as_table();
  const bool hasParts = table != nullptr && !table->contains("from");
  if (!hasParts && path.find('.') == std::string::npos) {
    refuse("device: expected keys of parts, as in device.npu.L2.capacity = [...]", node.source());
  }
  if (!hasParts) {
    study.options[path] = textsOf(node, path);
    return;
  }
  for (const auto& [key, child] : *table) {
    readParts(child, fmt::format("{}.{}", path, key.str()), study);
  }
}

Study read(const toml::table& table, Plugins plugins) {
  Study study;
  for (const auto& [key, node] : table) {
    if (key.str() == "models") {
      study.models = textsOf(node, "models");
    } else if (key.str() == "allocators") {
      readAllocators(node, plugins, study);
    } else if (key.str() == "sample") {
      readSample(node, study);
    } else if (key.str() == "constraints") {
      study.constraints = textsOf(node, key.str());
    } else if (key.str() == "record") {
      study.record = textsOf(node, key.str());
    } else if (std::ranges::find(kTunings, key.str()) != std::end(kTunings)) {
      study.options[std::string(key.str())] = textsOf(node, key.str());
    } else if (key.str() == kPartPath.substr(0, kPartPath.size() - 1)) {
      readParts(node, std::string(key.str()), study);
    } else if (const RunOption* option = optionOf(key.str())) {
      study.options[std::string(option->name)] = textsOf(node, key.str());
    } else {
      refuseKey(key.str(), node.source());
    }
  }
  if (study.models.empty()) refuse("a study names what to run: models = [\"FILE\", ...]", "");
  if (std::ranges::find(study.models, "") != study.models.end()) {
    refuse("models: a name is empty", "");
  }
  return study;
}

}  // namespace

Result<Study> parseStudy(std::string_view text, Plugins plugins) {
  return readToml(text, [&](const toml::table& table) { return read(table, plugins); });
}

Result<std::vector<std::string>> modelsOf(const Study& study, const std::filesystem::path& folder) {
  std::vector<std::string> models;
  for (const std::string& name : study.models) {
    if (name.starts_with("samples:") || name.find_first_of("*?[") == std::string::npos) {
      models.push_back(name);
      continue;
    }
    glob_t found{};
    const int failed = glob((folder / name).c_str(), 0, nullptr, &found);
    for (std::size_t i = 0; failed == 0 && i < found.gl_pathc; ++i) {
      const std::filesystem::path path = found.gl_pathv[i];
      models.push_back(folder.empty() ? path.string() : path.lexically_relative(folder).string());
    }
    globfree(&found);
    if (failed != 0) {
      return fail(ErrorCode::unreadable,
                  fmt::format("models: no file is called as '{}' says", printable(name)));
    }
  }
  return models;
}

Result<StudySettings> StudySettings::of(const Study& study, const std::filesystem::path& folder) {
  StudySettings settings;
  settings.others_ = study.options;
  std::vector<std::string> names(std::begin(kTunings), std::end(kTunings));
  for (const auto& [name, values] : study.options) {
    if (name.starts_with(kPartPath)) names.push_back(name);
  }
  OptionTexts tunings;
  for (const std::string& name : names) {
    if (auto given = settings.others_.extract(name)) tunings.insert(std::move(given));
  }
  for (const RunOption& option : runOptions()) {
    if (option.name == "platform") settings.platform_ = settings.axes_.size();
    if (option.axis) HW_DO(settings.addAxis(std::string(option.name), settings.others_));
  }
  settings.tunings_ = settings.axes_.size();
  for (const std::string& name : names) {
    if (tunings.contains(name)) HW_DO(settings.addAxis(name, tunings));
  }
  HW_DO(settings.readPlatforms(folder));
  HW_DO(settings.readEach());
  return settings;
}

/// Takes the values out of `texts`; without any it has the default.
Result<void> StudySettings::addAxis(std::string name, OptionTexts& texts) {
  constexpr std::size_t kMost = 1'000'000'000'000;
  Axis axis{.name = std::move(name), .values = {""}};
  if (const auto given = texts.extract(axis.name)) axis.values = given.mapped();
  if (axis.values.size() > kMost / size_) {
    return fail(ErrorCode::unsupported,
                fmt::format("the study has more than {} settings", groupDigits(kMost)));
  }
  size_ *= axis.values.size();
  axes_.push_back(std::move(axis));
  return {};
}

/// Each platform in each tuning once, however many settings it is in.
Result<void> StudySettings::readPlatforms(const std::filesystem::path& folder) {
  constexpr std::size_t kMostMachines = 100'000;
  std::vector<std::string> tunings = {""};
  for (std::size_t axis = tunings_; axis < axes_.size(); ++axis) {
    std::vector<std::string> more;
    for (const std::string& before : tunings) {
      for (const std::string& value : axes_[axis].values) {
        more.push_back(
            fmt::format("{}{}{}={}", before, before.empty() ? "" : ",", axes_[axis].name, value));
      }
    }
    tunings = std::move(more);
    if (tunings.size() * axes_[platform_].values.size() > kMostMachines) {
      return fail(ErrorCode::unsupported,
                  fmt::format("the study has more than {} machines", groupDigits(kMostMachines)));
    }
  }
  for (const std::string& value : axes_[platform_].values) {
    if (value.empty() && tunings_ < axes_.size()) {
      return fail(ErrorCode::invalidArgument,
                  fmt::format("{}: say of which platforms, platform = [\"NAME\", ...]",
                              axes_[tunings_].name));
    }
    const std::string base = platformFile(value).empty() ? value : (folder / value).string();
    const bool tuned = !splitTuning(value).tuning.empty();
    for (const std::string& tuning : tunings) {
      const std::string text =
          tuning.empty() ? base : fmt::format("{}{}{}", base, tuned ? "," : ":", tuning);
      HW_TRY(request, readRequest({{axes_[platform_].name, {text}}}, planningRequest(), ""));
      onPlatform_.push_back(std::move(request));
    }
  }
  return {};
}

std::size_t StudySettings::machineOf(const std::vector<std::size_t>& places) const {
  std::size_t machine = places[platform_];
  for (std::size_t axis = tunings_; axis < axes_.size(); ++axis) {
    machine = machine * axes_[axis].values.size() + places[axis];
  }
  return machine;
}

/// Every value with the first ones of all other axes: none of them changes whether it can be read.
Result<void> StudySettings::readEach() const {
  std::vector<std::size_t> places(axes_.size(), 0);
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    for (places[axis] = 0; places[axis] < axes_[axis].values.size(); ++places[axis]) {
      HW_DO(request(places));
    }
    places[axis] = 0;
  }
  return {};
}

std::vector<std::size_t> StudySettings::placesOf(std::size_t index) const {
  std::vector<std::size_t> places(axes_.size());
  for (std::size_t axis = axes_.size(); axis-- > 0; index /= axes_[axis].values.size()) {
    places[axis] = index % axes_[axis].values.size();
  }
  return places;
}

Result<RunRequest> StudySettings::request(const std::vector<std::size_t>& places) const {
  OptionTexts texts = others_;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    if (!isOfPlatform(axis)) texts[axes_[axis].name] = {axes_[axis].values[places[axis]]};
  }
  return readRequest(texts, onPlatform_[machineOf(places)], "");
}

std::vector<std::size_t> StudySettings::axisSizes() const {
  std::vector<std::size_t> sizes;
  for (const Axis& axis : axes_) sizes.push_back(axis.values.size());
  return sizes;
}

StudySetting StudySettings::at(std::size_t index) const {
  auto request = this->request(placesOf(index));
  check(request.has_value(), "values of a study that were read once to be read again");
  StudySetting setting = named(index);
  setting.request = *std::move(request);
  return setting;
}

StudySetting StudySettings::named(std::size_t index) const {
  const std::vector<std::size_t> places = placesOf(index);
  StudySetting setting;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    setting.axes.emplace_back(axes_[axis].name, axes_[axis].values[places[axis]]);
  }
  return setting;
}

std::optional<std::size_t> StudySettings::find(
    const std::map<std::string, std::string>& values) const {
  std::size_t index = 0;
  for (const Axis& axis : axes_) {
    const auto value = values.find(axis.name);
    const auto found =
        std::ranges::find(axis.values, value == values.end() ? std::string() : value->second);
    if (found == axis.values.end()) return std::nullopt;
    index = index * axis.values.size() + static_cast<std::size_t>(found - axis.values.begin());
  }
  return index;
}

namespace {

class Sweep {
 public:
  Sweep(std::shared_ptr<const Model> model, const StudySettings& settings,
        const std::vector<AllocatorChoice>& choices, const RunContext& context,
        const TakeComparison& take)
      : model_(std::move(model)),
        settings_(settings),
        choices_(choices.empty() ? allAllocators(*model_->graph) : choices),
        context_(context),
        take_(take),
        shared_{.stop = context.stop, .common = std::make_shared<CommonWork>()} {}

  std::size_t run(int threads) {
    // So many are begun that nobody has to wait for the slowest row of one.
    const auto atOnce = static_cast<std::size_t>(std::max(threads, 1));
    window_ = 2 + 4 * atOnce / std::max<std::size_t>(choices_.size(), 1);
    try {
      runTasks(settings_.size() * choices_.size(), threads,
               [this](std::size_t task) { fill(task / choices_.size(), task % choices_.size()); });
    } catch (const Ended&) {
      for (const auto& [index, begun] : begun_) {
        for (ComparisonRow& row : begun->comparison.rows) {
          if (!row.run && !row.error) fillRow(begun->comparison, row, shared_);
        }
        hand(*begun);
      }
    }
    return taken_;
  }

 private:
  /// A setting some of whose rows are being planned.
  struct Begun {
    StudySetting setting{};
    Comparison comparison{};
    std::size_t left = 0;  ///< Rows that are not done.
  };

  /// Thrown by a task so that no further one is begun.
  struct Ended {};

  void fill(std::size_t index, std::size_t row) {
    const std::shared_ptr<Begun> begun = begin(index);
    fillRow(begun->comparison, begun->comparison.rows[row], shared_);
    const std::lock_guard lock(mutex_);
    --begun->left;
    handOver();
  }

  /// Waits while too many that were begun before are not done.
  std::shared_ptr<Begun> begin(std::size_t index) {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, context_.stop, [&] { return ended_ || index < next_ + window_; });
    const auto known = begun_.find(index);
    if (known != begun_.end()) return known->second;
    if (ended_ || context_.stop.stop_requested()) throw Ended();
    auto begun = std::make_shared<Begun>();
    begun->setting = settings_.at(index);
    std::vector<RunRequest> requests(choices_.size(), begun->setting.request);
    for (std::size_t i = 0; i < choices_.size(); ++i) requests[i].allocator = choices_[i];
    begun->comparison = openComparison(model_, requests);
    begun->left = requests.size();
    begun_.emplace(index, begun);
    return begun;
  }

  /// Hands over what is next and done.
  void handOver() {
    for (auto first = begun_.begin();
         first != begun_.end() && first->first == next_ && first->second->left == 0;
         first = begun_.begin()) {
      hand(*first->second);
      begun_.erase(first);
      ++next_;
      tell();
    }
    moved_.notify_all();
  }

  void hand(Begun& begun) {
    if (ended_) return;
    closeComparison(begun.comparison);
    ended_ = !take_(begun.setting, begun.comparison);
    ++taken_;
  }

  void tell() const {
    if (!context_.progress) return;
    context_.progress(static_cast<double>(next_) / static_cast<double>(settings_.size()),
                      fmt::format("{} of {} settings done", next_, settings_.size()));
  }

  std::shared_ptr<const Model> model_;
  const StudySettings& settings_;
  std::vector<AllocatorChoice> choices_;
  const RunContext& context_;
  const TakeComparison& take_;
  RunContext shared_;
  std::size_t window_ = 0;
  std::mutex mutex_;
  std::condition_variable_any moved_;
  std::map<std::size_t, std::shared_ptr<Begun>>
      begun_;             ///< By setting; the mutex is for all below.
  std::size_t next_ = 0;  ///< The setting to hand over next.
  std::size_t taken_ = 0;
  bool ended_ = false;
};

}  // namespace

std::size_t sweepSettings(std::shared_ptr<const Model> model, const StudySettings& settings,
                          const std::vector<AllocatorChoice>& choices, int threads,
                          const RunContext& context, const TakeComparison& take) {
  return Sweep(std::move(model), settings, choices, context, take).run(threads);
}

}  // namespace hw
