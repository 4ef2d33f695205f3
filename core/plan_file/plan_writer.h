#pragma once

#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/importer.h"
#include "core/run/run.h"
#include "core/storage/aliasing.h"

namespace hw {

/// Plan JSON (docs/formats/plan.md). Equal runs give equal bytes.
void writePlanJson(const Run& run, std::ostream& out);

/// The same, but the tables of a search say also when it found what: differs from run to run.
void writeTimedPlanJson(const Run& run, std::ostream& out);

/// The planned problem in MiniMalloc's CSV form with an `offset` column: one row a buffer, exact
/// sizes. Columns `alignment`, `gaps` and `pool` appear when some row needs them.
void writePlanCsv(const Run& run, std::ostream& out);

/// Columns with rules, which a file has where some row has any.
inline constexpr std::array<std::string_view, 9> kRuleTitles = {"conflicts", "apart",   "together",
                                                                "exclusive", "penalty", "allowed",
                                                                "pinned",    "pools",   "reserved"};

/// One line of MiniMalloc's CSV form, and of our additions to it (docs/formats/problem_csv.md).
struct ProblemRow {
  std::string id{};
  Interval<Step> steps{};
  Bytes size{};
  Bytes alignment{1};
  std::vector<Interval<Step>> gaps{};
  std::string pool{};     ///< Empty: the first.
  std::string moves{};    ///< What moves here: "L3@4 L3@9", from which pool at which step.
  std::string overlap{};  ///< The input that it shares bytes with, and how: "t3@forward".
  std::string layout{};   ///< How it is held, where not as the model has it: "nhwc".
  /// Words of the columns `kRuleTitles`, in their order.
  std::array<std::string, kRuleTitles.size()> rules{};
  std::optional<Bytes> offset{};
};

/// Columns that a file needs besides id and size.
struct ProblemColumns {
  bool offset = false;
  bool steps = true;  ///< False: conflicts stand in their place.
};

/// Writes `rows` as they come. Columns that are not needed appear when rows differ from the default
/// there.
void writeProblemRows(const std::vector<ProblemRow>& rows, ProblemColumns columns,
                      std::ostream& out);

/// A bare problem with its constraints, a row for each stay, called b<N>; without moves.
void writeProblem(const Problem& problem, std::ostream& out);

/// The buffers of a model with operators as a planning problem.
struct BareProblem {
  Storage storage{};
  Problem problem{};  ///< A stay for every buffer, with the same number, and exact sizes.
};

/// In pool L2, and those that the rules about tensors name. Fails where these cannot be kept.
Result<BareProblem> bareProblemOf(const Model& model, const StorageOptions& options);

/// The buffers of a model as a planning problem: exact sizes, in id order, called t<N> after their
/// root tensor. With `AliasRules::none()` and alignment 1 that is every tensor on its own. A model
/// that is a problem already is written as it came, offsets included. Fails where rules about
/// tensors cannot be kept.
Result<void> writeProblemCsv(const Model& model, const StorageOptions& options, std::ostream& out);

/// The same for dsa-solver (dsa-problem-v1, docs/formats/dsa.md). One of its problems is written as
/// it came. Fails in the same way, and for groups that lie at one offset of several pools: theirs
/// have one.
Result<void> writeDsaProblem(const Model& model, const StorageOptions& options, std::ostream& out);

/// The plan of one of its problems for dsa-solver (dsa-solution-v1). Fails for other models.
Result<void> writeDsaSolution(const Run& run, std::ostream& out);

}  // namespace hw
