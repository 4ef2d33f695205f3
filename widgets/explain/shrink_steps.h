#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/insight/advice.h"
#include "core/shrink/shrink.h"

namespace hw {

/// What would make the memory of a run smaller: the front of its rewrites, and what else helps.
struct ShrinkFindings {
  std::shared_ptr<const ShrinkFront> front{};  ///< Null where operators cannot be rewritten.
  QString whyNot{};                            ///< Then: in a sentence.
  /// Other methods, alignments, and room that the caller could provide; where operators cannot be
  /// rewritten, all advice that there is. Null before it has been looked for.
  std::shared_ptr<const AdviceReport> advice{};
};

/// One thing to do, and what it comes to.
struct ShrinkStep {
  QString what{};
  QString options{};                  ///< Those of the command line that do it.
  QString why{};                      ///< What came of it, or why it was not tried.
  std::shared_ptr<const Run> run{};   ///< Null where it was not tried.
  std::shared_ptr<const Run> base{};  ///< What it is held against.
  Bytes leaves{};
  Bytes saved{};
  std::optional<Bytes> bound{};  ///< No plan with that needs less.
  bool anyOrder = false;         ///< Whatever the order.
  double extraMacs = 0;          ///< Multiplications made again / those of the model.
};

/// From the plan as it is down to the smallest; those that were not tried at the end.
std::vector<ShrinkStep> shrinkSteps(const ShrinkFindings& findings);

}  // namespace hw
