#include <QAbstractItemView>

#include "core/machine/platforms.h"
#include "tests/tour/tour.h"
#include "widgets/compare/capacity_panel.h"
#include "widgets/compare/front_panel.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/map/map_legend.h"

namespace hw::tour {

namespace {

void welcome(Tour& tour) { tour.shot(QStringLiteral("welcome")); }

void look(Tour& tour) {
  tour.open(QStringLiteral("samples:resnet50"));
  tour.shot(QStringLiteral("resnet50"));
  tour.press(Qt::Key_P);
  tour.raise("moment");
  tour.shot(QStringLiteral("peak"));
  tour.clickTensor(QStringLiteral("layer2.1.conv3"));
  tour.shot(QStringLiteral("selected"));
  tour.press(Qt::Key_F);
  tour.shot(QStringLiteral("focused"));
  tour.press(Qt::Key_Escape);
  tour.press(Qt::Key_0);
}

/// Every place as it is entered, by its key.
void places(Tour& tour) {
  tour.open(QStringLiteral("samples:inception_v3"));
  const auto& all = placeTable();
  for (std::size_t i = 0; i < all.size(); ++i) {
    tour.press(static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(i)));
    tour.shot(QStringLiteral("place_") + all[i].id);
  }
  tour.press(Qt::Key_1);
}

/// The meaning of the colours, one class picked out, and the smallest buffer found.
void legend(Tour& tour) {
  tour.open(QStringLiteral("samples:resnet50"));
  auto* strip = tour.window()->findChild<MapLegend*>();
  strip->button(BlockClass::activation)->click();
  tour.shot(QStringLiteral("legend"));
  strip->button(BlockClass::activation)->click();
  const auto run = tour.window()->state()->run();
  StayId least;
  for (const StayId stay : run->problem.stays.keys()) {
    if (!least || run->problem.stays[stay].size < run->problem.stays[least].size) least = stay;
  }
  tour.window()->state()->select(least);
  tour.shot(QStringLiteral("smallest"));
  tour.press(Qt::Key_Escape);
}

void compare(Tour& tour) {
  tour.open(QStringLiteral("samples:inception_v3"));
  tour.raise("compare");
  tour.command("compare");
  tour.until(QStringLiteral("comparing"),
             [&] { return !tour.window()->comparison()->job()->isRunning(); });
  tour.shot(QStringLiteral("compared"));
}

/// The allocator of a row of the comparison, chosen as a click does. Marks may stand before its
/// name.
void chooseRow(Tour& tour, const QString& allocator) {
  QAbstractItemView* table = tour.window()->comparison()->table();
  const QAbstractItemModel* rows = table->model();
  for (int row = 0; row < rows->rowCount(); ++row) {
    for (int column = 0; column < rows->columnCount(); ++column) {
      const QString text = rows->index(row, column).data().toString();
      if (text != allocator && !text.endsWith(u' ' + allocator)) continue;
      table->setCurrentIndex(rows->index(row, column));
      return tour.settle();
    }
  }
  tour.problem(QStringLiteral("no row of ") + allocator);
}

void below(Tour& tour) {
  chooseRow(tour, QStringLiteral("free-list"));
  tour.command("showBelow");
  tour.settle(300);
  tour.command("firstDivergence");
  tour.shot(QStringLiteral("below"));
  tour.command("closeBelow");
  tour.command("compareBars");
  tour.shot(QStringLiteral("bars"));
  tour.raise("fragmentation");
  tour.shot(QStringLiteral("fragmentation"));
}

void sweep(Tour& tour) {
  auto* panel = tour.window()->findChild<CapacityPanel*>();
  tour.command("sweepCapacity");
  tour.until(QStringLiteral("sweeping"), [&] { return !panel->job()->isRunning(); });
  tour.shot(QStringLiteral("capacity"));
}

void transport(Tour& tour) {
  tour.open(QStringLiteral("samples:unet"));
  tour.raise("markers");
  for (int i = 0; i < 12; ++i) tour.command("step");
  tour.command("addMarker");
  tour.command("nextPeak");
  tour.command("addDeltaMarker");
  tour.shot(QStringLiteral("markers"));
  tour.shotOfDialog(QStringLiteral("run_until"), [&] { tour.command("runUntil"); });
  tour.command("tenantsOf");
  tour.type(QStringLiteral("0x10000"));
  tour.press(Qt::Key_Return);
  tour.shot(QStringLiteral("tenants"));
}

void network(Tour& tour) {
  tour.open(QStringLiteral("samples:inception_v3"));
  tour.raise("graph");
  tour.settle(600);
  tour.shot(QStringLiteral("graph"));
  tour.raise("schedule");
}

void finding(Tour& tour) {
  tour.open(QStringLiteral("samples:resnet50"));
  tour.command("find");
  tour.type(QStringLiteral("layer3.2"));
  tour.shot(QStringLiteral("found"));
  tour.press(Qt::Key_Return);
  tour.press(Qt::Key_Escape);
  tour.raise("tables");
  tour.shot(QStringLiteral("tables"));
  tour.raise("histogram");
  tour.window()->state()->markSteps(Interval<Step>{Step(20), Step(50)});
  tour.command("restrictStatistics");
  tour.command("zoomToRange");
  tour.shot(QStringLiteral("range"));
  tour.command("wholeStatistics");
  tour.window()->state()->markSteps({});
  tour.command("fit");
  tour.raise("metrics");
  tour.shotOfDialog(QStringLiteral("palette"), [&] { tour.command("commandPalette"); });
}

void shrinking(Tour& tour) {
  auto* panel = tour.window()->shrink();
  tour.open(QStringLiteral("samples:mobilenet_v2_int8"));
  tour.command("shrink");
  tour.until(QStringLiteral("shrink"), [&] { return !panel->job()->isRunning(); });
  tour.shot(QStringLiteral("shrink"));
  Q_EMIT panel->chart()->picked(0);
  tour.until(QStringLiteral("shrunk"), [&] { return !tour.window()->job()->isRunning(); });
  tour.shot(QStringLiteral("shrunk"));
  tour.command("closeBelow");
}

void plan(Tour& tour, const RunRequest& request) {
  tour.window()->planWith(request);
  tour.until(QStringLiteral("planning"), [&] { return !tour.window()->job()->isRunning(); });
}

/// Two devices: a map for every memory, lanes for every part of the machine.
void devices(Tour& tour) {
  tour.open(QStringLiteral("samples:resnet8"));
  const RunRequest before = tour.window()->request();
  RunRequest request = before;
  request.allocator = *AllocatorChoice::parse("partition");
  request.platform = *openPlatform("two-devices");
  plan(tour, request);
  tour.command("showLanes");
  tour.window()->state()->setStep(Step(8));
  tour.raise("jobs");
  tour.settle(300);
  tour.shot(QStringLiteral("devices"));
  tour.command("showLanes");
  plan(tour, before);
}

/// Two plans over time with their engines, what another machine would make of them, and how fast
/// within how much memory.
void machine(Tour& tour) {
  tour.open(QStringLiteral("samples:squeezenet"));
  const RunRequest before = tour.window()->request();
  RunRequest request = before;
  request.platform = *openPlatform("ethos-u85-512");
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(8 * 1024 * 1024)};
  request.weights = {.rule = WeightRule::prefetch};
  plan(tour, request);
  tour.command("compare");
  tour.until(QStringLiteral("comparing"),
             [&] { return !tour.window()->comparison()->job()->isRunning(); });
  tour.raise("compare");
  CompareCharts* charts = tour.window()->comparison()->charts();
  charts->figureBox()->setCurrentIndex(charts->figureBox()->count() - 1);
  tour.settle(300);
  tour.shot(QStringLiteral("pareto"));
  tour.press(Qt::Key_T);
  tour.raise("events");
  for (int i = 0; i < 3; ++i) tour.command("nextOnPath");
  tour.settle(300);
  tour.shot(QStringLiteral("engines"));
  chooseRow(tour, QStringLiteral("idle-longest"));
  tour.command("showBelow");
  tour.settle(300);
  tour.shot(QStringLiteral("engines_below"));
  tour.command("closeBelow");
  tour.command("whatIf");
  tour.settle(600);
  tour.shot(QStringLiteral("what_if"));
  FrontPanel* front = tour.window()->front();
  tour.command("front");
  tour.until(QStringLiteral("drawing the front"), [&] { return !front->job()->isRunning(); });
  tour.settle(300);
  tour.shot(QStringLiteral("front"));
  tour.press(Qt::Key_T);
  plan(tour, before);
}

/// A plan that does not fit, and why.
void failure(Tour& tour) {
  tour.open(QStringLiteral("samples:inception_v3"));
  const RunRequest before = tour.window()->request();
  RunRequest request = before;
  request.allocator = *AllocatorChoice::parse("free-list");
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(1024 * 1024)};
  request.l3 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(10 * 1024 * 1024)};
  plan(tour, request);
  tour.raise("problems");
  tour.settle(300);
  tour.shot(QStringLiteral("does_not_fit"));
  plan(tour, before);
}

void dialogs(Tour& tour) {
  tour.open(QStringLiteral("samples:resnet50"));
  tour.shotOfDialog(QStringLiteral("export"), [&] { tour.command("exportPicture"); });
  tour.shotOfDialog(QStringLiteral("settings"), [&] { tour.command("settings"); });
  tour.shotOfDialog(QStringLiteral("about"), [&] { tour.command("about"); });
}

void keys(Tour& tour) {
  tour.shotOfDialog(QStringLiteral("shortcuts"), [&] { tour.press(Qt::Key_Question); });
}

void realModels(Tour& tour) {
  for (const QString& model : tour.models()) {
    tour.open(model);
    tour.shot(QFileInfo(model).completeBaseName());
    tour.raise("problems");
    tour.shot(QFileInfo(model).completeBaseName() + QStringLiteral("_problems"));
  }
}

}  // namespace

const std::vector<Chapter>& chapters() {
  static const std::vector<Chapter> kChapters = {
      {"welcome", welcome},
      {"a first look", look},
      {"the five places", places},
      {"what the colours mean", legend},
      {"allocators side by side", compare},
      {"plans below one another", below},
      {"how much L2 is enough", sweep},
      {"through the run, with markers", transport},
      {"the network", network},
      {"finding things", finding},
      {"what would help", shrinking},
      {"two devices, and what they do", devices},
      {"the machine", machine},
      {"when it does not fit", failure},
      {"dialogs", dialogs},
      {"every key", keys},
      {"models of your own", realModels},
  };
  return kChapters;
}

}  // namespace hw::tour
