#include "core/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

#include "core/base/check.h"
#include "core/base/task_queue.h"
#include "core/base/text.h"
#include "core/base/toml.h"
#include "core/machine/platforms.h"
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

std::vector<std::string> textsOf(const toml::node& node, std::string_view key) {
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
  std::vector<std::string> known = {"models", "allocators"};
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

Study read(const toml::table& table, Plugins plugins) {
  Study study;
  for (const auto& [key, node] : table) {
    if (key.str() == "models") {
      study.models = textsOf(node, "models");
    } else if (key.str() == "allocators") {
      readAllocators(node, plugins, study);
    } else if (const RunOption* option = optionOf(key.str())) {
      study.options[std::string(option->name)] = textsOf(node, key.str());
    } else {
      refuseKey(key.str(), node.source());
    }
  }
  if (study.models.empty()) {
    refuse("a study names what to run: models = [\"FILE\", ...]", "");
  }
  if (std::ranges::find(study.models, "") != study.models.end()) {
    refuse("models: a name is empty", "");
  }
  return study;
}

}  // namespace

Result<Study> parseStudy(std::string_view text, Plugins plugins) {
  return readToml(text, [&](const toml::table& table) { return read(table, plugins); });
}

Result<StudySettings> StudySettings::of(const Study& study, const std::filesystem::path& folder) {
  constexpr std::size_t kMost = 1'000'000'000'000;
  StudySettings settings;
  settings.others_ = study.options;
  for (const RunOption& option : runOptions()) {
    if (!option.axis) continue;
    if (option.name == "platform") settings.platform_ = settings.axes_.size();
    const auto given = settings.others_.extract(std::string(option.name));
    Axis axis{.name = std::string(option.name), .values = {""}};
    if (given) axis.values = given.mapped();
    if (axis.values.size() > kMost / settings.size_) {
      return fail(ErrorCode::unsupported,
                  fmt::format("the study has more than {} settings", groupDigits(kMost)));
    }
    settings.size_ *= axis.values.size();
    settings.axes_.push_back(std::move(axis));
  }
  HW_DO(settings.readPlatforms(folder));
  HW_DO(settings.readEach());
  return settings;
}

/// Each platform once, however many settings it is in.
Result<void> StudySettings::readPlatforms(const std::filesystem::path& folder) {
  for (const std::string& value : axes_[platform_].values) {
    const std::string text = isPlatformFile(value) ? (folder / value).string() : value;
    HW_TRY(request, readRequest({{axes_[platform_].name, {text}}}, planningRequest(), ""));
    onPlatform_.push_back(std::move(request));
  }
  return {};
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
    if (axis != platform_) texts[axes_[axis].name] = {axes_[axis].values[places[axis]]};
  }
  return readRequest(texts, onPlatform_[places[platform_]], "");
}

StudySetting StudySettings::at(std::size_t index) const {
  const std::vector<std::size_t> places = placesOf(index);
  auto request = this->request(places);
  check(request.has_value(), "values of a study that were read once to be read again");
  StudySetting setting{.request = *std::move(request)};
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    setting.axes.emplace_back(axes_[axis].name, axes_[axis].values[places[axis]]);
  }
  return setting;
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
