#pragma once

#include <string>

#include "core/insight/plan_diff.h"
#include "core/report/text/text_table.h"

namespace hw {

/// Two plans and how they differ.
struct DiffReport {
  DiffSide a{};
  DiffSide b{};
  PlanDiff diff{};
};

struct DiffTextOptions {
  Paint paint{};
  std::size_t rows = 20;  ///< Most rows of the list of tensors.
};

/// Peaks side by side, what moved, and the first event that is not the same.
std::string diffText(const DiffReport& report, const DiffTextOptions& options);

/// The object of docs/formats/diff.md.
Json diffJson(const DiffReport& report);

/// A line a tensor that differs, with its place in both plans.
std::string diffCsv(const DiffReport& report);

}  // namespace hw
