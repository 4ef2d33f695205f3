#include "widgets/charts/peak_chart.h"

#include <QEvent>
#include <QMenu>

#include "widgets/base/theme.h"
#include "widgets/plot/axis_mouse.h"
#include "widgets/plot/painter_canvas.h"

namespace hw {

PeakChart::PeakChart(ViewState* state, PoolId pool, QWidget* parent)
    : QWidget(parent),
      state_(state),
      pool_(pool),
      curves_(std::make_shared<const ChartCurves>()),
      poolButton_(new QToolButton(this)) {
  setAccessibleName(tr("Peak memory chart"));
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  buildPoolButton();
  const auto repaint = [this] { update(); };
  connect(state, &ViewState::runChanged, this, &PeakChart::showRun);
  connect(state, &ViewState::axisChanged, this, &PeakChart::showRun);
  connect(state, &ViewState::visibleChanged, this, &PeakChart::redraw);
  connect(state, &ViewState::momentChanged, this, repaint);
  connect(state, &ViewState::decorationChanged, this, repaint);
  connect(state, &ViewState::markedStepsChanged, this, repaint);
  const auto axis = [this] { return runAxis(*state_, toBox(plotRect())); };
  new StepMouse(state, this, axis);
  new StepMarker(state, this, axis);  // Last, so that it sees clicks with Ctrl first.
  showRun();
}

void PeakChart::buildPoolButton() {
  poolButton_->setObjectName(QStringLiteral("chartPool"));
  poolButton_->setAutoRaise(true);
  poolButton_->setArrowType(Qt::DownArrow);
  poolButton_->setPopupMode(QToolButton::InstantPopup);
  poolButton_->setToolTip(tr("The same of another memory"));
  poolButton_->setAccessibleName(tr("Memory of the chart"));
  poolButton_->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  auto* menu = new QMenu(poolButton_);
  connect(menu, &QMenu::aboutToShow, this, &PeakChart::fillPools);
  poolButton_->setMenu(menu);
  poolButton_->hide();
}

void PeakChart::fillPools() {
  QMenu* menu = poolButton_->menu();
  menu->clear();
  const auto run = state_->run();
  if (!run) return;
  for (const PoolId pool : usedPools(*run)) {
    QAction* action = menu->addAction(QString::fromStdString(run->problem.pools[pool].name));
    action->setCheckable(true);
    action->setChecked(pool == pool_);
    connect(action, &QAction::triggered, this, [this, pool] { Q_EMIT poolWanted(pool); });
  }
}

/// Right after the title, which differs in length from run to run.
void PeakChart::placePoolButton() {
  const auto shown = scene();
  poolButton_->setVisible(shown && usedPools(*shown->run).size() > 1);
  if (!poolButton_->isVisibleTo(this)) return;
  const FontRuler ruler(font());
  const QRect title = toRect(PlotFrame::inside(toBox(whole()), ruler).title);
  const std::string heading = chartHeading(*scene(), toBox(title), ruler);
  const int left = title.left() + static_cast<int>(ruler.width(heading, true)) + 6;
  poolButton_->setGeometry(left, title.top(), title.height(), title.height());
}

void PeakChart::setCompared(std::vector<std::shared_ptr<const Run>> runs) {
  compared_ = std::move(runs);
  showRun();
}

void PeakChart::setPool(PoolId pool) {
  if (pool == pool_) return;
  pool_ = pool;
  showRun();
}

void PeakChart::showRun() {
  const auto run = state_->run();
  const bool known = run && run->problem.pools.contains(pool_);
  curves_ = std::make_shared<const ChartCurves>();
  top_ = known ? fullByteRange(*run, pool_) : 1;
  others_.clear();
  for (const auto& other : compared_) {
    const bool shares = state_->axis() == AxisUnit::time || stepsOf(*other) == state_->steps();
    const bool has = shares && other->problem.pools.contains(pool_);
    if (has) top_ = std::max(top_, fullByteRange(*other, pool_));
    others_.push_back(has ? std::make_shared<const StairCurve>(
                                StairCurve::highWater(*other, pool_, state_->axis()))
                          : nullptr);
  }
  placePoolButton();
  const auto add = [run, known, pool = pool_, unit = state_->axis()] {
    return known ? ChartCurves::of(*run, pool, unit) : std::make_shared<const ChartCurves>();
  };
  adding_.start(!known || isSmallRun(*run), add, [this](auto curves) {
    curves_ = std::move(curves);
    redraw();
  });
  redraw();
}

/// Bytes in use on screen, from each place where they change.
PlotRows PeakChart::spokenRows() const {
  PlotRows rows{.columns = {tr("From"), tr("Bytes in use")}};
  if (!state_->run() || isLoading()) return rows;
  const QRect plot = plotRect();
  const RunAxis axis = runAxis(*state_, toBox(plot));
  const auto points = curves_->live.stairs(axis.begin, axis.end, PlotRows::kMost);
  for (std::size_t i = 0; i + 1 < points.size() && !rows.isFull(); ++i) {
    if (points[i].y != points[i + 1].y) continue;  // A riser: what holds follows it.
    const int left = qRound(axis.toX(points[i].x));
    const int right = qRound(axis.toX(points[i + 1].x));
    rows.add(
        {placeText(*state_, points[i].x), sizeText(Bytes(static_cast<std::int64_t>(points[i].y)))},
        {left, plot.top(), std::max(1, right - left), plot.height()});
  }
  return rows;
}

void PeakChart::redraw() {
  picture_ = {};
  update();
}

std::optional<ChartScene> PeakChart::scene() const {
  const auto run = state_->run();
  if (!run || !run->problem.pools.contains(pool_)) return {};
  return ChartScene{.run = run,
                    .curves = curves_,
                    .pool = pool_,
                    .unit = state_->axis(),
                    .window = {state_->visibleBegin(), state_->visibleEnd(), 0, top_},
                    .now = nowOf(*state_),
                    .others = others_,
                    .button = poolButton_->isVisibleTo(this) ? poolButton_->width() + 6.0 : 0};
}

std::optional<ChartScene> PeakChart::pictureScene() const {
  auto shown = scene();
  if (shown && isLoading()) shown->curves = ChartCurves::of(*shown->run, pool_, shown->unit);
  return shown;
}

void PeakChart::setTicksShown(bool shown) {
  if (shown == ticksShown_) return;
  ticksShown_ = shown;
  updateGeometry();
  redraw();
}

QRect PeakChart::whole() const { return wholePlot(*this, ticksShown_); }

QRect PeakChart::plotRect() const {
  return toRect(PlotFrame::inside(toBox(whole()), FontRuler(font())).plot);
}

/// The curves are drawn once, and the playhead over their picture.
void PeakChart::paintEvent(QPaintEvent*) {
  const auto shown = scene();
  const QSize size = this->size() * devicePixelRatioF();
  if (picture_.size() != size) {
    picture_ = QPixmap(size);
    picture_.setDevicePixelRatio(devicePixelRatioF());
    picture_.fill(Theme::current().plot);
    QPainter still(&picture_);
    still.setFont(font());
    PainterCanvas canvas(still);
    if (shown) drawCurves(canvas, *shown, toBox(whole()));
  }
  QPainter painter(this);
  painter.drawPixmap(0, 0, picture_);
  if (!shown) return;
  PainterCanvas canvas(painter);
  const Plot plot(toBox(whole()), canvas.ruler(), shown->window, shown->unit);
  drawNow(canvas, plot.frame, plot.x, shown->now);
  drawCardEdge(*this, painter);
}

void PeakChart::resizeEvent(QResizeEvent*) {
  redraw();
  placePoolButton();
}

void PeakChart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) redraw();
}

}  // namespace hw
