#include "widgets/charts/bar_chart.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QGraphicsLayout>
#include <QHelpEvent>
#include <QHorizontalStackedBarSeries>
#include <QToolTip>
#include <QValueAxis>
#include <algorithm>
#include <cmath>

#include "widgets/canvas/plot_frame.h"
#include "widgets/charts/bare_chart.h"
#include "widgets/theme.h"

namespace hw {
namespace {

constexpr int kTopMargin = 4;
constexpr int kBottomMargin = 4;
constexpr int kMostNameWidth = 300;
/// Of a row's height.
constexpr double kBarShare = 0.62;

}  // namespace

BarChart::BarChart(QWidget* parent)
    : QChartView(new QChart, parent),
      series_(new QHorizontalStackedBarSeries(this)),
      names_(new QBarCategoryAxis(this)),
      values_(new QValueAxis(this)) {
  makeBare(*this);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
  chart()->addSeries(series_);
  chart()->addAxis(names_, Qt::AlignLeft);
  chart()->addAxis(values_, Qt::AlignBottom);
  series_->attachAxis(names_);
  series_->attachAxis(values_);
  series_->setBarWidth(kBarShare);
  // Names and figures are written by us: each beside its bar, and none over another.
  names_->setVisible(false);
  values_->setVisible(false);
  applyTheme();
}

void BarChart::setBars(std::vector<Bar> bars) {
  bars_ = std::move(bars);
  current_ = std::min(current_, static_cast<int>(bars_.size()) - 1);
  series_->clear();
  names_->clear();
  QBarSet* sets[] = {new QBarSet({}), new QBarSet({}), new QBarSet({})};
  QStringList names;
  double most = 0;
  // The axis counts from the bottom.
  for (std::size_t i = bars_.size(); i > 0; --i) {
    const Bar& bar = bars_[i - 1];
    for (int kind = 0; kind < 3; ++kind) {
      *sets[kind] << (kind == static_cast<int>(bar.kind) ? bar.value.value_or(0) : 0);
    }
    names.append(QString::number(i));
    most = std::max({most, bar.value.value_or(0), bar.mark.value_or(0)});
  }
  for (QBarSet* set : sets) series_->append(set);
  names_->append(names);
  values_->setRange(0, most > 0 ? most : 1);
  applyTheme();
  chart()->setPlotArea(plotRect());
  updateGeometry();
  viewport()->update();
}

void BarChart::setCurrent(int index) {
  current_ = index;
  viewport()->update();
}

void BarChart::applyTheme() {
  const Theme& theme = Theme::current();
  setBackgroundBrush(theme.plot);
  const QColor colors[] = {theme.highWater, theme.lowerBound, theme.hatch};
  const auto sets = series_->barSets();
  for (qsizetype i = 0; i < sets.size(); ++i) {
    QColor color = colors[i];
    color.setAlpha(theme.dark ? 150 : 130);
    sets[i]->setBrush(color);
    sets[i]->setPen(Qt::NoPen);
  }
}

int BarChart::rowHeight() const { return fontMetrics().height() + 6; }

int BarChart::nameWidth() const {
  int width = 40;
  for (const Bar& bar : bars_) width = std::max(width, fontMetrics().horizontalAdvance(bar.name));
  return std::min({width + 14, kMostNameWidth, std::max(60, viewport()->width() / 3)});
}

QSize BarChart::sizeHint() const {
  return {480, static_cast<int>(bars_.size()) * rowHeight() + kTopMargin + kBottomMargin};
}

/// Room for the largest figure at the right.
QRect BarChart::plotRect() const {
  int figure = 0;
  for (const Bar& bar : bars_) {
    if (!bar.value) continue;
    figure = std::max(figure, fontMetrics().horizontalAdvance(bar.text));
  }
  const int left = nameWidth();
  const int height = static_cast<int>(bars_.size()) * rowHeight();
  return {left, kTopMargin, std::max(20, viewport()->width() - left - figure - 22),
          std::max(1, height)};
}

QRectF BarChart::bandOf(int index) const {
  const QRect plot = plotRect();
  return {0, plot.top() + static_cast<double>(index) * rowHeight(),
          static_cast<double>(viewport()->width()), static_cast<double>(rowHeight())};
}

double BarChart::toX(double value) const {
  const QRect plot = plotRect();
  return plot.left() + value / values_->max() * plot.width();
}

QRectF BarChart::barRect(int index) const {
  const Bar& bar = bars_[static_cast<std::size_t>(index)];
  if (!bar.value) return {};
  const QRectF band = bandOf(index);
  const double inset = band.height() * (1 - kBarShare) / 2;
  return {toX(0), band.top() + inset, toX(*bar.value) - toX(0), band.height() - 2 * inset};
}

int BarChart::indexAt(double y) const {
  const int index = static_cast<int>(std::floor((y - plotRect().top()) / rowHeight()));
  return index >= 0 && index < static_cast<int>(bars_.size()) ? index : -1;
}

void BarChart::drawBackground(QPainter* painter, const QRectF& rect) {
  QChartView::drawBackground(painter, rect);
  if (current_ < 0) return;
  QColor band = Theme::current().selection;
  band.setAlpha(hasFocus() ? 70 : 40);
  painter->fillRect(bandOf(current_), band);
}

void BarChart::drawForeground(QPainter* painter, const QRectF&) {
  const Theme& theme = Theme::current();
  painter->save();
  painter->setFont(font());
  const QRect plot = plotRect();
  painter->setPen(theme.axis);
  painter->drawLine(plot.topLeft(), plot.bottomLeft());
  for (int index = 0; index < static_cast<int>(bars_.size()); ++index) {
    const Bar& bar = bars_[static_cast<std::size_t>(index)];
    const QRectF band = bandOf(index);
    painter->setPen(bar.kind == Bar::Kind::failed ? theme.mutedText : theme.text);
    const QRectF name(8, band.top(), plot.left() - 14, band.height());
    painter->drawText(
        name, Qt::AlignLeft | Qt::AlignVCenter,
        fontMetrics().elidedText(bar.name, Qt::ElideRight, static_cast<int>(name.width())));
    const double end = bar.value ? toX(std::max(*bar.value, bar.mark.value_or(0))) : plot.left();
    const QRectF figure(end + 6, band.top(), viewport()->width() - end - 8, band.height());
    painter->drawText(
        figure, Qt::AlignLeft | Qt::AlignVCenter,
        fontMetrics().elidedText(bar.text, Qt::ElideRight, static_cast<int>(figure.width())));
    if (!bar.mark) continue;
    painter->setPen(QPen(theme.lowerBound, 2));
    const double x = toX(*bar.mark);
    painter->drawLine(QPointF(x, band.top() + 1), QPointF(x, band.bottom() - 1));
  }
  painter->restore();
}

void BarChart::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  chart()->setPlotArea(plotRect());
}

void BarChart::choose(int index) {
  if (index < 0 || index >= static_cast<int>(bars_.size())) return;
  setCurrent(index);
  Q_EMIT chosen(index);
}

void BarChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(indexAt(event->position().y()));
}

void BarChart::mouseMoveEvent(QMouseEvent* event) { event->accept(); }

void BarChart::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

/// The scroll area around this has the wheel.
void BarChart::wheelEvent(QWheelEvent* event) { event->ignore(); }

void BarChart::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down) {
    choose(std::max(0, current_ + (event->key() == Qt::Key_Up ? -1 : 1)));
  } else {
    QWidget::keyPressEvent(event);
  }
}

void BarChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyTheme();
}

bool BarChart::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QChartView::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int index = indexAt(help->pos().y());
  if (index < 0) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), bars_[static_cast<std::size_t>(index)].toolTip, this);
  }
  return true;
}

}  // namespace hw
