#include <QActionGroup>
#include <QApplication>
#include <QMenu>
#include <QObject>
#include <QPainter>
#include <QPointer>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/gui/features/moving/moving.h"
#include "app/gui/window/main_window.h"
#include "widgets/base/icons.h"
#include "widgets/base/theme.h"

namespace hw {

namespace {

constexpr QLatin1String kFollow("view/follow");
constexpr QLatin1String kColors("view/colors");
constexpr QLatin1String kTimeAxis("view/time");

}  // namespace

/// A line around a region of the window for as long as that has the keys.
class RegionRing : public QWidget {
 public:
  explicit RegionRing(QWidget* window) : QWidget(window) {
    setObjectName(QStringLiteral("regionRing"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, const QWidget* now) {
      if (region_ == nullptr || !region_->isAncestorOf(now)) hide();
    });
  }

  void showAround(QWidget* region) {
    if (region_ != nullptr) region_->removeEventFilter(this);
    region_ = region;
    region->installEventFilter(this);
    follow();
    raise();
    show();
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Resize || event->type() == QEvent::Move) follow();
    return QWidget::eventFilter(watched, event);
  }

  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setPen(QPen(Theme::current().selection, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }

 private:
  void follow() { setGeometry({region_->mapTo(window(), QPoint()), region_->size()}); }

  QPointer<QWidget> region_;
};

/// The head of the View menu: what the maps show, the theme, motion and panels.
class ViewFeature : public QObject {
 public:
  explicit ViewFeature(MainWindow* window)
      : QObject(window), window_(window), ring_(new RegionRing(window)) {
    QMenu* view = window->menu(MenuKind::view);
    addMoves(view);
    addFollow(view);
    addAxis(view);
    addColors(view);
    view->addSeparator();
    addThemes(view);
    addMotion(view);
    view->addSeparator();
    view->addMenu(window->panelMenu());
    window->addCommand(view, "resetLayout", tr("Reset layo&ut"), {},
                       [window] { window->resetLayout(); });
    window->addCommand(view, "nextRegion", tr("Ne&xt region"), {Qt::Key_F6},
                       [this] { goToNextRegion(); });
    // Alt alone opens it on some desktops only.
    window->addCommand(view, "menuBar", tr("Open the menu"), {Qt::Key_F10},
                       [window] { window->topBar()->openMenu(); });
  }

 private:
  void addMoves(QMenu* view) {
    const auto add = [&](const char* name, const QString& text, Qt::Key key,
                         void (ViewFeature::*act)()) {
      return window_->addRunCommand(view, name, text, {key}, [this, act] { (this->*act)(); });
    };
    add("focus", tr("&Focus selection, then fit"), Qt::Key_F, &ViewFeature::focusThenFit)
        ->setIcon(glyphIcon(Glyph::zoomIn));
    add("zoomToSelection", tr("&Zoom to selection"), Qt::Key_Z, &ViewFeature::zoomToSelection);
    add("fit", tr("Fit &all"), Qt::Key_0, &ViewFeature::fit)->setIcon(glyphIcon(Glyph::fit));
    add("clearSelection", tr("&Clear selection"), Qt::Key_Escape, &ViewFeature::clearSelection);
  }

  void addFollow(QMenu* view) {
    QAction* follow = window_->addCommand(view, "followPlayhead", tr("Foll&ow the playhead"),
                                          {QKeySequence(Qt::SHIFT | Qt::Key_F)}, {});
    follow->setCheckable(true);
    follow->setToolTip(
        tr("When the moment goes to steps that are not on screen, the views go there too"));
    const auto set = [this](bool on) { window_->state()->setFollows(on); };
    const bool on = window_->settings()->value(kFollow, true).toBool();
    follow->setChecked(on);
    set(on);
    connect(follow, &QAction::toggled, this, [this, set](bool wanted) {
      window_->settings()->setValue(kFollow, wanted);
      set(wanted);
    });
  }

  void addAxis(QMenu* view) {
    QAction* inTime = window_->addRunCommand(view, "timeAxis", tr("Time instead of steps"),
                                             {QKeySequence(Qt::Key_T)}, {});
    inTime->setCheckable(true);
    inTime->setToolTip(
        tr("Maps, chart, lanes and markers lie in simulated time; where nothing is timed, as in a "
           "planning problem, they stay over the steps"));
    ViewState* state = window_->state();
    const bool on = window_->settings()->value(kTimeAxis, false).toBool();
    state->setAxis(on ? AxisUnit::time : AxisUnit::step);
    inTime->setChecked(on);
    connect(inTime, &QAction::toggled, this, [this, state](bool wanted) {
      window_->settings()->setValue(kTimeAxis, wanted);
      state->setAxis(wanted ? AxisUnit::time : AxisUnit::step);
      if (wanted && state->run() && state->axis() == AxisUnit::step) {
        window_->messages()->showNote(
            tr("Nothing of this run is timed, so its views stay over the steps."));
      }
    });
    // Also set by a session or the command line.
    connect(state, &ViewState::axisChanged, inTime,
            [state, inTime] { inTime->setChecked(state->wantedAxis() == AxisUnit::time); });
  }

  void addColors(QMenu* view) {
    QMenu* menu = view->addMenu(tr("Colour &by"));
    auto* group = new QActionGroup(this);
    ViewState* state = window_->state();
    const int kept = window_->settings()->value(kColors, 0).toInt();
    for (std::size_t by = 0; by < kColorings.size(); ++by) {
      const auto& [name, title, meaning] = kColorings[by];
      QAction* action = window_->addCommand(
          menu, ("color_" + std::string(name)).c_str(), viewText(title), {}, [this, state, by] {
            window_->settings()->setValue(kColors, static_cast<int>(by));
            state->setColorBy(static_cast<ColorBy>(by));
          });
      action->setToolTip(viewText(meaning));
      action->setCheckable(true);
      group->addAction(action);
      connect(state, &ViewState::coloringChanged, action, [state, action, by] {
        action->setChecked(state->colorBy() == static_cast<ColorBy>(by));
      });
      action->setChecked(static_cast<int>(by) == kept);
      if (action->isChecked()) state->setColorBy(static_cast<ColorBy>(by));
    }
    window_->legend()->setChoices(menu);
  }

  void addThemes(QMenu* view) {
    QMenu* menu = view->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    const std::tuple<const char*, QString, ThemeChoice> choices[] = {
        {"themeSystem", tr("Like the d&esktop"), ThemeChoice::system},
        {"themeLight", tr("&Light"), ThemeChoice::light},
        {"themeDark", tr("&Dark"), ThemeChoice::dark}};
    for (const auto& [name, text, choice] : choices) {
      QAction* action = window_->addCommand(menu, name, text, {}, [this, choice = choice] {
        window_->settings()->setTheme(choice);
        window_->applyTheme(choice);
      });
      action->setCheckable(true);
      action->setChecked(window_->settings()->theme() == choice);
      group->addAction(action);
    }
  }

  void addMotion(QMenu* view) {
    QAction* still = window_->addCommand(view, "reducedMotion", tr("Re&duced motion"), {}, {});
    still->setCheckable(true);
    still->setChecked(window_->settings()->reducedMotion());
    still->setToolTip(tr("Changes of memory are shown at once, without movement"));
    connect(still, &QAction::toggled, this, [this](bool on) {
      window_->settings()->setReducedMotion(on);
      window_->setReducedMotion(on);
    });
  }

  /// To the first widget that takes the keys in the region after the one that has them.
  void goToNextRegion() {
    QList<QWidget*> regions = window_->places()->regions();
    regions.prepend(window_->topBar());
    regions.append(window_->playerRow());
    regions.removeIf([](QWidget* region) { return !region->isVisible() || !firstStop(region); });
    if (regions.isEmpty()) return;
    const QWidget* now = QApplication::focusWidget();
    const auto has = [now](const QWidget* region) {
      return region == now || region->isAncestorOf(now);
    };
    const auto current = std::ranges::find_if(regions, has) - regions.begin();
    const auto next = current + 1 < regions.size() ? current + 1 : 0;
    firstStop(regions[next])->setFocus(Qt::TabFocusReason);
    ring_->showAround(regions[next]);
  }

  /// Null where nothing takes the keys.
  static QWidget* firstStop(QWidget* region) {
    for (QWidget* each = region->nextInFocusChain(); each != region;
         each = each->nextInFocusChain()) {
      const bool stops = (each->focusPolicy() & Qt::TabFocus) != 0 && each->isEnabled();
      if (stops && each->isVisible() && region->isAncestorOf(each)) return each;
    }
    return nullptr;
  }

  void zoomToSelection() {
    for (MapView* map : window_->maps()) map->zoomToSelection();
  }

  void fit() {
    for (MapView* map : window_->maps()) map->fit();
  }

  /// The first time shows the selection, the second time everything.
  void focusThenFit() {
    const ViewState& state = *window_->state();
    const double begin = state.visibleBegin();
    const double end = state.visibleEnd();
    if (state.selected()) {
      zoomToSelection();
      const bool moved = std::abs(state.visibleBegin() - begin) > 1e-9 ||
                         std::abs(state.visibleEnd() - end) > 1e-9;
      if (moved) return;
    }
    fit();
  }

  void clearSelection() {
    if (window_->places()->closeDrawer()) return;
    ViewState& state = *window_->state();
    window_->messages()->hide();
    state.select({});
    state.selectOp({});
    state.setFilter(nullptr);
    state.markSteps({});
    state.restrictStatistics({});
  }

  MainWindow* window_;
  RegionRing* ring_;
};

void addView(MainWindow* window) { new ViewFeature(window); }

}  // namespace hw
