#include <algorithm>
#include <array>

#include "core/import/tflite_rules.h"

namespace hw {
namespace {

using Sizes = std::vector<std::int64_t>;

/// How a window moves along one axis.
struct Window {
  std::int64_t size = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
};

/// Positions of a window along an axis: SAME pads so that only the stride counts, VALID does not
/// pad.
std::optional<std::int64_t> positions(std::int64_t size, const Window& window, bool same) {
  if (window.stride < 1 || window.dilation < 1 || window.size < 1 || size < 0) return std::nullopt;
  if (same) return size / window.stride + (size % window.stride != 0 ? 1 : 0);
  const auto reach = checkedMul(window.size - 1, window.dilation);
  if (!reach || *reach >= size) return std::nullopt;
  return (size - *reach - 1) / window.stride + 1;
}

constexpr std::int64_t kSame = 0;

/// (batch, sizes of the windows' positions, channels).
TfliteOutputs slide(const OpFacts& facts, const std::vector<Window>& windows,
                    std::optional<std::int64_t> channels) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || input->size() != windows.size() + 2) return {};
  const bool same = facts.op.intAttribute("padding", kSame) == kSame;
  Shape shape = {(*input)[0]};
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto count = positions((*input)[i + 1], windows[i], same);
    if (!count) return {};
    shape.push_back(*count);
  }
  shape.push_back(channels.value_or(input->back()));
  return single(std::move(shape));
}

Window windowOf(const OpFacts& facts, std::int64_t size, char axis) {
  const std::string dilation = std::string("dilation_") + axis + "_factor";
  return {size, facts.op.intAttribute(std::string("stride_") + axis, 1),
          facts.op.intAttribute(dilation, 1)};
}

/// Filters are (output channels, height, width, input channels).
TfliteOutputs conv2d(const OpFacts& facts) {
  const Shape* filter = facts.shape(1);
  if (filter == nullptr || filter->size() != 4) return {};
  return slide(facts, {windowOf(facts, (*filter)[1], 'h'), windowOf(facts, (*filter)[2], 'w')},
               (*filter)[0]);
}

/// Filters are (1, height, width, output channels).
TfliteOutputs depthwise(const OpFacts& facts) {
  const Shape* filter = facts.shape(1);
  if (filter == nullptr || filter->size() != 4) return {};
  return slide(facts, {windowOf(facts, (*filter)[1], 'h'), windowOf(facts, (*filter)[2], 'w')},
               (*filter)[3]);
}

/// Filters are (depth, height, width, input channels, output channels).
TfliteOutputs conv3d(const OpFacts& facts) {
  const Shape* filter = facts.shape(1);
  if (filter == nullptr || filter->size() != 5) return {};
  return slide(facts,
               {windowOf(facts, (*filter)[0], 'd'), windowOf(facts, (*filter)[1], 'h'),
                windowOf(facts, (*filter)[2], 'w')},
               (*filter)[4]);
}

TfliteOutputs pool(const OpFacts& facts) {
  return slide(facts,
               {windowOf(facts, facts.op.intAttribute("filter_height", 1), 'h'),
                windowOf(facts, facts.op.intAttribute("filter_width", 1), 'w')},
               std::nullopt);
}

/// The first input says it all.
TfliteOutputs shapeGiven(const OpFacts& facts) { return single(integersOf(facts, 0)); }

TfliteOutputs resize(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto size = integersOf(facts, 1);
  if (input == nullptr || input->size() != 4 || !size || size->size() != 2) return {};
  return single(Shape{(*input)[0], (*size)[0], (*size)[1], (*input)[3]});
}

TfliteOutputs spaceToDepth(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const std::int64_t block = facts.op.intAttribute("block_size", 0);
  if (input == nullptr || input->size() != 4 || block < 1 || block > 32768) return {};
  const auto channels = checkedMul((*input)[3], block * block);
  if (!channels) return {};
  return single(Shape{(*input)[0], (*input)[1] / block, (*input)[2] / block, *channels});
}

TfliteOutputs depthToSpace(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const std::int64_t block = facts.op.intAttribute("block_size", 0);
  if (input == nullptr || input->size() != 4 || block < 1 || block > 32768) return {};
  const auto height = checkedMul((*input)[1], block);
  const auto width = checkedMul((*input)[2], block);
  if (!height || !width) return {};
  return single(Shape{(*input)[0], *height, *width, (*input)[3] / (block * block)});
}

struct Blocks {
  Sizes sizes{};
  Sizes edges{};  ///< Paddings or crops: before and after, axis by axis.
  std::int64_t product = 1;
};

std::optional<Blocks> blocksOf(const OpFacts& facts) {
  const auto sizes = integersOf(facts, 1);
  const auto edges = integersOf(facts, 2);
  if (facts.shape(0) == nullptr || !sizes || !edges || edges->size() != 2 * sizes->size() ||
      facts.shape(0)->size() < sizes->size() + 1) {
    return std::nullopt;
  }
  Blocks blocks{.sizes = *sizes, .edges = *edges};
  for (const std::int64_t size : blocks.sizes) {
    const auto product = checkedMul(blocks.product, size);
    if (size < 1 || !product) return std::nullopt;
    blocks.product = *product;
  }
  return blocks;
}

TfliteOutputs spaceToBatch(const OpFacts& facts) {
  const auto blocks = blocksOf(facts);
  if (!blocks) return {};
  Shape shape = *facts.shape(0);
  const auto batch = checkedMul(shape[0], blocks->product);
  if (!batch) return {};
  shape[0] = *batch;
  for (std::size_t i = 0; i < blocks->sizes.size(); ++i) {
    const auto before = checkedAdd(shape[i + 1], blocks->edges[2 * i]);
    const auto padded = before ? checkedAdd(*before, blocks->edges[2 * i + 1]) : std::nullopt;
    if (!padded) return {};
    shape[i + 1] = *padded / blocks->sizes[i];
  }
  return single(std::move(shape));
}

TfliteOutputs batchToSpace(const OpFacts& facts) {
  const auto blocks = blocksOf(facts);
  if (!blocks) return {};
  Shape shape = *facts.shape(0);
  shape[0] /= blocks->product;
  for (std::size_t i = 0; i < blocks->sizes.size(); ++i) {
    const std::int64_t first = blocks->edges[2 * i];
    const std::int64_t last = blocks->edges[2 * i + 1];
    const auto spread = checkedMul(shape[i + 1], blocks->sizes[i]);
    if (!spread || first < 0 || last < 0 || first > *spread || last > *spread - first) return {};
    shape[i + 1] = *spread - first - last;
  }
  return single(std::move(shape));
}

constexpr TfliteRule kRules[] = {
    {"AVERAGE_POOL_2D", pool},
    {"BATCH_TO_SPACE_ND", batchToSpace},
    {"CONV_2D", conv2d},
    {"CONV_3D", conv3d},
    {"CONV_3D_TRANSPOSE", shapeGiven},
    {"DEPTHWISE_CONV_2D", depthwise},
    {"DEPTH_TO_SPACE", depthToSpace},
    {"L2_POOL_2D", pool},
    {"MAX_POOL_2D", pool},
    {"RESIZE_BILINEAR", resize},
    {"RESIZE_NEAREST_NEIGHBOR", resize},
    {"SPACE_TO_BATCH_ND", spaceToBatch},
    {"SPACE_TO_DEPTH", spaceToDepth},
    {"TRANSPOSE_CONV", shapeGiven},
};

}  // namespace

std::span<const TfliteRule> tfliteImageRules() { return kRules; }

}  // namespace hw
