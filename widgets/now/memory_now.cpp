#include "widgets/now/memory_now.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "core/picture/axis.h"
#include "core/picture/map_scene.h"
#include "widgets/base/theme.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr qint64 kLongAgo = 10'000;
constexpr int kTweenMilliseconds = 200;
/// A movement shorter than this is a flicker.
constexpr int kLeastMilliseconds = 80;
/// More events than this between two moments is a jump, not a step.
constexpr std::size_t kMostEvents = 64;
/// Memory in more pieces than this is shown at once: nobody could follow, and frames would drop.
constexpr std::size_t kMostPieces = 4'000;

}  // namespace

MemoryNow::MemoryNow(ViewState* state, QWidget* parent) : QWidget(parent), state_(state) {
  running_.start();
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Memory now"));
  animation_.setDuration(kTweenMilliseconds);
  animation_.setStartValue(0.0);
  animation_.setEndValue(1.0);
  animation_.setEasingCurve(QEasingCurve::InOutQuad);
  connect(&animation_, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
    const double progress = value.toDouble();
    shown_ = between(start_, target_, progress);
    if (progress < 1) shown_.flights = flights_;
    for (SceneFlight& flight : shown_.flights) flight.progress = progress;
    update();
  });
  const auto repaint = [this] { update(); };
  connect(state, &ViewState::runChanged, this, &MemoryNow::showRun);
  connect(state, &ViewState::momentChanged, this, &MemoryNow::showMoment);
  connect(state, &ViewState::selectionChanged, this, repaint);
  connect(state, &ViewState::hoverChanged, this, repaint);
  connect(state, &ViewState::decorationChanged, this, repaint);
  connect(state, &ViewState::filterChanged, this, repaint);
  connect(state, &ViewState::coloringChanged, this, repaint);
  showRun();
}

void MemoryNow::setReducedMotion(bool reduced) {
  reducedMotion_ = reduced;
  if (reduced) finish();
}

QSize MemoryNow::minimumSizeHint() const {
  const auto run = state_->run();
  const int least = run ? leastMemoryHeight(*run, fontMetrics()) : 0;
  return {240, std::max(fontMetrics().height() * 5, least)};
}

/// A movement is over before the next is due: shorter when steps come quickly, none when they come
/// too quickly for any.
int MemoryNow::tweenFor(qint64 sinceLast) const {
  const qint64 room = sinceLast * 4 / 5;
  return room < kLeastMilliseconds ? 0
                                   : static_cast<int>(std::min<qint64>(kTweenMilliseconds, room));
}

void MemoryNow::showRun() {
  animation_.stop();
  moment_ = state_->moment();
  const auto run = state_->run();
  frames_ = run ? runFrames(*run) : RunFrames();
  target_ = run ? memoryScene(*run, moment_, frames_) : MemoryScene();
  shown_ = target_;
  lastChange_.reset();
  updateGeometry();
  update();
}

void MemoryNow::showMoment() {
  const auto run = state_->run();
  if (!run || state_->moment() == moment_) return;
  settle();
  const qint64 now = clock_();
  const int tween = tweenFor(now - lastChange_.value_or(now - kLongAgo));
  lastChange_ = now;
  const std::size_t before = std::exchange(moment_, state_->moment());
  start_ = std::exchange(target_, memoryScene(*run, moment_, frames_));
  if (isVisible() && tween > 0 && isSingleStep(before, moment_)) {
    flights_ = flights(*run, start_, target_);
    animation_.setDuration(tween);
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
  settle();
  lastChange_.reset();
}

void MemoryNow::settle() {
  animation_.stop();
  shown_ = target_;
  update();
}

QRect MemoryNow::barOf(PoolId pool) const {
  const auto run = state_->run();
  if (!run) return {};
  for (const MemoryRow& row : memoryRows(*run, rect(), fontMetrics())) {
    if (row.pool == pool) return row.bar;
  }
  return {};
}

ByteAxis MemoryNow::axisOf(PoolId pool) const {
  const auto run = state_->run();
  if (!run) return {};
  for (const MemoryRow& row : memoryRows(*run, rect(), fontMetrics())) {
    if (row.pool == pool) return row.axis;
  }
  return {};
}

const ScenePiece* MemoryNow::pieceAt(const QPoint& position) const {
  const auto run = state_->run();
  if (!run) return nullptr;
  for (const MemoryRow& row : memoryRows(*run, rect(), fontMetrics())) {
    if (!row.bar.contains(position)) continue;
    const ScenePiece* found = nullptr;
    for (const ScenePiece& piece : shown_.pieces) {
      if (piece.pool == row.pool && pieceBox(row, piece).contains(position)) found = &piece;
    }
    return found;
  }
  return nullptr;
}

StayId MemoryNow::stayAt(const QPoint& position) const {
  const ScenePiece* piece = pieceAt(position);
  return piece ? piece->owner : StayId();
}

TensorId MemoryNow::tensorAt(const QPoint& position) const {
  const ScenePiece* piece = pieceAt(position);
  if (!piece || !piece->owner) return {};
  const auto run = state_->run();
  const double byte = axisOf(piece->pool).toBytes(position.x() + 0.5);
  return partAt(*run, RunScale(*run, AxisUnit::step), blockOf(*run, *piece),
                static_cast<double>(state_->step().count()),
                Bytes(static_cast<std::int64_t>(std::floor(byte))));
}

/// The chunks of all memories at this moment.
PlotRows MemoryNow::spokenRows() const {
  PlotRows rows{.columns = {tr("Memory"), tr("Buffer"), tr("Size"), tr("Address")}};
  const auto run = state_->run();
  if (!run) return rows;
  for (const MemoryRow& row : memoryRows(*run, rect(), fontMetrics())) {
    for (const ScenePiece& piece : target_.pieces) {
      if (piece.pool != row.pool || rows.isFull()) continue;
      const Interval<Bytes> bytes{Bytes(static_cast<std::int64_t>(piece.low)),
                                  Bytes(static_cast<std::int64_t>(piece.high))};
      rows.add({poolText(*run, row.pool),
                piece.owner ? QString::fromStdString(blockName(*run, piece.owner)) : tr("free"),
                sizeText(bytes.length()), addressesText(bytes)},
               pieceBox(row, piece));
    }
  }
  return rows;
}

void MemoryNow::renderTo(QPainter& painter, const QRect& target) const {
  if (const auto run = state_->run()) {
    paintMemory(painter, target, *run, shown_,
                {state_->moment(), state_->selected(), state_->hovered(), state_->hexAddresses(),
                 state_->filter(), state_->step(), state_->coloring(), state_->selectedPart()});
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
  drawCardEdge(*this, painter);
}

void MemoryNow::mouseMoveEvent(QMouseEvent* event) {
  state_->hover(stayAt(event->position().toPoint()));
}

void MemoryNow::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const QPoint at = event->position().toPoint();
  state_->selectPart(stayAt(at), tensorAt(at));
}

void MemoryNow::leaveEvent(QEvent*) { state_->hover({}); }

bool MemoryNow::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const StayId stay = stayAt(help->pos());
  const auto run = state_->run();
  if (stay && run) {
    const TensorId part = tensorAt(help->pos());
    const std::string text = part ? partLabel(*run, part) : blockLabel(*run, stay);
    QToolTip::showText(help->globalPos(), viewText(text), this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

}  // namespace hw
