#pragma once

#include <QList>
#include <QObject>

class QAction;
class QKeyEvent;

namespace hw {

class MainWindow;
class MethodPanel;

/// The dock "Method": how the method came to its plan, played in planning time. While it has the
/// keys, those of the transport move its playhead instead of the run's.
class MethodFeature : public QObject {
  Q_OBJECT

 public:
  explicit MethodFeature(MainWindow* window);

  /// What the dock takes of the window's height to be of use, at most so many pixels: a stage has
  /// lists below one another.
  static constexpr int kPercent = 42;
  static constexpr int kEnough = 440;

 protected:
  /// The panel's keys.
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show();
  /// The transport's command that `key` means, as bound now; null: none of them.
  const QAction* commandOf(const QKeyEvent& key) const;

  MainWindow* window_;
  MethodPanel* panel_;
};

}  // namespace hw
