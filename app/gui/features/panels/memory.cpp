#include <QMenu>
#include <QObject>
#include <algorithm>

#include "app/gui/features/panels/panels.h"
#include "app/gui/window/main_window.h"
#include "core/picture/plot.h"
#include "widgets/map/minimap.h"
#include "widgets/text/run_text.h"

namespace hw {

/// Which memory the chart and the minimap are about: the first that something lives in, until
/// another is chosen, by its name and so for later plans too.
class MemoryFeature : public QObject {
 public:
  MemoryFeature(MainWindow* window, Minimap* minimap)
      : QObject(window), window_(window), minimap_(minimap) {
    QMenu* view = window->menu(MenuKind::view);
    menu_ = view->addMenu(tr("Chart and min&imap of"));
    connect(menu_, &QMenu::aboutToShow, this, &MemoryFeature::fillMenu);
    window->addRunCommand(view, "nextMemory", tr("Chart of the &next memory"), {Qt::Key_L},
                          [this] { chooseNext(); });
    connect(window->chart(), &PeakChart::poolWanted, this, &MemoryFeature::choose);
    connect(window->state(), &ViewState::runChanged, this, &MemoryFeature::showRun);
    showRun();
  }

 private:
  void choose(PoolId pool) {
    const auto run = window_->state()->run();
    if (!run || !run->problem.pools.contains(pool)) return;
    chosen_ = poolText(*run, pool);
    showRun();
  }

  void chooseNext() {
    const auto run = window_->state()->run();
    const std::vector<PoolId> pools = run ? usedPools(*run) : std::vector<PoolId>();
    if (pools.size() < 2) {
      window_->messages()->showNote(tr("All buffers live in one memory."));
      return;
    }
    const auto next = std::ranges::find(pools, window_->chart()->pool());
    choose(next == pools.end() || next + 1 == pools.end() ? pools.front() : *(next + 1));
  }

  void showRun() {
    const auto run = window_->state()->run();
    menu_->setEnabled(run != nullptr);
    if (!run) return;
    const std::vector<PoolId> pools = usedPools(*run);
    auto found =
        std::ranges::find_if(pools, [&](PoolId pool) { return poolText(*run, pool) == chosen_; });
    if (found == pools.end()) found = pools.begin();
    const PoolId pool = found == pools.end() ? PoolId(0) : *found;
    window_->chart()->setPool(pool);
    minimap_->setPool(pool);
  }

  void fillMenu() {
    menu_->clear();
    const auto run = window_->state()->run();
    if (!run) return;
    for (const PoolId pool : usedPools(*run)) {
      QAction* action = menu_->addAction(poolText(*run, pool));
      action->setCheckable(true);
      action->setChecked(pool == window_->chart()->pool());
      connect(action, &QAction::triggered, this, [this, pool] { choose(pool); });
    }
  }

  MainWindow* window_;
  Minimap* minimap_;
  QMenu* menu_ = nullptr;
  QString chosen_;  ///< The memory's name; empty: none was chosen.
};

void addMemory(MainWindow* window, Minimap* minimap) { new MemoryFeature(window, minimap); }

}  // namespace hw
