#include "widgets/panels/schedule_panel.h"

#include <QCoreApplication>
#include <QDrag>
#include <QDropEvent>
#include <QHeaderView>
#include <QMimeData>
#include <QPainter>

#include "core/base/text.h"
#include "core/picture/block_store.h"
#include "core/plan/overlap_use.h"
#include "widgets/base/panel_parts.h"
#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Of a row without a heading.
int lineHeight(const QFontMetrics& metrics) { return metrics.height() + 7; }

}  // namespace

UnitRows::UnitRows(const Run& run) {
  const Partition& partition = run.partition;
  const auto& devices = run.request.platform.devices;
  const auto word = [](const std::string& text) { return QString::fromStdString(printable(text)); };
  rows_.assign(static_cast<std::size_t>(run.schedule.steps().count()),
               {.unit = partition.units.size()});
  std::size_t previous = partition.subFunctions.size();
  for (const ExecutionUnit& unit : partition.units) {
    const DeviceSpec& device = devices[unit.device];
    const QString part = word(device.units[unit.unit].name);
    const SubFunction& whole = partition.subFunctions[unit.subFunction];
    const auto steps = [](const Interval<Step>& of) {
      return tr("steps %1 to %2").arg(of.begin.count()).arg(of.end.count() - 1);
    };
    const bool first = unit.subFunction != previous;
    previous = unit.subFunction;
    const QString dispatched = tr("sub-function %1, dispatched to %2: %3")
                                   .arg(unit.subFunction)
                                   .arg(word(device.name), steps(whole.steps));
    const QString managed =
        tr("execution unit %1, on %2: %3").arg(units_.size()).arg(part, steps(unit.steps));
    for (Step step = unit.steps.begin; step < unit.steps.end; step += Step(1)) {
      const auto row = static_cast<std::size_t>(step.count());
      if (row >= rows_.size()) break;
      rows_[row].unit = units_.size();
      if (step == unit.steps.begin) rows_[row].begin = first ? Begin::subFunction : Begin::unit;
    }
    units_.push_back({.name = word(device.name) + QLatin1Char('/') + part,
                      .toolTip = dispatched + QLatin1Char('\n') + managed,
                      .device = static_cast<int>(unit.device)});
  }
}

QString UnitRows::name(int row) const {
  const auto at = static_cast<std::size_t>(row);
  return at < rows_.size() && rows_[at].unit < units_.size() ? units_[rows_[at].unit].name
                                                             : QString();
}

QString UnitRows::toolTip(int row) const {
  return name(row).isEmpty() ? QString()
                             : units_[rows_[static_cast<std::size_t>(row)].unit].toolTip;
}

UnitRows::Begin UnitRows::begin(int row) const {
  const auto at = static_cast<std::size_t>(row);
  return at < rows_.size() ? rows_[at].begin : Begin::none;
}

int UnitRows::device(int row) const {
  return name(row).isEmpty() ? -1 : units_[rows_[static_cast<std::size_t>(row)].unit].device;
}

void UnitDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                         const QModelIndex& index) const {
  constexpr int kBar = 3;
  const Theme& theme = Theme::current();
  QStyleOptionViewItem text = option;
  text.rect.adjust(kBar + 2, 0, 0, 0);
  text.rect.setTop(option.rect.bottom() + 1 - lineHeight(option.fontMetrics));
  if (option.state & QStyle::State_Selected) {
    painter->fillRect(option.rect, option.palette.highlight());
  }
  QStyledItemDelegate::paint(painter, text, index);
  const int device = index.data(UnitRows::kDeviceRole).toInt();
  if (device < 0) return;
  const QColor color(QRgb(theme.inks()[seriesInk(static_cast<std::size_t>(device))]));
  painter->fillRect(QRect(option.rect.topLeft(), QSize(kBar, option.rect.height())), color);
  const auto begin = static_cast<UnitRows::Begin>(index.data(UnitRows::kBeginRole).toInt());
  if (begin == UnitRows::Begin::none) return;
  const int thick = begin == UnitRows::Begin::subFunction ? 2 : 1;
  painter->fillRect(QRect(option.rect.topLeft(), QSize(option.rect.width(), thick)),
                    thick == 2 ? color : theme.axis);
}

namespace {

/// Letters of the name of an op that are worth more than how much is live at it.
constexpr int kLeastName = 13;
/// Letters that the name of a unit gets at most, and rows that are looked at for it.
constexpr int kWidestUnit = 12;
constexpr int kUnitRows = 200;
constexpr int kSwatch = 9;  ///< Of the colour of an op's type.
constexpr int kShareBar = 30;
constexpr int kHeadingIndent = 10;
/// More scopes than this are not named: each costs a row of its own height.
constexpr std::size_t kMostHeadings = 5'000;

/// An op that is dragged, by its number; one of another studio is no op of ours.
QString opFormat() {
  return QStringLiteral("application/x-highwater-op-%1").arg(QCoreApplication::applicationPid());
}

/// Draws cells at the bottom of their rows, which leaves room above the first row of a scope.
class RowDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    QStyleOptionViewItem below = option;
    below.rect.setTop(option.rect.bottom() + 1 - lineHeight(option.fontMetrics));
    QStyledItemDelegate::paint(painter, below, index);
  }
};

/// The width of a column of sizes, with a bar before the number or without.
int liveWidth(const QFontMetrics& metrics, bool bar) {
  return metrics.horizontalAdvance(QStringLiteral("8.88 MiB")) + 18 + (bar ? kShareBar : 0);
}

/// Draws the share of the peak as a thin bar before the number, where there is room for it.
class ShareDelegate final : public RowDelegate {
 public:
  using RowDelegate::RowDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    RowDelegate::paint(painter, option, index);
    if (option.rect.width() < liveWidth(option.fontMetrics, true)) return;
    const Theme& theme = Theme::current();
    const double share = index.data(ScheduleModel::kShareRole).toDouble();
    const int middle = option.rect.bottom() - lineHeight(option.fontMetrics) / 2;
    const QRect track(option.rect.left() + 2, middle - 1, kShareBar, 3);
    painter->fillRect(track, theme.grid);
    painter->fillRect(QRect(track.topLeft(), QSize(qRound(kShareBar * share), track.height())),
                      theme.axis);
  }
};

/// Writes the end of a name where all of it does not fit, and above the first of a scope its name.
class NameDelegate final : public RowDelegate {
 public:
  using RowDelegate::RowDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    RowDelegate::paint(painter, option, index);
    const QString heading = index.data(ScheduleModel::kHeadingRole).toString();
    if (heading.isEmpty()) return;
    QRect above = option.rect;
    above.setLeft(kHeadingIndent);
    above.setBottom(option.rect.bottom() - lineHeight(option.fontMetrics));
    QFont font = option.font;
    font.setWeight(QFont::DemiBold);
    painter->save();
    painter->setFont(font);
    painter->setPen(Theme::current().mutedText);
    const std::string text =
        nameEnd(FontRuler(font), heading.toStdString(), static_cast<double>(above.width()));
    painter->drawText(above, Qt::AlignLeft | Qt::AlignVCenter, QString::fromStdString(text));
    painter->restore();
  }

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    RowDelegate::initStyleOption(option, index);
    option->text = index.data(ScheduleModel::kLeafRole).toString();
    const int around = option->decorationSize.width() + 12;
    option->text = QString::fromStdString(nameEnd(
        FontRuler(option->font), option->text.toStdString(), option->rect.width() - around));
  }
};

}  // namespace

void ScheduleModel::setRun(std::shared_ptr<const Run> run,
                           std::shared_ptr<const Coloring> coloring) {
  beginResetModel();
  run_ = std::move(run);
  coloring_ = std::move(coloring);
  live_ = {};
  units_ = {};
  scopes_.clear();
  peak_ = {};
  rows_ = 0;
  if (run_) {
    units_ = UnitRows(*run_);
    std::vector<std::string_view> names;
    for (Step step; step < run_->schedule.steps(); step += Step(1)) {
      names.push_back(run_->graph().ops[run_->schedule.opAt(step)].name);
    }
    scopes_ = scopesOf(names);
    if (scopes_.size() > kMostHeadings) scopes_.clear();
    rows_ = static_cast<int>(std::max(run_->schedule.steps(), run_->problem.steps).count());
  }
  endResetModel();
  if (!run_) {
    adding_.drop();
    return;
  }
  adding_.start(
      isSmallRun(*run_), [run = run_] { return liveBytes(run->problem, run->plan); },
      [this](StepFunction live) { acceptLive(std::move(live)); });
}

void ScheduleModel::setColoring(std::shared_ptr<const Coloring> coloring) {
  coloring_ = std::move(coloring);
  if (rows_ > 0) Q_EMIT dataChanged(index(0, kOp), index(rows_ - 1, kOp), {Qt::DecorationRole});
}

void ScheduleModel::acceptLive(StepFunction live) {
  live_ = std::move(live);
  peak_ = live_.max();
  if (rows_ > 0) Q_EMIT dataChanged(index(0, kLive), index(rows_ - 1, kLive));
}

int ScheduleModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}

int ScheduleModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QString ScheduleModel::opName(int row) const {
  if (Step(row) >= run_->schedule.steps()) return tr("step %1").arg(row);
  const OpId op = run_->schedule.opAt(Step(row));
  return QString::fromStdString(printable(displayName(run_->graph(), op)));
}

/// Null where names tell no scopes.
const NamedScope* ScheduleModel::scopeOf(int row) const {
  const auto at = static_cast<std::size_t>(row);
  const auto after = std::ranges::upper_bound(
      scopes_, at, {}, [](const NamedScope& scope) { return scope.ops.first; });
  if (after == scopes_.begin()) return nullptr;
  return at < std::prev(after)->ops.last ? &*std::prev(after) : nullptr;
}

/// Above the first row of a scope; nothing above others, and above the first operators of all where
/// these have none.
QString ScheduleModel::headingOf(int row) const {
  const NamedScope* scope = scopeOf(row);
  if (scope == nullptr || scope->ops.first != static_cast<std::size_t>(row)) return {};
  if (scope->name.empty()) return row == 0 ? QString() : tr("without a scope");
  return QString::fromStdString(printable(scope->name));
}

std::vector<int> ScheduleModel::headings() const {
  std::vector<int> rows;
  for (const NamedScope& scope : scopes_) {
    const int first = static_cast<int>(scope.ops.first);
    if (!headingOf(first).isEmpty()) rows.push_back(first);
  }
  return rows;
}

QString ScheduleModel::leafOf(int row) const {
  if (Step(row) >= run_->schedule.steps()) return opName(row);
  const std::string name = displayName(run_->graph(), run_->schedule.opAt(Step(row)));
  std::string_view leaf = name;
  const NamedScope* scope = scopeOf(row);
  const bool inside = scope != nullptr && !scope->name.empty() && leaf.starts_with(scope->name);
  if (inside) leaf.remove_prefix(std::min(scope->name.size() + 1, leaf.size()));
  // Of a long one the end tells it from others.
  constexpr std::size_t kMost = 200;
  if (leaf.size() > kMost) leaf.remove_prefix(leaf.size() - kMost);
  return QString::fromStdString(printable(leaf));
}

QString ScheduleModel::toolTip(int row) const {
  QString live =
      tr("%1 B live").arg(QString::fromStdString(groupDigits(live_.at(Step(row)).count())));
  if (Step(row) >= run_->schedule.steps()) return live;
  const Op& op = run_->graph().ops[run_->schedule.opAt(Step(row))];
  const QString type = QString::fromStdString(printable(op.type));
  const QString folded = op.folded ? tr("\nComputed ahead of time: does nothing here") : QString();
  const QString unit = units_.toolTip(row);
  return tr("%1\n%2, %3").arg(opName(row), type, live) + folded +
         (unit.isEmpty() ? QString() : QLatin1Char('\n') + unit);
}

QVariant ScheduleModel::data(const QModelIndex& index, int role) const {
  if (!run_ || !index.isValid()) return {};
  const Bytes live = live_.at(Step(index.row()));
  if (role == kShareRole) {
    return peak_ > Bytes() ? static_cast<double>(live.count()) / static_cast<double>(peak_.count())
                           : 0.0;
  }
  if (role == Qt::ToolTipRole) return toolTip(index.row());
  if (role == UnitRows::kBeginRole) return static_cast<int>(units_.begin(index.row()));
  if (role == UnitRows::kDeviceRole) return units_.device(index.row());
  if (role == Qt::DecorationRole && index.column() == kOp && opOf(index.row())) {
    return Theme::current().classColor(coloring_->of(*run_, opOf(index.row())));
  }
  if (role == kLeafRole) return leafOf(index.row());
  if (role == kHeadingRole) return headingOf(index.row());
  if (role == Qt::TextAlignmentRole && index.column() != kOp && index.column() != kUnit) {
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  if (index.column() == kLive && adding_.isRunning()) return QStringLiteral("\u2026");
  if (index.column() == kStep) return index.row();
  if (index.column() == kOp) return opName(index.row());
  if (index.column() == kUnit) return units_.name(index.row());
  return sizeText(live);
}

QVariant ScheduleModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    return QVariant((section == kOp || section == kUnit ? Qt::AlignLeft : Qt::AlignRight) |
                    Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  const QString titles[] = {tr("Step"), tr("Operator"), tr("Unit"), tr("Live")};
  return titles[section];
}

OpId ScheduleModel::opOf(int row) const {
  const bool has = run_ && row >= 0 && Step(row) < run_->schedule.steps();
  return has ? run_->schedule.opAt(Step(row)) : OpId();
}

Qt::ItemFlags ScheduleModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags plain = QAbstractTableModel::flags(index);
  return opOf(index.row()) ? plain | Qt::ItemIsDragEnabled | Qt::ItemIsDropEnabled : plain;
}

SchedulePanel::SchedulePanel(ViewState* state, QWidget* parent)
    : QTableView(parent), state_(state), model_(new ScheduleModel(this)) {
  setModel(model_);
  setAccessibleName(tr("Schedule"));
  setItemDelegate(new RowDelegate(this));
  setItemDelegateForColumn(ScheduleModel::kOp, new NameDelegate(this));
  setItemDelegateForColumn(ScheduleModel::kLive, new ShareDelegate(this));
  setItemDelegateForColumn(ScheduleModel::kUnit, new UnitDelegate(this));
  setSelectionBehavior(SelectRows);
  setIconSize({kSwatch, kSwatch});
  setSelectionMode(SingleSelection);
  setShowGrid(false);
  setTabKeyNavigation(false);
  setWordWrap(false);
  setTextElideMode(Qt::ElideLeft);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setMinimumSectionSize(1);
  verticalHeader()->setDefaultSectionSize(lineHeight(fontMetrics()));
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setSectionResizeMode(ScheduleModel::kOp, QHeaderView::Stretch);
  setDragEnabled(true);
  setAcceptDrops(true);
  setDropIndicatorShown(true);
  setDragDropMode(DragDrop);
  connect(state, &ViewState::runChanged, this, &SchedulePanel::showRun);
  connect(state, &ViewState::momentChanged, this, &SchedulePanel::showMoment);
  connect(state, &ViewState::coloringChanged, this,
          [this] { model_->setColoring(state_->coloring()); });
  showRun();
}

void SchedulePanel::showRun() {
  following_ = true;
  precedence_ = {};
  model_->setRun(state_->run(), state_->coloring());
  following_ = false;
  const auto widthOf = [this](const QString& text) {
    return fontMetrics().horizontalAdvance(text);
  };
  setColumnWidth(
      ScheduleModel::kStep,
      std::max(widthOf(tr("Step")), widthOf(QString::number(std::max(99, model_->rowCount())))) +
          14);
  verticalHeader()->setDefaultSectionSize(lineHeight(fontMetrics()));
  for (const int row : model_->headings()) setRowHeight(row, 2 * lineHeight(fontMetrics()));
  setColumnHidden(ScheduleModel::kUnit, !model_->hasUnits());
  int unit = widthOf(tr("Unit"));
  for (int row = 0; row < std::min(kUnitRows, model_->rowCount()); ++row) {
    unit = std::max(unit, widthOf(model_->index(row, ScheduleModel::kUnit).data().toString()));
  }
  setColumnWidth(ScheduleModel::kUnit,
                 std::min(unit, kWidestUnit * fontMetrics().averageCharWidth()) + 16);
  showColumns();
  showMoment();
}

/// Names come first: where little would be left of them, the bars go, then the sizes.
void SchedulePanel::showColumns() {
  const int units = model_->hasUnits() ? columnWidth(ScheduleModel::kUnit) : 0;
  const int room = viewport()->width() - columnWidth(ScheduleModel::kStep) - units;
  const auto fit = [&](bool bar) {
    return room - liveWidth(fontMetrics(), bar) >= kLeastName * fontMetrics().averageCharWidth();
  };
  setColumnWidth(ScheduleModel::kLive, liveWidth(fontMetrics(), fit(true)));
  setColumnHidden(ScheduleModel::kLive, !fit(false));
}

void SchedulePanel::resizeEvent(QResizeEvent* event) {
  showColumns();
  QTableView::resizeEvent(event);
}

void SchedulePanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) showColumns();
  QTableView::changeEvent(event);
}

void SchedulePanel::showMoment() {
  const int row = static_cast<int>(state_->step().count());
  if (row >= model_->rowCount() || currentIndex().row() == row) return;
  following_ = true;
  const QModelIndex index = model_->index(row, std::max(0, currentIndex().column()));
  setCurrentIndex(index);
  scrollWithContext(this, index);
  following_ = false;
}

void SchedulePanel::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTableView::currentChanged(current, previous);
  if (following_ || !current.isValid() || !state_->run()) return;
  state_->setStep(Step(current.row()));
  if (Step(current.row()) < state_->run()->schedule.steps()) {
    state_->selectOp(state_->run()->schedule.opAt(Step(current.row())));
  }
}

bool SchedulePanel::isPossible(const OpMove& move) const {
  // A drag that began over another run ends nowhere.
  if (precedence_.before.size() != state_->run()->graph().ops.size()) return false;
  return moved(state_->run()->schedule, precedence_, move).has_value();
}

std::optional<OpMove> SchedulePanel::moveByOne(OpMove::Side side) const {
  const auto run = state_->run();
  const int row = currentIndex().row();
  const OpId op = model_->opOf(row);
  const OpId anchor = model_->opOf(side == OpMove::Side::before ? row - 1 : row + 1);
  if (!run || !op || !anchor) return std::nullopt;
  const OpMove move{.op = op, .anchor = anchor, .side = side};
  if (!moved(run->schedule, precedenceOf(run->graph()), move)) return std::nullopt;
  return move;
}

void SchedulePanel::startDrag(Qt::DropActions) {
  const OpId op = model_->opOf(currentIndex().row());
  if (!op) return;
  auto* dragged = new QMimeData;
  dragged->setData(opFormat(), QByteArray::number(static_cast<qulonglong>(op.index())));
  auto* drag = new QDrag(this);
  drag->setMimeData(dragged);
  drag->exec(Qt::MoveAction);
}

void SchedulePanel::dragEnterEvent(QDragEnterEvent* event) {
  if (!state_->run() || !event->mimeData()->hasFormat(opFormat())) return event->ignore();
  precedence_ = precedenceOf(state_->run()->graph());
  event->acceptProposedAction();
}

std::optional<OpMove> SchedulePanel::moveAt(const QDropEvent& event) const {
  if (!state_->run() || !event.mimeData()->hasFormat(opFormat())) return std::nullopt;
  const QModelIndex under = indexAt(event.position().toPoint());
  const OpId anchor = model_->opOf(under.row());
  const OpId op(event.mimeData()->data(opFormat()).toULongLong());
  if (!under.isValid() || !anchor || !state_->run()->graph().ops.contains(op)) return std::nullopt;
  const bool upper = event.position().y() < visualRect(under).center().y();
  const OpMove move{
      .op = op, .anchor = anchor, .side = upper ? OpMove::Side::before : OpMove::Side::after};
  return isPossible(move) ? std::optional(move) : std::nullopt;
}

/// The view shows where it would go; the cursor says where it may not.
void SchedulePanel::dragMoveEvent(QDragMoveEvent* event) {
  QTableView::dragMoveEvent(event);
  if (moveAt(*event)) {
    event->acceptProposedAction();
  } else {
    event->ignore();
  }
}

void SchedulePanel::dropEvent(QDropEvent* event) {
  const auto move = moveAt(*event);
  setState(NoState);
  viewport()->update();
  if (!move) return event->ignore();
  event->acceptProposedAction();
  Q_EMIT moveWanted(*move);
}

}  // namespace hw
