#pragma once

#include "core/base/columns.h"
#include "core/plan/metrics.h"

namespace hw {

/// What a plan amounts to in a pool, in files and for people: `PoolMetrics`.
const Columns<PoolMetrics>& poolColumns();

}  // namespace hw
