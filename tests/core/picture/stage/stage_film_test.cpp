// A film of a stage shows, at every tick, the shapes of that tick in their order and no others.
#include <algorithm>
#include <catch2/catch.hpp>

#include "core/base/text.h"
#include "core/picture/stage/stage.h"
#include "tests/support/golden_picture.h"
#include "tests/support/methods.h"

using namespace hw;

namespace {

std::shared_ptr<const Run> filmed(const std::string& allocator) {
  const auto run = execute(test::sample("inception"), test::workedRequest(allocator),
                           {.simulate = false, .record = true});
  REQUIRE(run);
  return *run;
}

std::string attribute(std::string_view tag, const std::string& name) {
  const std::size_t at = tag.find(name + "=\"");
  REQUIRE(at != std::string_view::npos);
  const std::size_t begin = at + name.size() + 2;
  return std::string(tag.substr(begin, tag.find('"', begin) - begin));
}

bool isShape(std::string_view line) {
  return line.starts_with("<rect") || line.starts_with("<text") || line.starts_with("<line");
}

std::vector<std::string> shapesOf(const std::string& svg) {
  std::vector<std::string> shapes;
  for (const std::string_view line : splitText(svg, '\n')) {
    if (isShape(line)) shapes.emplace_back(line);
  }
  return shapes;
}

/// What a viewer shows at a moment, as a share of the whole: SMIL read from scratch.
std::vector<std::string> seenAt(const std::string& film, double share) {
  std::vector<std::string> shapes;
  bool visible = true;
  for (const std::string_view line : splitText(film, '\n')) {
    if (line.starts_with("<g")) {
      const std::string values = attribute(line, " values");
      const std::string times = attribute(line, "keyTimes");
      const auto states = splitText(values, ';');
      const auto moments = splitText(times, ';');
      REQUIRE(states.size() == moments.size());
      for (std::size_t i = 0; i < moments.size(); ++i) {
        if (*parseNumber(moments[i]) <= share) visible = states[i] == "visible";
      }
    } else if (line.starts_with("</g>")) {
      visible = true;
    } else if (isShape(line) && visible) {
      shapes.emplace_back(line);
    }
  }
  return shapes;
}

}  // namespace

TEST_CASE("films show each tick as it is", "[stage][film]") {
  for (const char* name : {"block-id", "two-sided", "free-list", "placement-search"}) {
    const auto run = filmed(name);
    const Stage stage(run, 0);
    const std::size_t ticks = stage.record().ticks.size();
    REQUIRE(filmTicks(stage) == ticks);
    const std::string film = stageFilm(stage, {}, false);
    std::size_t all = 0;
    for (std::size_t tick = 0; tick <= ticks; ++tick) {
      CAPTURE(name, tick);
      const auto wanted = shapesOf(stageSvg(stage, tick, {}));
      const double share = (static_cast<double>(tick) + 0.5) / static_cast<double>(ticks + 1);
      REQUIRE(seenAt(film, share) == wanted);
      all += wanted.size();
    }
    // What is the same is written once.
    CHECK(shapesOf(film).size() * 2 < all);
  }
}

TEST_CASE("films have their colours where they stand alone", "[stage][film]") {
  const auto run = filmed("block-id");
  const Stage stage(run, 0);
  CHECK(stageFilm(stage, {}, true).find("prefers-color-scheme:dark") != std::string::npos);
  CHECK(stageFilm(stage, {}, false).find("<style>") == std::string::npos);
}

TEST_CASE("stages are as they were looked at", "[stage][picture][golden]") {
  const std::pair<const char*, std::size_t> looked[] = {
      {"block-id", 11}, {"two-sided", 17}, {"free-list", 10}, {"placement-search", 7}};
  for (const auto& [name, tick] : looked) {
    const auto run = filmed(name);
    const Stage stage(run, 0);
    for (const bool dark : {false, true}) {
      const std::string file = "stage_" + std::string(name) + (dark ? "_dark.svg" : "_light.svg");
      test::checkPicture(
          file, stageSvg(stage, tick, {.palette = dark ? &Palette::dark() : &Palette::light()}));
    }
  }
}
