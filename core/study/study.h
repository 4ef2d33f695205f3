#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/allocators/plugin.h"
#include "core/run/options.h"

namespace hw {

/// What to run and on what: every combination of the lists below is one run. Keys and texts are
/// those of the run options. Format: docs/formats/study.md.
struct Study {
  std::vector<std::string> models{};          ///< Paths from the study's folder, or samples:NAME.
  std::vector<AllocatorChoice> allocators{};  ///< None: all.
  /// What the study says of options: of those that are an axis, all values to run.
  OptionTexts options{};
};

/// Reads a study; errors say what was expected, and at which line. Who passes a study on passes no
/// code with it: plug-ins are refused unless the one who runs it allows them.
Result<Study> parseStudy(std::string_view text, Plugins plugins = Plugins::refuse);

/// One combination of the values of a study.
struct StudySetting {
  /// As the study says it, option by option; empty for a default.
  std::vector<std::pair<std::string, std::string>> axes{};
  RunRequest request{};
};

/// All of them, the last axis changing fastest. Files are looked for from `folder`.
Result<std::vector<StudySetting>> settingsOf(const Study& study,
                                             const std::filesystem::path& folder);

}  // namespace hw
