#pragma once

#include <sstream>

#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/graph/tiling.h"
#include "core/plan_file/plan_reader.h"
#include "core/rewrite/graph_builder.h"
#include "core/run/run.h"
#include "tests/support/must.h"

namespace hw::test {

inline constexpr Bytes kRoom{1 << 24};

struct DepthwiseSetting {
  bool last = true;  ///< Channels are, as in TFLite.
  std::int64_t images = 1;
  std::int64_t channels = 4;
  Dtype dtype = Dtype::int8;
};

/// Images, one behind the other, and in the end what the graph hands out.
class DepthwiseChain {
 public:
  explicit DepthwiseChain(const DepthwiseSetting& setting, std::int64_t size)
      : setting_(setting), builder_("chain", setting.last ? "tflite" : "onnx"), size_(size) {
    image_ = addImage("x");
    builder_.addInput(image_);
  }

  GraphBuilder::Handle image() const { return image_; }

  void point() {  // Large on its own, and not in place.
    GraphBuilder::OpParts parts{.op = {.name = "point" + std::to_string(count_),
                                       .type = setting_.last ? "CONV_2D" : "Conv",
                                       .domain = setting_.last ? "tflite" : "",
                                       .attributes = {{"channels_last", channelsLast()}}}};
    const std::int64_t c = setting_.channels;
    add(std::move(parts), setting_.last ? Shape{c, 1, 1, c} : Shape{c, c, 1, 1});
  }

  void depthwise(std::int64_t stride) {
    using Numbers = std::vector<std::int64_t>;
    const std::int64_t c = setting_.channels;
    GraphBuilder::OpParts parts{.op = {.name = "dw" + std::to_string(count_),
                                       .type = setting_.last ? "DEPTHWISE_CONV_2D" : "Conv",
                                       .domain = setting_.last ? "tflite" : "",
                                       .attributes = {{"channels_last", channelsLast()},
                                                      {"strides", Numbers{stride, stride}},
                                                      {"pads", Numbers{1, 1, 1, 1}},
                                                      {"group", setting_.last ? 1 : c}}}};
    size_ = (size_ - 1) / stride + 1;
    add(std::move(parts), setting_.last ? Shape{1, 3, 3, c} : Shape{c, 1, 3, 3});
  }

  /// Reads an earlier image as well, of the same size.
  void join(GraphBuilder::Handle other) {
    GraphBuilder::OpParts parts{.op = {.name = "join", .type = "Concat"}};
    parts.op.attributes["axis"] = std::int64_t{0};
    parts.inputs = {image_, other};
    setting_.images *= 2;
    image_ = addImage("joined");
    setting_.images /= 2;
    parts.outputs = {image_};
    builder_.addOp(std::move(parts));
  }

  std::shared_ptr<const Model> done() && {
    builder_.addOutput(image_);
    auto graph = test::must(std::move(builder_).build());
    Model model;
    model.graph = std::make_shared<const Graph>(std::move(graph));
    return std::make_shared<const Model>(std::move(model));
  }

 private:
  std::int64_t channelsLast() const { return setting_.last ? 1 : 0; }

  GraphBuilder::Handle addTensor(std::string name, Shape shape, bool constant) {
    const std::int64_t bytes = *elementCount(shape) * (setting_.dtype == Dtype::int8 ? 1 : 4);
    return builder_.addTensor({.name = std::move(name),
                               .dtype = setting_.dtype,
                               .shape = std::move(shape),
                               .bytes = Bytes(bytes),
                               .constant = constant});
  }

  GraphBuilder::Handle addImage(std::string name) {
    const auto& [last, images, channels, dtype] = setting_;
    return addTensor(
        std::move(name),
        last ? Shape{images, size_, size_, channels} : Shape{images, channels, size_, size_},
        false);
  }

  void add(GraphBuilder::OpParts parts, Shape weight) {
    const auto filter = addTensor("w" + std::to_string(count_), std::move(weight), true);
    parts.inputs = {image_, filter};
    image_ = addImage("t" + std::to_string(count_++));
    parts.outputs = {image_};
    builder_.addOp(std::move(parts));
  }

  DepthwiseSetting setting_;
  GraphBuilder builder_;
  std::int64_t size_;
  GraphBuilder::Handle image_ = 0;
  int count_ = 0;
};

inline std::shared_ptr<const Run> runOf(const std::shared_ptr<const Model>& model,
                                        OpOrder order = OpOrder::given,
                                        const std::string& allocator = "greedy-by-size") {
  RunRequest request = planningRequest();
  request.allocator = AllocatorChoice::parse(allocator).value();
  request.alias = AliasRules::all();
  request.alignment = Bytes(1);
  request.order = order;
  return test::must(execute(model, request, {}));
}

inline std::string firstFault(const Run& run, Bytes room = kRoom) {
  const auto found = replayBytes(run, room);
  return found.empty() ? "" : found[0].message;
}

inline std::vector<TensorId> scratchIn(const Run& run) {
  std::vector<TensorId> all;
  for (const TensorId id : run.graph().tensors.keys()) {
    if (isScratch(run.graph(), id) && run.storage.bufferOf(id)) all.push_back(id);
  }
  return all;
}

/// x -> t0, by a point-wise convolution -> t1, in place -> t2, by another.
inline std::shared_ptr<const Model> threeOps(const DepthwiseSetting& setting,
                                             std::int64_t stride = 1) {
  DepthwiseChain chain(setting, 6);
  chain.point();
  chain.depthwise(stride);
  chain.point();
  return std::move(chain).done();
}

inline std::string firstFinding(const std::shared_ptr<const Model>& model, const Run& run,
                                void (*write)(const Run&, std::ostream&)) {
  std::ostringstream file;
  write(run, file);
  const auto plan = test::must(readPlan(file.str()));
  const Audit audit = auditPlan(model, plan, {});
  if (!audit.findings.empty()) return audit.findings[0].message;
  REQUIRE(audit.run);
  return firstFault(*audit.run);
}

}  // namespace hw::test
