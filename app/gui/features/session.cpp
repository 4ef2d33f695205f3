#include "app/gui/features/session.h"

#include <QEvent>
#include <QFileInfo>

#include "app/gui/features/marker_feature.h"
#include "app/gui/main_window.h"
#include "app/gui/scenario.h"
#include "core/report/explain_report.h"

namespace hw {

namespace {

constexpr int kDelayMilliseconds = 800;
constexpr QLatin1String kRestore("session/restore");
constexpr QLatin1String kOpening("session/opening");
constexpr QLatin1String kFacts("session/facts/");
constexpr QLatin1String kStep("session/step");
constexpr QLatin1String kBegin("session/begin");
constexpr QLatin1String kEnd("session/end");
constexpr QLatin1String kSelected("session/selected");
constexpr QLatin1String kBelow("session/below");
constexpr QLatin1String kMarkers("session/markers");

ScenarioFacts keptFacts(const Settings& settings) {
  ScenarioFacts facts;
  for (const QString& key : settings.keysOf(QStringLiteral("session/facts"))) {
    facts.insert(key, settings.value(kFacts + key, {}).toString());
  }
  return facts;
}

}  // namespace

bool restoresSession(const Settings& settings) { return settings.value(kRestore, true).toBool(); }

void setRestoresSession(Settings& settings, bool on) { settings.setValue(kRestore, on); }

Session::Session(MainWindow* window) : QObject(window), window_(window) {
  setObjectName(QStringLiteral("session"));
  delay_.setSingleShot(true);
  delay_.setInterval(kDelayMilliseconds);
  connect(&delay_, &QTimer::timeout, this, &Session::save);
  const auto soon = [this] {
    if (!restoring_) delay_.start();
  };
  ViewState* state = window->state();
  connect(state, &ViewState::runChanged, this, soon);
  connect(state, &ViewState::momentChanged, this, soon);
  connect(state, &ViewState::selectionChanged, this, soon);
  connect(state, &ViewState::visibleChanged, this, soon);
  connect(window->belowState(), &ViewState::runChanged, this, soon);
  if (MarkerSet* set = markers()) connect(set, &MarkerSet::changed, this, soon);
  window->installEventFilter(this);
}

MarkerSet* Session::markers() const {
  auto* feature = window_->findChild<MarkerFeature*>();
  return feature ? feature->markers() : nullptr;
}

bool Session::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Close && !restoring_) save();
  return QObject::eventFilter(watched, event);
}

void Session::save() {
  delay_.stop();
  const ViewState& state = *window_->state();
  const auto run = state.run();
  if (!run || window_->request().model == "-") return;
  Settings& settings = *window_->settings();
  RunRequest request = window_->request();
  const QString model = QString::fromStdString(request.model);
  if (!model.startsWith(QLatin1String("samples:"))) {
    request.model = QFileInfo(model).absoluteFilePath().toStdString();
  }
  const ScenarioFacts facts = factsOf(request);
  for (auto fact = facts.begin(); fact != facts.end(); ++fact) {
    settings.setValue(kFacts + fact.key(), fact.value());
  }
  settings.setValue(kStep, QString::number(state.step().count()));
  settings.setValue(kBegin, state.visibleBegin());
  settings.setValue(kEnd, state.visibleEnd());
  settings.setValue(kSelected, state.selected()
                                   ? QString::fromStdString(run->stayName(state.selected()))
                                   : QString());
  const auto below = window_->belowState()->run();
  settings.setValue(kBelow,
                    below ? QString::fromStdString(below->config.allocator.text()) : QString());
  if (const MarkerSet* set = markers()) settings.setValue(kMarkers, set->save());
}

void Session::restore() {
  Settings& settings = *window_->settings();
  const ScenarioFacts facts = keptFacts(settings);
  const QString model = facts.value(QStringLiteral("model"));
  if (!restoresSession(settings) || model.isEmpty()) return;
  if (settings.value(kOpening, false).toBool()) {
    settings.setValue(kOpening, {});
    window_->messages()->showNote(
        tr("%1 was not reopened: the studio ended while it was being opened the last time.")
            .arg(model));
    return;
  }
  const bool sample = model.startsWith(QLatin1String("samples:"));
  if (!sample && !QFileInfo(model).isFile()) {
    window_->messages()->showNote(tr("%1, which was open the last time, is gone.").arg(model));
    return;
  }
  restoring_ = true;
  settings.setValue(kOpening, true);
  settings.sync();
  connect(window_->job(), &PlanJob::finished, this, &Session::reopened, Qt::SingleShotConnection);
  connect(window_->job(), &PlanJob::cancelled, this, &Session::reopened, Qt::SingleShotConnection);
  window_->open(requestOf(facts));
}

void Session::reopened() {
  if (!restoring_) return;
  restoring_ = false;
  window_->settings()->setValue(kOpening, {});
  window_->settings()->sync();
  const auto run = window_->state()->run();
  const QString model = keptFacts(*window_->settings()).value(QStringLiteral("model"));
  if (run && window_->request().model == model.toStdString()) goTo();
}

void Session::goTo() {
  const Settings& settings = *window_->settings();
  ViewState& state = *window_->state();
  const QString tensor = settings.value(kSelected, {}).toString();
  const QString below = settings.value(kBelow, {}).toString();
  const double begin = settings.value(kBegin, 0.0).toDouble();
  const double end = settings.value(kEnd, 0.0).toDouble();
  const Step step(settings.value(kStep, 0).toLongLong());
  if (MarkerSet* set = markers()) set->restore(settings.value(kMarkers, {}).toList());
  if (step > Step() && step < state.steps()) state.setStep(step);
  if (end > begin) state.setVisible(begin, end);
  if (const auto id = plannedTensor(*state.run(), tensor.toStdString()); !tensor.isEmpty() && id) {
    const auto stays = staysOf(*state.run(), *id);
    if (!stays.empty()) state.select(stays.front());
  }
  if (!below.isEmpty()) planBelow(below);
}

/// In the background: the plan on show must not wait for it.
void Session::planBelow(const QString& allocator) {
  const auto choice = AllocatorChoice::parse(allocator.toStdString());
  if (!choice) return;
  const auto run = window_->state()->run();
  RunConfig config = run->config;
  config.allocator = *choice;
  auto* job = new PlanJob(this);
  connect(job, &PlanJob::finished, this, [this, job, run](const PlanOutcome& outcome) {
    const auto now = window_->state()->run();
    if (outcome.run && now && now->model == run->model) window_->showBelow(*outcome.run);
    job->deleteLater();
  });
  job->start([model = run->model, config](const RunContext& context) {
    return execute(model, config, context);
  });
}

}  // namespace hw
