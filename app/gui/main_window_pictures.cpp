#include <QCoreApplication>

#include "app/gui/main_window.h"

namespace hw {

namespace {

/// Maps one below the other, as even as pixels allow.
std::vector<QRect> rows(const QRect& target, std::size_t count) {
  std::vector<QRect> rows;
  int top = target.top();
  for (std::size_t index = 0; index < count; ++index) {
    const int rest = target.bottom() + 1 - top;
    const int height = rest / static_cast<int>(count - index);
    rows.emplace_back(target.left(), top, target.width(), height);
    top += height;
  }
  return rows;
}

/// Several drawings in one. What they clip with has the same id in each, so it gets another.
QByteArray stacked(const std::vector<MapView*>& maps, const QSize& size) {
  const auto places = rows(QRect(QPoint(), size), maps.size());
  QByteArray text = QStringLiteral(
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1\" "
                        "height=\"%2\" viewBox=\"0 0 %1 %2\">\n")
                        .arg(size.width())
                        .arg(size.height())
                        .toUtf8();
  for (std::size_t index = 0; index < maps.size(); ++index) {
    QByteArray map = QByteArray::fromStdString(maps[index]->toSvg(places[index].size()));
    const QByteArray plot = "plot-" + QByteArray::number(static_cast<qulonglong>(index));
    map.replace("id=\"plot\"", "id=\"" + plot + "\"");
    map.replace("url(#plot)", "url(#" + plot + ")");
    if (maps[index]->isLed()) map.replace("id=\"stay-", "id=\"below-");
    text += "<g transform=\"translate(0 " + QByteArray::number(places[index].top()) + ")\">\n" +
            map + "</g>\n";
  }
  return text + "</svg>\n";
}

}  // namespace

std::vector<MapView*> MainWindow::shownMaps() const {
  std::vector<MapView*> shown;
  for (MapView* map : maps_) {
    if (!map->isHidden()) shown.push_back(map);
    if (map == maps_.front() && belowState_.run()) shown.push_back(belowMap_);
  }
  return shown;
}

Picture MainWindow::mapPicture(const QSize& size) const {
  const auto maps = shownMaps();
  Picture picture{.size = size, .title = windowTitle()};
  picture.paint = [maps](QPainter& painter, const QRect& target) {
    const auto places = rows(target, maps.size());
    for (std::size_t index = 0; index < maps.size(); ++index) {
      maps[index]->renderTo(painter, places[index], 1);
    }
  };
  picture.svg = [maps](const QSize& whole) {
    return maps.size() == 1 ? QByteArray::fromStdString(maps.front()->toSvg(whole))
                            : stacked(maps, whole);
  };
  return picture;
}

Picture MainWindow::picture(PictureKind kind, const QSize& size) {
  Picture picture{.size = size, .title = windowTitle()};
  switch (kind) {
    case PictureKind::window:
      picture.paint = [this](QPainter& painter, const QRect& target) {
        render(&painter, target.topLeft());
      };
      picture.clips = true;
      break;
    case PictureKind::now:
      picture.paint = [this](QPainter& painter, const QRect& target) {
        now_->renderTo(painter, target);
      };
      break;
    case PictureKind::chart:
      picture.paint = [this](QPainter& painter, const QRect& target) {
        PeakChart chart(&state_, chart_->pool());
        chart.setAttribute(Qt::WA_DontShowOnScreen);
        chart.resize(target.size());
        chart.show();  // A chart is laid out when it is shown, not before.
        QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
        chart.QWidget::render(&painter, target.topLeft());
      };
      break;
    case PictureKind::map:
      return mapPicture(size);
  }
  return picture;
}

}  // namespace hw
