#pragma once

#include <QGraphicsView>
#include <map>
#include <optional>
#include <vector>

#include "widgets/graph/graph_items.h"
#include "widgets/graph/graph_layout.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The model graph, drawn: boxes in layers, edges downwards. Linked both ways: a click on a box
/// selects its op, on an edge its tensor, and what is selected, hovered or under the playhead
/// elsewhere is marked here.
///
/// Drag pans, the wheel zooms around the pointer, with Shift it pans sideways. Up and Down walk
/// along edges, Left and Right to the neighbour in the layer, Enter opens a box of several ops or
/// parts, Backspace closes the one around, + and - zoom, 0 fits, F goes to the selection.
class GraphView : public QGraphicsView {
  Q_OBJECT

 public:
  explicit GraphView(ViewState* state, QWidget* parent = nullptr);

  /// Shows a picture of the state's run. `keepPlace`: what was in the middle stays about there.
  void setGraph(ModelGraph graph, const GraphLayout& layout, bool keepPlace);
  void clearGraph();
  const ModelGraph& graph() const { return graph_; }

  void setColoring(GraphColoring coloring);
  std::vector<LegendEntry> legend() const;
  /// Keeps the op under the playhead on screen.
  void setFollowing(bool following);

  GraphNodeItem* nodeItem(std::size_t index) const { return nodes_[index]; }
  GraphEdgeItem* edgeItem(std::size_t index) const { return edges_[index]; }
  /// The box that the keyboard is at; none before the first key.
  std::optional<std::uint32_t> focused() const { return focused_; }
  double zoom() const { return transform().m11(); }

  /// Draws all of it into `target`, as large as fits.
  void renderAll(QPainter& painter, const QRect& target);

 public Q_SLOTS:
  /// Everything.
  void fit();
  void zoomBy(double factor);
  /// To the selected op, else the selected tensor, else the playhead.
  void goToSelection();

 Q_SIGNALS:
  void expandWanted(hw::OpRange range);
  void collapseWanted(hw::OpRange range);

 protected:
  bool event(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void recolor();
  void showMoment();
  void showSelection();
  void markSelection();
  void showHover();
  void showFilter();
  void showFocus();
  void markTensors(StayId stay, GraphMark mark);
  void unmark(std::vector<QGraphicsItem*>& marked);
  void centreOn(std::uint32_t node);
  std::optional<std::uint32_t> selectedNode() const;
  std::optional<std::uint32_t> currentNode() const;
  QGraphicsItem* itemUnder(const QPoint& position) const;
  void choose(QGraphicsItem* item);
  void enter(const GraphNode& node);
  StayId stayOf(const GraphEdge& edge) const;
  std::optional<std::uint32_t> neighbour(std::uint32_t node, int key) const;
  bool takes(const QKeyEvent& key) const;
  void walk(int key);
  QString describe(QGraphicsItem* item) const;

  ViewState* state_;
  ModelGraph graph_;
  GraphColors colors_;
  GraphColoring coloring_ = GraphColoring::opClass;
  bool following_ = true;
  bool choosing_ = false;  ///< True while the selection changes because of us.
  std::vector<GraphNodeItem*> nodes_;
  std::vector<GraphEdgeItem*> edges_;
  std::map<TensorId, std::vector<std::uint32_t>> edgesOf_;
  std::vector<QGraphicsItem*> selectedItems_, hoveredItems_;
  std::optional<std::uint32_t> current_, focused_;
  std::optional<QPoint> pressedAt_;
  bool dragging_ = false;
};

}  // namespace hw
