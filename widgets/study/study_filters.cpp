#include "widgets/study/study_filters.h"

#include <QHeaderView>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>
#include <functional>

#include "widgets/base/bar_delegate.h"
#include "widgets/base/flow_layout.h"
#include "widgets/base/panel_parts.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// An axis with more values has a menu instead of buttons.
constexpr std::size_t kMostButtons = 12;
constexpr std::size_t kMostShares = 8;

}  // namespace

StudyFilters::StudyFilters(StudyViewState* state, QWidget* parent)
    : QScrollArea(parent),
      state_(state),
      count_(mutedLabel(QString(), this)),
      clear_(new QPushButton(tr("Clear filters"), this)),
      heading_(strongLabel(QString(), this)),
      shares_(new QTableWidget(this)) {
  setObjectName(QStringLiteral("studyFilters"));
  setAccessibleName(tr("Axes of the study"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* page = new QWidget(this);
  column_ = new QVBoxLayout(page);
  column_->setContentsMargins(kStudyAir, kStudyAir, kStudyAir, kStudyAir);
  column_->setSpacing(kStudyAir);
  count_->setWordWrap(true);
  clear_->setObjectName(QStringLiteral("clearFilters"));
  connect(clear_, &QPushButton::clicked, state, [state] { state->clearPicks(); });
  shares_->setObjectName(QStringLiteral("studyShares"));
  shares_->setAccessibleName(tr("Share of the variance that each axis explains"));
  dressTable(shares_, 6);
  shares_->setSelectionMode(QAbstractItemView::NoSelection);
  shares_->horizontalHeader()->hide();
  shares_->setItemDelegateForColumn(1, new BarDelegate(shares_));
  column_->addWidget(count_);
  column_->addWidget(clear_, 0, Qt::AlignLeft);
  column_->addWidget(heading_);
  column_->addWidget(shares_);
  column_->addStretch(1);
  setWidget(page);
  connect(state, &StudyViewState::fileChanged, this, &StudyFilters::rebuild);
  connect(state, &StudyViewState::viewChanged, this, &StudyFilters::refresh);
  rebuild();
}

QAbstractButton* StudyFilters::button(const QString& axis, const QString& value) const {
  return findChild<QAbstractButton*>(QStringLiteral("%1=%2").arg(axis, value));
}

/// New axes or values make new buttons; else those that are there stay where they are.
void StudyFilters::rebuild() {
  const auto file = state_->file();
  const auto sameAxes = [](const StudyFile& a, const StudyFile& b) {
    return std::ranges::equal(a.table.axes, b.table.axes,
                              [](const StudyTable::Axis& one, const StudyTable::Axis& other) {
                                return one.name == other.name && one.values == other.values;
                              });
  };
  const bool same = axes_ != nullptr && file && shown_ && sameAxes(*file, *shown_);
  shown_ = file;
  if (!same) {
    follow_.clear();
    delete axes_;
    axes_ = new QWidget(widget());
    auto* rows = new QVBoxLayout(axes_);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(kStudyAir);
    column_->insertWidget(0, axes_);
    if (!state_->isEmpty()) {
      addAxis(state_->table().axis("model"));
      std::vector<std::size_t> sorted = state_->axes();
      std::ranges::sort(sorted);
      for (const std::size_t axis : sorted) addAxis(axis);
    }
  }
  refresh();
}

void StudyFilters::addAxis(std::size_t axis) {
  const StudyTable::Axis& each = state_->table().axes[axis];
  auto* head = new QHBoxLayout;
  head->addWidget(strongLabel(viewText(axisTitle(each.name)), axes_));
  head->addStretch(1);
  head->addWidget(mutedLabel(tr("%1 values").arg(each.values.size()), axes_));
  auto* rows = new QVBoxLayout;
  rows->setSpacing(6);
  rows->addLayout(head);
  rows->addWidget(each.values.size() > kMostButtons ? valueMenu(axis) : valueButtons(axis));
  static_cast<QVBoxLayout*>(axes_->layout())->addLayout(rows);
}

QWidget* StudyFilters::valueButtons(std::size_t axis) {
  const StudyTable::Axis& each = state_->table().axes[axis];
  const bool isModel = each.name == "model";
  auto* room = new QWidget(axes_);
  room->setLayout(new FlowLayout(6));
  for (std::size_t value = 0; value < each.values.size(); ++value) {
    const QString name = QString::fromStdString(valueName(each.values[value]));
    auto* button = new QToolButton(room);
    button->setObjectName(QStringLiteral("%1=%2").arg(viewText(each.name), name));
    button->setText(isModel ? QString::fromStdString(modelName(each.values[value])) : name);
    button->setToolTip(plainTip(name));
    button->setAccessibleName(QStringLiteral("%1: %2").arg(viewText(each.name), name));
    button->setCheckable(true);
    connect(button, &QToolButton::clicked, this, [this, axis, value, isModel](bool on) {
      if (isModel) return state_->setModel(value);
      state_->pick(axis, value, on);
    });
    follow_.emplace_back([this, button, axis, value, isModel] {
      button->setChecked(isModel ? state_->model() == value : state_->isPicked(axis, value));
    });
    room->layout()->addWidget(button);
  }
  return room;
}

/// A button that says what is picked, with a menu of all values.
QWidget* StudyFilters::valueMenu(std::size_t axis) {
  const StudyTable::Axis& each = state_->table().axes[axis];
  const bool isModel = each.name == "model";
  auto* button = new QToolButton(axes_);
  button->setObjectName(QStringLiteral("menu:") + viewText(each.name));
  button->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(button);
  // More are for a condition of the command line.
  const std::size_t shown = std::min(each.values.size(), StudyLook::kMostValues);
  for (std::size_t value = 0; value < shown; ++value) {
    QAction* action = menu->addAction(QString::fromStdString(valueName(each.values[value])));
    action->setCheckable(true);
    connect(action, &QAction::triggered, this, [this, axis, value, isModel](bool on) {
      if (isModel) return state_->setModel(value);
      state_->pick(axis, value, on);
    });
    follow_.emplace_back([this, action, axis, value, isModel] {
      action->setChecked(isModel ? state_->model() == value : state_->isPicked(axis, value));
    });
  }
  button->setMenu(menu);
  follow_.emplace_back([menu, button] {
    QStringList on;
    for (const QAction* action : menu->actions()) {
      if (action->isChecked()) on.append(action->text());
    }
    const QString all = tr("all %1").arg(menu->actions().size());
    button->setText((on.isEmpty() ? all : on.join(QStringLiteral(", "))) +
                    QStringLiteral(" \u25be"));
  });
  return button;
}

QString StudyFilters::countText() const {
  const auto file = state_->file();
  if (!file) return {};
  QStringList factors{tr("%1 models").arg(state_->table().axes[0].values.size())};
  for (const std::size_t axis : state_->axes()) {
    factors.append(QString::number(state_->table().axes[axis].values.size()));
  }
  const QString here = tr("%1 of %2 runs of this model are on show.")
                           .arg(grouped(state_->rows().size()),
                                grouped(state_->rows().size() + state_->others().size()));
  return QStringLiteral("%1: %2. %3")
      .arg(factors.join(QStringLiteral(" \u00d7 ")), tr("%1 runs").arg(grouped(file->rows())),
           here);
}

void StudyFilters::refresh() {
  const bool any = !state_->isEmpty() && !state_->table().figures.empty();
  for (QWidget* each : std::initializer_list<QWidget*>{count_, clear_, heading_, shares_}) {
    each->setVisible(any);
  }
  if (!any) return;
  for (const auto& follow : follow_) follow();
  count_->setText(countText());
  clear_->setEnabled(std::ranges::any_of(
      state_->axes(), [this](std::size_t axis) { return state_->hasPicks(axis); }));
  const std::string& key = state_->table().figures[state_->figure()].key;
  heading_->setText(tr("What %1 depends on").arg(viewText(figureTitle(key))));
  heading_->setToolTip(
      tr("Share of the variance of its logarithm over the rows on show, by axis (main effects)"));
  std::vector<QStringList> rows;
  auto shares = sharesOf(state_->table(), state_->rows(), state_->figure());
  if (shares.size() > kMostShares) shares.resize(kMostShares);
  rows.reserve(shares.size());
  for (const AxisShare& share : shares) {
    rows.push_back({viewText(axisTitle(state_->table().axes[share.axis].name)),
                    tr("%1 %").arg(qRound(100 * share.share))});
  }
  fillRows(shares_, {QString(), QString()}, rows);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    QTableWidgetItem* item = shares_->item(static_cast<int>(i), 1);
    item->setData(BarDelegate::kShareRole, shares[i].share);
    item->setData(BarDelegate::kBestRole, false);
  }
  shares_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  shares_->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
  const int rowHeight = shares_->verticalHeader()->defaultSectionSize();
  shares_->setFixedHeight(rowHeight * static_cast<int>(shares.size()) + 2);
}

}  // namespace hw
