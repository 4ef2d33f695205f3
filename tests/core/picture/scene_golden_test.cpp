// Capacity against latency and peak against latency as they were when somebody looked at them, in
// both palettes: scenes of fixed figures, so that only drawing decides. HIGHWATER_UPDATE_GOLDEN=1
// writes them anew: look at what has changed.
#include <catch2/catch.hpp>

#include "core/picture/front_scene.h"
#include "core/picture/svg_canvas.h"
#include "tests/support/golden_picture.h"

using namespace hw;

namespace {

constexpr Box kWhole{0, 0, 960, 540};

/// What SqueezeNet comes to on a machine of one DMA channel.
FrontScene frontFigures() {
  const auto dot = [](std::int64_t kib, std::int64_t us, const char* name) {
    return FrontDot{Bytes(kib * 1024), SimTime(us * 1'000'000), name};
  };
  return {.title = "squeezenet: L2 against latency",
          .note = "board",
          .found = {dot(6'160, 2'371, "best:for=latency"), dot(6'468, 2'368, "best:for=latency"),
                    dot(6'791, 2'365, "best:for=latency")},
          .bounds = {dot(6'160, 2'366, "bound"), dot(6'468, 2'365, "bound"),
                     dot(6'791, 2'365, "bound")},
          .others = {dot(6'160, 2'992, "best"), dot(6'160, 3'017, "two-sided"),
                     dot(6'160, 3'017, "greedy-by-size"), dot(6'748, 2'590, "idle-longest"),
                     dot(6'750, 2'880, "in-order"), dot(6'755, 2'740, "free-list"),
                     dot(43'300, 2'365, "none"),
                     FrontDot{Bytes(6'755 * 1024), SimTime(2'200'000'000), "partition", true}},
          .leastBytes = Bytes(6'160 * 1024),
          .leastLatency = SimTime(2'365'000'000)};
}

ParetoScene paretoFigures() {
  ParetoScene scene{.title = "squeezenet"};
  for (const FrontDot& dot : frontFigures().others) {
    if (dot.name == "none" || dot.ownStays) continue;
    scene.points.push_back(
        {.name = dot.name, .peak = dot.bytes, .latency = dot.latency, .row = scene.points.size()});
  }
  scene.lowerBound = Bytes(6'160 * 1024);
  scene.latencyBound = SimTime(2'365'000'000);
  return scene;
}

template <class Scene>
std::string sceneSvg(const Scene& scene, void (*draw)(Canvas&, const Scene&, const Box&),
                     const Palette& palette) {
  SvgCanvas canvas(kWhole.width, kWhole.height, scene.title, 12, &palette);
  canvas.rectangle(kWhole, {.fill = Fill{Ink::window}});
  draw(canvas, scene, kWhole);
  return canvas.finish();
}

}  // namespace

TEST_CASE("front and Pareto pictures are as they were looked at", "[picture][golden]") {
  for (const bool dark : {false, true}) {
    const Palette& palette = dark ? Palette::dark() : Palette::light();
    const std::string ending = dark ? "_dark.svg" : "_light.svg";
    test::checkPicture("front" + ending, sceneSvg(frontFigures(), drawFront, palette));
    test::checkPicture("pareto" + ending, sceneSvg(paretoFigures(), drawPareto, palette));
  }
}
