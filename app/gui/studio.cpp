#include "app/gui/studio.h"

#include "app/gui/features/compare/compare_charts_feature.h"
#include "app/gui/features/compare/compare_feature.h"
#include "app/gui/features/compare/plan_file_feature.h"
#include "app/gui/features/desk/about_dialog.h"
#include "app/gui/features/desk/export_feature.h"
#include "app/gui/features/desk/guide_feature.h"
#include "app/gui/features/desk/key_bindings.h"
#include "app/gui/features/desk/perspectives.h"
#include "app/gui/features/desk/preferences.h"
#include "app/gui/features/desk/welcome_cards.h"
#include "app/gui/features/moving/find_feature.h"
#include "app/gui/features/moving/marker_feature.h"
#include "app/gui/features/moving/navigate_feature.h"
#include "app/gui/features/moving/path_feature.h"
#include "app/gui/features/moving/range_feature.h"
#include "app/gui/features/moving/transport_feature.h"
#include "app/gui/features/moving/view_feature.h"
#include "app/gui/features/panels/genealogy_feature.h"
#include "app/gui/features/panels/graph_feature.h"
#include "app/gui/features/panels/memory_feature.h"
#include "app/gui/features/panels/method_feature.h"
#include "app/gui/features/panels/run_panels.h"
#include "app/gui/features/panels/shrink_feature.h"
#include "app/gui/features/panels/small_panels.h"
#include "app/gui/features/panels/tables_feature.h"
#include "app/gui/features/scenario/file_feature.h"
#include "app/gui/features/scenario/file_watch.h"
#include "app/gui/features/scenario/open_offers.h"
#include "app/gui/features/scenario/order_feature.h"
#include "app/gui/features/scenario/part_feature.h"
#include "app/gui/features/scenario/scenario_history.h"
#include "app/gui/features/scenario/session.h"

namespace hw {

/// In the order of what they add to menus and views.
Studio::Studio(Settings* settings, QWidget* parent)
    : MainWindow(settings, parent), panels_(new RunPanels(this)) {
  auto* keys = new KeyBindings(this);
  new FileFeature(this);
  new ViewFeature(this);
  compare_ = new CompareFeature(this);
  new PlanFileFeature(this, compare_->panel());
  const auto* charts = new CompareChartsFeature(this, compare_->panel());
  capacity_ = charts->capacity();
  front_ = charts->front();
  addSearch(this);
  new TransportFeature(this);
  new NavigateFeature(this, panels_->moment());
  new PathFeature(this);
  auto* markers = new MarkerFeature(this);
  auto* parts = new PartFeature(this);
  new GenealogyFeature(this);
  new ExportFeature(this, compare_->panel());
  new MemoryFeature(this, addMinimap(this));
  addLanes(this);
  new MethodFeature(this);
  auto* history = new ScenarioHistory(this);
  shrink_ = (new ShrinkFeature(this, history))->panel();
  addWhatIf(this, history);
  new OrderFeature(this, history, panels_->schedule());
  new Perspectives(this);
  new OpenOffers(this, parts->menu());
  auto* watch = new FileWatch(this);
  session_ = new Session(this, markers->markers());
  new WelcomeCards(this);
  new Preferences(this, keys, watch);
  new GraphFeature(this);
  new FindFeature(this);
  new RangeFeature(this);
  new TablesFeature(this);
  addJobs(this);
  new GuideFeature(this, history);
  addHelp(this, keys);
  complete({.left = "schedule",
            .right = {"inspector", "run", "metrics"},
            .heights = {30, 33, 33},
            .bottom = {"events", "moment", "method", "compare", "problems"},
            .raised = {"events", "schedule", "metrics"},
            .raisedIfSmall = "run"});
  keys->commands();  // Gives all commands the user's keys.
}

ComparePanel* Studio::comparison() const { return compare_->panel(); }

SchedulePanel* Studio::schedule() const { return panels_->schedule(); }

}  // namespace hw
