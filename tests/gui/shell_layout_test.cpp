// What a window looks like: the first time, when it is small, after things below it have gone.
#include <QDockWidget>
#include <QScreen>
#include <QSplitter>

#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/form/run_form.h"

using namespace hw;
using namespace hw::test;

namespace {

/// Counts how often a window is brought to the front.
class Raises : public QObject {
 public:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::ZOrderChange) ++count;
    return QObject::eventFilter(watched, event);
  }
  int count = 0;
};

/// The plan on show, made by another allocator.
std::shared_ptr<const Run> otherPlan(Studio& window) {
  RunRequest request = window.request();
  request.allocator = *AllocatorChoice::parse("in-order");
  return *execute(window.state()->run()->model, request, {});
}

}  // namespace

TEST_CASE("the first window is no larger than the screen", "[shell]") {
  Settings none;
  Studio window(&none);
  const QSize screen = window.screen()->availableSize();
  window.resizeOnScreen(screen + QSize(400, 200));
  window.show();
  QTest::qWait(10);
  CHECK(window.frameGeometry().width() <= screen.width());
  CHECK(window.frameGeometry().height() <= screen.height());
  window.resizeOnScreen({screen.width() - 100, screen.height() - 100});
  CHECK(window.size() == QSize(screen.width() - 100, screen.height() - 100));
}

TEST_CASE("in a small window the panels at the right are tabs, and maps have half the width",
          "[shell]") {
  const auto [width, height, tabs] =
      GENERATE(table<int, int, bool>({{1920, 1080, false}, {1366, 768, true}, {1024, 700, true}}));
  CAPTURE(width, height);
  Settings none;
  Studio window(&none);
  window.resize(width, height);
  window.show();
  openAndWait(window, QStringLiteral("samples:inception_v3"));
  QTest::qWait(20);
  CHECK(window.size() == QSize(width, height));
  auto* inspector = window.findChild<QDockWidget*>(QStringLiteral("inspector"));
  auto* run = window.findChild<QDockWidget*>(QStringLiteral("run"));
  CHECK(window.tabifiedDockWidgets(inspector).contains(run) == tabs);
  CHECK(window.maps().front()->width() * 2 >= width);
}

TEST_CASE("in the smallest window nothing lies over anything else", "[shell]") {
  Settings none;
  Studio window(&none);
  window.resize(700, 450);
  window.show();
  openAndWait(window, QStringLiteral("samples:inception_v3"));
  QTest::qWait(20);
  CHECK(window.width() == 700);
  CHECK(window.height() == 450);
  std::vector<std::pair<std::string, QRect>> parts;
  const auto add = [&](const QWidget* part, const QString& name) {
    if (!part->isVisible() || part->visibleRegion().isEmpty()) return;
    parts.emplace_back(name.toStdString(), QRect(part->mapTo(&window, QPoint()), part->size()));
    CHECK(window.rect().contains(parts.back().second));
  };
  add(window.centralWidget(), QStringLiteral("views"));
  for (const auto* dock : window.findChildren<QDockWidget*>()) add(dock, dock->objectName());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      CAPTURE(parts[i].first, parts[j].first);
      CHECK_FALSE(parts[i].second.intersects(parts[j].second));
    }
  }
  // Inside the column, too: each view as high as it needs to be, or else it scrolls.
  for (int i = 0; i < window.views()->count(); ++i) {
    const QWidget* view = window.views()->widget(i);
    CAPTURE(i);
    if (!view->isHidden()) CHECK(view->height() >= view->minimumSizeHint().height());
  }
}

TEST_CASE("a floating panel that is shown again comes in front of the window", "[shell]") {
  Settings none;
  Studio window(&none);
  window.show();
  auto* dock = window.findChild<QDockWidget*>(QStringLiteral("events"));
  dock->setFloating(true);
  dock->hide();
  QTest::qWait(10);
  Raises raises;
  dock->installEventFilter(&raises);
  dock->toggleViewAction()->trigger();
  CHECK(dock->isVisible());
  CHECK(QTest::qWaitFor([&] { return raises.count > 0; }, test::kPatience));
}

TEST_CASE("views have their heights back when nothing is below any more, and the note goes",
          "[shell]") {
  Settings none;
  Studio window(&none);
  window.resize(1280, 720);
  window.show();
  openAndWait(window, QStringLiteral("samples:resnet8"));
  QTest::qWait(20);
  const QList<int> before = window.views()->sizes();
  window.showBelow(otherPlan(window));
  QTest::qWait(20);
  CHECK(window.views()->sizes() != before);
  action(window, "firstDivergence")->trigger();
  REQUIRE(QTest::qWaitFor([&] { return window.messages()->isVisible(); }, test::kPatience));
  action(window, "closeBelow")->trigger();
  QTest::qWait(20);
  CHECK_FALSE(window.messages()->isVisible());
  CHECK(window.views()->sizes() == before);
}

TEST_CASE("resetting the layout divides what panels hold side by side as at first", "[shell]") {
  Settings none;
  Studio window(&none);
  window.resize(1400, 1000);
  window.show();
  auto* split = window.findChild<ComparePanel*>()->findChild<QSplitter*>();
  action(window, "compareBars")->trigger();
  split->setSizes({1000, 0});
  REQUIRE(split->sizes().back() == 0);
  action(window, "resetLayout")->trigger();
  CHECK(split->sizes().back() > 0);
  CHECK(split->sizes().front() >= split->sizes().back());
}

TEST_CASE("the form of a run cuts nothing off in a narrow panel", "[shell]") {
  RunForm form;
  form.resize(190, 500);
  form.show();
  const int room = form.viewport()->width();
  CHECK(form.widget()->width() <= room);
  for (const QWidget* field : form.widget()->findChildren<QWidget*>()) {
    if (!field->isVisible() || field->parentWidget() != form.widget()) continue;
    CAPTURE(field->objectName().toStdString());
    CHECK(field->geometry().right() < room);
    CHECK(field->width() >= field->minimumSizeHint().width());
  }
}

TEST_CASE("resetting the layout gives the views their heights back", "[shell]") {
  Settings none;
  Studio window(&none);
  window.resize(1400, 1000);
  window.show();
  openAndWait(window, QStringLiteral("samples:resnet8"));
  action(window, "resetLayout")->trigger();
  QTest::qWait(20);
  const QList<int> proper = window.views()->sizes();
  CHECK(window.chart()->height() == window.chart()->sizeHint().height());
  QList<int> skewed(proper.size(), 0);
  skewed[window.views()->indexOf(window.chart())] = 1000;
  window.views()->setSizes(skewed);
  QTest::qWait(20);
  REQUIRE(window.views()->sizes() != proper);
  action(window, "resetLayout")->trigger();
  QTest::qWait(20);
  CHECK(window.views()->sizes() == proper);
}
