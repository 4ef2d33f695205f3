#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "core/picture/stage/stage.h"
#include "widgets/method/method_deck.h"

namespace hw {

/// Draws the stage on which a method plays: its lists, stacks and tables as they are where the
/// playhead of planning time stands, and the decision made last in a sentence. What is drawn of a
/// tensor can be pointed at and chosen.
class StageView : public QWidget {
  Q_OBJECT

 public:
  explicit StageView(MethodDeck* deck, QWidget* parent = nullptr);

  /// Whose rows stand out; none: nobody's.
  void setSelected(StayId stay);
  /// Of what is drawn at `position`; none where nothing is.
  StayId stayAt(const QPoint& position) const;

  /// What the decision made last did, in words; before the first what is to come.
  QString sentence() const;
  /// What is drawn, as it was drawn last.
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

}  // namespace hw
