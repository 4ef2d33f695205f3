#pragma once

#include <optional>
#include <ostream>
#include <string>
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
  std::optional<Bytes> offset{};
};

/// Which columns a file needs besides id, lower, upper and size.
struct ProblemColumns {
  bool offset = false;
};

/// Writes `rows` as they come. Columns `alignment`, `gaps`, `pool`, `moves`, `overlap` and `layout`
/// appear when rows differ from the default there.
void writeProblemRows(const std::vector<ProblemRow>& rows, ProblemColumns columns,
                      std::ostream& out);

/// A bare problem, a row for each stay, called b<N>; without pins, pools and moves.
void writeProblem(const Problem& problem, std::ostream& out);

/// The buffers of a model as a planning problem: exact sizes, in id order, called t<N> after their
/// root tensor. With `AliasRules::none()` and alignment 1 that is every tensor on its own. A model
/// that is a problem already is written as it came, offsets included.
void writeProblemCsv(const Model& model, const StorageOptions& options, std::ostream& out);

/// The same for dsa-solver (dsa-problem-v1, docs/formats/dsa.md). One of its problems is written as
/// it came.
void writeDsaProblem(const Model& model, const StorageOptions& options, std::ostream& out);

/// The plan of a problem for dsa-solver (dsa-solution-v1), with the fingerprint of what
/// `writeDsaProblem` writes of it. Fails where it uses a pool that the problem does not have.
Result<void> writeDsaSolution(const Run& run, std::ostream& out);

}  // namespace hw
