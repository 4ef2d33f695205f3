#pragma once

#include <functional>

#include "core/study/compare.h"
#include "core/study/study.h"

namespace hw {

/// Takes what came of a setting; false: no more is wanted.
using TakeComparison = std::function<bool(const StudySetting& setting, const Comparison& compared)>;

/// Runs every choice, all allocators if there is none, on `model` under each of the settings.
/// Their rows are tasks of one queue, done by `threads` at a time; what does not change from row to
/// row is made once. `take` gets the comparisons in the order of the settings, each as soon as it
/// and those before it are done, from one thread at a time; a few are kept until then. Returns how
/// many it got. On a stop, settings that were begun are taken with the rows that they have.
std::size_t sweepSettings(std::shared_ptr<const Model> model, const StudySettings& settings,
                          const std::vector<AllocatorChoice>& choices, int threads,
                          const RunContext& context, const TakeComparison& take);

}  // namespace hw
