#include "widgets/study/study_views.h"

#include <QHeaderView>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/base/bar_delegate.h"
#include "widgets/base/flow_layout.h"
#include "widgets/base/panel_parts.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Narrower pages have dots above the heat map, not beside it.
constexpr int kBesideWidth = 760;
/// Of a column of the table, on average.
constexpr int kColumnWidth = 115;
/// Columns are as wide as the first rows need.
constexpr int kMeasuredRows = 100;
/// Curves of two lines of models can still be told apart.
constexpr int kLeastMultiples = 132;
/// Figures that are offered as buttons: the first of the table.
constexpr std::size_t kMostButtonFigures = 5;
constexpr std::size_t kMostPairAxes = 6;

}  // namespace

StudyViews::StudyViews(StudyViewState* state, QWidget* empty, QWidget* parent)
    : QWidget(parent),
      state_(state),
      stack_(new QStackedWidget(this)),
      chips_(new QWidget(this)),
      summary_(mutedLabel(QString(), this)),
      figures_(new Segment(this)),
      pair_(new QComboBox(this)),
      grid_(new QGridLayout),
      dots_(new DotChart(this)),
      heat_(new DotChart(this)),
      multiples_(new DotChart(this)),
      tableTitle_(strongLabel(QString(), this)),
      allRows_(new QPushButton(tr("Show all rows"), this)),
      table_(new QTableView(this)),
      bars_(new BarDelegate(this)),
      model_(new StudyTableModel(state, this)) {
  setObjectName(QStringLiteral("studyViews"));
  dots_->setObjectName(QStringLiteral("studyDots"));
  dots_->setAccessibleName(tr("Runs as dots; Left and Right go along the front, Enter chooses"));
  heat_->setObjectName(QStringLiteral("studyHeat"));
  heat_->setAccessibleName(tr("The least over two axes; Left and Right go from cell to cell"));
  multiples_->setObjectName(QStringLiteral("studyMultiples"));
  multiples_->setMinimumHeight(kLeastMultiples);
  multiples_->setAccessibleName(tr("A curve of each model; Enter shows it above"));
  cards_[0] = new Card(dots_, this);
  cards_[1] = new Card(heat_, this);
  cards_[2] = new Card(multiples_, this);
  grid_->setSpacing(kStudyAir);
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(kStudyAir, kStudyAir, kStudyAir, kStudyAir);
  column->setSpacing(kStudyAir);
  column->addWidget(buildHead());
  column->addLayout(grid_, 1);
  stack_->addWidget(empty);
  stack_->addWidget(page);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);
  buildTable();
  arrange();
  connectAll();
  showFile();
  refresh();
}

QWidget* StudyViews::buildHead() {
  auto* head = new QWidget(this);
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(0, 0, 0, 0);
  chips_->setLayout(new FlowLayout(6));
  chips_->setObjectName(QStringLiteral("studyChips"));
  QSizePolicy grows(QSizePolicy::Expanding, QSizePolicy::Preferred);
  grows.setHeightForWidth(true);
  chips_->setSizePolicy(grows);
  pair_->setObjectName(QStringLiteral("studyPair"));
  pair_->setAccessibleName(tr("Axes of the heat map"));
  pair_->setToolTip(tr("Axes of the heat map"));
  row->addWidget(chips_, 1);
  row->addWidget(pair_);
  row->addWidget(figures_);
  return head;
}

QWidget* StudyViews::buildTable() {
  auto* room = new QWidget(this);
  auto* head = new QHBoxLayout;
  allRows_->setObjectName(QStringLiteral("studyAllRows"));
  head->addWidget(tableTitle_);
  head->addWidget(summary_);
  head->addStretch(1);
  head->addWidget(allRows_);
  table_->setObjectName(QStringLiteral("studyTable"));
  table_->setAccessibleName(tr("Runs; Enter opens one"));
  table_->setModel(model_);
  dressResultTable(table_);
  table_->setSortingEnabled(true);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setResizeContentsPrecision(kMeasuredRows);
  auto* column = new QVBoxLayout(room);
  column->setContentsMargins(10, 6, 6, 6);
  column->addLayout(head);
  column->addWidget(table_, 1);
  grid_->addWidget(new Card(room, this), 4, 0, 1, 2);
  return room;
}

void StudyViews::connectAll() {
  connect(state_, &StudyViewState::fileChanged, this, &StudyViews::showFile);
  connect(state_, &StudyViewState::viewChanged, this, &StudyViews::refresh);
  connect(state_, &StudyViewState::chosenChanged, this, &StudyViews::showChosen);
  connect(model_, &QAbstractItemModel::modelReset, this, &StudyViews::showChosen);
  connect(dots_, &DotChart::picked, this,
          [this](int dot) { state_->choose(model_->front()[static_cast<std::size_t>(dot)]); });
  connect(heat_, &DotChart::picked, this, &StudyViews::pickCell);
  connect(multiples_, &DotChart::picked, this,
          [this](int panel) { state_->setModel(static_cast<std::size_t>(panel)); });
  connect(table_, &QTableView::clicked, this,
          [this](const QModelIndex& at) { state_->choose(model_->rowAt(at.row())); });
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& at) { Q_EMIT openWanted(model_->rowAt(at.row())); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& at) {
            if (at.isValid() && table_->hasFocus()) state_->choose(model_->rowAt(at.row()));
          });
  connect(allRows_, &QPushButton::clicked, this, [this] {
    model_->setAll(!model_->showsAll());
    refresh();
  });
  connect(pair_, &QComboBox::activated, this,
          [this](int index) { state_->setPair(pairs_[static_cast<std::size_t>(index)]); });
}

void StudyViews::pickCell(int cell) {
  const auto& picked = cells_.cells[static_cast<std::size_t>(cell)];
  if (picked.mean.count() > 0) state_->choose(picked.best);
}

void StudyViews::showFile() {
  stack_->setCurrentIndex(state_->file() ? 1 : 0);
  fillFigures();
}

/// Buttons for the figures of the table.
void StudyViews::fillFigures() {
  std::vector<std::string> keys;
  if (!state_->isEmpty()) {
    keys.reserve(state_->table().figures.size());
    for (const StudyTable::Figure& figure : state_->table().figures) keys.push_back(figure.key);
  }
  keys.resize(std::min(keys.size(), kMostButtonFigures));
  while (figureButtons_.size() < keys.size()) {
    auto* button = new QToolButton(figures_);
    button->setCheckable(true);
    button->setAutoRaise(true);
    const std::size_t place = figureButtons_.size();
    connect(button, &QToolButton::clicked, this, [this, place] { state_->setFigure(place); });
    figures_->add(button);
    figureButtons_.push_back(button);
  }
  for (std::size_t i = 0; i < figureButtons_.size(); ++i) {
    figureButtons_[i]->setVisible(i < keys.size());
    if (i >= keys.size()) continue;
    figureButtons_[i]->setText(titleText(wordOfFigure(keys[i])));
    figureButtons_[i]->setToolTip(plainTip(titleText(figureTitle(keys[i]))));
    figureButtons_[i]->setObjectName(QStringLiteral("figure:") + viewText(keys[i]));
  }
}

/// Two axes each, those first that matter most.
void StudyViews::fillAxes() {
  const QSignalBlocker quiet(pair_);
  pair_->clear();
  pairs_.clear();
  std::vector<std::size_t> axes = state_->axes();
  axes.resize(std::min(axes.size(), kMostPairAxes));
  for (const std::size_t over : axes) {
    for (const std::size_t down : axes) {
      if (over == down) continue;
      pairs_.push_back({down, over});
      pair_->addItem(tr("%1 over %2")
                         .arg(titleText(state_->table().axes[down].name),
                              titleText(state_->table().axes[over].name)));
    }
  }
  const auto found = std::ranges::find(pairs_, state_->pair().value_or(StudyViewState::Pair()));
  pair_->setCurrentIndex(found == pairs_.end() ? -1 : static_cast<int>(found - pairs_.begin()));
  pair_->setVisible(!pairs_.empty());
}

void StudyViews::showChips() {
  for (QToolButton* chip : chips_->findChildren<QToolButton*>()) {
    chip->hide();
    chip->deleteLater();
  }
  for (const std::size_t axis : state_->axes()) {
    if (!state_->hasPicks(axis)) continue;
    QStringList values;
    const StudyTable::Axis& each = state_->table().axes[axis];
    for (std::size_t value = 0; value < each.values.size(); ++value) {
      if (state_->isPicked(axis, value)) {
        values.append(QString::fromStdString(valueName(each.values[value])));
      }
    }
    auto* chip = new QToolButton(chips_);
    chip->setObjectName(QStringLiteral("chip:") + viewText(each.name));
    chip->setText(QStringLiteral("%1  %2 \u00d7")
                      .arg(viewText(axisTitle(each.name)), values.join(QStringLiteral(", "))));
    chip->setToolTip(tr("Take this filter away"));
    chip->setChecked(true);
    connect(chip, &QToolButton::clicked, this, [this, axis] { state_->clearPicks(axis); });
    chips_->layout()->addWidget(chip);
    chip->show();
  }
}

void StudyViews::refresh() {
  const bool any = !state_->isEmpty() && !state_->table().figures.empty();
  dots_->setEmptyText(tr("No run has a plan that fits yet."));
  if (!any) {
    for (DotChart* each : {dots_, heat_, multiples_}) each->clear();
    summary_->clear();
    tableTitle_->clear();
    pair_->hide();
    figures_->hide();
    return;
  }
  figures_->show();
  for (std::size_t i = 0; i < figureButtons_.size(); ++i) {
    figureButtons_[i]->setChecked(i == state_->figure());
  }
  fillAxes();
  showChips();
  showScenes();
  tableTitle_->setText(model_->showsAll() ? tr("All runs") : tr("Runs on the front"));
  allRows_->setText(model_->showsAll() ? tr("Show the front") : tr("Show all rows"));
  const StudyTable& table = state_->table();
  summary_->setText(tr("%1 of %2 runs of %3")
                        .arg(grouped(state_->rows().size()),
                             grouped(state_->rows().size() + state_->others().size()),
                             QString::fromStdString(printable(
                                 table.axes[table.axis("model")].values[state_->model()], 60))));
  showBars();
  showChosen();
}

/// The bars stand in the column of the figure.
void StudyViews::showBars() {
  for (int column = 0; column < model_->columnCount(); ++column) {
    const bool figure = column == model_->figureColumn();
    table_->setItemDelegateForColumn(column, figure ? bars_ : nullptr);
  }
}

void StudyViews::showScenes() {
  const StudyTable& table = state_->table();
  const std::size_t figure = state_->figure();
  DotsScene dots = dotsScene(table, state_->rows(), state_->others(), state_->across(), figure);
  if (!state_->others().empty()) dots.note = tr("dashed: front of the other runs").toStdString();
  dots_->setScene(std::move(dots));
  const auto pair = state_->pair();
  heat_->parentWidget()->setVisible(pair.has_value());
  multiples_->parentWidget()->setVisible(pair.has_value());
  if (!pair) return;
  cells_ = pivot(table, state_->rows(), pair->down, pair->over, figure);
  heat_->setScene(heatScene(table, cells_, pair->down, pair->over, figure));
  MultiplesScene all =
      multiplesScene(table, state_->everyModel(), pair->over, state_->series(), figure);
  if (state_->model() < all.panels.size()) all.panels[state_->model()].chosen = true;
  multiples_->setScene(std::move(all));
}

void StudyViews::showChosen() {
  const auto chosen = state_->chosen();
  int dot = DotChart::kNone;
  int cell = DotChart::kNone;
  int row = -1;
  if (chosen && !state_->isEmpty()) {
    const auto found = std::ranges::find(model_->front(), *chosen);
    if (found != model_->front().end()) dot = static_cast<int>(found - model_->front().begin());
    const auto pair = state_->pair();
    if (pair && std::ranges::binary_search(state_->rows(), *chosen)) {
      const StudyTable& table = state_->table();
      cell = static_cast<int>(table.axes[pair->down].codes[*chosen] * cells_.across +
                              table.axes[pair->over].codes[*chosen]);
    }
    row = model_->placeOf(*chosen);
  }
  dots_->setMarked(dot);
  heat_->setMarked(cell);
  const QSignalBlocker quiet(table_->selectionModel());
  if (row < 0) {
    table_->clearSelection();
  } else {
    table_->selectRow(row);
    scrollWithContext(table_, model_->index(row, 0));
  }
  table_->viewport()->update();
}

/// Dots beside the heat map, or above it; below them curves and the table.
void StudyViews::arrange() {
  const bool beside = width() >= kBesideWidth;
  for (QWidget* card : cards_) grid_->removeWidget(card);
  grid_->addWidget(cards_[0], 0, 0, 1, beside ? 1 : 2);
  grid_->addWidget(cards_[1], beside ? 0 : 1, beside ? 1 : 0, 1, beside ? 1 : 2);
  grid_->addWidget(cards_[2], 2, 0, 1, 2);
  const int stretches[] = {5, beside ? 0 : 4, 2, 0, 4};
  for (int row = 0; row < 5; ++row) grid_->setRowStretch(row, stretches[row]);
  grid_->setColumnStretch(0, 1);
  grid_->setColumnStretch(1, 1);
}

void StudyViews::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const bool other = (event->oldSize().width() < kBesideWidth) != (width() < kBesideWidth);
  if (other) arrange();
  model_->setRoom(static_cast<std::size_t>(width() / kColumnWidth));
  showBars();
}

}  // namespace hw
