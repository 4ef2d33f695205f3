#include "app/gui/features/scenario/session.h"

#include <QEvent>
#include <QFileInfo>

#include "app/gui/window/main_window.h"
#include "core/check/stated_run.h"
#include "core/report/explain/explain_report.h"
#include "widgets/markers/markers.h"

namespace hw {

namespace {

constexpr int kSaveDelayMilliseconds = 800;
constexpr QLatin1String kRestore("session/restore");
constexpr QLatin1String kOpening("session/opening");
constexpr QLatin1String kFacts("session/facts/");
constexpr QLatin1String kStep("session/step");
constexpr QLatin1String kEvents("session/events");
constexpr QLatin1String kInTime("session/time");
constexpr QLatin1String kBegin("session/begin");
constexpr QLatin1String kEnd("session/end");
constexpr QLatin1String kSelected("session/selected");
constexpr QLatin1String kBelow("session/below");
constexpr QLatin1String kMarkers("session/markers");

/// One text a line.
OptionTexts keptTexts(const Settings& settings) {
  OptionTexts texts;
  for (const QString& key : settings.keysOf(QStringLiteral("session/facts"))) {
    const QStringList lines = settings.value(kFacts + key, {}).toString().split(QLatin1Char('\n'));
    for (const QString& line : lines) texts[key.toStdString()].push_back(line.toStdString());
  }
  return texts;
}

QString modelOf(const OptionTexts& texts) {
  const auto model = texts.find("model");
  return model == texts.end() ? QString() : QString::fromStdString(model->second.front());
}

/// Its name wherever the studio is started the next time.
std::string wholePath(const std::string& name) {
  return QFileInfo(QString::fromStdString(name)).absoluteFilePath().toStdString();
}

}  // namespace

bool restoresSession(const Settings& settings) { return settings.value(kRestore, true).toBool(); }

void setRestoresSession(Settings& settings, bool on) { settings.setValue(kRestore, on); }

Session::Session(MainWindow* window, MarkerSet* markers)
    : QObject(window), window_(window), markers_(markers) {
  setObjectName(QStringLiteral("session"));
  delay_.setSingleShot(true);
  delay_.setInterval(kSaveDelayMilliseconds);
  connect(&delay_, &QTimer::timeout, this, &Session::save);
  const auto soon = [this] {
    if (!restoring_) delay_.start();
  };
  ViewState* state = window->state();
  connect(state, &ViewState::runChanged, this, soon);
  connect(state, &ViewState::momentChanged, this, soon);
  connect(state, &ViewState::selectionChanged, this, soon);
  connect(state, &ViewState::visibleChanged, this, soon);
  connect(state, &ViewState::axisChanged, this, soon);
  connect(window->belowState(), &ViewState::runChanged, this, soon);
  connect(markers, &MarkerSet::changed, this, soon);
  window->installEventFilter(this);
}

bool Session::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Close && !restoring_) save();
  return QObject::eventFilter(watched, event);
}

void Session::save() {
  delay_.stop();
  const ViewState& state = *window_->state();
  const auto run = state.run();
  if (!run || run->request.model == "-") return;
  Settings& settings = *window_->settings();
  RunRequest request = requestBehind(*run);
  if (!request.model.starts_with("samples:")) request.model = wholePath(request.model);
  if (!request.platform.file.empty()) request.platform.file = wholePath(request.platform.file);
  for (const auto& [name, texts] : textsOf(request)) {
    QStringList lines;
    for (const std::string& text : texts) lines.append(QString::fromStdString(text));
    settings.setValue(kFacts + QString::fromStdString(name), lines.join(QLatin1Char('\n')));
  }
  const StepPlace place = state.place();
  settings.setValue(kStep, QString::number(place.step.count()));
  settings.setValue(kEvents, place.events ? QString::number(*place.events) : QString());
  settings.setValue(kInTime, state.wantedAxis() == AxisUnit::time);
  settings.setValue(kBegin, state.visibleBegin());
  settings.setValue(kEnd, state.visibleEnd());
  settings.setValue(kSelected, state.selected()
                                   ? QString::fromStdString(run->stayName(state.selected()))
                                   : QString());
  const auto below = window_->belowState()->run();
  settings.setValue(kBelow,
                    below ? QString::fromStdString(below->request.allocator.text()) : QString());
  settings.setValue(kMarkers, markers_->save());
}

void Session::restore() {
  Settings& settings = *window_->settings();
  const OptionTexts texts = keptTexts(settings);
  const QString model = modelOf(texts);
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
  connect(window_->job(), &Job::ended, this, &Session::reopened, Qt::SingleShotConnection);
  RunRequest request = defaultRequest();
  lost_.clear();
  for (const Error& error : readOptions(texts, request, "")) {
    lost_.append(QString::fromStdString(error.text()));
  }
  window_->open(request);
}

void Session::reopened() {
  if (!restoring_) return;
  restoring_ = false;
  window_->settings()->setValue(kOpening, {});
  window_->settings()->sync();
  const auto run = window_->state()->run();
  const QString model = modelOf(keptTexts(*window_->settings()));
  if (!run || run->request.model != model.toStdString()) return;
  goTo();
  if (lost_.isEmpty()) return;
  window_->messages()->showNote(
      tr("Not all is as it was the last time: %1.").arg(lost_.join(QStringLiteral("; "))));
}

void Session::goTo() {
  const Settings& settings = *window_->settings();
  ViewState& state = *window_->state();
  const QString tensor = settings.value(kSelected, {}).toString();
  const QString below = settings.value(kBelow, {}).toString();
  state.setAxis(settings.value(kInTime, false).toBool() ? AxisUnit::time : AxisUnit::step);
  const double begin = settings.value(kBegin, 0.0).toDouble();
  const double end = settings.value(kEnd, 0.0).toDouble();
  StepPlace place{.step = Step(settings.value(kStep, 0).toLongLong())};
  bool counted = false;
  const auto events = settings.value(kEvents, {}).toString().toULongLong(&counted);
  if (counted) place.events = events;
  markers_->restore(settings.value(kMarkers, {}).toList());
  if (place.step >= Step() && place.step < state.steps()) state.goTo(place);
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
  RunRequest request = run->request;
  request.allocator = *choice;
  below_.start([model = run->model,
                request](const JobContext& context) { return execute(model, request, context); },
               [this, model = run->model](const auto& below) -> JobEnd {
                 const auto now = window_->state()->run();
                 if (below && now && now->model == model) window_->showBelow(*below);
                 return {};
               });
}

}  // namespace hw
