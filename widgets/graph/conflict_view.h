#pragma once

#include <QWidget>

#include "core/picture/conflict_scene.h"
#include "widgets/plot/spoken_plot.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The conflicts of the run on show with what is selected, and nothing under the pointer.
ConflictScene conflictsShown(const ViewState& state);

/// Conflicts of the buffers of a planning problem: shown where others have a network.
/// A click selects a buffer; Right and Left go to the next on the circle and back.
class ConflictView : public QWidget, public SpokenPlot {
  Q_OBJECT

 public:
  explicit ConflictView(ViewState* state, QWidget* parent = nullptr);

  /// True if the run on show has anything to show here.
  bool hasContent() const;
  /// The buffer drawn at `position`; none beside all of them.
  StayId stayAt(const QPoint& position) const;

  PlotRows spokenRows() const override;
  QSize sizeHint() const override { return {420, 420}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  const ConflictScene& scene() const;
  std::vector<Box> boxes() const;
  std::optional<std::size_t> nodeAt(const QPoint& position) const;
  void walk(int direction);
  QString describe(const ConflictScene::Node& node) const;

  ViewState* state_;
  /// Of the run and colouring on show, once somebody has looked.
  mutable std::optional<ConflictScene> scene_;
};

}  // namespace hw
