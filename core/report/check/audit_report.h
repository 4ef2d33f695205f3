#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/report/text/text_table.h"

namespace hw {

/// Outcome of the byte-level replay of an audited plan.
struct ReplayResult {
  bool done = false;  ///< false: the plan is too broken to be replayed.
  std::vector<Corruption> corruptions{};
};

/// An audit, perhaps with a replay, to be told.
struct AuditReport {
  std::shared_ptr<const Model> model{};
  Audit audit{};
  std::optional<ReplayResult> replay{};

  bool valid() const;
  /// One sentence about the first thing wrong; empty when nothing is.
  std::string firstProblem() const;
};

/// Replays the plan on arenas of at most `maxArena` bytes, if it can be, and tells how far it is.
ReplayResult replayAudited(const Audit& audit, Bytes maxArena,
                           const std::function<void(double)>& progress = {});

std::string auditText(const AuditReport& report, const TextOptions& options);
Json auditJson(const AuditReport& report);

}  // namespace hw
