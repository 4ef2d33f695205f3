// Edits of the scenario with undo and redo, and advice that becomes one.
// Operators that run elsewhere: dragged in the schedule, or moved by keys.
// Every option of a run through the doors of the studio: arguments, form, history, session.
// The dimensions that a model leaves open are said when it is opened, in the window's words.

#include <QDragEnterEvent>
#include <QFile>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QUndoView>
#include <catch2/catch.hpp>
#include <fstream>

#include "app/gui/features/scenario/scenario_history.h"
#include "app/gui/features/scenario/session.h"
#include "app/gui/request/arguments.h"
#include "app/gui/studio.h"
#include "core/machine/platforms.h"
#include "tests/gui/native_support.h"
#include "tests/support/option_samples.h"
#include "tests/support/tflite_writer.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/explain/problems_panel.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/frame/message_bar.h"
#include "widgets/text/import_notes.h"
#include "widgets/text/run_text.h"

using namespace hw::test;
using namespace hw;

namespace {

QString allocatorOf(Studio& window) {
  return QString::fromStdString(window.state()->run()->request.allocator.text());
}

/// Drops the op of row `from` on the upper or lower half of row `to`; whether it was taken.
bool drop(SchedulePanel& panel, int from, int to, bool upper) {
  const auto run = panel.model()->rowCount();
  REQUIRE(std::max(from, to) < run);
  QMimeData data;
  const QString format =
      QStringLiteral("application/x-highwater-op-%1").arg(QCoreApplication::applicationPid());
  data.setData(format, QByteArray::number(from));
  const QRect row = panel.visualRect(panel.model()->index(to, 1));
  const QPoint at(row.center().x(), upper ? row.top() + 2 : row.bottom() - 2);
  QDragEnterEvent enter(at, Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(panel.viewport(), &enter);
  CHECK(enter.isAccepted());
  QDragMoveEvent over(at, Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(panel.viewport(), &over);
  QDropEvent event(at, Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(panel.viewport(), &event);
  CHECK(over.isAccepted() == event.isAccepted());
  return event.isAccepted();
}

std::vector<std::size_t> order(const Studio& window) {
  std::vector<std::size_t> ops;
  const Schedule& schedule = const_cast<Studio&>(window).state()->run()->schedule;
  for (Step step; step < schedule.steps(); step += Step(1)) {
    ops.push_back(schedule.opAt(step).index());
  }
  return ops;
}

/// The first op that does not need the one before it.
std::size_t freeOp(const Graph& graph) {
  const Precedence needs = precedenceOf(graph);
  for (const OpId op : graph.ops.keys()) {
    if (op == OpId(0)) continue;
    const auto& before = needs.before[op];
    if (std::ranges::find(before, OpId(op.index() - 1)) == before.end()) return op.index();
  }
  FAIL("no operator of the sample can move");
  return 0;
}

struct Reordered {
  explicit Reordered(const char* sample) {
    window.resize(1280, 900);
    window.show();
    openAndWait(window, QLatin1String(sample));
    first = order(window);
    REQUIRE(std::ranges::is_sorted(first));
  }

  Settings none{};
  Studio window{&none};
  std::vector<std::size_t> first{};  ///< The ops in the order of the model.
};

/// A file with the signatures "encode", one RELU, and "decode & more", two of them.
std::string writeModel(const QTemporaryDir& folder) {
  constexpr std::int32_t kRelu = 19;
  TfliteText::Subgraph one{.name = "one"};
  one.tensors = {{.name = "x", .shape = {4}}, {.name = "y", .shape = {4}}};
  one.inputs = {0};
  one.outputs = {1};
  one.operators = {{.code = kRelu, .inputs = {0}, .outputs = {1}}};
  TfliteText::Subgraph two = one;
  two.tensors.push_back({.name = "z", .shape = {4}});
  two.outputs = {2};
  two.operators.push_back({.code = kRelu, .inputs = {1}, .outputs = {2}});
  const TfliteText model{
      .subgraphs = {one, two},
      .signatures = {{.key = "encode", .subgraph = 0}, {.key = "decode & more", .subgraph = 1}}};
  return inFolder(folder, "two.tflite", tfliteBytes(model)).toStdString();
}

RunRequest sampled() {
  auto request = readRequest(optionSamples(), defaultRequest(), "");
  if (!request) FAIL(request.error().text());
  return *request;
}

QString differences(const RunRequest& a, const RunRequest& b) { return changeText(a, b); }

/// The small run, as if its model had been opened with these notes.
std::shared_ptr<const Run> noted(std::vector<std::string> notes,
                                 std::vector<ModelPart> parts = {}) {
  auto run = std::make_shared<Run>(*smallRun());
  Model model = *run->model;
  Graph graph = *model.graph;
  graph.notes = std::move(notes);
  model.graph = std::make_shared<const Graph>(std::move(graph));
  model.parts = std::move(parts);
  run->model = std::make_shared<const Model>(std::move(model));
  return run;
}

const std::vector<std::string> kOpen = {
    "something was folded", "free dimension batch of input 'x' taken as 1; --dim batch=VALUE",
    "free dimension 1 of input 'y' taken as 1; --dim y[1]=VALUE"};

}  // namespace

TEST_CASE("an edit of the scenario is taken back and made again", "[native]") {
  test::Opened window(kInception);
  auto* history = window.findChild<ScenarioHistory*>();
  REQUIRE(history);
  CHECK_FALSE(action(window, "undo")->isEnabled());
  replan(window, "greedy-by-size");
  replan(window, "free-list:pick=best");
  REQUIRE(history->stack()->count() == 2);
  CHECK(history->stack()->text(0).contains(QStringLiteral("greedy-by-size")));

  QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
  settle(window);
  CHECK(allocatorOf(window) == QStringLiteral("greedy-by-size"));
  CHECK(history->stack()->index() == 1);
  CHECK(window.request().allocator.text() == "greedy-by-size");
  QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  settle(window);
  CHECK(allocatorOf(window) == QStringLiteral("free-list:pick=best"));
  CHECK(history->stack()->count() == 2);

  SECTION("the list goes back to any of them") {
    action(window, "showHistory")->trigger();
    auto* view = test::part<QUndoView>(window, "historyList");
    REQUIRE(view);
    CHECK(view->model()->rowCount() == 3);
    view->setCurrentIndex(view->model()->index(0, 0));
    settle(window);
    CHECK(history->stack()->index() == 0);
    CHECK(allocatorOf(window) == QStringLiteral("best"));
  }
  SECTION("another edit forgets what was taken back") {
    action(window, "undo")->trigger();
    settle(window);
    replan(window, "none");
    CHECK(history->stack()->count() == 2);
    CHECK_FALSE(action(window, "redo")->isEnabled());
  }
  SECTION("another model begins anew") {
    openAndWait(window, QStringLiteral("samples:chain"));
    CHECK(history->stack()->count() == 0);
  }
}

TEST_CASE("an edit that is cancelled on the way back leaves the history where it was", "[native]") {
  Settings none;
  Studio window(&none);
  openAndWait(window, kInception);
  replan(window, "none");
  auto* stack = window.findChild<ScenarioHistory*>()->stack();
  stack->undo();
  CHECK(stack->index() == 0);
  window.job()->stop();
  CHECK(stack->index() == 1);
  settle(window);
  CHECK(allocatorOf(window) == QStringLiteral("none"));
}

TEST_CASE("a step that shrinks is looked for, opened above the plan of before, and taken back",
          "[native][shrink]") {
  test::Opened window({}, {1600, 960});
  auto* panel = window.shrink();
  CHECK_FALSE(test::button(*panel, "start")->isEnabled());
  CHECK(panel->chart()->emptyText().contains(QStringLiteral("Open a model")));
  openAndWait(window, kInception);
  replan(window, "none");
  CHECK(panel->chart()->emptyText().contains(QStringLiteral("Press Shrink")));
  CHECK_FALSE(test::button(*panel, "shrinkOpen")->isEnabled());
  const auto first = window.state()->run();
  const Bytes before = footprintOf(*first);

  QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
  CHECK(panel->job()->isRunning());
  REQUIRE(test::comes([&] { return !panel->job()->isRunning(); }));
  REQUIRE(panel->table()->rowCount() > 0);
  CHECK(panel->chart()->emptyText().isEmpty());
  CHECK(window.places()->isShown(QStringLiteral("shrink")));
  // Another method is among what helps, and the last row that was tried is the smallest.
  const auto& steps = panel->steps();
  const auto method = std::ranges::find_if(steps, [](const ShrinkStep& step) {
    return step.what.startsWith(QStringLiteral("plan with"));
  });
  REQUIRE(method != steps.end());
  CHECK(method->saved > Bytes());
  panel->table()->selectRow(static_cast<int>(method - steps.begin()));
  const Bytes promised = method->leaves;
  const QString what = method->what;
  CHECK(test::button(*panel, "shrinkOpen")->isEnabled());
  QTest::mouseClick(test::button(*panel, "shrinkBelow"), Qt::LeftButton);
  REQUIRE(window.belowState()->run());
  CHECK(footprintOf(*window.belowState()->run()) == promised);
  action(window, "closeBelow")->trigger();

  QTest::mouseClick(test::button(*panel, "shrinkOpen"), Qt::LeftButton);
  settle(window);
  CHECK(footprintOf(*window.state()->run()) == promised);
  CHECK(promised < before);
  REQUIRE(window.belowState()->run());
  CHECK(window.belowState()->run() == first);
  auto* stack = window.findChild<ScenarioHistory*>()->stack();
  CHECK(stack->undoText() == what);
  // A bar says what came of it, with the ways on.
  CHECK(window.messages()->isVisible());
  CHECK(window.messages()->text().startsWith(
      QStringLiteral("%1 \u2192 %2, latency ")
          .arg(sizeText(before), sizeText(footprintOf(*window.state()->run())))));
  const auto press = [&](const QString& text) {
    for (auto* button : window.messages()->findChildren<QPushButton*>()) {
      if (button->isVisible() && button->text() == text) return button->click();
    }
    FAIL("no such button");
  };
  press(QStringLiteral("Close below"));
  CHECK_FALSE(window.belowState()->run());
  CHECK_FALSE(window.messages()->isVisible());
  action(window, "undo")->trigger();
  settle(window);
  CHECK(footprintOf(*window.state()->run()) == before);
  CHECK(panel->table()->rowCount() > 0);  // It was about this plan.
}

TEST_CASE("what a step set belongs to its model, and what somebody chose to the next one, too",
          "[native][shrink]") {
  Settings none;
  Studio window(&none);
  const QString other = QStringLiteral("samples:resnet8");
  openAndWait(window, kInception);
  const RunRequest plain = window.request();
  RunRequest step = plain;
  step.tile = TileRule::lines;
  step.alias = AliasRules::all();
  window.keepToModel(plain, step);
  window.planWith(step);
  settle(window);
  REQUIRE(window.state()->run()->request.tile == TileRule::lines);
  RunRequest chosen = step;
  chosen.order = OpOrder::leastPeak;
  window.planWith(chosen);
  settle(window);
  openAndWait(window, other);
  CHECK(window.request().tile == TileRule::off);
  CHECK(textsOf(window.request())["alias"] == textsOf(plain)["alias"]);
  CHECK(window.request().order == OpOrder::leastPeak);
  CHECK_FALSE(window.state()->run()->rewritten);

  // Two steps, and between them somebody chose another way to cut.
  const RunRequest now = window.request();
  RunRequest first = now;
  first.tile = TileRule::lines;
  first.alias = AliasRules::all();
  window.keepToModel(now, first);
  RunRequest between = first;
  between.tile = TileRule::patches;
  RunRequest second = between;
  second.tile = TileRule::any;
  window.keepToModel(between, second);
  window.planWith(second);
  settle(window);
  openAndWait(window, kInception);
  CHECK(window.request().tile == TileRule::patches);
  CHECK(textsOf(window.request())["alias"] == textsOf(plain)["alias"]);
  // All that was about models that are gone.
  openAndWait(window, other);
  CHECK(window.request().tile == TileRule::patches);
}

TEST_CASE("looking for what shrinks stops when asked to, and keeps what is found",
          "[native][shrink]") {
  test::Opened window(QStringLiteral("samples:mobilenet_v2"));
  auto* panel = window.shrink();
  QObject::connect(panel->job(), &Job::progressed, panel, [&] {
    if (panel->findings().front) test::button(*panel, "stop")->click();
  });
  panel->start();
  REQUIRE(test::comes([&] { return !panel->job()->isRunning(); }));
  REQUIRE(panel->findings().front);
  CHECK(panel->findings().front->plain.run);
  CHECK(panel->note().contains(QStringLiteral("stopped")));
  CHECK(test::button(*panel, "start")->isEnabled());
  CHECK_FALSE(panel->steps().empty());
}

TEST_CASE("keys move the same operator on and on, and back", "[native][order]") {
  Reordered shown("samples:resnet50");
  Studio& window = shown.window;
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  const Precedence needs = precedenceOf(window.state()->run()->graph());
  // One that may run two steps earlier.
  const auto isFree = [&](std::size_t op, std::size_t before) {
    const auto& all = needs.before[OpId(op)];
    return std::ranges::find(all, OpId(op - before)) == all.end();
  };
  std::size_t op = 2;
  while (!isFree(op, 1) || !isFree(op, 2)) ++op;
  const auto stepOf = [&] { return window.state()->run()->schedule.stepOf[OpId(op)].count(); };
  window.state()->setStep(Step(static_cast<std::int64_t>(op)));
  for (const int moved : {1, 2, 1, 0}) {
    CAPTURE(moved);
    const bool earlier = stepOf() > static_cast<std::int64_t>(op) - moved;
    QTest::keyClick(window.schedule(), earlier ? Qt::Key_Up : Qt::Key_Down, Qt::AltModifier);
    settle(window);
    CHECK(stepOf() == static_cast<std::int64_t>(op) - moved);
    CHECK(window.state()->selectedOp() == OpId(op));
    CHECK(window.state()->step().count() == stepOf());
  }
}

TEST_CASE("an operator dropped elsewhere runs there, and that can be undone", "[native][order]") {
  Reordered shown("samples:inception");
  Studio& window = shown.window;
  const auto& first = shown.first;
  const std::size_t free = freeOp(window.state()->run()->graph());
  SchedulePanel& panel = *window.schedule();
  const int row = static_cast<int>(free);
  CHECK(drop(panel, row, row - 1, true));
  settle(window);
  const auto changed = order(window);
  CHECK(changed[free - 1] == free);
  CHECK(changed[free] == free - 1);
  CHECK(window.request().moves.size() == 1);
  CHECK(window.state()->run()->schedule.steps().count() == static_cast<std::int64_t>(first.size()));

  action(window, "undo")->trigger();
  settle(window);
  CHECK(order(window) == first);
}

TEST_CASE("an operator is not taken where it may not run", "[native][order]") {
  Reordered shown("samples:chain");
  Studio& window = shown.window;
  const auto& first = shown.first;
  CHECK_FALSE(drop(*window.schedule(), 2, 1, true));
  CHECK_FALSE(drop(*window.schedule(), 1, 1, true));
  window.state()->setStep(Step(1));
  action(window, "runEarlier")->trigger();
  CHECK(window.messages()->text().contains(QStringLiteral("cannot run earlier")));
  CHECK_FALSE(window.job()->isRunning());
  CHECK(order(window) == first);
  action(window, "modelOrder")->trigger();
  CHECK(window.messages()->text().contains(QStringLiteral("order of the model")));
}

TEST_CASE("keys move the chosen operator one step", "[native][order]") {
  Reordered shown("samples:inception");
  Studio& window = shown.window;
  const std::size_t op = freeOp(window.state()->run()->graph());
  window.state()->setStep(Step(static_cast<std::int64_t>(op)));
  action(window, "runEarlier")->trigger();
  settle(window);
  CHECK(order(window)[op - 1] == op);
  action(window, "modelOrder")->trigger();
  settle(window);
  CHECK(order(window) == shown.first);
}

TEST_CASE("the parts of a file are chosen from the menu", "[native][parts]") {
  const QTemporaryDir folder;
  test::Opened window({}, {1280, 800});
  auto* menu = test::part<QMenu>(window, "parts");
  CHECK_FALSE(menu->isEnabled());

  window.openModel(QString::fromStdString(writeModel(folder)));
  REQUIRE(test::comes([&] { return window.state()->run() != nullptr; }));
  REQUIRE(menu->isEnabled());
  REQUIRE(menu->actions().size() == 2);
  CHECK(menu->actions()[0]->isChecked());
  CHECK(menu->actions()[1]->text() == QStringLiteral("signature decode && more"));
  CHECK(window.state()->run()->graph().ops.size() == 1);

  const auto first = window.state()->run();
  menu->actions()[1]->trigger();
  REQUIRE(test::comes([&] { return window.state()->run() != first; }));
  CHECK(window.state()->run()->graph().ops.size() == 2);
  CHECK(window.request().import.subgraph == "decode & more");
  CHECK(menu->actions()[1]->isChecked());

  window.openModel(QStringLiteral("samples:chain"));
  REQUIRE(test::comes([&] { return window.state()->run()->graph().ops.size() > 2; }));
  CHECK_FALSE(menu->isEnabled());
}

TEST_CASE("the studio's command line takes every option", "[shell]") {
  for (const RunOption& option : runOptions()) {
    CAPTURE(option.name);
    std::vector<std::string> words = {"highwater-studio"};
    for (const std::string& text : optionSamples().at(std::string(option.name))) {
      if (option.group != OptionGroup::model) words.push_back("--" + std::string(option.name));
      words.push_back(text);
    }
    std::vector<const char*> pointers;
    for (const std::string& word : words) pointers.push_back(word.c_str());
    const auto outcome = parseArguments(static_cast<int>(pointers.size()), pointers.data());
    REQUIRE(outcome.arguments);
    CHECK(option.print(outcome.arguments->request) == optionSamples().at(std::string(option.name)));
  }
}

TEST_CASE("a change of any option is an edit that says what changed", "[shell]") {
  for (const RunOption& option : runOptions()) {
    if (option.group == OptionGroup::effort) continue;
    CAPTURE(option.name);
    RunRequest after = defaultRequest();
    REQUIRE(option.read(optionSamples().at(std::string(option.name)), after));
    const QString text = changeText(defaultRequest(), after);
    CHECK(text.startsWith(QString::fromUtf8(option.label.data(), qsizetype(option.label.size()))));
  }
  CHECK(changeText(sampled(), sampled()).isEmpty());
}

TEST_CASE("the session brings back every option, a platform from a file too", "[shell]") {
  QTemporaryDir folder;
  const QString toml = inFolder(
      folder, "mine.toml",
      "name = \"mine\"\n[[device]]\nname = \"npu\"\nops = [\"*\"]\n[[device.pool]]\nname = \"L2\"\n"
      "capacity = \"64KiB\"\n[[device.pool]]\nname = \"L3\"\n[[device.unit]]\nname = \"core\"\nops "
      "= [\"*\"]\n"
      "clock = \"1GHz\"\n");
  RunRequest wanted = sampled();
  wanted.import = {};  // The sample has no such parts.
  wanted.platform = openPlatform(toml.toStdString()).value();
  {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    window.show();
    openAndWait(window, QStringLiteral("samples:inception"));
    window.planWith(wanted);
    settle(window);
    window.close();
  }
  const auto restored = [&](Studio& window) {
    window.show();
    window.findChild<Session*>()->restore();
    settle(window);
    REQUIRE(window.state()->run());
    return differences(wanted, window.state()->run()->request);
  };
  SECTION("all of it") {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    CHECK(restored(window).isEmpty());
  }
  SECTION("without the file, which is said") {
    QFile::remove(toml);
    Settings settings(storeIn(folder));
    Studio window(&settings);
    CHECK(restored(window).startsWith(QStringLiteral("platform")));
    CHECK(window.messages()->text().contains(toml));
  }
}

TEST_CASE("a bar says what was taken as 1 and what else could be chosen", "[shell][offers]") {
  test::Opened window;
  MessageBar* bar = test::part<MessageBar>(window, "offers");
  const auto show = [&](const std::shared_ptr<const Run>& run) {
    window.show(run->request, {.run = run, .violations = {}});
  };
  show(noted({}));
  CHECK_FALSE(bar->isVisible());
  show(noted(kOpen, {{"a", "signature a"}, {"b", "signature b"}, {"0", "subgraph 0"}}));
  CHECK(bar->isVisible());
  CHECK(bar->text() == QStringLiteral("2 dimensions taken as 1 \u00b7 Set\u2026 \u00b7 "
                                      "2 signatures \u00b7 Choose\u2026"));
  const auto open = noted({kOpen[1],
                           "dimension 0 of 'z' depends on data: taken as the most it can "
                           "be, 9; --dim z[0]=VALUE"});
  show(open);
  CHECK(bar->text() == QStringLiteral("2 dimensions left open, 1 taken as 1 \u00b7 Set\u2026"));
  bar->hide();
  show(open);  // Planned again: it was read.
  CHECK_FALSE(bar->isVisible());
  show(noted({}));
  CHECK_FALSE(bar->isVisible());
}

TEST_CASE("the buttons of the bar lead where things are settled", "[shell][offers]") {
  test::Opened window;
  const auto run = noted(kOpen);
  window.show(run->request, {.run = run, .violations = {}});
  MessageBar* bar = test::part<MessageBar>(window, "offers");
  QString seen;
  QTimer::singleShot(50, &window, [&] {
    auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    seen = dialog->objectName();
    dialog->reject();
  });
  bar->findChild<QPushButton*>()->click();
  CHECK(seen == QStringLiteral("dimensions"));
}

TEST_CASE("a note on a dimension has its key and the size in use", "[shell][offers]") {
  const ImportNote one = importNote(kOpen[1]);
  CHECK(one.dimension == "batch");
  CHECK(one.size == 1);
  CHECK(one.takenAsOne);
  const ImportNote settled = importNote(
      "free dimension k of input 'x' taken as 128, the only size that MatMul 'y' takes; --dim "
      "k=128");
  CHECK(settled.dimension == "k");
  CHECK(settled.size == 128);
  CHECK_FALSE(settled.takenAsOne);
  const ImportNote most = importNote(
      "dimension 1 of 'y' depends on data: taken as the most it can be, 6; --dim y[1]=VALUE");
  CHECK(most.dimension == "y[1]");
  CHECK(most.size == 6);
}

TEST_CASE("problems: warnings first, counted, and without options of the command line",
          "[shell][offers]") {
  const auto run = noted({"a note", kOpen[1],
                          "this is signature a of the file; --subgraph chooses "
                          "among signatures a, b"});
  const auto findings = findingsOf(*run, {});
  REQUIRE(findings.size() >= 3);
  CHECK(findings.front().severity == Glyph::warning);
  CHECK(findings.front().subject == QStringLiteral("batch"));
  for (std::size_t i = 1; i < findings.size(); ++i) {
    CHECK((findings[i].severity == Glyph::information ||
           findings[i - 1].severity != Glyph::information));
    CHECK_FALSE(findings[i].message.contains(QStringLiteral("--")));
  }
  CHECK(importNote(run->graph().notes[2]).said ==
        QStringLiteral("this is signature a of the file; File > Part of the file chooses among "
                       "signatures a, b"));
  Settings none;
  Studio window(&none);
  window.show(run->request, {.run = run, .violations = {}});
  CHECK(window.places()->title(QStringLiteral("problems")) == QStringLiteral("Problems (1)"));
}
