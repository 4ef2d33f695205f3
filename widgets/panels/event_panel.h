#pragma once

#include <QCheckBox>
#include <QFlags>
#include <QTableView>
#include <QWidget>
#include <map>

#include "core/plan_file/events_writer.h"
#include "widgets/jobs/background.h"
#include "widgets/state/view_state.h"
#include "widgets/tables/table_model.h"

namespace hw {

/// Kinds of rows of the event log, to choose by.
enum class EventClass {
  alloc = 1,    ///< Memory never used before.
  free = 2,     ///< A release.
  split = 4,    ///< Part of a free block.
  merge = 8,    ///< A released block joined free neighbours.
  reuse = 16,   ///< A free block of exactly the right size.
  spill = 32,   ///< Anything allocated in a later pool.
  op = 64,      ///< An op starts or ends, or is dispatched; a copy between devices.
  alias = 128,  ///< A tensor begins in bytes that another has already.
};
Q_DECLARE_FLAGS(EventClasses, EventClass)
Q_DECLARE_OPERATORS_FOR_FLAGS(EventClasses)

inline constexpr EventClasses kAllEvents = EventClasses(255);

EventClass eventClass(const TimelineEntry& entry);

/// The table of events as a history: rows of some kinds alone, found by the moment. The rows of a
/// large run come a moment later.
class EventModel : public TableModel {
  Q_OBJECT

 public:
  /// As `eventColumns` has them, but for the number.
  enum Column { kNumber, kTime, kStep, kPool, kEvent, kTensor, kOffset, kSize, kDetail };

  using TableModel::TableModel;

  /// Rows come by step or by time.
  void setRun(std::shared_ptr<const Run> run, bool bySteps);
  void setShown(EventClasses shown);
  EventClasses shown() const { return shown_; }

  QVariant data(const QModelIndex& index, int role) const override;

  /// The last row that has happened at `moment`, while `step` is under way; -1 before the first.
  int rowAt(std::size_t moment, Step step) const;
  /// The moment just after a row has happened.
  std::size_t momentOf(int row) const { return events_->moment(sourceRow(row)); }
  /// The row's stay; none for ops.
  StayId stayOf(int row) const { return source()->stayOf(sourceRow(row)); }
  /// The tensor that begins in bytes which are there; none of other rows.
  TensorId aliasOf(int row) const { return events_->alias(sourceRow(row)); }
  Step stepOf(int row) const { return events_->step(sourceRow(row)); }
  /// True for the start and end of an op, and where some are dispatched.
  bool isOp(int row) const { return events_->isOp(sourceRow(row)); }

 private:
  void show(std::shared_ptr<const Run> run, std::shared_ptr<const EventList> events);
  void narrow();

  std::shared_ptr<const EventList> events_;
  EventClasses shown_ = kAllEvents;
  Background<std::shared_ptr<const EventList>> building_;
};

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
