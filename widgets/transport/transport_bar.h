#pragma once

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QSpinBox>
#include <QToolBar>

#include "widgets/base/icons.h"
#include "widgets/state/view_state.h"
#include "widgets/transport/player.h"

namespace hw {

/// The tape deck: start, back and forward by op and by event, play, end, peak, the number of
/// the step, the event and the speed. Its actions serve the menu too.
class TransportBar : public QToolBar {
  Q_OBJECT

 public:
  TransportBar(ViewState* state, Player* player, QWidget* parent = nullptr);

  /// In the order of the bar; a separator is an action too.
  const QList<QAction*>& moves() const { return moves_; }

 private:
  struct Move {
    QString name;  ///< Also the object's name, for tests and rebinding.
    QString text;
    Glyph glyph;
    QKeySequence keys;
  };
  QAction* addMove(const Move& move, const std::function<void()>& act);
  void addMoves();
  void addStepWidgets();
  void addMode();
  void addSpeed();
  void showPlaying(bool playing);
  void showRun();
  void showMoment();
  void showPace();

  ViewState* state_;
  Player* player_;
  QList<QAction*> moves_;
  QAction* play_ = nullptr;
  QAction* playBack_ = nullptr;
  QSpinBox* spin_ = nullptr;
  QLabel* steps_ = nullptr;
  QLabel* events_ = nullptr;
  QLabel* pace_ = nullptr;  ///< Only while the axis is time.
  QAction* paceAction_ = nullptr;
  QComboBox* mode_ = nullptr;  ///< Entries in the order of PlayMode.
  QComboBox* speed_ = nullptr;
};

}  // namespace hw
