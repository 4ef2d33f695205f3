#pragma once

#include <QComboBox>
#include <QLabel>
#include <QToolButton>
#include <map>

#include "widgets/base/icons.h"
#include "widgets/method/stage_view.h"
#include "widgets/method/tick_slider.h"

class QHBoxLayout;

namespace hw {

/// A stage with the deck that plays it: start, back, play, forward, end, a slider over all
/// decisions, which of them it is, and the speed.
class StagePlayer : public QWidget {
  Q_OBJECT

 public:
  explicit StagePlayer(QWidget* parent = nullptr);

  MethodDeck* deck() { return &deck_; }
  StageView* stage() const { return stage_; }
  TickSlider* slider() const { return slider_; }
  /// "start", "opBack", "eventBack", "playBack", "play", "eventForward", "opForward", "end": the
  /// transport's names for what these do here.
  QToolButton* button(const QString& name) const { return buttons_.at(name); }
  /// Does what the transport's command of that name does, in planning time; false: it has no such
  /// thing.
  bool act(const QString& command);
  bool knows(const QString& command) const;
  /// The line of the deck, above the stage until somebody takes it elsewhere.
  QWidget* head() const { return head_; }
  /// Adds `widget` to that line, at its left or right end.
  void addAtStart(QWidget* widget);
  void addAtEnd(QWidget* widget);
  /// "decision 7 of 12".
  QString place() const { return place_->text(); }
  /// Whose decisions are marked.
  void setSelected(StayId stay);

 private:
  void addButton(const char* name, const QString& text, Glyph glyph);
  void buildHead();
  void showRecord();
  void showTick();
  void showPlaying();

  MethodDeck deck_;
  StageView* stage_;
  TickSlider* slider_;
  QLabel* place_;
  QComboBox* speed_;
  QWidget* head_;
  QHBoxLayout* line_;  ///< Of the head.
  std::map<QString, QToolButton*> buttons_;
  StayId selected_;
};

}  // namespace hw
