#pragma once

#include <QString>

#include "core/insight/explain.h"
#include "core/picture/block_store.h"

namespace hw {

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
