#pragma once

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>
#include <QWidget>
#include <memory>
#include <set>

#include "widgets/graph/conflict_view.h"
#include "widgets/graph/graph_view.h"
#include "widgets/jobs/background.h"

namespace hw {

/// The model graph with what it takes to look at it: colours and their legend, zoom, grouping.
/// Parts in which an op runs are folded into it until somebody opens it. It is laid out by a
/// worker, and only once somebody looks. A planning problem with constraints has its conflicts here
/// instead.
class GraphPanel : public QWidget {
  Q_OBJECT

 public:
  explicit GraphPanel(ViewState* state, QWidget* parent = nullptr);

  GraphView* view() const { return view_; }
  ConflictView* conflicts() const { return conflicts_; }
  QComboBox* coloring() const { return coloring_; }
  QToolButton* groups() const { return groups_; }
  QToolButton* follow() const { return follow_; }
  QPushButton* cancelButton() const { return cancel_; }
  /// The words instead of a picture; empty while there is one.
  QString emptyText() const;
  bool isLayingOut() const { return drawing_.isRunning(); }

 public Q_SLOTS:
  /// Gives up laying out; the picture on show stays.
  void cancel();
  /// Opens groups until the selected op has a box of its own, and goes there.
  void revealSelection();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Drawn {
    ModelGraph graph{};
    GraphLayout layout{};
  };

  void buildBar();
  QToolButton* addButton(QWidget* bar, const QString& text, const QString& toolTip);
  void showRun();
  void regroup(bool grouped);
  void start();
  void accept(const std::shared_ptr<const Drawn>& drawn);
  void say(const QString& text);
  void showNoGraph(bool known);
  void fillLegend();
  void expand(OpRange range);
  void collapse(OpRange range);
  const Graph& shownGraph() const { return graph_ ? *graph_ : *shown_->graph; }
  bool unfold(OpId op);

  ViewState* state_;
  GraphView* view_;
  ConflictView* conflicts_;
  QWidget* bar_;
  QComboBox* coloring_;
  QToolButton* groups_;
  QToolButton* follow_;
  QLabel* legend_;
  QStackedWidget* stack_;
  QLabel* empty_;
  QWidget* busy_;
  QLabel* what_;
  QPushButton* cancel_;
  OpGroups ranges_;
  std::set<OpId> unfolded_;             ///< Ops whose parts are drawn.
  std::shared_ptr<const Model> shown_;  ///< Of the picture; null: none yet.
  std::shared_ptr<const Graph> graph_;  ///< The rewritten graph of the run; or null.
  bool wanted_ = false;                 ///< There is something to lay out when we are looked at.
  bool revealing_ = false;              ///< Once it is laid out, go to the selection.
  Background<std::shared_ptr<const Drawn>> drawing_;
};

}  // namespace hw
