#include "widgets/charts/bare_chart.h"

#include <QGraphicsLayout>
#include <QLegend>

namespace hw {

void makeBare(QChartView& view) {
  view.setFrameShape(QFrame::NoFrame);
  view.setRubberBand(QChartView::NoRubberBand);
  view.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  view.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  QChart* chart = view.chart();
  chart->legend()->hide();
  chart->layout()->setContentsMargins(0, 0, 0, 0);
  chart->setMargins({});
  chart->setBackgroundRoundness(0);
  chart->setBackgroundBrush(Qt::NoBrush);
  chart->setBackgroundPen(Qt::NoPen);
}

}  // namespace hw
