#include "widgets/map/map_painter.h"

#include <fmt/format.h>

#include <QPaintEngine>
#include <cmath>

#include "core/base/text.h"
#include "core/import/plans/unknown_parts.h"
#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"

namespace hw {

namespace {

/// Writing thousands of names takes too long; the first ones by step are enough.
constexpr std::size_t kMostLabels = 600;

/// A hatch needs this many pixels each way to be seen as one.
constexpr double kLeastHatched = 4;

/// Left of the playhead what was, right of it what will be.
void paintRaster(QPainter& painter, const MapScene& scene, const Plot& plot,
                 const MapRaster& raster) {
  const QRect area = toRect(plot.frame.plot);
  painter.fillRect(toRectF(plot.frame.whole), Theme::current().plot);
  if (raster.past.isNull()) return;
  const MapWindow& drawn = raster.request.window;
  const QRectF target(QPointF(plot.x.toX(drawn.begin), plot.bytes.toPixel(drawn.highByte)),
                      QPointF(plot.x.toX(drawn.end), plot.bytes.toPixel(drawn.lowByte)));
  // Before anything has happened the plan is shown as a whole, not as what is to come.
  const double end = area.left() + area.width();
  const double from = scene.started ? plot.x.toX(scene.now.playhead) : end;
  const int split = qRound(std::clamp(from, double(area.left()), end));
  const auto half = [&](const QRect& part, const QImage& image) {
    painter.save();
    painter.setClipRect(part);
    painter.drawImage(drawn == scene.window ? QRectF(area) : target, image);
    painter.restore();
  };
  half(QRect(area.topLeft(), QPoint(split - 1, area.bottom())), raster.past);
  half(QRect(QPoint(split, area.top()), area.bottomRight()), raster.future);
}

std::string noteOf(const MapDrawing& drawing, const MapRaster& raster) {
  const auto grouped = [](std::size_t number) {
    return groupDigits(static_cast<std::int64_t>(number));
  };
  if (raster.past.isNull()) return "drawing…";
  std::string note = drawing.note();
  if (!note.empty() || raster.shared <= std::max<std::size_t>(10, raster.drawn / 50)) return note;
  return fmt::format("{} blocks, {} too small to tell apart: their shade is occupancy",
                     grouped(raster.drawn), grouped(raster.shared));
}

}  // namespace

MapRequest mapRequest(const MapScene& scene, const QRect& where, const Ruler& ruler, double ratio) {
  const Plot plot(toBox(where), ruler, scene.window, scene.unit(), scene.hexAddresses);
  const Box& area = plot.frame.plot;
  MapRequest request;
  request.window = scene.window;
  request.size = QSize(qRound(area.width * ratio), qRound(area.height * ratio));
  request.ratio = ratio;
  request.colors = MapColors::of(Theme::current().inks());
  request.filter = scene.filter;
  for (const AxisTick& tick : plot.x.ticks(runTickSpacing(ruler, plot.x.unit))) {
    request.gridX.push_back(static_cast<int>(request.toX(tick.value)));
  }
  for (const AxisTick& tick : plot.bytes.ticks(byteTickSpacing(ruler))) {
    request.gridY.push_back(static_cast<int>(request.toY(tick.value)));
  }
  return request;
}

void writeLabels(MapRaster& raster, const MapScene& scene, const QFont& font) {
  const double ratio = raster.request.ratio;
  const QRectF visible(QPointF(), QSizeF(raster.request.size) / ratio);
  const auto boxOf = [&](std::size_t index) {
    const QRect box = raster.request.boxOf(scene.blocks->block(index));
    return toBox(QRectF(QPointF(box.topLeft()) / ratio, QSizeF(box.size()) / ratio) & visible);
  };
  raster.past.setDevicePixelRatio(ratio);
  raster.future.setDevicePixelRatio(ratio);
  QPainter pastPainter(&raster.past);
  QPainter futurePainter(&raster.future);
  pastPainter.setFont(font);
  futurePainter.setFont(font);
  PainterCanvas past(pastPainter);
  PainterCanvas future(futurePainter);
  const auto hatch = [&](std::size_t index, const Fill& fill) {
    const Box box = boxOf(index);
    if (box.width < kLeastHatched || box.height < kLeastHatched) return;
    past.hatch(box, fill);
    future.hatch(box, fill);
  };
  if (scene.moved) {
    scene.blocks->visit(raster.request.window, [&](std::size_t index) {
      if (scene.moved->contains(index)) hatch(index, kMovedHatch);
    });
  }
  if (!unknownNote(scene.run->graph()).empty()) {
    scene.blocks->visit(raster.request.window, [&](std::size_t index) {
      if (isGuessed(*scene.run, scene.blocks->stay(index))) hatch(index, kGuessedHatch);
    });
  }
  for (std::size_t i = 0; i < std::min(kMostLabels, raster.roomy.size()); ++i) {
    const std::size_t index = raster.roomy[i];
    const FittedLabel label =
        fittedBlockLabel(past.ruler(), boxOf(index), *scene.run, scene.blocks->stay(index));
    const BlockClass kind = scene.blocks->kind(index);
    label.draw(past, blockInk(kind, BlockTime::past, BlockPart::word));
    label.draw(future, blockInk(kind, BlockTime::future, BlockPart::word));
  }
}

void paintMap(QPainter& painter, const MapScene& scene, const QRect& where,
              const MapRaster& raster) {
  PainterCanvas canvas(painter);
  const MapDrawing drawing(canvas, scene, toBox(where));
  paintRaster(painter, scene, drawing.plot(), raster);
  drawing.drawLive();
  drawing.drawParts();
  const std::string lines = drawing.drawOver();
  drawing.drawAround(joined(lines, noteOf(drawing, raster)));
}

void paintMap(QPainter& painter, const MapScene& scene, const QRect& where) {
  const bool paper = painter.paintEngine()->type() != QPaintEngine::Raster;
  if (paper && scene.blocks->countNear(scene.window) <= kMostShapes) {
    PainterCanvas canvas(painter);
    return drawMap(canvas, scene, toBox(where));
  }
  constexpr double kDotsOnPaper = 3;
  const double ratio = paper ? kDotsOnPaper : painter.device()->devicePixelRatioF();
  const FontRuler ruler(painter.font(), painter.device());
  MapRaster raster = rasterize(*scene.blocks, mapRequest(scene, where, ruler, ratio));
  writeLabels(raster, scene, painter.font());
  paintMap(painter, scene, where, raster);
}

}  // namespace hw
