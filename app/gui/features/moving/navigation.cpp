#include "widgets/transport/navigation.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QObject>
#include <QTextEdit>

#include "app/gui/features/moving/moving.h"
#include "app/gui/window/main_window.h"
#include "core/sim/activity.h"
#include "widgets/base/icons.h"
#include "widgets/explain/moment_panel.h"
#include "widgets/lanes/lane_store.h"

namespace hw {

namespace {

constexpr std::size_t kListedPeaks = 12;
constexpr double kPanPart = 0.15;
constexpr double kZoom = 1.4;

/// True if letters mean themselves there.
bool takesLetters(const QObject* widget) {
  return qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget) ||
         qobject_cast<const QComboBox*>(widget) || qobject_cast<const QTextEdit*>(widget) ||
         qobject_cast<const QAbstractItemView*>(widget) || qobject_cast<const QMenu*>(widget);
}

/// The key at the place that W, A, S or D have on a US keyboard; 0 for all others. Scan codes of
/// X11 and Wayland are those of evdev plus 8; where there is none, the letter has to do.
int placeOf(const QKeyEvent& event) {
  switch (event.nativeScanCode()) {
    case 25:
      return Qt::Key_W;
    case 38:
      return Qt::Key_A;
    case 39:
      return Qt::Key_S;
    case 40:
      return Qt::Key_D;
    case 0:
      break;
    default:
      return 0;
  }
  const int key = event.key();
  const bool ours = key == Qt::Key_W || key == Qt::Key_A || key == Qt::Key_S || key == Qt::Key_D;
  return ours ? key : 0;
}

}  // namespace

/// Going to places: peaks, where the selection begins and ends, what was selected before; and
/// moving about the map by keyboard.
class NavigateFeature : public QObject {
 public:
  NavigateFeature(MainWindow* window, MomentPanel* moment)
      : QObject(window),
        window_(window),
        landmarks_(window->state(), window->player()),
        history_(window->state()) {
    setObjectName(QStringLiteral("navigateFeature"));
    addPeaks(moment);
    addSelection();
    addHistory();
    addView();
    qApp->installEventFilter(this);
  }

  SelectionHistory* history() { return &history_; }

 protected:
  /// W A S D by where they are on the keyboard, whatever is printed on them.
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::KeyPress) return QObject::eventFilter(watched, event);
    const auto* widget = qobject_cast<QWidget*>(watched);
    const auto& key = *static_cast<QKeyEvent*>(event);
    if (!widget || widget->window() != window_ || key.modifiers() != Qt::NoModifier ||
        takesLetters(widget) || !window_->state()->run()) {
      return QObject::eventFilter(watched, event);
    }
    switch (placeOf(key)) {
      case Qt::Key_W:
        zoom(kZoom);
        return true;
      case Qt::Key_S:
        zoom(1 / kZoom);
        return true;
      case Qt::Key_A:
        pan(-kPanPart);
        return true;
      case Qt::Key_D:
        pan(kPanPart);
        return true;
      default:
        return QObject::eventFilter(watched, event);
    }
  }

 private:
  void addPeaks(MomentPanel* moment) {
    QMenu* menu = window_->menu(MenuKind::simulate);
    QAction* next = window_->addRunCommand(menu, "nextPeak", tr("Go to the next &peak"),
                                           {QKeySequence(Qt::SHIFT | Qt::Key_P)},
                                           [this] { landmarks_.goToNextPeak(); });
    next->setIcon(glyphIcon(Glyph::peak));
    peaks_ = menu->addMenu(tr("Pea&ks"));
    peaks_->setObjectName(QStringLiteral("peaksMenu"));
    connect(peaks_, &QMenu::aboutToShow, this, &NavigateFeature::fillPeaks);
    moment->addPeaks(peaks_);
  }

  void addSelection() {
    QMenu* menu = window_->menu(MenuKind::simulate);
    const auto add = [&](const char* name, const QString& text, int key,
                         const std::function<void()>& act) {
      window_->addRunCommand(menu, name, text, {QKeySequence(key)}, act);
    };
    add("toAllocation", tr("To the allocation of the selection"), Qt::Key_BracketLeft, [this] {
      if (landmarks_.goToAllocation()) return;
      note(window_->state()->selected() ? tr("It was never given any memory.")
                                        : tr("Select a tensor or an operator first."));
    });
    add("toRelease", tr("To the release of the selection"), Qt::Key_BracketRight, [this] {
      if (landmarks_.goToRelease()) return;
      note(window_->state()->selected() ? tr("It is never released: it is kept to the end.")
                                        : tr("Select a tensor first."));
    });
  }

  void addHistory() {
    QMenu* menu = window_->menu(MenuKind::edit);
    QAction* back =
        window_->addCommand(menu, "selectionBack", tr("&Back to the last selection"),
                            {QKeySequence(Qt::ALT | Qt::Key_Left)}, [this] { history_.goBack(); });
    QAction* forward = window_->addCommand(
        menu, "selectionForward", tr("For&ward to the next selection"),
        {QKeySequence(Qt::ALT | Qt::Key_Right)}, [this] { history_.goForward(); });
    const auto enable = [this, back, forward] {
      back->setEnabled(history_.canGoBack());
      back->setToolTip(history_.canGoBack() ? QString() : tr("Nothing was selected before"));
      forward->setEnabled(history_.canGoForward());
      forward->setToolTip(history_.canGoForward() ? QString() : tr("This is the newest selection"));
    };
    enable();
    connect(&history_, &SelectionHistory::changed, this, enable);
  }

  void addView() {
    QMenu* menu = window_->menu(MenuKind::view);
    const auto add = [&](const char* name, const QString& text, const std::function<void()>& act) {
      window_->addRunCommand(menu, name, text, {}, act);
    };
    // Their keys go by place, which shortcuts cannot.
    add("zoomIn", tr("Zoom in\tW"), [this] { zoom(kZoom); });
    add("zoomOut", tr("Zoom out\tS"), [this] { zoom(1 / kZoom); });
    add("panLeft", tr("Pan to what was earlier\tA"), [this] { pan(-kPanPart); });
    add("panRight", tr("Pan to what is later\tD"), [this] { pan(kPanPart); });
  }

  void fillPeaks() {
    peaks_->clear();
    const std::vector<LocalPeak> peaks = landmarks_.peaks();
    for (std::size_t i = 0; i < std::min(kListedPeaks, peaks.size()); ++i) {
      QAction* action = peaks_->addAction(Landmarks::peakText(peaks[i], i));
      connect(action, &QAction::triggered, this,
              [this, peak = peaks[i]] { landmarks_.goToPeak(peak); });
    }
    if (!peaks.empty()) return;
    peaks_->addAction(window_->state()->run() ? tr("Nothing lives here") : tr("Open a model first"))
        ->setEnabled(false);
  }

  void note(const QString& text) { window_->messages()->showNote(text); }

  /// By a part of what is on screen; the ends of the run stop it, they do not zoom.
  void pan(double part) {
    ViewState* state = window_->state();
    const double length = state->visibleEnd() - state->visibleBegin();
    const double last = state->length() - length;
    const double begin =
        std::clamp(state->visibleBegin() + part * length, 0.0, std::max(0.0, last));
    state->setVisible(begin, begin + length);
  }

  /// Around the playhead while it is on screen, else around the middle.
  void zoom(double factor) {
    ViewState* state = window_->state();
    const double begin = state->visibleBegin();
    const double end = state->visibleEnd();
    const double head = playheadOf(*state);
    const double fixed = head >= begin && head <= end ? head : (begin + end) / 2;
    state->setVisible(fixed - (fixed - begin) / factor, fixed + (end - fixed) / factor);
  }

  MainWindow* window_;
  Landmarks landmarks_;
  SelectionHistory history_;
  QMenu* peaks_ = nullptr;
};

/// From activity to activity: to what the selected one waited for, and along the critical path. The
/// moment and what is on screen go along.
class PathFeature : public QObject {
 public:
  explicit PathFeature(MainWindow* window) : QObject(window), window_(window) {
    QMenu* menu = window->menu(MenuKind::simulate);
    const auto add = [&](const char* name, const QString& text, const QKeySequence& key,
                         const QString& what, void (PathFeature::*act)()) {
      window_->addRunCommand(menu, name, text, {key}, [this, act] { (this->*act)(); })
          ->setStatusTip(what);
    };
    add("toCause", tr("Go to the cause"), Qt::Key_C,
        tr("To the activity that the selected one waited for last"), &PathFeature::toCause);
    add("nextOnPath", tr("Ne&xt on the critical path"), QKeySequence(Qt::SHIFT | Qt::Key_C),
        tr("To the activity of the critical path that waits for the selected one, or to its first"),
        &PathFeature::nextOnPath);
  }

 private:
  void toCause() {
    const ViewState& state = *window_->state();
    const auto& times = state.run()->timing.times;
    const auto& path = state.run()->timing.account.criticalPath;
    // From nothing: back from the end of the run.
    const ActivityId from = state.selectedActivity();
    if (!from && !path.empty()) return goTo(path.back());
    if (from && times[from].cause) return goTo(times[from].cause->activity);
    window_->messages()->showNote(from ? tr("It waits for nothing: it starts with the run.")
                                       : tr("Nothing of this run is timed."));
  }

  void nextOnPath() {
    const ViewState& state = *window_->state();
    const ActivityId next = hw::nextOnPath(*state.run(), state.selectedActivity());
    if (next && next != state.selectedActivity()) return goTo(next);
    window_->messages()->showNote(state.selectedActivity()
                                      ? tr("This is the end of the critical path.")
                                      : tr("Nothing of this run is timed."));
  }

  void goTo(ActivityId activity) {
    ViewState& state = *window_->state();
    state.selectActivity(activity);
    const ActivityTime& time = state.run()->timing.times[activity];
    state.setTime(time.start);
    if (state.axis() != AxisUnit::time) {
      return state.reveal(state.run()->timing.activities.activities[activity].step);
    }
    const auto begin = static_cast<double>(time.start.count());
    const auto end = static_cast<double>(time.end.count());
    if (begin >= state.visibleBegin() && end <= state.visibleEnd()) return;
    const double half = (state.visibleEnd() - state.visibleBegin()) / 2;
    state.setVisible((begin + end) / 2 - half, (begin + end) / 2 + half);
  }

  MainWindow* window_;
};

void addNavigation(MainWindow* window, MomentPanel* moment) { new NavigateFeature(window, moment); }

void addPath(MainWindow* window) { new PathFeature(window); }

}  // namespace hw
