#pragma once

#include <QButtonGroup>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QWidget>

#include "widgets/base/bar_delegate.h"
#include "widgets/base/style.h"
#include "widgets/charts/dot_chart.h"
#include "widgets/study/study_table_model.h"
#include "widgets/study/study_view_state.h"

namespace hw {

/// The middle of the place Study: the filters in force, the runs of one model as dots, the least
/// over two axes as a heat map, curves of all models, and the rows behind them. A click on any of
/// them chooses a run.
class StudyViews : public QWidget {
  Q_OBJECT

 public:
  /// `empty` is shown instead of all that while no results are open.
  StudyViews(StudyViewState* state, QWidget* empty, QWidget* parent = nullptr);

  DotChart* dots() const { return dots_; }
  DotChart* heat() const { return heat_; }
  DotChart* multiples() const { return multiples_; }
  QTableView* table() const { return table_; }
  StudyTableModel* model() const { return model_; }
  /// "216 of 1,728 runs of inception_v3".
  QString summary() const { return summary_->text(); }

 Q_SIGNALS:
  void openWanted(std::uint32_t row);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* buildHead();
  QWidget* buildTable();
  void connectAll();
  void showFile();
  void fillFigures();
  void fillAxes();
  void refresh();
  void showChips();
  void showBars();
  void showScenes();
  void showChosen();
  void pickCell(int cell);
  void arrange();

  StudyViewState* state_;
  QStackedWidget* stack_;
  QWidget* chips_;
  QLabel* summary_;
  Segment* figures_;
  std::vector<QToolButton*> figureButtons_;
  QComboBox* pair_;
  std::vector<StudyViewState::Pair> pairs_;  ///< Of `pair_`.
  QGridLayout* grid_;
  DotChart* dots_;
  DotChart* heat_;
  DotChart* multiples_;
  QWidget* cards_[3] = {};
  QLabel* tableTitle_;
  QPushButton* allRows_;
  QTableView* table_;
  BarDelegate* bars_;  ///< For the column of the figure.
  StudyTableModel* model_;
  StudyPivot cells_;
};

}  // namespace hw
