#include "widgets/panels/event_panel.h"

#include <QBrush>
#include <QGridLayout>
#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/base/panel_parts.h"
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

namespace {

/// Column widths in average characters; the last takes the rest.
constexpr int kWidths[] = {7, 10, 6, 6, 10, 28, 14, 11};
constexpr int kEvent = 4;
constexpr int kTensor = 5;

}  // namespace

EventPanel::EventPanel(ViewState* state, QWidget* parent)
    : QWidget(parent), state_(state), model_(new EventModel(this)), table_(new QTableView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  addFilters();
  setUpTable();
  layout->addWidget(table_);
  connect(state, &ViewState::runChanged, this, &EventPanel::showRun);
  connect(state, &ViewState::axisChanged, this, &EventPanel::showRun);
  connect(state, &ViewState::momentChanged, this, &EventPanel::showMoment);
  connect(model_, &EventModel::modelReset, this, &EventPanel::showMoment);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &EventPanel::chooseRow);
  showRun();
}

void EventPanel::addFilters() {
  const std::pair<EventClass, std::pair<QString, QString>> boxes[] = {
      {EventClass::alloc, {tr("fresh"), tr("Memory never used before: fresh, and extend")}},
      {EventClass::free, {tr("release"), tr("The owner is done")}},
      {EventClass::split, {tr("split"), tr("Part of a free block")}},
      {EventClass::merge, {tr("merge"), tr("A released block joined its free neighbours")}},
      {EventClass::reuse, {tr("reuse"), tr("A free block of exactly the right size")}},
      {EventClass::spill, {tr("to L3"), tr("Allocated outside the first pool")}},
      {EventClass::alias, {tr("share"), tr("A tensor begins in bytes that are there: no copy")}},
      {EventClass::op,
       {tr("op"), tr("An op starts or ends, ops are dispatched, or a tensor goes to a device")}},
  };
  auto* row = new QGridLayout;
  row->setContentsMargins(8, 3, 8, 3);
  constexpr int kInRow = 3;  // As many as a narrow column has room for.
  for (const auto& [kind, words] : boxes) {
    auto* box = new QCheckBox(words.first, this);
    box->setChecked(true);
    box->setToolTip(words.second);
    filters_[kind] = box;
    const auto place = static_cast<int>(filters_.size()) - 1;
    row->addWidget(box, place / kInRow, place % kInRow);
    connect(box, &QCheckBox::toggled, this, [this, kind = kind](bool on) {
      following_ = true;
      model_->setShown(model_->shown().setFlag(kind, on));
      following_ = false;
      showMoment();
    });
  }
  row->setColumnStretch(kInRow, 1);
  static_cast<QVBoxLayout*>(layout())->addLayout(row);
}

void EventPanel::setUpTable() {
  table_->setModel(model_);
  table_->setObjectName(QStringLiteral("eventTable"));
  table_->setAccessibleName(tr("Event log"));
  dressResultTable(table_);
  // Columns come with the first run, and go with the last.
  QHeaderView* header = table_->horizontalHeader();
  connect(header, &QHeaderView::sectionCountChanged, this, [this, header](int, int count) {
    if (count <= kTensor) return;
    int column = 0;
    for (const int width : kWidths) {
      table_->setColumnWidth(column++, width * fontMetrics().averageCharWidth() + 14);
    }
    // What happens, and to whom, is in sight in a narrow column, too.
    header->moveSection(header->visualIndex(kEvent), 1);
    header->moveSection(header->visualIndex(kTensor), 2);
  });
}

void EventPanel::showRun() {
  following_ = true;
  model_->setRun(state_->run(), state_->events()->isByStep());
  following_ = false;
  for (const auto& [kind, box] : filters_) box->setEnabled(state_->run() != nullptr);
  showMoment();
}

void EventPanel::showMoment() {
  if (!state_->run()) return;
  const QModelIndex current = table_->currentIndex();
  const std::size_t moment = state_->moment();
  // Several rows can stand for one moment: the one that was chosen stays chosen.
  if (current.isValid() && model_->momentOf(current.row()) == moment &&
      model_->stepOf(current.row()) == state_->step()) {
    return;
  }
  following_ = true;
  const int row = model_->rowAt(moment, state_->step());
  if (row < 0) {
    table_->setCurrentIndex({});
    table_->scrollToTop();
  } else {
    const QModelIndex index = model_->index(row, 0);
    table_->setCurrentIndex(index);
    scrollWithContext(table_, index);
  }
  following_ = false;
}

void EventPanel::chooseRow(const QModelIndex& index) {
  if (following_ || !index.isValid()) return;
  if (model_->isOp(index.row())) {
    state_->setStep(model_->stepOf(index.row()));
    return;
  }
  state_->setMomentOf(model_->momentOf(index.row()), model_->stepOf(index.row()));
  state_->selectPart(model_->stayOf(index.row()), model_->aliasOf(index.row()));
}

}  // namespace hw
