#pragma once

#include <memory>
#include <vector>

#include "core/shrink/runtime_shrink.h"
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
RowFront searchRows(const RowModel& model, const RuntimeSearchOptions& options);

}  // namespace hw
