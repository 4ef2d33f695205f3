#pragma once

#include <vector>

#include "core/picture/block_store.h"
#include "core/picture/run_scale.h"

namespace hw {

/// A tensor that lies inside a block of a map with others: its own bytes for its own life.
struct PartBlock {
  TensorId tensor{};
  Interval<double> span{};  ///< On the axis of the scale; inside the block's.
  Interval<Bytes> bytes{};  ///< Flat, like the block's.
  TensorClass kind = TensorClass::view;
};

/// The tensors that share `block`, larger ones first: whoever draws them in this order covers none.
/// Empty where one tensor has the block for itself. O(k log k).
std::vector<PartBlock> partBlocks(const Run& run, const RunScale& scale, const Block& block);

/// The last of them, as they are drawn, that has the byte at a place of the axis; none where no
/// tensor needs it.
TensorId partAt(const Run& run, const RunScale& scale, const Block& block, double place, Bytes at);

/// "ra: bytes 0–63 of c, no copy".
std::string partLabel(const Run& run, TensorId tensor);

}  // namespace hw
