#include "widgets/transport/until_form.h"

#include <QCompleter>
#include <QHBoxLayout>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/text.h"
#include "widgets/base/theme.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Enough to get on, few enough for the next frame: some eight milliseconds of work.
constexpr std::size_t kEntriesAtOnce = 8'000;

}  // namespace

RunUntil::RunUntil(ViewState* state, ViewState* below, Player* player, QObject* parent)
    : QObject(parent), state_(state), below_(below), player_(player) {
  connect(&slices_, &QTimer::timeout, this, &RunUntil::lookOn);
  connect(state, &ViewState::runChanged, this, &RunUntil::cancel);
}

void RunUntil::start(const UntilWish& wish) {
  cancel();
  run_ = state_->run();
  if (!run_) return;
  player_->pause();
  wish_ = wish;
  if (!wish.condition) return findDivergence();
  scan_.emplace(*run_, *wish.condition, StopPoint{state_->moment(), state_->step()}, wish.forwards);
  slices_.start(0);
  Q_EMIT searchingChanged(true);
  lookOn();
}

void RunUntil::lookOn() {
  if (!scan_) return;
  scan_->advance(kEntriesAtOnce);
  if (scan_->state() == StopScan::State::searching) return;
  if (scan_->state() == StopScan::State::notMet) return end(false, nowhereText());
  goTo(scan_->at());
}

QString RunUntil::nowhereText() const {
  return wish_.forwards ? tr("Not met before the end. Nothing has moved.")
                        : tr("Not met between here and the start. Nothing has moved.");
}

void RunUntil::goTo(const StopPoint& point) {
  const EventOrder& order = *state_->events();
  const QString text =
      tr("Met at step %1, after event %2 of %3.")
          .arg(grouped(point.step.count()), grouped(order.happened(point.moment, point.step)),
               grouped(order.size()));
  end(true, text);
  player_->playTo(point);
}

void RunUntil::end(bool met, const QString& text) {
  slices_.stop();
  scan_.reset();
  Q_EMIT searchingChanged(false);
  Q_EMIT finished(met, text);
}

void RunUntil::cancel() {
  const bool searching = isSearching();
  comparing_.drop();
  if (!searching) return;
  slices_.stop();
  scan_.reset();
  Q_EMIT searchingChanged(false);
  Q_EMIT cancelled();
}

void RunUntil::updateNow() {
  if (!scan_) return;
  const StopPoint point = scan_->at();
  state_->setMomentOf(point.moment, point.step);
}

void RunUntil::findDivergence() {
  const auto other = below_->run();
  if (!other)
    return end(
        false,
        tr("Show a second plan below first: B, or Compare > Show the chosen row's plan below."));
  comparing_.start(
      false, [a = run_, b = other] { return firstDivergence(*a, *b); },
      [this](const std::optional<Divergence>& found) { finishDivergence(found); });
  Q_EMIT searchingChanged(true);
}

void RunUntil::finishDivergence(const std::optional<Divergence>& found) {
  if (!found) return end(false, tr("A and B do the same from start to end."));
  const StopPoint point = pointOfStep(*run_, found->step);
  const auto place = [](const StopPoint& at) { return std::tuple(at.step, at.moment); };
  const StopPoint here{state_->moment(), state_->step()};
  const bool ahead = wish_.forwards ? place(point) > place(here) : place(point) < place(here);
  if (!ahead) {
    return end(false,
               tr("%1 The runs part at step %2.").arg(nowhereText(), grouped(found->step.count())));
  }
  goTo(point);
}

namespace {

/// More names than this are not offered while typing; they can be typed all the same.
constexpr std::size_t kMostOffered = 5'000;

enum Unit { bytes, kib, mib, percent };

constexpr double kUnits[] = {1, 1024, 1024.0 * 1024};

}  // namespace

UntilForm::UntilForm(ViewState* state, ViewState* below, RunUntil* until, QWidget* parent)
    : QWidget(parent),
      state_(state),
      below_(below),
      until_(until),
      kind_(new QComboBox(this)),
      pool_(new QComboBox(this)),
      amount_(new QDoubleSpinBox(this)),
      unit_(new QComboBox(this)),
      name_(new QLineEdit(this)),
      forwards_(new QPushButton(tr("Run &forwards"), this)),
      backwards_(new QPushButton(tr("Run &backwards"), this)),
      stop_(new QPushButton(tr("&Stop"), this)),
      update_(new QPushButton(tr("&Update now"), this)),
      answer_(new QLabel(this)) {
  build();
  connect(kind_, &QComboBox::currentIndexChanged, this, &UntilForm::showKind);
  connect(state, &ViewState::runChanged, this, &UntilForm::showRun);
  connect(below, &ViewState::runChanged, this, &UntilForm::enable);
  connect(forwards_, &QPushButton::clicked, this, [this] { run(true); });
  connect(backwards_, &QPushButton::clicked, this, [this] { run(false); });
  connect(name_, &QLineEdit::returnPressed, this, [this] { run(true); });
  connect(stop_, &QPushButton::clicked, until, &RunUntil::cancel);
  connect(update_, &QPushButton::clicked, until, &RunUntil::updateNow);
  connect(until, &RunUntil::searchingChanged, this, [this](bool searching) {
    if (searching) answer_->setText(tr("Searching\u2026"));
    if (!searching && answer_->text() == tr("Searching\u2026")) answer_->setText(tr("Stopped."));
    enable();
  });
  connect(until, &RunUntil::finished, this,
          [this](bool, const QString& text) { answer_->setText(text); });
  showRun();
}

void UntilForm::build() {
  kind_->addItems({tr("Occupancy rises above"), tr("An allocation fails"),
                   tr("A tensor is allocated"), tr("A tensor is freed"),
                   tr("The largest hole falls below"), tr("An operator runs"),
                   tr("A and B first differ")});
  kind_->setAccessibleName(tr("Run until"));
  pool_->setAccessibleName(tr("Pool"));
  amount_->setAccessibleName(tr("Amount"));
  amount_->setRange(0, 1e15);
  amount_->setDecimals(2);
  amount_->setValue(80);
  unit_->setAccessibleName(tr("Unit"));
  unit_->addItems({tr("B"), tr("KiB"), tr("MiB"), tr("% of capacity")});
  unit_->setCurrentIndex(percent);
  name_->setAccessibleName(tr("Name"));
  name_->setMinimumWidth(240);
  answer_->setWordWrap(true);
  answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  answer_->setMinimumHeight(fontMetrics().height() * 2);
  answer_->setAlignment(Qt::AlignTop);
  amountRow_ = new QWidget(this);
  auto* row = new QHBoxLayout(amountRow_);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(amount_, 1);
  row->addWidget(unit_);
  form_ = new QFormLayout(this);
  form_->addRow(tr("Un&til"), kind_);
  form_->addRow(tr("&Pool"), pool_);
  form_->addRow(tr("&Amount"), amountRow_);
  form_->addRow(tr("&Name"), name_);
  buildButtons(form_);
  form_->addRow(answer_);
}

void UntilForm::buildButtons(QFormLayout* form) {
  auto* buttons = new QHBoxLayout;
  for (QPushButton* button : {backwards_, forwards_, stop_, update_}) {
    button->setAutoDefault(false);
    buttons->addWidget(button);
  }
  forwards_->setDefault(true);
  update_->setToolTip(tr("Shows how far the search has looked, and goes on"));
  form->addRow(buttons);
}

void UntilForm::showRun() {
  const auto run = state_->run();
  pool_->clear();
  if (run) {
    for (const PoolId pool : run->problem.pools.keys()) pool_->addItem(poolText(*run, pool));
  }
  answer_->setText(run ? QString() : tr("Open a model first."));
  showKind();
}

void UntilForm::showKind() {
  const Kind now = kind();
  const bool named = now == Kind::allocated || now == Kind::freed || now == Kind::op;
  const bool level = now == Kind::occupancy || now == Kind::hole;
  form_->setRowVisible(pool_, level);
  form_->setRowVisible(amountRow_, level);
  form_->setRowVisible(name_, named);
  const auto run = state_->run();
  QStringList names;
  if (named && run && now == Kind::op) {
    for (const OpId op : run->graph().ops.keys()) {
      if (op.index() >= kMostOffered) break;
      names.append(opNameText(*run, op));
    }
  } else if (named && run) {
    for (const StayId stay : run->problem.stays.keys()) {
      if (stay.index() >= kMostOffered) break;
      names.append(stayText(*run, stay));
    }
  }
  auto* completer = new QCompleter(names, this);
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  completer->setFilterMode(Qt::MatchContains);
  if (name_->completer()) name_->completer()->deleteLater();
  name_->setCompleter(completer);
  name_->setPlaceholderText(now == Kind::op ? tr("step number or name of an operator")
                                            : tr("name of a tensor; empty: any"));
  if (now != Kind::op && named && run && state_->selected()) {
    name_->setText(stayText(*run, state_->selected()));
  } else {
    name_->clear();
  }
  enable();
}

void UntilForm::enable() {
  const bool searching = until_->isSearching();
  const bool lonely = kind() == Kind::divergence && !below_->run();
  const bool can = state_->run() && !lonely && !searching;
  const QString why = !state_->run() ? tr("Open a model first")
                      : lonely       ? tr("Show a second plan below the first one first")
                                     : QString();
  for (QPushButton* button : {forwards_, backwards_}) {
    button->setEnabled(can);
    button->setToolTip(why);
  }
  stop_->setEnabled(searching);
  update_->setEnabled(searching);
}

void UntilForm::refuse(const QString& why) { answer_->setText(why); }

Bytes UntilForm::wantedBytes() const {
  const int unit = unit_->currentIndex();
  if (unit != percent) return Bytes(std::llround(amount_->value() * kUnits[unit]));
  const auto run = state_->run();
  const PoolId pool(static_cast<std::size_t>(std::max(0, pool_->currentIndex())));
  const Bytes whole = run->problem.pools[pool].capacity.value_or(run->plan.footprint(pool));
  return Bytes(std::llround(static_cast<double>(whole.count()) * amount_->value() / 100));
}

/// No stay: any. Nothing: there is none of that name.
std::optional<StayId> UntilForm::wantedStay() {
  const QString name = name_->text().trimmed();
  if (name.isEmpty()) return StayId();
  const auto run = state_->run();
  const StayId selected = state_->selected();
  if (selected && stayText(*run, selected) == name) return selected;
  for (const StayId stay : run->problem.stays.keys()) {
    if (stayText(*run, stay) == name) return stay;
  }
  refuse(tr("No tensor that is planned is called \u201c%1\u201d.").arg(name));
  return std::nullopt;
}

std::optional<Step> UntilForm::wantedStep() {
  const QString name = name_->text().trimmed();
  const auto run = state_->run();
  bool number = false;
  const qlonglong step = name.toLongLong(&number);
  if (number && step >= 0 && Step(step) < state_->steps()) return Step(step);
  for (const OpId op : run->graph().ops.keys()) {
    if (opNameText(*run, op) == name && run->schedule.stepOf.contains(op)) {
      return run->schedule.stepOf[op];
    }
  }
  const QString last = QString::fromStdString(groupDigits(state_->steps().count() - 1));
  refuse(name.isEmpty() ? tr("Give the step or the name of an operator.")
                        : tr("There is no operator \u201c%1\u201d, and no such step: steps are "
                             "0 to %2.")
                              .arg(name, last));
  return std::nullopt;
}

std::optional<StopCondition> UntilForm::condition() {
  StopCondition wanted{.pool =
                           PoolId(static_cast<std::size_t>(std::max(0, pool_->currentIndex())))};
  switch (kind()) {
    case Kind::occupancy:
    case Kind::hole:
      wanted.kind = kind() == Kind::hole ? StopKind::holeBelow : StopKind::occupancyAbove;
      wanted.bytes = wantedBytes();
      return wanted;
    case Kind::fails:
      wanted.kind = StopKind::allocationFails;
      return wanted;
    case Kind::allocated:
    case Kind::freed: {
      wanted.kind = kind() == Kind::freed ? StopKind::freed : StopKind::allocated;
      const auto stay = wantedStay();
      if (!stay) return std::nullopt;
      wanted.stay = *stay;
      return wanted;
    }
    case Kind::op:
    case Kind::divergence:
      break;
  }
  const auto step = wantedStep();
  if (!step) return std::nullopt;
  wanted.kind = StopKind::step;
  wanted.step = *step;
  return wanted;
}

void UntilForm::run(bool forwards) {
  if (!forwards_->isEnabled()) return;
  if (kind() == Kind::divergence) return until_->start({.condition = {}, .forwards = forwards});
  if (const auto wanted = condition()) {
    until_->start({.condition = wanted, .forwards = forwards});
  }
}

}  // namespace hw
