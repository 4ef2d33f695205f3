#include "widgets/panels/event_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "widgets/base/list_page.h"
#include "widgets/base/scroll_follow.h"

namespace hw {

namespace {

/// Column widths in average characters; the last takes the rest.
constexpr int kWidths[] = {7, 10, 6, 6, 10, 28, 14, 11};

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
      {EventClass::spill, {tr("spill"), tr("Allocated outside the first pool")}},
      {EventClass::alias, {tr("share"), tr("A tensor begins in bytes that are there: no copy")}},
      {EventClass::op,
       {tr("op"), tr("An op starts or ends, ops are dispatched, or a tensor goes to a device")}},
  };
  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 3, 8, 3);
  row->setSpacing(7);  // The widest row of the smallest window.
  for (const auto& [kind, words] : boxes) {
    auto* box = new QCheckBox(words.first, this);
    box->setChecked(true);
    box->setToolTip(words.second);
    filters_[kind] = box;
    row->addWidget(box);
    connect(box, &QCheckBox::toggled, this, [this, kind = kind](bool on) {
      following_ = true;
      model_->setShown(model_->shown().setFlag(kind, on));
      following_ = false;
      showMoment();
    });
  }
  row->addStretch();
  static_cast<QVBoxLayout*>(layout())->addLayout(row);
}

void EventPanel::setUpTable() {
  table_->setModel(model_);
  table_->setObjectName(QStringLiteral("eventTable"));
  table_->setAccessibleName(tr("Event log"));
  dressResultTable(table_);
  table_->setAlternatingRowColors(false);
  int column = 0;
  for (const int width : kWidths) {
    table_->setColumnWidth(column++, width * fontMetrics().averageCharWidth() + 14);
  }
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
