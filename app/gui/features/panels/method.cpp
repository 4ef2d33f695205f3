#include <QKeyEvent>
#include <QList>
#include <QObject>

#include "app/gui/features/panels/panels.h"
#include "app/gui/window/main_window.h"
#include "widgets/method/method_panel.h"

namespace hw {

/// The panel "Decisions": how the allocator came to its plan, played in planning time. While it has
/// the keys, those of the transport move its playhead instead of the run's.
class MethodFeature : public QObject {
 public:
  explicit MethodFeature(MainWindow* window)
      : QObject(window), window_(window), panel_(new MethodPanel(window->state(), window)) {
    panel_->setObjectName(QStringLiteral("methodPanel"));
    panel_->installEventFilter(this);
    window->addPanel("method", tr("Decisions"), panel_);
    window->jobs()->watch(panel_->recorder()->job());
    QAction* play = window->addRunCommand(window->menu(MenuKind::simulate), "showMethod",
                                          tr("Play the allocator's &decisions"),
                                          {QKeySequence(Qt::CTRL | Qt::Key_M)}, [this] { show(); });
    play->setStatusTip(
        tr("How the plan was made, decision by decision, with a playhead of its own"));
  }

 protected:
  /// The panel's keys.
  bool eventFilter(QObject* watched, QEvent* event) override {
    const bool overrides = event->type() == QEvent::ShortcutOverride;
    if (watched != panel_ || (!overrides && event->type() != QEvent::KeyPress)) return false;
    if (!panel_->deck()->record()) return false;  // Then the keys move the run's playhead.
    const auto* key = static_cast<QKeyEvent*>(event);
    const QAction* command = commandOf(*key);
    if (!command) return false;
    if (overrides) {
      event->setAccepted(panel_->player()->knows(command->objectName()));
      return event->isAccepted();
    }
    return panel_->player()->act(command->objectName());
  }

 private:
  void show() {
    window_->showPanel(QStringLiteral("method"));
    panel_->showStage();
  }

  /// The transport's command that `key` means, as bound now; null: none of them.
  const QAction* commandOf(const QKeyEvent& key) const {
    QList<QAction*> commands = window_->transport()->moves();
    for (const char* name :
         {"opsBack", "opsForward", "step", "stepBack", "run", "runBack", "stop"}) {
      commands.append(window_->command(QLatin1String(name)));
    }
    const QKeySequence pressed(key.keyCombination());
    for (const QAction* command : std::as_const(commands)) {
      if (command->shortcuts().contains(pressed)) return command;
    }
    return nullptr;
  }

  MainWindow* window_;
  MethodPanel* panel_;
};

void addMethod(MainWindow* window) { new MethodFeature(window); }

}  // namespace hw
