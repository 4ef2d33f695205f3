#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/shrink/tflm/row_search.h"

namespace hw {

/// The search for ways to run a model on one target, which derived classes measure and write.
class RowShrinker {
 public:
  virtual ~RowShrinker() = default;

 protected:
  RowShrinker(RuntimeKind kind, const RuntimeSearchOptions& options)
      : options_(options), made_{.kind = kind, .budget = options.budget} {}

  /// Head, tail and number of operators of a plan.
  virtual RuntimeWay measure(const RowPlan& plan) = 0;
  /// The file of the way that is chosen, and notes; no plan: the file as it is.
  virtual void write(const RowPlan* plan, RuntimeShrink& made) = 0;

  /// Adds a way that is there without a search.
  void addOwn(RuntimeWay way);
  void addPlans(const RowModel& model);
  void addNote(std::string note) { made_.notes.push_back(std::move(note)); }
  /// The model must be there still, to which plans refer.
  RuntimeShrink finish();

 private:
  void addPlan(std::string name, const RowPlan& plan, const RowModel& model);

  const RuntimeSearchOptions& options_;
  RuntimeShrink made_;
  std::vector<std::optional<RowPlan>> plans_;  ///< By way; nothing: the file as it is.
};

}  // namespace hw
