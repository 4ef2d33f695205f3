#pragma once

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QWidget>

#include "core/run/run.h"

namespace hw {

class MainWindow;
class Segment;

/// The bar above: the menu of all commands, the file on show, the places, the search, Undo and
/// Export.
class TopBar : public QWidget {
  Q_OBJECT

 public:
  explicit TopBar(QWidget* parent = nullptr);

  /// Stands before the buttons at the right; to be called before `fill`.
  void setFinder(QWidget* finder) { finder_ = finder; }
  /// To be called when all commands are there.
  void fill(const MainWindow& window);
  void showRun(const Run& run);
  /// Told instead of the run in places that need none: a name, where it comes from, and counts.
  void showOther(const QString& name, const QString& from, const QString& counts);
  /// `any`: something is open, so that there are places to go to; `other`: the place on show needs
  /// no run.
  void setHome(bool home, bool any, bool other);
  void openMenu();

  /// What has no room in a narrow window hides.
  QSize minimumSizeHint() const override { return {640, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  /// Windows narrower than this have no room for the numbers of operators and buffers.
  static constexpr int kRoomForCounts = 1300;
  /// Wider ones have room for what can be found.
  static constexpr int kRoomForFinder = 1500;
  /// Narrower ones have Undo and Export in the menu alone.
  static constexpr int kRoomForButtons = 960;

  /// Texts beside the logo.
  struct Caption {
    QString name{};
    QString toolTip{};
    QString counts{};
  };

  QToolButton* button(QAction* action);
  void showCaption();
  void drawLogo();

  QToolButton* menu_;
  QToolButton* file_;
  QLabel* counts_;
  Segment* places_;
  QWidget* finder_ = nullptr;
  QHBoxLayout* row_;
  QList<QWidget*> roomy_;
  Caption run_;
  Caption other_;
  bool isOther_ = false;
};

}  // namespace hw
