#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocators/plugin.h"
#include "core/run/options.h"
#include "core/study/compare.h"

namespace hw {

/// A study: models, allocators and options. Every combination of the lists below is one run. Keys
/// and texts are those of the run options. Format: docs/formats/study.md.
struct Study {
  /// Paths from the study's folder, which may have the wildcards of glob(7), or samples:NAME.
  std::vector<std::string> models{};
  std::vector<AllocatorChoice> allocators{};  ///< None: all.
  /// Values of options as the study has them: of those that are an axis, all values to run. Those
  /// of `kTunings`, too.
  OptionTexts options{};
  /// So many runs of all, spread over every axis (Latin hypercube, McKay, Beckman and Conover
  /// 1979); nothing: all.
  std::optional<std::size_t> sample{};
  std::uint64_t seed = 1;  ///< Of the sample.
  /// Texts as the study has them, for those who know figures: "peak <= 1MiB", and names of figures.
  std::vector<std::string> constraints{};
  std::vector<std::string> record{};  ///< None: all.
};

/// Settings of its platforms that a study may vary, beside keys of their parts: see `Tuning`.
inline constexpr std::string_view kTunings[] = {"dma", "channels", "macs"};

/// The models that a study names, in the order of their names where there are wildcards; fails
/// where these match nothing.
Result<std::vector<std::string>> modelsOf(const Study& study, const std::filesystem::path& folder);

/// Reads a study; errors say what was expected, and at which line. Who passes a study on passes no
/// code with it: plug-ins are refused unless the one who runs it allows them.
Result<Study> parseStudy(std::string_view text, Plugins plugins = Plugins::refuse);

/// One combination of the values of a study.
struct StudySetting {
  /// As the study says it, option by option; empty for a default.
  std::vector<std::pair<std::string, std::string>> axes{};
  RunRequest request{};
};

/// All combinations of the values of a study, the last axis changing fastest. They are made when
/// somebody asks for them, so that millions take no more memory than one.
class StudySettings {
 public:
  /// Files are looked for from `folder`. Fails where one of the values cannot be read.
  static Result<StudySettings> of(const Study& study, const std::filesystem::path& folder);

  std::size_t size() const { return size_; }
  /// The number of values of each axis.
  std::vector<std::size_t> axisSizes() const;
  StudySetting at(std::size_t index) const;
  /// The same without its request, which takes longer to read than all else.
  StudySetting named(std::size_t index) const;
  /// The place of the setting with these values, by axis; nothing where the study has none such.
  std::optional<std::size_t> find(const std::map<std::string, std::string>& values) const;

 private:
  struct Axis {
    std::string name{};
    std::vector<std::string> values{};  ///< One that is empty: the default.
  };

  Result<void> addAxis(std::string name, OptionTexts& texts);
  /// By axis, which value the setting has.
  std::vector<std::size_t> placesOf(std::size_t index) const;
  Result<RunRequest> request(const std::vector<std::size_t>& places) const;
  bool isOfPlatform(std::size_t axis) const { return axis == platform_ || axis >= tunings_; }
  /// The place in `onPlatform_`.
  std::size_t machineOf(const std::vector<std::size_t>& places) const;
  Result<void> readPlatforms(const std::filesystem::path& folder);
  Result<void> readEach() const;

  OptionTexts others_{};  ///< Of options that are no axis.
  std::vector<Axis> axes_{};
  std::size_t platform_ = 0;  ///< Which axis that is.
  std::size_t tunings_ = 0;   ///< From here on axes change the platform.
  /// By platform and tuning, the last of these changing fastest: what the other axes are read into.
  std::vector<RunRequest> onPlatform_{};
  std::size_t size_ = 1;
};

/// Takes what came of a setting; false: no more is wanted.
using TakeComparison = std::function<bool(const StudySetting& setting, const Comparison& compared)>;

/// Runs every choice, all allocators if there is none, on `model` under each of the settings.
/// Their rows are tasks of one queue, done by `threads` at a time; what does not change from row to
/// row is made once. `take` gets the comparisons in the order of the settings, each as soon as it
/// and those before it are done, from one thread at a time; a few are kept until then. Returns how
/// many it got. On a stop, settings that were begun are taken with the rows that they have.
std::size_t sweepSettings(std::shared_ptr<const Model> model, const StudySettings& settings,
                          const std::vector<AllocatorChoice>& choices, int threads,
                          const RunContext& context, const TakeComparison& take);

}  // namespace hw
