// The pictures of a window: what each shows, and how large it is.

#include <algorithm>
#include <cmath>

#include "app/gui/output/moving_picture.h"
#include "app/gui/window/main_window.h"
#include "core/picture/plot.h"
#include "widgets/graph/conflict_view.h"

namespace hw {

namespace {

/// Below lanes, which have no height to give away.
constexpr int kFooterRoom = 28;
/// A chart or a map lower than this has its words one over the other.
constexpr int kLeastChart = 90;
constexpr int kLeastMap = 110;
constexpr int kViewGap = 4;

}  // namespace

/// As they stand one below the other.
std::vector<MapScene> MainWindow::mapScenes() const {
  std::vector<MapScene> scenes;
  if (!state_.run()) return scenes;
  for (const MapView* map : compareMaps_->shownMaps()) {
    scenes.push_back(map->pictureScene());
    // Several maps in one file have the same tensors.
    if (const auto place = compareMaps_->placeOf(map)) {
      scenes.back().prefix = placeLetter(*place + 1) + "-";
    }
  }
  return scenes;
}

/// Below this the views in one picture lie over each other.
int MainWindow::leastViewsHeight() const {
  const int maps = kLeastMap * static_cast<int>(compareMaps_->shownMaps().size());
  return kLeastChart + maps + lanesHeight() + now_->minimumSizeHint().height() + 2 * kViewGap;
}

/// Of all lanes on show, with a gap below each.
int MainWindow::lanesHeight() const {
  int height = 0;
  for (const LanesView* lanes : compareMaps_->shownLanes()) {
    height += lanes->sizeHint().height() + kViewGap;
  }
  return height;
}

/// One below the other, each as high as it wants to be as far as `target` is.
void MainWindow::paintLanes(QPainter& painter, const QRect& target) {
  const std::vector<LanesView*> shown = compareMaps_->shownLanes();
  if (shown.empty()) return lanes_->renderTo(painter, target);
  const double scale = std::min(1.0, double(target.height()) / std::max(1, lanesHeight()));
  int top = target.top();
  for (LanesView* lanes : shown) {
    const int height = qRound(scale * (lanes->sizeHint().height() + kViewGap));
    lanes->renderTo(painter, {target.left(), top, target.width(), height - kViewGap});
    top += height;
  }
}

/// The column of the window's middle, without what is around it.
void MainWindow::paintViews(QPainter& painter, const QRect& target) {
  const int chartHeight = std::max(kLeastChart, target.height() * 20 / 100);
  const int nowHeight = std::max(now_->minimumSizeHint().height(), target.height() * 18 / 100);
  QRect chart = target;
  chart.setHeight(chartHeight);
  if (const auto scene = chart_->pictureScene()) pictureOf(*scene).paint(painter, chart);
  QRect now = target;
  now.setTop(target.bottom() + 1 - nowHeight);
  now_->renderTo(painter, now);
  QRect maps(target.left(), chart.bottom() + kViewGap, target.width(),
             now.top() - chart.bottom() - 2 * kViewGap);
  if (!lanes_->isHidden()) {
    QRect lanes = maps;
    lanes.setTop(maps.bottom() + 1 - std::min(lanesHeight(), maps.height() / 2));
    paintLanes(painter, lanes);
    maps.setBottom(lanes.top() - 1 - kViewGap);
  }
  pictureOf(mapScenes()).paint(painter, maps);
}

Picture MainWindow::contentOf(PictureKind kind) {
  Picture picture;
  switch (kind) {
    case PictureKind::window:
      picture.paint = [this](QPainter& painter, const QRect& target) {
        render(&painter, target.topLeft());
      };
      picture.clips = true;
      break;
    case PictureKind::views:
      picture.paint = [this](QPainter& painter, const QRect& at) { paintViews(painter, at); };
      break;
    case PictureKind::now:
      picture.paint = [this](QPainter& painter, const QRect& at) { now_->renderTo(painter, at); };
      break;
    case PictureKind::lanes:
      picture.paint = [this](QPainter& painter, const QRect& at) { paintLanes(painter, at); };
      break;
    case PictureKind::chart:
      if (const auto scene = chart_->pictureScene()) return pictureOf(*scene);
      picture.paint = [](QPainter&, const QRect&) {};
      break;
    case PictureKind::conflicts:
      if (state_.run()) return pictureOf(conflictsShown(state_));
      picture.paint = [](QPainter&, const QRect&) {};
      break;
    case PictureKind::compare:
      picture.paint = pictures_.at(kind).paint;
      break;
    case PictureKind::map:
      return pictureOf(mapScenes());
  }
  return picture;
}

void MainWindow::addPicture(PictureKind kind, PictureSource source) {
  pictures_[kind] = std::move(source);
}

Picture MainWindow::picture(const PictureStyle& style, const QSize& size) {
  Picture picture = styled(contentOf(style.kind), style, size, state_.run().get());
  picture.title = windowTitle();
  if (style.kind == PictureKind::views) {
    const int around = 2 * picture.margin + (style.footer ? kFooterRoom * 3 : 0);
    picture.size.setHeight(std::max(picture.size.height(), leastViewsHeight() + around));
  }
  return picture;
}

Result<QByteArray> MainWindow::movingPicture(const PictureStyle& style, const QSize& size,
                                             const std::function<bool(double)>& progress) {
  const StepPlace before = state_.place();
  const bool follows = state_.follows();
  const bool reduced = now_->reducedMotion();
  player_.pause();
  state_.setFollows(false);
  now_->setReducedMotion(true);
  const RunScale& scale = *state_.scale();
  const Step first = scale.stepAt(state_.visibleBegin());
  const Step last = scale.stepAt(std::nextafter(state_.visibleEnd(), 0.0));
  const auto frame = [&](Step step) {
    state_.setStep(step);
    return imageOf(picture(style, size));
  };
  auto bytes = hw::movingPicture({first, last + Step(1)}, frame, progress);
  now_->setReducedMotion(reduced);
  state_.setFollows(follows);
  state_.goTo(before);
  return bytes;
}

Result<void> MainWindow::writePicture(const PictureStyle& style, const QSize& size,
                                      const QString& file,
                                      const std::function<bool(double)>& progress) {
  if (!isMoving(file)) return hw::writePicture(picture(style, size), file);
  HW_TRY(bytes, movingPicture(style, size, progress));
  return writeWhole(file, bytes);
}

QSize MainWindow::shownSize(PictureKind kind) const {
  // A hidden view has the height that it prefers.
  const auto sizeOf = [this](const QWidget& view) {
    return view.isHidden() ? QSize(views_->width(), view.sizeHint().height()) : view.size();
  };
  switch (kind) {
    case PictureKind::window:
      return size();
    case PictureKind::chart:
      return sizeOf(*chart_);
    case PictureKind::now:
      return sizeOf(*now_);
    case PictureKind::lanes:
      return {views_->width(), std::max(lanesHeight(), lanes_->sizeHint().height()) + kFooterRoom};
    case PictureKind::compare:
      return pictures_.at(kind).size();
    case PictureKind::map:
    case PictureKind::views:
    case PictureKind::conflicts:
      break;
  }
  return views_->size();
}

}  // namespace hw
