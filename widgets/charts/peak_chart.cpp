#include "widgets/charts/peak_chart.h"

#include <QMenu>
#include <QValueAxis>

#include "core/base/text.h"
#include "widgets/canvas/reference_lines.h"
#include "widgets/charts/series_style.h"
#include "widgets/compare/run_label.h"

namespace hw {

namespace {

QList<QPointF> toList(const std::vector<QPointF>& points) {
  return QList<QPointF>(points.begin(), points.end());
}

}  // namespace

PeakChart::PeakChart(ViewState* state, PoolId pool, QWidget* parent)
    : StepChart(state, parent),
      pool_(pool),
      live_(addLine()),
      highWater_(addLine()),
      capacity_(addLine()),
      bound_(addLine()),
      poolButton_(new QToolButton(this)) {
  setAccessibleName(tr("Peak memory chart"));
  buildPoolButton();
  applyTheme();
  const auto repaint = [this] { viewport()->update(); };
  connect(state, &ViewState::runChanged, this, &PeakChart::showRun);
  connect(state, &ViewState::visibleChanged, this, &PeakChart::showVisible);
  connect(state, &ViewState::momentChanged, this, repaint);
  connect(state, &ViewState::decorationChanged, this, repaint);
  connect(state, &ViewState::markedStepsChanged, this, repaint);
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
  const auto run = state_->run();
  poolButton_->setVisible(run && usedPools(*run).size() > 1);
  if (!poolButton_->isVisibleTo(this)) return;
  const QRect title = frame().title;
  QFont bold = font();
  bold.setBold(true);
  const int left = title.left() + QFontMetrics(bold).horizontalAdvance(heading()) + 6;
  poolButton_->setGeometry(left, title.top(), title.height(), title.height());
}

QString PeakChart::heading() const {
  const auto run = state_->run();
  if (!run || !run->problem.pools.contains(pool_)) return {};
  const QString pool = QString::fromStdString(run->problem.pools[pool_].name);
  return tr("%1   bytes in use and high water").arg(pool);
}

void PeakChart::applyTheme() {
  const Theme& theme = Theme::current();
  setBackgroundBrush(theme.plot);
  live_->setPen(QPen(theme.live, 1));
  highWater_->setPen(QPen(theme.highWater, 1.5));
  using Kind = ReferenceLine::Kind;
  const LineStyle capacity = lineStyle(Kind::capacity, theme);
  capacity_->setPen(QPen(capacity.color, capacity.width, capacity.dashes));
  const LineStyle bound = lineStyle(Kind::lowerBound, theme);
  bound_->setPen(QPen(bound.color, bound.width, bound.dashes));
  picture_ = {};
  for (std::size_t i = 0; i < compared_.size(); ++i) {
    compared_[i].line->setPen(seriesPen(i + 1, theme));
  }
}

void PeakChart::setCompared(std::vector<std::shared_ptr<const Run>> runs) {
  for (const Compared& one : compared_) removeLine(one.line);
  compared_.clear();
  for (auto& run : runs) {
    compared_.push_back({.run = std::move(run), .line = addLine()});
  }
  applyTheme();
  showRun();
}

/// All that is drawn has one scale.
void PeakChart::fitHeight() {
  const auto run = state_->run();
  double top = run && run->problem.pools.contains(pool_) ? fullByteRange(*run, pool_) : 1;
  for (Compared& one : compared_) {
    const bool known = one.run->problem.pools.contains(pool_);
    one.curve = known ? StairCurve(highWaterCurve(*one.run, pool_)) : StairCurve();
    if (known) top = std::max(top, fullByteRange(*one.run, pool_));
  }
  y_->setRange(0, top);
}

void PeakChart::setPool(PoolId pool) {
  if (pool == pool_) return;
  pool_ = pool;
  showRun();
}

void PeakChart::showRun() {
  const auto run = state_->run();
  const bool known = run && run->problem.pools.contains(pool_);
  curves_ = {};
  fitHeight();
  placePoolButton();
  const auto add = [run, known, pool = pool_] {
    if (!known) return Curves();
    return Curves{StairCurve(liveCurve(*run, pool)), StairCurve(highWaterCurve(*run, pool))};
  };
  adding_.start(!known || isSmallRun(*run), add, [this](Curves curves) {
    curves_ = std::move(curves);
    showVisible();
  });
  if (isLoading()) showVisible();
}

void PeakChart::showVisible() {
  const double begin = state_->visibleBegin();
  const double end = state_->visibleEnd();
  showSteps();
  live_->replace(toList(curves_.live.stairs(begin, end, kMostPoints)));
  highWater_->replace(toList(curves_.highWater.stairs(begin, end, kMostPoints)));
  for (const Compared& one : compared_) {
    one.line->replace(toList(one.curve.stairs(begin, end, kMostPoints)));
  }
  showLines();
  picture_ = {};
  viewport()->update();
}

void PeakChart::showLines() {
  capacity_->clear();
  bound_->clear();
  const auto run = state_->run();
  if (!run || !run->problem.pools.contains(pool_)) return;
  for (const ReferenceLine& line : referenceLines(*run, pool_)) {
    const auto bytes = static_cast<double>(line.bytes.count());
    if (bytes > y_->max()) continue;
    const QList<QPointF> points{{state_->visibleBegin(), bytes}, {state_->visibleEnd(), bytes}};
    if (line.kind == ReferenceLine::Kind::capacity) capacity_->replace(points);
    if (line.kind == ReferenceLine::Kind::lowerBound) bound_->replace(points);
  }
}

ByteAxis PeakChart::byteAxis() const {
  const QRect plot = plotRect();
  return {y_->min(), y_->max(), static_cast<double>(plot.top() + plot.height()),
          -static_cast<double>(plot.height())};
}

void PeakChart::resizeEvent(QResizeEvent* event) {
  StepChart::resizeEvent(event);
  picture_ = {};
  placePoolButton();
}

/// The curves are drawn once, and the playhead over their picture.
void PeakChart::paintEvent(QPaintEvent*) {
  const QSize size = viewport()->size() * devicePixelRatioF();
  if (picture_.size() != size) {
    picture_ = QPixmap(size);
    picture_.setDevicePixelRatio(devicePixelRatioF());
    QPainter painter(&picture_);
    render(&painter, viewport()->rect(), viewport()->rect());
  }
  QPainter painter(viewport());
  painter.drawPixmap(0, 0, picture_);
  drawNow(painter);
}

void PeakChart::renderTo(QPainter& painter, const QRect& target) {
  adding_.wait();
  painter.save();
  render(&painter, target, viewport()->rect());
  painter.translate(target.topLeft());
  drawNow(painter);
  painter.restore();
}

void PeakChart::drawNow(QPainter& painter) const {
  const auto run = state_->run();
  if (!run || !run->problem.pools.contains(pool_)) return;
  drawMoment(painter);
}

/// The area below the curve, a rectangle a stair: filling one polygon of thousands of corners takes
/// Qt seconds.
void PeakChart::drawArea(QPainter& painter) const {
  QColor fill = Theme::current().live;
  fill.setAlpha(Theme::current().dark ? 90 : 110);
  const StepAxis x = stepAxis();
  const ByteAxis y = byteAxis();
  const QList<QPointF> points = live_->points();
  for (qsizetype i = 1; i < points.size(); ++i) {
    if (points[i].y() != points[i - 1].y()) continue;
    const QPointF top(x.toX(points[i - 1].x()), y.toPixel(points[i].y()));
    painter.fillRect(QRectF(top, QPointF(x.toX(points[i].x()), y.toPixel(0))), fill);
  }
}

void PeakChart::drawBackground(QPainter* painter, const QRectF& rect) {
  QChartView::drawBackground(painter, rect);
  const QRect plot = plotRect();
  painter->save();
  drawStepGrid(*painter);
  for (const AxisTick& tick : byteAxis().ticks(byteTickSpacing(fontMetrics()))) {
    const int y = qRound(byteAxis().toPixel(tick.value));
    painter->drawLine(plot.left(), y, plot.right(), y);
  }
  painter->setRenderHint(QPainter::Antialiasing, false);
  drawArea(*painter);
  painter->restore();
}

void PeakChart::drawForeground(QPainter* painter, const QRectF&) {
  painter->save();
  painter->setFont(font());
  painter->setRenderHint(QPainter::Antialiasing, false);
  const PlotFrame frame = this->frame();
  painter->setPen(Theme::current().grid);
  painter->setBrush(Qt::NoBrush);
  painter->drawRect(frame.plot.adjusted(-1, -1, 0, 0));
  if (state_->run() && state_->run()->problem.pools.contains(pool_)) {
    drawByteTicks(*painter, frame, byteAxis());
    drawStepTicks(*painter, frame, stepAxis());
    drawPeak(*painter);
    drawHeading(*painter, frame);
  }
  painter->restore();
}

/// A dot on the first step that reaches the most live bytes, and its size beside it.
void PeakChart::drawPeak(QPainter& painter) const {
  const StepFunction::Piece* peak = curves_.live.peak();
  if (!peak) return;
  const QRect plot = plotRect();
  const auto step = static_cast<double>(peak->from.count());
  const double x = stepAxis().toX(step + 0.5);
  if (x < plot.left() || x > plot.right()) return;
  const double y = byteAxis().toPixel(static_cast<double>(peak->value.count()));
  const QString text = tr("peak %1 at step %2")
                           .arg(QString::fromStdString(formatBytes(peak->value)),
                                QString::fromStdString(groupDigits(peak->from.count())));
  const QFontMetricsF metrics(painter.font(), painter.device());
  const double width = metrics.horizontalAdvance(text);
  const bool atLeft = x + width + 14 > plot.right();
  drawHaloText(painter, {atLeft ? x - width - 8 : x + 8, y + metrics.ascent() + 3}, text,
               Theme::current().text);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Theme::current().text);
  painter.setPen(Qt::NoPen);
  painter.drawEllipse(QPointF(x, y), 3, 3);
  painter.setRenderHint(QPainter::Antialiasing, false);
}

/// The title, and at its right end what each curve is: a legend that covers nothing.
void PeakChart::drawHeading(QPainter& painter, const PlotFrame& frame) const {
  const Theme& theme = Theme::current();
  drawTitle(painter, frame, heading(), {});
  struct LegendEntry {
    QString name;
    QPen pen;
    bool shown;
  };
  std::vector<LegendEntry> entries{
      {tr("lower bound"), bound_->pen(), bound_->count() > 0},
      {tr("capacity"), capacity_->pen(), capacity_->count() > 0},
      {compared_.empty() ? tr("high water") : tr("A"), highWater_->pen(), true},
      {tr("in use"), QPen(theme.live, 5), true}};
  for (std::size_t i = 0; i < compared_.size(); ++i) {
    // Before A's, since they are written from the right.
    const QString letter = runLetter(i + 1);
    entries.insert(entries.begin() + 2, {letter, compared_[i].line->pen(), true});
  }
  const QFontMetrics metrics(painter.font(), painter.device());
  constexpr int kSample = 22;
  const int least = frame.title.left() + frame.title.width() / 3;
  int right = frame.title.right();
  for (const auto& entry : entries) {
    if (!entry.shown) continue;
    const int width = metrics.horizontalAdvance(entry.name);
    if (right - width - kSample < least) break;
    painter.setPen(theme.text);
    painter.drawText(QRect(right - width, frame.title.top(), width + 1, frame.title.height()),
                     Qt::AlignVCenter, entry.name);
    painter.setPen(entry.pen);
    const int middle = frame.title.center().y();
    painter.drawLine(right - width - kSample, middle, right - width - 5, middle);
    right -= width + kSample + 14;
  }
}

}  // namespace hw
