#include "widgets/compare/front_panel.h"

#include <QVBoxLayout>

#include "core/base/text.h"
#include "core/report/explain/front_report.h"
#include "core/run/options.h"
#include "widgets/base/work_head.h"
#include "widgets/text/run_text.h"

namespace hw {

FrontPanel::FrontPanel(ViewState* state, QWidget* parent)
    : QWidget(parent),
      state_(state),
      chart_(new DotChart(this)),
      start_(new QPushButton(tr("Draw"), this)),
      stop_(new QPushButton(tr("Stop"), this)),
      progress_(new QProgressBar(this)),
      note_(new QLabel(this)) {
  setMinimumSize(320, 110);
  chart_->setObjectName(QStringLiteral("frontChart"));
  chart_->setAccessibleName(tr("Capacity against latency; Left and Right go from plan to plan"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildHead());
  layout->addWidget(chart_, 1);
  connect(state, &ViewState::runChanged, this, &FrontPanel::showRun);
  connect(chart_, &DotChart::picked, this, &FrontPanel::open);
  connect(&job_, &Job::started, this, &FrontPanel::refresh);
  connect(&job_, &Job::ended, this, &FrontPanel::refresh);
  connect(&job_, &Job::progressed, this, [this](double fraction, const QString& what) {
    progress_->setValue(qRound(fraction * progress_->maximum()));
    note_->setText(what);
  });
  refresh();
}

QWidget* FrontPanel::buildHead() {
  start_->setObjectName(QStringLiteral("frontStart"));
  stop_->setObjectName(QStringLiteral("frontStop"));
  stop_->setToolTip(tr("Keeps the capacities that are done"));
  QWidget* head = workHead(this, {start_, stop_}, progress_, tr("Progress of the front"), note_);
  connect(start_, &QPushButton::clicked, this, &FrontPanel::start);
  connect(stop_, &QPushButton::clicked, &job_, &Job::stop);
  return head;
}

/// Who plans, the near memory and the time given do not matter to a front.
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

void FrontPanel::setFront(std::shared_ptr<const Front> front) {
  front_ = std::move(front);
  if (front_) {
    chart_->setDrawing([scene = frontScene(*front_)](Canvas& canvas, const Box& where) {
      drawFront(canvas, scene, where);
    });
  } else {
    chart_->setDrawing(nullptr);
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

const FrontPoint* FrontPanel::pointOf(const QString& id) const {
  const bool found = id.startsWith(QLatin1String("found-"));
  const auto& points = found ? front_->found : front_->allocators;
  const qsizetype index = id.mid(id.indexOf(QLatin1Char('-')) + 1).toLongLong();
  return index < std::ssize(points) ? &points[static_cast<std::size_t>(index)] : nullptr;
}

void FrontPanel::open(const QString& id) {
  const FrontPoint* point = front_ ? pointOf(id) : nullptr;
  if (point == nullptr) return;
  const std::string key = id.toStdString();
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

/// The one whose plan is on show.
std::string FrontPanel::markedDot() const {
  const auto run = state_->run();
  for (const auto& [id, opened] : opened_) {
    if (run && opened == run) return id;
  }
  for (std::size_t i = 0; front_ && i < front_->allocators.size(); ++i) {
    if (run && front_->allocators[i].run == run) return "other-" + std::to_string(i);
  }
  return {};
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
  start_->setEnabled(run && !busy && !known);
  start_->setToolTip(!run    ? tr("Open a model first")
                     : busy  ? tr("It is being worked out")
                     : known ? tr("The front is complete: it is kept for these settings")
                             : tr("Searches one capacity after another, in the background"));
  stop_->setVisible(busy);
  progress_->setVisible(busy);
  chart_->setEmptyText(emptyReason());
  chart_->setMarked(markedDot());
  if (!busy) note_->setText(noteText());
  note_->setToolTip(note_->text());
}

}  // namespace hw
