#include "widgets/graph/graph_view.h"

#include <QApplication>
#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTextDocument>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/insight/explain.h"
#include "widgets/base/theme.h"
#include "widgets/plot/axis_mouse.h"
#include "widgets/text/run_text.h"

namespace hw {

namespace {

constexpr double kLeastZoom = 0.01;
constexpr double kMostZoom = 4;
/// A picture starts no smaller than this: names can just be read.
constexpr double kReadable = 0.45;
constexpr double kAir = 60;

}  // namespace

GraphView::GraphView(ViewState* state, QWidget* parent) : QGraphicsView(parent), state_(state) {
  setScene(new QGraphicsScene(this));
  setFrameShape(QFrame::NoFrame);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setRenderHint(QPainter::Antialiasing);
  setOptimizationFlag(DontSavePainterState);
  setTransformationAnchor(NoAnchor);
  setViewportUpdateMode(SmartViewportUpdate);
  setAccessibleName(tr("Model graph"));
  setBackgroundBrush(Theme::current().plot);
  connect(state, &ViewState::momentChanged, this, &GraphView::showMoment);
  connect(state, &ViewState::selectionChanged, this, &GraphView::showSelection);
  connect(state, &ViewState::hoverChanged, this, &GraphView::showHover);
  connect(state, &ViewState::filterChanged, this, &GraphView::showFilter);
  connect(state, &ViewState::coloringChanged, this, &GraphView::recolor);
}

void GraphView::clearGraph() {
  scene()->clear();
  nodes_.clear();
  edges_.clear();
  edgesOf_.clear();
  selectedItems_.clear();
  hoveredItems_.clear();
  current_.reset();
  focused_.reset();
  graph_ = {};
}

void GraphView::setGraph(ModelGraph graph, const GraphLayout& layout, bool keepPlace) {
  const auto before = currentNode();
  const bool kept = keepPlace && before.has_value();
  const double zoomed = zoom();
  clearGraph();
  graph_ = std::move(graph);
  for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
    auto* item = new GraphEdgeItem(layout.routes[i], static_cast<std::uint32_t>(i));
    scene()->addItem(item);
    edges_.push_back(item);
    for (const TensorId tensor : graph_.edges[i].tensors) {
      edgesOf_[tensor].push_back(static_cast<std::uint32_t>(i));
    }
  }
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    auto* item = new GraphNodeItem(graph_.nodes[i], static_cast<std::uint32_t>(i));
    item->setPos(layout.centres[i]);
    scene()->addItem(item);
    nodes_.push_back(item);
  }
  setSceneRect(layout.bounds.adjusted(-kAir, -kAir, kAir, kAir));
  resetTransform();
  const double room = viewport()->width() / std::max(1.0, sceneRect().width());
  const double fresh = std::clamp(room, kReadable, 1.0);
  scale(kept ? zoomed : fresh, kept ? zoomed : fresh);
  recolor();
  showMoment();
  markSelection();
  showFilter();
  const auto middle = selectedNode() ? selectedNode() : currentNode();
  if (middle) {
    centreOn(*middle);
  } else if (!nodes_.empty()) {
    centreOn(0);
  }
}

void GraphView::setColoring(GraphColoring coloring) {
  coloring_ = coloring;
  recolor();
}

void GraphView::setFollowing(bool following) {
  following_ = following;
  if (following_ && current_) ensureVisible(nodes_[*current_]);
}

void GraphView::recolor() {
  setBackgroundBrush(Theme::current().plot);
  const auto run = state_->run();
  if (!run) return;
  colors_ = GraphColors(*run, coloring_, state_->coloring());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i]->setFill(colors_.of(*run, graph_.nodes[i]));
  }
}

std::vector<LegendEntry> GraphView::legend() const {
  const auto run = state_->run();
  return run && !nodes_.empty() ? colors_.legend(*run, graph_) : std::vector<LegendEntry>();
}

void GraphView::changeEvent(QEvent* event) {
  QGraphicsView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) recolor();
}

std::optional<std::uint32_t> GraphView::currentNode() const {
  const auto run = state_->run();
  if (!run || nodes_.empty() || state_->step() >= run->schedule.steps()) return {};
  return graph_.nodeOf(run->schedule.opAt(state_->step()));
}

std::optional<std::uint32_t> GraphView::selectedNode() const {
  if (nodes_.empty() || !state_->selectedOp()) return {};
  return graph_.nodeOf(state_->selectedOp());
}

void GraphView::showMoment() {
  const auto now = currentNode();
  if (now == current_) return;
  if (current_) nodes_[*current_]->setCurrent(false);
  current_ = now;
  if (!current_) return;
  nodes_[*current_]->setCurrent(true);
  if (following_) ensureVisible(nodes_[*current_], 30, 60);
}

void GraphView::unmark(std::vector<QGraphicsItem*>& marked) {
  for (QGraphicsItem* item : marked) {
    if (auto* node = qgraphicsitem_cast<GraphNodeItem*>(item)) node->setMark(GraphMark::none);
    if (auto* edge = qgraphicsitem_cast<GraphEdgeItem*>(item)) edge->setMark(GraphMark::none);
  }
  marked.clear();
}

/// The edges that carry what a stay holds, and the boxes at their ends.
void GraphView::markTensors(StayId stay, GraphMark mark) {
  const auto run = state_->run();
  if (!run || !stay || !run->problem.stays.contains(stay)) return;
  const BufferId buffer = run->problem.stays[stay].buffer;
  if (!buffer || !run->storage.buffers.contains(buffer)) return;
  auto& marked = mark == GraphMark::hovered ? hoveredItems_ : selectedItems_;
  for (const TensorId tensor : run->storage.buffers[buffer].tensors) {
    const auto edges = edgesOf_.find(tensor);
    if (edges == edgesOf_.end()) continue;
    for (const std::uint32_t index : edges->second) {
      edges_[index]->setMark(mark);
      marked.push_back(edges_[index]);
      if (mark == GraphMark::hovered) continue;
      for (const std::uint32_t end : {graph_.edges[index].from, graph_.edges[index].to}) {
        if (nodes_[end]->mark() == GraphMark::none) nodes_[end]->setMark(GraphMark::near);
        marked.push_back(nodes_[end]);
      }
    }
  }
}

void GraphView::showSelection() {
  markSelection();
  if (choosing_ || selectedItems_.empty()) return;
  const auto node = selectedNode();
  ensureVisible(node ? nodes_[*node] : selectedItems_.back(), 30, 60);
}

void GraphView::markSelection() {
  unmark(hoveredItems_);
  unmark(selectedItems_);
  if (nodes_.empty()) return;
  const auto node = selectedNode();
  for (GraphEdgeItem* edge : edges_) {
    const GraphEdge& ends = graph_.edges[edge->index()];
    if (!node || (ends.from != *node && ends.to != *node)) continue;
    edge->setMark(GraphMark::near);
    selectedItems_.push_back(edge);
  }
  markTensors(state_->selected(), GraphMark::selected);
  if (node) {
    nodes_[*node]->setMark(GraphMark::selected);
    selectedItems_.push_back(nodes_[*node]);
  }
  markTensors(state_->hovered(), GraphMark::hovered);
}

void GraphView::showHover() {
  // Hover and selection mark the same items in the same way: to take away the marks of the hover
  // alone, all are taken away and those of the selection made again.
  markSelection();
}

/// A box is pale when nothing that its ops write was picked out.
void GraphView::showFilter() {
  const auto run = state_->run();
  const auto filter = state_->filter();
  if (!run || nodes_.empty()) return;  // A planning problem has no buffers to look tensors up in.
  std::vector<bool> tensors(run->graph().tensors.size(), false);
  if (filter) {
    for (const StayId stay : run->problem.stays.keys()) {
      const BufferId buffer = run->problem.stays[stay].buffer;
      if (!filter->keeps(stay) || !run->storage.buffers.contains(buffer)) continue;
      for (const TensorId tensor : run->storage.buffers[buffer].tensors) {
        tensors[tensor.index()] = true;
      }
    }
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const GraphNode& node = graph_.nodes[i];
    bool kept = !filter;
    for (const TensorId tensor : node.tensors) kept = kept || tensors[tensor.index()];
    for (std::size_t at = 0; at < node.runs.size() && !kept; ++at) {
      for (const TensorId output : run->graph().ops[node.runs[at]].outputs) {
        kept = kept || (output && tensors[output.index()]);
      }
    }
    nodes_[i]->setPale(!kept);
  }
}

void GraphView::showFocus() {
  for (GraphNodeItem* node : nodes_) node->setFocused(focused_ == node->index() && hasFocus());
}

void GraphView::centreOn(std::uint32_t node) { centerOn(nodes_[node]); }

void GraphView::fit() {
  fitInView(sceneRect(), Qt::KeepAspectRatio);
  if (zoom() > 1) {
    resetTransform();
    centerOn(sceneRect().center());
  }
}

void GraphView::zoomBy(double factor) {
  const double wanted = std::clamp(zoom() * factor, kLeastZoom, kMostZoom);
  const QPointF middle = mapToScene(viewport()->rect().center());
  scale(wanted / zoom(), wanted / zoom());
  centerOn(middle);
}

void GraphView::goToSelection() {
  if (nodes_.empty()) return;
  if (zoom() < kReadable) zoomBy(kReadable / zoom());
  if (const auto node = selectedNode()) {
    centreOn(*node);
  } else if (!selectedItems_.empty()) {
    centerOn(selectedItems_.back());
  } else if (current_) {
    centreOn(*current_);
  }
}

void GraphView::renderAll(QPainter& painter, const QRect& target) {
  painter.fillRect(target, Theme::current().plot);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  scene()->render(&painter, target, sceneRect(), Qt::KeepAspectRatio);
  painter.restore();
}

StayId GraphView::stayOf(const GraphEdge& edge) const {
  for (const TensorId tensor : edge.tensors) {
    const auto stays = staysOf(*state_->run(), tensor);
    if (!stays.empty()) return stays.front();
  }
  return {};
}

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

/// A choice takes the place of the selection before it.
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
