#pragma once

#include <string>

#include "core/picture/charts/curves_scene.h"
#include "core/report/text/text_table.h"
#include "core/study/dimension_sweep.h"

namespace hw {

/// A model over the values of a dimension, one line each: `name` is that of the dimension, `file`
/// how the user named the model. Peaks, latency and bytes moved for people; for programs all
/// figures of a comparison, as CSV and JSON ("highwater-dimension", docs/formats/dimension.md).
std::string dimensionText(const std::string& name, const std::vector<DimensionPoint>& points,
                          const TextOptions& options);
std::string dimensionCsv(const std::string& name, const std::vector<DimensionPoint>& points,
                         const std::string& file);
Json dimensionJson(const std::string& name, const std::vector<DimensionPoint>& points,
                   const std::string& file);

/// Peak of all pools together and latency over the values, as one chart.
CurvesScene dimensionScene(const std::string& name, const std::vector<DimensionPoint>& points,
                           const std::string& file);
std::string dimensionSvg(const std::string& name, const std::vector<DimensionPoint>& points,
                         const std::string& file, const Palette& palette);

}  // namespace hw
