#pragma once

#include <memory>

#include "core/run/run.h"

namespace hw {

/// Times, story and timeline of `run`, from its plan and its platform.
void play(Run& run);

/// The plan of `run` as it is, played on another machine: the same devices and memories with other
/// speeds, channels or units. Nothing is planned; the request says `platform`. A run of a planning
/// problem stays as it is.
std::shared_ptr<const Run> replayed(const Run& run, Platform platform);

/// Another plan of the same stays, within what `request` says of the first pool: finished, measured
/// and played as `execute` would have. `request` differs from that of `run` in who plans and in how
/// much, and says so.
std::shared_ptr<const Run> replanned(const Run& run, Plan plan, RunRequest request);

}  // namespace hw
