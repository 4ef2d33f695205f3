#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/report/text_table.h"

namespace hw::cli {

/// Colours for standard output: on a terminal that can, unless NO_COLOR is set.
Paint outputPaint();

/// A line on standard error that shows how far long work has come, if that is a terminal. Nothing
/// appears before half a second has gone by, and nothing is left when it ends.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  /// For RunContext; may be called from any thread. Empty when there is no terminal.
  std::function<void(double, const std::string&)> callback();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace hw::cli
