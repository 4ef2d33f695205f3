#include "widgets/transport/transport_bar.h"

#include <QSignalBlocker>

#include "core/base/text.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

QString speedText(double speed) {
  return speed == Player::kMaxSpeed ? TransportBar::tr("max")
                                    : QStringLiteral("%1\u00d7").arg(speed);
}

}  // namespace

TransportBar::TransportBar(ViewState* state, Player* player, QWidget* parent)
    : QToolBar(tr("Transport"), parent), state_(state), player_(player) {
  setObjectName(QStringLiteral("transport"));
  setMovable(false);
  setIconSize({20, 20});
  addMoves();
  addStepWidgets();
  addMode();
  addSpeed();
  connect(state, &ViewState::runChanged, this, &TransportBar::showRun);
  connect(state, &ViewState::momentChanged, this, &TransportBar::showMoment);
  connect(player, &Player::playingChanged, this, &TransportBar::showPlaying);
  showRun();
}

void TransportBar::showPlaying(bool playing) {
  const bool back = player_->isBackwards();
  play_->setIcon(glyphIcon(playing && !back ? Glyph::pause : Glyph::play));
  play_->setText(playing && !back ? tr("Pause") : tr("Play"));
  playBack_->setIcon(glyphIcon(back ? Glyph::pause : Glyph::playBack));
  playBack_->setText(back ? tr("Pause") : tr("Play backwards"));
  showRun();
}

QAction* TransportBar::addMove(const Move& move, const std::function<void()>& act) {
  QAction* action = addAction(glyphIcon(move.glyph), move.text);
  action->setObjectName(move.name);
  action->setShortcut(move.keys);
  connect(action, &QAction::triggered, this, act);
  moves_.append(action);
  return action;
}

void TransportBar::addMoves() {
  Player* player = player_;
  const auto name = [](const char* text) { return QString::fromLatin1(text); };
  addMove({name("start"), tr("Go to the start"), Glyph::first, Qt::Key_Home},
          [player] { player->goToStart(); });
  addMove({name("opBack"), tr("Previous op"), Glyph::opBack, Qt::Key_Left},
          [player] { player->stepOps(-1); });
  addMove({name("eventBack"), tr("Previous event"), Glyph::eventBack, Qt::Key_Comma},
          [player] { player->stepEvents(-1); });
  playBack_ = addMove({name("playBack"), tr("Play backwards"), Glyph::playBack,
                       QKeySequence(Qt::SHIFT | Qt::Key_Space)},
                      [player] { player->isBackwards() ? player->pause() : player->play(false); });
  play_ = addMove({name("play"), tr("Play"), Glyph::play, Qt::Key_Space}, [player] {
    player->isPlaying() && !player->isBackwards() ? player->pause() : player->play(true);
  });
  addMove({name("eventForward"), tr("Next event"), Glyph::eventForward, Qt::Key_Period},
          [player] { player->stepEvents(1); });
  addMove({name("opForward"), tr("Next op"), Glyph::opForward, Qt::Key_Right},
          [player] { player->stepOps(1); });
  addMove({name("end"), tr("Go to the end"), Glyph::last, Qt::Key_End},
          [player] { player->goToEnd(); });
  moves_.append(addSeparator());
  addMove({name("peak"), tr("Go to the peak"), Glyph::peak, Qt::Key_P}, [player] {
    player->goToPeak();
  })->setToolTip(tr("Go to the live peak; from there, to the highest address"));
  addSeparator();
}

void TransportBar::addStepWidgets() {
  auto* label = new QLabel(tr("Step"), this);
  label->setContentsMargins(6, 0, 4, 0);
  addWidget(label);
  spin_ = new QSpinBox(this);
  spin_->setObjectName(QStringLiteral("stepBox"));
  spin_->setAccessibleName(tr("Step number"));
  spin_->setKeyboardTracking(false);
  spin_->setAlignment(Qt::AlignRight);
  label->setBuddy(spin_);
  addWidget(spin_);
  steps_ = new QLabel(this);
  steps_->setContentsMargins(4, 0, 10, 0);
  addWidget(steps_);
  events_ = new QLabel(this);
  events_->setObjectName(QStringLiteral("eventNumber"));
  events_->setContentsMargins(6, 0, 10, 0);
  addWidget(events_);
  const auto seek = [this](int step) {
    player_->pause();
    state_->setStep(Step(step));
  };
  connect(spin_, &QSpinBox::valueChanged, this, seek);
}

void TransportBar::addMode() {
  mode_ = new QComboBox(this);
  mode_->setObjectName(QStringLiteral("playMode"));
  mode_->setAccessibleName(tr("What is shown while playing"));
  mode_->addItems({tr("Animate"), tr("Fast"), tr("Express")});
  mode_->setToolTip(
      tr("Animate shows every event, Fast ten pictures a second, Express only the "
         "end"));
  connect(mode_, &QComboBox::currentIndexChanged, this,
          [this](int index) { player_->setMode(static_cast<PlayMode>(index)); });
  connect(player_, &Player::modeChanged, this,
          [this] { mode_->setCurrentIndex(static_cast<int>(player_->mode())); });
  addWidget(mode_);
}

void TransportBar::addSpeed() {
  auto* label = new QLabel(tr("Speed"), this);
  label->setContentsMargins(6, 0, 4, 0);
  addWidget(label);
  speed_ = new QComboBox(this);
  speed_->setObjectName(QStringLiteral("speed"));
  speed_->setAccessibleName(tr("Playing speed"));
  for (const double speed : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, Player::kMaxSpeed}) {
    speed_->addItem(speedText(speed), speed);
  }
  speed_->setCurrentIndex(speed_->findData(1.0));
  connect(speed_, &QComboBox::currentIndexChanged, this, [this] {
    player_->setSpeed(speed_->currentData().toDouble());
    showPace();
  });
  addWidget(speed_);
  pace_ = new QLabel(this);
  pace_->setObjectName(QStringLiteral("pace"));
  pace_->setContentsMargins(6, 0, 4, 0);
  pace_->setToolTip(tr("Simulated time that a second of playing shows"));
  paceAction_ = addWidget(pace_);
  connect(state_, &ViewState::axisChanged, this, &TransportBar::showPace);
  connect(state_, &ViewState::runChanged, this, &TransportBar::showPace);
  connect(player_, &Player::modeChanged, this, &TransportBar::showPace);
  showPace();
}

/// By time or by event, as the axis is.
void TransportBar::showPace() {
  const bool inTime = state_->axis() == AxisUnit::time;
  paceAction_->setVisible(inTime);
  pace_->setText(inTime ? tr("%1/s").arg(viewText(formatTime(player_->timePerSecond())))
                        : QString());
  speed_->setToolTip(
      inTime ? tr("Times the pace at which the whole run takes about 20 seconds")
             : tr("1\u00d7 animates %1 events a second; max plays the whole run in 3 seconds")
                   .arg(Player::kEventsPerSecond));
}

void TransportBar::showRun() {
  const bool any = state_->run() != nullptr;
  for (QAction* action : moves_) {
    if (action->isSeparator()) continue;
    action->setEnabled(any);
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    action->setToolTip(any ? tr("%1 (%2)").arg(action->text(), keys)
                           : tr("%1: open a model first").arg(action->text()));
  }
  const int last = static_cast<int>(state_->steps().count() - 1);
  spin_->setEnabled(any);
  spin_->setToolTip(any ? tr("The step on show") : tr("Open a model first"));
  const QSignalBlocker blockSpin(spin_);
  spin_->setRange(0, last);
  steps_->setText(any ? tr("/ %1").arg(grouped(last)) : QString());
  // Wide enough for the largest number, so that nothing moves while playing.
  const QString widest = tr("event %1 / %1").arg(grouped(player_->eventCount()));
  events_->setMinimumWidth(events_->fontMetrics().horizontalAdvance(widest) + 16);
  showMoment();
}

void TransportBar::showMoment() {
  const QSignalBlocker blockSpin(spin_);
  const int step = static_cast<int>(state_->step().count());
  spin_->setValue(step);
  events_->setText(
      state_->run()
          ? tr("event %1 / %2").arg(grouped(player_->eventIndex()), grouped(player_->eventCount()))
          : QString());
}

}  // namespace hw
