// Rows of images with channels first lie in a stretch for each channel.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "core/graph/tiling.h"
#include "core/storage/parts.h"
#include "tests/support/graphs.h"
#include "tests/support/image_graphs.h"
#include "tests/support/printers.h"
#include "tests/support/rounds.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// The bytes of a buffer that a piece has, element by element.
std::set<std::int64_t> bytesOf(const Run& run, TensorId id) {
  const Graph& graph = run.graph();
  const Tiling::Piece& piece = *pieceOf(graph, id);
  const Shape& shape = *graph.tensors[id].shape;
  const Shape& host = *graph.tensors[piece.host].shape;
  const std::int64_t element = elementSize(graph.tensors[id])->count();
  std::set<std::int64_t> bytes;
  Shape index(shape.size());
  for (std::int64_t left = *elementCount(shape); left > 0; --left) {
    std::int64_t place = 0;
    for (std::size_t i = 0; i < host.size(); ++i) place = place * host[i] + piece.at[i] + index[i];
    for (std::int64_t b = 0; b < element; ++b) {
      bytes.insert(run.storage.offsetOf(piece.host).count() + place * element + b);
    }
    for (std::size_t i = host.size(); i-- > 0 && ++index[i] == shape[i];) index[i] = 0;
  }
  return bytes;
}

}  // namespace

TEST_CASE("a row has the bytes of its elements, stretch by stretch", "[tile][property]") {
  std::size_t scattered = 0;
  for (const std::uint64_t seed : test::Seeds(60)) {
    const auto run = test::runGraph(test::randomImages(seed, 6), {.tile = TileRule::lines});
    if (!run->graph().tiling) continue;
    for (const BufferId buffer : run->storage.buffers.keys()) {
      std::map<TensorId, std::vector<Interval<Bytes>>> found;
      for (const BufferPart& part : partsOf(run->graph(), run->storage, buffer)) {
        if (pieceOf(run->graph(), part.tensor)) found[part.tensor].push_back(part.bytes);
      }
      for (const auto& [id, stretches] : found) {
        std::set<std::int64_t> bytes;
        for (const Interval<Bytes>& each : stretches) {
          for (Bytes at = each.begin; at < each.end; at += 1_B) bytes.insert(at.count());
        }
        CAPTURE(displayName(run->graph(), id));
        CHECK(bytes == bytesOf(*run, id));
        scattered += stretches.size() > 1 ? 1 : 0;
        const bool tells =
            partText(run->graph(), run->storage, id).find(" stretches of ") != std::string::npos;
        const bool over = std::ranges::binary_search(run->storage.inPlace, id);
        CHECK((tells || over) == (stretches.size() > 1 || over));
      }
    }
  }
  CHECK(scattered > test::rounds(100));
}

TEST_CASE("who shares a block with channels first says where its stretches are", "[tile]") {
  test::ImageGraph images(false);
  const auto x = images.input(12, 6, 2);
  images.output(images.convolve(images.convolve(x, 16, {}), 1, {}));
  const auto run = test::runGraph(std::move(images).build(), {.tile = TileRule::lines});
  const Graph& graph = run->graph();
  std::string second;
  for (const TensorId id : graph.tensors.keys()) {
    if (graph.tensors[id].name == "t0[r1]") second = partText(graph, run->storage, id);
  }
  // Two channels of 12 rows and 6 places.
  CHECK(second == "2 stretches of 6 bytes, each 72 behind the last, from byte 6 on of t0, no copy");
}
