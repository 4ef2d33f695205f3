#include "widgets/method/stage_view.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/text.h"

namespace hw {

StageView::StageView(MethodDeck* deck, QWidget* parent) : QWidget(parent), deck_(deck) {
  setObjectName(QStringLiteral("stage"));
  setAccessibleName(tr("Stage of the method"));
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  connect(deck, &MethodDeck::recordChanged, this, &StageView::showRecord);
  connect(deck, &MethodDeck::moved, this, &StageView::showTick);
}

void StageView::showRecord() {
  stage_.reset();
  if (deck_->record()) stage_.emplace(deck_->run(), deck_->recordIndex());
  update();
}

void StageView::showTick() {
  setAccessibleDescription(sentence());
  update();
}

QString StageView::sentence() const {
  return stage_ ? QString::fromStdString(stage_->sentence(deck_->at())) : QString();
}

void StageView::setSelected(StayId stay) {
  if (stay == selected_) return;
  selected_ = stay;
  update();
}

const StageItem* StageView::itemAt(const QPoint& position) const {
  return stageItemAt(items_, {position.x() + 0.5, position.y() + 0.5});
}

StayId StageView::stayAt(const QPoint& position) const {
  const StageItem* item = itemAt(position);
  return item ? item->stay : StayId();
}

void StageView::renderTo(QPainter& painter, const QRect& target) {
  painter.fillRect(target, Theme::current().plot);
  items_.clear();
  if (!stage_) return;
  PainterCanvas canvas(painter);
  items_ = stage_->items(canvas.ruler(), *deck_->player(), toBox(target), selected_);
  drawStage(canvas, items_);
}

void StageView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  renderTo(painter, rect());
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(Theme::current().selection);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void StageView::mouseMoveEvent(QMouseEvent* event) {
  Q_EMIT pointedAt(stayAt(event->position().toPoint()));
}

void StageView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  Q_EMIT chosen(stayAt(event->position().toPoint()));
}

void StageView::leaveEvent(QEvent*) { Q_EMIT pointedAt({}); }

bool StageView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const StageItem* item = itemAt(help->pos());
  if (!item || item->text.empty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), viewText(item->text), this);
  }
  return true;
}

void StageView::focusInEvent(QFocusEvent*) { update(); }

void StageView::focusOutEvent(QFocusEvent*) { update(); }

}  // namespace hw
