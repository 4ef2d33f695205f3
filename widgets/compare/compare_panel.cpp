#include "widgets/compare/compare_panel.h"

#include <QHeaderView>
#include <QMenu>
#include <QThread>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/files/file.h"
#include "core/report/compare/compare_report.h"
#include "core/report/plan/plan_text.h"
#include "core/run/options.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

ComparePanel::ComparePanel(ViewState* state, QWidget* parent)
    : WorkPanel({.start = tr("Compare"),
                 .progress = tr("Progress of the comparison"),
                 .stop = tr("Keeps the rows that are done"),
                 .job = tr("Comparing")},
                parent),
      state_(state),
      allocators_(new AllocatorList),
      platforms_(new PlatformList),
      chooseAllocators_(new DropDown(allocators_, this)),
      choosePlatforms_(new DropDown(platforms_, this)),
      choice_(new QComboBox(this)),
      stack_(new QStackedWidget(this)),
      empty_(new QLabel(this)),
      model_(new CompareModel(this)),
      table_(new CompareTable(model_, this)),
      charts_(new CompareCharts(model_, this)),
      split_(new QSplitter(Qt::Horizontal, this)),
      export_(new QPushButton(tr("Export\u2026"), this)),
      rowActions_(new QToolButton(this)) {
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(12);
  stack_->addWidget(empty_);
  split_->addWidget(table_);
  split_->addWidget(charts_);
  split_->setStretchFactor(0, 2);
  split_->setStretchFactor(1, 1);
  charts_->setMinimumSize(120, 0);
  stack_->addWidget(split_);
  // A panel that nobody looks at must not keep the window from being small.
  stack_->setMinimumSize(80, 0);
  buildChoices();
  buildHead();
  build({stack_}, {choice_, chooseAllocators_, choosePlatforms_}, {rowActions_, export_});
  connect(state, &ViewState::runChanged, this, &ComparePanel::showRun);
  connectTable();
  refresh();
}

void ComparePanel::buildChoices() {
  choice_->addItems({tr("Allocators"), tr("Platforms"), tr("Allocators \u00d7 platforms")});
  choice_->setObjectName(QStringLiteral("compareChoice"));
  choice_->setAccessibleName(tr("What to compare"));
  choice_->setToolTip(
      tr("What differs between the rows: how it is planned, the machine, or both. "
         "Platforms come with the L2 and L3 of their own"));
  chooseAllocators_->setObjectName(QStringLiteral("chooseAllocators"));
  choosePlatforms_->setObjectName(QStringLiteral("choosePlatforms"));
  const auto again = [this] { refresh(); };
  connect(choice_, &QComboBox::currentIndexChanged, this, again);
  connect(allocators_, &AllocatorList::changed, this, again);
  connect(platforms_, &PlatformList::changed, this, again);
}

void ComparePanel::buildHead() {
  export_->setObjectName(QStringLiteral("compareExport"));
  rowActions_->setObjectName(QStringLiteral("compareRow"));
  rowActions_->setText(tr("Row"));
  rowActions_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(rowActions_);
  menu->setToolTipsVisible(true);
  rowActions_->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] {
    menu->clear();
    fillRowMenu(menu, table_->currentRow());
  });
  connect(export_, &QPushButton::clicked, this, &ComparePanel::exportWanted);
}

void ComparePanel::connectTable() {
  connect(table_, &QTableView::clicked, this, &ComparePanel::clicked);
  connect(table_, &CompareTable::openWanted, this, &ComparePanel::openRow);
  connect(table_, &CompareTable::belowToggled, this, &ComparePanel::toggleBelow);
  connect(table_, &CompareTable::menuWanted, this, &ComparePanel::showRowMenu);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
    rowActions_->setEnabled(table_->currentRow() >= 0);
    charts_->setCurrentRow(table_->currentRow());
  });
  connect(charts_, &CompareCharts::rowChosen, table_, &CompareTable::goTo);
  connect(charts_, &CompareCharts::openWanted, this, [this](int row) {
    table_->goTo(row);
    openRow(row);
  });
}

void ComparePanel::showCharts() {
  if (split_->sizes().back() == 0) split_->setSizes({2 * width() / 3, width() / 3});
}

/// The bars stand beside the table where there is room for both, else below it.
void ComparePanel::resizeEvent(QResizeEvent* event) {
  constexpr int kBesides = 720;
  WorkPanel::resizeEvent(event);
  split_->setOrientation(width() < kBesides ? Qt::Vertical : Qt::Horizontal);
}

std::vector<RunRequest> ComparePanel::requests() const {
  const RunRequest base = state_->run()->request;
  std::vector<AllocatorChoice> allocators{base.allocator};
  std::vector<Platform> platforms{base.platform};
  if (choice() != Choice::platforms) allocators = allocators_->choices();
  if (choice() != Choice::allocators) platforms = platforms_->choices();
  std::vector<RunRequest> requests;
  for (const Platform& platform : platforms) {
    for (const AllocatorChoice& allocator : allocators) {
      RunRequest request = base;
      request.allocator = allocator;
      request.platform = platform;
      if (choice() != Choice::allocators) request.l2 = request.l3 = {};
      requests.push_back(std::move(request));
    }
  }
  return requests;
}

void ComparePanel::start() {
  const auto run = state_->run();
  if (!run || !anythingTicked()) return;
  compared_ = run->model;
  progress_->setValue(0);
  const int threads = std::max(1, QThread::idealThreadCount());
  job_.start(
      [model = run->model, all = requests(), threads](const JobContext& context) {
        return compareRequests(model, all, threads, context);
      },
      [this](Comparison made) -> JobEnd {
        const auto comparison = std::make_shared<const Comparison>(std::move(made));
        setComparison(comparison);
        return {comparison->stopped() > 0 ? JobState::stopped : JobState::done,
                tr("%1 rows").arg(comparison->rows.size())};
      });
}

bool ComparePanel::anythingTicked() const {
  const bool allocators = choice() == Choice::platforms || !allocators_->choices().empty();
  return allocators && (choice() == Choice::allocators || !platforms_->choices().empty());
}

void ComparePanel::setComparison(std::shared_ptr<const Comparison> comparison) {
  const auto before = std::exchange(comparison_, std::move(comparison));
  compared_ = comparison_ ? comparison_->model : nullptr;
  model_->setComparison(comparison_);
  if (comparison_ && (!before || before->by != comparison_->by)) {
    charts_->setFigure(model_->ranked());
  }
  table_->arrangeColumns();
  refresh();
  table_->goTo(model_->rowOfA());
  Q_EMIT comparisonChanged();
}

void ComparePanel::setBelow(std::vector<std::shared_ptr<const Run>> runs) {
  below_ = std::move(runs);
  refresh();
}

/// A comparison of another model says nothing about the one on show.
void ComparePanel::showRun() {
  const auto run = state_->run();
  if (compared_ && (!run || run->model != compared_)) {
    job_.abandon();
    setComparison(nullptr);
  }
  if (run) allocators_->offerFor(run->graph());
  if (run && !run->request.platform.devices.empty()) platforms_->add(run->request.platform);
  refresh();
  table_->goTo(model_->rowOfA());
}

void ComparePanel::refresh() {
  const auto run = state_->run();
  const bool busy = job_.isRunning();
  showChoices();
  showWork(run && anythingTicked() && !busy, compareToolTip());
  export_->setEnabled(comparison_ != nullptr);
  export_->setToolTip(comparison_ ? tr("Write the table as CSV or JSON")
                                  : tr("There is nothing to export yet"));
  rowActions_->setEnabled(table_->currentRow() >= 0);
  rowActions_->setToolTip(comparison_ ? tr("What can be done with the chosen row")
                                      : tr("There are no rows yet"));
  stack_->setCurrentIndex(comparison_ ? 1 : 0);
  empty_->setText(emptyReason());
  model_->setShown(run, below_);
  if (!busy) note_->setText(noteText());
  note_->setToolTip(note_->text());
}

void ComparePanel::showChoices() {
  const auto allocators = allocators_->choices().size();
  const auto platforms = platforms_->choices().size();
  chooseAllocators_->setText(tr("Allocators: %1 \u25be").arg(allocators));
  choosePlatforms_->setText(tr("Platforms: %1 \u25be").arg(platforms));
  chooseAllocators_->setVisible(choice() != Choice::platforms);
  choosePlatforms_->setVisible(choice() != Choice::allocators);
  chooseAllocators_->setToolTip(tr("Tick the allocators that are compared"));
  choosePlatforms_->setToolTip(tr("Tick the platforms that are compared"));
}

QString ComparePanel::compareToolTip() const {
  if (!state_->run()) return tr("Open a model first");
  if (job_.isRunning()) return tr("A comparison is under way");
  if (!anythingTicked()) return tr("Tick something to compare first");
  return tr("Plans the model in every way that is ticked");
}

QString ComparePanel::emptyReason() const {
  if (!state_->run()) return tr("Open a model: its plans are compared here.");
  if (job_.isRunning()) {
    return tr(
        "Planning\u2026 The table appears when all rows are done; Stop keeps those that are.");
  }
  if (!anythingTicked()) return tr("Tick something to compare above, then press Compare.");
  return tr("Press Compare to plan this model in every way that is ticked above.");
}

QString ComparePanel::noteText() const {
  if (!comparison_) return {};
  const auto& rows = comparison_->rows;
  QStringList parts;
  const auto planned = [](const ComparisonRow& row) { return row.run != nullptr; };
  const auto first = std::ranges::find_if(rows, planned);
  const auto run = state_->run();
  const bool comparable = run && first != rows.end() && !comparison_->severalPlatforms();
  if (comparable && !sameBut(run->request, first->run->request, {"allocator", "time-limit"})) {
    parts.append(tr("Made with other settings than the plan on show: compare again"));
  }
  const auto best = std::ranges::find_if(rows, &ComparisonRow::best);
  if (best == rows.end()) {
    parts.append(tr("No plan fits"));
  } else if (comparison_->by == Ranking::latency && !best->figures.latency) {
    parts.append(tr("Smallest peak of all memories %1; lower bound %2")
                     .arg(sizeText(best->figures.peak()), sizeText(comparison_->lowerBound)));
  } else {
    parts.append(tr("Best by %2: %1; lower bound of all memories %3")
                     .arg(QString::fromStdString(rankedText(*best, comparison_->by)),
                          viewText(kRankingNames[static_cast<std::size_t>(comparison_->by)]),
                          sizeText(comparison_->lowerBound)));
  }
  if (comparison_->stopped() > 0) {
    parts.append(tr("%n row(s) stopped", nullptr, static_cast<int>(comparison_->stopped())));
  }
  return parts.join(QStringLiteral("; "));
}

QString ComparePanel::stamp() const {
  if (!comparison_) return {};
  return QString::fromStdString(printable(comparison_->model->name, 80) + ", " +
                                settingsText(*comparison_));
}

QString ComparePanel::emptyText() const {
  return stack_->currentIndex() == 0 ? empty_->text() : QString();
}

Result<void> ComparePanel::writeTo(const QString& file, const std::string& model) const {
  const bool json = file.endsWith(QLatin1String(".json"), Qt::CaseInsensitive);
  return writeFile(file.toStdString(), json ? jsonDocument(comparisonJson(*comparison_, model))
                                            : comparisonCsvHeader(comparison_->severalPlatforms()) +
                                                  comparisonCsv(*comparison_, model));
}

namespace {

QAction* add(QMenu* menu, const QString& name, const QString& text, const QString& whyNot) {
  QAction* action = menu->addAction(text);
  action->setObjectName(name);
  action->setEnabled(whyNot.isEmpty());
  action->setToolTip(whyNot);
  return action;
}

}  // namespace

bool ComparePanel::hasFailed(int row) const {
  const ComparisonRow* one = model_->row(row);
  return one != nullptr && one->run && !one->fits();
}

void ComparePanel::openRow(int row) {
  const ComparisonRow* one = model_->row(row);
  if (one != nullptr && one->run && row != model_->rowOfA()) Q_EMIT runWanted(one->run);
}

void ComparePanel::toggleBelow(int row) {
  const ComparisonRow* one = model_->row(row);
  if (one == nullptr || !one->run || row == model_->rowOfA()) return;
  if (const auto shown = model_->below(row)) {
    Q_EMIT closeWanted(shown);
  } else {
    Q_EMIT belowWanted(one->run);
  }
}

void ComparePanel::autopsyRow(int row) {
  if (!hasFailed(row)) return;
  const bool onShow = row == model_->rowOfA();
  const auto run = onShow ? state_->run() : model_->row(row)->run;
  if (!onShow) Q_EMIT runWanted(run);
  Q_EMIT autopsyWanted(run);
}

void ComparePanel::clicked(const QModelIndex& index) {
  const int row = table_->rowOf(index);
  if (index.column() == CompareModel::shown) {
    toggleBelow(row);
  } else if (index.column() == CompareModel::verdict && hasFailed(row)) {
    autopsyRow(row);
  } else {
    openRow(row);
  }
}

std::shared_ptr<const Run> ComparePanel::otherRun() const {
  const auto usable = [this](int row) {
    const ComparisonRow* one = model_->row(row);
    return one != nullptr && one->run && row != model_->rowOfA() && !model_->below(row);
  };
  if (usable(table_->currentRow())) return model_->row(table_->currentRow())->run;
  for (int row = 0; row < model_->rowCount(); ++row) {
    if (usable(row)) return model_->row(row)->run;
  }
  return nullptr;
}

void ComparePanel::fillRowMenu(QMenu* menu, int row) {
  const ComparisonRow* one = model_->row(row);
  if (one == nullptr) return;
  const bool onShow = row == model_->rowOfA();
  const auto below = model_->below(row);
  const QString noPlan = one->run ? QString() : tr("There is no plan to show");
  const QString isA = onShow ? tr("This is the plan on show") : noPlan;
  connect(add(menu, QStringLiteral("rowOpen"), tr("&Open this plan"), isA), &QAction::triggered,
          this, [this, row] { openRow(row); });
  connect(add(menu, QStringLiteral("rowBelow"),
              below ? tr("&Close its maps below") : tr("Show its maps &below"), isA),
          &QAction::triggered, this, [this, row] { toggleBelow(row); });
  connect(add(menu, QStringLiteral("rowDivergence"), tr("First &divergence from A"), isA),
          &QAction::triggered, this,
          [this, row, below] { Q_EMIT divergenceWanted(below ? below : model_->row(row)->run); });
  const QString fits = hasFailed(row) ? QString() : one->run ? tr("Its plan fits") : noPlan;
  connect(add(menu, QStringLiteral("rowAutopsy"), tr("&Why it does not fit"), fits),
          &QAction::triggered, this, [this, row] { autopsyRow(row); });
  menu->addSeparator();
  QAction* copy = add(menu, QStringLiteral("tableCopy"), tr("Copy the table as CS&V"), {});
  connect(copy, &QAction::triggered, table_, &CompareTable::copy);
  QMenu* columns = table_->columnMenu(menu);
  columns->setTitle(tr("Co&lumns"));
  menu->addMenu(columns);
}

void ComparePanel::showRowMenu(int row, const QPoint& at) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  fillRowMenu(menu, row);
  menu->popup(at);
}

}  // namespace hw
