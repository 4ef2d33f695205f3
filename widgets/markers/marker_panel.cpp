#include "widgets/markers/marker_panel.h"

#include <QHeaderView>
#include <QScopedValueRollback>
#include <QShortcut>

#include "core/base/text.h"
#include "widgets/base/list_page.h"
#include "widgets/text/run_text.h"

namespace hw {

namespace {

enum MarkerColumn { name, step, live, since, steps, change, allocated, released, columns };

}  // namespace

MarkerPanel::MarkerPanel(ViewState* state, MarkerSet* markers, QWidget* parent)
    : QWidget(parent),
      state_(state),
      markers_(markers),
      stack_(new QStackedWidget(this)),
      empty_(new QLabel(this)),
      table_(new QTableWidget(0, columns, this)),
      remove_(new QPushButton(tr("Remove"), this)),
      clear_(new QPushButton(tr("Remove all"), this)) {
  build();
  connect(markers, &MarkerSet::changed, this, &MarkerPanel::showMarkers);
  connect(table_, &QTableWidget::cellClicked, this, [this](int row) { markers_->goTo(idOf(row)); });
  connect(table_, &QTableWidget::itemChanged, this, [this](const QTableWidgetItem* item) {
    if (!filling_ && item->column() == name) markers_->rename(idOf(item->row()), item->text());
  });
  connect(table_, &QTableWidget::itemActivated, this,
          [this](const QTableWidgetItem* item) { markers_->goTo(idOf(item->row())); });
  connect(remove_, &QPushButton::clicked, this, &MarkerPanel::removeCurrent);
  connect(clear_, &QPushButton::clicked, markers, &MarkerSet::clear);
  auto* key = new QShortcut(QKeySequence(Qt::Key_Delete), table_);
  key->setContext(Qt::WidgetShortcut);
  connect(key, &QShortcut::activated, this, &MarkerPanel::removeCurrent);
  showMarkers();
}

void MarkerPanel::build() {
  table_->setObjectName(QStringLiteral("markerTable"));
  table_->setAccessibleName(tr("Markers"));
  table_->setHorizontalHeaderLabels({tr("Name"), tr("Step"), tr("Live"), tr("Since"), tr("Steps"),
                                     tr("Live changes by"), tr("Allocated"), tr("Released")});
  table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  remove_->setToolTip(tr("Removes the marker of the chosen row (Delete)"));
  fillListPanel(this, stack_, empty_, table_, {remove_, clear_});
}

QString MarkerPanel::emptyText() const {
  return stack_->currentIndex() == 0 ? empty_->text() : QString();
}

int MarkerPanel::idOf(int row) const {
  const QTableWidgetItem* item = table_->item(row, name);
  return item ? item->data(Qt::UserRole).toInt() : 0;
}

void MarkerPanel::fillRow(int row, const Marker& marker) {
  const auto run = state_->run();
  const Marker* from = std::as_const(*markers_).find(marker.since);
  const auto delta = markers_->deltaOf(marker);
  QStringList texts(columns);
  texts[name] = marker.name;
  texts[step] = grouped(marker.point.step.count());
  if (run) texts[live] = sizeText(liveAt(run->trace, marker.point.moment));
  if (from && delta) {
    texts[since] = from->name;
    texts[steps] = grouped((marker.point.step - from->point.step).count());
    texts[change] =
        (delta->live > Bytes() ? QStringLiteral("+") : QString()) + sizeText(delta->live);
    texts[allocated] = sizeText(delta->allocated);
    texts[released] = sizeText(delta->released);
  }
  for (int column = 0; column < columns; ++column) {
    auto* item = new QTableWidgetItem(texts[column]);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable |
                   (column == name ? Qt::ItemIsEditable : Qt::NoItemFlags));
    if (column == name) item->setData(Qt::UserRole, marker.id);
    if (column != name && column != since) {
      item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    }
    table_->setItem(row, column, item);
  }
}

void MarkerPanel::showMarkers() {
  const QScopedValueRollback quiet(filling_, true);
  const int current = idOf(table_->currentRow());
  const auto& markers = markers_->all();
  stack_->setCurrentIndex(markers.empty() ? 0 : 1);
  empty_->setText(state_->run() ? tr("M marks the moment on show, Shift+M measures from the last "
                                     "marker.")
                                : tr("Open a model: its moments can be marked and measured here."));
  table_->setRowCount(static_cast<int>(markers.size()));
  for (std::size_t i = 0; i < markers.size(); ++i) {
    fillRow(static_cast<int>(i), markers[i]);
    if (markers[i].id == current) table_->setCurrentCell(static_cast<int>(i), name);
  }
  table_->resizeColumnsToContents();
  for (int column = 0; column < columns; ++column) {
    table_->setColumnWidth(column, table_->columnWidth(column) + 14);
  }
}

void MarkerPanel::removeCurrent() {
  const int row = std::max(0, table_->currentRow());
  markers_->remove(idOf(row));
  if (table_->rowCount() > 0) table_->setCurrentCell(std::min(row, table_->rowCount() - 1), name);
}

void MarkerPanel::rename(int id) {
  for (int row = 0; row < table_->rowCount(); ++row) {
    if (idOf(row) != id) continue;
    table_->setCurrentCell(row, name);
    table_->editItem(table_->item(row, name));
  }
}

}  // namespace hw
