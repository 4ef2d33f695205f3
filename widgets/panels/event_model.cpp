#include "widgets/panels/event_model.h"

#include <QBrush>
#include <algorithm>

#include "core/base/text.h"
#include "widgets/panels/run_text.h"
#include "widgets/theme.h"

namespace hw {

namespace {

/// Numbers to the right, words to the left.
QVariant alignmentOf(int column) {
  switch (column) {
    case EventModel::kNumber:
    case EventModel::kStep:
    case EventModel::kTime:
    case EventModel::kAddress:
    case EventModel::kSize:
      return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    default:
      return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  }
}

bool isRelease(const TimelineEntry& entry) {
  return entry.happening == Happening::release || entry.happening == Happening::merge;
}

}  // namespace

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

/// The story of a step: what the op writes is allocated, the op starts and ends, what it was the
/// last to need is released.
class EventModel::Builder {
 public:
  Builder(const Run& run, EventClasses shown) : run_(run), shown_(shown) {}

  std::vector<Row> build() {
    const Step steps = std::max(run_.schedule.steps(), run_.problem.steps);
    for (Step step(0); step <= steps; step += Step(1)) {
      while (isBy(step) && !isRelease(run_.timeline[entry_])) take();
      addOpRow(Kind::opStart, step);
      addOpRow(Kind::opEnd, step);
      while (isBy(step)) take();
    }
    return std::move(rows_);
  }

 private:
  bool isBy(Step step) const {
    return entry_ < run_.timeline.size() && run_.timeline[entry_].step <= step;
  }

  void take() {
    moment_ = run_.timeline[entry_].lastEvent;
    if (shown_.testFlag(eventClass(run_.timeline[entry_]))) {
      rows_.push_back({moment_, static_cast<std::uint32_t>(entry_), Kind::memory});
    }
    ++entry_;
  }

  void addOpRow(Kind kind, Step step) {
    if (step >= run_.schedule.steps() || !shown_.testFlag(EventClass::op)) return;
    rows_.push_back({moment_, static_cast<std::uint32_t>(step.count()), kind});
  }

  const Run& run_;
  EventClasses shown_;
  std::vector<Row> rows_;
  std::size_t entry_ = 0;
  std::size_t moment_ = 0;
};

void EventModel::setRun(std::shared_ptr<const Run> run) {
  run_ = std::move(run);
  build();
}

void EventModel::setShown(EventClasses shown) {
  if (shown == shown_) return;
  shown_ = shown;
  build();
}

void EventModel::build() {
  beginResetModel();
  rows_.clear();
  endResetModel();
  building_.drop();
  if (!run_) return;
  building_.start(
      isSmallRun(*run_), [run = run_, shown = shown_] { return Builder(*run, shown).build(); },
      [this](std::vector<Row> rows) {
        beginResetModel();
        rows_ = std::move(rows);
        endResetModel();
      });
}

int EventModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int EventModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

int EventModel::rowAt(std::size_t moment, Step step) const {
  const auto next = std::ranges::upper_bound(rows_, moment, {}, &Row::moment);
  auto row = static_cast<int>(next - rows_.begin()) - 1;
  // The step's own end, and steps without events after it, share the moment but are to come.
  const auto isToCome = [&](int candidate) {
    const Kind kind = rows_[static_cast<std::size_t>(candidate)].kind;
    const Step at = stepOf(candidate);
    return at > step || (at == step && kind == Kind::opEnd);
  };
  while (row >= 0 && isToCome(row)) --row;
  return row;
}

StayId EventModel::stayOf(int row) const {
  const Row& shown = rows_[static_cast<std::size_t>(row)];
  return shown.kind == Kind::memory ? run_->timeline[shown.index].stay : StayId();
}

Step EventModel::stepOf(int row) const {
  const Row& shown = rows_[static_cast<std::size_t>(row)];
  return shown.kind == Kind::memory ? run_->timeline[shown.index].step
                                    : Step(static_cast<std::int64_t>(shown.index));
}

QString EventModel::memoryText(const TimelineEntry& entry, int column) const {
  switch (column) {
    case kTime:
      return timeText(run_->trace.timeOf(entry.lastEvent - 1));
    case kEvent: {
      const std::string_view name = happeningName(entry.happening);
      return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    }
    case kTensor:
      return stayText(*run_, entry.stay);
    case kPool:
      return poolText(*run_, entry.pool);
    case kAddress:
      return addressText(run_->plan.regionStart(entry.pool, entry.region) + entry.offset);
    case kSize:
      return sizeText(entry.size);
    case kDetail:
      return reasonText(*run_, entry);
    default:
      return {};
  }
}

QString EventModel::opText(const Row& row, int column) const {
  const Step step(static_cast<std::int64_t>(row.index));
  const bool start = row.kind == Kind::opStart;
  const bool timed = row.index < run_->timing.ops.size();
  if (column == kEvent) return start ? tr("op start") : tr("op end");
  if (column == kTensor) return opNameText(*run_, run_->schedule.opAt(step));
  if (!timed) return {};
  const OpTiming& timing = run_->timing.ops[row.index];
  if (column == kTime) return timeText(start ? timing.time.begin : timing.time.end);
  if (column != kDetail || start) return {};
  return tr("took %1").arg(timeText(timing.time.length()));
}

QVariant EventModel::data(const QModelIndex& index, int role) const {
  if (!run_ || !index.isValid()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  if (role == Qt::TextAlignmentRole) return alignmentOf(column);
  if (role == Qt::ForegroundRole && row.kind != Kind::memory) {
    return QBrush(Theme::current().mutedText);
  }
  if (role == Qt::ToolTipRole && column == kDetail) return data(index, Qt::DisplayRole);
  if (role != Qt::DisplayRole) return {};
  if (column == kNumber) {
    return row.kind == Kind::memory ? QVariant(static_cast<qulonglong>(row.index) + 1) : QVariant();
  }
  if (column == kStep) return static_cast<qlonglong>(stepOf(index.row()).count());
  return row.kind == Kind::memory ? memoryText(run_->timeline[row.index], column)
                                  : opText(row, column);
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return alignmentOf(section);
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("#"),    tr("Step"),    tr("Time"), tr("Event"), tr("Tensor or op"),
                            tr("Pool"), tr("Address"), tr("Size"), tr("Why")};
  return titles[section];
}

}  // namespace hw
