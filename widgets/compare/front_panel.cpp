#include "widgets/compare/front_panel.h"

#include "core/base/text.h"
#include "core/report/explain/front_report.h"
#include "core/run/options.h"
#include "widgets/base/panel_parts.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {

FrontPanel::FrontPanel(ViewState* state, QWidget* parent)
    : WorkPanel({.start = tr("Draw"),
                 .progress = tr("Progress of the front"),
                 .stop = tr("Keeps the capacities that are done"),
                 .job = tr("Drawing the front")},
                parent),
      state_(state),
      chart_(new DotChart(this)),
      table_(new QTableWidget(this)) {
  chart_->setObjectName(QStringLiteral("frontChart"));
  chart_->setAccessibleName(tr("Capacity against latency; Left and Right go from plan to plan"));
  table_->setObjectName(QStringLiteral("frontTable"));
  table_->setAccessibleName(tr("Plans of the chart, the smallest memory first, then allocators"));
  dressTable(table_, 6);
  build({table_});
  connect(table_, &QTableWidget::activated, this,
          [this](const QModelIndex& at) { open(at.row()); });
  connect(state, &ViewState::runChanged, this, &FrontPanel::showRun);
  connect(chart_, &DotChart::picked, this, &FrontPanel::open);
  refresh();
}

/// The allocator, the near memory and the time given do not matter to a front.
bool FrontPanel::isCurrent(const Run& run) const {
  return run.model == model_ && sameBut(run.request, request_, {"allocator", "l2", "time-limit"});
}

void FrontPanel::start() {
  const auto run = state_->run();
  if (!run || job_.isRunning() || (front_ && whole_ && isCurrent(*run))) return;
  setFront(nullptr);
  opened_.clear();
  failure_.clear();
  whole_ = false;
  model_ = run->model;
  request_ = run->request;
  progress_->setValue(0);
  job_.start(
      [this, model = model_, request = request_, options = options_](const JobContext& context) {
        FrontOptions told = options;
        told.report = [&](const Front& so_far) {
          auto front = std::make_shared<const Front>(so_far);
          context.tell([this, front] { setFront(front); });
        };
        return makeFront(model, request, told, context);
      },
      [this](const auto& made) { return finish(made); });
}

JobEnd FrontPanel::finish(const Result<Front>& made) {
  if (!made) {
    const bool stopped = made.error().code == ErrorCode::stopped;
    failure_ = stopped ? QString() : QString::fromStdString(made.error().text());
    refresh();
    return {stopped ? JobState::stopped : JobState::failed, failure_};
  }
  whole_ = !made->stopped && !job_.wasStopped();
  setFront(std::make_shared<const Front>(*made));
  return {whole_ ? JobState::done : JobState::stopped, tr("%1 capacities").arg(made->found.size())};
}

void FrontPanel::fillTable(const FrontScene& scene) {
  std::vector<QStringList> rows;
  const auto add = [&](const QString& name, const FrontDot& dot) {
    rows.push_back({name, sizeText(dot.bytes), timeText(dot.latency)});
  };
  for (const FrontDot& dot : scene.found) add(tr("fastest found"), dot);
  for (const FrontDot& dot : scene.others) add(viewText(printable(dot.name, 60)), dot);
  fillRows(table_, {tr("Plan"), tr("L2"), tr("Latency")}, rows);
  table_->setVisible(!rows.empty());
}

void FrontPanel::setFront(std::shared_ptr<const Front> front) {
  front_ = std::move(front);
  FrontScene scene = front_ ? frontScene(*front_) : FrontScene();
  fillTable(scene);
  if (front_) {
    chart_->setScene(std::move(scene));
  } else {
    chart_->clear();
  }
  refresh();
}

/// It goes on while other plans of its model are looked at.
void FrontPanel::showRun() {
  const auto run = state_->run();
  if (model_ && (!run || run->model != model_)) {
    job_.abandon();
    opening_.drop();
    opened_.clear();
    model_ = nullptr;
    failure_.clear();
    setFront(nullptr);
  }
  refresh();
}

void FrontPanel::open(int dot) {
  if (!front_) return;
  const auto place = static_cast<std::size_t>(dot);
  const bool found = place < front_->found.size();
  const PointId key(found, found ? place : place - front_->found.size());
  if (!found && key.second >= front_->allocators.size()) return;
  const FrontPoint* point = found ? &front_->found[key.second] : &front_->allocators[key.second];
  const auto accept = [this, key](std::shared_ptr<const Run> run) {
    opened_[key] = run;
    refresh();
    Q_EMIT runWanted(std::move(run));
  };
  if (const auto before = opened_.find(key); before != opened_.end()) {
    return accept(std::shared_ptr<const Run>(before->second));
  }
  const bool atOnce = point->run || isSmallRun(*front_->lowest);
  opening_.start(
      atOnce, [front = front_, own = *point] { return front->runOf(own); }, accept);
}

Figure FrontPanel::answer() const {
  if (!front_ || front_->found.empty()) return {};
  Figure answer;
  for (const FrontPoint& point : front_->found) {
    answer.curve.emplace_back(static_cast<double>(point.peak.count()),
                              static_cast<double>(point.latency.count()));
  }
  const FrontPoint& fastest = front_->found.back();
  answer.mark = answer.curve.size() - 1;
  answer.value = tr("%1 from %2 on").arg(timeText(fastest.latency), sizeText(fastest.peak));
  return answer;
}

/// The one whose plan is on show.
int FrontPanel::markedDot() const {
  const auto run = state_->run();
  if (!run || !front_) return DotChart::kNone;
  const auto dotOf = [this](const PointId& id) {
    return static_cast<int>(id.first ? id.second : front_->found.size() + id.second);
  };
  for (const auto& [id, opened] : opened_) {
    if (opened == run) return dotOf(id);
  }
  const auto own = std::ranges::find(front_->allocators, run, &FrontPoint::run);
  if (own == front_->allocators.end()) return DotChart::kNone;
  return dotOf({false, static_cast<std::size_t>(own - front_->allocators.begin())});
}

QString FrontPanel::emptyReason() const {
  if (!state_->run()) return tr("Open a model: how fast it can be within how much memory.");
  if (job_.isRunning()) return tr("Planning\u2026 What is found appears here as it goes.");
  if (!failure_.isEmpty()) return tr("There is no front: %1").arg(failure_);
  return tr(
      "Press Draw: the fastest plan within one capacity of the first memory after another, and "
      "what every allocator comes to.");
}

QString FrontPanel::noteText() const {
  if (!front_) return {};
  QStringList parts;
  const auto run = state_->run();
  if (run && !isCurrent(*run)) {
    parts.append(tr("Made with other settings than the plan on show: draw again"));
  }
  parts.append(tr("No plan of these stays needs less than %1, no addresses are faster than %2")
                   .arg(sizeText(front_->leastPeak), timeText(front_->leastLatency)));
  if (!whole_ && !job_.isRunning()) parts.append(tr("stopped: there would have been more"));
  return parts.join(QStringLiteral("; "));
}

void FrontPanel::refresh() {
  const auto run = state_->run();
  const bool busy = job_.isRunning();
  const bool known = front_ && whole_ && run && isCurrent(*run);
  showWork(run && !busy && !known,
           !run    ? tr("Open a model first")
           : busy  ? tr("It is being worked out")
           : known ? tr("The front is complete: it is kept for these settings")
                   : tr("Searches one capacity after another, in the background"));
  chart_->setEmptyText(emptyReason());
  const int marked = markedDot();
  chart_->setMarked(marked);
  table_->setCurrentCell(marked, 0);
  if (!busy) note_->setText(noteText());
  note_->setToolTip(note_->text());
}

}  // namespace hw
