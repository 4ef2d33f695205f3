#pragma once

#include <QObject>
#include <functional>

class QWidget;

namespace hw {

/// Whether any of `widget` is on the screen. A panel behind another tab of its dock is not, though
/// Qt calls it visible.
bool isSeen(const QWidget* widget);

/// Tells when a widget that was not seen is: for what is worked out only when somebody looks.
class SeenWatch : public QObject {
  Q_OBJECT

 public:
  /// `act` is called when `widget` is shown, and from the event loop after it was painted; often,
  /// so it has to know whether there is anything to do.
  SeenWatch(QWidget* widget, std::function<void()> act);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  std::function<void()> act_;
  bool told_ = false;  ///< And not acted yet.
};

}  // namespace hw
