#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/import/measured/operator_profile.h"

namespace hw {

/// A time that was measured: cycles of the machine's clock, or microseconds.
struct MeasuredSpan {
  static constexpr double kLeast = 1e-6;  ///< Less is no time.
  static constexpr double kMost = 1e15;
  double amount = 0;
  bool cycles = false;

  double microseconds(std::int64_t clock) const {
    return cycles ? amount * 1e6 / static_cast<double>(clock) : amount;
  }
};

/// Times of the operators of a network, or of all of it.
struct OperatorTimes {
  OperatorProfile profile{};          ///< Their names, types and numbers.
  std::vector<MeasuredSpan> spans{};  ///< One for each.
  std::optional<MeasuredSpan> total{};
};

/// A time of a whole network, "total=145.8 inf/s": inferences a second, s, ms, us or cycles.
/// Nothing: `text` does not begin with "total=".
std::optional<Result<OperatorTimes>> parseTotalTime(std::string_view text);

/// A profile of ONNX Runtime, a table of ExecuTorch's Inspector, a log of tflite-micro's profiler,
/// whose ticks count as cycles, a report of ST's tools with times by node, the results of MLPerf
/// Tiny's runner, or CSV: operator,cycles or operator,us, also type. An operator is a name or a
/// number in the order of the model; "total" is all of them, and counts alone. Rows whose time is
/// empty are passed over.
Result<OperatorTimes> readOperatorTimes(std::string_view bytes);

}  // namespace hw
