#include "app/gui/studio.h"

#include "app/gui/features/compare/compare.h"
#include "app/gui/features/compare/plan_file_feature.h"
#include "app/gui/features/desk/desk.h"
#include "app/gui/features/desk/export_feature.h"
#include "app/gui/features/desk/keys.h"
#include "app/gui/features/desk/preferences.h"
#include "app/gui/features/moving/moving.h"
#include "app/gui/features/scenario/file_watch.h"
#include "app/gui/features/scenario/scenario.h"
#include "app/gui/features/scenario/scenario_history.h"
#include "app/gui/features/scenario/session.h"
#include "app/gui/features/study/study_feature.h"

namespace hw {

/// In the order of what they add to menus and views.
Studio::Studio(Settings* settings, QWidget* parent) : MainWindow(settings, parent) {
  panels_ = addRunPanels(this);
  auto* keys = new KeyBindings(this);
  addFiles(this);
  addView(this);
  comparison_ = addComparison(this);
  new PlanFileFeature(this, comparison_);
  curves_ = addCurves(this, comparison_);
  addSearch(this);
  addTransport(this);
  addNavigation(this, panels_.moment);
  addPath(this);
  MarkerSet* markers = addMarkers(this);
  addGenealogy(this);
  new ExportFeature(this, comparison_);
  addMemory(this, addMinimap(this));
  addLanes(this);
  addMethod(this);
  addClock(this);
  auto* history = new ScenarioHistory(this);
  shrink_ = addShrink(this, history);
  addWhatIf(this, history);
  addQuestions(this, panels_.inspector);
  addOrder(this, history, panels_.schedule);
  addOffers(this);
  session_ = new Session(this, markers);
  addWelcomeCards(this);
  new Preferences(this, keys, new FileWatch(this));
  addGraph(this);
  addFind(this);
  addRange(this);
  addTables(this);
  study_ = new StudyFeature(this);
  addPlacePages(this, comparison_);
  addJobs(this);
  addGuide(this, history);
  addHelp(this, keys);
  complete();
  keys->commands();  // Gives all commands the user's keys.
}

}  // namespace hw
