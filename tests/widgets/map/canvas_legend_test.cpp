// The strip that says what the colours of the maps mean.
#include <QPainter>
#include <QTest>
#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/widgets/support.h"
#include "widgets/map/map_legend.h"
#include "widgets/map/map_painter.h"

using namespace hw;

namespace {

/// The kinds whose buttons are on show.
std::vector<TensorClass> shown(const MapLegend& legend) {
  std::vector<TensorClass> kinds;
  for (std::size_t kind = 0; kind < kTensorClasses; ++kind) {
    const auto one = static_cast<TensorClass>(kind);
    if (!legend.button(one)->isHidden()) kinds.push_back(one);
  }
  return kinds;
}

}  // namespace

TEST_CASE("the legend has the classes of the run, and a click picks them out", "[map][legend]") {
  ViewState state;
  MapLegend legend(&state);
  CHECK(shown(legend).empty());
  const auto run = test::randomRun(5, 40, 20);
  state.setRun(run);
  std::vector<TensorClass> expected;
  for (std::size_t kind = 0; kind < kTensorClasses; ++kind) {
    const auto one = static_cast<TensorClass>(kind);
    const bool any = std::ranges::any_of(run->problem.stays.keys(),
                                         [&](StayId stay) { return stayClass(*run, stay) == one; });
    if (any) expected.push_back(one);
  }
  REQUIRE_FALSE(expected.empty());
  CHECK(shown(legend) == expected);
  QToolButton* first = legend.button(expected.front());
  first->click();
  REQUIRE(state.filter());
  for (const StayId stay : run->problem.stays.keys()) {
    CHECK(state.filter()->keeps(stay) == (stayClass(*run, stay) == expected.front()));
  }
  first->click();
  CHECK_FALSE(state.filter());
}

TEST_CASE("picking out something else lets go of the classes", "[map][legend]") {
  ViewState state;
  MapLegend legend(&state);
  const auto run = test::smallRun();
  state.setRun(run);
  QToolButton* button = legend.button(shown(legend).front());
  button->click();
  const auto other = makeFilter("something else", std::vector<bool>(4, true));
  state.setFilter(other);
  CHECK_FALSE(button->isChecked());
  CHECK(state.filter() == other);
  button->click();
  state.setRun(test::randomRun(3, 9, 4));
  CHECK_FALSE(legend.button(shown(legend).front())->isChecked());
}

TEST_CASE("the legend has the lines that the maps have, and no other", "[map][legend]") {
  using Kind = ReferenceLine::Kind;
  ViewState state;
  MapLegend legend(&state);
  CHECK(legend.lines().empty());
  const auto model = std::make_shared<const Model>(openModel("samples:inception", {}).value());
  const auto plan = [&](const char* method) {
    RunRequest request;
    request.allocator = AllocatorChoice::parse(method).value();
    request.platform = platformCatalog().front();
    request.l2.kind = PoolSize::Kind::unbounded;
    request.alignment = Bytes(1);
    request.alias = AliasRules::none();
    state.setRun(execute(model, request, {}).value());
    return legend.lines();
  };
  // There is no capacity, and the free list needs more than what is live.
  CHECK(plan("best") == std::set{Kind::peak});
  CHECK(plan("free-list") == std::set{Kind::peak, Kind::lowerBound});
}

TEST_CASE("the legend asks for no more width than a map", "[map][legend]") {
  ViewState state;
  MapLegend legend(&state);
  state.setRun(test::randomRun(5, 40, 20));
  CHECK(legend.minimumSizeHint().width() <= 240);
}

TEST_CASE("buffers of which nobody knows when they live are hatched and explained",
          "[map][legend]") {
  const std::string values =
      "BufferAssignment:\nallocation 0: size 192, preallocated-temp:\n"
      " value: <3 a @0> (size=64,offset=0): f32[16]{0}\n"
      " value: <4 b @0> (size=128,offset=64): f32[32]{0}\n";
  const std::string lives = "  BufferLiveRange:\n    a{}:0-3\n";
  const auto follow = [](const std::string& text) {
    auto model = std::make_shared<const Model>(importModel(text, "x.txt", {}).value());
    RunRequest request = planningRequest();
    request.allocator = AllocatorChoice::parse("embedded").value();
    return execute(model, request, {}).value();
  };
  const auto run = follow(values + lives);
  const auto guessed = [](const Run& of) {
    std::vector<std::string> names;
    for (const StayId stay : of.problem.stays.keys()) {
      if (isGuessed(of, stay)) names.push_back(of.stayName(stay));
    }
    return names;
  };
  CHECK(guessed(*run) == std::vector<std::string>{"b{}"});
  CHECK(guessed(*follow(values)).size() == 2);
  const auto known = follow(values + lives + "    b{}:0-3\n");
  CHECK_FALSE(hasGuessed(*known));
  const auto legendOf = [](const std::shared_ptr<const Run>& of) {
    ViewState state;
    MapLegend legend(&state);
    legend.resize(900, legend.height());
    state.setRun(of);
    return legend.grab().toImage();
  };
  CHECK(legendOf(run) != legendOf(known));
  const auto mapOf = [](const std::shared_ptr<const Run>& of) {
    QImage image(600, 300, QImage::Format_RGB32);
    QPainter painter(&image);
    paintMap(painter, MapScene::whole(of, PoolId(0)), image.rect());
    painter.end();
    return image;
  };
  CHECK(mapOf(run) != mapOf(known));
}
