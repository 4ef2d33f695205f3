#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/columns.h"
#include "core/files/database.h"
#include "core/study/study.h"

namespace hw {

/// The column of a figure of results, whose unit may be left out: "latency" is latency_ps. Fails
/// where there is none of numbers, with the word that is closest.
Result<std::string> figureNamed(const std::string& name);

/// A bound of a figure: rows beyond it are no answers.
struct Constraint {
  std::string figure{};    ///< Its column.
  std::string relation{};  ///< One of < <= > >= =
  Value bound{};

  /// "peak <= 1MiB", "latency < 5 ms", "gap <= 10%"; a number without a unit has that of the
  /// figure. Fails with what was expected.
  static Result<Constraint> parse(std::string_view text);
};

/// The rules of a study about its figures: which ones its rows keep, and which rows are answers.
struct StudyRules {
  std::vector<Constraint> constraints{};
  std::vector<std::string> record{};  ///< Columns; none: all.

  static Result<StudyRules> of(const Study& study);
  /// Those that a file of results keeps.
  static Result<StudyRules> of(Database& results);

  bool keeps(std::string_view figure) const;
  /// Of SQL, true for each row that meets the constraints; empty without any. Kept in files of
  /// results, as is the list of what is recorded.
  std::string condition() const;
  std::string recordText() const;
};

}  // namespace hw
