#pragma once

#include "core/graph/tiling.h"

namespace hw {

/// forEachStretch for those that have some of the bytes `of` the piece, found without a look at the
/// others; all of a piece have the same length. None where it has no elements.
void forEachStretchIn(const Shape& host, const Shape& at, const Shape& shape, Bytes element,
                      Interval<Bytes> of,
                      const std::function<void(Bytes offset, Bytes length)>& visit);

}  // namespace hw
