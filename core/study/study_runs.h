#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/study/study.h"

namespace hw {

/// One run of a study: a model, an allocator and a setting.
struct StudyRun {
  std::string model{};  ///< As the study names it.
  AllocatorChoice allocator{};
  StudySetting setting{};

  /// The model, the allocator and the value of every axis: 32 hexadecimal digits, the same in every
  /// study that has such a run.
  std::string identity() const;
};

/// All runs of a study, or the sample it asks for. They are made when somebody asks for them.
class StudyRuns {
 public:
  /// The most runs that a study may have.
  static constexpr std::size_t kMost = 100'000'000;

  /// Files are looked for from `folder`. Fails where a value cannot be read, and on more runs than
  /// that.
  static Result<StudyRuns> of(const Study& study, const std::filesystem::path& folder);

  std::size_t size() const { return sample_.empty() ? all() : sample_.size(); }
  /// Runs of one model are beside each other, then those of one setting.
  StudyRun at(std::size_t number) const;
  /// The same without the request of its setting.
  StudyRun named(std::size_t number) const;
  /// The run of this model, this allocator and these values, by axis, in a sample or not; nothing
  /// where the study has none such.
  std::optional<StudyRun> find(const std::string& model, const std::string& allocator,
                               const std::map<std::string, std::string>& values) const;
  /// The name of its model.
  const std::string& modelOf(std::size_t number) const {
    return models_[place(number) / choices_.size() / settings_.size()];
  }
  const Study& study() const { return study_; }
  const std::filesystem::path& folder() const { return folder_; }
  /// The file of a model, or its name among the samples.
  std::string pathOf(const std::string& model) const;
  /// The names of the axes of the settings.
  std::vector<std::string> axes() const;
  const std::vector<std::string>& models() const { return models_; }
  std::size_t settingCount() const { return settings_.size(); }
  std::size_t allocatorCount() const { return choices_.size(); }

 private:
  std::size_t all() const { return models_.size() * settings_.size() * choices_.size(); }
  std::size_t place(std::size_t number) const { return sample_.empty() ? number : sample_[number]; }
  void draw(std::size_t runs, std::uint64_t seed);

  Study study_{};
  std::filesystem::path folder_{};
  std::vector<std::string> models_{};
  std::vector<AllocatorChoice> choices_{};
  StudySettings settings_{};
  std::vector<std::size_t> sample_{};  ///< Places among all runs, ascending; none: all of them.
};

}  // namespace hw
