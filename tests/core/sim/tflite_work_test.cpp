#include <iostream>

#include "core/sim/cost_model.h"
#include "tests/core/import/onnx/onnx_corpus.h"
#include "tests/support/must.h"
#include "tests/support/op_sample.h"

using namespace hw;
using hw::test::OpSample;

namespace {

/// An op as TFLite has it: images are NHWC.
OpSample sample(const std::string& type, const std::vector<Shape>& inputs,
                const std::vector<Shape>& outputs) {
  OpSample op(type, inputs, outputs);
  op.op().domain = "tflite";
  return op;
}

/// A model whose multiply-accumulates others have published.
struct Published {
  const char* file;
  double macs;        ///< Millions.
  double last = 0.1;  ///< The last digit that was published.
};

// MobileNets: Howard et al. 2017, Sandler et al. 2018. MLPerf Tiny: Banbury et al. 2021, and for
// its autoencoder the sum over its layers. Others: the model zoos they come from.
constexpr Published kPublished[] = {
    {"onnx/irpy_mobilenetv2_100_dynamo.onnx", 300.8},
    {"onnx/light_resnet50.onnx", 4090, 10},
    {"onnx/light_squeezenet.onnx", 349, 1},
    {"onnx/light_vgg19.onnx", 19'630, 10},
    {"tflite/ad01_int8.tflite", 0.264192, 0.000001},
    {"tflite/kws_ref_model.tflite", 2.66, 0.01},
    {"tflite/vww_96_int8.tflite", 7.49, 0.01},
    {"tflite/coral_mobilenet_v1_0.25_128_quant.tflite", 14, 1},
};

}  // namespace

TEST_CASE("TFLite's operators count like their ONNX twins", "[cost][tflite]") {
  // Each pair is one layer: the first 7x7 convolution of ResNet, a depthwise one, and so on.
  const std::vector<Shape> image = {{1, 224, 224, 3}, {64, 7, 7, 3}, {64}};
  CHECK(sample("CONV_2D", image, {{1, 112, 112, 64}}).work().macs == 118'013'952);
  CHECK(sample("DEPTHWISE_CONV_2D", {{1, 112, 112, 32}, {1, 3, 3, 32}}, {{1, 112, 112, 32}})
            .work()
            .macs == 112 * 112 * 32 * 9);
  // Two outputs a channel.
  CHECK(sample("DEPTHWISE_CONV_2D", {{1, 9, 9, 4}, {1, 3, 3, 8}}, {{1, 7, 7, 8}}).work().macs ==
        7 * 7 * 8 * 9);
  CHECK(
      sample("TRANSPOSE_CONV", {{4}, {5, 2, 2, 16}, {1, 8, 8, 16}}, {{1, 16, 16, 5}}).work().macs ==
      8 * 8 * 16 * 2 * 2 * 5);
  CHECK(sample("CONV_3D", {{1, 4, 8, 8, 3}, {2, 3, 3, 3, 6}}, {{1, 3, 6, 6, 6}}).work().macs ==
        3 * 6 * 6 * 6 * 2 * 3 * 3 * 3);
  CHECK(sample("CONV_3D_TRANSPOSE", {{5}, {2, 3, 3, 6, 4}, {1, 2, 5, 5, 4}}, {{1, 3, 7, 7, 6}})
            .work()
            .macs == 2 * 5 * 5 * 4 * 2 * 3 * 3 * 6);
}

TEST_CASE("a dense layer counts by its weight, whatever the rank of its input", "[cost][tflite]") {
  CHECK(sample("FULLY_CONNECTED", {{1, 2048}, {1000, 2048}, {1000}}, {{1, 1000}}).work().macs ==
        2'048'000);
  // An image that is flattened on the way in.
  CHECK(sample("FULLY_CONNECTED", {{1, 7, 7, 64}, {10, 3136}}, {{1, 10}}).work().macs == 31'360);
}

TEST_CASE("a batched product sums along the axis that transA says", "[cost][tflite]") {
  CHECK(sample("BATCH_MATMUL", {{2, 3, 7}, {2, 7, 5}}, {{2, 3, 5}}).work().macs == 2 * 3 * 7 * 5);
  OpSample turned = sample("BATCH_MATMUL", {{2, 7, 3}, {2, 7, 5}}, {{2, 3, 5}});
  turned.attribute("transA", std::int64_t{1});
  CHECK(turned.work().macs == 2 * 3 * 7 * 5);
}

TEST_CASE("recurrences meet every stored matrix once a row", "[cost][tflite]") {
  // 10 turns of a batch of 2, 3 inputs and 5 units; four gates, a state that is no weight.
  std::vector<Shape> inputs = {{10, 2, 3}};
  for (int gate = 0; gate < 4; ++gate) inputs.push_back({5, 3});
  for (int gate = 0; gate < 4; ++gate) inputs.push_back({5, 5});
  inputs.push_back({5});     // A bias or peephole multiplies no matrix.
  inputs.push_back({2, 5});  // The state.
  OpSample lstm = sample("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, {{10, 2, 5}});
  for (std::size_t i = 1; i < 10; ++i) lstm.tensor("in" + std::to_string(i)).constant = true;
  CHECK(lstm.work().macs == 10 * 2 * 4 * 5 * (3 + 5));

  OpSample svdf = sample("SVDF", {{1, 40}, {64, 40}, {64, 8}, {1, 512}}, {{1, 32}});
  CHECK(svdf.work().unknown == "its weights are not stored in the file");
  svdf.tensor("in1").constant = svdf.tensor("in2").constant = true;
  CHECK(svdf.work().macs == 64 * (40 + 8));
}

TEST_CASE("pools count their window, and StableHLO its numbered dimensions", "[cost][tflite]") {
  OpSample pool = sample("AVERAGE_POOL_2D", {{1, 8, 8, 4}}, {{1, 4, 4, 4}});
  pool.attribute("kernel_shape", std::vector<std::int64_t>{3, 2});
  CHECK(pool.work().touched == 64 * 6);
  CHECK(pool.work().macs == 0);

  OpSample dot = sample("STABLEHLO_DOT_GENERAL", {{2, 7, 3}, {2, 7, 5}}, {{2, 3, 5}});
  dot.attribute("lhs_contracting_dimensions", std::vector<std::int64_t>{1});
  CHECK(dot.work().macs == 2 * 3 * 7 * 5);
  OpSample conv = sample("STABLEHLO_CONVOLUTION", {{1, 9, 9, 4}, {3, 3, 4, 6}}, {{1, 7, 7, 6}});
  conv.attribute("kernel_output_feature_dimension", std::int64_t{3});
  CHECK(conv.work().macs == 7 * 7 * 6 * 3 * 3 * 4);
}

TEST_CASE("a call that stays closed hides its work, an open one does not", "[cost][tflite]") {
  OpSample call = sample("WHILE", {{1, 8}}, {{1, 8}});
  CHECK_FALSE(call.work().unknown.empty());
  call.attribute("turns", std::int64_t{1});
  CHECK(call.work().touched == 8);
}

TEST_CASE("the work of published models is the published one", "[cost][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  for (const Published& published : kPublished) {
    CAPTURE(published.file);
    const auto model = test::must(loadModel((*folder / published.file).string(), {}));
    std::int64_t macs = 0;
    for (const OpId id : model.graph->ops.keys()) {
      const Work work = workOf(*model.graph, id);
      CHECK(work.unknown.empty());
      macs += work.macs;
    }
    CHECK(static_cast<double>(macs) / 1e6 == Approx(published.macs).margin(published.last / 2));
    std::cout << "corpus MACs: " << macs << " in " << published.file << '\n';
  }
}
