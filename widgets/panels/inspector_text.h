#pragma once

#include <QString>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// The stays that held any of the stay's bytes before it and were the last to do so, latest first.
std::vector<StayId> formerTenants(const Run& run, StayId stay);

/// A page of HTML about one stay, with links "stay:N" and "op:N".
QString stayPage(const Run& run, StayId stay);

/// A page of HTML about the op of a step, with the same links.
QString stepPage(const Run& run, Step step);

}  // namespace hw
