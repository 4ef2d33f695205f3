#include "app/gui/picture.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QSaveFile>
#include <QSvgGenerator>

#include "widgets/theme.h"

namespace hw {

namespace {

/// `ratio` pixels of the image for each unit of the picture.
QByteArray pngOf(const Picture& picture, int ratio) {
  QImage image(picture.size * ratio, QImage::Format_RGB32);
  image.setDevicePixelRatio(ratio);
  image.fill(Theme::current().window);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::TextAntialiasing);
  picture.paint(painter, QRect(QPoint(), picture.size));
  painter.end();
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  return bytes;
}

QByteArray recorded(const Picture& picture) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setSize(picture.size);
  generator.setViewBox(QRect(QPoint(), picture.size));
  generator.setResolution(96);
  generator.setTitle(picture.title);
  generator.setDescription(QStringLiteral("Drawn by Highwater"));
  QPainter painter(&generator);
  painter.fillRect(QRect(QPoint(), picture.size), Theme::current().window);
  picture.paint(painter, QRect(QPoint(), picture.size));
  painter.end();
  return bytes;
}

QByteArray wrapped(const Picture& picture) {
  constexpr int kRatio = 2;
  const QString head =
      QStringLiteral(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" "
          "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"%1\" height=\"%2\" "
          "viewBox=\"0 0 %1 %2\">\n<title>%3</title>\n<image width=\"%1\" height=\"%2\" "
          "xlink:href=\"data:image/png;base64,")
          .arg(picture.size.width())
          .arg(picture.size.height())
          .arg(picture.title.toHtmlEscaped());
  const QByteArray png = pngOf(picture, kRatio);
  if (png.isEmpty()) return {};
  return head.toUtf8() + png.toBase64() + "\"/>\n</svg>\n";
}

QByteArray svgOf(const Picture& picture) {
  if (picture.svg) return picture.svg(picture.size);
  return picture.clips ? wrapped(picture) : recorded(picture);
}

QString endingOf(const QString& file) { return QFileInfo(file).suffix().toLower(); }

}  // namespace

Result<void> checkPictureFile(const QString& file) {
  const QString ending = endingOf(file);
  if (ending == QLatin1String("png") || ending == QLatin1String("svg")) return {};
  return fail(ErrorCode::invalidArgument,
              file.toStdString() + ": a picture's name ends in .png or .svg");
}

Result<void> writePicture(const Picture& picture, const QString& file) {
  if (auto checked = checkPictureFile(file); !checked) return checked;
  const QByteArray bytes =
      endingOf(file) == QLatin1String("svg") ? svgOf(picture) : pngOf(picture, 1);
  const std::string name = file.toStdString();
  if (bytes.isEmpty()) {
    return fail(ErrorCode::unsupported, name + ": the picture is too large to be drawn");
  }
  QSaveFile target(file);
  if (!target.open(QIODevice::WriteOnly) || target.write(bytes) != bytes.size() ||
      !target.commit()) {
    return fail(ErrorCode::unreadable,
                name + ": cannot be written: " + target.errorString().toStdString());
  }
  return {};
}

}  // namespace hw
