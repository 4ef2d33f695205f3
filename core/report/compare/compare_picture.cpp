#include "core/report/compare/compare_picture.h"

#include <fmt/format.h>

#include <map>

#include "core/base/text.h"
#include "core/picture/svg_canvas.h"

namespace hw {

ParetoScene paretoScene(const Comparison& comparison) {
  ParetoScene scene{.title = printable(comparison.model->name, 60)};
  const bool several = comparison.severalPlatforms();
  std::map<std::string, std::size_t> series;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparisonRow& row = comparison.rows[i];
    if (!row.fits() || !row.figures.latency || row.figures.inputsOutside > Bytes()) continue;
    const std::string name = row.allocator.text();
    scene.points.push_back({.name = several ? name + " on " + row.platform : name,
                            .peak = row.peak(),
                            .latency = *row.figures.latency,
                            .series = series.emplace(row.platform, series.size()).first->second,
                            .row = i});
    if (!several && !scene.latencyBound) scene.latencyBound = row.figures.latencyBound;
  }
  if (!several) scene.lowerBound = comparison.lowerBound;
  return scene;
}

Result<std::string> paretoSvg(const Comparison& comparison, const Palette& palette) {
  const ParetoScene scene = paretoScene(comparison);
  if (scene.points.empty()) {
    return fail(ErrorCode::unsupported,
                "there is nothing to draw: no plan that fits has a latency, which takes operators");
  }
  constexpr double kWidth = 1000;
  constexpr double kHeight = 560;
  SvgCanvas canvas(kWidth, kHeight, scene.heading(), 12, &palette);
  canvas.rectangle({0, 0, kWidth, kHeight}, {.fill = Fill{Ink::window}});
  drawPareto(canvas, scene, {0, 0, kWidth, kHeight});
  return canvas.finish();
}

}  // namespace hw
