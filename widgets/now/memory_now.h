#pragma once

#include <QElapsedTimer>
#include <QVariantAnimation>
#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "core/picture/plot.h"
#include "widgets/now/memory_scene.h"
#include "widgets/plot/spoken_plot.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The memory of every pool at the current moment: a bar of chunks each, what is free hatched, the
/// frontier and the capacity marked. A single step forwards or backwards is shown as a movement of
/// a fifth of a second that ends exactly in the new state; a jump is shown at once, and so are
/// steps that follow each other faster than movements could be seen.
class MemoryNow : public QWidget, public SpokenPlot {
  Q_OBJECT
  Q_PROPERTY(bool reducedMotion READ reducedMotion WRITE setReducedMotion)

 public:
  explicit MemoryNow(ViewState* state, QWidget* parent = nullptr);

  /// True: nothing ever moves, every change is shown at once.
  bool reducedMotion() const { return reducedMotion_; }
  void setReducedMotion(bool reduced);

  /// Tells milliseconds from some start on: how fast steps follow each other is measured with it.
  void setClock(std::function<qint64()> milliseconds) { clock_ = std::move(milliseconds); }

  bool isMoving() const { return animation_.state() == QAbstractAnimation::Running; }
  /// The length of the last movement, milliseconds.
  int movementLength() const { return animation_.duration(); }
  /// The scene that is drawn at this instant.
  const MemoryScene& scene() const { return shown_; }
  /// The place of a pool's bar, in pixels of the widget.
  QRect barOf(PoolId pool) const;
  /// Maps bytes of a pool to pixels across its bar.
  ByteAxis axisOf(PoolId pool) const;
  /// The owner of the chunk at `position`; none beside the bars and over free chunks.
  StayId stayAt(const QPoint& position) const;
  /// Of the tensors that share what lies there, the one that lives there now.
  TensorId tensorAt(const QPoint& position) const;

  /// Draws what is on screen into `target`.
  void renderTo(QPainter& painter, const QRect& target) const;

  PlotRows spokenRows() const override;

  QSize sizeHint() const override { return {720, 150}; }
  QSize minimumSizeHint() const override;

 public Q_SLOTS:
  /// Ends any movement at once, in the exact state.
  void finish();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void showRun();
  void showMoment();
  void settle();
  const ScenePiece* pieceAt(const QPoint& position) const;
  int tweenFor(qint64 sinceLast) const;
  bool isSingleStep(std::size_t from, std::size_t to) const;

  ViewState* state_;
  bool reducedMotion_ = false;
  std::size_t moment_ = 0;  ///< That `target_` shows.
  MemoryScene start_;
  MemoryScene target_;
  MemoryScene shown_;
  std::vector<SceneFlight> flights_;  ///< Between `start_` and `target_`.
  QVariantAnimation animation_;
  QElapsedTimer running_;
  std::function<qint64()> clock_ = [this] { return running_.elapsed(); };
  std::optional<qint64> lastChange_;
  RunFrames frames_;  ///< Of the run on show.
};

}  // namespace hw
