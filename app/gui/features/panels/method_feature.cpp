#include "app/gui/features/panels/method_feature.h"

#include <QDockWidget>
#include <QKeyEvent>

#include "app/gui/window/dock_room.h"
#include "app/gui/window/main_window.h"
#include "widgets/method/method_panel.h"

namespace hw {

MethodFeature::MethodFeature(MainWindow* window)
    : QObject(window), window_(window), panel_(new MethodPanel(window->state(), window)) {
  panel_->setObjectName(QStringLiteral("methodPanel"));
  panel_->installEventFilter(this);
  QDockWidget* dock = window->addDock("method", tr("Method"), panel_, Qt::BottomDockWidgetArea);
  // Behind another tab it is not hidden, but nobody sees it.
  connect(dock, &QDockWidget::visibilityChanged, panel_, [this](bool visible) {
    if (!visible) panel_->leave();
  });
  window->jobs()->watch(panel_->recorder()->job());
  QAction* play =
      window->addRunCommand(window->menu(MenuKind::simulate), "showMethod", tr("Play the &method"),
                            {QKeySequence(Qt::CTRL | Qt::Key_M)}, [this] { show(); });
  play->setStatusTip(tr("How the plan was made, decision by decision, with a playhead of its own"));
}

void MethodFeature::show() {
  raiseWithRoom(window_, window_->dock(QStringLiteral("method")), kPercent, kEnough);
  panel_->showStage();
}

const QAction* MethodFeature::commandOf(const QKeyEvent& key) const {
  QList<QAction*> commands = window_->transport()->moves();
  for (const char* name : {"opsBack", "opsForward", "step", "stepBack", "run", "runBack", "stop"}) {
    commands.append(window_->command(QLatin1String(name)));
  }
  const QKeySequence pressed(key.keyCombination());
  for (const QAction* command : std::as_const(commands)) {
    if (command->shortcuts().contains(pressed)) return command;
  }
  return nullptr;
}

bool MethodFeature::eventFilter(QObject* watched, QEvent* event) {
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

}  // namespace hw
