#pragma once

#include <string>

#include "core/picture/front_scene.h"
#include "core/report/run/run_report.h"
#include "core/report/text/text_table.h"
#include "core/shrink/shrink.h"

namespace hw {

/// What each point of a front says, with its columns in every format. `front` must outlive them.
Columns<ShrinkPoint> shrinkColumns(const ShrinkFront& front);

/// "as it is"; "in-place + tile"; "in-place + tile (any)", where it is not line by line.
std::string shrinkStepText(const ShrinkTrial& trial);
std::string shrinkStepText(const ShrinkPoint& point);
/// What came of it, or why it was not tried: its sentences in one.
std::string shrinkSaidText(const ShrinkTrial& trial);
/// What makes the plan, beside the options of the one as it is: "--tile lines".
std::string shrinkOptionsText(const ShrinkFront& front, const Run& run);

/// "274,176 B, 18 % of the plan as it is": the answer, or why nothing is smaller, or why nothing
/// fits.
std::string shrinkSummary(const ShrinkFront& front);

/// The points, what each rewrite comes to with its lower bound, and the answer.
std::string shrinkText(const ShrinkFront& front, const Paint& paint);

/// A line a point, by peak.
std::string shrinkCsv(const ShrinkFront& front, const std::string& file);

/// {"format": "highwater-shrink", "version": 1, ...}: docs/formats/shrink.md. `file` is how the
/// user named the model.
Json shrinkJson(const ShrinkFront& front, const std::string& file);

/// What a picture shows of it, and the picture as a file.
FrontScene shrinkScene(const ShrinkFront& front);
std::string shrinkSvg(const ShrinkFront& front, const Palette& palette);

/// For documents: what each rewrite comes to, and the points.
std::vector<ReportTable> shrinkTables(const ShrinkFront& front);

}  // namespace hw
