#include <QAction>
#include <QLabel>
#include <QMenu>
#include <QObject>
#include <QVBoxLayout>
#include <QtMath>
#include <cmath>

#include "app/gui/features/moving/moving.h"
#include "app/gui/window/main_window.h"
#include "core/picture/chart_scene.h"
#include "widgets/frame/status_line.h"
#include "widgets/histogram/histogram_view.h"
#include "widgets/text/run_text.h"

namespace hw {

/// Marked steps and what can be done with them: zooming there and restricting statistics to them
/// are two commands. And the histogram that picks out sizes.
class RangeFeature : public QObject {
 public:
  explicit RangeFeature(MainWindow* window) : QObject(window), window_(window) {
    addHistogram();
    addRangeCommands();
    addBand();
    window->statusLine()->addPermanentWidget(new RangeChip(window->state(), window->statusLine()));
    connect(window->state(), &ViewState::runChanged, this, &RangeFeature::updateActions);
    connect(window->state(), &ViewState::markedStepsChanged, this, &RangeFeature::updateActions);
    connect(window->state(), &ViewState::statisticsRangeChanged, this,
            &RangeFeature::updateActions);
    updateActions();
  }

 private:
  /// The figures of the steps that are marked, in the status line.
  void addBand() {
    band_ = new QLabel(window_->statusLine());
    band_->setObjectName(QStringLiteral("bandFigures"));
    band_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    band_->hide();
    window_->statusLine()->addPermanentWidget(band_);
    connect(window_->state(), &ViewState::markedStepsChanged, this, &RangeFeature::showBand);
    connect(window_->state(), &ViewState::runChanged, this, &RangeFeature::showBand);
    connect(window_->state(), &ViewState::axisChanged, this, &RangeFeature::showBand);
  }

  void showBand() {
    const auto run = window_->state()->run();
    const auto marked = window_->state()->markedSteps();
    const PoolId pool = window_->chart()->pool();
    const auto shown = window_->chart()->scene();
    const bool any = marked && shown && !window_->chart()->isLoading();
    band_->setVisible(any);
    if (!any) return;
    const RunScale& scale = *window_->state()->scale();
    const double begin = scale.begin(marked->begin);
    const double end = scale.begin(marked->end);
    const auto live = shown->curves->live.over(begin, end);
    const auto mean = Bytes(std::llround(live.mean));
    const auto footprint = static_cast<double>(run->plan.footprint(pool).count());
    band_->setText(tr("%1, steps %2\u2013%3: live %4 to %5, mean %6")
                       .arg(poolText(*run, pool), grouped(marked->begin.count()),
                            grouped(marked->end.count() - 1), sizeText(live.least),
                            sizeText(live.most), sizeText(mean)));
    const bool timed = scale.unit() == AxisUnit::time;
    const QString area =
        timed ? tr("%1 over %2").arg(sizeText(mean), timeText(SimTime(std::llround(end - begin))))
              : tr("%1 bytes \u00d7 steps").arg(grouped(std::llround(live.mean * (end - begin))));
    band_->setToolTip(tr("Mean utilisation: %1 of the %2 that are reserved; area: %3")
                          .arg(percentText(footprint > 0 ? live.mean / footprint : 0),
                               sizeText(run->plan.footprint(pool)), area));
  }

  void addHistogram() {
    histogram_ = new HistogramView(window_->state(), window_);
    histogram_->setObjectName(QStringLiteral("histogramView"));
    window_->addPanel("histogram", tr("Histogram"), histogram_);
    QAction* show = window_->addRunCommand(window_->menu(MenuKind::view), "showHistogram",
                                           tr("&Histogram of sizes"), {}, [this] {
                                             window_->showPanel(QStringLiteral("histogram"));
                                             histogram_->setFocus();
                                           });
    show->setToolTip(tr("Click or drag over bars to pick out buffers of that size everywhere"));
    QAction* bytes = window_->addCommand(window_->menu(MenuKind::view), "histogramBytes",
                                         tr("Histogram of b&ytes instead of numbers"), {}, {});
    bytes->setCheckable(true);
    connect(bytes, &QAction::toggled, histogram_, &HistogramView::setShowsBytes);
    connect(histogram_, &HistogramView::showsBytesChanged, bytes, &QAction::setChecked);
  }

  void addRangeCommands() {
    QMenu* menu = window_->menu(MenuKind::view);
    menu->addSeparator();
    zoom_ = window_->addCommand(menu, "zoomToRange", tr("Zoom to marked &range"),
                                {QKeySequence(Qt::SHIFT | Qt::Key_Z)}, [this] { zoomToMarked(); });
    restrict_ = window_->addCommand(menu, "restrictStatistics", tr("Restrict &statistics to range"),
                                    {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R)},
                                    [this] { restrictToMarked(); });
    whole_ = window_->addCommand(menu, "wholeStatistics", tr("Statistics of the &whole run"), {},
                                 [this] { window_->state()->restrictStatistics({}); });
  }

  void zoomToMarked() {
    const auto marked = window_->state()->markedSteps();
    if (!marked) return;
    const RunScale& scale = *window_->state()->scale();
    window_->state()->setVisible(scale.begin(marked->begin), scale.begin(marked->end));
  }

  /// To what is marked, else to what is on screen, steps that are partly there included.
  void restrictToMarked() {
    ViewState* state = window_->state();
    auto range = state->markedSteps();
    if (!range) {
      const RunScale& scale = *state->scale();
      const auto end = static_cast<std::int64_t>(std::ceil(scale.toSteps(state->visibleEnd())));
      range = Interval<Step>{scale.stepAt(state->visibleBegin()), Step(end)};
    }
    state->restrictStatistics(range);
    if (!state->statisticsRange()) {
      window_->messages()->showNote(
          tr("All steps are on screen, so statistics are those of the whole run. Zoom in or drag "
             "with Ctrl to mark some."));
    }
  }

  /// These commands depend on more than on a run, so the reasons are our own.
  void updateActions() {
    const ViewState& state = *window_->state();
    const bool any = state.run() != nullptr;
    const bool marked = state.markedSteps().has_value();
    const auto set = [](QAction* action, bool enabled, const QString& why, const QString& what) {
      action->setEnabled(enabled);
      action->setToolTip(enabled ? what : why);
    };
    const QString open = tr("Open a model first");
    set(zoom_, marked, any ? tr("Mark steps first: drag with Ctrl over the chart or a map") : open,
        tr("Shows the marked steps and nothing else"));
    set(restrict_, any, open,
        marked ? tr("Metrics, peak, histogram and tables are about the marked steps only")
               : tr("Metrics, peak, histogram and tables are about the steps on screen only; mark "
                    "others by dragging with Ctrl"));
    set(whole_, state.statisticsRange().has_value(), any ? tr("They are: no range is set") : open,
        tr("Ends the restriction to a range"));
  }

  MainWindow* window_;
  QLabel* band_ = nullptr;
  HistogramView* histogram_ = nullptr;
  QAction* zoom_ = nullptr;
  QAction* restrict_ = nullptr;
  QAction* whole_ = nullptr;
};

void addRange(MainWindow* window) { new RangeFeature(window); }

}  // namespace hw
