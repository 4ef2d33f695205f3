#pragma once

#include <cstdint>

#include "core/rewrite/graph_builder.h"

namespace hw::test {

/// Images, and ops on them, in one of the two layouts: (N, C, H, W) of standard operators, or
/// (N, H, W, C) of TFLite's. Shapes of outputs follow from the ops.
class ImageGraph {
 public:
  using Handle = GraphBuilder::Handle;

  explicit ImageGraph(bool channelsLast) : last_(channelsLast) {}

  Handle image(std::int64_t rows, std::int64_t columns, std::int64_t channels,
               std::int64_t batch = 1);
  /// One that the graph is given.
  Handle input(std::int64_t rows, std::int64_t columns, std::int64_t channels,
               std::int64_t batch = 1);

  struct Slide {
    std::int64_t kernel = 3;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 1;  ///< Padding; of TFLite's ops either SAME or, where it is 0, VALID.
    std::int64_t after = 1;
  };
  Handle convolve(Handle from, std::int64_t channels, const Slide& slide);
  Handle depthwise(Handle from, const Slide& slide);
  Handle pool(Handle from, const Slide& slide);
  Handle mapped(Handle from);
  Handle added(Handle a, Handle b);
  Handle concat(Handle a, Handle b);  ///< Along channels.
  std::vector<Handle> split(Handle from);
  Handle padded(Handle from, std::int64_t before, std::int64_t after);
  Handle resized(Handle from, std::int64_t factor, bool linear);
  Handle spread(Handle from);                     ///< DepthToSpace.
  Handle grown(Handle from, const Slide& slide);  ///< A transposed convolution; NCHW only.
  Handle argMax(Handle from);                     ///< Along channels.
  /// The same bytes under another shape: nothing can be told of its rows.
  Handle flat(Handle from);
  /// Any op of one output, which has shape `made`.
  Handle op(Op op, std::vector<Handle> inputs, Shape made);
  Handle weight(Shape shape) { return tensor(std::move(shape), true); }

  const Shape& shape(Handle handle) { return *builder_.tensor(handle).shape; }
  std::int64_t rows(Handle handle) { return shape(handle)[last_ ? 1 : 2]; }
  std::int64_t channels(Handle handle) { return shape(handle)[last_ ? 3 : 1]; }
  void output(Handle handle) { builder_.addOutput(handle); }
  Graph build() &&;

 private:
  Handle tensor(Shape shape, bool constant = false);
  Op named(const char* standard, const char* tflite) const;
  Shape slid(Handle from, std::int64_t channels, const Slide& slide);
  void describe(Op& op, const Slide& slide) const;
  Shape shaped(std::int64_t batch, std::int64_t rows, std::int64_t columns,
               std::int64_t channels) const;

  bool last_;
  int ops_ = 0;
  GraphBuilder builder_{"images", "test"};
};

/// A graph of about `ops` ops of all kinds that have regions: branches, joins, strides, dilations,
/// pads, both layouts, several outputs, images that nobody reads.
Graph randomImages(std::uint64_t seed, std::size_t ops);

/// One to `blocks` blocks: a dense convolution makes many channels of few, ops go through them
/// channel by channel, and another makes few of them; skips go around some blocks.
Graph randomBottlenecks(std::uint64_t seed, std::int64_t blocks = 3);

/// x (1, 12, 6, 1) -> conv 3x3 with 8 channels -> conv 3x3 with one: what is between is large.
Graph bulge();

}  // namespace hw::test
