#include "widgets/lanes/lanes_view.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "core/picture/axis.h"
#include "widgets/base/theme.h"
#include "widgets/map/map_colors.h"
#include "widgets/plot/axis_mouse.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"

namespace hw {

/// A step this wide has room for what happens within it.
inline constexpr double kOwnPixels = 3;

/// Draws one lane over the steps of `axis` into `row`: the times within each step where steps have
/// at least `kOwnPixels`, else the share of time of those that share a pixel.
void paintLane(QPainter& painter, const LaneStore& lanes, std::size_t lane, const QRect& row,
               const RunAxis& axis);

namespace {

constexpr double kPale = 0.35;

QColor laneColor(Lane::Kind kind, const Theme& theme) {
  switch (kind) {
    case Lane::Kind::unit:
      return theme.highWater;
    case Lane::Kind::memory:
      return theme.lowerBound;
    case Lane::Kind::copies:
      return theme.mark;
  }
  return {};
}

class LanePainter {
 public:
  LanePainter(QPainter& painter, const LaneStore& lanes, std::size_t lane, const QRect& row,
              const RunAxis& axis)
      : painter_(painter),
        lanes_(lanes),
        lane_(lane),
        row_(row),
        axis_(axis),
        strong_(laneColor(lanes.lanes()[lane].kind, Theme::current())),
        pale_(mixColors(strong_, Theme::current().plot, kPale)) {}

  void paint() const {
    if (axis_.pixelsPerUnit() >= kOwnPixels) {
      paintParts();
    } else {
      paintShares();
    }
  }

 private:
  void paintParts() const {
    const auto first = static_cast<std::int64_t>(std::floor(axis_.begin));
    const auto last =
        std::min(static_cast<std::int64_t>(std::ceil(axis_.end)), lanes_.steps().count());
    for (std::int64_t step = std::max<std::int64_t>(0, first); step < last; ++step) {
      const LaneStore::Part part = lanes_.part(lane_, Step(step));
      if (part.end <= part.begin) continue;
      const double left = axis_.toX(static_cast<double>(step) + part.begin);
      const double right = axis_.toX(static_cast<double>(step) + part.end);
      const QRectF box(left, row_.top(), std::max(1.0, right - left), row_.height());
      painter_.fillRect(box & QRectF(row_), part.decides ? strong_ : pale_);
    }
  }

  void paintShares() const {
    const auto clamped = [&](double step) {
      return Step(
          std::clamp(static_cast<std::int64_t>(step), std::int64_t{0}, lanes_.steps().count()));
    };
    for (int x = row_.left(); x <= row_.right(); ++x) {
      const Step from = clamped(std::floor(axis_.toPlace(x)));
      const Step to = std::max(clamped(std::ceil(axis_.toPlace(x + 1))), from);
      const LaneStore::Share share = lanes_.share(lane_, from, to);
      bar(x, share.busy, pale_);
      bar(x, share.deciding, strong_);
    }
  }

  void bar(int x, double share, const QColor& color) const {
    if (share <= 0) return;
    const int height = std::max(1, static_cast<int>(std::lround(share * row_.height())));
    painter_.fillRect(QRect(x, row_.bottom() + 1 - height, 1, height), color);
  }

  QPainter& painter_;
  const LaneStore& lanes_;
  std::size_t lane_;
  const QRect& row_;
  const RunAxis& axis_;
  QColor strong_;
  QColor pale_;
};

}  // namespace

void paintLane(QPainter& painter, const LaneStore& lanes, std::size_t lane, const QRect& row,
               const RunAxis& axis) {
  LanePainter(painter, lanes, lane, row, axis).paint();
}

namespace {

constexpr int kLaneHeight = 18;
constexpr int kLeastLaneHeight = 12;
constexpr int kGap = 3;
/// The row of lane `index` of `count` in `plot`.
QRect rowOf(const QRect& plot, std::size_t index, std::size_t count) {
  const auto at = [&](std::size_t i) {
    return plot.top() + static_cast<int>(static_cast<std::size_t>(plot.height()) * i / count);
  };
  return QRect(QPoint(plot.left(), at(index) + kGap), QPoint(plot.right(), at(index + 1) - 1));
}

QString shareText(double share) { return QStringLiteral("%1 %").arg(qRound(share * 100)); }

}  // namespace

LanesView::LanesView(ViewState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      lanes_(std::make_shared<const LaneStore>()),
      gantt_(std::make_shared<const GanttStore>()) {
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Lanes of the machine"));
  connect(state, &ViewState::runChanged, this, &LanesView::showRun);
  connect(state, &ViewState::axisChanged, this, &LanesView::showRun);
  connect(state, &ViewState::visibleChanged, this, &LanesView::redraw);
  connect(state, &ViewState::coloringChanged, this, &LanesView::redraw);
  const auto repaint = [this] { update(); };
  connect(state, &ViewState::momentChanged, this, repaint);
  connect(state, &ViewState::decorationChanged, this, repaint);
  connect(state, &ViewState::markedStepsChanged, this, repaint);
  connect(state, &ViewState::selectionChanged, this, repaint);
  const auto axis = [this] { return stepAxis(frame()); };
  new StepMouse(state, this, axis);
  installEventFilter(this);           // Before StepMouse: clicks on activities select.
  new StepMarker(state, this, axis);  // Last, so that it sees clicks with Ctrl first.
  showRun();
}

void LanesView::showRun() {
  const auto run = state_->run();
  const bool atOnce = !run || isSmallRun(*run);
  lanes_ = std::make_shared<const LaneStore>();
  gantt_ = std::make_shared<const GanttStore>();
  adding_.drop();
  ordering_.drop();
  const auto accept = [this](auto& place) {
    return [this, &place](auto made) {
      place = std::move(made);
      updateGeometry();
      redraw();
    };
  };
  if (inTime()) {
    ordering_.start(
        atOnce, [run] { return std::make_shared<const GanttStore>(GanttStore::of(*run)); },
        accept(gantt_));
  } else {
    const auto add = [run] {
      return run ? std::make_shared<const LaneStore>(LaneStore::of(*run))
                 : std::make_shared<const LaneStore>();
    };
    adding_.start(atOnce, add, accept(lanes_));
  }
  redraw();
}

GanttScene LanesView::ganttScene() const {
  return {.run = state_->run(),
          .store = gantt_,
          .begin = state_->visibleBegin(),
          .end = state_->visibleEnd(),
          .now = nowOf(*state_),
          .selected = state_->selectedActivity(),
          .coloring = state_->coloring(),
          .title = title_};
}

/// Rows to be read aloud: activities of every engine in the time on screen, and rates of ports.
/// Over steps there are none.
PlotRows LanesView::spokenRows() const {
  PlotRows rows{.columns = {tr("Engine"), tr("Runs"), tr("From"), tr("To")}};
  const auto run = state_->run();
  if (!run || !inTime()) return rows;
  for (std::size_t row = 0; row < gantt_->rows().size(); ++row) {
    const auto bars = gantt_->between(row, state_->visibleBegin(), state_->visibleEnd());
    for (const GanttBar& bar : bars) {
      if (rows.isFull()) return rows;
      rows.add({viewText(gantt_->rows()[row].name), viewText(barName(*run, bar)),
                timeText(bar.begin), timeText(bar.end)},
               laneRect(row));
    }
  }
  for (std::size_t port = 0; port < gantt_->ports().size(); ++port) {
    const PortLane& lane = gantt_->ports()[port];
    for (const PortStep& step : lane.between(state_->visibleBegin(), state_->visibleEnd())) {
      if (rows.isFull()) return rows;
      rows.add({viewText(lane.name()), viewText(lane.rateWords(step.bytesPerSecond())),
                timeText(step.begin), timeText(step.end)},
               laneRect(gantt_->rows().size() + port));
    }
  }
  return rows;
}

void LanesView::setTitle(const QString& title) {
  title_ = title.toStdString();
  updateGeometry();
  redraw();
}

void LanesView::redraw() {
  picture_ = {};
  update();
}

PlotFrame LanesView::frame() const {
  return PlotFrame::inside(toBox(rect()), FontRuler(fontMetrics()));
}

RunAxis LanesView::stepAxis(const PlotFrame& frame) const { return runAxis(*state_, frame.plot); }

int LanesView::heightFor(int laneHeight) const {
  if (inTime()) {
    return static_cast<int>(ganttHeight(FontRuler(fontMetrics()), *gantt_));
  }
  const int line = fontMetrics().height();
  const auto count = static_cast<int>(std::max<std::size_t>(1, lanes_->lanes().size()));
  return count * (laneHeight + kGap) + 2 * line + 20;
}

QSize LanesView::sizeHint() const { return {720, heightFor(kLaneHeight)}; }

/// Ports need not find room.
QSize LanesView::minimumSizeHint() const {
  if (!inTime()) return {240, heightFor(kLeastLaneHeight)};
  const std::vector<GanttRow>& rows = gantt_->rows();
  const GanttStore engines(rows, std::vector<std::vector<GanttBar>>(rows.size()));
  return {240, static_cast<int>(ganttHeight(FontRuler(fontMetrics()), engines))};
}

QRect LanesView::laneRect(std::size_t index) const {
  if (inTime()) return toRect(ganttRow(frame().plot, *gantt_, index));
  return rowOf(toRect(frame().plot), index, lanes_->lanes().size());
}

QString LanesView::emptyText() const {
  if (!state_->run()) return tr("Open a model to see what its machine does");
  if (adding_.isRunning() || ordering_.isRunning()) return tr("drawing\u2026");
  return tr("Nothing here is timed: a planning problem has no operators");
}

void LanesView::drawStill(QPainter& painter, const PlotFrame& frame) const {
  const Theme& theme = Theme::current();
  painter.fillRect(toRectF(frame.whole), theme.plot);
  if (!gantt_->rows().empty()) {
    PainterCanvas canvas(painter);
    const GanttScene scene = ganttScene();
    GanttDrawing(canvas, scene, frame.whole).drawStill();
    return;
  }
  if (lanes_->lanes().empty()) {
    painter.setPen(theme.mutedText);
    painter.drawText(toRectF(frame.whole), Qt::AlignCenter, emptyText());
    return;
  }
  const RunAxis axis = stepAxis(frame);
  const QFontMetrics metrics(painter.font(), painter.device());
  PainterCanvas canvas(painter);
  const QRect plot = toRect(frame.plot);
  for (const AxisTick& tick : axis.ticks(runTickSpacing(canvas.ruler(), axis.unit))) {
    const int x = qRound(axis.toX(tick.value));
    painter.fillRect(QRect(x, plot.top(), 1, plot.height()), theme.grid);
  }
  for (std::size_t lane = 0; lane < lanes_->lanes().size(); ++lane) {
    const QRect row = rowOf(plot, lane, lanes_->lanes().size());
    paintLane(painter, *lanes_, lane, row, axis);
    painter.fillRect(QRect(row.left(), row.bottom() + 1, row.width(), 1), theme.grid);
    const QString name = QString::fromStdString(lanes_->lanes()[lane].name);
    const int from = toRect(frame.whole).left();
    const QRect label(from + 4, row.top(), plot.left() - from - 10, row.height());
    painter.setPen(theme.text);
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter,
                     metrics.elidedText(name, Qt::ElideMiddle, label.width()));
  }
  drawRunTicks(canvas, frame, axis);
  const bool wide = axis.pixelsPerUnit() >= kOwnPixels;
  const std::string whose = title_.empty() ? "Machine" : title_;
  drawTitle(canvas, frame,
            whose + (wide ? "   time within each step" : "   share of the steps' time"),
            "full colour: what the step waits for");
}

void LanesView::drawMoment(QPainter& painter, const PlotFrame& frame) const {
  PainterCanvas canvas(painter);
  if (!gantt_->rows().empty()) {
    const GanttScene scene = ganttScene();
    GanttDrawing(canvas, scene, frame.whole).drawOver();
  }
  if (!lanes_->lanes().empty()) drawNow(canvas, frame, stepAxis(frame), nowOf(*state_));
}

void LanesView::paintEvent(QPaintEvent*) {
  const QSize size = this->size() * devicePixelRatioF();
  if (picture_.size() != size) {
    picture_ = QPixmap(size);
    picture_.setDevicePixelRatio(devicePixelRatioF());
    QPainter still(&picture_);
    still.setFont(font());
    drawStill(still, frame());
  }
  QPainter painter(this);
  painter.drawPixmap(0, 0, picture_);
  drawMoment(painter, frame());
  drawCardEdge(*this, painter);
}

void LanesView::renderTo(QPainter& painter, const QRect& target) {
  adding_.wait();
  ordering_.wait();
  const FontRuler ruler(painter.font(), painter.device());
  const PlotFrame frame = PlotFrame::inside(toBox(target), ruler);
  drawStill(painter, frame);
  drawMoment(painter, frame);
}

void LanesView::resizeEvent(QResizeEvent*) { redraw(); }

void LanesView::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) redraw();
}

ActivityId LanesView::activityAt(const QPoint& position) const {
  if (gantt_->rows().empty()) return {};
  QPixmap none(1, 1);
  QPainter painter(&none);
  painter.setFont(font());
  PainterCanvas canvas(painter);
  const GanttScene scene = ganttScene();
  const GanttDrawing drawing(canvas, scene, toBox(rect()));
  const GanttBar* bar = drawing.barAt({position.x() + 0.0, position.y() + 0.0});
  return bar ? bar->activity : ActivityId();
}

/// A click on an activity selects it; beside all it selects none and moves the moment.
bool LanesView::eventFilter(QObject* watched, QEvent* event) {
  if (watched != this || event->type() != QEvent::MouseButtonPress || !inTime()) {
    return QWidget::eventFilter(watched, event);
  }
  const auto* mouse = static_cast<QMouseEvent*>(event);
  if (mouse->button() != Qt::LeftButton || mouse->modifiers() != Qt::NoModifier) return false;
  const ActivityId activity = activityAt(mouse->position().toPoint());
  if (!activity) return false;
  state_->selectActivity(activity);
  return true;
}

QString LanesView::textAt(const QPoint& position) const {
  if (const ActivityId activity = activityAt(position)) {
    return activityLines(*state_->run(), activity).join(QLatin1Char('\n'));
  }
  const PlotFrame at = frame();
  const Point point{position.x() + 0.0, position.y() + 0.0};
  if (const PortLane* lane = portAt(at.plot, *gantt_, point)) {
    return portLines(*state_->run(), *lane, SimTime(std::llround(stepAxis(at).toPlace(point.x))))
        .join(QLatin1Char('\n'));
  }
  if (lanes_->lanes().empty() || !toRect(at.plot).contains(position)) return {};
  const Step step(static_cast<std::int64_t>(std::floor(stepAxis(at).toPlace(position.x()))));
  if (step < Step(0) || step >= lanes_->steps()) return {};
  const auto run = state_->run();
  const SimTime whole = lanes_->timeOf(step);
  QStringList lines{tr("step %1, %2: %3")
                        .arg(step.count())
                        .arg(opNameText(*run, run->schedule.opAt(step)), timeText(whole))};
  for (std::size_t lane = 0; lane < lanes_->lanes().size(); ++lane) {
    const SimTime busy = lanes_->busyTime(lane, step);
    if (busy == SimTime()) continue;
    const LaneStore::Part part = lanes_->part(lane, step);
    const QString name = QString::fromStdString(lanes_->lanes()[lane].name);
    lines.append(
        part.decides
            ? tr("%1 %2 (%3), the step waits for it")
                  .arg(name, timeText(busy), shareText(part.end - part.begin))
            : tr("%1 %2 (%3)").arg(name, timeText(busy), shareText(part.end - part.begin)));
  }
  return lines.join(QLatin1Char('\n'));
}

void LanesView::mouseMoveEvent(QMouseEvent* event) {
  Q_EMIT pointedAt(
      textAt(event->position().toPoint()).replace(QLatin1Char('\n'), QLatin1String(";  ")));
}

void LanesView::leaveEvent(QEvent*) { Q_EMIT pointedAt({}); }

bool LanesView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString text = textAt(help->pos());
  if (text.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), text, this);
  }
  return true;
}

}  // namespace hw
