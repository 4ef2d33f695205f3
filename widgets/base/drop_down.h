#pragma once

#include <QFrame>
#include <QToolButton>

namespace hw {

/// A button with a panel that drops down from it: for choices that would take too much room if they
/// were always on screen. Esc or a click elsewhere closes it.
class DropDown : public QToolButton {
  Q_OBJECT

 public:
  /// Takes `content` over.
  explicit DropDown(QWidget* content, QWidget* parent = nullptr);

  /// The panel; hidden until the button is pressed.
  QFrame* panel() const { return panel_; }

 public Q_SLOTS:
  void open();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* content_;
  QFrame* panel_;
};

}  // namespace hw
