#include <algorithm>

#include "core/families/family_rows.h"
#include "core/rewrite/graph_builder.h"

namespace hw {
namespace {

constexpr std::string_view kElementTypes[] = {"float32", "int8"};
constexpr ParamSpec kBlocks{.name = "blocks",
                            .summary = "how many blocks or levels there are",
                            .fallback = "8",
                            .least = 1,
                            .most = 10'000};
constexpr ParamSpec kChannels{.name = "channels",
                              .summary = "of the first layer; of a transformer, its width",
                              .fallback = "32",
                              .least = 1,
                              .most = 16'384};
constexpr ParamSpec kSide{.name = "side",
                          .summary = "rows and columns of the input; of a transformer, its tokens",
                          .fallback = "64",
                          .least = 1,
                          .most = 16'384};
constexpr ParamSpec kElementType{.name = "type",
                                 .type = ParamType::choice,
                                 .summary = "of the elements",
                                 .fallback = "float32",
                                 .choices = kElementTypes};
constexpr ParamSpec kNetworkParams[] = {kBlocks, kChannels, kSide, kElementType, kSeedParam};

using Handle = GraphBuilder::Handle;
using Attributes = std::map<std::string, AttributeValue>;

/// Layers by name, with shapes as the operators have them; NCHW.
class Drafter {
 public:
  Drafter(std::string name, const Params& params)
      : blocks(params.integer(kBlocks)),
        channels(params.integer(kChannels)),
        side(params.integer(kSide)),
        dice(static_cast<std::uint64_t>(params.integer(kSeedParam))),
        type_(*parseDtype(params.text(kElementType))),
        builder_(std::move(name), "generated") {}

  Handle input(Shape shape) {
    const Handle made = tensor("input", std::move(shape), false);
    builder_.addInput(made);
    return made;
  }

  /// With room around it, so that stride 1 keeps the size; `groups` of channels apart.
  Handle conv(Handle from, std::int64_t to, std::int64_t kernel, std::int64_t stride = 1,
              std::int64_t groups = 1) {
    const Shape in = shape(from);
    const std::int64_t pad = kernel / 2;
    const Handle weight =
        tensor(nextName() + ".weight", {to, in[1] / groups, kernel, kernel}, true);
    const auto out = [&](std::int64_t size) { return (size + 2 * pad - kernel) / stride + 1; };
    return op("Conv", {from, weight}, {1, to, out(in[2]), out(in[3])},
              {{"kernel_shape", std::vector{kernel, kernel}},
               {"strides", std::vector{stride, stride}},
               {"pads", std::vector{pad, pad, pad, pad}},
               {"group", groups}});
  }
  Handle relu(Handle from) { return op("Relu", {from}, shape(from)); }
  Handle sum(Handle one, Handle other) { return op("Add", {one, other}, shape(one)); }
  Handle joined(const std::vector<Handle>& parts) {
    Shape whole = shape(parts.front());
    whole[1] = 0;
    for (const Handle part : parts) whole[1] += shape(part)[1];
    return op("Concat", parts, whole, {{"axis", std::int64_t{1}}});
  }
  /// Half the rows and columns, one at least.
  Handle pool(Handle from) {
    Shape out = shape(from);
    const std::int64_t kernel = std::min<std::int64_t>(2, std::min(out[2], out[3]));
    for (const std::size_t axis : {2U, 3U}) out[axis] = (out[axis] - kernel) / kernel + 1;
    return op(
        "MaxPool", {from}, out,
        {{"kernel_shape", std::vector{kernel, kernel}}, {"strides", std::vector{kernel, kernel}}});
  }
  /// `to` rows and columns, by a transposed convolution of stride 2 and as many channels as asked.
  Handle widened(Handle from, std::int64_t to) {
    Shape out = shape(from);
    const Handle weight = tensor(nextName() + ".weight", {out[1], to, 2, 2}, true);
    out = {1, to, out[2] * 2, out[3] * 2};
    return op("ConvTranspose", {from, weight}, out,
              {{"kernel_shape", std::vector<std::int64_t>{2, 2}},
               {"strides", std::vector<std::int64_t>{2, 2}}});
  }
  /// `from` times weights, along the last axis.
  Handle product(Handle from, std::int64_t to) {
    Shape out = shape(from);
    const Handle weight = tensor(nextName() + ".weight", {out.back(), to}, true);
    out.back() = to;
    return op("MatMul", {from, weight}, out);
  }
  /// The last layers of a classifier.
  Handle classes(Handle from) {
    Shape out = shape(from);
    out[2] = out[3] = 1;
    return conv(op("GlobalAveragePool", {from}, out), 1000, 1);
  }

  Handle op(const std::string& type, std::vector<Handle> inputs, Shape out,
            Attributes attributes = {}) {
    const std::string name = nextName();
    const Handle made = tensor(name, std::move(out), false);
    builder_.addOp({.op = {.name = name, .type = type, .attributes = std::move(attributes)},
                    .inputs = std::move(inputs),
                    .outputs = {made}});
    return made;
  }

  const Shape& shape(Handle handle) { return *builder_.tensor(handle).shape; }

  Result<Graph> finish(Handle output) && {
    builder_.addOutput(output);
    return std::move(builder_).build();
  }

  std::int64_t blocks;
  std::int64_t channels;
  std::int64_t side;
  Dice dice;

 private:
  std::string nextName() const { return "layer" + std::to_string(builder_.opCount()); }

  Handle tensor(std::string name, Shape shape, bool constant) {
    Tensor made{.name = std::move(name), .dtype = type_, .shape = shape, .constant = constant};
    if (const auto count = elementCount(shape)) made.bytes = packedSize(type_, *count);
    made.origin = made.bytes ? SizeOrigin::declared : SizeOrigin::unknown;
    if (!made.bytes) made.unknownReason = "more bytes than can be counted";
    return builder_.addTensor(std::move(made));
  }

  Dtype type_;
  GraphBuilder builder_;
};

/// A quarter of the way through the blocks each: where rows are halved and channels doubled.
bool isStage(const Drafter& net, std::int64_t block) {
  const std::int64_t each = std::max<std::int64_t>(1, net.blocks / 4);
  return block > 0 && block % each == 0 && block / each < 4;
}

}  // namespace

std::span<const ParamSpec> networkParams() { return kNetworkParams; }

Result<Graph> makeResidualNet(const Params& params) {
  Drafter net("residual_net", params);
  std::int64_t width = net.channels;
  Handle at = net.relu(net.conv(net.input({1, 3, net.side, net.side}), width, 7, 2));
  for (std::int64_t block = 0; block < net.blocks; ++block) {
    const std::int64_t stride = isStage(net, block) ? 2 : 1;
    width *= stride;
    const bool deep = net.dice.chance(50);  // Three convolutions around a narrow middle, or two.
    const Handle beside = stride == 1 ? at : net.conv(at, width, 1, stride);
    const std::int64_t narrow = deep ? std::max<std::int64_t>(1, width / 4) : width;
    Handle inner = net.relu(net.conv(at, narrow, 3, stride));
    if (deep) inner = net.relu(net.conv(inner, narrow, 3));
    at = net.relu(net.sum(net.conv(inner, width, deep ? 1 : 3), beside));
  }
  const auto out = net.classes(at);
  return std::move(net).finish(out);
}

Result<Graph> makeMobileNet(const Params& params) {
  Drafter net("mobile_net", params);
  std::int64_t width = net.channels;
  Handle at = net.relu(net.conv(net.input({1, 3, net.side, net.side}), width, 3, 2));
  for (std::int64_t block = 0; block < net.blocks; ++block) {
    const std::int64_t stride = isStage(net, block) ? 2 : 1;
    const std::int64_t wide = width * net.dice.roll(3, 6);
    const Handle spread = net.relu(net.conv(at, wide, 1));
    const Handle deep = net.relu(net.conv(spread, wide, net.dice.chance(30) ? 5 : 3, stride, wide));
    width += stride == 1 ? 0 : net.channels / 2;
    const Handle narrow = net.conv(deep, width, 1);
    at = stride == 1 ? net.sum(narrow, at) : narrow;
  }
  const auto out = net.classes(at);
  return std::move(net).finish(out);
}

Result<Graph> makeInceptionNet(const Params& params) {
  Drafter net("inception_net", params);
  Handle at = net.relu(net.conv(net.input({1, 3, net.side, net.side}), net.channels, 3, 2));
  for (std::int64_t block = 0; block < net.blocks; ++block) {
    if (isStage(net, block)) at = net.pool(at);
    std::vector<Handle> parts;
    for (std::int64_t branch = net.dice.roll(2, 4); branch > 0; --branch) {
      Handle end = net.relu(net.conv(at, net.channels, 1));
      for (std::int64_t more = net.dice.roll(0, 2); more > 0; --more) {
        end = net.relu(net.conv(end, net.channels, 3));
      }
      parts.push_back(end);
    }
    at = net.joined(parts);
  }
  const auto out = net.classes(at);
  return std::move(net).finish(out);
}

Result<Graph> makeUNet(const Params& params) {
  Drafter net("u_net", params);
  // A level halves the side, so there are as many as it can be halved, and some channels stay.
  std::vector<Handle> kept;
  std::int64_t width = net.channels;
  Handle at = net.input({1, 3, net.side, net.side});
  for (std::int64_t level = 0; level < net.blocks; ++level) {
    at = net.relu(net.conv(net.relu(net.conv(at, width, 3)), width, 3));
    if (net.shape(at)[2] < 2 || net.shape(at)[2] % 2 != 0 || width >= 16'384) break;
    kept.push_back(at);
    at = net.pool(at);
    width *= 2;
  }
  for (; !kept.empty(); kept.pop_back()) {
    width = net.shape(kept.back())[1];
    at = net.joined({net.widened(at, width), kept.back()});
    at = net.relu(net.conv(net.relu(net.conv(at, width, 3)), width, 3));
  }
  const auto out = net.conv(at, 1, 1);
  return std::move(net).finish(out);
}

Result<Graph> makeTransformer(const Params& params) {
  Drafter net("transformer", params);
  Handle at = net.input({1, net.side, net.channels});
  const std::int64_t width = net.channels;
  for (std::int64_t block = 0; block < net.blocks; ++block) {
    const Handle query = net.product(at, width);
    const Handle key = net.op("Transpose", {net.product(at, width)}, {1, width, net.side},
                              {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
    const Shape square = {1, net.side, net.side};
    const Handle scores = net.op("Softmax", {net.op("MatMul", {query, key}, square)}, square,
                                 {{"axis", std::int64_t{-1}}});
    const Handle value = net.product(at, width);
    const Handle mixed = net.op("MatMul", {scores, value}, {1, net.side, width});
    at = net.sum(net.product(mixed, width), at);
    const std::int64_t inner = width * net.dice.roll(2, 4);
    at = net.sum(net.product(net.relu(net.product(at, inner)), width), at);
  }
  return std::move(net).finish(at);
}

}  // namespace hw
