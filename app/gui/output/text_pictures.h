#pragma once

#include <QObject>
#include <QTextObjectInterface>
#include <vector>

#include "app/gui/output/picture.h"

class QTextCursor;

// moc reads no header of Qt here (cmake/moc.cmake), so it is told the interface's name.
#ifdef Q_MOC_RUN
Q_DECLARE_INTERFACE(QTextObjectInterface, "org.qt-project.Qt.QTextObjectInterface")
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

}  // namespace hw
