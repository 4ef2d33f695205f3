#include "app/gui/output/picture.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <cmath>

#include "app/gui/output/moving_picture.h"
#include "core/base/text.h"
#include "core/picture/svg_canvas.h"
#include "core/report/run/run_report.h"
#include "widgets/map/map_painter.h"
#include "widgets/plot/painter_canvas.h"

namespace hw {

namespace {

/// Footers are 7.5 pt high whatever the rest is.
constexpr int kFooterLetters = 10;
constexpr int kFooterGap = 6;
constexpr int kFooterMargin = 8;

/// Background and footer; returns what is left between them.
Box drawGround(Canvas& canvas, const Picture& picture) {
  const Box whole = toBox(QRectF(QPointF(), picture.size));
  const double margin = picture.margin;
  Box inside{margin, margin, whole.width - 2 * margin, whole.height - 2 * margin};
  const bool plain = margin > 0 || !picture.footer.isEmpty();
  canvas.rectangle(whole, {.fill = Fill{plain ? Ink::plot : Ink::window}});
  if (picture.footer.isEmpty()) return inside;
  const double side = margin > 0 ? 0 : kFooterMargin;
  canvas.setLetters(kFooterLetters);
  const Ruler& ruler = canvas.ruler();
  const auto lines = brokenLines(ruler, picture.footer.toStdString(), inside.width - 2 * side);
  double y = inside.bottom() - (margin > 0 ? 0 : kFooterGap) -
             std::ceil(ruler.height()) * static_cast<double>(lines.size());
  inside.height = std::floor(y) - kFooterGap - inside.top;
  for (const std::string& line : lines) {
    canvas.text({inside.left + side, y + ruler.ascent()}, line, {.ink = Ink::muted});
    y += std::ceil(ruler.height());
  }
  canvas.setLetters(picture.letters);
  return inside;
}

void paintWhole(QPainter& painter, const Picture& picture) {
  painter.setFont(withLetters(painter.font(), picture.letters));
  PainterCanvas canvas(painter);
  const Box inside = drawGround(canvas, picture);
  picture.paint(painter, toRect(inside));
}

template <class Write>
QByteArray bufferedBytes(Write&& write) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  write(buffer);
  return bytes;
}

QByteArray pngOf(const Picture& picture) {
  return bufferedBytes([&](QBuffer& buffer) { imageOf(picture).save(&buffer, "PNG"); });
}

QByteArray drawnSvg(const Picture& picture) {
  SvgCanvas canvas(picture.size.width(), picture.size.height(), picture.title.toStdString(),
                   picture.letters, &Theme::current().inks());
  picture.draw(canvas, drawGround(canvas, picture));
  return QByteArray::fromStdString(canvas.finish());
}

QByteArray recordedSvg(const Picture& picture) {
  return bufferedBytes([&](QBuffer& buffer) {
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(picture.size);
    generator.setViewBox(QRect(QPoint(), picture.size));
    generator.setResolution(96);
    generator.setTitle(picture.title);
    generator.setDescription(QStringLiteral("Drawn by Highwater"));
    QPainter painter(&generator);
    paintWhole(painter, picture);
  });
}

QByteArray imageInSvg(Picture picture) {
  picture.scale = std::max(2, picture.scale);
  const QString head =
      QStringLiteral(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" "
          "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%1\" height=\"%2\" "
          "viewBox=\"0 0 %1 %2\">\n<title>%3</title>\n<image width=\"%1\" height=\"%2\" "
          "xlink:href=\"data:image/png;base64,")
          .arg(picture.size.width())
          .arg(picture.size.height())
          .arg(picture.title.toHtmlEscaped());
  const QByteArray png = pngOf(picture);
  if (png.isEmpty()) return {};
  return head.toUtf8() + png.toBase64() + "\"/>\n</svg>\n";
}

QByteArray svgOf(const Picture& picture) {
  if (picture.draw) return drawnSvg(picture);
  return picture.clips ? imageInSvg(picture) : recordedSvg(picture);
}

/// Of the same resolution on every page; Qt draws the widgets of a window in an order that changes
/// from run to run.
void paintAsImage(QPainter& painter, Picture picture) {
  picture.scale = std::max(3, picture.scale);
  painter.setRenderHint(QPainter::LosslessImageRendering);
  painter.drawImage(QRectF(QPointF(), picture.size), imageOf(picture));
}

QByteArray pdfPage(const Picture& picture) {
  return pdfOf(picture.size, picture.title, picture.letters, [&](QPainter& painter, const auto&) {
    picture.clips ? paintAsImage(painter, picture) : paintWhole(painter, picture);
  });
}

/// One box for each of `count` maps.
Box rowOf(const Box& target, std::size_t index, std::size_t count) {
  const auto edge = [&](std::size_t at) {
    return std::floor(target.top +
                      target.height * static_cast<double>(at) / static_cast<double>(count));
  };
  return Box::between(target.left, edge(index), target.right(), edge(index + 1));
}

}  // namespace

Picture pictureOf(const std::vector<MapScene>& maps) {
  Picture picture;
  picture.paint = [maps](QPainter& painter, const QRect& target) {
    for (std::size_t i = 0; i < maps.size(); ++i) {
      paintMap(painter, maps[i], toRect(rowOf(toBox(target), i, maps.size())));
    }
  };
  picture.draw = [maps](Canvas& canvas, const Box& target) {
    for (std::size_t i = 0; i < maps.size(); ++i) {
      drawMap(canvas, maps[i], rowOf(target, i, maps.size()));
    }
  };
  return picture;
}

namespace {

template <class Scene>
Picture pictureOfScene(const Scene& scene, void (*draw)(Canvas&, const Scene&, const Box&)) {
  Picture picture;
  picture.draw = [scene, draw](Canvas& canvas, const Box& target) { draw(canvas, scene, target); };
  picture.paint = [scene, draw](QPainter& painter, const QRect& target) {
    PainterCanvas canvas(painter);
    draw(canvas, scene, toBox(target));
  };
  return picture;
}

}  // namespace

Picture pictureOf(const ChartScene& chart) { return pictureOfScene(chart, drawChart); }

Picture pictureOf(const ConflictScene& conflicts) {
  return pictureOfScene(conflicts, drawConflicts);
}

Picture styled(Picture picture, const PictureStyle& style, const QSize& size, const Run* run) {
  const PresetMeasures measures = measuresOf(style.preset);
  picture.size = measures.size.isEmpty() ? size : measures.size;
  picture.margin = measures.margin;
  picture.letters = measures.letters;
  picture.scale = style.scale;
  if (run) picture.title = QString::fromStdString(printable(run->model->name));
  if (run && style.footer) picture.footer = QString::fromStdString(provenanceText(*run));
  picture.theme = style.colors == PictureColors::light  ? &Theme::light()
                  : style.colors == PictureColors::dark ? &Theme::darkTheme()
                                                        : nullptr;
  return picture;
}

QFont withLetters(QFont font, double units) {
  font.setPixelSize(qRound(units));
  return font;
}

QFont paperFont(double letters) {
  QFont font = withLetters(QFont(QStringLiteral("DejaVu Sans")), letters);
  font.setHintingPreference(QFont::PreferNoHinting);
  return font;
}

QByteArray pdfOf(const QSizeF& page, const QString& title, double letters,
                 const std::function<void(QPainter&, const std::function<void()>&)>& draw) {
  constexpr double kUnitsPerInch = 96;
  constexpr int kResolution = 1200;
  return bufferedBytes([&](QBuffer& buffer) {
    QPdfWriter writer(&buffer);
    writer.setTitle(title);
    writer.setCreator(QStringLiteral("Highwater " HIGHWATER_VERSION));
    writer.setResolution(kResolution);
    writer.setPageSize(
        QPageSize(page * 72 / kUnitsPerInch, QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    QPainter painter(&writer);
    painter.scale(kResolution / kUnitsPerInch, kResolution / kUnitsPerInch);
    painter.setFont(paperFont(letters));
    draw(painter, [&] { writer.newPage(); });
  });
}

QImage imageOf(const Picture& picture) {
  const ThemeScope colors(picture.theme ? *picture.theme : Theme::current());
  QImage image(picture.size * picture.scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(picture.scale);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::TextAntialiasing);
  paintWhole(painter, picture);
  return image;
}

QString endingOf(const QString& file) { return QFileInfo(file).suffix().toLower(); }

bool isMoving(const QString& file) { return endingOf(file) == QLatin1String("webp"); }

Result<void> checkPictureFile(const QString& file) {
  const QString ending = endingOf(file);
  for (const char* known : {"png", "svg", "pdf", "webp"}) {
    if (ending == QLatin1String(known)) return {};
  }
  return fail(ErrorCode::invalidArgument,
              file.toStdString() + ": a picture's name ends in .png, .svg, .pdf or .webp");
}

Result<void> writePicture(const Picture& picture, const QString& file) {
  HW_DO(checkPictureFile(file));
  const ThemeScope colors(picture.theme ? *picture.theme : Theme::current());
  const QString ending = endingOf(file);
  QByteArray bytes;
  if (ending == QLatin1String("png")) bytes = pngOf(picture);
  if (ending == QLatin1String("pdf")) bytes = pdfPage(picture);
  if (ending == QLatin1String("svg")) bytes = svgOf(picture);
  if (isMoving(file)) {
    const auto still = [&](Step) { return imageOf(picture); };
    HW_TRY(made, movingPicture({Step(0), Step(1)}, still, [](double) { return true; }));
    bytes = made;
  }
  if (bytes.isEmpty()) {
    return fail(ErrorCode::unsupported,
                file.toStdString() + ": the picture is too large to be drawn");
  }
  return writeWhole(file, bytes);
}

Result<void> writeWhole(const QString& file, const QByteArray& bytes) {
  QSaveFile target(file);
  if (!target.open(QIODevice::WriteOnly) || target.write(bytes) != bytes.size() ||
      !target.commit()) {
    return fail(ErrorCode::unreadable,
                file.toStdString() + ": cannot be written: " + target.errorString().toStdString());
  }
  return {};
}

}  // namespace hw
