#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/picture/conflict_scene.h"
#include "core/picture/map_scene.h"
#include "core/picture/svg_canvas.h"
#include "tests/support/constrained_run.h"
#include "tests/support/golden_picture.h"

// Constraints in pictures: who is linked to whom, in which colour, and what is left out.

using namespace hw;
using namespace hw::test;

namespace {

template <class Scene>
std::string svgOfScene(const Scene& scene, void (*draw)(Canvas&, const Scene&, const Box&),
                       const Palette& palette = Palette::light()) {
  return svgOf(scene, "a picture", {0, 0, 900, 420}, palette, draw);
}

std::size_t timesIn(const std::string& text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++count;
  return count;
}

std::string attributeOf(const char* name, Ink ink) {
  const std::string color = fmt::format("{:06x}", Palette::light()[ink]);
  return std::string(name) + "=\"#" + color + "\"";
}

/// A problem of `count` buffers that all conflict with each other.
std::shared_ptr<const Run> crowdOf(std::size_t count) {
  std::string csv = "id,lower,upper,size\n";
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < count; ++i) {
    csv += fmt::format("b{},0,1,{}\n", i, 1024 * (i + 1));
    offsets.push_back(static_cast<std::int64_t>(i * (i + 1) / 2));
  }
  return runByHand(csv.c_str(), {.virtualTime = true}, {}, offsets);
}

}  // namespace

TEST_CASE("the links of a stay are its partners by kind", "[picture]") {
  const auto run = constrainedRun();
  const auto links = [&](std::size_t stay) {
    std::string text;
    for (const auto& link : linksOf(run->problem, run->plan, StayId(stay))) {
      text +=
          fmt::format("{} {} {}; ", linkName(link.kind), run->stayName(link.partner), link.cost);
    }
    return text;
  };
  CHECK(links(0) == "penalty paid b 3; ");
  CHECK(links(2) == "penalty paid e 2; apart d 0; ");
  CHECK(links(4) == "penalty paid c 2; penalty not paid b 1; ");
  CHECK(links(5) == "exclusive g 0; ");
  CHECK(links(7) == "together i 0; penalty not paid d 5; ");
  CHECK(penaltyWords(run->problem, run->plan) == "2 of 4 paid, cost 5");
  const auto kinds = linkKindsOf(run->problem, run->plan);
  CHECK(std::ranges::count(kinds, true) == 5);
}

TEST_CASE("a map tells constraints of what is selected, and what is paid", "[picture]") {
  MapScene scene = MapScene::whole(constrainedRun(), PoolId(0));
  const std::string plain = svgOfScene(scene, drawMap);
  CHECK(plain.find("penalty 5: 2 of 4 paid") != std::string::npos);
  CHECK(plain.find("reserved 2.00 KiB") != std::string::npos);
  CHECK(plain.find("f or g") != std::string::npos);
  CHECK(plain.find(attributeOf("stroke", Ink::accent)) != std::string::npos);
  checkPicture("constraints_map_light.svg", plain);
  scene.selected = StayId(4);
  const std::string selected = svgOfScene(scene, drawMap);
  for (const char* cost : {">2<", ">1<"})
    CHECK(timesIn(selected, cost) == timesIn(plain, cost) + 1);
  checkPicture("constraints_selected_light.svg", selected);
  checkPicture("constraints_selected_dark.svg", svgOfScene(scene, drawMap, Palette::dark()));
  scene.selected = StayId(2);
  checkPicture("constraints_apart_light.svg", svgOfScene(scene, drawMap));
}

TEST_CASE("steps that were made up are called virtual time", "[picture]") {
  const auto run = std::make_shared<Run>(*constrainedRun());
  CHECK(stepWord(*run) == "step");
  run->problem.constraints.virtualTime = true;
  CHECK(stepWord(*run) == "virtual time");
  const std::string svg = svgOfScene(MapScene::whole(run, PoolId(0)), drawMap);
  CHECK(svg.find("address / virtual time") != std::string::npos);
  CHECK(svg.find(">step<") == std::string::npos);
}

TEST_CASE("a picture of conflicts has every buffer and every kind of line", "[picture]") {
  const auto run = constrainedRun();
  CHECK(hasConflicts(*run));
  ConflictScene scene = ConflictScene::of(*run);
  CHECK(scene.nodes.size() == 9);
  CHECK(scene.note.empty());
  const auto conflicts =
      std::ranges::count(scene.edges, LinkKind::apart, &ConflictScene::Edge::kind);
  CHECK(static_cast<std::size_t>(conflicts) == conflictsOf(run->problem).size());
  CHECK(scene.edges.back().kind == LinkKind::paid);
  const std::string svg = svgOfScene(scene, drawConflicts);
  for (const char* words : {">a<", ">i<", "conflict", "together: 1", "penalty paid: 2"}) {
    CAPTURE(words);
    CHECK(svg.find(words) != std::string::npos);
  }
  checkPicture("conflicts_light.svg", svg);
  checkPicture("conflicts_dark.svg", svgOfScene(scene, drawConflicts, Palette::dark()));
  scene.selected = StayId(4);
  checkPicture("conflicts_selected_light.svg", svgOfScene(scene, drawConflicts));
}

TEST_CASE("of very many conflicts a picture has those of the largest buffers", "[picture]") {
  const ConflictScene scene = ConflictScene::of(*crowdOf(100));
  CHECK(scene.edges.size() <= 2'000);
  CHECK(scene.nodes.size() == 63);
  CHECK(scene.note == "the 63 largest of 100 buffers");
  for (const auto& node : scene.nodes) CHECK(node.conflicts == 62);
  checkPicture("conflicts_many_light.svg", svgOfScene(scene, drawConflicts));
}
