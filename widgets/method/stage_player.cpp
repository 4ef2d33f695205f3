#include "widgets/method/stage_player.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "widgets/text/text.h"

namespace hw {

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
  place_->setToolTip(cut ? tr("The method decided more: what is recorded ends here") : QString());
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
