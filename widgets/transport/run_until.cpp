#include "widgets/transport/run_until.h"

#include <algorithm>
#include <tuple>

#include "core/base/text.h"
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

}  // namespace hw
