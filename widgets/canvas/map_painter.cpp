#include <QCoreApplication>
#include <QPaintDevice>
#include <cmath>

#include "core/base/text.h"
#include "widgets/canvas/block_label.h"
#include "widgets/canvas/map_scene.h"
#include "widgets/canvas/reference_lines.h"

namespace hw {

namespace {

/// Writing thousands of names takes longer than anyone looks; the first ones by step are enough.
constexpr std::size_t kMostLabels = 600;

/// A hatch needs this many pixels each way to be seen as one.
constexpr double kLeastHatched = 4;

QBrush hatchOf(const Theme& theme) {
  QColor color = theme.text;
  color.setAlpha(theme.dark ? 130 : 110);
  return {color, Qt::BDiagPattern};
}

QString tr(const char* text) { return QCoreApplication::translate("MapPainter", text); }

}  // namespace

MapPainter::MapPainter(const MapScene& scene, const PlotFrame& frame)
    : scene_(scene), frame_(frame), colors_(MapColors::of(Theme::current())) {
  exact_.window = scene.window;
  exact_.size = frame.plot.size();
}

StepAxis MapPainter::stepAxis() const {
  return {scene_.window.beginStep, scene_.window.endStep, static_cast<double>(frame_.plot.left()),
          static_cast<double>(frame_.plot.width())};
}

ByteAxis MapPainter::byteAxis() const {
  return {scene_.window.lowByte, scene_.window.highByte,
          static_cast<double>(frame_.plot.top() + frame_.plot.height()),
          -static_cast<double>(frame_.plot.height()), scene_.hexAddresses};
}

MapRequest MapPainter::request(double ratio, const QFontMetrics& metrics) const {
  MapRequest request = exact_;
  request.ratio = ratio;
  request.size = QSize(qRound(frame_.plot.width() * ratio), qRound(frame_.plot.height() * ratio));
  request.colors = colors_;
  request.filter = scene_.filter;
  for (const AxisTick& tick : stepAxis().ticks(stepTickSpacing(metrics))) {
    request.gridX.push_back(static_cast<int>(request.toX(tick.value)));
  }
  for (const AxisTick& tick : byteAxis().ticks(byteTickSpacing(metrics))) {
    request.gridY.push_back(static_cast<int>(request.toY(tick.value)));
  }
  return request;
}

void MapPainter::writeLabels(MapRaster& raster, const QFont& font) const {
  const Theme& theme = Theme::current();
  const double ratio = raster.request.ratio;
  const QRectF visible(QPointF(), QSizeF(raster.request.size) / ratio);
  raster.past.setDevicePixelRatio(ratio);
  raster.future.setDevicePixelRatio(ratio);
  QPainter past(&raster.past);
  QPainter future(&raster.future);
  past.setFont(font);
  future.setFont(font);
  past.setPen(theme.text);
  future.setPen(theme.mutedText);
  writeHatch(past, future, raster);
  const QFontMetricsF metrics(font, &raster.past);
  for (std::size_t i = 0; i < std::min(kMostLabels, raster.roomy.size()); ++i) {
    const Block block = scene_.blocks->block(raster.roomy[i]);
    const QRect box = raster.request.boxOf(block);
    const QRectF logical =
        QRectF(QPointF(box.topLeft()) / ratio, QSizeF(box.size()) / ratio) & visible;
    const FittedLabel label = fitLabel(metrics, logical.size(), *scene_.run, block.stay);
    drawLabel(past, metrics, logical, label);
    drawLabel(future, metrics, logical, label);
  }
}

void MapPainter::writeHatch(QPainter& past, QPainter& future, const MapRaster& raster) const {
  if (!scene_.moved) return;
  const double ratio = raster.request.ratio;
  const QRectF visible(QPointF(), QSizeF(raster.request.size) / ratio);
  const QBrush hatch = hatchOf(Theme::current());
  scene_.blocks->visit(raster.request.window, [&](std::size_t index) {
    if (!scene_.moved->contains(index)) return;
    const QRect box = raster.request.boxOf(scene_.blocks->block(index));
    const QRectF logical =
        QRectF(QPointF(box.topLeft()) / ratio, QSizeF(box.size()) / ratio) & visible;
    if (logical.width() < kLeastHatched || logical.height() < kLeastHatched) return;
    past.fillRect(logical, hatch);
    future.fillRect(logical, hatch);
  });
}

void MapPainter::paint(QPainter& painter, const MapRaster& raster) const {
  const Theme& theme = Theme::current();
  painter.fillRect(frame_.whole, theme.plot);
  painter.save();
  painter.setClipRect(frame_.plot);
  paintRaster(painter, raster);
  paintOver(painter);
  painter.restore();
  paintAround(painter, note(raster));
}

/// What lies over the blocks, inside the plot.
void MapPainter::paintOver(QPainter& painter) const {
  paintOpColumn(painter);
  paintLive(painter);
  paintSelection(painter);
  paintHover(painter);
  paintLines(painter);
  paintMarked(painter);
}

void MapPainter::paintAround(QPainter& painter, const QString& note) const {
  painter.setPen(Theme::current().grid);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(frame_.plot.adjusted(-1, -1, 0, 0));
  drawByteTicks(painter, frame_, byteAxis());
  drawStepTicks(painter, frame_, stepAxis());
  PlotFrame frame = frame_;
  frame.title.setRight(frame.title.right() - scene_.corner);
  drawTitle(painter, frame, scene_.heading(), note);
  drawMarks(painter, frame_, stepAxis(), scene_.marks);
  drawPlayhead(painter, frame_, stepAxis(), scene_.playhead);
}

void MapPainter::paintRaster(QPainter& painter, const MapRaster& raster) const {
  if (raster.past.isNull()) return;
  const MapWindow& drawn = raster.request.window;
  const StepAxis x = stepAxis();
  const ByteAxis y = byteAxis();
  const QRectF target(QPointF(x.toX(drawn.beginStep), y.toPixel(drawn.highByte)),
                      QPointF(x.toX(drawn.endStep), y.toPixel(drawn.lowByte)));
  // Before anything has happened the plan is shown as a whole, not as what is to come.
  const double end = frame_.plot.left() + frame_.plot.width();
  const double from = scene_.started ? x.toX(scene_.playhead) : end;
  const int split = qRound(std::clamp(from, double(frame_.plot.left()), end));
  const auto half = [&](const QRect& part, const QImage& image) {
    painter.save();
    painter.setClipRect(part, Qt::IntersectClip);
    if (drawn == scene_.window) {
      painter.drawImage(frame_.plot, image);
    } else {
      painter.drawImage(target, image);
    }
    painter.restore();
  };
  half(QRect(frame_.plot.topLeft(), QPoint(split - 1, frame_.plot.bottom())), raster.past);
  half(QRect(QPoint(split, frame_.plot.top()), frame_.plot.bottomRight()), raster.future);
}

void MapPainter::paintOpColumn(QPainter& painter) const {
  if (!scene_.selectedOp || !scene_.run->schedule.stepOf.contains(scene_.selectedOp)) return;
  const auto step = static_cast<double>(scene_.run->schedule.stepOf[scene_.selectedOp].count());
  QColor color = Theme::current().selection;
  color.setAlpha(50);
  const double left = stepAxis().toX(step);
  const double width = std::max(2.0, stepAxis().pixelsPerStep());
  painter.fillRect(QRectF(left, frame_.plot.top(), width, frame_.plot.height()), color);
}

void MapPainter::paintMarked(QPainter& painter) const {
  if (scene_.marked) drawMarkedSteps(painter, frame_, stepAxis(), *scene_.marked);
}

void MapPainter::paintLive(QPainter& painter) const {
  if (!scene_.started) return;
  MapWindow now = scene_.window;
  now.beginStep = static_cast<double>(scene_.step.count());
  now.endStep = now.beginStep + 1;
  scene_.blocks->visit(now, [&](std::size_t index) {
    if (!scene_.isPale(scene_.blocks->stay(index))) paintBlock(painter, index);
  });
}

/// With something selected everything else steps back behind a veil.
void MapPainter::paintSelection(QPainter& painter) const {
  if (!scene_.selected || !scene_.run->problem.stays.contains(scene_.selected)) return;
  QColor veil = Theme::current().plot;
  veil.setAlpha(125);
  painter.fillRect(frame_.plot, veil);
  painter.setBrush(Qt::NoBrush);
  for (const StayId stay : selectedStays()) {
    for (const std::uint32_t index : scene_.blocks->blocksOf(stay)) {
      paintBlock(painter, index);
      painter.setPen(QPen(Theme::current().selection, 2));
      painter.drawRect(rectOf(index).adjusted(0, 0, -1, -1));
    }
  }
  paintGhosts(painter);
}

/// Where the selected stay could have lain: outlines, for nothing is there.
void MapPainter::paintGhosts(QPainter& painter) const {
  const StepAxis x = stepAxis();
  const ByteAxis y = byteAxis();
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(Theme::current().selection, 1, Qt::DashLine));
  for (const Ghost& ghost : scene_.ghosts) {
    if (ghost.pool != scene_.pool) continue;
    const QRectF box(QPointF(x.toX(static_cast<double>(ghost.steps.begin.count())),
                             y.toPixel(static_cast<double>(ghost.bytes.end.count()))),
                     QPointF(x.toX(static_cast<double>(ghost.steps.end.count())),
                             y.toPixel(static_cast<double>(ghost.bytes.begin.count()))));
    if (box.intersects(frame_.plot)) painter.drawRect(box.adjusted(0, 0, -1, -1));
  }
}

std::vector<StayId> MapPainter::selectedStays() const {
  const Problem& problem = scene_.run->problem;
  const BufferId buffer = problem.stays[scene_.selected].buffer;
  if (!buffer) return {scene_.selected};
  std::vector<StayId> stays;
  for (const StayId stay : problem.stays.keys()) {
    if (problem.stays[stay].buffer == buffer) stays.push_back(stay);
  }
  return stays;
}

void MapPainter::paintHover(QPainter& painter) const {
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(Theme::current().hover, 2));
  for (const std::uint32_t index : scene_.blocks->blocksOf(scene_.hovered)) {
    painter.drawRect(rectOf(index).adjusted(0, 0, -1, -1));
  }
}

void MapPainter::paintBlock(QPainter& painter, std::size_t index) const {
  const QRectF box = rectOf(index);
  if (!box.intersects(frame_.plot)) return;
  const BlockShade& shade = colors_.live[static_cast<std::size_t>(scene_.blocks->kind(index))];
  painter.fillRect(box, QColor(shade.fill));
  if (box.width() < 4 || box.height() < 4) return;
  if (scene_.moved && scene_.moved->contains(index)) {
    painter.fillRect(box & QRectF(frame_.plot), hatchOf(Theme::current()));
  }
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(QColor(shade.edge), 1));
  painter.drawRect(box.adjusted(0, 0, -1, -1));
  painter.setPen(readableOn(QColor(shade.fill)));
  const StayId stay = scene_.blocks->stay(index);
  drawBlockLabel(painter, box & QRectF(frame_.plot), *scene_.run, stay);
}

QRectF MapPainter::rectOf(std::size_t index) const {
  return QRectF(exact_.boxOf(scene_.blocks->block(index))).translated(frame_.plot.topLeft());
}

/// Capacity at the right end, the others one after the other at the left, so that none cover each
/// other even when the lines are close; no line goes through a name.
void MapPainter::paintLines(QPainter& painter) const {
  const Theme& theme = Theme::current();
  const ByteAxis axis = byteAxis();
  const QFontMetricsF metrics(painter.font(), painter.device());
  struct Mark {
    ReferenceLine line;
    double y;
    LineStyle style;
  };
  std::vector<Mark> marks;
  for (const ReferenceLine& line : referenceLines(*scene_.run, scene_.pool)) {
    const double y = std::round(axis.toPixel(static_cast<double>(line.bytes.count())));
    if (y < frame_.plot.top() || y > frame_.plot.bottom()) continue;
    marks.push_back({line, y, lineStyle(line.kind, theme)});
  }
  for (const auto& [line, y, style] : marks) {
    painter.setPen(QPen(style.color, style.width, style.dashes));
    painter.drawLine(QPointF(frame_.plot.left(), y), QPointF(frame_.plot.right() + 1, y));
  }
  double left = frame_.plot.left() + 6;
  for (const auto& [line, y, style] : marks) {
    const double width = metrics.horizontalAdvance(line.label);
    const bool atRight = line.kind == ReferenceLine::Kind::capacity;
    const double x = atRight ? frame_.plot.right() - width - 6 : left;
    if (!atRight) left += width + 18;
    const bool above = y - metrics.height() > frame_.plot.top();
    drawHaloText(painter, {x, above ? y - 4 : y + metrics.ascent() + 2}, line.label, style.color);
  }
}

QString MapPainter::note(const MapRaster& raster) const {
  const auto grouped = [](std::size_t number) {
    return QString::fromStdString(groupDigits(static_cast<std::int64_t>(number)));
  };
  if (scene_.loading || raster.past.isNull()) return tr("drawing\u2026");
  if (scene_.blocks->size() == 0) {
    return tr("nothing was placed here");
  }
  if (scene_.moved) {
    return tr("hatched where it lies elsewhere than in A: %1 of %2 blocks")
        .arg(grouped(scene_.moved->count), grouped(scene_.blocks->size()));
  }
  if (scene_.filter) {
    return tr("%1 of %2 buffers picked out: %3")
        .arg(grouped(scene_.filter->count), grouped(scene_.run->problem.stays.size()),
             scene_.filter->title);
  }
  if (raster.shared > std::max<std::size_t>(10, raster.drawn / 50)) {
    return tr("%1 blocks, %2 too small to tell apart: their shade is occupancy")
        .arg(grouped(raster.drawn), grouped(raster.shared));
  }
  return {};
}

}  // namespace hw
