#include "tests/support/image_graphs.h"

#include <algorithm>
#include <random>

#include "tests/support/must.h"

namespace hw::test {

using List = std::vector<std::int64_t>;

ImageGraph::Handle ImageGraph::tensor(Shape shape, bool constant) {
  Tensor tensor;
  tensor.name = "t" + std::to_string(builder_.tensorCount());
  tensor.dtype = ops_ % 5 == 4 ? Dtype::float32 : Dtype::int8;
  tensor.bytes = packedSize(tensor.dtype, *elementCount(shape));
  tensor.shape = std::move(shape);
  tensor.origin = SizeOrigin::declared;
  tensor.constant = constant;
  return builder_.addTensor(std::move(tensor));
}

Shape ImageGraph::shaped(std::int64_t batch, std::int64_t rows, std::int64_t columns,
                         std::int64_t channels) const {
  return last_ ? Shape{batch, rows, columns, channels} : Shape{batch, channels, rows, columns};
}

ImageGraph::Handle ImageGraph::image(std::int64_t rows, std::int64_t columns, std::int64_t channels,
                                     std::int64_t batch) {
  return tensor(shaped(batch, rows, columns, channels));
}

ImageGraph::Handle ImageGraph::input(std::int64_t rows, std::int64_t columns, std::int64_t channels,
                                     std::int64_t batch) {
  const Handle made = image(rows, columns, channels, batch);
  builder_.addInput(made);
  return made;
}

Op ImageGraph::named(const char* standard, const char* tflite) const {
  Op op{.type = last_ ? tflite : standard, .domain = last_ ? "tflite" : ""};
  if (last_) op.attributes["channels_last"] = std::int64_t{1};
  return op;
}

ImageGraph::Handle ImageGraph::op(Op op, std::vector<Handle> inputs, Shape made) {
  op.name = "o" + std::to_string(ops_);
  const Handle output = tensor(std::move(made));
  GraphBuilder::OpParts parts{.op = std::move(op), .inputs = std::move(inputs)};
  parts.outputs = {output};
  builder_.addOp(std::move(parts));
  ++ops_;
  return output;
}

void ImageGraph::describe(Op& op, const Slide& slide) const {
  op.attributes["kernel_shape"] = List{slide.kernel, slide.kernel};
  op.attributes["strides"] = List{slide.stride, slide.stride};
  op.attributes["dilations"] = List{slide.dilation, slide.dilation};
  if (last_) {
    op.attributes["auto_pad"] = std::string(slide.before > 0 ? "SAME_UPPER" : "VALID");
  } else {
    op.attributes["pads"] = List{slide.before, slide.before, slide.after, slide.after};
  }
}

Shape ImageGraph::slid(Handle from, std::int64_t channels, const Slide& slide) {
  const Shape whole = shape(from);
  const auto places = [&](std::int64_t size) {
    if (last_ && slide.before > 0) return (size + slide.stride - 1) / slide.stride;
    const std::int64_t pads = last_ ? 0 : slide.before + slide.after;
    return (size + pads - (slide.kernel - 1) * slide.dilation - 1) / slide.stride + 1;
  };
  const std::size_t first = last_ ? 1 : 2;
  return shaped(whole[0], places(whole[first]), places(whole[first + 1]), channels);
}

ImageGraph::Handle ImageGraph::convolve(Handle from, std::int64_t made, const Slide& slide) {
  Op conv = named("Conv", "CONV_2D");
  describe(conv, slide);
  const std::int64_t k = slide.kernel;
  const std::int64_t c = channels(from);
  const Handle weight = tensor(last_ ? Shape{made, k, k, c} : Shape{made, c, k, k}, true);
  return op(std::move(conv), {from, weight}, slid(from, made, slide));
}

ImageGraph::Handle ImageGraph::depthwise(Handle from, const Slide& slide) {
  Op conv = named("Conv", "DEPTHWISE_CONV_2D");
  describe(conv, slide);
  const std::int64_t k = slide.kernel;
  const std::int64_t c = channels(from);
  if (!last_) conv.attributes["group"] = c;
  const Handle weight = tensor(last_ ? Shape{1, k, k, c} : Shape{c, 1, k, k}, true);
  return op(std::move(conv), {from, weight}, slid(from, c, slide));
}

ImageGraph::Handle ImageGraph::pool(Handle from, const Slide& slide) {
  Op pool = named("MaxPool", "MAX_POOL_2D");
  describe(pool, slide);
  return op(std::move(pool), {from}, slid(from, channels(from), slide));
}

ImageGraph::Handle ImageGraph::mapped(Handle from) {
  return op(named("Relu", "RELU"), {from}, shape(from));
}

ImageGraph::Handle ImageGraph::added(Handle a, Handle b) {
  return op(named("Add", "ADD"), {a, b}, shape(a));
}

ImageGraph::Handle ImageGraph::concat(Handle a, Handle b) {
  Op concat = named("Concat", "CONCATENATION");
  const std::size_t axis = last_ ? 3 : 1;
  concat.attributes["axis"] = static_cast<std::int64_t>(axis);
  Shape made = shape(a);
  made[axis] += shape(b)[axis];
  return op(std::move(concat), {a, b}, std::move(made));
}

std::vector<ImageGraph::Handle> ImageGraph::split(Handle from) {
  Op split = named("Split", "SPLIT");
  const std::size_t axis = last_ ? 3 : 1;
  split.name = "o" + std::to_string(ops_++);
  split.attributes["axis"] = static_cast<std::int64_t>(axis);
  Shape first = shape(from);
  Shape second = first;
  first[axis] /= 2;
  second[axis] -= first[axis];
  GraphBuilder::OpParts parts{.op = std::move(split)};
  if (last_) parts.inputs.push_back(tensor({1}, true));
  parts.inputs.push_back(from);
  parts.outputs = {tensor(std::move(first)), tensor(std::move(second))};
  std::vector<Handle> made = parts.outputs;
  builder_.addOp(std::move(parts));
  return made;
}

ImageGraph::Handle ImageGraph::padded(Handle from, std::int64_t before, std::int64_t after) {
  Op pad = named("Pad", "PAD");
  const Shape whole = shape(from);
  const std::size_t first = last_ ? 1 : 2;
  List pads(8);
  Shape made = whole;
  for (const std::size_t axis : {first, first + 1}) {
    pads[axis] = before;
    pads[axis + 4] = after;
    made[axis] += before + after;
  }
  pad.attributes["pads"] = pads;
  return op(std::move(pad), {from}, std::move(made));
}

ImageGraph::Handle ImageGraph::resized(Handle from, std::int64_t factor, bool linear) {
  Op resize = named("Resize", linear ? "RESIZE_BILINEAR" : "RESIZE_NEAREST_NEIGHBOR");
  resize.attributes["mode"] = std::string(linear ? "linear" : "nearest");
  Shape made = shape(from);
  const std::size_t first = last_ ? 1 : 2;
  for (const std::size_t axis : {first, first + 1}) made[axis] *= factor;
  return op(std::move(resize), {from}, std::move(made));
}

ImageGraph::Handle ImageGraph::spread(Handle from) {
  Op spread = named("DepthToSpace", "DEPTH_TO_SPACE");
  spread.attributes["blocksize"] = std::int64_t{2};
  const Shape whole = shape(from);
  const std::size_t first = last_ ? 1 : 2;
  return op(std::move(spread), {from},
            shaped(whole[0], whole[first] * 2, whole[first + 1] * 2, channels(from) / 4));
}

ImageGraph::Handle ImageGraph::grown(Handle from, const Slide& slide) {
  REQUIRE_FALSE(last_);
  Op conv = named("ConvTranspose", "");
  describe(conv, slide);
  const Shape whole = shape(from);
  const auto places = [&](std::int64_t size) {
    return (size - 1) * slide.stride + (slide.kernel - 1) * slide.dilation + 1 - slide.before -
           slide.after;
  };
  const Handle weight = tensor({whole[1], 2, slide.kernel, slide.kernel}, true);
  return op(std::move(conv), {from, weight}, {whole[0], 2, places(whole[2]), places(whole[3])});
}

ImageGraph::Handle ImageGraph::argMax(Handle from) {
  Op most = named("ArgMax", "ARG_MAX");
  const std::size_t axis = last_ ? 3 : 1;
  most.attributes["axis"] = static_cast<std::int64_t>(axis);
  most.attributes["keepdims"] = std::int64_t{0};
  Shape made = shape(from);
  made.erase(made.begin() + static_cast<std::ptrdiff_t>(axis));
  return op(std::move(most), {from}, std::move(made));
}

ImageGraph::Handle ImageGraph::flat(Handle from) {
  return op(named("Flatten", "RESHAPE"), {from}, {1, *elementCount(shape(from))});
}

Graph ImageGraph::build() && { return test::must(std::move(builder_).build()); }

Graph bulge() {
  ImageGraph images(true);
  const auto x = images.input(12, 6, 1);
  const auto a = images.convolve(x, 8, {});
  images.output(images.convolve(a, 1, {}));
  return std::move(images).build();
}

namespace {

/// Grows a random graph, op by op.
class Grower {
 public:
  Grower(std::uint64_t seed, std::size_t ops) : draw_(seed), ops_(ops) {}

  Graph grow() {
    images_.push_back(graph_.input(5 + pick(9), 4 + pick(6), 1 + pick(4), 1 + pick(8) / 7));
    for (std::size_t i = 0; i < ops_; ++i) addOp();
    graph_.output(images_.back());
    for (const auto image : images_) {
      if (pick(6) == 0) graph_.output(image);
    }
    return std::move(graph_).build();
  }

 private:
  using Handle = ImageGraph::Handle;

  std::int64_t pick(std::int64_t below) {
    return static_cast<std::int64_t>(draw_() % static_cast<std::uint64_t>(below));
  }

  /// Often the last one, so that chains grow long.
  Handle any() {
    const auto size = static_cast<std::int64_t>(images_.size());
    return images_[static_cast<std::size_t>(pick(3) > 0 ? size - 1 : pick(size))];
  }

  ImageGraph::Slide slide(Handle from) {
    const Shape whole = graph_.shape(from);
    const std::int64_t least = std::min(graph_.rows(from), whole[last_ ? 2 : 3]);
    ImageGraph::Slide slide{
        .kernel = 1 + pick(3), .stride = 1 + pick(5) / 3, .dilation = 1 + pick(5) / 4};
    while ((slide.kernel - 1) * slide.dilation + 1 > least) {
      slide.kernel = 1;
      slide.dilation = 1;
    }
    slide.before = slide.kernel > 1 ? pick(slide.kernel) : 0;
    slide.after = slide.kernel > 1 ? pick(slide.kernel) : 0;
    return slide;
  }

  Handle partner(Handle of) {
    std::vector<Handle> same;
    for (const Handle image : images_) {
      if (graph_.shape(image) == graph_.shape(of)) same.push_back(image);
    }
    return same[static_cast<std::size_t>(pick(static_cast<std::int64_t>(same.size())))];
  }

  /// One that a concat along channels may join to it.
  Handle neighbour(Handle of) {
    std::vector<Handle> fitting;
    for (const Handle image : images_) {
      Shape a = graph_.shape(image);
      Shape b = graph_.shape(of);
      a[last_ ? 3 : 1] = b[last_ ? 3 : 1] = 0;
      if (a == b) fitting.push_back(image);
    }
    return fitting[static_cast<std::size_t>(pick(static_cast<std::int64_t>(fitting.size())))];
  }

  void addOp() {
    const Handle from = any();
    const bool small = graph_.rows(from) < 14;
    switch (pick(12)) {
      case 0:
      case 1:
        return images_.push_back(graph_.convolve(from, 1 + pick(5), slide(from)));
      case 2:
        return images_.push_back(graph_.depthwise(from, slide(from)));
      case 3:
        return images_.push_back(graph_.pool(from, slide(from)));
      case 4:
      case 5:
        return images_.push_back(graph_.mapped(from));
      case 6:
        return images_.push_back(graph_.added(from, partner(from)));
      case 7:
        return images_.push_back(graph_.concat(from, neighbour(from)));
      case 8:
        if (graph_.channels(from) < 2) return;
        for (const Handle half : graph_.split(from)) images_.push_back(half);
        return;
      case 9:
        return images_.push_back(graph_.padded(from, pick(3), pick(3)));
      case 10:
        if (small && pick(2) == 0) images_.push_back(graph_.resized(from, 2, pick(2) == 0));
        if (small && graph_.channels(from) % 4 == 0) images_.push_back(graph_.spread(from));
        return;
      default:
        if (!last_ && small) {
          images_.push_back(graph_.grown(
              from,
              {.kernel = 2 + pick(2), .stride = 1 + pick(2), .before = pick(2), .after = pick(2)}));
        }
        return;
    }
  }

  std::mt19937_64 draw_;
  std::size_t ops_;
  bool last_ = pick(2) == 0;
  ImageGraph graph_{last_};
  std::vector<Handle> images_;
};

}  // namespace

Graph randomImages(std::uint64_t seed, std::size_t ops) { return Grower(seed, ops).grow(); }

Graph randomBottlenecks(std::uint64_t seed, std::int64_t blocks) {
  std::mt19937_64 draw(seed);
  const auto pick = [&](std::int64_t below) {
    return static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(below));
  };
  const ImageGraph::Slide point{.kernel = 1, .before = 0, .after = 0};
  ImageGraph images(seed % 2 == 0);
  auto x = images.input(5 + pick(5), 4 + pick(5), 2 + 2 * pick(3), 1 + pick(6) / 5);
  for (std::int64_t block = 1 + pick(blocks); block > 0; --block) {
    const std::int64_t narrow = images.channels(x);
    const ImageGraph::Slide first = pick(3) == 0 ? ImageGraph::Slide() : point;
    auto wide = images.convolve(x, narrow * (2 + pick(5)), first);
    for (std::int64_t more = 1 + pick(3); more > 0; --more) {
      const std::int64_t how = pick(5);
      const auto before = wide;
      if (how == 0) wide = images.mapped(wide);
      if (how == 1) wide = images.depthwise(wide, {});
      if (how == 2) wide = images.pool(wide, {});
      if (how == 3) wide = images.padded(wide, 1, 0);
      if (how == 4) wide = images.added(images.mapped(wide), before);
    }
    const auto made = images.convolve(wide, pick(4) == 0 ? narrow + 1 : narrow, point);
    const bool same = images.shape(made) == images.shape(x);
    x = same && pick(2) == 0 ? images.added(x, made) : made;
  }
  images.output(x);
  return std::move(images).build();
}

}  // namespace hw::test
