#include <QMenu>
#include <QObject>
#include <algorithm>
#include <optional>
#include <vector>

#include "app/gui/features/compare/compare.h"
#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "core/check/stated_run.h"
#include "widgets/base/icons.h"
#include "widgets/below/divergence.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/compare/compare_table.h"
#include "widgets/compare/difference_panel.h"
#include "widgets/jobs/background.h"
#include "widgets/text/run_text.h"

namespace hw {

/// The comparison panel, what its rows ask of the window, and the Compare menu: plans below the one
/// on show, and where they first differ from it.
class CompareFeature : public QObject {
 public:
  explicit CompareFeature(MainWindow* window)
      : QObject(window), window_(window), panel_(new ComparePanel(window->state(), window)) {
    window->jobs()->watch(panel_->job());
    window->addPanel("compare", tr("Compare"), panel_);
    window->addPicture(
        PictureKind::compare,
        {.paint =
             [this](QPainter& painter, const QRect& target) {
               paintComparison(painter, target, *panel_->table(), panel_->stamp());
             },
         .size = [this] { return comparisonSize(*panel_->table(), panel_->stamp()); }});
    connectPanel();
    addCommands();
    addDifference();
    followBelow();
  }

  ComparePanel* panel() const { return panel_; }

 private:
  using Runs = std::vector<std::shared_ptr<const Run>>;

  void addDifference() {
    difference_ = new DifferencePanel(window_->state(), window_);
    window_->addPanel("difference", tr("B against A"), difference_);
    connect(difference_, &DifferencePanel::divergenceWanted, this, [this] { findDivergence(0); });
  }

  void connectPanel() {
    CompareMaps* maps = window_->compareMaps();
    connect(panel_, &ComparePanel::runWanted, this, &CompareFeature::open);
    connect(panel_, &ComparePanel::exportWanted, this, &CompareFeature::exportTable);
    connect(panel_, &ComparePanel::belowWanted, window_, &MainWindow::showBelow);
    connect(panel_, &ComparePanel::closeWanted, maps, &CompareMaps::close);
    connect(panel_, &ComparePanel::divergenceWanted, this, [this, maps](const auto& run) {
      window_->showBelow(run);
      const auto runs = maps->runs();
      const auto found = std::ranges::find(runs, run);
      if (found != runs.end()) findDivergence(static_cast<std::size_t>(found - runs.begin()));
    });
    connect(maps, &CompareMaps::changed, this, &CompareFeature::followBelow);
    connect(maps, &CompareMaps::divergenceWanted, this,
            [this](std::size_t place) { findDivergence(place); });
  }

  void addCommands() {
    QMenu* menu = window_->menu(MenuKind::compare);
    window_->addRunCommand(menu, "compare", tr("&Compare"), {QKeySequence(Qt::CTRL | Qt::Key_D)},
                           [this] { raise(); });
    addStop();
    menu->addSeparator();
    window_->addRunCommand(menu, "showBelow", tr("Show the chosen row's plan &below"), {Qt::Key_B},
                           [this] { chooseBelow(); });
    needBelow_ = {window_->addCommand(menu, "closeBelow", tr("Close the &maps below"),
                                      {QKeySequence(Qt::SHIFT | Qt::Key_B)},
                                      [this] { window_->showBelow(nullptr); }),
                  window_->addCommand(menu, "firstDivergence", tr("Go to the first &divergence"),
                                      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D)},
                                      [this] { findDivergence({}); })};
    menu->addSeparator();
    addExport();
  }

  void addStop() {
    QAction* stop =
        window_->addCommand(window_->menu(MenuKind::compare), "stopComparing",
                            tr("&Stop comparing"), {}, [this] { panel_->job()->stop(); });
    stop->setIcon(glyphIcon(Glyph::cancel));
    const auto enable = [this, stop] {
      stop->setEnabled(panel_->job()->isRunning());
      stop->setToolTip(stop->isEnabled() ? tr("Keeps the rows that are done")
                                         : tr("Nothing is running"));
    };
    enable();
    connect(panel_->job(), &Job::started, stop, enable);
    connect(panel_->job(), &Job::ended, stop, enable);
  }

  void addExport() {
    QAction* save =
        window_->addCommand(window_->menu(MenuKind::compare), "exportComparison",
                            tr("&Export comparison\u2026"), {}, [this] { exportTable(); });
    const auto enable = [this, save] {
      save->setEnabled(panel_->comparison() != nullptr);
      save->setToolTip(save->isEnabled() ? tr("As CSV or JSON") : tr("Compare allocators first"));
    };
    enable();
    connect(panel_, &ComparePanel::comparisonChanged, save, enable);
  }

  /// Shows the table, and fills it if it is empty.
  void raise() {
    window_->showPanel(QStringLiteral("compare"));
    if (!panel_->comparison() && !panel_->job()->isRunning()) panel_->start();
    panel_->table()->setFocus();
  }

  void open(const std::shared_ptr<const Run>& run) {
    RunRequest request = requestBehind(*run);
    request.threads = window_->request().threads;
    window_->openPlanned(request, run);
  }

  void chooseBelow() {
    if (auto run = panel_->otherRun()) {
      window_->showBelow(std::move(run));
    } else {
      window_->messages()->showNote(
          tr("There is no other plan yet: compare allocators first (Ctrl+D)."));
    }
  }

  void followBelow() {
    const auto runs = window_->compareMaps()->runs();
    panel_->setBelow(runs);
    difference_->setBelow(runs.empty() ? nullptr : runs.front());
    MessageBar* bar = window_->messages();
    if (runs.empty() && !said_.isEmpty() && bar->text() == said_) bar->hide();
    for (QAction* action : std::as_const(needBelow_)) {
      action->setEnabled(!runs.empty());
      action->setToolTip(runs.empty() ? tr("Show a second plan below the first one first")
                                      : QString());
    }
  }

  /// All events of all are looked at, so not in this thread. Without a place, of everything below
  /// A.
  void findDivergence(std::optional<std::size_t> place) {
    const Runs runs = window_->compareMaps()->runs();
    if (runs.empty() || diverging_.isRunning() || (place && *place >= runs.size())) return;
    const std::size_t first = place.value_or(0);
    Runs asked{window_->state()->run()};
    asked.insert(asked.end(), runs.begin() + static_cast<std::ptrdiff_t>(first),
                 place ? runs.begin() + static_cast<std::ptrdiff_t>(first + 1) : runs.end());
    diverging_.start(
        false,
        [asked, first] {
          std::vector<std::optional<Divergence>> found;
          for (std::size_t i = 1; i < asked.size(); ++i) {
            found.push_back(firstDivergence(*asked[0], *asked[i], runLetter(first + i)));
          }
          return found;
        },
        [this, asked](const auto& found) { goToDivergence(asked, found); });
  }

  /// To the earliest of them.
  void goToDivergence(const Runs& asked, const std::vector<std::optional<Divergence>>& all) {
    ViewState* state = window_->state();
    const Runs runs = window_->compareMaps()->runs();
    const bool there = std::all_of(asked.begin() + 1, asked.end(), [&](const auto& run) {
      return std::ranges::find(runs, run) != runs.end();
    });
    if (asked.front() != state->run() || !there) return;  // Asked about what is gone.
    std::optional<Divergence> found;
    for (const auto& one : all) {
      if (one && (!found || one->step < found->step)) found = one;
    }
    if (!found) return say(tr("They do the same all along."));
    if (found->moment) {
      state->setMomentOf(*found->moment, found->step);
    } else {
      state->setStep(found->step);
    }
    state->select(found->stay);
    state->reveal(found->step);
    say(found->text);
  }

  void exportTable() {
    if (!panel_->comparison()) return;
    const QString name =
        QString::fromStdString(printable(window_->state()->run()->model->name, 60));
    const QString file = window_->chooseTarget(tr("Export the comparison"), name,
                                               tr("Table (*.csv);;JSON (*.json)"));
    if (file.isEmpty()) return;
    window_->sayExported(file, panel_->writeTo(file, window_->request().model));
  }

  void say(const QString& text) {
    said_ = text;
    window_->messages()->showNote(text);
  }

  MainWindow* window_;
  ComparePanel* panel_;
  DifferencePanel* difference_ = nullptr;
  QList<QAction*> needBelow_;
  QString said_{};  ///< About plans below; goes with the last of them.
  Background<std::vector<std::optional<Divergence>>> diverging_;
};

ComparePanel* addComparison(MainWindow* window) { return (new CompareFeature(window))->panel(); }

}  // namespace hw
