#include "core/report/model/laid_out.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/base/text.h"
#include "core/graph/tiling.h"

namespace hw {
namespace {

constexpr std::size_t kMostTileAxes = 4;
constexpr std::int64_t kMostTileSide = 65'536;

/// Bytes of a tensor whose last axes are `last`, as many of them as the tile has; nothing where no
/// number holds them.
std::optional<Bytes> tiledBytes(const Shape& shape, Bytes element, const Shape& tile,
                                std::span<const std::size_t> last) {
  std::optional<std::int64_t> bytes = element.count();
  for (std::size_t axis = 0; axis < shape.size() && bytes; ++axis) {
    const auto at = std::ranges::find(last, axis);
    const std::int64_t side =
        at == last.end() ? 1 : tile[tile.size() - static_cast<std::size_t>(last.end() - at)];
    const std::int64_t tiles = shape[axis] / side + (shape[axis] % side == 0 ? 0 : 1);
    const auto padded = checkedMul(tiles, side);
    bytes = padded ? checkedMul(*bytes, *padded) : std::nullopt;
  }
  if (!bytes || *bytes > kMaxBytes.count()) return std::nullopt;
  return Bytes(*bytes);
}

/// Calls `visit` with each choice of `count` of the axes, in any order.
void forEachChoice(std::size_t axes, std::size_t count, std::vector<std::size_t>& chosen,
                   const std::function<void()>& visit) {
  if (chosen.size() == count) return visit();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (std::ranges::find(chosen, axis) != chosen.end()) continue;
    chosen.push_back(axis);
    forEachChoice(axes, count, chosen, visit);
    chosen.pop_back();
  }
}

/// The axes that are not `last`, then these.
std::vector<std::size_t> orderEndingWith(std::size_t axes, const std::vector<std::size_t>& last) {
  std::vector<std::size_t> order;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (std::ranges::find(last, axis) == last.end()) order.push_back(axis);
  }
  order.insert(order.end(), last.begin(), last.end());
  return order;
}

std::optional<LaidOut> laidOutTensor(const Graph& graph, TensorId id, const Shape& tile) {
  constexpr std::size_t kMostAxes = 8;
  const Tensor& tensor = graph.tensors[id];
  const auto element = elementSize(tensor);
  if (!element) return std::nullopt;
  const Shape& shape = *tensor.shape;
  const std::size_t tiled = std::min(shape.size(), tile.size());
  std::vector<std::size_t> last(tiled);
  std::iota(last.begin(), last.end(), shape.size() - tiled);
  const auto laid = tiledBytes(shape, *element, tile, last);
  if (!laid) return std::nullopt;
  LaidOut found{.tensor = id,
                .bytes = *tensor.bytes,
                .laid = *laid,
                .order = orderEndingWith(shape.size(), last),
                .least = *laid};
  if (*laid == *tensor.bytes || shape.size() > kMostAxes) return found;
  std::vector<std::size_t> chosen;
  forEachChoice(shape.size(), tiled, chosen, [&] {
    const auto bytes = tiledBytes(shape, *element, tile, chosen);
    if (!bytes || *bytes >= found.least) return;
    found.least = *bytes;
    found.order = orderEndingWith(shape.size(), chosen);
  });
  return found;
}

Columns<LaidOut> laidOutColumns(const Graph& graph) {
  using enum ColumnKind;
  const auto of = [&graph](const LaidOut& row) -> const Tensor& {
    return graph.tensors[row.tensor];
  };
  return {{"tensor", "tensor", text,
           [&graph](const LaidOut& row) { return displayName(graph, row.tensor); }},
          {"shape", "shape", text,
           [of](const LaidOut& row) { return fmt::format("{}", fmt::join(*of(row).shape, "x")); }},
          {"bytes", "bytes", bytes, &LaidOut::bytes, "Without tiles"},
          {"laid_out", "laid out", bytes, &LaidOut::laid, "In whole tiles"},
          {"factor", "factor", count,
           [](const LaidOut& row) -> Value {
             if (row.factor() < 100) return row.factor();
             return std::llround(row.factor());
           },
           "How many times as much"},
          {"order", "best order", text,
           [](const LaidOut& row) { return fmt::format("{}", fmt::join(row.order, ",")); },
           "Of its axes, counted from 0, that which takes least"},
          {"least", "then", bytes, &LaidOut::least, "Laid out in that order"}};
}

/// Bytes of all: without tiles, in them, and with every tensor in its best order.
std::array<Bytes, 3> sumsOf(const std::vector<LaidOut>& rows) {
  std::array<Bytes, 3> sums{};
  for (const LaidOut& row : rows) {
    sums[0] = std::min(sums[0] + row.bytes, kMaxBytes);
    sums[1] = std::min(sums[1] + row.laid, kMaxBytes);
    sums[2] = std::min(sums[2] + row.least, kMaxBytes);
  }
  return sums;
}

}  // namespace

Result<Shape> parseTile(const std::string& text) {
  Shape tile;
  for (const std::string_view part : splitText(text, 'x')) {
    const auto side = parseInteger(part);
    if (!side || *side < 1 || *side > kMostTileSide || tile.size() == kMostTileAxes) {
      return fail(
          ErrorCode::invalidArgument,
          fmt::format("'{}' is no tile: expected one to {} sides from 1 to {} such as 8x128",
                      printable(text, 40), kMostTileAxes, groupDigits(kMostTileSide)));
    }
    tile.push_back(*side);
  }
  return tile;
}

std::vector<LaidOut> laidOut(const Graph& graph, const Shape& tile) {
  std::vector<LaidOut> rows;
  for (const TensorId id : graph.tensors.keys()) {
    if (const auto row = laidOutTensor(graph, id, tile)) rows.push_back(*row);
  }
  std::ranges::stable_sort(rows, std::greater(),
                           [](const LaidOut& row) { return row.laid - row.bytes; });
  return rows;
}

std::string laidOutText(const Graph& graph, const Shape& tile, const TextOptions& options) {
  std::vector<LaidOut> rows = laidOut(graph, tile);
  const auto [plain, laid, least] = sumsOf(rows);
  const std::size_t leftOut = graph.tensors.size() - rows.size();
  std::erase_if(rows, [](const LaidOut& row) { return row.laid == row.bytes; });
  const std::size_t padded = rows.size();
  rows.resize(std::min(padded, options.rows));
  const std::string sides = fmt::format("{}", fmt::join(tile, " x "));
  if (rows.empty()) return fmt::format("\nin tiles of {} no tensor is larger\n", sides);
  const std::string title =
      fmt::format("larger in tiles of {}: all together {} for {}, {} in the best orders{}", sides,
                  bytesText(laid), bytesText(plain), bytesText(least),
                  leftOut == 0 ? "" : fmt::format("; {} left out", countText(leftOut, "tensor")));
  return section(options.paint, title, padded,
                 textTable(laidOutColumns(graph), rows).folded(options.paint, options.width, 1),
                 options.rows);
}

Json laidOutJson(const Graph& graph, const Shape& tile) {
  const std::vector<LaidOut> rows = laidOut(graph, tile);
  const auto [plain, laid, least] = sumsOf(rows);
  return {{"tile", tile},
          {"bytes", plain.count()},
          {"laid_out", laid.count()},
          {"least", least.count()},
          {"left_out", graph.tensors.size() - rows.size()},
          {"tensors", jsonRows(laidOutColumns(graph), rows)}};
}

}  // namespace hw
