#include "app/gui/output/text_pictures.h"

#include <QTextCursor>

#include "widgets/plot/painter_canvas.h"

namespace hw {

void TextPictures::append(QTextCursor& cursor, Picture picture) {
  QTextCharFormat format;
  format.setObjectType(kType);
  format.setProperty(QTextFormat::UserProperty, static_cast<int>(pictures_.size()));
  pictures_.push_back(std::move(picture));
  cursor.insertBlock(QTextBlockFormat(), QTextCharFormat());
  cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
}

QSizeF TextPictures::intrinsicSize(QTextDocument*, int, const QTextFormat& format) {
  return pictureOf(format).size;
}

void TextPictures::drawObject(QPainter* painter, const QRectF& rect, QTextDocument*, int,
                              const QTextFormat& format) {
  painter->save();
  painter->setFont(withLetters(painter->font(), letters_));
  pictureOf(format).paint(*painter, rect.toRect());
  painter->restore();
}

const Picture& TextPictures::pictureOf(const QTextFormat& format) const {
  return pictures_[static_cast<std::size_t>(format.intProperty(QTextFormat::UserProperty))];
}

}  // namespace hw
