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
  Bytes alignment{1};
  Storage storage{};  ///< Ignored for a planning problem.
  std::vector<Pool> pools{};
  IdMap<TensorId, std::optional<Address>> places{};  ///< By root tensor.
};

/// The plan as a run, so that what works on runs (the byte-level replay) works on it. It has no
/// story, no timing and no metrics. Null when a buffer has no place.
std::shared_ptr<const Run> assembleRun(AuditedRunParts parts);

}  // namespace hw
