// Commands that show panels and dialogs, set how things look, plan and compare.
#include "app/gui/features/scenario/scenario_history.h"
#include "core/schedule/moves.h"
#include "tests/gui/action_desk.h"
#include "tests/widgets/patience.h"
#include "widgets/compare/capacity_panel.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/explain/genealogy_panel.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/find/command_palette.h"
#include "widgets/graph/graph_panel.h"
#include "widgets/histogram/histogram_view.h"
#include "widgets/map/minimap.h"
#include "widgets/tables/table_panel.h"

namespace hw::test {

namespace {

using Holds = std::function<bool(Desk&)>;

Holds asks(const char* dialog) {
  return [dialog](Desk& desk) { return desk.asked(dialog); };
}

Holds raises(const char* panel) {
  return [panel](Desk& desk) { return desk.isRaised(panel); };
}

Holds goesTo(const char* place) {
  return [place](Desk& desk) { return desk.window.places()->place().id == QLatin1String(place); };
}

Holds tableIs(const char* title) {
  return [title](Desk& desk) {
    return desk.isRaised("tables") &&
           desk.part<TablePanel>().chooser()->currentText() == QLatin1String(title);
  };
}

void chooseTable(Desk& desk) {
  action(desk.window, "tableBlocks")->trigger();
  desk.window.resetLayout();
}

Holds hasAddresses(AddressStyle style) {
  return [style](Desk&) { return TextUnits::current().addresses == style; };
}

void setAddresses(AddressStyle style) {
  TextUnits units = TextUnits::current();
  units.addresses = style;
  TextUnits::apply(units);
}

JobBoard& jobs(Desk& desk) { return *desk.window.jobs(); }

/// At work, or over since.
Holds hasJob(const char* name) {
  return [name](Desk& desk) {
    return std::ranges::any_of(
        jobs(desk).jobs(), [&](const JobEntry& job) { return job.name == QLatin1String(name); });
  };
}

void compareTwo(Desk& desk) {
  ComparePanel& panel = *desk.window.comparison();
  if (panel.comparison() && !panel.comparison()->rows.empty()) return;
  panel.start();
  REQUIRE(test::comes([&] { return panel.comparison() && !panel.comparison()->rows.empty(); }));
  desk.reset();
}

/// Until somebody stops it.
void compareEndlessly(Desk& desk) {
  desk.window.comparison()->job()->start(
      [](const JobContext& context) {
        while (!context.stop.stop_requested()) QTest::qSleep(1);
        return Comparison();
      },
      [](const Comparison&) { return JobEnd{JobState::stopped}; });
}

void showBelow(Desk& desk) {
  compareTwo(desk);
  action(desk.window, "showBelow")->trigger();
  REQUIRE(desk.window.compareMaps()->runs().size() == 1);
}

void planInOrder(Desk& desk) { replan(desk.window, "in-order"); }

std::size_t moves(Desk& desk) {
  settle(desk.window);
  return desk.window.request().moves.size();
}

/// The chosen operator runs that many steps after where the model has it.
Holds ranAt(std::int64_t later) {
  return [later](Desk& desk) {
    settle(desk.window);
    const OpId op = desk.state().selectedOp();
    const Step inModel(static_cast<std::int64_t>(op.index()));
    return desk.state().run()->schedule.stepOf[op] == inModel + Step(later);
  };
}

void backToModelOrder(Desk& desk) {
  if (moves(desk) == 0) return;
  action(desk.window, "modelOrder")->trigger();
  REQUIRE(moves(desk) == 0);
}

/// An operator that need not run after the one before it, selected.
void selectFreeOp(Desk& desk) {
  backToModelOrder(desk);
  const auto run = desk.state().run();
  const Precedence needs = precedenceOf(run->graph());
  for (Step step(1); step < run->schedule.steps(); step += Step(1)) {
    const OpId op = run->schedule.opAt(step);
    const OpId earlier = run->schedule.opAt(step - Step(1));
    const auto& before = needs.before[op];
    if (std::ranges::find(before, earlier) != before.end()) continue;
    desk.state().selectOp(op);
    desk.state().setStep(step);
    return;
  }
  FAIL("no operator of the sample can move");
}

void moveOne(Desk& desk) {
  selectFreeOp(desk);
  action(desk.window, "runEarlier")->trigger();
  REQUIRE(moves(desk) == 1);
}

std::vector<CommandCase> dialogCases() {
  return {
      {"open", asks("QFileDialog")},
      {"dimensions", asks("DimensionsDialog")},
      {"platformFile", asks("QFileDialog")},
      {"fileBelow", asks("QFileDialog")},
      {"openStudy", asks("QFileDialog")},
      {"runStudy", asks("QFileDialog")},
      {"exportPicture", asks("ExportDialog")},
      {"exportMap", asks("ExportDialog")},
      {"exportChart", asks("ExportDialog")},
      {"exportNow", asks("ExportDialog")},
      {"exportLanes", asks("ExportDialog")},
      {"exportConflicts", asks("ExportDialog")},
      {"exportViews", asks("ExportDialog")},
      {"exportCompared", asks("ExportDialog")},
      {"exportWindow", asks("ExportDialog")},
      {"savePlan", asks("QFileDialog")},
      {"saveRunnable",
       [](Desk& desk) {
         return desk.window.messages()->text().contains(
             QLatin1String("made of a TFLite or ONNX file"));
       }},
      {"exportReport", asks("QFileDialog")},
      {"exportTable", asks("QFileDialog"), chooseTable},
      {"exportGraph", asks("QFileDialog"),
       [](Desk& desk) {
         action(desk.window, "showGraph")->trigger();
         const GraphView& view = *desk.part<GraphPanel>().view();
         REQUIRE(comes([&] { return !view.graph().nodes.empty(); }));
         desk.window.resetLayout();
       }},
      {"exportComparison", asks("QFileDialog"), compareTwo},
      {"settings", asks("SettingsDialog")},
      {"nextRegion",
       [](Desk& desk) {
         const QWidget* focus = QApplication::focusWidget();
         return focus != nullptr &&
                desk.window.findChild<QWidget*>("rightColumn")->isAncestorOf(focus);
       }},
      {"shortcuts", asks("ShortcutSheet")},
      {"about", asks("AboutDialog")},
      {"methodGuide",
       [](Desk& desk) {
         const auto* guide = desk.window.findChild<QDialog*>(QStringLiteral("methodGuide"));
         return guide && guide->isVisible();
       }},
      {"commandPalette",
       [](Desk& desk) {
         if (desk.asked("CommandPalette")) return true;
         auto& palette = desk.part<CommandPalette>();
         const bool open = palette.isVisible();
         palette.hide();
         return open;
       }},
  };
}

std::vector<CommandCase> placeCases() {
  const auto elsewhere = [](Desk& desk) { desk.window.showPanel(QStringLiteral("tables")); };
  return {
      {"showHistory", raises("history")},
      {"showGraph", raises("graph")},
      {"showMethod", raises("method")},
      {"showHistogram", raises("histogram")},
      {"whatIf", raises("whatIf")},
      {"histogramBytes", [](Desk& desk) { return desk.part<HistogramView>().showsBytes(); }},
      {"tenantsOf",
       [](Desk& desk) { return desk.part<GenealogyPanel>().addressBox()->hasFocus(); }},
      {"compareBars", raises("compare")},
      {"fragmentation", raises("fragmentation")},
      {"tableTensors", tableIs("Tensors"), chooseTable},
      {"tableBlocks", tableIs("Blocks")},
      {"tableEvents", tableIs("Events")},
      {"tableFreeList", tableIs("Free list now")},
      {"tableOps", tableIs("Operators")},
      {"tableLateFrees", tableIs("Late frees")},
      {"place:explore", goesTo("explore"), elsewhere},
      {"place:compare", goesTo("compare")},
      {"place:improve", goesTo("improve")},
      {"place:study", goesTo("study")},
      {"place:report", goesTo("report")},
      {"home", [](Desk& desk) { return desk.window.welcome()->isVisible(); }},
      {"leftColumn", [](Desk& desk) { return !desk.isRaised("schedule"); }},
      {"rightColumn", [](Desk& desk) { return !desk.isRaised("inspector"); }},
      {"resetLayout", raises("schedule"), elsewhere},
      {"menuBar",
       [](Desk& desk) {
         return QApplication::activePopupWidget() == desk.window.menu(MenuKind::file);
       }},
      {"showMinimap", [](Desk& desk) { return desk.part<Minimap>().isHidden(); }},
      {"showLanes", [](Desk& desk) { return desk.window.lanes()->isVisible(); }},
      {"nextMemory", [](Desk& desk) { return desk.window.chart()->pool() == PoolId(1); }},
  };
}

std::vector<CommandCase> lookCases() {
  const auto lightFirst = [](Desk& desk) { desk.window.applyTheme(ThemeChoice::light); };
  const auto colors = [](ColorBy by) {
    return [by](Desk& desk) { return desk.state().colorBy() == by; };
  };
  return {
      {"color_type", colors(ColorBy::type),
       [](Desk& desk) { desk.state().setColorBy(ColorBy::size); }},
      {"color_scope", colors(ColorBy::scope)},
      {"color_size", colors(ColorBy::size)},
      {"color_use", colors(ColorBy::use)},
      {"themeDark", [](Desk&) { return Theme::current().dark; }, lightFirst},
      {"themeLight", [](Desk&) { return !Theme::current().dark; },
       [](Desk& desk) { desk.window.applyTheme(ThemeChoice::dark); }},
      {"themeSystem",
       [](Desk& desk) { return desk.window.settings()->theme() == ThemeChoice::system; },
       [](Desk& desk) { action(desk.window, "themeLight")->trigger(); }},
      {"reducedMotion", [](Desk& desk) { return desk.window.settings()->reducedMotion(); }},
      {"addresses", hasAddresses(AddressStyle::hex),
       [](Desk&) { setAddresses(AddressStyle::hexTexts); }},
      {"addressesHexTexts", hasAddresses(AddressStyle::hexTexts),
       [](Desk&) { setAddresses(AddressStyle::decimal); }},
      {"addressesHex", hasAddresses(AddressStyle::hex),
       [](Desk&) { setAddresses(AddressStyle::hexTexts); }},
      {"addressesDecimal", hasAddresses(AddressStyle::decimal),
       [](Desk&) { setAddresses(AddressStyle::hexTexts); }},
  };
}

std::vector<CommandCase> planCases() {
  static std::shared_ptr<const Run> before;
  const auto remember = [](Desk& desk) { before = desk.state().run(); };
  const auto plansWith = [](const char* name) {
    return [name](Desk& desk) {
      settle(desk.window);
      return desk.state().run()->request.allocator.info->name == name;
    };
  };
  return {
      {"planAgain",
       [](Desk& desk) {
         settle(desk.window);
         return desk.state().run() != before;
       },
       remember},
      {"undo", plansWith("best"), planInOrder},
      {"redo", plansWith("in-order"),
       [](Desk& desk) {
         planInOrder(desk);
         action(desk.window, "undo")->trigger();
         settle(desk.window);
       }},
      {"cancelPlanning", [](Desk& desk) { return !desk.window.job()->isRunning(); },
       [](Desk& desk) {
         desk.window.job()->start(
             [](const RunContext& context) -> Result<std::shared_ptr<const Run>> {
               while (!context.stop.stop_requested()) QTest::qSleep(1);
               return tl::unexpected(Error{.code = ErrorCode::stopped, .message = {}, .where = {}});
             });
       }},
      {"runEarlier", ranAt(-1), selectFreeOp},
      {"runLater", ranAt(0), moveOne},
      {"modelOrder", [](Desk& desk) { return moves(desk) == 0; }, moveOne},
      {"shrink", hasJob("Shrinking"),
       [](Desk& desk) {
         backToModelOrder(desk);
         jobs(desk).clearFinished();
       }},
      {"sweepCapacity", hasJob("Sweeping the capacity"),
       [](Desk& desk) { jobs(desk).clearFinished(); }},
      {"front", hasJob("Drawing the front"), [](Desk& desk) { jobs(desk).clearFinished(); }},
      {"stopJobs", [](Desk& desk) { return jobs(desk).runningCount() == 0; }, compareEndlessly},
  };
}

std::vector<CommandCase> compareCases() {
  return {
      {"compare", [](Desk& desk) { return desk.isRaised("compare"); }},
      {"showBelow", [](Desk& desk) { return desk.window.compareMaps()->runs().size() == 1; },
       compareTwo},
      {"oursBelow",
       [](Desk& desk) {
         while (jobs(desk).runningCount() > 0) QTest::qWait(1);
         return desk.window.compareMaps()->runs().size() == 1;
       },
       planInOrder},
      {"closeBelow", [](Desk& desk) { return desk.window.compareMaps()->runs().empty(); },
       showBelow},
      {"firstDivergence", [](Desk& desk) { return desk.window.messages()->isVisible(); },
       showBelow},
      {"stopComparing", [](Desk& desk) { return !desk.window.comparison()->job()->isRunning(); },
       compareEndlessly},
  };
}

}  // namespace

std::vector<CommandCase> panelCases() {
  std::vector<CommandCase> all;
  for (const auto& part : {dialogCases(), placeCases(), lookCases(), planCases(), compareCases()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace hw::test
