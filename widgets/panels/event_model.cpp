#include "widgets/panels/event_model.h"

#include <QBrush>
#include <algorithm>

#include "widgets/base/theme.h"

namespace hw {

EventClass eventClass(const TimelineEntry& entry) {
  switch (entry.happening) {
    case Happening::release:
      return EventClass::free;
    case Happening::merge:
      return EventClass::merge;
    case Happening::fresh:
    case Happening::extend:
    case Happening::reuse:
    case Happening::split:
      break;
  }
  if (entry.pool.index() > 0) return EventClass::spill;
  if (entry.happening == Happening::reuse) return EventClass::reuse;
  return entry.happening == Happening::split ? EventClass::split : EventClass::alloc;
}

void EventModel::setRun(std::shared_ptr<const Run> run, bool bySteps) {
  building_.drop();
  setSource(nullptr);
  if (!run) return;
  building_.start(
      isSmallRun(*run), [run, bySteps] { return eventsOf(*run, bySteps); },
      [this, run](std::shared_ptr<const EventList> events) {
        events_ = std::move(events);
        setSource(eventTable(run, events_));
        if (shown_ != kAllEvents) narrow();
      });
}

void EventModel::setShown(EventClasses shown) {
  if (shown == shown_) return;
  shown_ = shown;
  narrow();
}

void EventModel::narrow() {
  arrange({.keep = [events = events_, shown = shown_](std::size_t row) {
    return shown.testFlag(events->isOp(row) || events->isCopy(row) ? EventClass::op
                          : events->alias(row)                     ? EventClass::alias
                                               : eventClass(events->entry(row)));
  }});
}

int EventModel::rowAt(std::size_t moment, Step step) const {
  const auto next = std::ranges::partition_point(
      rows(), [&](std::uint32_t row) { return events_->isBy(row, moment, step); });
  auto row = static_cast<int>(next - rows().begin()) - 1;
  // Rows that bring no event share the moment of the event before them. Of these the end of this
  // step, and later steps in which nothing happens, have not come yet.
  const auto isToCome = [&](int candidate) {
    const Step at = stepOf(candidate);
    return at > step ||
           (at == step && events_->kind(sourceRow(candidate)) == EventList::Kind::opEnd);
  };
  while (row >= 0 && isToCome(row)) --row;
  return row;
}

QVariant EventModel::data(const QModelIndex& index, int role) const {
  if (role == Qt::ForegroundRole && index.isValid() && isOp(index.row())) {
    return QBrush(Theme::current().mutedText);
  }
  return TableModel::data(index, role);
}

}  // namespace hw
