#pragma once

#include "core/allocators/catalog.h"

namespace hw {

/// The allocator that `partition` was told to place blocks with.
AllocatorChoice nestedAllocator(const Params& params);

}  // namespace hw
