#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTextDocument>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "widgets/graph/graph_view.h"
#include "widgets/plot/zoom.h"
#include "widgets/text/run_text.h"

namespace hw {
namespace {

constexpr double kGraphKeyZoom = 1.3;
/// Tensors that a tool tip names before it counts the rest.
constexpr std::size_t kMostNamed = 8;

}  // namespace

QGraphicsItem* GraphView::itemUnder(const QPoint& position) const {
  const auto found = items(QRect(position - QPoint(2, 2), QSize(5, 5)));
  return found.isEmpty() ? nullptr : found.front();
}

void GraphView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  pressedAt_ = event->pos();
  dragging_ = false;
}

void GraphView::mouseMoveEvent(QMouseEvent* event) {
  if (!pressedAt_) {
    auto* item = itemUnder(event->pos());
    StayId hovered;
    if (const auto* edge = qgraphicsitem_cast<GraphEdgeItem*>(item)) {
      hovered = stayOf(graph_.edges[edge->index()]);
    }
    state_->hover(hovered);
    viewport()->setCursor(item ? Qt::PointingHandCursor : Qt::ArrowCursor);
    return;
  }
  const QPoint moved = event->pos() - *pressedAt_;
  if (!dragging_ && moved.manhattanLength() < QApplication::startDragDistance()) return;
  dragging_ = true;
  viewport()->setCursor(Qt::ClosedHandCursor);
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() - moved.x());
  verticalScrollBar()->setValue(verticalScrollBar()->value() - moved.y());
  pressedAt_ = event->pos();
}

void GraphView::mouseReleaseEvent(QMouseEvent* event) {
  if (!pressedAt_) return;
  if (!dragging_ && event->button() == Qt::LeftButton) choose(itemUnder(event->pos()));
  pressedAt_.reset();
  dragging_ = false;
  viewport()->unsetCursor();
}

void GraphView::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto* node = qgraphicsitem_cast<GraphNodeItem*>(itemUnder(event->pos()));
  if (!node) return;
  enter(graph_.nodes[node->index()]);
}

/// Opens a box of several; goes to the step of a single op.
void GraphView::enter(const GraphNode& node) {
  if (opens(node)) {
    Q_EMIT expandWanted(node.ops);
  } else if (!node.runs.empty()) {
    state_->setStep(state_->run()->schedule.stepOf[node.runs.front()]);
  }
}

void GraphView::leaveEvent(QEvent* event) {
  QGraphicsView::leaveEvent(event);
  state_->hover({});
}

/// What was chosen takes the place of what was selected before.
void GraphView::choose(QGraphicsItem* item) {
  choosing_ = true;
  OpId op;
  StayId stay;
  if (const auto* node = qgraphicsitem_cast<GraphNodeItem*>(item)) {
    const GraphNode& chosen = graph_.nodes[node->index()];
    if (!chosen.runs.empty()) op = chosen.runs.front();
    if (chosen.tensors.size() == 1) stay = stayOf({.tensors = chosen.tensors});
    focused_ = node->index();
    setAccessibleDescription(describe(item));
  } else if (const auto* edge = qgraphicsitem_cast<GraphEdgeItem*>(item)) {
    stay = stayOf(graph_.edges[edge->index()]);
  }
  state_->select(stay);
  state_->selectOp(op);
  choosing_ = false;
  showFocus();
}

void GraphView::wheelEvent(QWheelEvent* event) {
  const double factor = wheelFactor(*event);
  if (event->modifiers() & Qt::ShiftModifier) {
    auto* bar = horizontalScrollBar();
    bar->setValue(bar->value() - static_cast<int>(std::log(factor) * 400));
  } else {
    const QPointF under = mapToScene(event->position().toPoint());
    const double wanted = std::clamp(zoom() * factor, 0.01, 4.0);
    scale(wanted / zoom(), wanted / zoom());
    const QPointF moved = mapFromScene(under) - event->position();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + qRound(moved.x()));
    verticalScrollBar()->setValue(verticalScrollBar()->value() + qRound(moved.y()));
  }
  event->accept();
}

/// Keys that are ours while we have the focus, though the window has them as shortcuts too.
bool GraphView::takes(const QKeyEvent& key) const {
  if (nodes_.empty() || (key.modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) return false;
  switch (key.key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Backspace:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Minus:
    case Qt::Key_0:
    case Qt::Key_F:
      return true;
    default:
      return false;
  }
}

bool GraphView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && takes(*static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  return QGraphicsView::event(event);
}

void GraphView::keyPressEvent(QKeyEvent* event) {
  if (!takes(*event)) {
    event->ignore();
    return;
  }
  const auto at = focused_ ? focused_ : selectedNode();
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoomBy(kGraphKeyZoom);
    case Qt::Key_Minus:
      return zoomBy(1 / kGraphKeyZoom);
    case Qt::Key_0:
      return fit();
    case Qt::Key_F:
      return goToSelection();
    case Qt::Key_Backspace:
      if (at && graph_.nodes[*at].ops.size() > 0) Q_EMIT collapseWanted(graph_.nodes[*at].ops);
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (at) enter(graph_.nodes[*at]);
      return;
    default:
      return walk(event->key());
  }
}

void GraphView::walk(int key) {
  auto from = focused_ ? focused_ : selectedNode();
  if (!from) from = current_;
  const auto to = from ? neighbour(*from, key) : std::optional<std::uint32_t>(0);
  if (!to) return;
  choose(nodes_[*to]);
  ensureVisible(nodes_[*to], 30, 60);
}

/// Up and Down: along the edge to the closest box; Left and Right: the closest box on that side
/// that is about as high up.
std::optional<std::uint32_t> GraphView::neighbour(std::uint32_t node, int key) const {
  const QPointF here = nodes_[node]->pos();
  std::optional<std::uint32_t> best;
  double least = 0;
  const auto consider = [&](std::uint32_t other) {
    const QPointF way = nodes_[other]->pos() - here;
    const double distance = std::hypot(way.x(), way.y());
    if (best && distance >= least) return;
    best = other;
    least = distance;
  };
  if (key == Qt::Key_Up || key == Qt::Key_Down) {
    for (const GraphEdge& edge : graph_.edges) {
      if (key == Qt::Key_Down && edge.from == node) consider(edge.to);
      if (key == Qt::Key_Up && edge.to == node) consider(edge.from);
    }
    return best;
  }
  const double side = key == Qt::Key_Left ? -1 : 1;
  const double height = GraphNodeItem::sizeOf(graph_.nodes[node]).height();
  for (const GraphNodeItem* other : nodes_) {
    const QPointF way = other->pos() - here;
    if (way.x() * side > 1 && std::abs(way.y()) <= height) consider(other->index());
  }
  return best;
}

void GraphView::focusInEvent(QFocusEvent* event) {
  QGraphicsView::focusInEvent(event);
  showFocus();
}

void GraphView::focusOutEvent(QFocusEvent* event) {
  QGraphicsView::focusOutEvent(event);
  showFocus();
}

bool GraphView::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QGraphicsView::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  // Names come from files: escaped, so that markup in them is shown and not obeyed.
  const QString text = describe(itemUnder(help->pos()));
  QToolTip::showText(help->globalPos(), text.isEmpty() ? text : Qt::convertFromPlainText(text),
                     viewport());
  return true;
}

QString GraphView::describe(QGraphicsItem* item) const {
  const auto run = state_->run();
  if (!item || !run) return {};
  if (const auto* edge = qgraphicsitem_cast<GraphEdgeItem*>(item)) {
    QStringList lines;
    const auto& tensors = graph_.edges[edge->index()].tensors;
    for (const TensorId tensor : tensors) {
      if (lines.size() == static_cast<qsizetype>(kMostNamed)) break;
      const auto& bytes = run->graph().tensors[tensor].bytes;
      lines << tr("%1, %2").arg(tensorText(*run, tensor),
                                bytes ? fullSizeText(*bytes) : tr("size not known"));
    }
    if (tensors.size() > kMostNamed) lines << tr("and %1 more").arg(tensors.size() - kMostNamed);
    return lines.join(QLatin1Char('\n'));
  }
  const GraphNode& node = graph_.nodes[qgraphicsitem_cast<GraphNodeItem*>(item)->index()];
  if (node.runs.empty()) return tr("%1\n%2").arg(node.title, node.detail);
  const Bytes live = colors_.liveDuring(*run, node);
  if (node.kind == GraphNode::Kind::group) {
    return tr("%1\n%2\nat most %3 live\nDouble click opens it")
        .arg(node.detail, node.title, sizeText(live));
  }
  const auto stepText = [&](OpId op) {
    return QString::fromStdString(groupDigits(run->schedule.stepOf[op].count()));
  };
  if (opens(node)) {
    return tr("%1\n%2, between steps %3 and %4\nat most %5 live\nDouble click shows the parts")
        .arg(node.detail, node.title, stepText(node.runs.front()), stepText(node.runs.back()),
             sizeText(live));
  }
  return tr("%1\n%2, step %3\n%4 live")
      .arg(node.detail, node.title, stepText(node.runs.front()), fullSizeText(live));
}

}  // namespace hw
