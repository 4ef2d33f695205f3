#include "widgets/histogram/histogram_view.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLegendMarker>
#include <QMouseEvent>
#include <QPainter>
#include <QStackedBarSeries>
#include <QToolTip>
#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "core/base/text.h"
#include "core/picture/block_store.h"
#include "widgets/charts/chart_style.h"
#include "widgets/map/map_colors.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

int powerOf(Bytes size) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size.count()))) - 1;
}

/// Sums of sizes may leave 64 bits in absurd problems: they stop there.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  return checkedAdd(a, b).value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

std::int64_t SizeHistogram::Bin::total(bool ofBytes) const {
  const auto& values = ofBytes ? bytes : count;
  return std::accumulate(values.begin(), values.end(), std::int64_t{0}, plus);
}

std::int64_t SizeHistogram::most(bool ofBytes) const {
  std::int64_t most = 0;
  for (const Bin& bin : bins) most = std::max(most, bin.total(ofBytes));
  return most;
}

SizeHistogram sizeHistogram(const Run& run, std::optional<Interval<Step>> range,
                            const Coloring& coloring) {
  SizeHistogram histogram;
  std::array<SizeHistogram::Bin, 64> all;
  int least = 64;
  int greatest = -1;
  for (const StayId id : run.problem.stays.keys()) {
    const Stay& stay = run.problem.stays[id];
    const bool inside = !range || (stay.steps.begin < range->end && range->begin < stay.steps.end);
    if (!inside || stay.size <= Bytes()) continue;
    const int power = powerOf(stay.size);
    auto& bin = all[static_cast<std::size_t>(power)];
    const auto kind = static_cast<std::size_t>(coloring.of(run, id));
    ++bin.count[kind];
    bin.bytes[kind] = plus(bin.bytes[kind], stay.size.count());
    least = std::min(least, power);
    greatest = std::max(greatest, power);
  }
  for (int power = least; power <= greatest; ++power) {
    auto& bin = all[static_cast<std::size_t>(power)];
    bin.power = power;
    histogram.bins.push_back(bin);
  }
  return histogram;
}

std::vector<bool> staysOfSize(const Run& run, int firstPower, int lastPower) {
  std::vector<bool> kept(run.problem.stays.size(), false);
  for (const StayId id : run.problem.stays.keys()) {
    const Bytes size = run.problem.stays[id].size;
    if (size <= Bytes()) continue;
    const int power = powerOf(size);
    kept[id.index()] = power >= firstPower && power <= lastPower;
  }
  return kept;
}

namespace {

/// Below the bars.
constexpr std::size_t kMostSizes = 4;

Bytes powerBytes(int power) { return Bytes(std::int64_t{1} << std::min(power, 62)); }

/// "4 KiB": a power of two without decimals.
QString powerText(int power) {
  const QString units[] = {QStringLiteral("B"),   QStringLiteral("KiB"), QStringLiteral("MiB"),
                           QStringLiteral("GiB"), QStringLiteral("TiB"), QStringLiteral("PiB"),
                           QStringLiteral("EiB")};
  return QStringLiteral("%1 %2").arg(1 << (power % 10)).arg(units[power / 10]);
}

}  // namespace

HistogramView::HistogramView(ViewState* state, QWidget* parent)
    : QChartView(new QChart, parent),
      state_(state),
      series_(new QStackedBarSeries(this)),
      places_(new QBarCategoryAxis(this)),
      sizes_(new QCategoryAxis(this)),
      values_(new QCategoryAxis(this)) {
  chart()->addSeries(series_);
  chart()->addAxis(places_, Qt::AlignBottom);
  chart()->addAxis(sizes_, Qt::AlignBottom);
  chart()->addAxis(values_, Qt::AlignLeft);
  series_->attachAxis(places_);
  series_->attachAxis(values_);
  series_->setBarWidth(0.94);
  places_->setVisible(false);
  sizes_->setGridLineVisible(false);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Histogram of sizes"));
  connect(state, &ViewState::runChanged, this, &HistogramView::showRun);
  connect(state, &ViewState::statisticsRangeChanged, this, &HistogramView::showRun);
  connect(state, &ViewState::coloringChanged, this, &HistogramView::showRun);
  connect(state, &ViewState::filterChanged, this, [this] {
    if (state_->filter() != ours_) forgetPick();
    showPick();
  });
  showRun();
}

void HistogramView::showRun() {
  const auto run = state_->run();
  histogram_ =
      run ? sizeHistogram(*run, state_->statisticsRange(), *state_->coloring()) : SizeHistogram();
  if (!ours_ || state_->filter() != ours_) forgetPick();
  cursor_.reset();
  hovered_.reset();
  if (picked_ && picked_->last >= histogram_.bins.size()) forgetPick();
  showBars();
}

void HistogramView::forgetPick() {
  picked_.reset();
  ours_ = nullptr;
}

void HistogramView::setShowsBytes(bool bytes) {
  if (bytes_ == bytes) return;
  bytes_ = bytes;
  showBars();
  Q_EMIT showsBytesChanged(bytes);
}

QRect HistogramView::binRect(std::size_t bin) const {
  const QRect area = chart()->plotArea().toRect();
  const int bins = static_cast<int>(std::max<std::size_t>(1, histogram_.bins.size()));
  const int index = static_cast<int>(bin);
  const int left = area.left() + area.width() * index / bins;
  const int right = area.left() + area.width() * (index + 1) / bins;
  return {left, area.top(), right - left, area.height()};
}

std::optional<std::size_t> HistogramView::binAt(const QPoint& position) const {
  for (std::size_t bin = 0; bin < histogram_.bins.size(); ++bin) {
    const QRect box = binRect(bin);
    if (position.x() >= box.left() && position.x() <= box.right()) return bin;
  }
  return {};
}

void HistogramView::pick(std::size_t first, std::size_t last) {
  const auto run = state_->run();
  if (!run || last >= histogram_.bins.size() || first > last) return;
  const int from = histogram_.bins[first].power;
  const int to = histogram_.bins[last].power;
  picked_ = Picked{first, last};
  const QString title =
      tr("%1 to %2").arg(sizeText(powerBytes(from)), sizeText(powerBytes(to + 1)));
  ours_ = makeFilter(title.toStdString(), staysOfSize(*run, from, to));
  setAccessibleDescription(title);
  state_->setFilter(ours_);
  showPick();
}

bool HistogramView::isPicked(std::size_t bin) const {
  return picked_ && bin >= picked_->first && bin <= picked_->last;
}

void HistogramView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  before_ = picked_;
  pressed_ = binAt(event->pos());
  if (pressed_) {
    cursor_ = pressed_;
    pick(*pressed_, *pressed_);
  } else if (ours_) {
    state_->setFilter(nullptr);
  }
}

void HistogramView::mouseMoveEvent(QMouseEvent* event) {
  const auto bin = binAt(event->pos());
  if (pressed_ && bin) pick(std::min(*pressed_, *bin), std::max(*pressed_, *bin));
  if (bin == hovered_) return;
  hovered_ = bin;
  viewport()->update();
}

void HistogramView::mouseReleaseEvent(QMouseEvent*) {
  const bool again = pressed_ && picked_ && before_ && picked_->first == before_->first &&
                     picked_->last == before_->last && picked_->first == picked_->last;
  pressed_.reset();
  if (again) state_->setFilter(nullptr);
}

void HistogramView::moveTo(std::ptrdiff_t bin, bool extend) {
  if (histogram_.bins.empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(histogram_.bins.size()) - 1;
  const auto to = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(bin, 0, last));
  const auto from = cursor_.value_or(to);
  cursor_ = to;
  if (extend && picked_) {
    const std::size_t anchor = picked_->first == from ? picked_->last : picked_->first;
    pick(std::min(anchor, to), std::max(anchor, to));
  } else if (extend) {
    pick(std::min(from, to), std::max(from, to));
  }
  setAccessibleDescription(describe(to));
  viewport()->update();
}

void HistogramView::keyPressEvent(QKeyEvent* event) {
  const bool extend = event->modifiers() & Qt::ShiftModifier;
  const std::ptrdiff_t at = cursor_ ? static_cast<std::ptrdiff_t>(*cursor_) : -1;
  switch (event->key()) {
    case Qt::Key_Left:
      return moveTo(at < 0 ? static_cast<std::ptrdiff_t>(histogram_.bins.size()) : at - 1, extend);
    case Qt::Key_Right:
      return moveTo(at + 1, extend);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!cursor_) return;
      if (isPicked(*cursor_) && picked_->first == picked_->last) return state_->setFilter(nullptr);
      return pick(*cursor_, *cursor_);
    case Qt::Key_B:
      return setShowsBytes(!bytes_);
    default:
      QWidget::keyPressEvent(event);
  }
}

/// Arrows, Enter and B are ours while we have the focus; the window has them as shortcuts too.
bool HistogramView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool bare = !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier));
    for (const int ours : {Qt::Key_Left, Qt::Key_Right, Qt::Key_Return, Qt::Key_B}) {
      if (!bare || key->key() != ours) continue;
      event->accept();
      return true;
    }
  }
  return QChartView::event(event);
}

bool HistogramView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto bin = binAt(help->pos());
    QToolTip::showText(help->globalPos(), bin ? describe(*bin) : QString(), this);
    return true;
  }
  if (event->type() == QEvent::Leave) {
    hovered_.reset();
    viewport()->update();
  }
  return QChartView::viewportEvent(event);
}

void HistogramView::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) showPick();
}

QString HistogramView::describe(std::size_t bin) const {
  const SizeHistogram::Bin& shown = histogram_.bins[bin];
  return tr("%1 up to %2: %3 buffers, %4 together")
      .arg(powerText(shown.power), powerText(shown.power + 1), grouped(shown.total(false)),
           sizeText(Bytes(shown.total(true))));
}

void HistogramView::showBars() {
  series_->clear();
  places_->clear();
  const std::size_t bins = histogram_.bins.size();
  const std::size_t apart = (bins + kMostSizes - 1) / kMostSizes;
  std::vector<AxisTick> sizes;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const QString size = powerText(histogram_.bins[bin].power);
    places_->append(size);
    if (bin % apart == 0) sizes.push_back({static_cast<double>(bin) + 0.5, size.toStdString()});
  }
  setTicks(*sizes_, 0, static_cast<double>(std::max<std::size_t>(1, bins)), sizes);
  const auto most = static_cast<double>(std::max<std::int64_t>(1, histogram_.most(bytes_)));
  setTicks(*values_, 0, most, bytes_ ? byteTicks(0, most) : RunAxis{0, most}.ticks(0.2));
  for (std::size_t kind = 0; kind < kAllClasses; ++kind) {
    auto* set = new QBarSet(viewText(state_->coloring()->name(static_cast<BlockClass>(kind))));
    for (const SizeHistogram::Bin& bin : histogram_.bins) {
      *set << static_cast<double>((bytes_ ? bin.bytes : bin.count)[kind]);
    }
    series_->append(set);
    // The legend names what there is.
    const bool any = std::ranges::any_of(
        histogram_.bins, [&](const SizeHistogram::Bin& bin) { return bin.count[kind] > 0; });
    chart()->legend()->markers(series_).at(static_cast<qsizetype>(kind))->setVisible(any);
  }
  QString title = bytes_ ? tr("Bytes by buffer size") : tr("Buffers by size");
  if (const auto range = state_->statisticsRange()) {
    title += tr(", steps %1\u2013%2")
                 .arg(grouped(range->begin.count()), grouped(range->end.count() - 1));
  }
  chart()->setTitle(histogram_.bins.empty() ? QString() : title);
  chart()->legend()->setVisible(!histogram_.bins.empty());
  for (QAbstractAxis* axis : {sizes_, values_}) axis->setVisible(bins > 0);
  showPick();
}

/// With some bars picked out the others are pale.
void HistogramView::showPick() {
  const Theme& theme = Theme::current();
  styleChart(*this);
  const auto sets = series_->barSets();
  for (qsizetype kind = 0; kind < sets.size(); ++kind) {
    const QColor color = theme.classes[kind];
    sets[kind]->setPen(Qt::NoPen);
    sets[kind]->setColor(picked_ ? mixColors(color, theme.plot, 0.18) : color);
    sets[kind]->setSelectedColor(color);
    sets[kind]->deselectAllBars();
    for (std::size_t bin = 0; bin < histogram_.bins.size(); ++bin) {
      if (isPicked(bin)) sets[kind]->selectBar(static_cast<int>(bin));
    }
  }
  viewport()->update();
}

void HistogramView::drawForeground(QPainter* painter, const QRectF&) {
  const Theme& theme = Theme::current();
  painter->save();
  painter->setBrush(Qt::NoBrush);
  if (histogram_.bins.empty()) {
    painter->setFont(font());
    painter->setPen(theme.mutedText);
    const QString text = !state_->run() ? tr("Open a model to see how large its buffers are")
                                        : tr("No buffer lives in these steps");
    painter->drawText(viewport()->rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap,
                      text);
  }
  for (std::size_t bin = 0; bin < histogram_.bins.size(); ++bin) {
    const QRect box = binRect(bin);
    const bool chosen = hasFocus() && cursor_ == bin;
    painter->setPen(QPen(theme.selection, 2));
    if (isPicked(bin))
      painter->drawLine(box.left(), box.bottom() + 1, box.right(), box.bottom() + 1);
    painter->setPen(QPen(chosen ? theme.selection : theme.hover, 1));
    if (chosen || hovered_ == bin) painter->drawRect(box.adjusted(0, 0, -1, 0));
  }
  painter->setPen(theme.selection);
  if (hasFocus()) painter->drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
  painter->restore();
}

}  // namespace hw
