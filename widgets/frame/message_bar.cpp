#include "widgets/frame/message_bar.h"

#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>

#include "widgets/base/icons.h"
#include "widgets/base/theme.h"

namespace hw {

namespace {

/// An offer in more of them is a sentence, and takes lines of its own.
constexpr qsizetype kFewLetters = 48;

}  // namespace

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent), icon_(new QLabel(this)), row_(new QHBoxLayout) {
  setObjectName(QStringLiteral("messageBar"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(12, 4, 6, 4);
  row_->setSpacing(8);
  auto* close = new QToolButton(this);
  close->setIcon(glyphIcon(Glyph::cancel));
  close->setAutoRaise(true);
  close->setToolTip(tr("Close this message"));
  close->setAccessibleName(tr("Close this message"));
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  layout->addWidget(icon_);
  layout->addLayout(row_, 1);
  layout->addWidget(close);
  constexpr int kNoteMilliseconds = 5'000;
  leaving_.setSingleShot(true);
  leaving_.setInterval(kNoteMilliseconds);
  connect(&leaving_, &QTimer::timeout, this, &QWidget::hide);
  hide();
}

void MessageBar::showError(const QString& text) {
  begin(Tone::error);
  addText(text)->setAccessibleName(tr("Error: %1").arg(text));
  show();
}

void MessageBar::showNote(const QString& text, const std::vector<Offer>& ways) {
  begin(Tone::note);
  addText(text);
  for (const Offer& way : ways) {
    const auto close = [this, act = way.act](const QPoint& below) {
      hide();
      act(below);
    };
    addButton({.button = way.button, .act = close}, text);
  }
  show();
  // Who has to choose has all the time that it takes.
  if (ways.empty()) leaving_.start();
}

void MessageBar::offer(const std::vector<Offer>& offers) {
  begin(Tone::offer);
  for (const Offer& each : offers) {
    addText(each.text);
    addButton(each, each.text);
  }
  const bool anySentence =
      std::ranges::any_of(offers, [](const Offer& each) { return each.text.size() > kFewLetters; });
  if (!anySentence) row_->addStretch(1);
  setVisible(!offers.empty());
}

void MessageBar::begin(Tone tone) {
  tone_ = tone;
  leaving_.stop();
  const Glyph glyph = tone == Tone::error ? Glyph::error : Glyph::information;
  icon_->setPixmap(glyphIcon(glyph).pixmap(18, 18));
  while (QLayoutItem* item = row_->takeAt(0)) {
    if (QWidget* part = item->widget()) {
      part->hide();
      part->deleteLater();
    }
    delete item;
  }
  parts_.clear();
  update();
}

QLabel* MessageBar::addText(const QString& text) {
  auto* label = new QLabel(text, this);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  label->setAccessibleName(text);
  // A sentence takes the room there is; what is offered in a few words stands beside its button.
  const bool sentence = tone_ != Tone::offer || text.size() > kFewLetters;
  label->setWordWrap(sentence);
  row_->addWidget(label, sentence ? 1 : 0);
  parts_.append(label);
  return label;
}

void MessageBar::addButton(const Offer& offer, const QString& description) {
  auto* button = new QPushButton(offer.button, this);
  button->setAccessibleDescription(description);
  connect(button, &QPushButton::clicked, this,
          [button, act = offer.act] { act(button->mapToGlobal(button->rect().bottomLeft())); });
  row_->addWidget(button);
  parts_.append(button);
}

QString MessageBar::text() const {
  QStringList words;
  for (const QWidget* part : parts_) {
    const auto* label = qobject_cast<const QLabel*>(part);
    words.append(label ? label->text() : qobject_cast<const QPushButton*>(part)->text());
  }
  return words.join(QStringLiteral(" \u00b7 "));
}

void MessageBar::paintEvent(QPaintEvent*) {
  const Theme& theme = Theme::current();
  const bool error = tone_ == Tone::error;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(error ? theme.accent : theme.selection, 1));
  painter.setBrush(error ? theme.warmTint : theme.hover);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
}

}  // namespace hw
