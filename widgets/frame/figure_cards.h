#pragma once

#include <QWidget>
#include <vector>

#include "widgets/base/figure_card.h"
#include "widgets/state/view_state.h"

namespace hw {

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
