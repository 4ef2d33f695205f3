#include "widgets/method/tick_slider.h"

#include <QMouseEvent>
#include <QPainter>
#include <QStyleOptionSlider>

#include "widgets/base/theme.h"

namespace hw {

TickSlider::TickSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {}

void TickSlider::setMarks(std::vector<std::size_t> values) {
  marks_ = std::move(values);
  update();
}

/// Where the middle of the handle can be.
QRect TickSlider::groove() const {
  QStyleOptionSlider option;
  initStyleOption(&option);
  const QRect groove =
      style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderGroove, this);
  const int handle =
      style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, this).width();
  return groove.adjusted(handle / 2, 0, -(handle - handle / 2), 0);
}

void TickSlider::paintEvent(QPaintEvent* event) {
  QSlider::paintEvent(event);
  if (marks_.empty() || maximum() <= minimum()) return;
  QPainter painter(this);
  const QRect way = groove();
  for (const std::size_t value : marks_) {
    const int x = way.left() + QStyle::sliderPositionFromValue(
                                   minimum(), maximum(), static_cast<int>(value), way.width());
    painter.fillRect(QRect(x - 1, height() - 5, 2, 4), Theme::current().selection);
  }
}

/// A click goes there, not a page nearer: each place is a decision.
void TickSlider::mousePressEvent(QMouseEvent* event) {
  QStyleOptionSlider option;
  initStyleOption(&option);
  const QRect handle =
      style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, this);
  if (event->button() == Qt::LeftButton && !handle.contains(event->pos())) {
    const QRect way = groove();
    setValue(QStyle::sliderValueFromPosition(minimum(), maximum(), event->pos().x() - way.left(),
                                             way.width()));
  }
  QSlider::mousePressEvent(event);
}

}  // namespace hw
