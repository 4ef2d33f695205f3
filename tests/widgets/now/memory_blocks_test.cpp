// Blocks that are handed out as a whole, in the bars of memory now.
#include "tests/widgets/method/method_support.h"
#include "widgets/now/memory_now.h"

using namespace hw;
using namespace hw::test;

namespace {

/// Bytes of the pieces that `wanted` picks.
template <class Wanted>
double bytesOf(const MemoryScene& scene, Wanted wanted) {
  double sum = 0;
  for (const ScenePiece& piece : scene.pieces) sum += wanted(piece) ? piece.high - piece.low : 0;
  return sum;
}

bool isInFrame(const MemoryScene& scene, const ScenePiece& piece) {
  return std::ranges::any_of(scene.frames, [&](const SceneFrame& frame) {
    return frame.pool == piece.pool && frame.low < piece.high && piece.low < frame.high;
  });
}

}  // namespace

TEST_CASE("the unused rest of a block is apart from free bytes, at every moment", "[memory]") {
  for (const char* sample : {"chain", "residual", "inception"}) {
    const auto run = figure(sample, "block-id", false);
    const RunFrames frames = runFrames(*run);
    double rests = 0;
    for (std::size_t moment = 0; moment <= run->trace.size(); ++moment) {
      CAPTURE(sample, moment);
      const MemoryScene plain = memoryScene(*run, moment);
      const MemoryScene scene = memoryScene(*run, moment, frames);
      const auto isUsed = [](const ScenePiece& piece) { return bool(piece.owner); };
      const auto isFree = [](const ScenePiece& piece) { return !piece.owner && !piece.rest; };
      const auto isRest = [](const ScenePiece& piece) { return piece.rest; };
      CHECK(bytesOf(scene, isUsed) == bytesOf(plain, isUsed));
      CHECK(bytesOf(scene, isFree) + bytesOf(scene, isRest) == bytesOf(plain, isFree));
      CHECK(bytesOf(plain, isRest) == 0);
      for (const ScenePiece& piece : scene.pieces) {
        if (!piece.owner) CHECK(isInFrame(scene, piece) == piece.rest);
      }
      rests += bytesOf(scene, isRest);
    }
    CHECK(rests > 0);  // The output is smaller than the block that it takes.
  }
}

TEST_CASE("u leaves 16 of the 24 bytes of its block unused", "[memory]") {
  const auto run = figure("inception", "block-id", false);
  ViewState state;
  state.setRun(run);
  MemoryNow memory(&state);
  state.setStep(Step(4));  // u is written there.
  memory.finish();
  const auto& pieces = memory.scene().pieces;
  const auto u = std::ranges::find_if(pieces, [&](const ScenePiece& piece) {
    return piece.owner && run->stayName(piece.owner) == "u";
  });
  REQUIRE(u != pieces.end());
  const auto rest = std::next(u);
  REQUIRE(rest != pieces.end());
  CHECK(rest->rest);
  CHECK(rest->low == u->high);
  CHECK(rest->high - rest->low == 16);
}
