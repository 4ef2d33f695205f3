#pragma once

#include <QAbstractButton>
#include <QPointF>
#include <QString>
#include <optional>
#include <vector>

namespace hw {

/// A figure with what it is measured by.
struct Figure {
  QString label{};
  QString value{};
  QString meaning{};              ///< A line below the value; empty: there is none.
  std::optional<double> share{};  ///< Of a limit, 0 to 1.
  bool warns = false;             ///< It is above its limit.
  QString toolTip{};
  /// A small curve at the right, from left to right, in any units.
  std::vector<QPointF> curve{};
  std::optional<std::size_t> mark{};  ///< The point of the curve that the value is about.
  bool isSentence = false;            ///< The value is words, not a number.
};

/// A figure as a button: label, value, what it means, a bar where it is part of a limit, a curve
/// where it is one of many. A click goes to where it comes from.
class FigureCard : public QAbstractButton {
  Q_OBJECT

 public:
  explicit FigureCard(QWidget* parent = nullptr);
  void setFigure(const Figure& figure);
  const Figure& figure() const { return figure_; }
  /// True: two lines, without what the figure means.
  void setCompact(bool compact);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {90, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  double valueScale() const;
  void paintShare(QPainter& painter, const QRect& room) const;
  void paintCurve(QPainter& painter, const QRect& room) const;

  Figure figure_;
  bool compact_ = false;
};

}  // namespace hw
