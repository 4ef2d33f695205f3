#pragma once

#include <QAbstractButton>
#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "widgets/state/view_state.h"

namespace hw {

/// A figure with what it is measured by: a label, the figure, a line that says what it means, and a
/// bar where it is part of a limit. A click goes to where it comes from.
class FigureCard : public QAbstractButton {
  Q_OBJECT

 public:
  struct Figure {
    QString label{};
    QString value{};
    QString meaning{};
    std::optional<double> share{};  ///< Of a limit, 0 to 1.
    bool warns = false;             ///< It is above its limit.
    QString toolTip{};
  };

  explicit FigureCard(QWidget* parent = nullptr);
  void setFigure(const Figure& figure);
  const Figure& figure() const { return figure_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {90, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  Figure figure_;
};

/// The figures of the run on show, each with its limit: the peak of its first memory, how far that
/// is above the live bytes, what lives elsewhere, the latency and the part of holes. As many as
/// have room.
class FigureCards : public QWidget {
  Q_OBJECT

 public:
  explicit FigureCards(ViewState* state, QWidget* parent = nullptr);

  /// Cards that have no room ask for none.
  QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showRun();
  void showWhatFits();

  ViewState* state_;
  std::vector<FigureCard*> cards_;
};

}  // namespace hw
