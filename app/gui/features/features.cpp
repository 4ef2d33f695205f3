#include "app/gui/features/features.h"

#include "app/gui/features/advice_feature.h"
#include "app/gui/features/compare_charts_feature.h"
#include "app/gui/features/export_feature.h"
#include "app/gui/features/file_watch.h"
#include "app/gui/features/find_feature.h"
#include "app/gui/features/genealogy_feature.h"
#include "app/gui/features/graph_feature.h"
#include "app/gui/features/jobs_feature.h"
#include "app/gui/features/key_bindings.h"
#include "app/gui/features/lanes_feature.h"
#include "app/gui/features/marker_feature.h"
#include "app/gui/features/memory_feature.h"
#include "app/gui/features/minimap_feature.h"
#include "app/gui/features/navigate_feature.h"
#include "app/gui/features/order_feature.h"
#include "app/gui/features/part_feature.h"
#include "app/gui/features/perspectives.h"
#include "app/gui/features/preferences.h"
#include "app/gui/features/range_feature.h"
#include "app/gui/features/scenario_history.h"
#include "app/gui/features/search_feature.h"
#include "app/gui/features/session.h"
#include "app/gui/features/tables_feature.h"
#include "app/gui/features/transport_feature.h"
#include "app/gui/features/welcome_cards.h"
#include "app/gui/main_window.h"

namespace hw {

void addFeatures(MainWindow* window) {
  new CompareChartsFeature(window);
  new SearchFeature(window);
  new TransportFeature(window);
  new NavigateFeature(window);
  new MarkerFeature(window);
  new PartFeature(window);
  new GenealogyFeature(window);
  new ExportFeature(window);
  auto* overview = new MinimapFeature(window);
  new MemoryFeature(window, overview->minimap());
  new LanesFeature(window);
  auto* history = new ScenarioHistory(window);
  new AdviceFeature(window, history);
  new OrderFeature(window, history);
  new Perspectives(window);
  new FileWatch(window);
  new Session(window);
  new WelcomeCards(window);
  new Preferences(window);
  new GraphFeature(window);
  new FindFeature(window);
  new RangeFeature(window);
  new TablesFeature(window);
  new JobsFeature(window);
  new KeyBindings(window);  // Last: it knows the commands of all others.
}

}  // namespace hw
