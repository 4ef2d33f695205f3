#pragma once

#include <QAbstractTableModel>
#include <QFlags>
#include <vector>

#include "core/run/run.h"
#include "widgets/jobs/background.h"

namespace hw {

/// What a row of the event log is about, to choose by.
enum class EventClass {
  alloc = 1,   ///< Memory never used before.
  free = 2,    ///< A release.
  split = 4,   ///< Part of a free block.
  merge = 8,   ///< A released block joined free neighbours.
  reuse = 16,  ///< A free block of exactly the right size.
  spill = 32,  ///< Anything allocated in a later pool.
  op = 64,     ///< An op starts or ends.
};
Q_DECLARE_FLAGS(EventClasses, EventClass)
Q_DECLARE_OPERATORS_FOR_FLAGS(EventClasses)

inline constexpr EventClasses kAllEvents = EventClasses(127);

EventClass eventClass(const TimelineEntry& entry);

/// The history of a run, a row an event: what happened to memory, between the starts and ends of
/// the ops. Holds 16 bytes a row and makes texts when asked, so that millions of rows cost nothing.
/// The rows of a large run come a moment later, with another reset.
class EventModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { kNumber, kStep, kTime, kEvent, kTensor, kPool, kAddress, kSize, kDetail, kColumns };

  using QAbstractTableModel::QAbstractTableModel;

  void setRun(std::shared_ptr<const Run> run);
  void setShown(EventClasses shown);
  EventClasses shown() const { return shown_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  /// The last row that has happened at `moment`, while `step` is under way; -1 before the first.
  int rowAt(std::size_t moment, Step step) const;
  /// The moment just after a row has happened.
  std::size_t momentOf(int row) const { return rows_[static_cast<std::size_t>(row)].moment; }
  /// The row's stay; none for ops.
  StayId stayOf(int row) const;
  /// The row's step.
  Step stepOf(int row) const;
  /// True for the start and end of an op.
  bool isOp(int row) const { return rows_[static_cast<std::size_t>(row)].kind != Kind::memory; }

 private:
  enum class Kind : std::uint32_t { memory, opStart, opEnd };
  struct Row {
    std::size_t moment = 0;   ///< Events of the trace that have happened by then.
    std::uint32_t index = 0;  ///< Into the timeline, or the step.
    Kind kind = Kind::memory;
  };

  class Builder;

  void build();
  QString memoryText(const TimelineEntry& entry, int column) const;
  QString opText(const Row& row, int column) const;

  std::shared_ptr<const Run> run_;
  EventClasses shown_ = kAllEvents;
  std::vector<Row> rows_;
  Background<std::vector<Row>> building_;
};

}  // namespace hw
