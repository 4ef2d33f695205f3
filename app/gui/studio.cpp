#include "app/gui/studio.h"

#include "app/gui/features/compare/compare.h"
#include "app/gui/features/compare/plan_file_feature.h"
#include "app/gui/features/desk/desk.h"
#include "app/gui/features/desk/export_feature.h"
#include "app/gui/features/desk/keys.h"
#include "app/gui/features/desk/perspectives.h"
#include "app/gui/features/desk/preferences.h"
#include "app/gui/features/moving/moving.h"
#include "app/gui/features/panels/panels.h"
#include "app/gui/features/scenario/file_watch.h"
#include "app/gui/features/scenario/scenario.h"
#include "app/gui/features/scenario/scenario_history.h"
#include "app/gui/features/scenario/session.h"

namespace hw {

namespace {

PanelLayout firstLayout() {
  return {.left = "schedule",
          .right = {"inspector", "run", "metrics"},
          .heights = {30, 33, 33},
          .bottom = {"events", "moment", "method", "compare", "problems"},
          .raised = {"events", "schedule", "metrics"},
          .raisedIfSmall = "run"};
}

}  // namespace

/// In the order of what they add to menus and views.
Studio::Studio(Settings* settings, QWidget* parent) : MainWindow(settings, parent) {
  const RunPanels panels = addRunPanels(this);
  schedule_ = panels.schedule;
  auto* keys = new KeyBindings(this);
  addFiles(this);
  addView(this);
  comparison_ = addComparison(this);
  new PlanFileFeature(this, comparison_);
  const CurvePanels curves = addCurves(this, comparison_);
  capacity_ = curves.capacity;
  front_ = curves.front;
  addSearch(this);
  addTransport(this);
  addNavigation(this, panels.moment);
  addPath(this);
  MarkerSet* markers = addMarkers(this);
  addGenealogy(this);
  new ExportFeature(this, comparison_);
  addMemory(this, addMinimap(this));
  addLanes(this);
  addMethod(this);
  auto* history = new ScenarioHistory(this);
  shrink_ = addShrink(this, history);
  addWhatIf(this, history);
  addOrder(this, history, schedule_);
  new Perspectives(this);
  addOffers(this);
  session_ = new Session(this, markers);
  addWelcomeCards(this);
  new Preferences(this, keys, new FileWatch(this));
  addGraph(this);
  addFind(this);
  addRange(this);
  addTables(this);
  addJobs(this);
  addGuide(this, history);
  addHelp(this, keys);
  complete(firstLayout());
  keys->commands();  // Gives all commands the user's keys.
}

}  // namespace hw
