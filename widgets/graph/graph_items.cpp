#include "widgets/graph/graph_items.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/picture/block_store.h"
#include "core/plan/overlap_use.h"
#include "widgets/map/map_colors.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Boxes of several ops that differ; those after the classes of blocks.
constexpr std::size_t kMixed = kAllClasses;

/// Devices in colours of the theme that are easiest to tell apart; more of them repeat.
QColor deviceColor(std::size_t device) {
  constexpr std::array kOrder = {BlockClass::convolution, BlockClass::pooling, BlockClass::product,
                                 BlockClass::movement, BlockClass::boundary};
  return Theme::current().classColor(kOrder[device % kOrder.size()]);
}

QColor shareColor(double share) {
  const Theme& theme = Theme::current();
  return mixColors(theme.highWater, theme.plot, 0.08 + 0.92 * std::clamp(share, 0.0, 1.0));
}

}  // namespace

Bytes GraphColors::liveDuring(const Run& run, const GraphNode& node) const {
  Bytes most;
  for (const OpId op : node.runs) {
    if (!run.schedule.stepOf.contains(op)) continue;
    most = std::max(most, live_.at(run.schedule.stepOf[op]));
  }
  return most;
}

bool hasDevices(const Run& run) {
  return run.partition.deviceOf.size() == run.graph().ops.size() && !run.graph().ops.empty();
}

LegendEntry GraphColors::classEntry(std::size_t kind) const {
  const Theme& theme = Theme::current();
  if (kind == kMixed) return {theme.hatch, tr("several kinds")};
  const auto one = static_cast<BlockClass>(kind);
  return {theme.classColor(one), viewText(ofOps_->name(one))};
}

GraphColors::GraphColors(const Run& run, GraphColoring coloring,
                         std::shared_ptr<const Coloring> ofOps)
    : coloring_(coloring),
      ofOps_(std::move(ofOps)),
      live_(liveBytes(run.problem, run.plan)),
      peak_(live_.max()) {
  if (coloring_ == GraphColoring::device && !hasDevices(run)) coloring_ = GraphColoring::opClass;
}

double GraphColors::liveShare(const Run& run, const GraphNode& node) const {
  if (peak_ == Bytes()) return 0;
  return static_cast<double>(liveDuring(run, node).count()) / static_cast<double>(peak_.count());
}

/// The class or device of all its ops; `kMixed` when they differ.
std::size_t GraphColors::classOf(const Run& run, const GraphNode& node) const {
  std::optional<std::size_t> common;
  for (const OpId op : node.runs) {
    const std::size_t one = coloring_ == GraphColoring::device
                                ? run.partition.deviceOf[op]
                                : static_cast<std::size_t>(ofOps_->of(run, op));
    if (common && *common != one) {
      return coloring_ == GraphColoring::device ? SIZE_MAX : kMixed;
    }
    common = one;
  }
  return common.value_or(kMixed);
}

QColor GraphColors::of(const Run& run, const GraphNode& node) const {
  const Theme& theme = Theme::current();
  if (node.ops.size() == 0) return mixColors(theme.text, theme.plot, 0.08);
  switch (coloring_) {
    case GraphColoring::liveBytes:
      return shareColor(liveShare(run, node));
    case GraphColoring::device: {
      const std::size_t device = classOf(run, node);
      return device == SIZE_MAX ? theme.hatch : deviceColor(device);
    }
    case GraphColoring::opClass:
      break;
  }
  return classEntry(classOf(run, node)).color;
}

std::vector<LegendEntry> GraphColors::legend(const Run& run, const ModelGraph& graph) const {
  std::vector<LegendEntry> legend;
  if (coloring_ == GraphColoring::liveBytes) {
    const auto share = [&](int percent) {
      const Bytes bytes(peak_.count() / 100 * percent);
      return QString::fromStdString(formatBytes(bytes));
    };
    for (const int percent : {0, 50, 100}) {
      legend.push_back({shareColor(percent / 100.0), tr("%1 live").arg(share(percent))});
    }
    return legend;
  }
  std::set<std::size_t> seen;
  for (const GraphNode& node : graph.nodes) {
    if (node.ops.size() > 0) seen.insert(classOf(run, node));
  }
  for (const std::size_t one : seen) {
    if (coloring_ == GraphColoring::opClass) {
      legend.push_back(classEntry(one));
    } else if (one == SIZE_MAX) {
      legend.push_back({Theme::current().hatch, tr("several devices")});
    } else {
      const auto& devices = run.request.platform.devices;
      const QString name = one < devices.size()
                               ? QString::fromStdString(printable(devices[one].name))
                               : QString::number(one);
      legend.push_back({deviceColor(one), name});
    }
  }
  return legend;
}

namespace {

constexpr double kMargin = 6;          ///< Around a box, for its outlines.
constexpr double kTextFrom = 0.4;      ///< Scale from which texts can be read.
constexpr double kOutlineFrom = 0.15;  ///< Scale from which outlines are worth drawing.
constexpr double kGrip = 8;            ///< Width of an edge for the pointer.

/// A line that is `pixels` wide on screen when the picture is drawn smaller than its natural size,
/// and as much wider as everything else when it is drawn larger.
QPen scaledPen(const QColor& color, double pixels, double scale) {
  QPen pen(color, pixels / std::min(1.0, std::max(scale, 0.02)));
  pen.setJoinStyle(Qt::MiterJoin);
  return pen;
}

double scaleOf(const QPainter* painter) {
  return QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
}

}  // namespace

QSizeF GraphNodeItem::sizeOf(const GraphNode& node) {
  return node.ops.size() > 0 ? QSizeF(148, 36) : QSizeF(120, 32);
}

GraphNodeItem::GraphNodeItem(const GraphNode& node, std::uint32_t index)
    : kind_(node.kind),
      opens_(opens(node)),
      title_(node.title),
      detail_(node.detail),
      size_(sizeOf(node)),
      index_(index) {
  setZValue(2);
}

void GraphNodeItem::setFill(const QColor& fill) {
  fill_ = fill;
  update();
}

void GraphNodeItem::setMark(GraphMark mark) {
  if (mark_ == mark) return;
  mark_ = mark;
  update();
}

void GraphNodeItem::setCurrent(bool current) {
  if (current_ == current) return;
  current_ = current;
  setZValue(current ? 3 : 2);
  update();
}

void GraphNodeItem::setFocused(bool focused) {
  if (focused_ == focused) return;
  focused_ = focused;
  update();
}

void GraphNodeItem::setPale(bool pale) {
  if (pale_ == pale) return;
  pale_ = pale;
  update();
}

QRectF GraphNodeItem::box() const {
  return {-size_.width() / 2, -size_.height() / 2, size_.width(), size_.height()};
}

QRectF GraphNodeItem::boundingRect() const {
  return box().adjusted(-4 * kMargin, -2 * kMargin, 2 * kMargin, 2 * kMargin);
}

void GraphNodeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const Theme& theme = Theme::current();
  const double scale = scaleOf(painter);
  const QRectF box = this->box();
  const QColor fill = pale_ ? mixColors(fill_, theme.plot, 0.16) : fill_;
  const bool terminal = kind_ == GraphNode::Kind::input || kind_ == GraphNode::Kind::output;
  const double radius = terminal ? size_.height() / 2 : 4;
  if (opens_ && scale > kOutlineFrom) {
    // A second sheet behind the first says that there is more inside.
    painter->setPen(QPen(mixColors(fill, theme.text, 0.5), 1));
    painter->setBrush(mixColors(fill, theme.plot, 0.5));
    painter->drawRoundedRect(box.translated(4, 4), radius, radius);
  }
  painter->setBrush(fill);
  painter->setPen(scale > kOutlineFrom ? QPen(mixColors(fill, theme.text, 0.6), 1) : Qt::NoPen);
  painter->drawRoundedRect(box, radius, radius);
  painter->setBrush(Qt::NoBrush);
  if (current_) {
    painter->setPen(scaledPen(theme.playhead, 2, scale));
    painter->drawRoundedRect(box.adjusted(-3, -3, 3, 3), radius + 3, radius + 3);
    painter->setBrush(theme.playhead);
    painter->setPen(Qt::NoPen);
    const double x = box.left() - 6;
    painter->drawPolygon(QPolygonF{{{x - 11, -7.0}, {x - 11, 7.0}, {x, 0.0}}});
    painter->setBrush(Qt::NoBrush);
  }
  if (mark_ != GraphMark::none) {
    const bool hovered = mark_ == GraphMark::hovered;
    const QColor color = hovered ? theme.hover : theme.selection;
    painter->setPen(scaledPen(color, mark_ == GraphMark::near ? 1.5 : 3, scale));
    painter->drawRoundedRect(box, radius, radius);
  }
  if (focused_) {
    QPen dashes = scaledPen(theme.text, 1, scale);
    dashes.setStyle(Qt::DotLine);
    painter->setPen(dashes);
    painter->drawRoundedRect(box.adjusted(3, 3, -3, -3), radius, radius);
  }
  if (scale >= kTextFrom) paintTexts(painter, box);
}

void GraphNodeItem::paintTexts(QPainter* painter, const QRectF& box) const {
  const Theme& theme = Theme::current();
  const QColor fill = pale_ ? mixColors(fill_, theme.plot, 0.16) : fill_;
  const QColor text = readableOn(fill);
  QFont bold = painter->font();
  bold.setPixelSize(12);
  bold.setBold(true);
  QFont plain = bold;
  plain.setBold(false);
  plain.setPixelSize(11);
  const QRectF inside = box.adjusted(7, 2, -7, -2);
  const auto line = [&](const QRectF& where, const QFont& font, const QString& what,
                        Qt::TextElideMode mode) {
    painter->setFont(font);
    const QFontMetricsF metrics(font);
    painter->drawText(where, Qt::AlignCenter, metrics.elidedText(what, mode, where.width()));
  };
  painter->setPen(pale_ ? theme.mutedText : text);
  const QRectF upper(inside.left(), inside.top(), inside.width(), inside.height() / 2);
  if (detail_.isEmpty()) {
    line(inside, bold, title_, Qt::ElideRight);
    return;
  }
  line(upper, bold, title_, Qt::ElideRight);
  // The end of a name tells ops apart, its beginning is the scope.
  line(upper.translated(0, upper.height()), plain, detail_, Qt::ElideLeft);
}

GraphEdgeItem::GraphEdgeItem(QPainterPath route, std::uint32_t index)
    : route_(std::move(route)), index_(index) {
  setZValue(0);
}

void GraphEdgeItem::setMark(GraphMark mark) {
  if (mark_ == mark) return;
  mark_ = mark;
  setZValue(mark == GraphMark::none ? 0 : 1);
  update();
}

QRectF GraphEdgeItem::boundingRect() const {
  return route_.controlPointRect().adjusted(-kGrip, -kGrip, kGrip, kGrip);
}

QPainterPath GraphEdgeItem::shape() const {
  QPainterPathStroker stroker;
  stroker.setWidth(kGrip);
  return stroker.createStroke(route_);
}

void GraphEdgeItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  const Theme& theme = Theme::current();
  const double scale = scaleOf(painter);
  QColor color = mixColors(theme.axis, theme.plot, 0.75);
  double width = 1;
  if (mark_ == GraphMark::near) color = theme.text;
  if (mark_ == GraphMark::hovered) color = theme.hover;
  if (mark_ == GraphMark::selected) color = theme.selection;
  if (mark_ != GraphMark::none) width = mark_ == GraphMark::near ? 1.5 : 3;
  painter->setBrush(Qt::NoBrush);
  painter->setPen(scaledPen(color, width, scale));
  painter->drawPath(route_);
  if (scale < kOutlineFrom || route_.isEmpty()) return;
  const double size = 3 + 2 * width;
  const QPointF tip = route_.currentPosition();
  painter->setBrush(color);
  painter->setPen(Qt::NoPen);
  painter->drawPolygon(QPolygonF{
      {tip, tip + QPointF(-size * 0.6, -size * 1.4), tip + QPointF(size * 0.6, -size * 1.4)}});
}

}  // namespace hw
