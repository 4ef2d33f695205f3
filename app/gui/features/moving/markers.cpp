#include "widgets/markers/markers.h"

#include <QMenu>
#include <QObject>
#include <algorithm>
#include <numeric>

#include "app/gui/features/moving/moving.h"
#include "app/gui/window/main_window.h"
#include "widgets/text/run_text.h"

namespace hw {

/// Markers: set by key, shown as flags above the views and in a panel.
class MarkerFeature : public QObject {
 public:
  explicit MarkerFeature(MainWindow* window)
      : QObject(window), window_(window), markers_(window->state(), this) {
    setObjectName(QStringLiteral("markerFeature"));
    addViews();
    addCommands();
  }

  MarkerSet* markers() { return &markers_; }

 private:
  void addViews() {
    auto* panel = new MarkerPanel(window_->state(), &markers_, window_);
    panel->setObjectName(QStringLiteral("markerPanel"));
    window_->addPanel("markers", tr("Markers"), panel);
    auto* ruler = new MarkerRuler(window_->state(), &markers_, window_->views());
    ruler->setObjectName(QStringLiteral("markerRuler"));
    window_->views()->insertWidget(0, ruler);
    // Without markers there is more to see without it.
    ruler->hide();
    connect(&markers_, &MarkerSet::changed, ruler,
            [this, ruler] { ruler->setVisible(!markers_.all().empty()); });
    connect(ruler, &MarkerRuler::renameWanted, panel, [this, panel](int id) {
      window_->showPanel(QStringLiteral("markers"));
      panel->rename(id);
    });
  }

  void addCommands() {
    QMenu* menu = window_->menu(MenuKind::edit)->addMenu(tr("&Markers"));
    menu->setToolTipsVisible(true);
    const auto add = [&](const char* name, const QString& text, const QKeySequence& key,
                         const std::function<void()>& act) {
      return window_->addRunCommand(menu, name, text, {key}, act);
    };
    add("addMarker", tr("&Mark this moment"), Qt::Key_M, [this] {
      markers_.add();
    })->setIcon(glyphIcon(Glyph::marker));
    add("addDeltaMarker", tr("Mark and m&easure from the last marker"),
        QKeySequence(Qt::SHIFT | Qt::Key_M), [this] { markers_.addDelta(); });
    add("markSlowest", tr("Mark the &slowest operators"), {}, [this] { markSlowest(); });
    menu->addSeparator();
    add("nextMarker", tr("Go to the &next marker"), QKeySequence(Qt::CTRL | Qt::Key_PageDown),
        [this] { goToNext(true); });
    add("previousMarker", tr("Go to the &previous marker"), QKeySequence(Qt::CTRL | Qt::Key_PageUp),
        [this] { goToNext(false); });
    menu->addSeparator();
    add("clearMarkers", tr("&Remove all markers"), {}, [this] { markers_.clear(); });
  }

  /// Each under its name and its time, the slowest first.
  void markSlowest() {
    constexpr std::size_t kMostSlow = 8;
    const auto run = window_->state()->run();
    if (run->timing.ops.empty()) {
      return window_->messages()->showNote(tr("Nothing of this run is timed."));
    }
    std::vector<std::size_t> steps(run->timing.ops.size());
    std::iota(steps.begin(), steps.end(), std::size_t{0});
    const auto time = [&](std::size_t step) { return run->timing.ops[step].time.length(); };
    std::ranges::stable_sort(steps, std::greater(), time);
    steps.resize(std::min(steps.size(), kMostSlow));
    for (const std::size_t step : steps) {
      const OpId op = run->schedule.order[step];
      markers_.addAt(Step(static_cast<std::int64_t>(step)),
                     tr("%1 %2").arg(timeText(time(step)), opNameText(*run, op)));
    }
  }

  /// In time, whatever the order they were set in.
  void goToNext(bool forwards) {
    const double now = playheadOf(*window_->state());
    const Marker* best = nullptr;
    for (const Marker& marker : markers_.all()) {
      const double at = markers_.positionOf(marker);
      if (forwards ? at <= now : at >= now) continue;
      const bool nearer =
          !best || (forwards ? at < markers_.positionOf(*best) : at > markers_.positionOf(*best));
      if (nearer) best = &marker;
    }
    if (best) {
      markers_.goTo(best->id);
      return;
    }
    window_->messages()->showNote(markers_.all().empty()
                                      ? tr("There are no markers yet: M sets one.")
                                  : forwards ? tr("There is no marker after this moment.")
                                             : tr("There is no marker before this moment."));
  }

  MainWindow* window_;
  MarkerSet markers_;
};

MarkerSet* addMarkers(MainWindow* window) { return (new MarkerFeature(window))->markers(); }

}  // namespace hw
