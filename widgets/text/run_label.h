#pragma once

#include <QString>

#include "core/run/run.h"

namespace hw {

// What compared runs are called, everywhere alike.

/// "A", "B", … "Z", "AA": the run on show is number 0.
QString runLetter(std::size_t index);

/// Method and platform, and L2's capacity where it is not the platform's: "in-order on
/// generic-npu, L2 512.0 KiB". Of a planning problem, which runs nowhere, the method alone.
QString runLabel(const Run& run);

/// The line above a map that is held against others: letter, pool, label, and the pool's peak and
/// how far that is above its live peak.
QString comparedTitle(const QString& letter, const Run& run, PoolId pool);

}  // namespace hw
