#include <QCoreApplication>

#include "app/gui/main_window.h"
#include "core/report/run_report.h"
#include "widgets/compare/compare_picture.h"
#include "widgets/compare/run_label.h"

namespace hw {

namespace {

/// Below lanes, which have no height to give away.
constexpr int kFooterRoom = 28;

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
QByteArray stacked(const CompareMaps& compared, const std::vector<MapView*>& maps,
                   const QSize& size, bool footer) {
  const auto places = rows(QRect(QPoint(), size), maps.size());
  QByteArray text = QStringLiteral(
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%1\" "
                        "height=\"%2\" viewBox=\"0 0 %1 %2\">\n")
                        .arg(size.width())
                        .arg(size.height())
                        .toUtf8();
  for (std::size_t index = 0; index < maps.size(); ++index) {
    const bool last = index + 1 == maps.size();
    QByteArray map =
        QByteArray::fromStdString(maps[index]->toSvg(places[index].size(), footer && last));
    const QByteArray plot = "plot-" + QByteArray::number(static_cast<qulonglong>(index));
    map.replace("id=\"plot\"", "id=\"" + plot + "\"");
    map.replace("url(#plot)", "url(#" + plot + ")");
    if (const auto place = compared.placeOf(maps[index])) {
      map.replace("id=\"stay-", "id=\"" + runLetter(*place + 1).toUtf8() + "-stay-");
    }
    text += "<g transform=\"translate(0 " + QByteArray::number(places[index].top()) + ")\">\n" +
            map + "</g>\n";
  }
  return text + "</svg>\n";
}

}  // namespace

/// The maps one below the other; as text they have names, ids and tooltips of their own.
Picture MainWindow::mapPicture() const {
  const auto maps = compareMaps_->shownMaps();
  Picture picture;
  picture.paint = [maps](QPainter& painter, const QRect& target) {
    const double ratio = painter.device()->devicePixelRatioF();
    const auto places = rows(target, maps.size());
    for (std::size_t index = 0; index < maps.size(); ++index) {
      maps[index]->renderTo(painter, places[index], ratio);
    }
  };
  picture.svg = [maps, compared = compareMaps_](const QSize& whole, bool footer) {
    return maps.size() == 1 ? QByteArray::fromStdString(maps.front()->toSvg(whole, footer))
                            : stacked(*compared, maps, whole, footer);
  };
  return picture;
}

void MainWindow::paintChart(QPainter& painter, const QRect& target) {
  PeakChart chart(&state_, chart_->pool());
  chart.setFont(painter.font());
  chart.setAttribute(Qt::WA_DontShowOnScreen);
  chart.resize(target.size());
  chart.show();  // A chart is laid out when it is shown, not before.
  // Nothing else may be drawn now: the colours may be those of the picture.
  QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
  chart.renderTo(painter, target);
}

/// The column of the window's middle, without what is around it.
void MainWindow::paintViews(QPainter& painter, const QRect& target) {
  constexpr int kGap = 4;
  const int chartHeight = target.height() * 20 / 100;
  const int nowHeight = target.height() * 18 / 100;
  QRect chart = target;
  chart.setHeight(chartHeight);
  paintChart(painter, chart);
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
  mapPicture().paint(painter, maps);
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
      picture.paint = [this](QPainter& painter, const QRect& at) { paintChart(painter, at); };
      break;
    case PictureKind::compare:
      picture.paint = [this](QPainter& painter, const QRect& at) {
        paintComparison(painter, at, *compare_->table());
      };
      break;
    case PictureKind::map:
      return mapPicture();
  }
  return picture;
}

Picture MainWindow::picture(const PictureStyle& style, const QSize& size) {
  Picture picture = contentOf(style.kind);
  picture.title = windowTitle();
  const PresetMeasures measures = measuresOf(style.preset);
  picture.size = measures.size.isEmpty() ? size : measures.size;
  picture.margin = measures.margin;
  picture.letters = measures.letters;
  picture.scale = style.scale;
  if (style.footer && state_.run()) {
    picture.footer = QString::fromStdString(provenanceText(*state_.run()));
  }
  picture.theme = style.colors == PictureColors::light  ? &Theme::light()
                  : style.colors == PictureColors::dark ? &Theme::darkTheme()
                                                        : nullptr;
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
      return comparisonSize(*compare_->table());
    case PictureKind::map:
    case PictureKind::views:
      break;
  }
  return views_->size();
}

}  // namespace hw
