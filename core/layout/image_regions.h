#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace hw {

/// The images of a graph that are held alike: those that operators on images read and make, and all
/// that goes element by element, or axis by axis, from one of these to another.
class ImageRegions {
 public:
  explicit ImageRegions(const Graph& graph);

  /// There are some.
  bool any() const { return any_; }
  bool contains(TensorId tensor) const;

 private:
  TensorId rootOf(TensorId tensor) const;

  mutable IdMap<TensorId, TensorId> parent_;
  IdMap<TensorId, bool> image_;  ///< By root.
  bool any_ = false;
};

}  // namespace hw
