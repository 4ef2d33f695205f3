#include "widgets/canvas/memory_now.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "widgets/canvas/block_label.h"
#include "widgets/canvas/memory_painter.h"

namespace hw {

namespace {

constexpr int kTweenMilliseconds = 200;
/// More events than this between two moments is a jump, not a step.
constexpr std::size_t kMostEvents = 64;
/// Memory in more pieces than this is shown at once: nobody could follow, and frames would drop.
constexpr std::size_t kMostPieces = 4'000;

}  // namespace

MemoryNow::MemoryNow(ViewState* state, QWidget* parent) : QWidget(parent), state_(state) {
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Memory now"));
  animation_.setDuration(kTweenMilliseconds);
  animation_.setStartValue(0.0);
  animation_.setEndValue(1.0);
  animation_.setEasingCurve(QEasingCurve::InOutQuad);
  connect(&animation_, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
    shown_ = between(start_, target_, value.toDouble());
    update();
  });
  const auto repaint = [this] { update(); };
  connect(state, &ViewState::runChanged, this, &MemoryNow::showRun);
  connect(state, &ViewState::momentChanged, this, &MemoryNow::showMoment);
  connect(state, &ViewState::selectionChanged, this, repaint);
  connect(state, &ViewState::hoverChanged, this, repaint);
  showRun();
}

void MemoryNow::setReducedMotion(bool reduced) {
  reducedMotion_ = reduced;
  if (reduced) finish();
}

QSize MemoryNow::minimumSizeHint() const { return {240, fontMetrics().height() * 5}; }

void MemoryNow::showRun() {
  animation_.stop();
  moment_ = state_->moment();
  const auto run = state_->run();
  target_ = run ? memoryScene(*run, moment_) : MemoryScene();
  shown_ = target_;
  update();
}

void MemoryNow::showMoment() {
  const auto run = state_->run();
  if (!run || state_->moment() == moment_) return;
  finish();
  const std::size_t before = std::exchange(moment_, state_->moment());
  start_ = std::exchange(target_, memoryScene(*run, moment_));
  if (isVisible() && isSingleStep(before, moment_)) {
    animation_.start();
  } else {
    shown_ = target_;
  }
  update();
}

/// One happening of the timeline, or one step of the schedule.
bool MemoryNow::isSingleStep(std::size_t from, std::size_t to) const {
  if (reducedMotion_ || start_.pieces.size() + target_.pieces.size() > kMostPieces) return false;
  const auto [first, last] = std::minmax(from, to);
  if (last - first > kMostEvents) return false;
  const Trace& trace = state_->run()->trace;
  return trace.event(last - 1).step - trace.event(first).step <= 1;
}

void MemoryNow::finish() {
  animation_.stop();
  shown_ = target_;
  update();
}

QRect MemoryNow::barOf(PoolId pool) const {
  const auto run = state_->run();
  return run ? memoryRows(*run, rect(), fontMetrics())[pool.index()].bar : QRect();
}

ByteAxis MemoryNow::axisOf(PoolId pool) const {
  const auto run = state_->run();
  return run ? memoryRows(*run, rect(), fontMetrics())[pool.index()].axis : ByteAxis();
}

StayId MemoryNow::stayAt(const QPoint& position) const {
  const auto run = state_->run();
  if (!run) return {};
  for (const MemoryRow& row : memoryRows(*run, rect(), fontMetrics())) {
    if (!row.bar.contains(position)) continue;
    StayId found;
    for (const ScenePiece& piece : shown_.pieces) {
      if (piece.pool == row.pool && pieceBox(row, piece).contains(position)) found = piece.owner;
    }
    return found;
  }
  return {};
}

void MemoryNow::renderTo(QPainter& painter, const QRect& target) const {
  if (const auto run = state_->run()) {
    paintMemory(painter, target, *run, shown_,
                {state_->moment(), state_->selected(), state_->hovered()});
  }
}

void MemoryNow::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (!state_->run()) {
    painter.fillRect(rect(), Theme::current().plot);
    painter.setPen(Theme::current().mutedText);
    painter.drawText(rect(), Qt::AlignCenter, tr("Open a model to see its memory here"));
    return;
  }
  renderTo(painter, rect());
}

void MemoryNow::mouseMoveEvent(QMouseEvent* event) {
  state_->hover(stayAt(event->position().toPoint()));
}

void MemoryNow::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) state_->select(stayAt(event->position().toPoint()));
}

void MemoryNow::leaveEvent(QEvent*) { state_->hover({}); }

bool MemoryNow::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const StayId stay = stayAt(help->pos());
  const auto run = state_->run();
  if (stay && run) {
    QToolTip::showText(help->globalPos(), blockLabel(*run, stay), this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

}  // namespace hw
