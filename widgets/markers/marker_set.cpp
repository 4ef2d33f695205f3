#include "widgets/markers/marker_set.h"

#include <algorithm>

#include "core/picture/axis.h"

namespace hw {

namespace {

constexpr int kLetters = 26;

}  // namespace

MarkerSet::MarkerSet(ViewState* state, QObject* parent) : QObject(parent), state_(state) {
  connect(state, &ViewState::runChanged, this, &MarkerSet::checkRun);
  connect(state, &ViewState::axisChanged, this, &MarkerSet::tell);
}

const Marker* MarkerSet::find(int id) const {
  const auto found = std::ranges::find(markers_, id, &Marker::id);
  return found == markers_.end() ? nullptr : &*found;
}

Marker* MarkerSet::find(int id) {
  const auto found = std::ranges::find(markers_, id, &Marker::id);
  return found == markers_.end() ? nullptr : &*found;
}

double MarkerSet::positionOf(const Marker& marker) const {
  return state_->placeOf(marker.point.moment, marker.point.step);
}

std::optional<MomentDelta> MarkerSet::deltaOf(const Marker& marker) const {
  const Marker* from = find(marker.since);
  const auto run = state_->run();
  if (!from || !run) return std::nullopt;
  return momentDelta(run->trace, from->point.moment, marker.point.moment);
}

/// A to Z, then A1 and so on.
QString MarkerSet::freeName() const {
  for (int number = 0;; ++number) {
    QString name = QString(QChar(u'A' + number % kLetters));
    if (number >= kLetters) name += QString::number(number / kLetters);
    const auto taken = [&](const Marker& marker) { return marker.name == name; };
    if (std::ranges::none_of(markers_, taken)) return name;
  }
}

int MarkerSet::insert(int since) {
  if (!state_->run()) return 0;
  markers_.push_back({.id = ++lastId_,
                      .name = freeName(),
                      .point = {state_->moment(), state_->step()},
                      .since = since});
  tell();
  return lastId_;
}

int MarkerSet::add() { return insert(0); }

int MarkerSet::addDelta() { return insert(markers_.empty() ? 0 : markers_.back().id); }

void MarkerSet::remove(int id) {
  std::erase_if(markers_, [id](const Marker& marker) { return marker.id == id; });
  for (Marker& marker : markers_) {
    if (marker.since == id) marker.since = 0;
  }
  tell();
}

void MarkerSet::clear() {
  markers_.clear();
  tell();
}

void MarkerSet::rename(int id, const QString& name) {
  Marker* marker = find(id);
  const QString shown = name.simplified().left(40);
  if (!marker || shown.isEmpty()) return;
  marker->name = shown;
  tell();
}

void MarkerSet::moveTo(int id, Step step) {
  Marker* marker = find(id);
  if (!marker || !state_->run()) return;
  marker->point = pointOfStep(*state_->run(), std::clamp(step, Step(0), state_->steps() - Step(1)));
  tell();
}

void MarkerSet::goTo(int id) {
  if (const Marker* marker = find(id)) {
    state_->setMomentOf(marker->point.moment, marker->point.step);
  }
}

void MarkerSet::checkRun() {
  const auto run = state_->run();
  const auto model = run ? run->model : nullptr;
  if (model != model_) markers_.clear();
  model_ = model;
  // Another plan has other events.
  for (Marker& marker : markers_) {
    marker.point =
        pointOfStep(*run, std::clamp(marker.point.step, Step(0), state_->steps() - Step(1)));
  }
  tell();
}

void MarkerSet::tell() {
  std::vector<double> positions;
  for (const Marker& marker : markers_) positions.push_back(positionOf(marker));
  state_->setMarks(std::move(positions));
  Q_EMIT changed();
}

QVariantList MarkerSet::save() const {
  QVariantList saved;
  for (const Marker& marker : markers_) {
    const auto since = std::ranges::find(markers_, marker.since, &Marker::id);
    const qint64 index = since == markers_.end() ? -1 : since - markers_.begin();
    saved.append(QVariantMap{{QStringLiteral("name"), marker.name},
                             {QStringLiteral("moment"), qulonglong(marker.point.moment)},
                             {QStringLiteral("step"), qlonglong(marker.point.step.count())},
                             {QStringLiteral("since"), index}});
  }
  return saved;
}

void MarkerSet::restore(const QVariantList& saved) {
  const auto run = state_->run();
  if (!run) return;
  markers_.clear();
  std::vector<int> ids;
  for (const QVariant& each : saved) {
    const QVariantMap map = each.toMap();
    const Step step(map.value(QStringLiteral("step")).toLongLong());
    const auto moment = static_cast<std::size_t>(map.value(QStringLiteral("moment")).toULongLong());
    const qint64 since = map.value(QStringLiteral("since"), -1).toLongLong();
    const bool fits = step >= Step(0) && step < state_->steps() && moment <= run->trace.size();
    ids.push_back(fits ? ++lastId_ : 0);
    if (!fits) continue;
    const bool measured = since >= 0 && since < std::ssize(ids) - 1;
    markers_.push_back({.id = lastId_,
                        .name = map.value(QStringLiteral("name")).toString().simplified().left(40),
                        .point = {moment, step},
                        .since = measured ? ids[static_cast<std::size_t>(since)] : 0});
    if (markers_.back().name.isEmpty()) markers_.back().name = freeName();
  }
  tell();
}

}  // namespace hw
