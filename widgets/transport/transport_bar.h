#pragma once

#include <QAction>
#include <QActionGroup>
#include <QLabel>
#include <QMenu>
#include <QSpinBox>
#include <QToolBar>
#include <QToolButton>

#include "widgets/base/icons.h"
#include "widgets/state/view_state.h"
#include "widgets/transport/player.h"

namespace hw {

/// The tape deck: start, back and forward by operator and by event, play, end, and the speed. Its
/// actions serve the menu too, which has some more of them.
class TransportBar : public QToolBar {
  Q_OBJECT

 public:
  TransportBar(ViewState* state, Player* player, QWidget* parent = nullptr);

  /// In the order of the menu; a separator is an action too.
  const QList<QAction*>& moves() const { return moves_; }
  /// By the value of a speed, and by PlayMode.
  const QList<QAction*>& speeds() const { return speeds_; }
  const QList<QAction*>& modes() const { return modes_; }

 private:
  struct Move {
    QString name;  ///< Also the object's name, for tests and rebinding.
    QString text;
    Glyph glyph;
    QKeySequence keys;
    bool shown = true;  ///< In the bar, not in the menu alone.
  };
  QAction* addMove(const Move& move, const std::function<void()>& act);
  void addMoves();
  void addSpeed();
  void addModes();
  void showPlaying(bool playing);
  void showRun();
  void showPace();

  ViewState* state_;
  Player* player_;
  QList<QAction*> moves_;
  QAction* play_ = nullptr;
  QAction* playBack_ = nullptr;
  QToolButton* speed_;
  QMenu* pace_;  ///< How fast, and what is shown meanwhile.
  QList<QAction*> speeds_;
  QList<QAction*> modes_;
};

/// The moment in words: the step, which can be typed, the event, and what happens there. One line
/// where there is no room for two.
class MomentBox : public QWidget {
  Q_OBJECT

 public:
  MomentBox(ViewState* state, Player* player, QWidget* parent = nullptr);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showRun();
  void showMoment();
  void showHappening();

  ViewState* state_;
  Player* player_;
  QSpinBox* spin_;
  QLabel* steps_;
  QLabel* happening_;
};

}  // namespace hw
