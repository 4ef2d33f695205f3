#pragma once

#include "core/run/first_device.h"

namespace hw {

/// Whether buffers can move on every device of a platform: each has a memory before its last.
bool movesOnAll(const Platform& platform);

/// A graph spread over the devices of a platform on which buffers move by the rule of `prepared`:
/// one problem with the pools of all. Every buffer has stays of its own, no blocks; what one device
/// makes and another reads goes through the last memory of both, copied where these are two.
Result<Answer> planMovedPartition(const Prepared& prepared, const AllocatorChoice& allocator,
                                  Storage storage, const PlanContext& settings);

}  // namespace hw
