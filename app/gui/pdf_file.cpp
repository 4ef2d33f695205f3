#include "app/gui/pdf_file.h"

#include <QBuffer>
#include <QFont>
#include <QPageLayout>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QtEndian>

namespace hw {

namespace {

/// Dots an inch: fine enough that no line is moved by rounding.
constexpr int kResolution = 1152;
constexpr double kUnitsPerInch = 96;

/// The offsets in the cross-reference table, each ten digits, moved by `shift` where they lie
/// beyond `from`.
void moveOffsets(QByteArray& pdf, qsizetype from, qsizetype shift) {
  const qsizetype table = pdf.lastIndexOf("\nxref\n");
  const qsizetype trailer = pdf.lastIndexOf("\ntrailer");
  for (qsizetype at = table; at >= 0 && at < trailer; ++at) {
    // "0000001234 00000 n" is an entry; nothing else in the table looks like one.
    if (pdf.mid(at + 10, 8) != " 00000 n") continue;
    const qlonglong offset = pdf.mid(at, 10).toLongLong();
    if (offset <= from) continue;
    pdf.replace(at, 10, QByteArray::number(offset + shift).rightJustified(10, '0'));
  }
  const QByteArray word = "\nstartxref\n";
  const qsizetype start = pdf.lastIndexOf(word) + word.size();
  const qsizetype end = pdf.indexOf('\n', start);
  const qlonglong offset = pdf.mid(start, end - start).toLongLong();
  pdf.replace(start, end - start, QByteArray::number(offset + shift));
}

void replaceAt(QByteArray& pdf, qsizetype from, qsizetype length, const QByteArray& bytes) {
  pdf.replace(from, length, bytes);
  moveOffsets(pdf, from, bytes.size() - length);
}

quint32 wordAt(const QByteArray& font, qsizetype at) {
  return qFromBigEndian<quint32>(font.constData() + at);
}

void setWord(QByteArray& font, qsizetype at, quint32 word) { qToBigEndian(word, font.data() + at); }

/// The sum that OpenType asks for: of big-endian words, the last one filled up with zeros.
quint32 sumOf(QByteArray table) {
  table.append((4 - table.size() % 4) % 4, '\0');
  quint32 sum = 0;
  for (qsizetype at = 0; at < table.size(); at += 4) sum += wordAt(table, at);
  return sum;
}

/// Sets the times of an OpenType font to 1904 and its check sums right again (OpenType: `head`).
void forgetTimes(QByteArray& font) {
  constexpr qsizetype kAdjustment = 8;
  constexpr qsizetype kCreated = 20;
  constexpr qsizetype kTimes = 16;
  constexpr qsizetype kHead = 54;
  const qsizetype entry = font.indexOf("head", 12);
  if (entry < 0 || (entry - 12) % 16 != 0 || entry + 16 > font.size()) return;
  const auto table = static_cast<qsizetype>(wordAt(font, entry + 8));
  if (table + kHead > font.size()) return;
  for (qsizetype i = 0; i < kTimes; i += 4) setWord(font, table + kCreated + i, 0);
  setWord(font, table + kAdjustment, 0);
  setWord(font, entry + 4, sumOf(font.mid(table, kHead)));
  setWord(font, table + kAdjustment, 0xB1B0AFBA - sumOf(font));
}

/// Qt writes the present time into every font that it puts into a PDF.
void forgetFontTimes(QByteArray& pdf) {
  static const QRegularExpression kHead(QStringLiteral(
      R"(/Length1 (\d+) ?\n/Length (\d+) 0 R ?\n/Filter /FlateDecode ?\n>>\nstream\n)"));
  qsizetype at = 0;
  while (true) {
    const auto head = kHead.match(QString::fromLatin1(pdf), at);
    if (!head.hasMatch()) return;
    const qsizetype start = head.capturedEnd();
    const QByteArray object = '\n' + head.captured(2).toLatin1() + " 0 obj\n";
    const qsizetype length = pdf.indexOf(object, start) + object.size();
    const qsizetype lengthEnd = pdf.indexOf('\n', length);
    const auto packed = static_cast<qsizetype>(pdf.mid(length, lengthEnd - length).toLongLong());
    QByteArray size(4, '\0');
    qToBigEndian(head.captured(1).toUInt(), size.data());
    QByteArray font = qUncompress(size + pdf.mid(start, packed));
    at = start;
    if (font.isEmpty()) continue;
    forgetTimes(font);
    const QByteArray again = qCompress(font).mid(4);
    replaceAt(pdf, length, lengthEnd - length, QByteArray::number(again.size()));
    replaceAt(pdf, start, packed, again);
  }
}

}  // namespace

QByteArray withoutDate(QByteArray pdf) {
  const QByteArray key = "/CreationDate (";
  const qsizetype begin = pdf.indexOf(key);
  if (begin < 0) return pdf;
  const qsizetype from = begin + key.size();
  replaceAt(pdf, from, pdf.indexOf(')', from) - from, "D:20000101000000Z");
  forgetFontTimes(pdf);
  return pdf;
}

QByteArray PdfFile::write(const QSizeF& page, const QString& title, double letters,
                          const Draw& draw) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setTitle(title);
    writer.setCreator(QStringLiteral("Highwater " HIGHWATER_VERSION));
    writer.setResolution(kResolution);
    writer.setPageSize(
        QPageSize(page * 72 / kUnitsPerInch, QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    QPainter painter;
    if (!painter.begin(&writer)) return {};
    painter.scale(kResolution / kUnitsPerInch, kResolution / kUnitsPerInch);
    QFont font(QStringLiteral("DejaVu Sans"));
    // In units, so that letters are as large as the layout thinks, and placed where it thinks.
    font.setPixelSize(qRound(letters));
    font.setHintingPreference(QFont::PreferNoHinting);
    painter.setFont(font);
    draw(painter, [&] { writer.newPage(); });
  }
  return withoutDate(bytes);
}

}  // namespace hw
