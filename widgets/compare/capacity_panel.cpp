#include "widgets/compare/capacity_panel.h"

#include <QEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QSignalBlocker>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "core/run/options.h"
#include "widgets/base/panel_parts.h"
#include "widgets/base/theme.h"
#include "widgets/charts/chart_style.h"
#include "widgets/compare/compare_model.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"

namespace hw {

namespace {

/// In the order of CapacityFigure.
QStringList figureNames() {
  return {CapacityChart::tr("L3 traffic"), CapacityChart::tr("Latency"),
          CapacityChart::tr("Moved to L3"), CapacityChart::tr("Peak of all pools")};
}

}  // namespace

std::optional<double> capacityFigure(const CapacityPoint& point, CapacityFigure figure) {
  if (!point.figures.fits) return {};
  const auto bytes = [](Bytes value) { return static_cast<double>(value.count()); };
  switch (figure) {
    case CapacityFigure::farTraffic:
      return bytes(point.farTraffic);
    case CapacityFigure::latency:
      if (!point.figures.latency) return {};
      return static_cast<double>(point.figures.latency->count());
    case CapacityFigure::spilled:
      return bytes(point.figures.spilled.value_or(Bytes()));
    case CapacityFigure::peak:
      break;
  }
  return bytes(point.figures.peak());
}

QString capacityFigureText(const CapacityPoint& point, CapacityFigure figure) {
  const auto value = capacityFigure(point, figure);
  if (!value)
    return point.figures.fits ? QStringLiteral("\u2013") : CapacityChart::tr("does not fit");
  const auto whole = static_cast<std::int64_t>(*value);
  return figure == CapacityFigure::latency ? timeText(SimTime(whole)) : sizeText(Bytes(whole));
}

CapacityChart::CapacityChart(QWidget* parent)
    : QChartView(new QChart, parent),
      x_(new QCategoryAxis(this)),
      y_(new QCategoryAxis(this)),
      line_(new QLineSeries(this)),
      dots_(new QScatterSeries(this)) {
  setAccessibleName(tr("Figures over the capacity of L2"));
  chart()->addAxis(x_, Qt::AlignBottom);
  chart()->addAxis(y_, Qt::AlignLeft);
  chart()->legend()->hide();
  for (QXYSeries* series : std::initializer_list<QXYSeries*>{line_, dots_}) {
    chart()->addSeries(series);
    series->attachAxis(x_);
    series->attachAxis(y_);
  }
  dots_->setMarkerSize(5);
  connect(dots_, &QScatterSeries::hovered, this, [this](const QPointF& at, bool over) {
    const Bytes capacity(static_cast<std::int64_t>(at.x()));
    const auto point = std::ranges::find(points_, capacity, &CapacityPoint::capacity);
    if (!over || point == points_.end()) return QToolTip::hideText();
    const QString figure = capacityFigureText(*point, figure_);
    QToolTip::showText(QCursor::pos(), tr("%1 at %2").arg(figure, sizeText(capacity)), this);
  });
  applyTheme();
  rebuild();
}

void CapacityChart::applyTheme() {
  const Theme& theme = Theme::current();
  styleChart(*this);
  line_->setPen(QPen(theme.highWater, 1.5));
  dots_->setBrush(theme.highWater);
  dots_->setPen(Qt::NoPen);
}

void CapacityChart::changeEvent(QEvent* event) {
  QChartView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) applyTheme();
}

void CapacityChart::setPoints(std::vector<CapacityPoint> points) {
  points_ = std::move(points);
  rebuild();
}

void CapacityChart::setFigure(CapacityFigure figure) {
  figure_ = figure;
  rebuild();
}

void CapacityChart::setPlanned(std::optional<Bytes> capacity) {
  planned_ = capacity;
  viewport()->update();
}

void CapacityChart::setPosition(Bytes capacity) {
  position_ = capacity;
  viewport()->update();
}

/// A little more than what is needed for everything, so that its mark is not at the edge.
Bytes CapacityChart::most() const {
  if (points_.empty()) return Bytes(1);
  return Bytes(points_.back().capacity.count() / 100 * 108 + 1);
}

void CapacityChart::rebuild() {
  constexpr double kPicoseconds = 1e12;  // In a second.
  QList<QPointF> stairs;
  QList<QPointF> dots;
  double top = 1;
  for (const CapacityPoint& point : points_) {
    const auto value = capacityFigure(point, figure_);
    if (!value) continue;
    const auto capacity = static_cast<double>(point.capacity.count());
    if (!stairs.isEmpty()) stairs.append({capacity, stairs.back().y()});
    stairs.append({capacity, *value});
    dots.append({capacity, *value});
    top = std::max(top, *value * 1.05);
  }
  const auto end = static_cast<double>(most().count());
  if (!stairs.isEmpty()) stairs.append({end, stairs.back().y()});
  const bool time = figure_ == CapacityFigure::latency;
  setTicks(*x_, 0, end, byteTicks(0, end));
  setTicks(*y_, 0, top, time ? timeTicks(top, kPicoseconds) : byteTicks(0, top));
  for (QAbstractAxis* axis : chart()->axes()) axis->setVisible(!points_.empty());
  chart()->setTitle(tr("%1 over the capacity of L2").arg(figureNames()[static_cast<int>(figure_)]));
  line_->replace(stairs);
  dots_->replace(dots);
  viewport()->update();
}

void CapacityChart::pick(const QPointF& at) {
  if (points_.empty()) return;
  const double bytes =
      std::clamp(chart()->mapToValue(at, line_).x(), 0.0, static_cast<double>(most().count()));
  Q_EMIT positionPicked(Bytes(static_cast<std::int64_t>(bytes)));
}

void CapacityChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) pick(event->position());
}

void CapacityChart::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) return pick(event->position());
  QChartView::mouseMoveEvent(event);  // Dots have tool tips.
}

void CapacityChart::mouseReleaseEvent(QMouseEvent* event) { event->accept(); }

void CapacityChart::wheelEvent(QWheelEvent* event) { event->ignore(); }

/// Lines down the plot, with their names: `row` 0 at its top, 1 below that.
void CapacityChart::drawForeground(QPainter* painter, const QRectF&) {
  painter->save();
  painter->setFont(font());
  PainterCanvas canvas(*painter);
  const Ruler& ruler = canvas.ruler();
  const hw::Box plot = toBox(chart()->plotArea());
  const auto mark = [&](std::optional<Bytes> at, std::string_view name, const Stroke& stroke,
                        int row) {
    if (!at || *at > most()) return;
    const QPointF on = chart()->mapToPosition({static_cast<double>(at->count()), 0}, line_);
    const double x = std::round(on.x());
    canvas.line({x, plot.top}, {x, plot.bottom()}, stroke);
    const bool atLeft = x + ruler.width(name) + 6 > plot.right();
    canvas.text(
        {atLeft ? x - 5 : x + 5, plot.top + ruler.ascent() + 3 + row * ruler.height()}, name,
        {.ink = stroke.ink, .anchor = atLeft ? Anchor::end : Anchor::start, .halo = !name.empty()});
  };
  if (points_.empty()) {
    painter->setPen(Theme::current().mutedText);
    painter->drawText(viewport()->rect().adjusted(12, 4, -12, -4),
                      Qt::AlignCenter | Qt::TextWordWrap,
                      tr("Sweep plans the model at many capacities of L2 and draws here what each "
                         "costs."));
  } else {
    mark(kneeOf(points_), "knee", {Ink::selection, 1, kDotted}, 1);
    mark(fitsFrom(points_), "fits from here on", {Ink::lowerBound, 1.5, kDashDotted}, 0);
    mark(planned_, "as planned", {Ink::capacity, 1.5, kDashed}, 2);
    mark(position_, {}, {Ink::playhead}, 0);
  }
  painter->restore();
}

namespace {

constexpr std::size_t kPoints = 33;
/// Positions of the slider: finer than pixels.
constexpr int kSliderSteps = 4'000;

/// The nearest capacity that was tried and is not larger; null when all are.
const CapacityPoint* pointAt(const std::vector<CapacityPoint>& points, Bytes capacity) {
  const CapacityPoint* found = nullptr;
  for (const CapacityPoint& point : points) {
    if (point.capacity <= capacity) found = &point;
  }
  return found;
}

}  // namespace

CapacityPanel::CapacityPanel(ViewState* state, QWidget* parent)
    : WorkPanel({.start = tr("Sweep"),
                 .progress = tr("Progress of the sweep"),
                 .stop = tr("Keeps the capacities that are done"),
                 .job = tr("Sweeping the capacity")},
                parent),
      state_(state),
      chart_(new CapacityChart(this)),
      slider_(new QSlider(Qt::Horizontal, this)),
      figure_(new QComboBox(this)),
      table_(new QTableWidget(this)),
      plan_(new QPushButton(tr("Plan with this capacity"), this)) {
  buildHead();
  buildSlider();
  table_->setObjectName(QStringLiteral("capacityTable"));
  table_->setAccessibleName(tr("Capacities that were tried"));
  dressTable(table_, 6);
  build({table_}, {figure_, slider_}, {plan_});
  connect(state, &ViewState::runChanged, this, &CapacityPanel::showRun);
  connect(chart_, &CapacityChart::positionPicked, this,
          [this](Bytes capacity) { setCapacity(alignUp(capacity, kCapacityGrain)); });
  showRun();
}

void CapacityPanel::buildHead() {
  plan_->setObjectName(QStringLiteral("capacityPlan"));
  figure_->addItems(figureNames());
  figure_->setObjectName(QStringLiteral("capacityFigure"));
  figure_->setAccessibleName(tr("What is drawn over the capacity"));
  figure_->setToolTip(
      tr("What is drawn: bytes read and written outside L2 in one run, the "
         "simulated time of one run, the sizes of what lives outside L2, or the "
         "bytes to reserve in all pools"));
  connect(plan_, &QPushButton::clicked, this, [this] { Q_EMIT capacityWanted(capacity()); });
  connect(figure_, &QComboBox::currentIndexChanged, this, [this](int index) {
    chart_->setFigure(static_cast<CapacityFigure>(index));
    showPosition();
  });
}

void CapacityPanel::buildSlider() {
  slider_->setObjectName(QStringLiteral("capacitySlider"));
  slider_->setRange(1, kSliderSteps);
  slider_->setPageStep(kSliderSteps / 20);
  slider_->setSingleStep(kSliderSteps / 200);
  slider_->setAccessibleName(tr("Capacity of L2"));
  slider_->installEventFilter(this);
  connect(slider_, &QSlider::valueChanged, this, &CapacityPanel::showPosition);
  const auto choose = [this](const QModelIndex& at) {
    setCapacity(chart_->points()[static_cast<std::size_t>(at.row())].capacity);
  };
  connect(table_, &QTableWidget::clicked, this, choose);
  connect(table_, &QTableWidget::activated, this, choose);
}

void CapacityPanel::showPoints() {
  std::vector<QStringList> rows;
  for (const CapacityPoint& point : chart_->points()) {
    QStringList row{sizeText(point.capacity)};
    for (const CapacityFigure figure :
         {CapacityFigure::farTraffic, CapacityFigure::latency, CapacityFigure::spilled}) {
      row.append(capacityFigureText(point, figure));
    }
    rows.push_back(row);
  }
  fillRows(table_, {tr("L2"), tr("Traffic"), tr("Latency"), tr("Moved to L3")}, rows);
  table_->setVisible(!rows.empty());
}

/// The window has other uses for the keys of a slider: those go to whoever has the focus.
bool CapacityPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == slider_ && event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool plain = key->modifiers() == Qt::NoModifier;
    const QList<int> own{Qt::Key_Left, Qt::Key_Right, Qt::Key_Home, Qt::Key_End};
    event->setAccepted(plain && own.contains(key->key()));
    return event->isAccepted();
  }
  return QWidget::eventFilter(watched, event);
}

CapacityPanel::Entry* CapacityPanel::entryOf(const Run& run) {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.model == run.model && sameBut(entry.request, run.request, {"l2", "time-limit"});
  });
  return found == entries_.end() ? nullptr : &*found;
}

/// With the plan on show itself, whose capacity a sweep need not have tried.
std::vector<CapacityPoint> CapacityPanel::pointsOf(const Entry& entry) const {
  std::vector<CapacityPoint> points = entry.points;
  const auto run = state_->run();
  const auto planned = run->problem.pools[PoolId(0)].capacity;
  if (!planned || points.empty() || *planned > points.back().capacity) return points;
  auto at = std::ranges::lower_bound(points, *planned, {}, &CapacityPoint::capacity);
  if (at->capacity != *planned) at = points.emplace(at);
  *at = pointOf(*run, *planned);
  return points;
}

void CapacityPanel::start() {
  const auto run = state_->run();
  if (!run || job_.isRunning()) return;
  Entry* known = entryOf(*run);
  if (known && known->whole) return;
  if (known) {
    known->points.clear();
  } else {
    entries_.push_front({.model = run->model, .request = run->request});
    if (entries_.size() > kMostEntries) entries_.pop_back();
    known = &entries_.front();
  }
  sweeping_ = known;
  failure_.clear();
  progress_->setValue(0);
  job_.start(
      [this, model = run->model, request = run->request](const JobContext& context) {
        const auto tell = [&](const CapacityPoint& point) {
          context.tell([this, point] { addPoint(point); });
        };
        return sweepCapacities(model, request, {.points = kPoints, .report = tell}, context);
      },
      [this](const auto& swept) { return finish(swept); });
}

void CapacityPanel::addPoint(const CapacityPoint& point) {
  auto& points = sweeping_->points;
  const auto at = std::ranges::lower_bound(points, point.capacity, {}, &CapacityPoint::capacity);
  points.insert(at, point);
  const auto run = state_->run();
  if (!run || entryOf(*run) != sweeping_) return;
  const Bytes position = points.size() == 1
                             ? run->problem.pools[PoolId(0)].capacity.value_or(point.capacity)
                             : capacity();
  chart_->setPoints(pointsOf(*sweeping_));
  setCapacity(position);
  refresh();
}

JobEnd CapacityPanel::finish(const Result<std::vector<CapacityPoint>>& swept) {
  const bool failed = !swept && swept.error().code != ErrorCode::stopped;
  failure_ = failed ? QString::fromStdString(swept.error().text()) : QString();
  // A stop before this is called counts, however far the sweep got.
  const bool whole = !failed && !job_.wasStopped();
  const JobEnd end{failed  ? JobState::failed
                   : whole ? JobState::done
                           : JobState::stopped,
                   failed ? failure_ : tr("%1 capacities").arg(sweeping_->points.size())};
  sweeping_->whole = whole;
  sweeping_ = nullptr;
  refresh();
  return end;
}

/// A sweep goes on while other plans of its model are looked at.
void CapacityPanel::showRun() {
  const auto run = state_->run();
  if (sweeping_ && (!run || run->model != sweeping_->model)) {
    job_.abandon();
    sweeping_ = nullptr;
  }
  std::erase_if(entries_, [&](const Entry& entry) { return !run || entry.model != run->model; });
  failure_.clear();
  const Entry* entry = run ? entryOf(*run) : nullptr;
  chart_->setPoints(entry ? pointsOf(*entry) : std::vector<CapacityPoint>());
  const auto planned = run ? run->problem.pools[PoolId(0)].capacity : std::nullopt;
  chart_->setPlanned(planned);
  setCapacity(planned.value_or(chart_->most()));
  refresh();
}

void CapacityPanel::refresh() {
  const auto run = state_->run();
  const Entry* entry = run ? entryOf(*run) : nullptr;
  const bool known = entry && entry->whole;
  const bool busy = job_.isRunning();
  const bool any = !chart_->points().empty();
  showPoints();
  showWork(run && !busy && !known,
           !run    ? tr("Open a model first")
           : busy  ? tr("A sweep is under way")
           : known ? tr("The curve is complete: it is kept for these settings")
                   : tr("Plans the model at %1 capacities of L2, in the background").arg(kPoints));
  slider_->setEnabled(any);
  slider_->setToolTip(any ? tr("The capacity to look at") : tr("Sweep first"));
  plan_->setEnabled(any);
  plan_->setToolTip(any ? tr("Plans again with as much L2 as the slider says")
                        : tr("Sweep first, then choose a capacity"));
  showPosition();
}

/// Positions of the slider are rounded; what was asked for is not.
Bytes CapacityPanel::capacity() const {
  if (slider_->value() == exactAt_ && exact_ <= chart_->most()) return exact_;
  const double share = static_cast<double>(slider_->value()) / kSliderSteps;
  const auto bytes = static_cast<std::int64_t>(share * static_cast<double>(chart_->most().count()));
  return alignUp(Bytes(std::max<std::int64_t>(1, bytes)), kCapacityGrain);
}

void CapacityPanel::setCapacity(Bytes capacity) {
  const double share =
      static_cast<double>(capacity.count()) / static_cast<double>(chart_->most().count());
  exact_ = capacity;
  exactAt_ = std::max(1, static_cast<int>(std::clamp(share, 0.0, 1.0) * kSliderSteps));
  slider_->setValue(exactAt_);
  showPosition();
}

Figure CapacityPanel::answer() const {
  Figure answer;
  const auto& points = chart_->points();
  for (const CapacityPoint& point : points) {
    if (!point.figures.fits) continue;
    answer.curve.emplace_back(static_cast<double>(point.capacity.count()),
                              static_cast<double>(point.farTraffic.count()));
  }
  if (points.empty()) return answer;
  const auto knee = kneeOf(points);
  const auto all = fitsFrom(points);
  const auto shown = knee ? knee : all;
  answer.value = knee  ? tr("%1 is the knee").arg(sizeText(*knee))
                 : all ? tr("everything fits from %1 on").arg(sizeText(*all))
                       : tr("no size was enough");
  if (!shown) return answer;
  const auto at = std::ranges::find(answer.curve, static_cast<double>(shown->count()), &QPointF::x);
  if (at != answer.curve.end()) answer.mark = static_cast<std::size_t>(at - answer.curve.begin());
  return answer;
}

void CapacityPanel::showPosition() {
  chart_->setPosition(capacity());
  const CapacityPoint* near = pointAt(chart_->points(), capacity());
  const auto row = near != nullptr ? near - chart_->points().data() : -1;
  table_->setCurrentCell(static_cast<int>(row), 0);
  if (!failure_.isEmpty()) {
    note_->setText(tr("Cannot sweep: %1").arg(failure_));
  } else if (chart_->points().empty()) {
    note_->clear();
  } else {
    const QString size = tr("L2 of %1").arg(sizeText(capacity()));
    note_->setText(!near ? tr("%1: less than any that was tried").arg(size)
                   : !near->figures.fits
                       ? tr("%1: no plan fits").arg(size)
                       : tr("%1: L3 traffic %2, latency %3, moved to L3 %4")
                             .arg(size, capacityFigureText(*near, CapacityFigure::farTraffic),
                                  capacityFigureText(*near, CapacityFigure::latency),
                                  capacityFigureText(*near, CapacityFigure::spilled)));
    slider_->setAccessibleDescription(note_->text());
  }
  note_->setToolTip(near ? tr("Figures of the nearest capacity that was tried and is not larger, "
                              "%1, which fits this one too")
                               .arg(fullSizeText(near->capacity))
                         : note_->text());
}

}  // namespace hw
