#include "widgets/frame/message_bar.h"

#include <QPushButton>
#include <QToolButton>

#include "widgets/base/icons.h"
#include "widgets/base/theme.h"
#include "widgets/map/map_colors.h"

namespace hw {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), icon_(new QLabel(this)), text_(new QLabel(this)), buttons_(new QHBoxLayout) {
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
  layout->addLayout(buttons_);
  layout->addWidget(close);
  hide();
}

void MessageBar::showError(const QString& text) { showText(text, true); }

void MessageBar::showNote(const QString& text) { showText(text, false); }

void MessageBar::showNote(const QString& text, const std::vector<Remedy>& remedies) {
  showText(text, false);
  for (const Remedy& remedy : remedies) {
    auto* button = new QPushButton(remedy.button, this);
    button->setAccessibleDescription(text);
    connect(button, &QPushButton::clicked, this, [this, act = remedy.act] {
      hide();
      act();
    });
    buttons_->addWidget(button);
  }
}

void MessageBar::showText(const QString& text, bool error) {
  error_ = error;
  icon_->setPixmap(glyphIcon(error ? Glyph::error : Glyph::information).pixmap(18, 18));
  while (QLayoutItem* item = buttons_->takeAt(0)) {
    item->widget()->deleteLater();
    delete item;
  }
  text_->setText(text);
  text_->setAccessibleName(error ? tr("Error: %1").arg(text) : text);
  show();
}

void MessageBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintStrip(painter, rect(), error_ ? Theme::current().accent : Theme::current().highWater);
}

void paintStrip(QPainter& painter, const QRect& where, const QColor& color) {
  constexpr int kBand = 4;
  painter.fillRect(where, mixColors(color, Theme::current().window, 0.14));
  painter.fillRect(QRect(where.left(), where.top(), kBand, where.height()), color);
}

}  // namespace hw
