#include "core/study/study_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/base/dice.h"
#include "core/base/text.h"
#include "core/files/sha256.h"
#include "core/run/embedded.h"

namespace hw {

std::string StudyRun::identity() const {
  std::string text = model + '\n' + allocator.text();
  for (const auto& [axis, value] : setting.axes) {
    if (!value.empty()) text.append(1, '\n').append(axis).append(1, '=').append(value);
  }
  return sha256(text).substr(0, 32);
}

Result<StudyRuns> StudyRuns::of(const Study& study, const std::filesystem::path& folder) {
  StudyRuns runs;
  runs.study_ = study;
  runs.folder_ = folder;
  HW_TRY(models, modelsOf(study, folder));
  runs.models_ = std::move(models);
  runs.choices_ = study.allocators;
  // `embedded` stands for a plan that a model brings along; where all are asked for, it is none.
  if (runs.choices_.empty()) runs.choices_ = allAllocators(Graph());
  HW_TRY(settings, StudySettings::of(study, folder));
  runs.settings_ = std::move(settings);
  if (runs.settings_.size() > kMost || runs.all() > kMost) {
    return fail(ErrorCode::unsupported,
                fmt::format("the study has more than {} runs: leave values out, or draw some with "
                            "sample = {{runs = 5000}}",
                            groupDigits(kMost)));
  }
  if (study.sample && *study.sample < runs.all()) runs.draw(*study.sample, study.seed);
  return runs;
}

/// Latin hypercube: of each axis, every value is in as many runs, or in one more or less. Runs that
/// come twice are drawn once.
void StudyRuns::draw(std::size_t runs, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<std::size_t> sizes = {models_.size()};
  for (const std::size_t size : settings_.axisSizes()) sizes.push_back(size);
  sizes.push_back(choices_.size());
  sample_.assign(runs, 0);
  std::vector<std::size_t> order(runs);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (const std::size_t size : sizes) {
    dice.shuffle(order);
    for (std::size_t i = 0; i < runs; ++i) sample_[i] = sample_[i] * size + order[i] * size / runs;
  }
  std::ranges::sort(sample_);
  const auto twice = std::unique(sample_.begin(), sample_.end());
  sample_.erase(twice, sample_.end());
}

StudyRun StudyRuns::at(std::size_t number) const {
  StudyRun run = named(number);
  run.setting = settings_.at(place(number) / choices_.size() % settings_.size());
  return run;
}

StudyRun StudyRuns::named(std::size_t number) const {
  const std::size_t at = place(number);
  return {.model = modelOf(number),
          .allocator = choices_[at % choices_.size()],
          .setting = settings_.named(at / choices_.size() % settings_.size())};
}

std::optional<StudyRun> StudyRuns::find(const std::string& model, const std::string& allocator,
                                        const std::map<std::string, std::string>& values) const {
  const auto choice = std::ranges::find(choices_, allocator, &AllocatorChoice::text);
  const auto setting = settings_.find(values);
  const bool known = std::ranges::find(models_, model) != models_.end();
  if (!known || choice == choices_.end() || !setting) return std::nullopt;
  return StudyRun{model, *choice, settings_.at(*setting)};
}

std::string StudyRuns::pathOf(const std::string& model) const {
  return model.starts_with("samples:") ? model : (folder_ / model).string();
}

std::vector<std::string> StudyRuns::axes() const {
  std::vector<std::string> names;
  for (const auto& [axis, value] : settings_.named(0).axes) names.push_back(axis);
  return names;
}

}  // namespace hw
