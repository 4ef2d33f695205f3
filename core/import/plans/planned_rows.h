#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/dtype.h"
#include "core/import/importer.h"

namespace hw {

/// A buffer of somebody else's plan: when it is live, and where.
struct PlannedRow {
  std::string name{};
  std::int64_t first = 0;  ///< Both inclusive, not negative.
  std::int64_t last = 0;
  Bytes size{};
  std::optional<Bytes> offset{};  ///< Nothing: the plan does not say.
  bool input = false;             ///< Somebody hands it in,
  bool output = false;            ///< or takes it when all is done.
  bool lifeUnknown = false;       ///< The plan does not say when: the steps are a guess.
  Dtype dtype = Dtype::unknown;
  std::optional<Shape> shape{};
  std::string of{};  ///< The tensor that it has some rows of, where operators run in parts.
};

/// An operator that runs in parts, and the names of the tensors that it has in all of them.
struct PlannedWhole {
  std::string type{};
  std::string domain{};
  std::vector<std::string> inputs{};
  std::vector<std::string> outputs{};
};

/// The operator at a step, where the plan names it.
struct PlannedStep {
  std::string name{};
  std::string type{};
  std::string domain{};
  std::map<std::string, AttributeValue> attributes{};
  std::optional<std::size_t> of{};  ///< Of `PlannedRows::wholes`.
};

/// A plan of some tool, read from what it prints or writes.
struct PlannedRows {
  /// A sentence on what this is, with which its notes begin; empty: a plan.
  std::string is{};
  std::string format{};  ///< The importer's name.
  std::string name{};    ///< Of the model; empty: not known.
  std::vector<PlannedRow> rows{};
  std::vector<PlannedStep> steps{};    ///< By step; may be shorter than the plan.
  bool isInParts = false;              ///< Steps are parts of operators.
  std::vector<PlannedWhole> wholes{};  ///< Those; empty: not known.
  std::vector<std::string> notes{};
  /// The facts that a plan could have and this one lacks: "names", "operators".
  std::vector<std::string> unknown{};
  /// Plans are of one memory each: those that the file has, and which of them these rows are.
  std::vector<ModelPart> pools{};
  std::size_t pool = 0;
};

/// The rows as a graph that brings its plan along: a step of it is an operator, which makes the
/// buffers that begin there and reads those that end there. So a buffer's life is the one stated,
/// and whatever works on plans of models works on it: the way of planning `embedded` is theirs, all
/// others are ours. Where most steps are idle, because no buffer begins or ends there, those are
/// left out. Fails on rows that cannot be.
Result<Model> planModel(PlannedRows plan);

/// The part of `plan.pools` that `wanted` names: a key; empty: `standard`. Sets `plan.pool`. Fails
/// with the names there are.
Result<std::size_t> choosePool(PlannedRows& plan, const std::string& wanted, std::size_t standard);

}  // namespace hw
