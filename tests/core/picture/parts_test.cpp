// What shares a block is drawn inside it, each tensor in its own bytes for its own life, and told
// when it begins.
#include "core/storage/parts.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/picture/block_store.h"
#include "core/picture/map_scene.h"
#include "core/picture/svg_canvas.h"
#include "core/plan_file/events_writer.h"
#include "core/plan_file/plan_document.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"

using namespace hw;
using namespace hw::literals;
using namespace hw::test;

namespace {

std::shared_ptr<const Run> shared(const std::string& name) {
  RunRequest request = workedRequest("free-list");
  request.alias = AliasRules();
  return mustRun(sample(name), request);
}

/// "p [0,64) 1-3": every part of every block of the first pool.
std::vector<std::string> partsOf(const Run& run, AxisUnit unit) {
  const RunScale scale(run, unit);
  const BlockStore blocks = BlockStore::ofPool(run, PoolId(0), unit);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block block = blocks.block(i);
    for (const PartBlock& part : partBlocks(run, scale, block)) {
      const Bytes low = part.bytes.begin - block.bytes.begin;
      texts.push_back(displayName(run.graph(), part.tensor) + " [" + std::to_string(low.count()) +
                      "," + std::to_string((low + part.bytes.length()).count()) + ")");
      if (unit == AxisUnit::step) {
        texts.back() += " " + std::to_string(static_cast<int>(part.span.begin)) + "-" +
                        std::to_string(static_cast<int>(part.span.end) - 1);
      }
    }
  }
  return texts;
}

std::string mapSvg(const Run& run, TensorId part = {}) {
  MapScene scene = MapScene::whole(std::make_shared<const Run>(run), PoolId(0));
  if (part) {
    scene.selected = StayId(run.storage.bufferOf(part).index());
    scene.selectedPart = part;
  }
  SvgCanvas canvas(900, 500, "a map", 12, &Palette::light());
  drawMap(canvas, scene, {0, 0, 900, 500});
  return canvas.finish();
}

std::vector<std::string> aliasEvents(const Run& run) {
  std::vector<std::string> texts;
  const EventList events(run);
  for (std::size_t seq = 0; seq < events.size(); ++seq) {
    const EventRow row = events.row(seq);
    if (row.event != "alias") continue;
    CHECK(events.alias(seq));
    CHECK(events.kind(seq) == EventList::Kind::alias);
    // Its op starts next, or another alias begins.
    CHECK(events.step(seq + 1) == events.step(seq));
    texts.push_back(std::to_string(row.step->count()) + " " + row.tensor + ": " + row.detail);
  }
  return texts;
}

}  // namespace

TEST_CASE("parts lie in their own bytes for their own lives", "[picture][parts]") {
  CHECK(partsOf(*shared("share_concat"), AxisUnit::step) ==
        std::vector<std::string>{"c [0,128) 3-4", "p [0,64) 1-3", "q [64,128) 2-3"});
  CHECK(partsOf(*shared("share_split"), AxisUnit::step) ==
        std::vector<std::string>{"a [0,64) 0-1", "s.1 [24,64) 1-3", "s.0 [0,24) 1-2"});
  CHECK(partsOf(*shared("share_reshape"), AxisUnit::step) ==
        std::vector<std::string>{"a [0,64) 0-1", "ra [0,64) 1-2"});
  CHECK(partsOf(*shared("chain"), AxisUnit::step).empty());
}

TEST_CASE("in time, too, parts lie inside their blocks", "[picture][parts]") {
  for (const char* name : {"share_concat", "share_split", "zero_copy"}) {
    const auto run = shared(name);
    const RunScale scale(*run, AxisUnit::time);
    const BlockStore blocks = BlockStore::ofPool(*run, PoolId(0), AxisUnit::time);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const Block block = blocks.block(i);
      for (const PartBlock& part : partBlocks(*run, scale, block)) {
        CHECK(part.span.begin >= block.span.begin.real());
        CHECK(part.span.end <= block.span.end.real());
        CHECK(part.bytes.begin >= block.bytes.begin);
        CHECK(part.bytes.end <= block.bytes.end);
      }
    }
  }
}

TEST_CASE("what lies at a place is the part that is seen there", "[picture][parts]") {
  const auto run = shared("share_concat");
  const RunScale scale(*run, AxisUnit::step);
  const BlockStore blocks = BlockStore::ofPool(*run, PoolId(0));
  const StayId stay = StayId(run->storage.bufferOf(tensorOf(run->graph(), "c")).index());
  const Block block = blocks.block(blocks.blocksOf(stay)[0]);
  const auto at = [&](double place, Bytes inside) {
    const TensorId part = partAt(*run, scale, block, place, block.bytes.begin + inside);
    return part ? displayName(run->graph(), part) : std::string("nothing");
  };
  CHECK(at(1.5, 10_B) == "p");
  CHECK(at(1.5, 70_B) == "nothing");
  CHECK(at(2.5, 70_B) == "q");
  CHECK(at(4.5, 10_B) == "c");
}

TEST_CASE("a map draws parts inside their block, and the chosen one in colour",
          "[picture][parts]") {
  const auto run = shared("share_concat");
  const std::string plain = mapSvg(*run);
  CHECK(plain.find("p: bytes 0\u201363 of c, no copy") != std::string::npos);
  CHECK(plain.find("q: bytes 64\u2013127 of c, no copy") != std::string::npos);
  CHECK(plain.find("id=\"part-") != std::string::npos);
  CHECK(mapSvg(*run, tensorOf(run->graph(), "q")) != mapSvg(*run, tensorOf(run->graph(), "p")));
  CHECK(mapSvg(*shared("chain")).find("part-") == std::string::npos);
}

TEST_CASE("events tell when a tensor begins in bytes that are there", "[events][parts]") {
  CHECK(aliasEvents(*shared("share_concat")) ==
        std::vector<std::string>{"1 p: bytes 0\u201363 of c, no copy",
                                 "2 q: bytes 64\u2013127 of c, no copy",
                                 "3 c: all of its parts are there, no copy"});
  CHECK(aliasEvents(*shared("share_reshape")) ==
        std::vector<std::string>{"1 ra: all of a, no copy"});
  CHECK(aliasEvents(*shared("share_split")) ==
        std::vector<std::string>{"1 s.0: bytes 0\u201323 of a, no copy",
                                 "1 s.1: bytes 24\u201363 of a, no copy"});
  CHECK(aliasEvents(*shared("chain")).empty());
}

TEST_CASE("a placement says how a tensor comes to its bytes", "[parts]") {
  const auto run = shared("share_concat");
  const auto placements = describePlan(*run).placements;
  const auto q = std::ranges::find(placements, "q", &Placement::tensor);
  REQUIRE(q != placements.end());
  CHECK(q->aliasOf == "c");
  CHECK(q->share == "bytes 64\u2013127 of c, no copy");
}
