#include <QDialog>
#include <QMenu>
#include <QObject>
#include <QVBoxLayout>

#include "app/gui/features/moving/moving.h"
#include "app/gui/window/main_window.h"
#include "widgets/transport/until_form.h"

namespace hw {

/// Playing in three modes and both directions, and running until something happens.
class TransportFeature : public QObject {
 public:
  explicit TransportFeature(MainWindow* window)
      : QObject(window),
        window_(window),
        until_(window->state(), window->belowState(), window->player(), this) {
    setObjectName(QStringLiteral("transportFeature"));
    // A movement that is cut short by a pause ends in the exact state.
    connect(window->player(), &Player::playingChanged, this, [window](bool playing) {
      if (!playing) window->now()->finish();
    });
    addPlayCommands();
    addUntilCommands();
  }

  RunUntil* until() { return &until_; }
  UntilForm* form() const { return form_; }

 private:
  void addPlayCommands() {
    QMenu* menu = window_->menu(MenuKind::simulate)->addMenu(tr("&Run"));
    menu->setToolTipsVisible(true);
    const auto add = [&](const char* name, const QString& text, Glyph glyph,
                         const QKeySequence& key, const std::function<void()>& act) {
      window_->addRunCommand(menu, name, text, {key}, act)->setIcon(glyphIcon(glyph));
    };
    Player* player = window_->player();
    add("step", tr("&Step one event"), Glyph::eventForward, Qt::Key_F4,
        [player] { player->stepEvents(1); });
    add("run", tr("&Animate every event"), Glyph::play, Qt::Key_F5,
        [this] { play(PlayMode::animate, true); });
    add("runFast", tr("&Fast, ten pictures a second"), Glyph::fast, Qt::Key_F9,
        [this] { play(PlayMode::fast, true); });
    add("runExpress", tr("&Express, only the end"), Glyph::express, Qt::Key_F7,
        [this] { play(PlayMode::express, true); });
    menu->addSeparator();
    const auto shifted = [](int key) { return QKeySequence(Qt::SHIFT | key); };
    add("stepBack", tr("Step one event back"), Glyph::eventBack, shifted(Qt::Key_F4),
        [player] { player->stepEvents(-1); });
    add("runBack", tr("Animate backwards"), Glyph::playBack, shifted(Qt::Key_F5),
        [this] { play(PlayMode::animate, false); });
    add("runFastBack", tr("Fast backwards"), Glyph::fast, shifted(Qt::Key_F9),
        [this] { play(PlayMode::fast, false); });
    add("runExpressBack", tr("Express backwards"), Glyph::express, shifted(Qt::Key_F7),
        [this] { play(PlayMode::express, false); });
    menu->addSeparator();
    add("stop", tr("S&top"), Glyph::stop, Qt::Key_F8, [this] { stop(); });
  }

  void addUntilCommands() {
    QMenu* menu = window_->menu(MenuKind::simulate);
    QAction* until =
        window_->addRunCommand(menu, "runUntil", tr("Run &until\u2026"),
                               {QKeySequence(Qt::CTRL | Qt::Key_F5)}, [this] { openUntil(); });
    until->setIcon(glyphIcon(Glyph::until));
    QAction* update =
        window_->addCommand(menu, "updateNow", tr("Update &now"),
                            {QKeySequence(Qt::CTRL | Qt::Key_F7)}, [this] { until_.updateNow(); });
    const auto enable = [update](bool searching) {
      update->setEnabled(searching);
      update->setToolTip(searching ? tr("Shows how far the search has looked")
                                   : tr("Nothing is being looked for"));
    };
    enable(false);
    connect(&until_, &RunUntil::searchingChanged, this, enable);
    connect(&until_, &RunUntil::finished, this, [this](bool met, const QString& text) {
      if (!met) window_->messages()->showNote(text);
      window_->jobs()->end(searching_, JobState::done, text);
    });
    connect(&until_, &RunUntil::searchingChanged, this, [this](bool searching) {
      if (!searching) return;
      searching_ = window_->jobs()->begin(tr("Running until"), [this] { until_.cancel(); });
    });
    connect(&until_, &RunUntil::cancelled, this,
            [this] { window_->jobs()->end(searching_, JobState::stopped, {}); });
  }

  void play(PlayMode mode, bool forwards) {
    until_.cancel();
    window_->player()->setMode(mode);
    window_->player()->play(forwards);
  }

  void stop() {
    until_.cancel();
    window_->player()->pause();
  }

  void openUntil() {
    if (!dialog_) {
      dialog_ = new QDialog(window_);
      dialog_->setObjectName(QStringLiteral("untilDialog"));
      dialog_->setWindowTitle(tr("Run until"));
      form_ = new UntilForm(window_->state(), window_->belowState(), &until_, dialog_);
      auto* layout = new QVBoxLayout(dialog_);
      layout->addWidget(form_);
      connect(dialog_, &QDialog::rejected, &until_, &RunUntil::cancel);
    }
    dialog_->show();
    dialog_->raise();
    dialog_->activateWindow();
  }

  MainWindow* window_;
  RunUntil until_;
  quint64 searching_ = 0;  ///< On the board of jobs.
  QDialog* dialog_ = nullptr;
  UntilForm* form_ = nullptr;
};

void addTransport(MainWindow* window) { new TransportFeature(window); }

}  // namespace hw
