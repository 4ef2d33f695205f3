#pragma once

#include <optional>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// The steps at which operators write and read tensors, and the buffers that hold them. Folded
/// operators do neither. Without operators nothing is known, and nobody seems to use anything.
class Uses {
 public:
  /// O(n log n) in uses. `run` outlives it.
  explicit Uses(const Run& run);

  /// The most steps from the begin of the life of a stay, or from a use in it, to the next use.
  std::int64_t longestWait(StayId stay) const;
  /// The same of a tensor, from when it is written.
  std::int64_t longestWait(TensorId tensor) const;
  /// In the life of the stay; nothing where nobody uses it.
  std::optional<Step> lastUse(StayId stay) const;

 private:
  template <class Key>
  using Touches = std::vector<std::pair<Key, Step>>;  ///< Ascending.

  template <class Key>
  static std::int64_t longest(const Touches<Key>& all, Key key, const Interval<Step>& life);

  const Run& run_;
  Touches<TensorId> ofTensor_;
  Touches<BufferId> ofBuffer_;
};

/// A stay that keeps its bytes after its last use.
struct LateFree {
  StayId stay{};
  Step lastUse{};
  std::int64_t steps = 0;  ///< As many later it is freed; positive.
};

/// Those of a run but graph outputs and weights, which are meant to stay: the most bytes times
/// steps first.
std::vector<LateFree> lateFrees(const Run& run);

}  // namespace hw
