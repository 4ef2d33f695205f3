#pragma once

#include <QByteArray>
#include <QObject>
#include <QSizeF>
#include <QString>
#include <QTextDocument>
#include <QTextObjectInterface>
#include <memory>
#include <vector>

#include "app/gui/output/picture.h"
#include "core/picture/axis.h"
#include "core/report/run/run_report.h"
#include "core/study/compare.h"

class QTextCursor;
// moc reads no header of Qt here (cmake/moc.cmake), so it is told the interface's name.
#ifdef Q_MOC_RUN
Q_DECLARE_INTERFACE(QTextObjectInterface, "org.qt-project.Qt.QTextObjectInterface");
#endif

namespace hw {

/// Pictures as letters of a QTextDocument: drawn where its layout puts them, which
/// knows them as the handler of `kType`. The document is drawn while they live.
class TextPictures final : public QObject, public QTextObjectInterface {
  Q_OBJECT
  Q_INTERFACES(QTextObjectInterface)

 public:
  static constexpr int kType = QTextFormat::UserObject + 1;

  /// `letters`: the size of those inside the pictures, in units of a Picture.
  explicit TextPictures(double letters) : letters_(letters) {}

  /// Adds a paragraph that holds `picture`, at its own size.
  void append(QTextCursor& cursor, Picture picture);

  QSizeF intrinsicSize(QTextDocument* document, int position, const QTextFormat& format) override;
  void drawObject(QPainter* painter, const QRectF& rect, QTextDocument* document, int position,
                  const QTextFormat& format) override;

 private:
  const Picture& pictureOf(const QTextFormat& format) const;

  double letters_;
  std::vector<Picture> pictures_{};
};

/// A report laid out on A4 pages, to be painted one by one. Touches no widget: may live in any
/// thread, under a ThemeScope of the light theme.
class ReportPages {
 public:
  /// Units of 1/96 inch.
  static constexpr QSizeF kSize{794, 1123};
  /// Of the text.
  static constexpr double kLetters = 11;

  /// `run` and `report` outlive the pages; `font` is that of the painters.
  ReportPages(const Run& run, const RunReport& report, const QFont& font);

  int count() const { return document_.pageCount(); }
  void paint(QPainter& painter, int page);

 private:
  const RunReport& report_;
  TextPictures pictures_;
  QTextDocument document_;
};

/// The report on A4 pages, in the light theme: cards, a map and a chart for every pool in use, the
/// tables with their heads on every page, notes, the command that makes it again; page numbers and
/// where it comes from at the foot. Tables stop at `kMostPdfRows` rows and say so. Touches no
/// widget: may run in any thread. Empty when it cannot be made.
QByteArray reportPdf(const Run& run, const RunReport& report);

inline constexpr std::size_t kMostPdfRows = 400;

/// Refuses endings that `writeReport` cannot write.
Result<void> checkReportFile(const QString& file);

/// Writes a report as HTML, PDF, Markdown, JSON or CSV, by the ending of `file`; whole or not at
/// all, and equal bytes for equal runs. `comparison` may be null; pictures are over `axis` as far
/// as the run is timed. May run in any thread.
Result<void> writeReport(const Run& run, const Comparison* comparison, AxisUnit axis,
                         const QString& file);

}  // namespace hw
