#pragma once

#include <QString>
#include <vector>

#include "core/insight/explain.h"
#include "core/picture/block_store.h"
#include "core/run/run.h"

namespace hw {

/// The stays that held any of the stay's bytes before it and were the last to do so, latest first.
std::vector<StayId> formerTenants(const Run& run, StayId stay);

// Parts of a page of HTML about one stay, with links "stay:N" and "op:N".

/// Its name, its size, its place and its lifetime.
QString stayHead(const Run& run, StayId stay);
/// Its way there: who was there before, and what the allocator did.
QString stayStory(const Run& run, StayId stay);
/// Its tensor, who makes and reads it, and who shares it; empty for planning problems.
QString stayTensors(const Run& run, StayId stay);

/// Rules on who may share its bytes, who may not, at which price, and where it may lie; empty where
/// nothing is said.
QString stayConstraints(const Run& run, StayId stay);

/// The content of `pool` at `step` as a bar in the colours of the theme in force, and below it the
/// largest that live there with the same links, and holes. Empty where nothing lives.
QString fillingPart(const Run& run, PoolId pool, Step step, const Coloring& coloring);

/// A page of HTML about the op of a step, with the same links.
QString stepPage(const Run& run, Step step);

/// A page of HTML about one activity of a run: where and when it ran, of what its time is made,
/// what it waited for and whether the latency hangs on it; with links "activity:N", "stay:N" and
/// "op:N".
QString activityPage(const Run& run, ActivityId activity);

/// "Chosen", "Too small", …: in the user's language.
QString verdictText(Verdict verdict);

struct WhyHere {
  /// A part of a page: what decided where a stay lies, and every place that was considered, with
  /// links "stay:N" to whoever bounds it.
  QString html{};
  /// The free places among them that were not taken, at most 32.
  std::vector<Ghost> ghosts{};
};

WhyHere whyHere(const Run& run, StayId stay);

}  // namespace hw
