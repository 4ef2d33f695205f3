#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/shrink/tflm/row_placer.h"
#include "core/shrink/tflm/row_program.h"

namespace hw {

/// A program in parts with offsets for its blocks.
struct RowPlan {
  std::shared_ptr<const RowProgram> program{};
  RowPlacement placement{};
  Bytes bound{};  ///< No placement of these parts has a lower head.

  Bytes head() const { return Bytes(placement.head); }
  Bytes tail() const { return program->tail(); }
  Bytes total() const { return head() + tail(); }
};

struct RowSearchOptions {
  /// Kernels make rows from the top to the bottom, so that outputs may lie over rows of the input
  /// that nobody reads any more.
  bool ascending = true;
  double extraMacs = 0.5;         ///< At most so many times those of the model are made again.
  std::optional<Bytes> budget{};  ///< Of head and tail.
  int threads = 1;
  std::stop_token stop{};
  /// Called when there is something smaller, with its bytes and how far the search is, 0 to 1.
  std::function<void(double, Bytes)> progress{};
};

/// Bytes of the arena against multiplications.
struct RowFront {
  RowPlan plain{};                ///< Whole operators, kernels in any order.
  RowPlan overlap{};              ///< Whole operators; as `plain` where kernels are not known.
  std::vector<RowPlan> points{};  ///< Ascending by total, `overlap` last: none covers another.
  bool stopped = false;           ///< There would have been more.
};

/// Looks for the runs of operators which, in so many parts, bring head and tail together down: one
/// run after the other around the moment at which most bytes are live, the one whose bound is
/// lowest being placed first. Deterministic, whatever the number of threads.
RowFront searchRows(const RowModel& model, const RowSearchOptions& options);

}  // namespace hw
