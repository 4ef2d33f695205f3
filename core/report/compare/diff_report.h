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

/// Peaks side by side, what moved, and the first event that is not the same.
std::string diffText(const DiffReport& report, const TextOptions& options);

/// The object of docs/formats/diff.md.
Json diffJson(const DiffReport& report);

/// A line a tensor that differs, with its place in both plans.
std::string diffCsv(const DiffReport& report);

}  // namespace hw
