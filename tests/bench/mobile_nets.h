#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph.h"
#include "core/import/importer.h"
#include "core/rewrite/graph_builder.h"

namespace hw::bench {

/// MobileNets for images of 224 x 224, channels last, activations in the convolutions: what their
/// TFLite files have, down to the tensor of the last convolution.
class MobileNet {
 public:
  MobileNet(std::string name, Dtype dtype) : dtype_(dtype), builder_(std::move(name), "built") {}

  /// Howard et al. 2017; `width` / 4 times as many channels.
  static Model first(const std::string& name, std::int64_t width) {
    MobileNet net(name, Dtype::int8);
    net.begin(8 * width);
    constexpr std::array<std::array<std::int64_t, 3>, 5> kStages = {
        {{16, 1, 1}, {32, 2, 2}, {64, 2, 2}, {128, 6, 2}, {256, 2, 2}}};
    for (const auto& [channels, times, stride] : kStages) {
      for (std::int64_t i = 0; i < times; ++i) {
        net.deepen(i == 0 ? stride : 1);
        net.convolve(channels * width, 1, 1);
      }
    }
    return std::move(net).end();
  }

  /// The same as if it had come from a TFLite file.
  static Model asTflite(Model model) {
    Graph graph = *model.graph;
    graph.format = "tflite";
    model.graph = std::make_shared<const Graph>(std::move(graph));
    return model;
  }

  /// Sandler et al. 2018, full width.
  static Model second(const std::string& name, Dtype dtype) {
    MobileNet net(name, dtype);
    net.begin(32);
    constexpr std::array<std::array<std::int64_t, 4>, 7> kStages = {{{1, 16, 1, 1},
                                                                     {6, 24, 2, 2},
                                                                     {6, 32, 3, 2},
                                                                     {6, 64, 4, 2},
                                                                     {6, 96, 3, 1},
                                                                     {6, 160, 3, 2},
                                                                     {6, 320, 1, 1}}};
    for (const auto& [wider, channels, times, stride] : kStages) {
      for (std::int64_t i = 0; i < times; ++i) net.block(wider, channels, i == 0 ? stride : 1);
    }
    net.convolve(1280, 1, 1);
    return std::move(net).end();
  }

 private:
  GraphBuilder::Handle tensor(const std::string& name, const Shape& shape, bool constant) {
    const std::int64_t width = dtype_ == Dtype::float32 ? 4 : 1;
    return builder_.addTensor({.name = name,
                               .dtype = dtype_,
                               .shape = shape,
                               .bytes = Bytes(*elementCount(shape) * width),
                               .constant = constant});
  }

  void begin(std::int64_t channels) {
    shape_ = {1, 224, 224, 3};
    now_ = tensor("x", shape_, false);
    builder_.addInput(now_);
    convolve(channels, 3, 2);
  }

  Model end() && {
    builder_.addOutput(now_);
    Model model;
    model.graph = std::make_shared<const Graph>(std::move(builder_).build().value());
    return model;
  }

  void add(const std::string& type, const Shape& out, std::vector<GraphBuilder::Handle> inputs,
           std::int64_t stride) {
    const std::string number = std::to_string(builder_.opCount());
    GraphBuilder::OpParts parts;
    parts.op = {.name = type + number, .type = type, .domain = "tflite"};
    parts.op.attributes = {{"strides", std::vector<std::int64_t>{stride, stride}},
                           {"auto_pad", std::string("SAME_UPPER")},
                           {"channels_last", std::int64_t{1}}};
    parts.inputs = std::move(inputs);
    now_ = tensor("t" + number, out, false);
    parts.outputs = {now_};
    shape_ = out;
    builder_.addOp(std::move(parts));
  }

  GraphBuilder::Handle weight(const Shape& shape) {
    return tensor("w" + std::to_string(builder_.opCount()), shape, true);
  }

  Shape strided(std::int64_t stride, std::int64_t channels) const {
    return {1, shape_[1] / stride, shape_[2] / stride, channels};
  }

  void convolve(std::int64_t channels, std::int64_t kernel, std::int64_t stride) {
    const auto kernels = weight({channels, kernel, kernel, shape_[3]});
    add("CONV_2D", strided(stride, channels), {now_, kernels}, stride);
  }

  void deepen(std::int64_t stride) {
    const auto kernels = weight({1, 3, 3, shape_[3]});
    add("DEPTHWISE_CONV_2D", strided(stride, shape_[3]), {now_, kernels}, stride);
  }

  void block(std::int64_t wider, std::int64_t channels, std::int64_t stride) {
    const auto before = now_;
    const Shape was = shape_;
    if (wider > 1) convolve(shape_[3] * wider, 1, 1);
    deepen(stride);
    convolve(channels, 1, 1);
    if (shape_ == was) add("ADD", shape_, {now_, before}, 1);
  }

  Dtype dtype_;
  GraphBuilder builder_;
  GraphBuilder::Handle now_ = 0;
  Shape shape_;
};

}  // namespace hw::bench
