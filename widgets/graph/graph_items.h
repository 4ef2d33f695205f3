#pragma once

#include <QColor>
#include <QGraphicsItem>
#include <QPainterPath>
#include <QString>
#include <vector>

#include "core/picture/coloring.h"
#include "core/plan/metrics.h"
#include "widgets/graph/model_graph.h"

namespace hw {

/// The meaning of the colour of a box.
enum class GraphColoring { opClass, device, liveBytes };

/// One colour and what it stands for.
struct LegendEntry {
  QColor color{};
  QString text{};
};

/// Colours the boxes of a run's graph in the theme in force.
class GraphColors {
 public:
  GraphColors() = default;
  GraphColors(const Run& run, GraphColoring coloring, std::shared_ptr<const Coloring> ofOps);

  /// Most bytes live while an op of the box runs; 0 for inputs and outputs.
  Bytes liveDuring(const Run& run, const GraphNode& node) const;

  QColor of(const Run& run, const GraphNode& node) const;
  /// The meanings of the colours of `graph`, only those that occur.
  std::vector<LegendEntry> legend(const Run& run, const ModelGraph& graph) const;

 private:
  std::size_t classOf(const Run& run, const GraphNode& node) const;
  double liveShare(const Run& run, const GraphNode& node) const;

  LegendEntry classEntry(std::size_t kind) const;

  GraphColoring coloring_ = GraphColoring::opClass;
  std::shared_ptr<const Coloring> ofOps_ = Coloring::byType();
  StepFunction live_;
  Bytes peak_{};
};

/// True when the run knows which device runs an op: it is spread over several.
bool hasDevices(const Run& run);

/// The emphasis of a part of the graph, the strongest that applies.
enum class GraphMark { none, near, hovered, selected };

/// A box of the model graph. Marks are set by the view; nothing is looked up while painting.
class GraphNodeItem : public QGraphicsItem {
 public:
  enum { Type = UserType + 1 };  // NOLINT(readability-identifier-naming): Qt asks for it.
  static QSizeF sizeOf(const GraphNode& node);

  GraphNodeItem(const GraphNode& node, std::uint32_t index);

  std::uint32_t index() const { return index_; }
  const QColor& fill() const { return fill_; }
  void setFill(const QColor& fill);
  GraphMark mark() const { return mark_; }
  void setMark(GraphMark mark);
  /// Under the playhead.
  bool isCurrent() const { return current_; }
  void setCurrent(bool current);
  void setFocused(bool focused);
  /// Not what a filter or search picked out.
  void setPale(bool pale);

  int type() const override { return Type; }
  QRectF boundingRect() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  QRectF box() const;
  void paintTexts(QPainter* painter, const QRectF& box) const;

  GraphNode::Kind kind_;
  bool opens_;
  QString title_;
  QString detail_;
  QSizeF size_;
  std::uint32_t index_;
  QColor fill_;
  GraphMark mark_ = GraphMark::none;
  bool current_ = false;
  bool focused_ = false;
  bool pale_ = false;
};

/// An edge of the model graph, with an arrow at its end when it stands out.
class GraphEdgeItem : public QGraphicsItem {
 public:
  enum { Type = UserType + 2 };  // NOLINT(readability-identifier-naming): Qt asks for it.

  GraphEdgeItem(QPainterPath route, std::uint32_t index);

  std::uint32_t index() const { return index_; }
  GraphMark mark() const { return mark_; }
  void setMark(GraphMark mark);

  int type() const override { return Type; }
  QRectF boundingRect() const override;
  QPainterPath shape() const override;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

 private:
  QPainterPath route_;
  std::uint32_t index_;
  GraphMark mark_ = GraphMark::none;
};

}  // namespace hw
