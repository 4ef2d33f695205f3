#include "widgets/seen.h"

#include <QEvent>
#include <QWidget>

namespace hw {

/// Qt keeps panels behind others beside the window; children that cover their parent whole do not
/// matter, which is why this does not ask for its visible region.
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
