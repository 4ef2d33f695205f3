#include "widgets/frame/message_bar.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QToolButton>

#include "widgets/base/icons.h"
#include "widgets/base/theme.h"

namespace hw {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), icon_(new QLabel(this)), text_(new QLabel(this)) {
  setObjectName(QStringLiteral("messageBar"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 6, 6, 6);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* close = new QToolButton(this);
  close->setIcon(glyphIcon(Glyph::cancel));
  close->setAutoRaise(true);
  close->setToolTip(tr("Close this message"));
  close->setAccessibleName(tr("Close this message"));
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  layout->addWidget(icon_);
  layout->addWidget(text_, 1);
  layout->addWidget(close);
  hide();
}

void MessageBar::showError(const QString& text) { showText(text, true); }

void MessageBar::showNote(const QString& text) { showText(text, false); }

void MessageBar::showText(const QString& text, bool error) {
  error_ = error;
  icon_->setPixmap(glyphIcon(error ? Glyph::error : Glyph::information).pixmap(18, 18));
  text_->setText(text);
  text_->setAccessibleName(error ? tr("Error: %1").arg(text) : text);
  show();
}

void MessageBar::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  QPainter painter(this);
  painter.fillRect(rect(), theme.window);
  QColor wash = error_ ? theme.accent : theme.highWater;
  painter.fillRect(QRect(0, 0, 4, height()), wash);
  wash.setAlphaF(0.14F);
  painter.fillRect(rect(), wash);
}

}  // namespace hw
