#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/compare.h"

namespace hw {

/// The values that a free dimension of a model takes one after the other: "past=0:2048:64" is 0,
/// 64, …, 2048.
struct DimensionRange {
  /// The most values.
  static constexpr std::int64_t kMost = 1'000;

  std::string name{};
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t step = 1;

  /// Reads NAME=FROM:TO:STEP, of whole numbers from 0, ascending; without :STEP it is 1.
  static Result<DimensionRange> parse(std::string_view text);
  /// Ascending; `to` is one of them where steps meet it.
  std::vector<std::int64_t> values() const;
};

/// A model as one value of the dimension makes it, planned and simulated.
struct DimensionPoint {
  std::int64_t value = 0;
  ComparisonRow row{};  ///< Says why where there is no run.
};

/// A model, opened with one value of the dimension, and what is asked of it.
struct OpenedModel {
  std::shared_ptr<const Model> model{};
  RunRequest request{};
};
using OpenAtValue = std::function<Result<OpenedModel>(std::int64_t value)>;

/// One point for each value, each a row as in a study: `threads` of them at a time, each planned
/// with one. A model that cannot be opened or planned is a row that says so. Stopped, it gives rows
/// that were.
std::vector<DimensionPoint> sweepDimension(const DimensionRange& range, const OpenAtValue& open,
                                           int threads, const RunContext& context);

}  // namespace hw
