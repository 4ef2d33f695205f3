#include "widgets/markers/markers.h"

#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScopedValueRollback>
#include <QShortcut>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/picture/axis.h"
#include "widgets/base/panel_parts.h"
#include "widgets/base/theme.h"
#include "widgets/plot/axis_mouse.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"

namespace hw {

namespace {

constexpr int kLetters = 26;

}  // namespace

MarkerSet::MarkerSet(ViewState* state, QObject* parent) : QObject(parent), state_(state) {
  connect(state, &ViewState::runChanged, this, &MarkerSet::checkRun);
  connect(state, &ViewState::axisChanged, this, &MarkerSet::tell);
}

const Marker* MarkerSet::find(int id) const {
  const auto found = std::ranges::find(markers_, id, &Marker::id);
  return found == markers_.end() ? nullptr : &*found;
}

Marker* MarkerSet::find(int id) {
  const auto found = std::ranges::find(markers_, id, &Marker::id);
  return found == markers_.end() ? nullptr : &*found;
}

double MarkerSet::positionOf(const Marker& marker) const {
  return state_->placeOf(marker.point.moment, marker.point.step);
}

std::optional<MomentDelta> MarkerSet::deltaOf(const Marker& marker) const {
  const Marker* from = find(marker.since);
  const auto run = state_->run();
  if (!from || !run) return std::nullopt;
  return momentDelta(run->trace, from->point.moment, marker.point.moment);
}

/// A to Z, then A1 and so on.
QString MarkerSet::freeName() const {
  for (int number = 0;; ++number) {
    QString name = QString(QChar(u'A' + number % kLetters));
    if (number >= kLetters) name += QString::number(number / kLetters);
    const auto taken = [&](const Marker& marker) { return marker.name == name; };
    if (std::ranges::none_of(markers_, taken)) return name;
  }
}

int MarkerSet::insert(int since) {
  if (!state_->run()) return 0;
  markers_.push_back({.id = ++lastId_,
                      .name = freeName(),
                      .point = {state_->moment(), state_->step()},
                      .since = since});
  tell();
  return lastId_;
}

int MarkerSet::add() { return insert(0); }

int MarkerSet::addDelta() { return insert(markers_.empty() ? 0 : markers_.back().id); }

int MarkerSet::addAt(Step step, const QString& name) {
  if (!state_->run()) return 0;
  markers_.push_back({.id = ++lastId_, .name = name, .point = pointOfStep(*state_->run(), step)});
  tell();
  return lastId_;
}

void MarkerSet::remove(int id) {
  std::erase_if(markers_, [id](const Marker& marker) { return marker.id == id; });
  for (Marker& marker : markers_) {
    if (marker.since == id) marker.since = 0;
  }
  tell();
}

void MarkerSet::clear() {
  markers_.clear();
  tell();
}

void MarkerSet::rename(int id, const QString& name) {
  Marker* marker = find(id);
  const QString shown = name.simplified().left(40);
  if (!marker || shown.isEmpty()) return;
  marker->name = shown;
  tell();
}

void MarkerSet::moveTo(int id, Step step) {
  Marker* marker = find(id);
  if (!marker || !state_->run()) return;
  marker->point = pointOfStep(*state_->run(), std::clamp(step, Step(0), state_->steps() - Step(1)));
  tell();
}

void MarkerSet::goTo(int id) {
  if (const Marker* marker = find(id)) {
    state_->setMomentOf(marker->point.moment, marker->point.step);
  }
}

void MarkerSet::checkRun() {
  const auto run = state_->run();
  const auto model = run ? run->model : nullptr;
  if (model != model_) markers_.clear();
  model_ = model;
  // Another plan has other events.
  for (Marker& marker : markers_) {
    marker.point =
        pointOfStep(*run, std::clamp(marker.point.step, Step(0), state_->steps() - Step(1)));
  }
  tell();
}

void MarkerSet::tell() {
  std::vector<double> positions;
  for (const Marker& marker : markers_) positions.push_back(positionOf(marker));
  state_->setMarks(std::move(positions));
  Q_EMIT changed();
}

QVariantList MarkerSet::save() const {
  QVariantList saved;
  for (const Marker& marker : markers_) {
    const auto since = std::ranges::find(markers_, marker.since, &Marker::id);
    const qint64 index = since == markers_.end() ? -1 : since - markers_.begin();
    saved.append(QVariantMap{{QStringLiteral("name"), marker.name},
                             {QStringLiteral("moment"), qulonglong(marker.point.moment)},
                             {QStringLiteral("step"), qlonglong(marker.point.step.count())},
                             {QStringLiteral("since"), index}});
  }
  return saved;
}

void MarkerSet::restore(const QVariantList& saved) {
  const auto run = state_->run();
  if (!run) return;
  markers_.clear();
  std::vector<int> ids;
  for (const QVariant& each : saved) {
    const QVariantMap map = each.toMap();
    const Step step(map.value(QStringLiteral("step")).toLongLong());
    const auto moment = static_cast<std::size_t>(map.value(QStringLiteral("moment")).toULongLong());
    const qint64 since = map.value(QStringLiteral("since"), -1).toLongLong();
    const bool fits = step >= Step(0) && step < state_->steps() && moment <= run->trace.size();
    ids.push_back(fits ? ++lastId_ : 0);
    if (!fits) continue;
    const bool measured = since >= 0 && since < std::ssize(ids) - 1;
    markers_.push_back({.id = lastId_,
                        .name = map.value(QStringLiteral("name")).toString().simplified().left(40),
                        .point = {moment, step},
                        .since = measured ? ids[static_cast<std::size_t>(since)] : 0});
    if (markers_.back().name.isEmpty()) markers_.back().name = freeName();
  }
  tell();
}

QString markerText(const MarkerSet& markers, const Marker& marker) {
  const QString text =
      MarkerRuler::tr("%1: step %2").arg(marker.name, grouped(marker.point.step.count()));
  const Marker* from = markers.find(marker.since);
  const auto delta = markers.deltaOf(marker);
  if (!from || !delta) return text;
  return MarkerRuler::tr("%1; since %2: %3 steps, %4%5 live, %6 allocated, %7 released")
      .arg(text, from->name, grouped((marker.point.step - from->point.step).count()),
           delta->live > Bytes() ? QStringLiteral("+") : QString(), sizeText(delta->live),
           sizeText(delta->allocated), sizeText(delta->released));
}

MarkerRuler::MarkerRuler(ViewState* state, MarkerSet* markers, QWidget* parent)
    : QWidget(parent), state_(state), markers_(markers) {
  setMouseTracking(true);
  setAccessibleName(tr("Markers"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  const auto repaint = [this] { update(); };
  connect(markers, &MarkerSet::changed, this, repaint);
  connect(state, &ViewState::visibleChanged, this, repaint);
}

QSize MarkerRuler::sizeHint() const { return {720, fontMetrics().height() + 9}; }

QSize MarkerRuler::minimumSizeHint() const { return {240, fontMetrics().height() + 9}; }

int MarkerRuler::leftMargin() const {
  return static_cast<int>(plotLeftMargin(FontRuler(fontMetrics())));
}

RunAxis MarkerRuler::axis() const {
  const int left = leftMargin();
  const int length = std::max(1, width() - left - kPlotRightMargin);
  return runAxis(*state_, toBox(QRectF(left, 0, length, height())));
}

QRect MarkerRuler::flagOf(const Marker& marker) const {
  const RunAxis steps = axis();
  const double x = std::round(steps.toX(markers_->positionOf(marker)));
  if (x < steps.left || x > steps.left + steps.width) return {};
  const int size = fontMetrics().horizontalAdvance(marker.name) + 12;
  // Near the right end a flag flies to the left.
  const bool fits = static_cast<int>(x) + size < width();
  return {fits ? static_cast<int>(x) : static_cast<int>(x) - size, 3, size,
          fontMetrics().height() + 2};
}

QRect MarkerRuler::flagOf(int id) const {
  const Marker* marker = std::as_const(*markers_).find(id);
  return marker ? flagOf(*marker) : QRect();
}

int MarkerRuler::markerAt(const QPoint& position) const {
  int found = 0;
  for (const Marker& marker : markers_->all()) {
    if (flagOf(marker).contains(position)) found = marker.id;
  }
  return found;
}

Step MarkerRuler::stepAt(const QPointF& position) const {
  return state_->scale()->stepAt(axis().toPlace(position.x()));
}

void MarkerRuler::paintFlag(QPainter& painter, const Marker& marker) const {
  const QRect flag = flagOf(marker);
  if (flag.isEmpty()) return;
  const QColor color = Theme::current().mark;
  const int x = qRound(axis().toX(markers_->positionOf(marker)));
  painter.setPen(QPen(color, 1));
  painter.drawLine(x, flag.top(), x, height());
  painter.fillRect(flag, marker.since != 0 ? Theme::current().plot : color);
  painter.drawRect(flag.adjusted(0, 0, -1, -1));
  const bool light = color.lightness() > 140;
  painter.setPen(marker.since != 0 ? color : light ? QColor(Qt::black) : QColor(Qt::white));
  painter.drawText(flag, Qt::AlignCenter, marker.name);
}

void MarkerRuler::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = Theme::current();
  painter.fillRect(rect(), theme.plot);
  painter.setPen(theme.mutedText);
  painter.drawText(QRect(0, 0, leftMargin() - 8, height()), Qt::AlignRight | Qt::AlignVCenter,
                   tr("markers"));
  painter.setPen(theme.grid);
  painter.drawLine(leftMargin(), height() - 1, width() - kPlotRightMargin, height() - 1);
  for (const Marker& marker : markers_->all()) paintFlag(painter, marker);
}

void MarkerRuler::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  pressedAt_ = event->position().toPoint();
  pressed_ = markerAt(pressedAt_);
  dragged_ = false;
}

void MarkerRuler::mouseMoveEvent(QMouseEvent* event) {
  const QPoint position = event->position().toPoint();
  setCursor(pressed_ || markerAt(position) ? Qt::SizeHorCursor : Qt::ArrowCursor);
  if (!pressed_ || !(event->buttons() & Qt::LeftButton)) return;
  const int way = (position - pressedAt_).manhattanLength();
  dragged_ = dragged_ || way >= QApplication::startDragDistance();
  if (dragged_) markers_->moveTo(pressed_, stepAt(event->position()));
}

void MarkerRuler::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && pressed_ && !dragged_) markers_->goTo(pressed_);
  pressed_ = 0;
}

void MarkerRuler::mouseDoubleClickEvent(QMouseEvent* event) {
  if (!state_->run() || event->button() != Qt::LeftButton) return;
  if (const int id = markerAt(event->position().toPoint())) {
    Q_EMIT renameWanted(id);
    return;
  }
  state_->setStep(stepAt(event->position()));
  markers_->add();
}

void MarkerRuler::contextMenuEvent(QContextMenuEvent* event) {
  const int id = markerAt(event->pos());
  QMenu menu(this);
  if (id) {
    connect(menu.addAction(tr("&Go there")), &QAction::triggered, this,
            [this, id] { markers_->goTo(id); });
    connect(menu.addAction(tr("Re&name\u2026")), &QAction::triggered, this,
            [this, id] { Q_EMIT renameWanted(id); });
    connect(menu.addAction(tr("&Remove")), &QAction::triggered, this,
            [this, id] { markers_->remove(id); });
    menu.addSeparator();
  }
  connect(menu.addAction(tr("Remove &all")), &QAction::triggered, markers_, &MarkerSet::clear);
  menu.exec(event->globalPos());
}

bool MarkerRuler::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const Marker* marker = std::as_const(*markers_).find(markerAt(help->pos()));
  QToolTip::showText(help->globalPos(),
                     marker ? markerText(*markers_, *marker)
                            : tr("Drag a flag to move it; double click to set one"),
                     this);
  return true;
}

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
