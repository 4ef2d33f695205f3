#include <catch2/catch.hpp>
#include <iostream>

#include "core/sim/cost_model.h"
#include "tests/core/import/onnx/onnx_corpus.h"

namespace hw {
namespace {

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

TEST_CASE("the work of published models is the published one", "[cost][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  for (const Published& published : kPublished) {
    CAPTURE(published.file);
    const auto model = loadModel((*folder / published.file).string(), {});
    REQUIRE(model);
    std::int64_t macs = 0;
    for (const OpId id : model->graph->ops.keys()) {
      const Work work = workOf(*model->graph, id);
      CHECK(work.unknown.empty());
      macs += work.macs;
    }
    CHECK(static_cast<double>(macs) / 1e6 == Approx(published.macs).margin(published.last / 2));
    std::cout << "corpus MACs: " << macs << " in " << published.file << '\n';
  }
}

}  // namespace hw
