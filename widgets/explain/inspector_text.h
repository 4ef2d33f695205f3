#pragma once

#include <QString>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// The stays that held any of the stay's bytes before it and were the last to do so, latest first.
std::vector<StayId> formerTenants(const Run& run, StayId stay);

// Parts of a page of HTML about one stay, with links "stay:N" and "op:N".

/// What it is called, how large it is, where it lies and when.
QString stayHead(const Run& run, StayId stay);
/// How it got there: who was there before, and what the allocator did.
QString stayStory(const Run& run, StayId stay);
/// Its tensor, who makes and reads it, and who shares it; empty for planning problems.
QString stayTensors(const Run& run, StayId stay);

/// A page of HTML about the op of a step, with the same links.
QString stepPage(const Run& run, Step step);

}  // namespace hw
