#include "core/report/study/dimension_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/picture/svg_canvas.h"
#include "core/report/compare/compare_report.h"

namespace hw {
namespace {

constexpr Box kDimensionPicture{0, 0, 960, 540};

/// The value of the dimension, then those of a comparison.
Columns<DimensionPoint> dimensionColumns(const std::string& name) {
  Columns<DimensionPoint> columns = columnsVia<DimensionPoint>(
      comparisonColumns(), [](const DimensionPoint& point) { return &point.row; });
  columns.insert(columns.begin(), {"value", name, ColumnKind::count, &DimensionPoint::value,
                                   "The value of the dimension"});
  return columns;
}

}  // namespace

std::string dimensionText(const std::string& name, const std::vector<DimensionPoint>& points,
                          const TextOptions& options) {
  std::vector<std::string> keys = {"value",       "peak_l2",    "peak_l3",
                                   "lower_bound", "latency_ps", "moved_bytes"};
  const bool whole =
      std::ranges::all_of(points, [](const DimensionPoint& point) { return point.row.fits(); });
  if (!whole) keys.insert(keys.end(), {"status", "reason"});
  const auto dim = [](const DimensionPoint& point) { return !point.row.fits(); };
  return textTable<DimensionPoint>(pick(dimensionColumns(name), keys), points, {.dim = dim})
      .text(options.paint);
}

std::string dimensionCsv(const std::string& name, const std::vector<DimensionPoint>& points,
                         const std::string& file) {
  return csvTable(withModel(file, dimensionColumns(name)), points);
}

Json dimensionJson(const std::string& name, const std::vector<DimensionPoint>& points,
                   const std::string& file) {
  return {{"format", "highwater-dimension"},
          {"version", 1},
          {"model", file},
          {"dimension", name},
          {"points", jsonRows(dimensionColumns(name), points)}};
}

CurvesScene dimensionScene(const std::string& name, const std::vector<DimensionPoint>& points,
                           const std::string& file) {
  CurvesScene scene{.title = fmt::format("{}: peak and latency over {}", printable(file, 80),
                                         printable(name, 80)),
                    .across = printable(name, 80),
                    .left = {.name = "peak", .kind = ColumnKind::bytes},
                    .right = {.name = "latency", .kind = ColumnKind::time}};
  for (const DimensionPoint& point : points) {
    const RunFigures& figures = point.row.figures;
    std::optional<double> peak;
    std::optional<double> latency;
    if (point.row.run && figures.whole) peak = figures.peak().real();
    if (peak && figures.latency) latency = figures.latency->real();
    scene.places.push_back(static_cast<double>(point.value));
    scene.left.values.push_back(peak);
    scene.right.values.push_back(latency);
  }
  if (!points.empty()) scene.note = points.front().row.platform;
  return scene;
}

std::string dimensionSvg(const std::string& name, const std::vector<DimensionPoint>& points,
                         const std::string& file, const Palette& palette) {
  const CurvesScene scene = dimensionScene(name, points, file);
  return svgOf(scene, scene.title, kDimensionPicture, palette, drawValueCurves);
}

}  // namespace hw
