#include "widgets/frame/figure_cards.h"

#include <QHBoxLayout>
#include <QResizeEvent>
#include <algorithm>

#include "core/base/text.h"
#include "core/import/measured/operator_profile.h"
#include "core/plan/constraint_use.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr int kCards = 5;
constexpr int kCardGap = 8;
constexpr int kLeastCard = 150;  ///< Narrower ones say nothing.
// Smaller windows have two lines a card.
constexpr int kRoomyWidth = 1200;
constexpr int kRoomyHeight = 760;

Figure peakFigure(const Run& run) {
  const PoolId first(0);
  const ProblemPool& pool = run.problem.pools[first];
  const Bytes peak = run.plan.footprint(first);
  Figure figure{.label = TextUnits::current().exactBytes ? poolText(run, first)
                                                         : tr("%1 peak").arg(poolText(run, first)),
                .value = sizeText(peak),
                .meaning = tr("no limit"),
                .toolTip = tr("Bytes to reserve of the first memory. A click goes to the step with "
                              "most bytes live")};
  if (!pool.capacity) return figure;
  figure.meaning = peak > *pool.capacity
                       ? tr("does not fit: %1 is the limit").arg(sizeText(*pool.capacity))
                   : *pool.capacity == Bytes() ? tr("its size is set to 0")
                                               : tr("of %1").arg(sizeText(*pool.capacity));
  figure.share = static_cast<double>(peak.count()) /
                 static_cast<double>(std::max<std::int64_t>(1, pool.capacity->count()));
  figure.warns = peak > *pool.capacity;
  return figure;
}

Figure gapFigure(const Run& run, const RunFigures& figures) {
  Figure figure{.label = tr("Above the live bytes"),
                .value = QStringLiteral("\u2013"),
                .meaning = tr("not everything has a place"),
                .toolTip = tr("The peak of the first memory, by the most bytes that are live in it "
                              "at one step: no plan of what lives there is smaller than these")};
  if (!figures.whole) return figure;
  const PoolMetrics& first = run.metrics.pools[PoolId(0)];
  figure.value = first.gap() == 0 ? QStringLiteral("0 B")
                                  : QStringLiteral("+%1").arg(percentText(first.gap()));
  figure.meaning = first.gap() == 0 ? tr("proved: none is smaller")
                                    : tr("%1 are live at once").arg(sizeText(first.peakLive));
  return figure;
}

Figure penaltyFigure(const Run& run) {
  const std::int64_t cost = penaltyOf(run.problem, run.plan);
  Figure figure{
      .label = tr("Reuse penalty"),
      .value = QString::fromStdString(groupDigits(cost)),
      .meaning = tr("%1 of %2 pairs pay")
                     .arg(paidPenalties(run.problem, run.plan).size())
                     .arg(run.problem.constraints.penalties.size()),
      .toolTip = tr("What pairs of buffers that share bytes cost together; \u201cbest\u201d for "
                    "penalty looks for the least within the capacities")};
  if (run.plan.penaltyBound == cost) figure.meaning = tr("proved: no plan that fits pays less");
  return figure;
}

Figure elsewhereFigure(const Run& run, const RunFigures& figures) {
  if (!run.problem.constraints.penalties.empty()) return penaltyFigure(run);
  // The pools of a planning problem are no levels: nothing moves from one to another.
  const bool levels = !run.problem.ownPools;
  if (!figures.spilled || run.problem.pools.size() < 2 || !levels) {
    return {.label = tr("Bytes reused"),
            .value = figures.reuse ? percentText(*figures.reuse) : QStringLiteral("\u2013"),
            .meaning = tr("lie where others were"),
            .toolTip = tr("Share of the bytes that lie on addresses that had a tenant before")};
  }
  const auto outside = std::ranges::count_if(run.plan.addresses, [&](const auto& address) {
    return address && run.problem.pools[address->pool].level > 0;
  });
  const QString near = poolText(run, PoolId(0));
  return {.label = tr("Moved to L3"),
          .value = sizeText(*figures.spilled),
          .meaning = outside == 0 ? tr("all buffers are in %1").arg(near)
                                  : tr("%1 found no room in %2")
                                        .arg(QString::fromStdString(countText(
                                                 static_cast<std::size_t>(outside), "buffer")),
                                             near),
          .toolTip = tr("Sum of the sizes of what lives outside the first memory")};
}

Figure latencyFigure(const Run& run, const RunFigures& figures) {
  const QString simulated = figures.latency ? timeText(*figures.latency) : QStringLiteral("\u2013");
  if (const auto measured = measuredTime(*run.model->graph)) {
    return {.label = tr("Latency, measured"),
            .value = timeText(*measured),
            .meaning = tr("by ONNX Runtime"),
            .toolTip = tr("Time that the operators of the profile took. Simulated on the "
                          "platform: %1")
                           .arg(simulated)};
  }
  Figure figure{.label = tr("Latency"),
                .value = simulated,
                .meaning = tr("no operators are known"),
                .toolTip = tr("Simulated time of one run on the platform")};
  if (!figures.latency) return figure;
  const SimTime waits = figures.reuseWaits.value_or(SimTime());
  if (waits > SimTime()) {
    figure.meaning = tr("%1 wait for reused bytes").arg(timeText(waits));
  } else if (figures.latencyBound) {
    figure.meaning = *figures.latencyBound == *figures.latency
                         ? tr("none of this order is faster")
                         : tr("at least %1").arg(timeText(*figures.latencyBound));
  }
  return figure;
}

Figure holesFigure(const RunFigures& figures) {
  return {
      .label = tr("Holes"),
      .value =
          figures.fragmentation ? percentText(*figures.fragmentation) : QStringLiteral("\u2013"),
      .meaning = figures.fragmentationAtPeak
                     ? tr("%1 at the peak").arg(percentText(*figures.fragmentationAtPeak))
                     : QString(),
      .toolTip = tr("Fragmentation, its mean over the steps: 1 \u2212 largest hole / all holes")};
}

}  // namespace

FigureCards::FigureCards(ViewState* state, QWidget* parent) : QWidget(parent), state_(state) {
  setObjectName(QStringLiteral("figureCards"));
  setAccessibleName(tr("Figures of the run"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 8, 12, 0);
  row->setSizeConstraint(QLayout::SetNoConstraint);
  row->setSpacing(kCardGap);
  for (int i = 0; i < kCards; ++i) {
    cards_.push_back(new FigureCard(this));
    connect(cards_.back(), &QAbstractButton::clicked, state, &ViewState::goToPeak);
    row->addWidget(cards_.back());
  }
  connect(state, &ViewState::runChanged, this, &FigureCards::showRun);
  showRun();
}

void FigureCards::showRun() {
  const auto run = state_->run();
  if (!run) return adding_.drop();
  if (!isSmallRun(*run)) cards_[0]->setFigure(peakFigure(*run));
  adding_.start(
      isSmallRun(*run), [run] { return figuresOf(*run); },
      [this](const RunFigures& figures) { showFigures(figures); });
  showWhatFits();
}

void FigureCards::showFigures(const RunFigures& figures) {
  const Run& run = *state_->run();
  const Figure all[kCards] = {peakFigure(run), gapFigure(run, figures),
                              elsewhereFigure(run, figures), latencyFigure(run, figures),
                              holesFigure(figures)};
  for (std::size_t i = 0; i < cards_.size(); ++i) cards_[i]->setFigure(all[i]);
}

void FigureCards::showWhatFits() {
  const int fitting = std::max(1, (width() + kCardGap - 24) / (kLeastCard + kCardGap));
  const bool compact = window()->width() < kRoomyWidth || window()->height() < kRoomyHeight;
  for (int i = 0; i < kCards; ++i) {
    FigureCard* card = cards_[static_cast<std::size_t>(i)];
    card->setVisible(i < fitting);
    card->setCompact(compact);
  }
}

void FigureCards::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  showWhatFits();
}

}  // namespace hw
