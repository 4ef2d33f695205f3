#include "widgets/frame/figure_cards.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QResizeEvent>
#include <algorithm>

#include "core/plan/validate.h"
#include "core/run/figures.h"
#include "widgets/base/theme.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr int kCards = 5;
constexpr int kCardGap = 8;
constexpr int kCardPadding = 10;
constexpr int kLeastCard = 150;  ///< Narrower ones say nothing.
constexpr int kCardBar = 4;
constexpr double kCardRadius = 8;
constexpr double kFigureScale = 1.4;  ///< Of its letters, by those of the window.

using Figure = FigureCard::Figure;

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
                              "at one step")};
  if (!figures.whole) return figure;
  const PoolMetrics& first = run.metrics.pools[PoolId(0)];
  figure.value = QStringLiteral("+%1").arg(percentText(first.gap()));
  figure.meaning = first.gap() == 0 ? tr("no plan of what lives there is smaller")
                                    : tr("%1 are live at once").arg(sizeText(first.peakLive));
  return figure;
}

Figure elsewhereFigure(const Run& run, const RunFigures& figures) {
  if (!figures.spilled || run.problem.pools.size() < 2) {
    return {.label = tr("Bytes reused"),
            .value = figures.reuse ? percentText(*figures.reuse) : QStringLiteral("\u2013"),
            .meaning = tr("lie where others were"),
            .toolTip = tr("Share of the bytes that lie on addresses that had a tenant before")};
  }
  const auto outside = std::ranges::count_if(run.plan.addresses, [&](const auto& address) {
    return address && run.problem.pools[address->pool].level > 0;
  });
  return {.label = tr("Moved out of %1").arg(poolText(run, PoolId(0))),
          .value = sizeText(*figures.spilled),
          .meaning = outside == 0 ? tr("everything lives in it")
                                  : tr("%1 found no room in it")
                                        .arg(QString::fromStdString(countText(
                                            static_cast<std::size_t>(outside), "buffer"))),
          .toolTip = tr("Sum of the sizes of what lives outside the first memory")};
}

Figure latencyFigure(const RunFigures& figures) {
  Figure figure{.label = tr("Latency"),
                .value = QStringLiteral("\u2013"),
                .meaning = tr("no operators are known"),
                .toolTip = tr("Simulated time of one run on the platform")};
  if (!figures.latency) return figure;
  figure.value = timeText(*figures.latency);
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

FigureCard::FigureCard(QWidget* parent) : QAbstractButton(parent) {
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAttribute(Qt::WA_Hover);
}

void FigureCard::setFigure(const Figure& figure) {
  figure_ = figure;
  setToolTip(figure.toolTip);
  setAccessibleName(QStringLiteral("%1: %2, %3").arg(figure.label, figure.value, figure.meaning));
  update();
}

QSize FigureCard::sizeHint() const {
  const int line = fontMetrics().height();
  return {180, qRound(line * (2.1 + kFigureScale)) + 2 * kCardPadding - 4};
}

void FigureCard::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(hasFocus() ? QPen(theme.selection, 2) : QPen(theme.line, 1));
  painter.setBrush(underMouse() ? theme.raised : theme.plot);
  painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), kCardRadius, kCardRadius);
  const QRect inside =
      rect().adjusted(kCardPadding + 2, kCardPadding - 2, -kCardPadding, -kCardPadding + 2);
  const int line = fontMetrics().height();
  const auto write = [&](int top, const QFont& font, const QColor& color, const QString& text) {
    painter.setFont(font);
    painter.setPen(color);
    const QFontMetrics metrics(font);
    painter.drawText(QPoint(inside.left(), inside.top() + top + metrics.ascent()),
                     metrics.elidedText(text, Qt::ElideRight, inside.width()));
  };
  QFont small = font();
  small.setPointSizeF(font().pointSizeF() * 0.92);
  QFont large = font();
  large.setPointSizeF(font().pointSizeF() * kFigureScale);
  large.setWeight(QFont::DemiBold);
  write(0, small, theme.mutedText, figure_.label);
  write(line, large, figure_.warns ? theme.capacity : theme.text, figure_.value);
  const int last = line + QFontMetrics(large).height();
  write(last, small, figure_.warns ? theme.capacity : theme.mutedText, figure_.meaning);
  if (!figure_.share) return;
  // To the right of the figure, where it takes no line of its own.
  const int from = inside.left() + QFontMetrics(large).horizontalAdvance(figure_.value) + 12;
  const QRect track(from, inside.top() + line + QFontMetrics(large).height() / 2 - kCardBar / 2,
                    inside.right() - from, kCardBar);
  if (track.width() < 3 * kCardBar) return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.line);
  painter.drawRoundedRect(track, kCardBar / 2.0, kCardBar / 2.0);
  QRect full = track;
  full.setWidth(qRound(track.width() * std::clamp(*figure_.share, 0.0, 1.0)));
  painter.setBrush(figure_.warns ? theme.capacity : theme.selection);
  painter.drawRoundedRect(full, kCardBar / 2.0, kCardBar / 2.0);
}

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
  if (run) {
    const RunFigures figures = figuresOf(*run);
    const Figure all[kCards] = {peakFigure(*run), gapFigure(*run, figures),
                                elsewhereFigure(*run, figures), latencyFigure(figures),
                                holesFigure(figures)};
    for (std::size_t i = 0; i < cards_.size(); ++i) cards_[i]->setFigure(all[i]);
  }
  showWhatFits();
}

void FigureCards::showWhatFits() {
  const int fitting = std::max(1, (width() + kCardGap - 24) / (kLeastCard + kCardGap));
  for (int i = 0; i < kCards; ++i) cards_[static_cast<std::size_t>(i)]->setVisible(i < fitting);
}

void FigureCards::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  showWhatFits();
}

}  // namespace hw
