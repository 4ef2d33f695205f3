#include "widgets/transport/transport_bar.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "core/base/text.h"
#include "widgets/base/style.h"
#include "widgets/now/memory_scene.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

QString speedText(double speed) {
  return speed == Player::kMaxSpeed ? TransportBar::tr("max")
                                    : QStringLiteral("%1\u00d7").arg(speed);
}

}  // namespace

TransportBar::TransportBar(ViewState* state, Player* player, QWidget* parent)
    : QToolBar(tr("Transport"), parent),
      state_(state),
      player_(player),
      speed_(new QToolButton(this)),
      pace_(new QMenu(this)) {
  setObjectName(QStringLiteral("transport"));
  setMovable(false);
  setIconSize({18, 18});
  addMoves();
  addSpeed();
  addModes();
  connect(state, &ViewState::runChanged, this, &TransportBar::showRun);
  connect(player, &Player::playingChanged, this, &TransportBar::showPlaying);
  showRun();
}

void TransportBar::showPlaying(bool playing) {
  const bool back = player_->isBackwards();
  play_->setIcon(glyphIcon(playing && !back ? Glyph::pause : Glyph::play, true));
  play_->setText(playing && !back ? tr("Pause") : tr("Play"));
  playBack_->setIcon(glyphIcon(back ? Glyph::pause : Glyph::playBack));
  playBack_->setText(back ? tr("Pause") : tr("Play backwards"));
  showRun();
}

QAction* TransportBar::addMove(const Move& move, const std::function<void()>& act) {
  auto* action = new QAction(glyphIcon(move.glyph), move.text, this);
  if (move.shown) addAction(action);
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
  addMove({name("opBack"), tr("Previous operator"), Glyph::opBack, Qt::Key_Left},
          [player] { player->stepOps(-1); });
  addMove({name("eventBack"), tr("Previous event"), Glyph::eventBack, Qt::Key_Comma},
          [player] { player->stepEvents(-1); });
  playBack_ = addMove({name("playBack"), tr("Play backwards"), Glyph::playBack,
                       QKeySequence(Qt::SHIFT | Qt::Key_Space), false},
                      [player] { player->isBackwards() ? player->pause() : player->play(false); });
  play_ = addMove({name("play"), tr("Play"), Glyph::play, Qt::Key_Space}, [player] {
    player->isPlaying() && !player->isBackwards() ? player->pause() : player->play(true);
  });
  play_->setIcon(glyphIcon(Glyph::play, true));
  setPrimary(qobject_cast<QToolButton*>(widgetForAction(play_)));
  addMove({name("eventForward"), tr("Next event"), Glyph::eventForward, Qt::Key_Period},
          [player] { player->stepEvents(1); });
  addMove({name("opForward"), tr("Next operator"), Glyph::opForward, Qt::Key_Right},
          [player] { player->stepOps(1); });
  addMove({name("end"), tr("Go to the end"), Glyph::last, Qt::Key_End},
          [player] { player->goToEnd(); });
  auto* apart = new QAction(this);
  apart->setSeparator(true);
  moves_.append(apart);
  addMove({name("peak"), tr("Go to the peak"), Glyph::peak, Qt::Key_P, false}, [player] {
    player->goToPeak();
  })->setToolTip(tr("Go to the live peak; from there, to the highest address"));
}

void TransportBar::addSpeed() {
  speed_->setObjectName(QStringLiteral("speed"));
  speed_->setAccessibleName(tr("Playing speed"));
  speed_->setPopupMode(QToolButton::InstantPopup);
  speed_->setAutoRaise(true);
  speed_->setMenu(pace_);
  addWidget(speed_);
  auto* group = new QActionGroup(this);
  for (const double speed : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, Player::kMaxSpeed}) {
    QAction* action = pace_->addAction(speedText(speed));
    action->setCheckable(true);
    action->setChecked(speed == 1.0);
    action->setData(speed);
    group->addAction(action);
    speeds_.append(action);
    connect(action, &QAction::triggered, this, [this, speed] {
      player_->setSpeed(speed);
      showPace();
    });
  }
  connect(state_, &ViewState::axisChanged, this, &TransportBar::showPace);
  connect(state_, &ViewState::runChanged, this, &TransportBar::showPace);
  connect(player_, &Player::modeChanged, this, &TransportBar::showPace);
}

void TransportBar::addModes() {
  pace_->addSeparator();
  auto* group = new QActionGroup(this);
  const QString texts[] = {tr("Animate: every event"), tr("Fast: ten pictures a second"),
                           tr("Express: only the end")};
  for (const QString& text : texts) {
    QAction* action = pace_->addAction(text);
    action->setCheckable(true);
    const auto mode = static_cast<PlayMode>(modes_.size());
    group->addAction(action);
    modes_.append(action);
    connect(action, &QAction::triggered, this, [this, mode] { player_->setMode(mode); });
  }
  showPace();
}

/// By time or by event, as the axis is.
void TransportBar::showPace() {
  const bool inTime = state_->axis() == AxisUnit::time;
  const auto mode = static_cast<qsizetype>(player_->mode());
  modes_[mode]->setChecked(true);
  QString text = mode == 0 ? speedText(player_->speed()) : modes_[mode]->text().section(u':', 0, 0);
  if (inTime) text = tr("%1/s").arg(viewText(formatTime(player_->timePerSecond())));
  speed_->setText(text);
  speed_->setToolTip(
      inTime ? tr("Simulated time that a second of playing shows; 1\u00d7 plays the whole run in "
                  "about 20 seconds")
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
}

MomentBox::MomentBox(ViewState* state, Player* player, QWidget* parent)
    : QWidget(parent),
      state_(state),
      player_(player),
      spin_(new QSpinBox(this)),
      steps_(new QLabel(this)),
      happening_(new QLabel(this)) {
  setObjectName(QStringLiteral("momentBox"));
  auto* label = new QLabel(tr("Step"), this);
  label->setBuddy(spin_);
  spin_->setObjectName(QStringLiteral("stepBox"));
  spin_->setAccessibleName(tr("Step number"));
  spin_->setKeyboardTracking(false);
  spin_->setAlignment(Qt::AlignRight);
  spin_->setButtonSymbols(QAbstractSpinBox::NoButtons);
  spin_->setFrame(false);
  steps_->setObjectName(QStringLiteral("eventNumber"));
  happening_->setObjectName(QStringLiteral("happening"));
  happening_->setForegroundRole(QPalette::PlaceholderText);
  happening_->setTextFormat(Qt::PlainText);
  // As wide as the box, whatever it says.
  happening_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* line = new QHBoxLayout;
  line->setSpacing(4);
  for (QWidget* part : std::initializer_list<QWidget*>{label, spin_, steps_}) line->addWidget(part);
  line->addStretch(1);
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(4, 2, 4, 2);
  rows->setSpacing(0);
  rows->addLayout(line);
  rows->addWidget(happening_);
  connect(spin_, &QSpinBox::valueChanged, this, [this](int step) {
    player_->pause();
    state_->setStep(Step(step));
  });
  connect(state, &ViewState::runChanged, this, &MomentBox::showRun);
  connect(state, &ViewState::momentChanged, this, &MomentBox::showMoment);
  showRun();
}

void MomentBox::showRun() {
  const bool any = state_->run() != nullptr;
  const int last = static_cast<int>(state_->steps().count() - 1);
  spin_->setEnabled(any);
  spin_->setToolTip(any ? tr("The step on show") : tr("Open a model first"));
  const QSignalBlocker blockSpin(spin_);
  spin_->setRange(0, last);
  // Wide enough for the largest numbers, so that nothing moves while playing.
  spin_->setFixedWidth(fontMetrics().horizontalAdvance(QString::number(last)) + 16);
  const QString count = grouped(player_->eventCount());
  const QString widest = tr("of %1 \u00b7 event %2 of %2").arg(grouped(last), count);
  steps_->setMinimumWidth(fontMetrics().horizontalAdvance(widest));
  showMoment();
}

void MomentBox::showMoment() {
  const QSignalBlocker blockSpin(spin_);
  const auto run = state_->run();
  spin_->setValue(static_cast<int>(state_->step().count()));
  steps_->setText(run ? tr("of %1 \u00b7 event %2 of %3")
                            .arg(grouped(state_->steps().count() - 1),
                                 grouped(player_->eventIndex()), grouped(player_->eventCount()))
                      : QString());
  showHappening();
}

void MomentBox::showHappening() {
  const auto run = state_->run();
  const QString text = run ? happeningText(*run, state_->moment()) : QString();
  happening_->setToolTip(text);
  happening_->setText(fontMetrics().elidedText(text, Qt::ElideRight, happening_->width()));
}

void MomentBox::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  showHappening();
}

}  // namespace hw
