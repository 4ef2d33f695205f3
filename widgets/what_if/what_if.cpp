#include "widgets/what_if/what_if.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/text.h"
#include "core/run/replay.h"

namespace hw {

Result<RunRequest> whatIfRequest(const Run& run, const WhatIf& change) {
  RunRequest request = run.request;
  HW_TRY(platform, tuned(request.platform, change.tuning));
  request.platform = platform;
  if (change.l2) request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = *change.l2};
  return request;
}

Result<std::shared_ptr<const Run>> whatIf(const Run& run, const WhatIf& change,
                                          const RunContext& context) {
  HW_TRY(request, whatIfRequest(run, change));
  if (change.l2) return execute(run.model, request, context);
  return replayed(run, request.platform);
}

std::string pathShares(const Run& run) {
  const auto& path = run.timing.account.criticalPath;
  double computes = 0;
  double moves = 0;
  for (const ActivityId id : path) {
    const ActivityTime& time = run.timing.times[id];
    const auto length = static_cast<double>((time.end - time.start).count());
    const bool compute = run.timing.activities.activities[id].kind == ActivityKind::compute;
    (compute ? computes : moves) += length;
  }
  const double all = computes + moves;
  if (all <= 0) return {};
  const auto share = std::lround(computes / all * 100);
  return fmt::format("compute {} %, moves {} %, in {} activities", share, 100 - share,
                     groupDigits(static_cast<std::int64_t>(path.size())));
}

}  // namespace hw
