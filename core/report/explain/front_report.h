#pragma once

#include <string>

#include "core/picture/charts/front_scene.h"
#include "core/report/run/run_report.h"
#include "core/report/text/text_table.h"
#include "core/shrink/shrink.h"
#include "core/study/front.h"

// Two searches for plans that no other is as good as, told alike: capacity of the near memory
// against latency (`Front`), and rewrites (`ShrinkFront`). Both as text, CSV with a line a point,
// JSON ("highwater-front" and "highwater-shrink", docs/formats) and a picture. `file` is how the
// user named the model.

namespace hw {

/// Points of a search for the least latency, and of allocators.
const Columns<FrontPoint>& frontColumns();
/// The capacities that were searched, then the allocators, and what is proved of both.
std::string frontText(const Front& front, const Paint& paint);
/// Points of the search come first, by capacity, then the allocators by peak.
std::string frontCsv(const Front& front, const std::string& file);
Json frontJson(const Front& front, const std::string& file);
FrontScene frontScene(const Front& front);
std::string frontSvg(const Front& front, const Palette& palette);

/// Points of a front of rewrites, which must outlive the columns.
Columns<ShrinkPoint> shrinkColumns(const ShrinkFront& front);
/// "as it is"; "in-place + tile"; "in-place + tile (any)", where it is not line by line.
std::string shrinkStepText(const ShrinkTrial& trial);
std::string shrinkStepText(const ShrinkPoint& point);
/// The outcome of a trial, or why it was not tried: its sentences in one.
std::string shrinkSaidText(const ShrinkTrial& trial);
/// Options that make the plan, beside those of the one as it is: "--tile lines".
std::string shrinkOptionsText(const ShrinkFront& front, const Run& run);
/// "274,176 B, 18 % of the plan as it is": the answer, or why nothing is smaller, or why nothing
/// fits.
std::string shrinkSummary(const ShrinkFront& front);
/// The points, what each rewrite comes to with its lower bound, and the answer.
std::string shrinkText(const ShrinkFront& front, const Paint& paint);
std::string shrinkCsv(const ShrinkFront& front, const std::string& file);
Json shrinkJson(const ShrinkFront& front, const std::string& file);
FrontScene shrinkScene(const ShrinkFront& front);
std::string shrinkSvg(const ShrinkFront& front, const Palette& palette);
/// For documents: what each rewrite comes to, and the points.
std::vector<ReportTable> shrinkTables(const ShrinkFront& front);

}  // namespace hw
