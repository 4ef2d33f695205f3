#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/counterparts.h"
#include "core/run/run.h"

namespace hw {

/// Counterparts in two runs of the same model, whatever was done to the programs of both:
/// steps and stays go over by what operators run and which tensors are held. In runs of two models
/// tensors correspond that have one name, and steps by their share of the run. Both outlive this.
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
  OpId op(OpId op) const { return parts_.op(op); }
  /// The step at which `to` runs what runs at `step`, or last ran before.
  Step step(Step step) const;
  /// All steps at which `to` runs any of what runs during `steps`; nothing where it runs none.
  std::optional<Interval<Step>> steps(Interval<Step> steps) const;

 private:
  std::optional<Step> exactStep(Step step) const;
  Step shareOf(Step step) const;
  TensorId tensor(TensorId tensor) const;

  const Run& from_;
  const Run& to_;
  Counterparts parts_;
  std::unordered_map<std::string_view, TensorId> byName_;  ///< Of `to`, unless they are related.
};

}  // namespace hw
