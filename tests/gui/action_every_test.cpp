// Every command of the studio does what it says, by its key where it has one.
#include <QSet>
#include <catch2/catch.hpp>

#include "tests/gui/action_desk.h"
#include "tests/widgets/patience.h"

using namespace hw;
using namespace hw::test;

namespace {

void check(const std::vector<CommandCase>& cases) {
  Desk desk;
  for (const CommandCase& each : cases) {
    CAPTURE(each.name);
    desk.reset();
    QAction* command = action(desk.window, each.name);
    if (each.prepare) each.prepare(desk);
    desk.dialogs.clear();
    CHECK(command->isEnabled());
    CHECK_FALSE(each.holds(desk));
    desk.run(command);
    CHECK(QTest::qWaitFor([&] { return each.holds(desk); }, test::kPatience));
  }
}

/// A window that is closed has nothing more to try; what needs a search that takes long is tried
/// where there is one (transport_until_test).
const char* const kElsewhere[] = {"quit", "updateNow"};

}  // namespace

TEST_CASE("commands that go places do", "[action]") { check(movingCases()); }

TEST_CASE("commands that show, plan and compare do", "[action]") { check(panelCases()); }

TEST_CASE("no command is without a case of its own", "[action]") {
  QSet<QString> covered(std::begin(kElsewhere), std::end(kElsewhere));
  for (const auto& cases : {movingCases(), panelCases()}) {
    for (const CommandCase& each : cases) covered.insert(QString::fromLatin1(each.name));
  }
  Settings none;
  Studio window(&none);
  for (const QAction* each : window.findChildren<QAction*>()) {
    const QString name = each->objectName();
    if (name.isEmpty() || name.startsWith(QLatin1Char('_')) || each->menu()) continue;
    INFO(name.toStdString());
    CHECK(covered.contains(name));
  }
}

TEST_CASE("quit closes the window", "[action]") {
  Desk desk;
  desk.run(action(desk.window, "quit"));
  CHECK(desk.window.isHidden());
}

TEST_CASE("no key is two commands'", "[action]") {
  Settings none;
  Studio window(&none);
  QHash<QKeySequence, QString> owners;
  for (const QAction* each : window.findChildren<QAction*>()) {
    for (const QKeySequence& key : each->shortcuts()) {
      if (key.isEmpty()) continue;
      INFO(key.toString().toStdString());
      CHECK(owners.value(key, each->objectName()) == each->objectName());
      owners[key] = each->objectName();
    }
  }
}
