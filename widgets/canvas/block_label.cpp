#include "widgets/canvas/block_label.h"

#include <QCoreApplication>
#include <QFontMetricsF>

#include "core/base/text.h"

namespace hw {

namespace {

constexpr double kPadding = 4;  ///< Between a box and its label, in pixels.

QString tr(const char* text) { return QCoreApplication::translate("BlockLabel", text); }

QString sizeText(Bytes bytes) { return QString::fromStdString(formatBytes(bytes)); }

QString grouped(std::int64_t number) { return QString::fromStdString(groupDigits(number)); }

QString className(TensorClass kind) {
  switch (kind) {
    case TensorClass::input:
      return tr("graph input");
    case TensorClass::output:
      return tr("graph output");
    case TensorClass::intermediate:
      return tr("intermediate");
    case TensorClass::view:
      return tr("shared by several tensors");
    case TensorClass::problem:
      return tr("problem");
  }
  return {};
}

}  // namespace

QString blockName(const Run& run, StayId stay) {
  return QString::fromStdString(printable(run.stayName(stay), 80));
}

QString blockLabel(const Run& run, StayId stay) {
  return blockName(run, stay) + QStringLiteral("  ") + sizeText(run.problem.stays[stay].size);
}

QString blockDescription(const Run& run, const Block& block) {
  const Bytes size = block.bytes.length();
  const QString name = blockName(run, block.stay).toHtmlEscaped();
  return tr("<b>%1</b><br>%2 (%3 B)<br>address 0x%4 to 0x%5<br>steps %6 to %7<br>%8")
      .arg(name, sizeText(size), grouped(size.count()),
           QString::number(block.bytes.begin.count(), 16),
           QString::number(block.bytes.end.count() - 1, 16), grouped(block.steps.begin.count()),
           grouped(block.steps.end.count() - 1), className(block.kind));
}

FittedLabel fitLabel(const QFontMetricsF& metrics, const QSizeF& box, const Run& run, StayId stay) {
  const double line = metrics.height() * 0.85;
  const bool wideEnough = box.width() >= line;
  const bool highEnough = box.height() >= line;
  const double along = highEnough ? box.width() - 2 * kPadding : 0;
  const double up = wideEnough ? box.height() - 2 * kPadding : 0;
  if (std::max(along, up) < metrics.averageCharWidth() * 3) return {};
  const QString name = blockName(run, stay);
  const QString full = blockLabel(run, stay);
  const double nameWidth = metrics.horizontalAdvance(name);
  const double fullWidth = metrics.horizontalAdvance(full);
  if (fullWidth <= along) return {full, false};
  if (nameWidth <= along) return {name, false};
  if (fullWidth <= up) return {full, true};
  if (nameWidth <= up) return {name, true};
  const QString elided = metrics.elidedText(name, Qt::ElideMiddle, std::max(along, up));
  return elided.size() < 6 ? FittedLabel() : FittedLabel{elided, up > along};
}

void drawLabel(QPainter& painter, const QFontMetricsF& metrics, const QRectF& box,
               const FittedLabel& label) {
  if (label.text.isEmpty()) return;
  const double across = label.upwards ? box.width() : box.height();
  const double baseline = (across + metrics.ascent() - metrics.descent()) / 2;
  if (!label.upwards) {
    painter.drawText(QPointF(box.left() + kPadding, box.top() + baseline), label.text);
    return;
  }
  const QTransform before = painter.transform();
  painter.translate(box.bottomLeft());
  painter.rotate(-90);
  painter.drawText(QPointF(kPadding, baseline), label.text);
  painter.setTransform(before);
}

void drawBlockLabel(QPainter& painter, const QRectF& box, const Run& run, StayId stay) {
  const QFontMetricsF metrics(painter.font(), painter.device());
  drawLabel(painter, metrics, box, fitLabel(metrics, box.size(), run, stay));
}

}  // namespace hw
