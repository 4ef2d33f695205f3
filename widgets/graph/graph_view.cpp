#include "widgets/graph/graph_view.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>

#include "core/insight/explain.h"
#include "widgets/base/theme.h"

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
  colors_ = GraphColors(*run, coloring_);
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
  if (!run) return;
  std::vector<bool> tensors(run->graph().tensors.size(), false);
  if (filter) {
    for (const StayId stay : run->problem.stays.keys()) {
      const BufferId buffer = run->problem.stays[stay].buffer;
      if (!filter->keeps(stay) || !buffer) continue;
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

}  // namespace hw
