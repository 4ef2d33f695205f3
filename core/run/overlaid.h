#pragma once

#include "core/run/run.h"

namespace hw {

/// What the allocator of `run` may write over an input, by stay: nothing unless it decides that
/// itself and the user wants work in place. Stays are those of the storage's buffers.
std::vector<Overlay> permittedOverlays(const Run& run);

/// Turns the overlays that the plan of `run` made use of into shared storage, so that all that
/// follows sees one buffer where the plan has one block: storage, problem and plan are replaced.
/// `problemOf` makes the problem of a run's storage.
void adoptOverlays(Run& run, Problem (*problemOf)(const Run&));

}  // namespace hw
