#pragma once

#include <memory>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// A plan from a file, resolved: where every tensor is and who shares storage with whom.
struct AuditedRunParts {
  struct Pool {
    std::string name{};
    Bytes size{};
  };
  std::shared_ptr<const Model> model{};
  Schedule schedule{};
  Bytes alignment{1};
  Storage storage{};  ///< Ignored for a planning problem.
  std::vector<Pool> pools{};
  /// Where a tensor is for some steps.
  struct Place {
    Address address{};
    Interval<Step> steps{};
  };
  IdMap<TensorId, std::vector<Place>> places{};
  /// A buffer that goes from one pool to another; none: outside of the plan.
  struct Moved {
    BufferId buffer{};
    PoolId from{};
    PoolId to{};
    Step step{};
  };
  std::vector<Moved> moves{};  ///< Ascending by step.
};

/// The plan as a run, so that what works on runs (the byte-level replay) works on it. It has no
/// story, no timing and no metrics. A buffer in several places has a stay in each; a move is
/// between those that are in its pools at its step, and names none where there is none. Null when a
/// buffer has no place, or a stay of a planning problem several.
std::shared_ptr<const Run> assembleRun(AuditedRunParts parts);

}  // namespace hw
