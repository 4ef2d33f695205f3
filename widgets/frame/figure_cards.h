#pragma once

#include <QWidget>
#include <vector>

#include "core/run/figures.h"
#include "widgets/base/figure_card.h"
#include "widgets/jobs/background.h"
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
  void showFigures(const RunFigures& figures);
  void showWhatFits();

  ViewState* state_;
  Background<RunFigures> adding_;  ///< Adds up those of a large run.
  std::vector<FigureCard*> cards_;
};

}  // namespace hw
