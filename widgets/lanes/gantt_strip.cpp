#include "widgets/lanes/gantt_strip.h"

#include <QPainter>

#include "core/picture/axis.h"
#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"

namespace hw {

GanttStrip::GanttStrip(QWidget* parent) : QWidget(parent) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Engines of the machine in time"));
}

void GanttStrip::setRun(std::shared_ptr<const Run> run, SimTime end, SimTime mark) {
  scene_ = {};
  if (run && isTimed(*run)) {
    scene_ = GanttScene::whole(std::move(run));
    scene_.end = std::max(scene_.end, static_cast<double>(end.count()));
    scene_.now.marks = {static_cast<double>(mark.count())};
  }
  updateGeometry();
  update();
}

QSize GanttStrip::sizeHint() const {
  const std::size_t rows = scene_.store ? scene_.store->rows().size() : 2;
  return {300, static_cast<int>(ganttHeight(FontRuler(fontMetrics()), rows))};
}

void GanttStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (!scene_.run) {
    painter.fillRect(rect(), Theme::current().plot);
    return;
  }
  PainterCanvas canvas(painter);
  drawGantt(canvas, scene_, toBox(rect()));
}

}  // namespace hw
