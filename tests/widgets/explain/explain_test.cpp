// The Shrink panel: a front to click, steps with what they save, and why there are none.

#include <QFile>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "app/gui/studio.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/report/explain/front_report.h"
#include "core/run/options.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/explain/inspector.h"
#include "widgets/explain/inspector_text.h"
#include "widgets/explain/moment_panel.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/map/map_view.h"
#include "widgets/method/method_panel.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

using namespace hw::test;
using namespace hw;

namespace {

std::shared_ptr<const Run> explained(const char* sample, const char* allocator,
                                     const char* platform = "") {
  RunRequest request = requestBy(allocator, platform);
  request.alignment = Bytes(1);
  request.alias = AliasRules::none();
  return sampleRun(sample, request);
}

StayId stayOf(const Run& run, const std::string& name) {
  for (const StayId id : run.problem.stays.keys()) {
    if (run.stayName(id) == name) return id;
  }
  FAIL("no stay " << name);
  return {};
}

/// The tables that `panel` offers, without the stages before them.
QStringList tables(const MethodPanel& panel) {
  QStringList names;
  for (int i = 0; i < panel.chooser()->count(); ++i) names.append(panel.chooser()->itemText(i));
  return names.filter(QStringLiteral("Table: "));
}

void showTable(MethodPanel& panel, const QString& name) {
  panel.chooser()->setCurrentIndex(panel.chooser()->findText(QStringLiteral("Table: ") + name));
}

void click(MethodTableView& view, int row, int column) {
  const QModelIndex index = view.model()->index(row, column);
  view.scrollTo(index);
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.visualRect(index).center());
}

bool shrinkEnds(ShrinkPanel& panel) {
  return test::comes([&] { return !panel.job()->isRunning(); });
}

std::shared_ptr<const Run> shrinkRunOf(const std::string& sample,
                                       RunRequest request = defaultRequest()) {
  request.model = sample;
  const auto model = std::make_shared<const Model>(openModel(sample, {}).value());
  return execute(model, request, {}).value();
}

ShrinkOptions quickShrink() {
  ShrinkOptions options;
  options.sizes = 2;
  options.extraMacs = 0;
  return options;
}

const ShrinkStep* shrinkStepCalled(const ShrinkPanel& panel, const char* what) {
  const auto found = std::ranges::find(panel.steps(), QString::fromLatin1(what), &ShrinkStep::what);
  return found == panel.steps().end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("the inspector lists every place that was considered, and links to the walls",
          "[shell][explain]") {
  ViewState state;
  Inspector inspector(&state);
  state.setRun(explained("inception", "free-list"));
  state.select(stayOf(*state.run(), "w"));
  const QString text = inspector.toPlainText();
  CHECK(text.contains(QStringLiteral("Too small: free block 0x0000_0010, 8 B")));
  CHECK(text.contains(QStringLiteral("56 bytes too small")));
  CHECK(text.contains(QStringLiteral("Too small: free block 0x0000_0028, 56 B")));
  CHECK(text.contains(QStringLiteral("Chosen: frontier 0x0000_0080")));
  const QString link = QStringLiteral("href=\"stay:%1\"").arg(stayOf(*state.run(), "r").index());
  CHECK(inspector.toHtml().contains(link));
}

TEST_CASE("places that were not taken are ghosts on the map while the stay is selected",
          "[shell][explain]") {
  ViewState state;
  Inspector inspector(&state);
  MapView map(&state, PoolId(0));
  map.resize(700, 300);
  map.show();
  state.setRun(explained("inception", "free-list"));
  const QImage plain = map.grab().toImage();
  state.select(stayOf(*state.run(), "w"));
  // The free blocks at 16 (8 B) and at 40 (56 B), both too small.
  REQUIRE(state.ghosts().size() == 2);
  CHECK(state.ghosts()[0].bytes == Interval<Bytes>{Bytes(16), Bytes(24)});
  CHECK(state.ghosts()[1].bytes == Interval<Bytes>{Bytes(40), Bytes(96)});
  CHECK(state.ghosts()[1].verdict == Verdict::tooSmall);
  CHECK(state.ghosts()[1].steps == Interval<Step>{Step(6), Step(8)});
  const QImage with = map.grab().toImage();
  state.setGhosts({});
  CHECK(map.grab().toImage() != with);
  state.select({});
  CHECK(state.ghosts().empty());
  CHECK(map.grab().toImage() == plain);
}

TEST_CASE("the inspector has the roofline of the operator under way", "[shell][explain]") {
  ViewState state;
  Inspector inspector(&state);
  inspector.resize(320, 700);
  inspector.show();
  const auto run = explained("resnet8", "best");
  state.setRun(run);
  const auto picture = [&] {
    return inspector.document()
        ->resource(QTextDocument::ImageResource, QUrl(QStringLiteral("picture:roofline")))
        .value<QImage>();
  };
  const std::vector<RoofDot> dots = roofline(*run);
  REQUIRE(dots.size() > 2);
  state.setStep(dots[0].step);
  CHECK(inspector.toPlainText().contains(viewText(roofWords(*run, dots[0]))));
  const QImage first = picture();
  REQUIRE_FALSE(first.isNull());
  CHECK(first.width() <= inspector.viewport()->width());
  // Another operator is encircled, in the same picture.
  state.setStep(dots[1].step);
  CHECK(picture().size() == first.size());
  CHECK(picture() != first);
  Q_EMIT inspector.anchorClicked(QUrl(QStringLiteral("section:roofline")));
  CHECK(inspector.toPlainText().contains(QStringLiteral("Roofline")));
  CHECK_FALSE(inspector.toPlainText().contains(QStringLiteral("of its roof")));
  Q_EMIT inspector.anchorClicked(QUrl(QStringLiteral("section:roofline")));
  // An operator without MACs is in no roofline.
  for (Step step; step < run->schedule.steps(); step += Step(1)) {
    state.setStep(step);
    CHECK(inspector.toPlainText().contains(QStringLiteral("Roofline")) ==
          roofDot(*run, step).has_value());
  }
}

TEST_CASE("sections of the inspector close and stay closed", "[shell][explain]") {
  ViewState state;
  Inspector inspector(&state);
  inspector.resize(280, 300);
  inspector.show();
  state.setRun(explained("inception", "free-list"));
  state.select(stayOf(*state.run(), "w"));
  // Why it lies there can be read without scrolling.
  const QString text = inspector.toPlainText();
  const QTextCursor why = inspector.document()->find(QStringLiteral("Why here"));
  REQUIRE_FALSE(why.isNull());
  CHECK(inspector.cursorRect(why).bottom() < 200);
  CHECK(text.indexOf(QStringLiteral("Why here")) < text.indexOf(QStringLiteral("How it got")));
  Q_EMIT inspector.anchorClicked(QUrl(QStringLiteral("section:why")));
  CHECK(inspector.toPlainText().contains(QStringLiteral("Why here")));
  CHECK_FALSE(inspector.toPlainText().contains(QStringLiteral("Too small")));
  state.select(stayOf(*state.run(), "r"));
  CHECK_FALSE(inspector.toPlainText().contains(QStringLiteral("Chosen")));
  Q_EMIT inspector.anchorClicked(QUrl(QStringLiteral("section:why")));
  CHECK(inspector.toPlainText().contains(QStringLiteral("Chosen")));
}

TEST_CASE("a long name is its end in the inspector, and whole in its tool tip",
          "[shell][explain]") {
  const std::string whole = "scope_of_the_model/block_17/<expand>/BatchNormalization;block_17/conv";
  ViewState state;
  Inspector inspector(&state);
  state.setRun(test::makeRun({{whole, 4, 0, 2}, {"b", 4, 1, 2}}));
  state.select(StayId(0));
  CHECK(inspector.toPlainText().startsWith(QStringLiteral("\u2026")));
  CHECK_FALSE(inspector.toPlainText().contains(viewText(whole)));
  const QTextCursor end = inspector.document()->find(QStringLiteral("block_17/conv"));
  CHECK(end.charFormat().toolTip() == plainTip(viewText(whole)));
  CHECK(inspector.toPlainText().contains(QStringLiteral("0 B, aligned to 1 B")));
}

TEST_CASE("the inspector explains blocks of execution units and what is inside them",
          "[shell][explain]") {
  ViewState state;
  Inspector inspector(&state);
  state.setRun(explained("two_devices", "partition", "two-devices"));
  state.select(stayOf(*state.run(), "d"));
  CHECK(inspector.toPlainText().contains(QStringLiteral("Inside the block")));
  CHECK(inspector.toPlainText().contains(QStringLiteral("use count")));
}

TEST_CASE("in large runs the explanation comes later, and only if it is still wanted",
          "[shell][explain]") {
  ViewState state;
  Inspector inspector(&state);
  state.setRun(test::randomRun(3, 5'000, 400));
  state.setStep(Step(7));
  REQUIRE(test::comes([&] { return inspector.toPlainText().contains("What fills L2 at step 7"); }));
  state.select(StayId(10));
  CHECK(inspector.toPlainText().contains(QStringLiteral("Following the allocator again")));
  state.select(StayId(20));
  const auto name = [&](std::size_t id) { return stayText(*state.run(), StayId(id)); };
  REQUIRE(test::comes([&] { return inspector.toPlainText().contains("Chosen"); }));
  CHECK(inspector.toPlainText().startsWith(name(20)));
  state.select({});
  test::finishBackground();
  CHECK_FALSE(inspector.toPlainText().contains(QStringLiteral("Why here")));
}

TEST_CASE("names in candidates cannot become markup", "[shell][explain]") {
  // b and c wall each other in; both are named like markup.
  const auto run = test::makeRun({{"<b>", 4, 0, 2}, {"<i>x", 4, 0, 2}, {"c", 4, 1, 2}});
  CHECK_FALSE(whyHere(*run, StayId(2)).html.contains(QStringLiteral("<i>x")));
  CHECK(whyHere(*run, StayId(2)).html.contains(QStringLiteral("&lt;i&gt;x")));
}

TEST_CASE("the peak panel lists what is live and the holes, and they add up", "[shell][explain]") {
  ViewState state;
  MomentPanel panel(&state);
  panel.resize(900, 300);
  panel.show();
  CHECK_FALSE(panel.poolChooser()->isEnabled());
  CHECK_FALSE(panel.summary().isEmpty());
  state.setRun(explained("inception", "free-list"));
  CHECK(panel.summary() ==
        QStringLiteral("Step 6: 128 B live + 64 B in holes + 0 B above = 192 B"));
  CHECK(columnTexts(*panel.view(), 0) ==
        QStringList{"tensor", "hole", "tensor", "tensor", "tensor", "hole"});
  CHECK(columnTexts(*panel.view(), 2) ==
        QStringList{"64 B", "56 B", "32 B", "16 B", "16 B", "8 B"});

  // A hole's walls are v below and r above; the cell that names a wall selects it.
  CHECK(panel.view()->model()->index(1, 7).data() == QStringLiteral("v"));
  click(*panel.view(), 1, 7);
  CHECK(state.run()->stayName(state.selected()) == "v");
  click(*panel.view(), 1, 8);
  CHECK(state.run()->stayName(state.selected()) == "r");
  click(*panel.view(), 0, 2);
  CHECK(state.run()->stayName(state.selected()) == "w");

  // In a narrow column the sum takes as many lines as it needs.
  panel.resize(240, 300);
  QTest::qWait(0);
  const auto labels = panel.findChildren<QLabel*>();
  const auto sum = std::ranges::find(labels, panel.summary(), &QLabel::text);
  REQUIRE(sum != labels.end());
  CHECK((*sum)->height() >= (*sum)->heightForWidth((*sum)->width()));
  CHECK((*sum)->height() > 2 * (*sum)->fontMetrics().height());

  panel.stepChooser()->setCurrentIndex(2);
  state.setStep(Step(0));
  CHECK(panel.summary().startsWith(QStringLiteral("Step 0: 72 B live")));
  panel.poolChooser()->setCurrentIndex(1);
  panel.stepChooser()->setCurrentIndex(0);
  CHECK(panel.summary() == QStringLiteral("Nothing lives here."));
}

TEST_CASE("the method panel shows each table of the run, sorts it and links its rows",
          "[shell][explain]") {
  ViewState state;
  MethodPanel panel(&state);
  panel.resize(900, 300);
  panel.show();
  CHECK_FALSE(panel.emptyText().isEmpty());
  state.setRun(explained("inception", "block-id"));
  CHECK(tables(panel) == QStringList{"Table: mapping", "Table: capacity"});
  showTable(panel, QStringLiteral("mapping"));
  CHECK(panel.emptyText().isEmpty());
  CHECK(columnTexts(*panel.view(), 1) == QStringList{"s", "p", "q", "r", "u", "v", "w", "y"});
  CHECK(columnTexts(*panel.view(), 3) == QStringList{"0", "1", "2", "3", "2", "0", "2", "1"});

  panel.view()->sortByColumn(2, Qt::DescendingOrder);
  CHECK(columnTexts(*panel.view(), 1).first() == QStringLiteral("w"));
  click(*panel.view(), 0, 4);
  CHECK(state.run()->stayName(state.selected()) == "w");
  state.select(stayOf(*state.run(), "u"));
  CHECK(panel.view()->currentIndex().siblingAtColumn(1).data() == QStringLiteral("u"));

  showTable(panel, QStringLiteral("capacity"));
  CHECK(columnTexts(*panel.view(), 2) == QStringList{"48 B", "16 B", "64 B", "32 B"});

  state.setRun(explained("inception", "greedy-by-size"));
  CHECK(tables(panel).isEmpty());
}

TEST_CASE("every method's tables have as many cells a row as columns", "[shell][explain]") {
  const auto index = GENERATE(range(0, static_cast<int>(allocatorCatalog().size())));
  const AllocatorInfo& info = allocatorCatalog()[static_cast<std::size_t>(index)];
  INFO(info.name);
  ViewState state;
  MethodPanel panel(&state);
  state.setRun(explained("inception", std::string(info.name).c_str()));
  for (const MethodTable& table : state.run()->plan.tables) {
    INFO(table.name);
    CHECK_FALSE(table.summary.empty());
    for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
  }
  CHECK(tables(panel).size() == static_cast<int>(state.run()->plan.tables.size()));
}

TEST_CASE("a model that cannot shrink says so, and why, step by step", "[shrink]") {
  ViewState state;
  ShrinkPanel panel(&state);
  panel.resize(900, 300);
  panel.show();
  CHECK(panel.chart()->emptyText().startsWith(QStringLiteral("Open a model")));
  state.setRun(shrinkRunOf("samples:chain"));
  CHECK(panel.chart()->emptyText().startsWith(QStringLiteral("Press Shrink")));
  panel.start();
  REQUIRE(shrinkEnds(panel));
  REQUIRE(panel.findings().front);
  CHECK_FALSE(panel.findings().front->shrinks());
  CHECK(panel.note().contains(QStringLiteral("nothing is smaller")));
  CHECK(panel.chart()->ids().size() >= 1);  // The plan as it is.
  for (const ShrinkStep& step : panel.steps()) {
    CAPTURE(step.what.toStdString());
    if (step.what.startsWith(QStringLiteral("as it is"))) continue;
    CHECK((step.saved > Bytes() || !step.why.isEmpty()));
  }
  CHECK_FALSE(test::button(panel, "start")->isEnabled());
  CHECK(test::button(panel, "start")->toolTip().contains(QStringLiteral("All is found")));
}

TEST_CASE("a planning problem has no operators to rewrite, but may have a better method",
          "[shrink]") {
  ViewState state;
  ShrinkPanel panel(&state);
  panel.resize(900, 300);
  panel.show();
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("rectangles.csv"));
  QFile file(path);
  REQUIRE(file.open(QIODevice::WriteOnly));
  file.write("id,lower,upper,size\na,0,2,16\nb,1,3,8\nc,2,4,16\n");
  file.close();
  RunRequest request = defaultRequest();
  request.allocator = AllocatorChoice::parse("none").value();
  state.setRun(shrinkRunOf(path.toStdString(), request));
  panel.start();
  REQUIRE(shrinkEnds(panel));
  CHECK_FALSE(panel.findings().front);
  CHECK(panel.chart()->emptyText().contains(QStringLiteral("no operators")));
  REQUIRE(panel.findings().advice);
  REQUIRE_FALSE(panel.steps().empty());
  CHECK(panel.steps().back().leaves == Bytes(24));
}

TEST_CASE("the front grows, bounds stand beside it, and a click opens a plan above the first",
          "[shrink]") {
  test::Opened window(QStringLiteral("samples:mobilenet_v2_int8"), {1500, 950});
  ShrinkPanel& panel = *window.shrink();
  panel.setOptions(quickShrink());
  const auto first = window.state()->run();
  std::size_t grew = 0;
  QObject::connect(panel.job(), &Job::progressed, &panel, [&] {
    if (panel.findings().front) grew = std::max(grew, panel.findings().front->points.size());
  });
  action(window, "shrink")->trigger();
  CHECK(panel.isVisible());
  CHECK(test::button(panel, "stop")->isVisible());
  REQUIRE(shrinkEnds(panel));
  CHECK(grew >= 1);
  REQUIRE(panel.findings().front);
  const ShrinkFront& front = *panel.findings().front;
  REQUIRE(front.points.size() >= 2);
  // The plan as it is stands beside the front, unless nothing that is smaller is as fast.
  const auto plain = std::ranges::find(front.points, front.plain.run, &ShrinkPoint::run);
  const int asItIs = static_cast<int>(plain - front.points.begin());
  CHECK(panel.chart()->marked() == asItIs);
  // Every rewrite has a row with its bound, and every plan of the front has one.
  for (const ShrinkTrial& trial : front.trials) {
    const ShrinkStep* step = shrinkStepCalled(panel, shrinkStepText(trial).c_str());
    REQUIRE(step);
    CHECK(step->bound == trial.bound);
    CHECK((step->run != nullptr) == trial.peak.has_value());
    if (trial.peak) CHECK(step->saved == front.plain.peak - *trial.peak);
  }
  for (const ShrinkPoint& point : front.points) {
    CHECK(std::ranges::count(panel.steps(), point.run, &ShrinkStep::run) == 1);
  }
  const auto tried = [](const ShrinkStep& step) { return step.run != nullptr; };
  CHECK(std::ranges::is_partitioned(panel.steps(), tried));
  CHECK(front.points.front().peak ==
        std::ranges::find_if(panel.steps().rbegin(), panel.steps().rend(), tried)->leaves);

  const QRectF dot = panel.chart()->dotRect(0);
  REQUIRE_FALSE(dot.isEmpty());
  QTest::mouseClick(panel.chart(), Qt::LeftButton, {}, dot.center().toPoint());
  REQUIRE(test::comes([&] { return window.state()->run() != first; }));
  settle(window);
  const auto shrunk = window.state()->run();
  CHECK(footprintOf(*shrunk) == front.points.front().peak);
  CHECK(sameBut(window.request(), first->request,
                {"alias", "tile", "order", "tile-to", "extra-work"}));
  CHECK(panel.chart()->marked() == 0);
  CHECK_FALSE(test::button(panel, "shrinkOpen")->isEnabled());
  CHECK(window.belowState()->run() == first);
  CHECK(panel.findings().front);  // It is about this model still.
  // Both go through the run together.
  window.state()->goToPeak();
  const std::string now =
      displayName(shrunk->graph(), shrunk->schedule.opAt(window.state()->step()));
  const std::string before =
      displayName(first->graph(), first->schedule.opAt(window.belowState()->step()));
  CHECK(now.substr(0, now.find('[')) == before);

  // Keys go from dot to dot, Enter opens; Undo takes it back.
  panel.chart()->setFocus();
  QTest::keyClick(panel.chart(), Qt::Key_Right);
  CHECK(panel.chart()->current() != DotChart::kNone);
  action(window, "undo")->trigger();
  settle(window);
  CHECK(footprintOf(*window.state()->run()) == footprintOf(*first));
  CHECK(panel.chart()->marked() == asItIs);
  openAndWait(window, QStringLiteral("samples:chain"));
  CHECK_FALSE(panel.findings().front);
  CHECK(panel.steps().empty());
}
