#pragma once

#include "core/run/planner.h"

namespace hw {

// Allocators that decide themselves which ops work in place plan with overlays: permissions in the
// problem. What they made of them becomes shared storage.

/// The permissions to write over an input, by stay; stays are those of the storage's buffers.
std::vector<Overlay> permittedOverlays(const Graph& graph, const Schedule& schedule,
                                       const Storage& storage);

/// Which outputs may overlap the inputs they are made of, as far as the kernels of the unit of
/// `device` that runs the op allow it, and how far apart they begin then: a multiple of
/// `alignment`, as all that plans can make of it is.
std::vector<Overlap> permittedOverlaps(const Graph& graph, const Schedule& schedule,
                                       const Storage& storage, const DeviceSpec& device,
                                       Bytes alignment);

/// The storage in which every overlay that `planned` made use of is one buffer, so that all that
/// follows sees one buffer where the plan has one block.
Storage overlaidStorage(const Graph& graph, const Schedule& schedule, const Storage& storage,
                        const Planned& planned);

/// `planned` again for `problem`, which was made of the overlaid storage: what shares a block is
/// one stay, at the address that its root had.
Planned overlaidPlan(const Storage& before, Planned planned, const Storage& after, Problem problem);

}  // namespace hw
