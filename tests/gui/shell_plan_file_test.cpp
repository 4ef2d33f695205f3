// Plans out of files in the studio: alone, dropped on their model, and ours below theirs.
#include <QFile>
#include <QMimeData>
#include <QPushButton>
#include <sstream>

#include "app/gui/features/compare/plan_file_feature.h"
#include "core/check/stated_run.h"
#include "core/import/samples.h"
#include "core/plan_file/plan_writer.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/frame/message_bar.h"

using namespace hw;
using namespace hw::test;

namespace {

/// The print of tflite-micro for four buffers, of which three lie above each other.
const char* const kLogOfThree =
    "boot\n"
    "a (id=0): size=64, offset=0, first_used=0 last_used=1\n"
    "b (id=1): size=32, offset=64, first_used=1 last_used=2\n"
    "c (id=2): size=64, offset=128, first_used=2 last_used=3\n";

std::string planOf(const char* sample, const char* allocator) {
  RunRequest request = planningRequest();
  request.allocator = AllocatorChoice::parse(allocator).value();
  std::ostringstream text;
  writePlanJson(*sampleRun(sample, request), text);
  return text.str();
}

PlanFileFeature& planFiles(Studio& window) {
  auto* feature = window.findChild<PlanFileFeature*>();
  REQUIRE(feature);
  return *feature;
}

/// Until nothing is read or planned any more.
void restOf(Studio& window) {
  REQUIRE(test::comes([&] {
    PlanFileFeature& feature = planFiles(window);
    return !feature.reading()->isRunning() && !feature.planning()->isRunning() &&
           !window.job()->isRunning();
  }));
  settle(window);
}

void dropFile(Studio& window, const QString& file) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(file)});
  QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &enter);
  REQUIRE(enter.isAccepted());
  QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &drop);
  restOf(window);
}

void press(const QWidget* bar, const char* text) {
  for (auto* button : bar->findChildren<QPushButton*>()) {
    if (button->text() == QLatin1String(text)) return button->click();
  }
  FAIL("no button " << text);
}

QStringList comparedNames(Studio& window) {
  QStringList names;
  const CompareModel* model = window.comparison()->model();
  for (int row = 0; row < model->rowCount(); ++row) {
    names.append(
        model->data(model->index(row, CompareModel::allocator), Qt::DisplayRole).toString());
  }
  return names;
}

std::string methodOf(Studio& window) { return window.state()->run()->request.allocator.text(); }

}  // namespace

TEST_CASE("a plan of another tool opens as it is, and the bar says what it does not say",
          "[shell][planfile]") {
  QTemporaryDir folder;
  test::Opened window(inFolder(folder, "net.log", kLogOfThree));
  CHECK(methodOf(window) == "embedded");
  const auto theirs = window.state()->run();
  CHECK(theirs->plan.footprint(PoolId(0)) == Bytes(192));
  CHECK(theirs->trace.events().size() > 0);
  CHECK(window.request().allocator.text() == "embedded");
  MessageBar* bar = test::part<MessageBar>(window, "offers");
  CHECK(bar->isVisible());
  CHECK(bar->text() ==
        QStringLiteral("Memory plan that tflite-micro printed, shown as it is; not said in the "
                       "file: names, operators \u00b7 Ours below theirs"));
  SECTION("one press plans the same below") {
    press(bar, "Ours below theirs");
    restOf(window);
    CHECK(window.state()->run() == theirs);
    const auto below = window.compareMaps()->runs();
    REQUIRE(below.size() == 1);
    CHECK(below[0]->request.allocator.text() == "best");
    CHECK(below[0]->sharing.alignment == theirs->sharing.alignment);
    CHECK(below[0]->plan.footprint(PoolId(0)) == Bytes(128));
    CHECK(window.compareMaps()->shownMaps().size() == 2);
  }
  SECTION("what is opened next is planned as before") {
    openAndWait(window, QStringLiteral("samples:chain"));
    CHECK(methodOf(window) != "embedded");
    openAndWait(window, QStringLiteral("samples:mobilenet_v2"));
    CHECK(methodOf(window) == "best");
    CHECK_FALSE(bar->isVisible());
  }
}

TEST_CASE("offsets of a CSV are a plan, and other settings stay", "[shell][planfile]") {
  QTemporaryDir folder;
  Settings none;
  Studio window(&none);
  openAndWait(window, inFolder(folder, "solved.csv",
                               "id,lower,upper,size,offset\na,0,2,8,32\nb,1,3,4,0\n"));
  CHECK(methodOf(window) == "embedded");
  CHECK(window.state()->run()->plan.footprint(PoolId(0)) == Bytes(40));
  openAndWait(window,
              inFolder(folder, "half.csv", "id,lower,upper,size,offset\na,0,2,8,32\nb,1,3,4,\n"));
  CHECK(methodOf(window) == "best");
}

TEST_CASE("our own plan opens alone, and on its model when it is dropped there",
          "[shell][planfile]") {
  QTemporaryDir folder;
  const QString plan = inFolder(folder, "mine.plan.json", planOf("mobilenet_v2", "free-list"));
  test::Opened window(plan);
  CHECK(methodOf(window) == "embedded");
  CHECK(test::part<MessageBar>(window, "offers")
            ->text()
            .startsWith(QStringLiteral(
                "Memory plan of Highwater (JSON), shown as it is; not said in the file: "
                "operators. Open mobilenet_v2 and drop the file on it to see them")));
  const Bytes alone = window.state()->run()->plan.footprint(PoolId(0));
  openAndWait(window, QStringLiteral("samples:mobilenet_v2"));
  const auto before = window.state()->run();
  dropFile(window, plan);
  const auto shown = window.state()->run();
  INFO(window.messages()->text().toStdString());
  REQUIRE(planFileOf(*shown));
  CHECK(shown->model == before->model);
  CHECK(shown->plan.footprint(PoolId(0)) == alone);
  CHECK(*planFileOf(*shown) == "mine.plan.json");
  CHECK(window.messages()->text() ==
        QStringLiteral("the plan of mine.plan.json, made by free-list, shown as it is "
                       "\u00b7 Ours below theirs"));
  // Why a buffer is where it is can be asked of it, too.
  for (const StayId stay : shown->problem.stays.keys()) window.state()->select(stay);
  window.state()->goToPeak();
  // The next request is what the file says, not what follows a plan that is not there.
  CHECK(window.request().allocator.text() == "free-list");
  const QStringList rows = comparedNames(window);
  CHECK(rows.size() == 2);
  CHECK(rows.filter(QStringLiteral("mine.plan.json")).size() == 1);
  CHECK(window.comparison()->model()->rowOfA() >= 0);

  press(window.messages(), "Ours below theirs");
  restOf(window);
  REQUIRE(window.compareMaps()->runs().size() == 1);
  CHECK(window.compareMaps()->runs()[0]->request.allocator.text() == "best");

  // Dropped once more it is the same row; compared anew, the row stays.
  dropFile(window, plan);
  CHECK(comparedNames(window).size() == 2);
  window.comparison()->start();
  REQUIRE(test::comes([&] { return !window.comparison()->job()->isRunning(); }));
  CHECK(comparedNames(window).filter(QStringLiteral("mine.plan.json")).size() == 1);
  CHECK(comparedNames(window).size() > 2);
}

TEST_CASE("a plan of something else says so and can be opened alone", "[shell][planfile]") {
  QTemporaryDir folder;
  test::Opened window(QStringLiteral("samples:mobilenet_v2"));
  const auto before = window.state()->run();
  dropFile(window, inFolder(folder, "net.log", kLogOfThree));
  CHECK(window.state()->run() == before);
  INFO(window.messages()->text().toStdString());
  CHECK(window.messages()->text().startsWith(
      QStringLiteral("net.log is no valid plan of mobilenet_v2: 'buffer 0' is placed, but the "
                     "model has no such tensor, and ")));
  CHECK_FALSE(window.comparison()->comparison());
  press(window.messages(), "Open it alone");
  settle(window);
  CHECK(methodOf(window) == "embedded");
  // A file without a plan is opened.
  dropFile(window, QStringLiteral(HIGHWATER_SOURCE_DIR "/sample_graphs/chain.graph.json"));
  CHECK(window.windowTitle().contains(QStringLiteral("chain")));
}
