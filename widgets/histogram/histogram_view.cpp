#include "widgets/histogram/histogram_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "core/base/text.h"
#include "widgets/canvas/map_colors.h"
#include "widgets/panels/run_text.h"

namespace hw {
namespace {

constexpr int kBarGap = 2;

Bytes powerBytes(int power) { return Bytes(std::int64_t{1} << std::min(power, 62)); }

/// "4 KiB": a power of two without decimals.
QString powerText(int power) {
  const QString units[] = {QStringLiteral("B"),   QStringLiteral("KiB"), QStringLiteral("MiB"),
                           QStringLiteral("GiB"), QStringLiteral("TiB"), QStringLiteral("PiB"),
                           QStringLiteral("EiB")};
  return QStringLiteral("%1 %2").arg(1 << (power % 10)).arg(units[power / 10]);
}

QString grouped(std::int64_t number) { return QString::fromStdString(groupDigits(number)); }

}  // namespace

HistogramView::HistogramView(ViewState* state, QWidget* parent) : QWidget(parent), state_(state) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Histogram of sizes"));
  connect(state, &ViewState::runChanged, this, &HistogramView::showRun);
  connect(state, &ViewState::statisticsRangeChanged, this, &HistogramView::showRun);
  connect(state, &ViewState::filterChanged, this, [this] {
    if (state_->filter() != ours_) forgetPick();
    update();
  });
  showRun();
}

void HistogramView::showRun() {
  const auto run = state_->run();
  histogram_ = run ? sizeHistogram(*run, state_->statisticsRange()) : SizeHistogram();
  if (!ours_ || state_->filter() != ours_) forgetPick();
  cursor_.reset();
  hovered_.reset();
  if (picked_ && picked_->last >= histogram_.bins.size()) forgetPick();
  update();
}

void HistogramView::forgetPick() {
  picked_.reset();
  ours_ = nullptr;
}

void HistogramView::setShowsBytes(bool bytes) {
  if (bytes_ == bytes) return;
  bytes_ = bytes;
  update();
  Q_EMIT showsBytesChanged(bytes);
}

QRect HistogramView::plot() const {
  const int line = fontMetrics().height();
  const int left = fontMetrics().horizontalAdvance(QStringLiteral("8,888 KiB")) + 8;
  return rect().adjusted(left, line + 12, -10, -line - 8);
}

QRect HistogramView::binRect(std::size_t bin) const {
  const QRect area = plot();
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
  ours_ = makeFilter(tr("%1 to %2").arg(sizeText(powerBytes(from)), sizeText(powerBytes(to + 1))),
                     staysOfSize(*run, from, to));
  setAccessibleDescription(ours_->title);
  state_->setFilter(ours_);
  update();
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
  update();
}

void HistogramView::mouseReleaseEvent(QMouseEvent*) {
  const bool again = pressed_ && picked_ && before_ && picked_->first == before_->first &&
                     picked_->last == before_->last && picked_->first == picked_->last;
  pressed_.reset();
  if (again) state_->setFilter(nullptr);
}

void HistogramView::leaveEvent(QEvent*) {
  hovered_.reset();
  update();
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
  update();
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
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto bin = binAt(help->pos());
    QToolTip::showText(help->globalPos(), bin ? describe(*bin) : QString(), this);
    return true;
  }
  return QWidget::event(event);
}

QString HistogramView::describe(std::size_t bin) const {
  const SizeHistogram::Bin& shown = histogram_.bins[bin];
  return tr("%1 up to %2: %3 buffers, %4 together")
      .arg(powerText(shown.power), powerText(shown.power + 1), grouped(shown.total(false)),
           sizeText(Bytes(shown.total(true))));
}

void HistogramView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = Theme::current();
  painter.fillRect(rect(), theme.plot);
  if (histogram_.bins.empty()) {
    painter.setPen(theme.mutedText);
    const QString text = !state_->run() ? tr("Open a model to see how large its buffers are")
                                        : tr("No buffer lives in these steps");
    painter.drawText(rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap, text);
    return;
  }
  paintAxis(painter);
  paintBars(painter);
  paintHeading(painter);
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(theme.selection);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void HistogramView::paintAxis(QPainter& painter) const {
  const Theme& theme = Theme::current();
  const QRect area = plot();
  const std::int64_t most = histogram_.most(bytes_);
  int lastY = area.bottom() + 100;
  for (const int quarter : {0, 2, 4}) {
    const std::int64_t value = most / 4 * quarter + most % 4 * quarter / 4;
    const int y = area.bottom() - area.height() * quarter / 4;
    painter.setPen(theme.grid);
    painter.drawLine(area.left(), y, area.right(), y);
    if (lastY - y < fontMetrics().height()) continue;
    lastY = y;
    painter.setPen(theme.axis);
    const QString text = bytes_ ? sizeText(Bytes(value)) : grouped(value);
    painter.drawText(QRect(0, y - 10, area.left() - 6, 20), Qt::AlignRight | Qt::AlignVCenter,
                     text);
  }
  int free = 0;  // Where the next label may begin.
  painter.setPen(theme.axis);
  for (std::size_t bin = 0; bin < histogram_.bins.size(); ++bin) {
    const QString text = powerText(histogram_.bins[bin].power);
    const int width = fontMetrics().horizontalAdvance(text) + 2;
    const int left = binRect(bin).left();
    if (left < free || left + width > this->width()) continue;
    painter.drawLine(left, area.bottom() + 1, left, area.bottom() + 4);
    painter.drawText(QRect(left + 2, area.bottom() + 4, width, fontMetrics().height()),
                     Qt::AlignLeft, text);
    free = left + width + 10;
  }
}

void HistogramView::paintBars(QPainter& painter) const {
  const Theme& theme = Theme::current();
  const double most = static_cast<double>(std::max<std::int64_t>(1, histogram_.most(bytes_)));
  for (std::size_t bin = 0; bin < histogram_.bins.size(); ++bin) {
    const QRect box = binRect(bin);
    const SizeHistogram::Bin& shown = histogram_.bins[bin];
    const auto& values = bytes_ ? shown.bytes : shown.count;
    double bottom = box.bottom() + 1;
    for (std::size_t kind = 0; kind < values.size(); ++kind) {
      if (values[kind] == 0) continue;
      const double height = std::max(1.0, box.height() * static_cast<double>(values[kind]) / most);
      QColor color = theme.classes[kind];
      if (picked_ && !isPicked(bin)) color = mixColors(color, theme.plot, 0.18);
      painter.fillRect(QRectF(box.left() + kBarGap / 2.0, bottom - height,
                              std::max(1, box.width() - kBarGap), height),
                       color);
      bottom -= height;
    }
    painter.setBrush(Qt::NoBrush);
    if (isPicked(bin)) {
      painter.setPen(QPen(theme.selection, 2));
      painter.drawLine(box.left(), box.bottom() + 1, box.right(), box.bottom() + 1);
    }
    const bool marked = hovered_ == bin || (hasFocus() && cursor_ == bin);
    if (!marked) continue;
    painter.setPen(QPen(hasFocus() && cursor_ == bin ? theme.selection : theme.hover, 1));
    painter.drawRect(box.adjusted(0, 0, -1, 0));
  }
}

/// What the bars count, and at the right end what their colours mean.
void HistogramView::paintHeading(QPainter& painter) const {
  const Theme& theme = Theme::current();
  const QRect line(8, 4, width() - 16, fontMetrics().height());
  QString title = bytes_ ? tr("Bytes by buffer size") : tr("Buffers by size");
  if (const auto range = state_->statisticsRange()) {
    title += tr(", steps %1\u2013%2").arg(range->begin.count()).arg(range->end.count() - 1);
  }
  QFont bold = font();
  bold.setBold(true);
  painter.setFont(bold);
  painter.setPen(theme.text);
  painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, title);
  int right = line.right();
  const int least = line.left() + QFontMetrics(bold).horizontalAdvance(title) + 12;
  painter.setFont(font());
  const QString names[] = {tr("input"), tr("output"), tr("intermediate"), tr("shared")};
  for (std::size_t kind = 0; kind < 4; ++kind) {
    const bool any = std::ranges::any_of(
        histogram_.bins, [&](const SizeHistogram::Bin& bin) { return bin.count[kind] > 0; });
    const int width = fontMetrics().horizontalAdvance(names[kind]);
    if (!any) continue;
    if (right - width - 16 < least) break;
    painter.setPen(theme.mutedText);
    painter.drawText(QRect(right - width, line.top(), width + 1, line.height()), Qt::AlignVCenter,
                     names[kind]);
    painter.fillRect(right - width - 13, line.center().y() - 3, 8, 8, theme.classes[kind]);
    right -= width + 24;
  }
}

}  // namespace hw
