#include "app/gui/window/main_window.h"

namespace hw {

namespace {

/// Below lanes, which have no height to give away.
constexpr int kFooterRoom = 28;

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

/// The column of the window's middle, without what is around it.
void MainWindow::paintViews(QPainter& painter, const QRect& target) {
  constexpr int kGap = 4;
  const int chartHeight = target.height() * 20 / 100;
  const int nowHeight = target.height() * 18 / 100;
  QRect chart = target;
  chart.setHeight(chartHeight);
  if (const auto scene = chart_->pictureScene()) pictureOf(*scene).paint(painter, chart);
  QRect now = target;
  now.setTop(target.bottom() + 1 - nowHeight);
  now_->renderTo(painter, now);
  QRect maps(target.left(), chart.bottom() + kGap, target.width(),
             now.top() - chart.bottom() - 2 * kGap);
  if (!lanes_->isHidden()) {
    QRect lanes = maps;
    lanes.setTop(maps.bottom() + 1 - std::min(lanes_->sizeHint().height(), maps.height() / 3));
    lanes_->renderTo(painter, lanes);
    maps.setBottom(lanes.top() - 1 - kGap);
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
      picture.paint = [this](QPainter& painter, const QRect& at) { lanes_->renderTo(painter, at); };
      break;
    case PictureKind::chart:
      if (const auto scene = chart_->pictureScene()) return pictureOf(*scene);
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
  return picture;
}

QSize MainWindow::shownSize(PictureKind kind) const {
  switch (kind) {
    case PictureKind::window:
      return size();
    case PictureKind::chart:
      return chart_->size();
    case PictureKind::now:
      return now_->size();
    case PictureKind::lanes:
      return {views_->width(), lanes_->sizeHint().height() + kFooterRoom};
    case PictureKind::compare:
      return pictures_.at(kind).size();
    case PictureKind::map:
    case PictureKind::views:
      break;
  }
  return views_->size();
}

}  // namespace hw
