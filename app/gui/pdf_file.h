#pragma once

#include <QByteArray>
#include <QPainter>
#include <QSizeF>
#include <QString>
#include <functional>

namespace hw {

/// A PDF whose bytes depend on nothing but what is drawn: no date, no time zone. Lengths are in
/// units of 1/96 inch, as on a screen.
class PdfFile {
 public:
  /// Starts a new page of the same size. Draws on the one before are final.
  using NextPage = std::function<void()>;
  using Draw = std::function<void(QPainter&, const NextPage&)>;

  /// Calls `draw` once, with a painter on the first page whose font is `letters` units high. Empty
  /// when the file cannot be made.
  static QByteArray write(const QSizeF& page, const QString& title, double letters,
                          const Draw& draw);
};

/// Replaces the times in a PDF that Qt wrote, its own and those of the fonts in it, and moves what
/// its table of contents says about offsets by as much as the file has become shorter or longer.
QByteArray withoutDate(QByteArray pdf);

}  // namespace hw
