#include "widgets/method/stage_player.h"

#include <QHBoxLayout>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <QStyleOptionSlider>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/text.h"

namespace hw {

StageView::StageView(MethodDeck* deck, QWidget* parent) : QWidget(parent), deck_(deck) {
  setObjectName(QStringLiteral("stage"));
  setAccessibleName(tr("Stage of the allocator"));
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  connect(deck, &MethodDeck::recordChanged, this, &StageView::showRecord);
  connect(deck, &MethodDeck::moved, this, &StageView::showTick);
}

void StageView::showRecord() {
  stage_.reset();
  if (deck_->record()) stage_.emplace(deck_->run(), deck_->recordIndex());
  update();
}

void StageView::showTick() {
  setAccessibleDescription(sentence());
  update();
}

QString StageView::sentence() const {
  return stage_ ? QString::fromStdString(stage_->sentence(deck_->at())) : QString();
}

void StageView::setSelected(StayId stay) {
  if (stay == selected_) return;
  selected_ = stay;
  update();
}

const StageItem* StageView::itemAt(const QPoint& position) const {
  return stageItemAt(items_, {position.x() + 0.5, position.y() + 0.5});
}

StayId StageView::stayAt(const QPoint& position) const {
  const StageItem* item = itemAt(position);
  return item ? item->stay : StayId();
}

void StageView::renderTo(QPainter& painter, const QRect& target) {
  painter.fillRect(target, Theme::current().plot);
  items_.clear();
  if (!stage_) return;
  PainterCanvas canvas(painter);
  items_ = stage_->items(canvas.ruler(), *deck_->player(), toBox(target), selected_);
  drawStage(canvas, items_);
}

void StageView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  renderTo(painter, rect());
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(Theme::current().selection);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void StageView::mouseMoveEvent(QMouseEvent* event) {
  Q_EMIT pointedAt(stayAt(event->position().toPoint()));
}

void StageView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  Q_EMIT chosen(stayAt(event->position().toPoint()));
}

void StageView::leaveEvent(QEvent*) { Q_EMIT pointedAt({}); }

bool StageView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const StageItem* item = itemAt(help->pos());
  if (!item || item->text.empty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), viewText(item->text), this);
  }
  return true;
}

void StageView::focusInEvent(QFocusEvent*) { update(); }

void StageView::focusOutEvent(QFocusEvent*) { update(); }

TickSlider::TickSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {}

void TickSlider::setMarks(std::vector<std::size_t> values) {
  marks_ = std::move(values);
  update();
}

/// The places that the middle of the handle can have.
QRect TickSlider::groove() const {
  QStyleOptionSlider option;
  initStyleOption(&option);
  const QRect groove =
      style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderGroove, this);
  const int handle =
      style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, this).width();
  return groove.adjusted(handle / 2, 0, -(handle - handle / 2), 0);
}

void TickSlider::paintEvent(QPaintEvent* event) {
  QSlider::paintEvent(event);
  if (marks_.empty() || maximum() <= minimum()) return;
  QPainter painter(this);
  const QRect way = groove();
  for (const std::size_t value : marks_) {
    const int x = way.left() + QStyle::sliderPositionFromValue(
                                   minimum(), maximum(), static_cast<int>(value), way.width());
    painter.fillRect(QRect(x - 1, height() - 5, 2, 4), Theme::current().selection);
  }
}

/// A click goes there, not a page nearer: each place is a decision.
void TickSlider::mousePressEvent(QMouseEvent* event) {
  QStyleOptionSlider option;
  initStyleOption(&option);
  const QRect handle =
      style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, this);
  if (event->button() == Qt::LeftButton && !handle.contains(event->pos())) {
    const QRect way = groove();
    setValue(QStyle::sliderValueFromPosition(minimum(), maximum(), event->pos().x() - way.left(),
                                             way.width()));
  }
  QSlider::mousePressEvent(event);
}

namespace {

constexpr std::array kSpeeds = {0.5, 1.0, 2.0, 4.0, 16.0, MethodDeck::kMaxSpeed};

struct Command {
  const char* name;
  void (*act)(MethodDeck&);
};

/// By the names of the transport and of the Run menu.
constexpr std::array kCommands = {
    Command{"start", [](MethodDeck& deck) { deck.goToStart(); }},
    Command{"opBack", [](MethodDeck& deck) { deck.stepOps(-1); }},
    Command{"opsBack", [](MethodDeck& deck) { deck.stepOps(-10); }},
    Command{"eventBack", [](MethodDeck& deck) { deck.stepTicks(-1); }},
    Command{"stepBack", [](MethodDeck& deck) { deck.stepTicks(-1); }},
    Command{"playBack", [](MethodDeck& deck) { deck.playBackwards(); }},
    Command{"runBack", [](MethodDeck& deck) { deck.play(false); }},
    Command{"play", [](MethodDeck& deck) { deck.playForwards(); }},
    Command{"run", [](MethodDeck& deck) { deck.play(true); }},
    Command{"stop", [](MethodDeck& deck) { deck.pause(); }},
    Command{"eventForward", [](MethodDeck& deck) { deck.stepTicks(1); }},
    Command{"step", [](MethodDeck& deck) { deck.stepTicks(1); }},
    Command{"opForward", [](MethodDeck& deck) { deck.stepOps(1); }},
    Command{"opsForward", [](MethodDeck& deck) { deck.stepOps(10); }},
    Command{"end", [](MethodDeck& deck) { deck.goToEnd(); }},
};

}  // namespace

StagePlayer::StagePlayer(QWidget* parent)
    : QWidget(parent),
      stage_(new StageView(&deck_, this)),
      slider_(new TickSlider(this)),
      place_(new QLabel(this)),
      speed_(new QComboBox(this)),
      head_(new QWidget(this)),
      line_(new QHBoxLayout(head_)) {
  buildHead();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(head_);
  column->addWidget(stage_, 1);
  setFocusProxy(stage_);
  connect(&deck_, &MethodDeck::recordChanged, this, &StagePlayer::showRecord);
  connect(&deck_, &MethodDeck::moved, this, &StagePlayer::showTick);
  connect(&deck_, &MethodDeck::playingChanged, this, &StagePlayer::showPlaying);
  showRecord();
  showPlaying();
}

void StagePlayer::buildHead() {
  line_->setContentsMargins(8, 2, 8, 2);
  line_->setSpacing(2);
  addButton("start", tr("Before the first decision"), Glyph::first);
  addButton("opBack", tr("Back over one step of the program"), Glyph::opBack);
  addButton("eventBack", tr("Previous decision"), Glyph::eventBack);
  addButton("playBack", tr("Play backwards"), Glyph::playBack);
  addButton("play", tr("Play"), Glyph::play);
  addButton("eventForward", tr("Next decision"), Glyph::eventForward);
  addButton("opForward", tr("Over one step of the program"), Glyph::opForward);
  addButton("end", tr("After the last decision"), Glyph::last);
  slider_->setObjectName(QStringLiteral("tickSlider"));
  slider_->setAccessibleName(tr("Decision"));
  slider_->setMinimumWidth(60);
  slider_->setToolTip(tr("Planning time; marked are the decisions about the selected tensor"));
  line_->addSpacing(6);
  line_->addWidget(slider_, 1);
  line_->addSpacing(6);
  place_->setObjectName(QStringLiteral("tickNumber"));
  line_->addWidget(place_);
  line_->addSpacing(6);
  speed_->setAccessibleName(tr("Playing speed"));
  speed_->setToolTip(tr("Of playing: 1\u00d7 is slow enough to read what each decides"));
  for (const double speed : kSpeeds) {
    speed_->addItem(
        speed == MethodDeck::kMaxSpeed ? tr("max") : QStringLiteral("%1\u00d7").arg(speed), speed);
  }
  speed_->setCurrentIndex(speed_->findData(1.0));
  line_->addWidget(speed_);
  connect(slider_, &QSlider::valueChanged, this, [this](int value) {
    deck_.pause();
    deck_.goTo(static_cast<std::size_t>(value));
  });
  connect(speed_, &QComboBox::currentIndexChanged, this,
          [this] { deck_.setSpeed(speed_->currentData().toDouble()); });
}

void StagePlayer::addButton(const char* name, const QString& text, Glyph glyph) {
  auto* button = new QToolButton(this);
  button->setObjectName(QStringLiteral("method_") + QLatin1String(name));
  button->setIcon(glyphIcon(glyph));
  button->setAutoRaise(true);
  button->setToolTip(text);
  button->setAccessibleName(text);
  // Keys go on acting on the stage.
  button->setFocusPolicy(Qt::TabFocus);
  connect(button, &QToolButton::clicked, this, [this, name] { act(QLatin1String(name)); });
  buttons_[QLatin1String(name)] = button;
  line_->addWidget(button);
}

bool StagePlayer::knows(const QString& command) const {
  return std::ranges::any_of(
      kCommands, [&](const Command& each) { return command == QLatin1String(each.name); });
}

bool StagePlayer::act(const QString& command) {
  for (const Command& each : kCommands) {
    if (command == QLatin1String(each.name)) each.act(deck_);
  }
  return knows(command);
}

void StagePlayer::addAtStart(QWidget* widget) {
  line_->insertWidget(0, widget);
  line_->insertSpacing(1, 6);
}

void StagePlayer::addAtEnd(QWidget* widget) {
  line_->addSpacing(6);
  line_->addWidget(widget);
}

void StagePlayer::showRecord() {
  const QSignalBlocker quiet(slider_);
  const auto last = static_cast<int>(deck_.count());
  slider_->setRange(0, last);
  slider_->setPageStep(std::max(1, last / 20));
  const bool any = last > 0;
  slider_->setEnabled(any);
  for (const auto& [name, button] : buttons_) button->setEnabled(any);
  // Wide enough for the largest number, so that nothing moves while playing.
  const QString widest = tr("decision %1 of %1").arg(grouped(deck_.count()));
  place_->setMinimumWidth(place_->fontMetrics().horizontalAdvance(widest) + 6);
  setSelected(selected_);
}

void StagePlayer::showTick() {
  const QSignalBlocker quiet(slider_);
  slider_->setValue(static_cast<int>(deck_.at()));
  QString text = tr("decision %1 of %2").arg(grouped(deck_.at()), grouped(deck_.count()));
  const bool cut = deck_.record() && deck_.record()->truncated;
  if (cut) text += QLatin1Char('+');
  place_->setText(deck_.record() ? text : QString());
  place_->setToolTip(cut ? tr("The allocator decided more: what is recorded ends here")
                         : QString());
}

void StagePlayer::showPlaying() {
  const auto show = [this](const char* name, bool playing, Glyph glyph, const QString& text) {
    QToolButton* button = buttons_.at(QLatin1String(name));
    button->setIcon(glyphIcon(playing ? Glyph::pause : glyph));
    button->setToolTip(playing ? tr("Pause") : text);
    button->setAccessibleName(button->toolTip());
  };
  const bool back = deck_.isBackwards();
  show("playBack", back, Glyph::playBack, tr("Play backwards"));
  show("play", deck_.isPlaying() && !back, Glyph::play, tr("Play"));
}

void StagePlayer::setSelected(StayId stay) {
  selected_ = stay;
  slider_->setMarks(deck_.ticksOf(stay));
  stage_->setSelected(stay);
}

}  // namespace hw
