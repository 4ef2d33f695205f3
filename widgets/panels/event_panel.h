#pragma once

#include <QCheckBox>
#include <QTableView>
#include <QWidget>
#include <map>

#include "widgets/panels/event_model.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The event log: what happened to memory, row by row, with a box for each kind of event to leave
/// it out. Follows the moment; choosing a row goes there and selects what it is about.
class EventPanel : public QWidget {
  Q_OBJECT

 public:
  explicit EventPanel(ViewState* state, QWidget* parent = nullptr);

  QTableView* table() const { return table_; }
  EventModel* model() const { return model_; }
  QCheckBox* filter(EventClass kind) const { return filters_.at(kind); }

 private:
  void addFilters();
  void setUpTable();
  void showRun();
  void showMoment();
  void chooseRow(const QModelIndex& index);

  ViewState* state_;
  EventModel* model_;
  QTableView* table_;
  std::map<EventClass, QCheckBox*> filters_;
  bool following_ = false;  ///< True while the row changes because the moment did.
};

}  // namespace hw
