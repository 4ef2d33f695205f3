#include "widgets/study/study_view_state.h"

#include <QDateTime>
#include <QFileInfo>
#include <algorithm>

#include "widgets/text/text.h"

namespace hw {

namespace {

/// Between two looks at whether a file has grown.
constexpr int kWatchMilliseconds = 1500;
/// Changes whenever somebody writes into the file.
QString stampOf(const QString& path) {
  QString stamp;
  for (const QString& file : {path, path + QStringLiteral("-wal")}) {
    const QFileInfo info(file);
    stamp += QStringLiteral("%1 %2 ").arg(info.size()).arg(info.lastModified().toMSecsSinceEpoch());
  }
  return stamp;
}

}  // namespace

StudyViewState::StudyViewState(QObject* parent) : QObject(parent) {
  watch_.setInterval(kWatchMilliseconds);
  connect(&watch_, &QTimer::timeout, this, &StudyViewState::refresh);
}

/// Choices in one file say nothing of another.
void StudyViewState::forget() {
  picks_.clear();
  pair_.reset();
  modelName_.clear();
  chosenId_ = -1;
}

void StudyViewState::open(const QString& path) {
  path_ = path;
  watch_.start();
  read();
}

void StudyViewState::refresh() {
  if (!path_.isEmpty() && !reading_.isRunning() && stampOf(path_) != stamp_) read();
}

void StudyViewState::wait() { reading_.wait(); }

void StudyViewState::read() {
  stamp_ = stampOf(path_);
  reading_.start(
      false,
      [path = path_]() -> Read {
        HW_TRY(file, readStudyFile(path.toStdString()));
        return std::make_shared<const StudyFile>(std::move(file));
      },
      [this](const Read& read) { take(read); });
}

void StudyViewState::take(const Read& read) {
  failure_ = read ? QString() : QString::fromStdString(read.error().text());
  if (!read) {  // The file on show stays.
    path_ = file_ ? QString::fromStdString(file_->path) : QString();
    Q_EMIT failed(failure_);
    return;
  }
  if (file_ && file_->path != (*read)->path) forget();
  file_ = *read;
  chooseLook();
  filter();
  Q_EMIT fileChanged();
  Q_EMIT viewChanged();
  Q_EMIT chosenChanged();
}

/// Choices by name, as far as they are still there.
void StudyViewState::chooseLook() {
  model_ = figure_ = 0;
  look_ = {};
  if (isEmpty()) return pair_.reset();
  const StudyTable& all = table();
  const auto& models = all.axes[all.axis("model")].values;
  const auto model = std::ranges::find(models, modelName_);
  if (model != models.end()) model_ = static_cast<std::size_t>(model - models.begin());
  modelName_ = models[model_];
  const auto figure = std::ranges::find(all.figures, figureKey_, &StudyTable::Figure::key);
  if (figure != all.figures.end()) {
    figure_ = static_cast<std::size_t>(figure - all.figures.begin());
  }
  if (all.figures.empty()) return pair_.reset();
  look_ = lookOf(all, all.all(), figure_);
  const auto known = [&](std::size_t axis) {
    return std::ranges::find(look_.axes, axis) != look_.axes.end();
  };
  if (!pair_ || !known(pair_->down) || !known(pair_->over)) pair_ = look_.pair;
}

std::size_t StudyViewState::across() const {
  const auto found = std::ranges::find(table().figures, look_.across, &StudyTable::Figure::key);
  return found == table().figures.end() ? 0
                                        : static_cast<std::size_t>(found - table().figures.begin());
}

void StudyViewState::filter() {
  rows_.clear();
  others_.clear();
  everyModel_.clear();
  chosen_.reset();
  if (isEmpty()) return;
  StudyFilter wanted(table().axes.size());
  for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
    if (!hasPicks(axis)) continue;
    for (std::size_t value = 0; value < table().axes[axis].values.size(); ++value) {
      wanted[axis].push_back(isPicked(axis, value));
    }
  }
  everyModel_ = rowsOf(table(), wanted);
  const auto& models = table().axes[table().axis("model")].codes;
  for (const std::uint32_t row : everyModel_) {
    if (models[row] == model_) rows_.push_back(row);
  }
  std::size_t next = 0;
  for (std::uint32_t row = 0; row < table().size(); ++row) {
    if (models[row] != model_) continue;
    if (next < rows_.size() && rows_[next] == row) {
      ++next;
    } else {
      others_.push_back(row);
    }
  }
  const auto chosen = std::ranges::find(table().ids, chosenId_);
  if (chosen != table().ids.end()) {
    chosen_ = static_cast<std::uint32_t>(chosen - table().ids.begin());
  }
}

void StudyViewState::setModel(std::size_t value) {
  if (isEmpty()) return;
  modelName_ = table().axes[table().axis("model")].values[value];
  model_ = value;
  filter();
  Q_EMIT viewChanged();
}

void StudyViewState::setFigure(std::size_t figure) {
  if (isEmpty()) return;
  figureKey_ = table().figures[figure].key;
  chooseLook();
  filter();
  Q_EMIT viewChanged();
}

void StudyViewState::setPair(const Pair& pair) {
  pair_ = pair;
  Q_EMIT viewChanged();
}

bool StudyViewState::hasPicks(std::size_t axis) const {
  const auto picked = picks_.find(table().axes[axis].name);
  return picked != picks_.end() && !picked->second.empty();
}

bool StudyViewState::isPicked(std::size_t axis, std::size_t value) const {
  const StudyTable::Axis& each = table().axes[axis];
  const auto picked = picks_.find(each.name);
  return picked != picks_.end() && picked->second.contains(each.values[value]);
}

void StudyViewState::pick(std::size_t axis, std::size_t value, bool on) {
  const StudyTable::Axis& each = table().axes[axis];
  auto& picked = picks_[each.name];
  if (on) {
    picked.insert(each.values[value]);
  } else {
    picked.erase(each.values[value]);
  }
  filter();
  Q_EMIT viewChanged();
}

void StudyViewState::clearPicks(std::optional<std::size_t> axis) {
  if (axis) {
    picks_.erase(table().axes[*axis].name);
  } else {
    picks_.clear();
  }
  filter();
  Q_EMIT viewChanged();
}

void StudyViewState::choose(std::optional<std::uint32_t> row) {
  chosen_ = row;
  chosenId_ = row ? table().ids[*row] : -1;
  Q_EMIT chosenChanged();
}

}  // namespace hw
