#pragma once

#include <QMap>
#include <QString>

#include "app/gui/arguments.h"

namespace hw {

/// A request as texts by name, in the form the command line takes them: for keeping it, and for
/// telling what changed. Holds what a user can choose; the names are stable.
using ScenarioFacts = QMap<QString, QString>;

ScenarioFacts factsOf(const RunRequest& request);

/// The request that `facts` tell. What is missing, or unknown by now, keeps its default.
RunRequest requestOf(const ScenarioFacts& facts);

/// "Allocator free-list → best, alignment 64 → 16"; empty when both are the same.
QString changeText(const RunRequest& before, const RunRequest& after);

}  // namespace hw
