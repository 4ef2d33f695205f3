#include "widgets/method/method_panel.h"

#include <QHBoxLayout>
#include <QScopedValueRollback>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/text.h"
#include "widgets/base/panel_parts.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

RunRecorder::RunRecorder(QObject* parent)
    : QObject(parent), job_(tr("Recording the allocator"), Job::Stopping::abandons) {
  connect(&job_, &Job::ended, this, [this](const JobEnd& end) {
    if (end.state == JobState::stopped && state_ == State::working) state_ = State::stopped;
    Q_EMIT changed();
  });
}

void RunRecorder::setRun(const std::shared_ptr<const Run>& run) {
  if (run == run_) return;
  state_ = State::none;
  run_ = run;
  samePlan_ = true;
  problem_.clear();
  const bool has = run && !run->plan.records.empty();
  recorded_ = has ? run : nullptr;
  if (has) state_ = State::done;
  job_.abandon();
  Q_EMIT changed();
}

void RunRecorder::record() {
  if (!run_ || state_ == State::working || state_ == State::done) return;
  state_ = State::working;
  const auto work = [run = run_](const JobContext& context) {
    return execute(run->model, run->request,
                   {.stop = context.stop,
                    .progress = context.progress,
                    .search = {},
                    .simulate = false,
                    .record = true});
  };
  job_.start(work, [this](const auto& result) { return accept(result); });
  Q_EMIT changed();
}

JobEnd RunRecorder::accept(const Result<std::shared_ptr<const Run>>& result) {
  if (!result) {
    state_ = State::failed;
    problem_ = QString::fromStdString(printable(result.error().text(), 400));
    return {.state = JobState::failed, .what = problem_};
  }
  state_ = State::done;
  recorded_ = *result;
  samePlan_ = recorded_->plan.addresses == run_->plan.addresses;
  std::size_t ticks = 0;
  for (const MethodRecord& record : recorded_->plan.records) ticks += record.ticks.size();
  return {.what = tr("%n decision(s)", nullptr, static_cast<int>(ticks))};
}

namespace {

/// Planning that took longer is not repeated unasked.
constexpr double kLongPlanning = 3;  // Seconds.

}  // namespace

MethodPanel::MethodPanel(ViewState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      chooser_(new QComboBox(this)),
      note_(new QLabel(this)),
      stack_(new QStackedWidget(this)),
      empty_(new QLabel(this)),
      record_(new QPushButton(tr("Record"), this)),
      stop_(new QPushButton(tr("Stop"), this)),
      progress_(new QProgressBar(this)),
      player_(new StagePlayer(this)),
      pale_(new QCheckBox(tr("Pale until decided"), this)),
      view_(new MethodTableView(state, this)) {
  chooser_->setObjectName(QStringLiteral("methodChooser"));
  chooser_->setAccessibleName(tr("What of the allocator is shown"));
  chooser_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  pale_->setChecked(true);
  pale_->setToolTip(tr(
      "Maps and memory now draw pale what the allocator has not come to yet, as long as it is not "
      "through"));
  player_->addAtEnd(pale_);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 2, 0, 2);
  head->setSpacing(4);
  head->addWidget(chooser_, 0, Qt::AlignLeft);
  head->addWidget(note_, 1);
  head->addWidget(player_->head(), 1);
  stack_->addWidget(buildEmpty());
  stack_->addWidget(player_);
  view_->setObjectName(QStringLiteral("methodTable"));
  view_->setAccessibleName(tr("The allocator's own table"));
  stack_->addWidget(view_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(head);
  layout->addWidget(stack_, 1);

  connectParts();
  new SeenWatch(this, [this] { recordIfSeen(); });
  showRun();
}

void MethodPanel::connectParts() {
  connect(state_, &ViewState::runChanged, this, &MethodPanel::showRun);
  connect(state_, &ViewState::selectionChanged, this, &MethodPanel::followSelection);
  connect(&recorder_, &RunRecorder::changed, this, &MethodPanel::fillChooser);
  connect(recorder_.job(), &Job::progressed, this, [this](double fraction, const QString& what) {
    progress_->setValue(qRound(fraction * 1000));
    empty_->setText(tr("Planning once more, with all that the allocator keeps: %1").arg(what));
  });
  connect(chooser_, &QComboBox::currentIndexChanged, this, &MethodPanel::showChosen);
  connect(deck(), &MethodDeck::moved, this, &MethodPanel::followTick);
  connect(player_->stage(), &StageView::chosen, state_, &ViewState::select);
  connect(player_->stage(), &StageView::pointedAt, state_, &ViewState::hover);
  connect(pale_, &QCheckBox::toggled, this, &MethodPanel::showPlaced);
  connect(record_, &QPushButton::clicked, &recorder_, &RunRecorder::record);
  connect(stop_, &QPushButton::clicked, recorder_.job(), &Job::stop);
}

MethodPanel::~MethodPanel() { disconnect(&recorder_, nullptr, this, nullptr); }

QWidget* MethodPanel::buildEmpty() {
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(8);
  record_->setToolTip(tr("Plans once more, and keeps all that the allocator's lists go through"));
  stop_->setToolTip(tr("Nothing is kept"));
  progress_->setAccessibleName(tr("Progress of the record"));
  progress_->setMaximum(1000);
  progress_->setMaximumWidth(240);
  progress_->setTextVisible(false);
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  auto* line = new QHBoxLayout;
  line->addStretch(1);
  for (QWidget* widget : std::initializer_list<QWidget*>{progress_, stop_, record_}) {
    line->addWidget(widget);
  }
  line->addStretch(1);
  column->addStretch(1);
  column->addWidget(empty_);
  column->addLayout(line);
  column->addStretch(1);
  return page;
}

QString MethodPanel::emptyText() const {
  return stack_->currentIndex() == kEmpty ? empty_->text() : QString();
}

void MethodPanel::showStage() {
  chooser_->setCurrentIndex(0);
  player_->stage()->setFocus();
}

void MethodPanel::showRun() {
  dropFilter();
  deck()->setRecord(nullptr, 0);
  recorder_.setRun(state_->run());
  fillChooser();
  recordIfSeen();
}

/// Records if the panel is seen and planning does not take long.
void MethodPanel::recordIfSeen() {
  const auto run = state_->run();
  const bool isNew = recorder_.state() == RunRecorder::State::none;
  if (run && isNew && isSeen(this) && run->planSeconds <= kLongPlanning) recorder_.record();
  if (isSeen(this)) showPlaced();
}

/// Records first: one for the stage even before there is any.
void MethodPanel::fillChooser() {
  const auto run = state_->run();
  const QString before = chooser_->currentText();
  {
    const QSignalBlocker quiet(chooser_);
    chooser_->clear();
    const auto recorded = recorder_.recorded();
    const std::size_t records = recorded ? recorded->plan.records.size() : 0;
    for (std::size_t i = 0; i < records; ++i) {
      const std::string& name = recorded->plan.records[i].name;
      chooser_->addItem(tr("Stage: %1").arg(QString::fromStdString(printable(name, 40))));
    }
    if (run && records == 0) chooser_->addItem(tr("Stage"));
    if (run) {
      for (const MethodTable& table : run->plan.tables) {
        chooser_->addItem(tr("Table: %1").arg(QString::fromStdString(printable(table.name, 40))));
      }
    }
    chooser_->setCurrentIndex(run ? std::max(0, chooser_->findText(before)) : -1);
  }
  chooser_->setVisible(run != nullptr);
  showChosen();
}

void MethodPanel::showChosen() {
  const auto run = state_->run();
  const auto recorded = recorder_.recorded();
  const std::size_t records = recorded ? recorded->plan.records.size() : 0;
  const int chosen = chooser_->currentIndex();
  const std::size_t stages = std::max<std::size_t>(1, records);
  const auto index = static_cast<std::size_t>(std::max(0, chosen));
  if (!run || chosen < 0 || (index < stages && records == 0)) {
    deck()->setRecord(nullptr, 0);
    empty_->setText(whyNoStage());
    showProgress();
    stack_->setCurrentIndex(kEmpty);
  } else if (index < stages) {
    showRecord(index);
  } else {
    showTable(index - stages);
  }
  note_->setVisible(run && stack_->currentIndex() == kTable);
  player_->head()->setVisible(stack_->currentIndex() == kStage);
  showPlaced();
}

void MethodPanel::showProgress() {
  const auto state = recorder_.state();
  const bool working = state == RunRecorder::State::working;
  progress_->setVisible(working);
  progress_->setValue(0);
  stop_->setVisible(working);
  record_->setVisible(state_->run() &&
                      (state == RunRecorder::State::none || state == RunRecorder::State::stopped));
}

QString MethodPanel::whyNoStage() const {
  const auto run = state_->run();
  if (!run) return tr("Open a model: how its plan is made, decision by decision, plays here.");
  const AllocatorInfo* info = run->request.allocator.info;
  const QString name = info ? viewText(info->name) : tr("This allocator");
  switch (recorder_.state()) {
    case RunRecorder::State::working:
      return tr("Planning once more, with all that %1 keeps\u2026").arg(name);
    case RunRecorder::State::failed:
      return tr("There is nothing to play: %1").arg(recorder_.problem());
    case RunRecorder::State::stopped:
      return tr("Nothing was recorded: it was stopped.");
    case RunRecorder::State::done:
      if (std::ranges::none_of(run->problem.stays,
                               [](const Stay& stay) { return stay.size > Bytes(); })) {
        return tr("Nothing takes any bytes: there is no decision to play.");
      }
      return tr("%1 keeps no lists that could play.\nThose of other methods do: see Help > How the "
                "methods work.")
          .arg(name);
    case RunRecorder::State::none:
      return tr("What %1 keeps is recorded when it is asked for: planning took %2 s, and takes as "
                "long once more.")
          .arg(name, QString::number(run->planSeconds, 'f', 1));
  }
  return {};
}

void MethodPanel::showRecord(std::size_t record) {
  const auto run = recorder_.recorded();
  stack_->setCurrentIndex(kStage);
  chooser_->setToolTip(recorder_.isSamePlan() ? QString()
                                              : tr("Planned once more, the allocator came to other "
                                                   "addresses: this is how it did that"));
  if (deck()->run() == run && deck()->recordIndex() == record) return;
  decidedAt_.assign(run->problem.stays.size(), 0);
  const auto& ticks = run->plan.records[record].ticks;
  for (std::size_t i = ticks.size(); i-- > 0;) {
    if (ticks[i].stay.index() < decidedAt_.size() && ticks[i].stay) {
      decidedAt_[ticks[i].stay.index()] = i + 1;
    }
  }
  const QScopedValueRollback following(following_, true);
  deck()->setRecord(run, record);
  player_->setSelected(state_->selected());
}

void MethodPanel::showTable(std::size_t index) {
  const auto run = state_->run();
  const MethodTable& table = run->plan.tables[index];
  QString text = QString::fromStdString(printable(table.summary, 400));
  const QString rows = grouped(std::ssize(table.rows));
  text += table.truncated ? tr("; the first %1 rows").arg(rows) : tr("; %1 rows").arg(rows);
  note_->setText(text);
  note_->setToolTip(text);
  deck()->pause();
  view_->setTable(run, table);
  stack_->setCurrentIndex(kTable);
}

/// True if what was recorded is about the stays on show.
bool MethodPanel::isLinked() const {
  const auto run = state_->run();
  const auto recorded = recorder_.recorded();
  return run && recorded && run->problem.stays.size() == recorded->problem.stays.size();
}

/// A decision selects whom it is about, at the step of the program that it looks at.
void MethodPanel::followTick() {
  showPlaced();
  const MethodTick* tick = deck()->tick();
  if (following_ || !tick || !isLinked()) return;
  const QScopedValueRollback following(following_, true);
  const bool known = tick->stay && state_->run()->problem.stays.contains(tick->stay);
  if (known) state_->select(tick->stay);
  if (tick->step >= Step() && tick->step < state_->steps()) state_->setStep(tick->step);
  player_->setSelected(known ? tick->stay : state_->selected());
}

void MethodPanel::followSelection() {
  player_->setSelected(state_->selected());
  if (following_ || !state_->selected() || !isLinked()) return;
  const QScopedValueRollback following(following_, true);
  deck()->goToStay(state_->selected());
}

/// Only while somebody sees the stage, and the method is not through.
void MethodPanel::showPlaced() {
  const bool shown = pale_->isChecked() && isSeen(this) && stack_->currentIndex() == kStage &&
                     isLinked() && deck()->at() < deck()->count();
  if (!shown) return dropFilter();
  const auto foreign = state_->filter();
  if (foreign && foreign != ours_) return;  // A filter that the user set stays.
  std::vector<bool> kept(decidedAt_.size());
  for (std::size_t stay = 0; stay < kept.size(); ++stay) {
    kept[stay] = decidedAt_[stay] > 0 && decidedAt_[stay] <= deck()->at();
  }
  ours_ = makeFilter("decided so far", std::move(kept));
  state_->setFilter(ours_);
}

void MethodPanel::dropFilter() {
  if (ours_ && state_ && state_->filter() == ours_) state_->setFilter(nullptr);
  ours_ = nullptr;
}

void MethodPanel::leave() {
  deck()->pause();
  dropFilter();
}

void MethodPanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  leave();
}

}  // namespace hw
