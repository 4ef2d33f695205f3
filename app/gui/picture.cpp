#include "app/gui/picture.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QSaveFile>
#include <QSvgGenerator>

#include "app/gui/pdf_file.h"
#include "widgets/theme_scope.h"

namespace hw {

namespace {

/// Footers are 7.5 pt high whatever the rest is.
constexpr int kFooterLetters = 10;
constexpr int kFooterGap = 6;
constexpr int kFooterMargin = 8;

QFont withLetters(QFont font, int units) {
  font.setPixelSize(units);
  return font;
}

/// The whole of it: background, picture, footer below.
void paintWhole(QPainter& painter, const Picture& picture) {
  const QRect whole(QPoint(), picture.size);
  const int margin = picture.margin;
  QRect inside = whole.adjusted(margin, margin, -margin, -margin);
  painter.fillRect(whole, margin > 0 || !picture.footer.isEmpty() ? Theme::current().plot
                                                                  : Theme::current().window);
  if (!picture.footer.isEmpty()) {
    painter.save();
    painter.setFont(withLetters(painter.font(), kFooterLetters));
    const QFontMetricsF metrics(painter.font(), painter.device());
    const int side = margin > 0 ? 0 : kFooterMargin;
    const QStringList lines = brokenLines(picture.footer, metrics, inside.width() - 2 * side);
    const double height = metrics.lineSpacing() * static_cast<double>(lines.size());
    const double top = inside.bottom() + 1 - height - (margin > 0 ? 0 : kFooterGap);
    painter.setPen(Theme::current().mutedText);
    for (qsizetype i = 0; i < lines.size(); ++i) {
      painter.drawText(
          QPointF(inside.left() + side,
                  top + metrics.ascent() + static_cast<double>(i) * metrics.lineSpacing()),
          lines[i]);
    }
    painter.restore();
    inside.setBottom(static_cast<int>(top) - kFooterGap);
  }
  picture.paint(painter, inside);
}

QByteArray pngOf(const Picture& picture) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  imageOf(picture).save(&buffer, "PNG");
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
  painter.setFont(withLetters(painter.font(), qRound(picture.letters)));
  paintWhole(painter, picture);
  painter.end();
  return bytes;
}

QByteArray wrapped(Picture picture) {
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

/// Of the same resolution on every page; Qt draws the widgets of a window in an order that changes
/// from run to run.
void paintAsImage(QPainter& painter, Picture picture) {
  picture.scale = std::max(3, picture.scale);
  painter.setRenderHint(QPainter::LosslessImageRendering);
  painter.drawImage(QRectF(QPointF(), picture.size), imageOf(picture));
}

QByteArray pdfOf(const Picture& picture) {
  return PdfFile::write(picture.size, picture.title, picture.letters,
                        [&](QPainter& painter, const PdfFile::NextPage&) {
                          picture.clips ? paintAsImage(painter, picture)
                                        : paintWhole(painter, picture);
                        });
}

QByteArray svgOf(const Picture& picture) {
  if (picture.svg && picture.margin == 0 && picture.letters == 12) {
    return picture.svg(picture.size, !picture.footer.isEmpty());
  }
  return picture.clips ? wrapped(picture) : recorded(picture);
}

QString endingOf(const QString& file) { return QFileInfo(file).suffix().toLower(); }

/// How many characters of `text` go into `width`; one at least.
qsizetype fitting(const QString& text, const QFontMetricsF& metrics, double width) {
  qsizetype count = 1;
  while (count < text.size() && metrics.horizontalAdvance(text.left(count + 1)) <= width) ++count;
  return count;
}

}  // namespace

QStringList brokenLines(const QString& text, const QFontMetricsF& metrics, double width) {
  QStringList lines;
  QString line;
  for (QString word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const QString longer = line.isEmpty() ? word : line + QLatin1Char(' ') + word;
    if (metrics.horizontalAdvance(longer) <= width) {
      line = longer;
      continue;
    }
    if (!line.isEmpty()) lines.append(line);
    while (metrics.horizontalAdvance(word) > width && word.size() > 1) {
      const qsizetype count = fitting(word, metrics, width);
      lines.append(word.left(count));
      word = word.mid(count);
    }
    line = word;
  }
  if (!line.isEmpty()) lines.append(line);
  return lines;
}

QImage imageOf(const Picture& picture) {
  const ThemeScope colors(picture.theme ? *picture.theme : Theme::current());
  QImage image(picture.size * picture.scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(picture.scale);
  QPainter painter(&image);
  painter.setRenderHint(QPainter::TextAntialiasing);
  painter.setFont(withLetters(painter.font(), qRound(picture.letters)));
  paintWhole(painter, picture);
  return image;
}

Result<void> checkPictureFile(const QString& file) {
  const QString ending = endingOf(file);
  for (const char* known : {"png", "svg", "pdf"}) {
    if (ending == QLatin1String(known)) return {};
  }
  return fail(ErrorCode::invalidArgument,
              file.toStdString() + ": a picture's name ends in .png, .svg or .pdf");
}

Result<void> writePicture(const Picture& picture, const QString& file) {
  if (auto checked = checkPictureFile(file); !checked) return checked;
  const ThemeScope colors(picture.theme ? *picture.theme : Theme::current());
  const QString ending = endingOf(file);
  QByteArray bytes;
  if (ending == QLatin1String("png")) bytes = pngOf(picture);
  if (ending == QLatin1String("pdf")) bytes = pdfOf(picture);
  if (ending == QLatin1String("svg")) bytes = svgOf(picture);
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
