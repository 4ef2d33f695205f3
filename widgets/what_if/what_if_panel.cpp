#include "widgets/what_if/what_if_panel.h"

#include <fmt/format.h>

#include <QHBoxLayout>
#include <QPainter>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/picture/axis.h"
#include "core/run/run.h"
#include "widgets/base/panel_parts.h"
#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"

namespace hw {

Result<RunRequest> whatIfRequest(const Run& run, const WhatIf& change) {
  RunRequest request = run.request;
  HW_TRY(platform, tuned(request.platform, change.tuning));
  request.platform = platform;
  if (change.l2) request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = *change.l2};
  return request;
}

Result<std::shared_ptr<const Run>> whatIf(const Run& run, const WhatIf& change,
                                          const RunContext& context) {
  HW_TRY(request, whatIfRequest(run, change));
  if (change.l2) return execute(run.model, request, context);
  return replayed(run, request.platform);
}

std::string pathShares(const Run& run) {
  const auto& path = run.timing.account.criticalPath;
  double computes = 0;
  double moves = 0;
  for (const ActivityId id : path) {
    const ActivityTime& time = run.timing.times[id];
    const auto length = static_cast<double>((time.end - time.start).count());
    const bool compute = run.timing.activities.activities[id].kind == ActivityKind::compute;
    (compute ? computes : moves) += length;
  }
  const double all = computes + moves;
  if (all <= 0) return {};
  const auto share = std::lround(computes / all * 100);
  return fmt::format("compute {} %, moves {} %, in {} activities", share, 100 - share,
                     groupDigits(static_cast<std::int64_t>(path.size())));
}

GanttStrip::GanttStrip(QWidget* parent) : QWidget(parent) {
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Engines of the machine in time"));
}

void GanttStrip::setRun(std::shared_ptr<const Run> run, SimTime end, SimTime mark) {
  scene_ = {};
  if (run && isTimed(*run)) {
    scene_ = GanttScene::whole(std::move(run), GanttRows::engines);
    scene_.end = std::max(scene_.end, static_cast<double>(end.count()));
    scene_.now.marks = {static_cast<double>(mark.count())};
  }
  updateGeometry();
  update();
}

QSize GanttStrip::sizeHint() const {
  const GanttStore& store = scene_.store ? *scene_.store : GanttStore();
  return {300, static_cast<int>(ganttHeight(FontRuler(fontMetrics()), store))};
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

namespace {

/// While a slider moves, nothing is worked out until it has rested so long.
constexpr int kRestMilliseconds = 40;
constexpr int kRestToPlanMilliseconds = 250;
/// Positions of a slider either side of what the machine has: eighths of a doubling.
constexpr int kReach = 24;
constexpr double kPerDoubling = 8;
constexpr int kMostChannels = 16;
constexpr double kGrain = 1024;  ///< Of sizes.

/// With two digits that count, for nobody wants to know of 8.724 GB/s.
double rounded(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(std::max(1.0, value))) - 1);
  return std::max(1.0, std::round(value / power) * power);
}

QString rateText(double rate) {
  constexpr std::pair<double, const char*> kRates[] = {{1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}};
  for (const auto& [unit, name] : kRates) {
    if (rate >= unit)
      return QStringLiteral("%1 %2").arg(rate / unit, 0, 'g', 4).arg(QLatin1String(name));
  }
  return QStringLiteral("%1 B/s").arg(rate, 0, 'g', 4);
}

/// "+12.0 %" of what was; a dash where nothing changed.
QString changeText(double before, double now) {
  if (before == now || before <= 0) return QStringLiteral("\u2013");
  return QString::fromStdString(formatPercent(now / before - 1));
}

}  // namespace

WhatIfPanel::WhatIfPanel(ViewState* state, QWidget* parent) : QWidget(parent), state_(state) {
  setAccessibleName(tr("What if the machine were another"));
  // A low window scrolls it instead of asking for more room than a screen has.
  auto* room = new QScrollArea(this);
  room->setWidgetResizable(true);
  room->setFrameShape(QFrame::NoFrame);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(room);
  auto* content = new QWidget(room);
  room->setWidget(content);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(8, 6, 8, 6);
  layout->setSpacing(8);
  layout->addWidget(buildKnobs());
  layout->addWidget(buildFigures());
  note_ = new QLabel(this);
  note_->setObjectName(QStringLiteral("whatIfNote"));
  note_->setWordWrap(true);
  layout->addWidget(note_);
  layout->addWidget(buildButtons());
  strip_ = new GanttStrip(this);
  layout->addStretch(1);
  delay_.setSingleShot(true);
  connect(&delay_, &QTimer::timeout, this, &WhatIfPanel::work);
  connect(state, &ViewState::runChanged, this, &WhatIfPanel::showRun);
  // The panel itself is never painted: what it holds covers it whole.
  new SeenWatch(content, [this] {
    if (!asked_ && !delay_.isActive()) work();
  });
  showRun();
}

std::vector<WhatIfPanel::Knob> WhatIfPanel::knobs() {
  // An L2 without a bound is as large as what is in use of it: that can be made less.
  const auto l2 = [](const Run& run, const Tuning&) {
    const Bytes used = run.metrics.pools[PoolId(0)].peak;
    return static_cast<double>(run.problem.pools[PoolId(0)].capacity.value_or(used).count());
  };
  return {
      {.name = QStringLiteral("l2"),
       .title = tr("L2"),
       .toolTip = tr("What may be planned of L2; the model is planned again"),
       .base = l2,
       .text = [](double value) { return sizeText(Bytes(std::llround(value))); },
       .apply = [](WhatIf& to, double value) { to.l2 = Bytes(std::llround(value)); },
       .grain = kGrain},
      {.name = QStringLiteral("dma"),
       .title = tr("DMA"),
       .toolTip =
           tr("Bytes per second of the DMA engines, or where they have no bandwidth of their "
              "own, of the far memory"),
       .base = [](const Run&, const Tuning& of) { return static_cast<double>(of.dma.value_or(0)); },
       .text = rateText,
       .apply = [](WhatIf& to, double value) { to.tuning.dma = std::llround(value); }},
      {.name = QStringLiteral("channels"),
       .title = tr("Channels"),
       .toolTip = tr("Moves at once, of each DMA engine"),
       .whole = true,
       .base = [](const Run&, const Tuning& of) { return double(of.channels.value_or(0)); },
       .text = [](double value) { return QString::number(value); },
       .apply = [](WhatIf& to,
                   double value) { to.tuning.channels = static_cast<std::uint32_t>(value); }},
      {.name = QStringLiteral("macs"),
       .title = tr("MACs"),
       .toolTip = tr("Multiply-accumulates a cycle, of the unit that does most"),
       .base = [](const Run&, const Tuning& of) { return of.macs.value_or(0); },
       .text = [](double value) { return tr("%1 a cycle").arg(value, 0, 'g', 6); },
       .apply = [](WhatIf& to, double value) { to.tuning.macs = value; },
       .choices = macsChoices},
  };
}

QWidget* WhatIfPanel::buildKnobs() {
  auto* box = new QWidget(this);
  auto* grid = new QGridLayout(box);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setColumnStretch(1, 1);
  for (const Knob& knob : knobs()) addKnob(knob, grid);
  return box;
}

void WhatIfPanel::addKnob(const Knob& knob, QGridLayout* grid) {
  QWidget* box = grid->parentWidget();
  auto* title = new QLabel(knob.title, box);
  Row row{.knob = knob, .slider = new QSlider(Qt::Horizontal, box), .value = new QLabel(box)};
  row.slider->setObjectName(QStringLiteral("whatIf-") + knob.name);
  row.slider->setAccessibleName(knob.title);
  row.slider->setRange(knob.whole ? 1 : -kReach, knob.whole ? kMostChannels : kReach);
  row.slider->setPageStep(knob.whole ? 1 : 8);
  row.slider->setToolTip(knob.toolTip);
  row.slider->setMinimumWidth(40);
  title->setToolTip(knob.toolTip);
  row.value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  row.value->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("4096 a cycle")));
  const int place = grid->rowCount();
  grid->addWidget(title, place, 0);
  grid->addWidget(row.slider, place, 1);
  grid->addWidget(row.value, place, 2);
  connect(row.slider, &QSlider::valueChanged, this, &WhatIfPanel::changed);
  knobs_.push_back(std::move(row));
}

QWidget* WhatIfPanel::buildFigures() {
  auto* box = new QWidget(this);
  figures_ = new QGridLayout(box);
  figures_->setContentsMargins(0, 0, 0, 0);
  figures_->setHorizontalSpacing(8);
  figures_->setVerticalSpacing(3);
  figures_->setColumnStretch(0, 1);
  const QString heads[] = {QString(), tr("as it is"), tr("what if"), tr("change")};
  for (int column = 1; column < 4; ++column) {
    auto* head = new QLabel(heads[column], box);
    head->setEnabled(false);
    figures_->addWidget(head, 0, column, Qt::AlignRight);
    if (column == 1) asItIs_.push_back(head);
  }
  for (const QString& what : {tr("Latency"), tr("Peak of L2"), tr("Waits for reuse")}) {
    std::array<QLabel*, 4> row{};
    for (int column = 0; column < 4; ++column) {
      auto* cell = new QLabel(column == 0 ? what : QString(), box);
      row[static_cast<std::size_t>(column)] = cell;
      figures_->addWidget(cell, static_cast<int>(cells_.size()) + 1, column,
                          column == 0 ? Qt::AlignLeft : Qt::AlignRight);
    }
    QFont bold = row[2]->font();
    bold.setBold(true);
    row[2]->setFont(bold);
    row[2]->setObjectName(QStringLiteral("whatIfNow%1").arg(cells_.size()));
    asItIs_.push_back(row[1]);
    cells_.push_back(row);
  }
  return box;
}

/// A narrow dock shows what would be and how much that changes: what is stands elsewhere.
void WhatIfPanel::resizeEvent(QResizeEvent* event) {
  const int needed = fontMetrics().horizontalAdvance(tr("Waits for reuse") +
                                                     QStringLiteral("8.88 MiB8.88 MiB+88.8 %"));
  const bool roomy = width() > needed + 3 * figures_->horizontalSpacing() + 40;
  for (QLabel* label : asItIs_) label->setVisible(roomy);
  QWidget::resizeEvent(event);
}

QWidget* WhatIfPanel::buildButtons() {
  auto* box = new QWidget(this);
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  take_ = new QPushButton(tr("Take over"), box);
  take_->setObjectName(QStringLiteral("whatIfTake"));
  reset_ = new QPushButton(tr("As it is"), box);
  reset_->setObjectName(QStringLiteral("whatIfReset"));
  reset_->setToolTip(tr("Puts the sliders back"));
  row->addWidget(take_);
  row->addWidget(reset_);
  row->addStretch(1);
  connect(reset_, &QPushButton::clicked, this, &WhatIfPanel::reset);
  connect(take_, &QPushButton::clicked, this, [this] {
    if (!state_->run()) return;
    if (const auto request = whatIfRequest(*state_->run(), change())) {
      Q_EMIT machineWanted(*request);
    }
  });
  return box;
}

QSlider* WhatIfPanel::slider(const QString& name) const {
  return findChild<QSlider*>(QStringLiteral("whatIf-") + name);
}

double WhatIfPanel::valueOf(const Row& row) const {
  const int at = row.slider->value();
  if (row.knob.whole) return at;
  if (at == 0) return row.base;
  const double value = row.base * std::exp2(at / kPerDoubling);
  if (!row.choices.empty()) {
    const auto away = [&](std::int64_t choice) {
      return std::abs(std::log2(static_cast<double>(choice) / value));
    };
    return static_cast<double>(*std::ranges::min_element(row.choices, {}, away));
  }
  const double grain = row.knob.grain;
  return grain > 0 ? std::max(grain, std::round(value / grain) * grain) : rounded(value);
}

QString WhatIfPanel::textOf(const Row& row) const {
  if (row.base <= 0) return tr("none");
  const auto run = state_->run();
  const bool bounded = run && run->problem.pools[PoolId(0)].capacity;
  const bool l2 = row.knob.name == QLatin1String("l2");
  if (l2 && !bounded && row.slider->value() == 0) return tr("unlimited");
  return row.knob.text(valueOf(row));
}

WhatIf WhatIfPanel::change() const {
  WhatIf change;
  for (const Row& row : knobs_) {
    const double value = valueOf(row);
    if (row.base > 0 && value != row.base) row.knob.apply(change, value);
  }
  return change;
}

void WhatIfPanel::reset() {
  for (const Row& row : knobs_) {
    row.slider->setValue(row.knob.whole ? std::max(1, static_cast<int>(row.base)) : 0);
  }
}

void WhatIfPanel::showRun() {
  delay_.stop();
  working_.drop();
  outcome_ = nullptr;
  asked_ = false;
  setBases();
  if (isSeen(this)) work();
  showFigures();
}

void WhatIfPanel::setBases() {
  const auto run = state_->run();
  const bool timed = run && isTimed(*run);
  const Tuning tuning = timed ? tuningOf(run->request.platform) : Tuning();
  for (Row& row : knobs_) {
    row.base = timed ? row.knob.base(*run, tuning) : 0;
    row.choices = {};
    if (timed && row.knob.choices) row.choices = row.knob.choices(run->request.platform);
    row.slider->setEnabled(row.base > 0);
    row.value->setToolTip(row.base > 0 ? QString()
                                       : tr("The machine has none, or sets it no bound"));
    row.slider->blockSignals(true);
  }
  reset();
  for (const Row& row : knobs_) {
    row.slider->blockSignals(false);
    row.value->setText(textOf(row));
  }
}

void WhatIfPanel::changed() {
  for (const Row& row : knobs_) row.value->setText(textOf(row));
  outcome_ = nullptr;
  delay_.start(change().l2 ? kRestToPlanMilliseconds : kRestMilliseconds);
  showFigures();
}

void WhatIfPanel::work() {
  const auto run = state_->run();
  if (!run || !isTimed(*run)) return;
  asked_ = true;
  const WhatIf wanted = change();
  if (wanted.empty()) {
    working_.drop();
    return accept(run);
  }
  working_.start(
      false,
      [run, wanted](const std::stop_token& stop) { return whatIf(*run, wanted, {.stop = stop}); },
      [this](const Result<std::shared_ptr<const Run>>& result) { accept(result); });
  showFigures();
}

void WhatIfPanel::accept(const Result<std::shared_ptr<const Run>>& result) {
  outcome_ = result ? *result : nullptr;
  showFigures();
  if (!result) note_->setText(QString::fromStdString(result.error().text()));
}

void WhatIfPanel::fillCells(const Run& run, const Run* outcome) {
  const auto figures = [](const Run& of) {
    return std::array{static_cast<double>(of.timing.makespan.count()),
                      static_cast<double>(of.metrics.pools[PoolId(0)].peak.count()),
                      static_cast<double>(of.timing.account.reuse.waits.count())};
  };
  const auto text = [](std::size_t row, double value) {
    return row == 1 ? sizeText(Bytes(std::llround(value))) : timeText(SimTime(std::llround(value)));
  };
  const auto before = figures(run);
  for (std::size_t row = 0; row < cells_.size(); ++row) {
    cells_[row][1]->setText(text(row, before[row]));
    const double now = outcome ? figures(*outcome)[row] : 0;
    cells_[row][2]->setText(outcome ? text(row, now) : QStringLiteral("\u2026"));
    cells_[row][3]->setText(outcome ? changeText(before[row], now) : QString());
  }
}

Figure WhatIfPanel::answer() const {
  const auto run = state_->run();
  if (!run || !outcome_ || change().empty()) return {};
  const auto before = static_cast<double>(run->timing.makespan.count());
  const auto now = static_cast<double>(outcome_->timing.makespan.count());
  return {.value = before == now ? tr("the same latency")
                                 : tr("%1 latency").arg(changeText(before, now))};
}

void WhatIfPanel::showFigures() {
  Q_EMIT answered();
  const auto run = state_->run();
  const bool timed = run && isTimed(*run);
  const bool busy = working_.isRunning() || delay_.isActive();
  take_->setEnabled(timed && outcome_ && !change().empty());
  take_->setToolTip(!timed             ? tr("Open a model first")
                    : change().empty() ? tr("Drag a slider first")
                                       : tr("Plans the model for this machine"));
  reset_->setEnabled(timed && !change().empty());
  if (!timed) {
    note_->setText(run ? tr("Nothing of this run is timed: a planning problem has no operators")
                       : tr("Open a model to see what another machine would make of it"));
    for (auto& row : cells_) {
      for (std::size_t column = 1; column < row.size(); ++column) row[column]->clear();
    }
    strip_->setRun(nullptr, {}, {});
    return;
  }
  fillCells(*run, outcome_.get());
  if (!outcome_) {
    note_->setText(!busy ? QString() : change().l2 ? tr("Planning\u2026") : tr("Simulating\u2026"));
    return;
  }
  QString path = tr("Critical path: %1.").arg(QString::fromStdString(pathShares(*outcome_)));
  if (!fits(*outcome_)) path += tr(" This plan does not fit.");
  note_->setText(path);
  strip_->setRun(outcome_, run->timing.makespan, run->timing.makespan);
}

}  // namespace hw
