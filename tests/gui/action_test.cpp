// Every command of the studio does what it says, by its key where it has one.
// Commands, clicks and models in any order: what nobody thought of trying.

#include <QSet>
#include <catch2/catch.hpp>
#include <random>

#include "tests/gui/action_desk.h"
#include "tests/widgets/patience.h"

using namespace hw::test;
using namespace hw;

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
    CHECK(test::comes([&] { return each.holds(desk); }));
  }
}

/// A window that is closed has nothing more to try; what needs a search that takes long is tried
/// where there is one (transport_test).
const char* const kElsewhere[] = {"quit", "updateNow"};

constexpr int kCommands = 120;

/// Two, or as many as HIGHWATER_RANDOM_SEEDS says.
int seeds() {
  const int wanted = qEnvironmentVariableIntValue("HIGHWATER_RANDOM_SEEDS");
  return wanted > 0 ? wanted : 2;
}

/// All that can be triggered again and again.
QList<QAction*> commandsOf(Studio& window) {
  QList<QAction*> commands;
  for (QAction* each : window.findChildren<QAction*>()) {
    const QString name = each->objectName();
    const bool ours = !name.isEmpty() && !name.startsWith(QLatin1Char('_')) && !each->menu();
    if (ours && name != QLatin1String("quit")) commands.append(each);
  }
  return commands;
}

/// Whatever was done, views may rely on this.
void checkWhole(Desk& desk) {
  const ViewState& state = desk.state();
  const auto run = state.run();
  REQUIRE(run);
  CHECK(state.moment() <= run->trace.size());
  CHECK(state.step() >= Step(0));
  CHECK(state.step() < state.steps());
  CHECK(state.visibleBegin() >= 0);
  CHECK(state.visibleEnd() <= state.length());
  CHECK(state.visibleBegin() < state.visibleEnd());
  if (state.selected()) CHECK(run->problem.stays.contains(state.selected()));
  if (state.selectedOp()) CHECK(run->graph().ops.contains(state.selectedOp()));
  for (const auto& below : desk.window.compareMaps()->runs()) CHECK(below->model == run->model);
}

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
    if (name.startsWith(QLatin1String("panel:"))) continue;  // Below.
    INFO(name.toStdString());
    CHECK(covered.contains(name));
  }
}

TEST_CASE("the command of every panel brings it to the front, wherever one is", "[action]") {
  Desk desk;
  const Places& places = *desk.window.places();
  for (const QString& name : places.panels()) {
    for (const PlaceInfo& from : placeTable()) {
      INFO(name.toStdString() << " from " << from.id.toStdString());
      action(desk.window, ("place:" + from.id.toStdString()).c_str())->trigger();
      action(desk.window, ("panel:" + name.toStdString()).c_str())->trigger();
      CHECK(places.isShown(name));
      // No place is left that has it.
      if (from.has(name)) CHECK(places.place().id == from.id);
    }
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

TEST_CASE("any commands and clicks in any order leave the studio whole", "[action]") {
  const int seed = GENERATE_COPY(range(1, 1 + seeds()));
  INFO("seed " << seed);
  std::mt19937 source(static_cast<std::uint32_t>(seed));
  const auto random = [&source] { return static_cast<unsigned>(source()); };
  Desk desk;
  const QList<QAction*> commands = commandsOf(desk.window);
  const char* const samples[] = {"resnet8", "inception", "unet", "three_sizes", "zero_copy"};
  QStringList done;
  for (int i = 0; i < kCommands; ++i) {
    const unsigned kind = random() % 10;
    if (kind == 0) {
      done.append(QLatin1String(samples[random() % std::size(samples)]));
      desk.window.openModel(QStringLiteral("samples:") + done.last());
    } else if (kind < 3) {
      MapView* map = desk.window.maps()[random() % desk.window.maps().size()];
      const QRect plot = map->plotArea();
      const QPoint at(plot.left() + static_cast<int>(random() % std::max(1, plot.width())),
                      plot.top() + static_cast<int>(random() % std::max(1, plot.height())));
      done.append(QStringLiteral("click"));
      if (map->isVisible()) QTest::mouseClick(map, Qt::LeftButton, {}, at);
    } else {
      QAction* command = commands[static_cast<qsizetype>(random() % commands.size())];
      done.append(command->objectName());
      if (command->isEnabled()) command->trigger();
    }
    if (random() % 3 == 0) QTest::qWait(static_cast<int>(random() % 30));
    INFO(done.join(QLatin1Char(' ')).toStdString());
    checkWhole(desk);
  }
  settle(desk.window);
  checkWhole(desk);
}
