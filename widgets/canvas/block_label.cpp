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

/// The most of a block's label that fits into `room` pixels: name and size, the name, or the name
/// elided as long as it still says something; otherwise empty.
QString fittingLabel(const QFontMetricsF& metrics, double room, const Run& run, StayId stay) {
  if (room < metrics.averageCharWidth() * 3) return {};
  const QString full = blockLabel(run, stay);
  if (metrics.horizontalAdvance(full) <= room) return full;
  const QString name = blockName(run, stay);
  if (metrics.horizontalAdvance(name) <= room) return name;
  const QString elided = metrics.elidedText(name, Qt::ElideMiddle, room);
  return elided.size() < std::min<qsizetype>(6, name.size()) ? QString() : elided;
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

void drawBlockLabel(QPainter& painter, const QRectF& box, const Run& run, StayId stay) {
  const QFontMetricsF metrics(painter.font(), painter.device());
  const bool upwards = box.height() > box.width() * 1.5;
  const double across = upwards ? box.width() : box.height();
  const double room = (upwards ? box.height() : box.width()) - 2 * kPadding;
  if (across < metrics.height() * 0.85) return;
  const QString text = fittingLabel(metrics, room, run, stay);
  if (text.isEmpty()) return;
  painter.save();
  painter.translate(upwards ? box.bottomLeft() : box.topLeft());
  if (upwards) painter.rotate(-90);
  painter.drawText(QRectF(kPadding, 0, room, across),
                   Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
  painter.restore();
}

}  // namespace hw
