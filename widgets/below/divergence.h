#pragma once

#include <QString>
#include <optional>

#include "core/run/run.h"

namespace hw {

/// The point at which two runs of one model part: the first memory event that is not the same.
struct Divergence {
  Step step{};
  StayId stay{};  ///< In A: what that event is about; none when A does not have it.
  /// In A: right after that event; none when A does nothing at that step.
  std::optional<std::size_t> moment{};
  QString text{};  ///< The two events in a sentence.
};

/// `letter` is what B is called in the text. Nothing when both do the same all along. Looks at
/// every event: not for the thread that draws.
std::optional<Divergence> firstDivergence(const Run& a, const Run& b,
                                          const QString& letter = QStringLiteral("B"));

}  // namespace hw
