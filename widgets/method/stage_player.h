#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSlider>
#include <QToolButton>
#include <QWidget>
#include <map>
#include <optional>
#include <vector>

#include "core/picture/stage/stage.h"
#include "widgets/base/icons.h"
#include "widgets/method/method_deck.h"

class QHBoxLayout;

namespace hw {

/// Draws the stage on which a method plays: its lists, stacks and tables as they are where the
/// playhead of planning time stands, and the decision made last in a sentence. What is drawn of a
/// tensor can be pointed at and chosen.
class StageView : public QWidget {
  Q_OBJECT

 public:
  explicit StageView(MethodDeck* deck, QWidget* parent = nullptr);

  /// The stay whose rows stand out, or none.
  void setSelected(StayId stay);
  /// Of what is drawn at `position`; none where nothing is.
  StayId stayAt(const QPoint& position) const;

  /// The decision made last, in words; before the first one, what is to come.
  QString sentence() const;
  /// The shapes as they were drawn last.
  const std::vector<StageItem>& items() const { return items_; }

  void renderTo(QPainter& painter, const QRect& target);

  QSize sizeHint() const override { return {640, 240}; }
  QSize minimumSizeHint() const override { return {200, 90}; }

 Q_SIGNALS:
  /// A tensor was clicked; none: the ground beside all.
  void chosen(hw::StayId stay);
  /// One is under the pointer, or none any more.
  void pointedAt(hw::StayId stay);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void showRecord();
  void showTick();
  const StageItem* itemAt(const QPoint& position) const;

  MethodDeck* deck_;
  std::optional<Stage> stage_;  ///< Of the deck's record.
  StayId selected_;
  std::vector<StageItem> items_;
};

/// A slider over decisions, with a mark below each of those that are about what is selected.
class TickSlider : public QSlider {
  Q_OBJECT

 public:
  explicit TickSlider(QWidget* parent = nullptr);

  /// Ascending values.
  void setMarks(std::vector<std::size_t> values);
  const std::vector<std::size_t>& marks() const { return marks_; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

 private:
  QRect groove() const;

  std::vector<std::size_t> marks_;
};

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
  /// The stay whose decisions are marked.
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
