#include "widgets/base/seen.h"

#include <QEvent>
#include <QWidget>

namespace hw {

/// A panel behind another tab is still visible to Qt, but moved to a place outside the window: that
/// is what is asked for. The visible region would be empty for a widget whose children cover it
/// whole, though these are what one sees of it.
bool isSeen(const QWidget* widget) {
  const QWidget* window = widget->window();
  const QRect place(widget->mapTo(window, QPoint()), widget->size());
  return widget->isVisible() && place.intersects(window->rect());
}

SeenWatch::SeenWatch(QWidget* widget, std::function<void()> act)
    : QObject(widget), act_(std::move(act)) {
  widget->installEventFilter(this);
}

bool SeenWatch::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Show) act_();
  if (event->type() == QEvent::Paint && !told_) {
    told_ = true;
    const auto act = [this] {
      told_ = false;
      act_();
    };
    QMetaObject::invokeMethod(this, act, Qt::QueuedConnection);
  }
  return QObject::eventFilter(watched, event);
}

}  // namespace hw
