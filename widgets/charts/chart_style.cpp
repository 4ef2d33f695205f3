#include "widgets/charts/chart_style.h"

#include <QAbstractBarSeries>
#include <QGraphicsLayout>
#include <QLegend>
#include <cmath>

#include "core/base/text.h"
#include "widgets/base/theme.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// The least share of an axis between two marks.
constexpr double kShare = 0.2;

/// The least of 1, 2, 5 times a power of ten that is not below `wanted`.
double roundDistance(double wanted) {
  double power = std::pow(10, std::floor(std::log10(std::max(wanted, 1e-12))));
  for (;; power *= 10) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor * power >= wanted * (1 - 1e-9)) return factor * power;
    }
  }
}

}  // namespace

void styleChart(QChartView& view) {
  const Theme& theme = Theme::current();
  view.setFrameShape(QFrame::NoFrame);
  view.setRubberBand(QChartView::NoRubberBand);
  view.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view.setBackgroundBrush(theme.plot);
  QChart* chart = view.chart();
  chart->layout()->setContentsMargins(0, 0, 0, 0);
  chart->setMargins(QMargins(6, 2, 12, 2));
  chart->setBackgroundVisible(false);
  chart->setTitleBrush(theme.text);
  QFont bold = view.font();
  bold.setBold(true);
  chart->setTitleFont(bold);
  chart->legend()->setAlignment(Qt::AlignTop);
  chart->legend()->setLabelBrush(theme.text);
  chart->legend()->setFont(view.font());
  for (QAbstractAxis* axis : chart->axes()) {
    axis->setLabelsBrush(theme.axis);
    axis->setLabelsFont(view.font());
    axis->setGridLinePen(QPen(theme.grid, 1));
    axis->setLinePen(QPen(theme.axis, 1));
  }
}

void setChartMotion(const QWidget& parent, bool moving) {
  for (const auto* view : parent.findChildren<QChartView*>()) {
    // Curves of thousands of points would not keep up.
    if (!qobject_cast<QAbstractBarSeries*>(view->chart()->series().value(0))) continue;
    view->chart()->setAnimationDuration(200);
    view->chart()->setAnimationOptions(moving ? QChart::SeriesAnimations : QChart::NoAnimation);
  }
}

void setTicks(QCategoryAxis& axis, double low, double high, const std::vector<AxisTick>& ticks) {
  for (const QString& label : axis.categoriesLabels()) axis.remove(label);
  axis.setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
  axis.setStartValue(low);
  for (const AxisTick& tick : ticks) axis.append(viewText(tick.label), tick.value);
  axis.setRange(low, high);
}

std::vector<AxisTick> byteTicks(double low, double high) {
  return ByteAxis{low, high}.ticks(kShare);
}

std::vector<AxisTick> numberTicks(double low, double high, double unit, std::string_view name) {
  const double distance = roundDistance(kShare * (high - low) / unit);
  std::vector<AxisTick> ticks;
  for (double at = std::ceil(low / unit / distance) * distance; at * unit <= high; at += distance) {
    const QString text =
        std::abs(at) < distance / 2
            ? QStringLiteral("0")
            : QStringLiteral("%1 %2").arg(at, 0, 'g', 4).arg(viewText(name)).trimmed();
    ticks.push_back({at * unit, text.toStdString()});
  }
  return ticks;
}

std::vector<AxisTick> timeTicks(double high, double second) {
  std::size_t name = kTimeUnits.size() - 1;
  double unit = second;
  for (; high < unit && name > 0; --name) unit /= 1000;
  return numberTicks(0, high, unit, kTimeUnits[name]);
}

}  // namespace hw
