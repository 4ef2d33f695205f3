#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/check/replay.h"
#include "core/plan/validate.h"
#include "core/run/run.h"
#include "tests/support/findings.h"

namespace hw::test {

/// Two devices with an L2 of `near` bytes each, the first behind an L1 of `nearest` if that is not
/// 0, around one L3. Conv and Relu are A's, all else is B's. `issue` of the second.
Platform clusters(std::int64_t nearest, std::int64_t near, const std::string& issue);

/// A graph spread over the devices of `platform`, with alignment 1; `tell` says what else is asked.
std::shared_ptr<const Run> spreadRun(const Graph& graph, const Platform& platform,
                                     const std::string& allocator,
                                     const std::function<void(RunRequest&)>& tell);

/// Everything that can be wrong with a run on several devices; empty when nothing is.
std::string faultOf(const Run& run);

}  // namespace hw::test
