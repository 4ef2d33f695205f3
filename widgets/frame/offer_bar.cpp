#include "widgets/frame/offer_bar.h"

#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "widgets/base/icons.h"
#include "widgets/base/theme.h"
#include "widgets/frame/message_bar.h"

namespace hw {

OfferBar::OfferBar(QWidget* parent) : QFrame(parent), row_(new QHBoxLayout(this)) {
  setObjectName(QStringLiteral("offerBar"));
  setAccessibleName(tr("What can be settled about the model"));
  row_->setContentsMargins(12, 3, 6, 3);
  row_->setSpacing(8);
  row_->addStretch(1);
  auto* close = new QToolButton(this);
  close->setIcon(glyphIcon(Glyph::cancel));
  close->setAutoRaise(true);
  close->setToolTip(tr("Leave it as it is"));
  close->setAccessibleName(close->toolTip());
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  row_->addWidget(close);
  hide();
}

void OfferBar::offer(const std::vector<Offer>& offers) {
  for (QWidget* part : std::as_const(parts_)) part->deleteLater();
  parts_.clear();
  const auto add = [this](QWidget* part) {
    row_->insertWidget(static_cast<int>(parts_.size()), part);
    parts_.append(part);
    part->show();
  };
  for (const Offer& each : offers) {
    auto* text = new QLabel(each.text, this);
    text->setTextFormat(Qt::PlainText);
    text->setContentsMargins(parts_.isEmpty() ? 0 : 18, 0, 0, 0);
    add(text);
    auto* button = new QPushButton(each.button, this);
    button->setAccessibleDescription(each.text);
    connect(button, &QPushButton::clicked, this,
            [button, act = each.act] { act(button->mapToGlobal(button->rect().bottomLeft())); });
    add(button);
  }
  setVisible(!offers.empty());
}

QString OfferBar::text() const {
  QStringList words;
  for (const QWidget* part : parts_) {
    const auto* label = qobject_cast<const QLabel*>(part);
    words.append(label ? label->text() : qobject_cast<const QPushButton*>(part)->text());
  }
  return words.join(QStringLiteral(" \u00b7 "));
}

void OfferBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paintStrip(painter, rect(), Theme::current().capacity);
}

}  // namespace hw
