#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hw {

/// What to run and on what: every combination of the lists below is one run. Texts are as the
/// options of the same names take them. Format: docs/formats/study.md.
struct Study {
  std::vector<std::string> models{};      ///< Paths from the study's folder, or samples:NAME.
  std::vector<std::string> allocators{};  ///< Empty: all.
  std::vector<std::string> platforms{};
  std::vector<std::string> l2{};
  std::vector<std::string> l3{};
  std::vector<std::string> align{};
  std::vector<std::string> alias{};
  std::vector<std::string> inputs{};
  std::vector<std::string> outputs{};
  std::vector<std::string> dim{};  ///< NAME=VALUE; for all models, not a list of choices.
  std::vector<std::string> seeds{};
  double timeLimit = 0;  ///< Seconds, for allocators that search; 0: none.
};

/// Reads a study. Lists that the text does not have get one empty element, which stands for the
/// option's default; `models` must be there. Errors say what was expected, and at which line.
Result<Study> parseStudy(std::string_view text);

}  // namespace hw
