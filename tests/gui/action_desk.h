#pragma once

#include <QDialog>
#include <QTest>
#include <QTimer>
#include <functional>
#include <vector>

#include "tests/gui/native_support.h"
#include "widgets/base/theme.h"
#include "widgets/text/run_text.h"

namespace hw::test {

/// A studio at work on a sample, to try commands on.
struct Desk {
  Desk() {
    window.resize(1500, 1000);
    window.show();
    window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&window));
    openAndWait(window, QStringLiteral("samples:resnet50"));
    closer.setInterval(10);
    // A dialog that waits for its user keeps the command from returning.
    QObject::connect(&closer, &QTimer::timeout, &window, [this] {
      auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
      if (!dialog) return;
      dialogs.append(QString::fromLatin1(dialog->metaObject()->className()));
      dialog->reject();
    });
    closer.start();
    reset();
  }
  ~Desk() {
    TextUnits::apply({});
    Theme::apply(Theme::light());
  }

  /// In the middle of the run, nothing selected, marked or below.
  void reset() {
    window.player()->pause();
    window.player()->setMode(PlayMode::animate);
    settle(window);
    window.resetLayout();
    window.compareMaps()->clear();
    ViewState& state = *window.state();
    state.select({});
    state.selectOp({});
    state.markSteps({});
    state.restrictStatistics({});
    state.setAxis(AxisUnit::step);
    state.showAll();
    state.setStep(Step(40));
    window.messages()->hide();
    while (QWidget* popup = QApplication::activePopupWidget()) popup->close();
    dialogs.clear();
    for (auto* dialog : window.findChildren<QDialog*>()) dialog->hide();
    window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&window));
    window.maps().front()->setFocus();
    QTest::qWait(1);
  }

  ViewState& state() { return *window.state(); }
  template <class Part>
  Part& part() {
    auto* found = window.findChild<Part*>();
    REQUIRE(found);
    return *found;
  }
  bool isRaised(const char* panel) { return window.places()->isShown(QString::fromLatin1(panel)); }
  /// By its key where it has one, as a user would; otherwise as from its menu.
  void run(QAction* action) {
    const QKeySequence key = action->shortcut();
    if (key.isEmpty()) {
      action->trigger();
    } else {
      QTest::keySequence(&window, key);
    }
    QTest::qWait(1);
  }
  bool asked(const char* dialog) const {
    return dialogs.contains(QLatin1String("hw::") + QLatin1String(dialog)) ||
           dialogs.contains(QLatin1String(dialog));
  }

  QTemporaryDir folder{};
  Settings settings{storeIn(folder)};
  Studio window{&settings};
  QTimer closer{};
  QStringList dialogs{};  ///< Classes of those that were shown and closed.
};

/// The effect of a command: `holds` is false before it and becomes true after it.
struct CommandCase {
  const char* name;
  std::function<bool(Desk&)> holds;
  std::function<void(Desk&)> prepare{};
};

/// Commands that go places, select and play; and all others.
std::vector<CommandCase> movingCases();
std::vector<CommandCase> panelCases();

}  // namespace hw::test
