#pragma once

#include <QString>

#include "core/run/explain.h"

namespace hw {

/// "Chosen", "Too small", …: in the user's language.
QString verdictText(Verdict verdict);

/// A part of a page of HTML: what decided where a stay lies, and every place that was considered,
/// with links "stay:N" to whoever bounds it.
QString whyHereHtml(const Run& run, StayId stay);

}  // namespace hw
