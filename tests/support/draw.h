#pragma once

#include <string>

#include "core/memory/chunk_map.h"
#include "core/plan/plan.h"

namespace hw::test {

/// "a:40 |60 b:28": stay 0 on 40 bytes, 60 free, stay 1 on 28, from address 0 up. Regions are
/// separated by " / ".
std::string draw(const ChunkMap& chunks);

/// The pool as the op of `step` sees it: its stays are there, and nothing is released yet.
std::string memoryAt(const Plan& plan, std::int64_t step, PoolId pool = PoolId(0));

/// The whole story in the words people use, one line a step: "0: fresh b [4, 20) release a".
std::string storyOf(const Plan& plan);

}  // namespace hw::test
