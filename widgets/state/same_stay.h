#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/counterparts.h"
#include "core/run/run.h"

namespace hw {

/// Counterparts in two runs of the same model, whatever was done to the programs of both:
/// steps and stays go over by what operators run and which tensors are held. In runs of two models,
/// such as a file before and after `shrink --runtime`, tensors correspond that have one name, and
/// operators that make such; where less than half of the operators have a counterpart, steps
/// correspond by their share of the run. Both outlive this.
class SameThings {
 public:
  SameThings(const Run& from, const Run& to);

  /// Of one model, and of programs that have something to do with each other.
  bool related() const { return parts_.related(); }
  /// Both run the same operators on the same tensors: steps are steps.
  bool same() const { return parts_.same(); }

  /// The stay of `to` that holds what `stay` of `from` holds; none when there is none.
  StayId stay(StayId stay) const;
  /// The same for many at once: which stays of `to` hold what the marked ones hold. O(tensors +
  /// stays).
  std::vector<bool> stays(const std::vector<bool>& marked) const;
  OpId op(OpId op) const;
  /// The step at which `to` runs what runs at `step`, or last ran before.
  Step step(Step step) const;
  /// All steps at which `to` runs any of what runs during `steps`; nothing where it runs none.
  std::optional<Interval<Step>> steps(Interval<Step> steps) const;

 private:
  /// Runs of two models, which have tensors in common by name alone.
  struct ByName {
    ByName(const Graph& ours, const Graph& theirs);

    TensorId tensor(TensorId tensor) const;
    /// The operator of `wholeGraph` of the other that makes what one makes.
    OpId op(OpId op) const;
    TensorId named(TensorId whole) const;

    const Graph& from;
    const Graph& to;
    Counterparts down;  ///< From whole operators of `to` to those that it runs.
    std::unordered_map<std::string_view, TensorId> tensors{};  ///< Of `wholeGraph(to)`.
    bool pairsOps = false;                                     ///< At least half of them.
  };

  std::vector<OpId> ops(OpId op) const;
  bool pairsOps() const { return byName_ ? byName_->pairsOps : related(); }
  std::optional<Step> exactStep(Step step) const;
  Step shareOf(Step step) const;
  TensorId tensor(TensorId tensor) const;

  const Run& from_;
  const Run& to_;
  Counterparts parts_;
  std::optional<ByName> byName_;  ///< Unless they are related.
};

}  // namespace hw
