#pragma once

#include <memory>

#include "core/run/run.h"

namespace hw {

/// The plan of `run` as it is, played on another machine: the same devices and memories with other
/// speeds, channels or units. Nothing is planned; the request says `platform`. A run of a planning
/// problem stays as it is.
std::shared_ptr<const Run> replayed(const Run& run, Platform platform);

}  // namespace hw
