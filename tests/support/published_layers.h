#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/import/importer.h"
#include "core/machine/memory_model.h"
#include "core/rewrite/graph_builder.h"

namespace hw::test {

/// A convolution in a published table of layers; a fully connected layer has one place, a matrix
/// product its rows.
struct Layer {
  std::int64_t groups = 1;
  std::int64_t outputs = 1;  ///< Channels of a group.
  std::int64_t inputs = 1;   ///< Likewise.
  std::int64_t rows = 1;     ///< Of the output.
  std::int64_t columns = 1;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
};
/// The same over a square image.
constexpr Layer squareLayer(std::int64_t groups, std::int64_t outputs, std::int64_t inputs,
                            std::int64_t side, std::int64_t kernel) {
  return {groups, outputs, inputs, side, side, kernel};
}

/// He et al. 2016, Sandler et al. 2018 and Krizhevsky 2014 at 224 x 224, 1,000 classes.
std::vector<Layer> resnet18();
std::vector<Layer> mobilenetV2();
std::vector<Layer> alexnet();
/// Howard et al. 2017 at 128 x 128, 1,000 classes.
std::vector<Layer> mobilenetV1();

/// A tensor of bytes, of a size that is declared.
GraphBuilder::Handle addInt8Tensor(GraphBuilder& builder, const std::string& name,
                                   const Shape& shape, bool constant);

/// Layers one behind the other in bytes, each with an input of its own.
std::shared_ptr<const Model> layersModel(const std::string& name, const std::vector<Layer>& layers);

/// A machine of ZigZag's examples and the cycles that stand in its tests for it.
struct ZigZagMachine {
  std::string name;
  std::string unroll;  ///< In TOML.
  double resnet18;
  double mobilenetV2;
  double alexnet;
};
/// 1,024 multipliers at 1 GHz, on-chip memory that costs no time, weights from DRAM at 8 bytes a
/// cycle, outputs at 8 bytes a cycle.
Platform zigZagPlatform(const ZigZagMachine& machine);
/// KULeuven-MICAS/zigzag 3d12a96: tests/main/test_origin for ResNet-18; the other two stand in
/// tests/main/test_with_exploit_data_locality beside networks that it runs.
std::vector<ZigZagMachine> zigZagMachines();

/// A layer on a square systolic array, and the cycles that SCALE-Sim counts without stalls.
struct ScaleSimLayer {
  std::string name;
  std::string dataflow;
  std::int64_t side = 1;
  Layer layer{};
  std::int64_t cycles = 0;
};
/// On 32 x 32 the golden traces of scalesim-project/SCALE-Sim 1d62b68 (test/general), on 256 x 256
/// MobileNet and GPT-2 in HyakunosukeOgata/SCALE_sim_v2_notes 184fd7f, whose depthwise layers have
/// one filter over all channels.
std::vector<ScaleSimLayer> scaleSimLayers();
Platform scaleSimPlatform(const ScaleSimLayer& layer);

/// The multipliers of an Ethos-U55 and of a U85 that Vela was asked about.
inline constexpr std::array<int, 4> kU55Sizes = {32, 64, 128, 256};
inline constexpr std::array<int, 5> kU85Sizes = {128, 256, 512, 1024, 2048};

/// Cycles in Vela's summary, and bytes of the weights as it encodes them.
struct VelaTotal {
  double cycles = 0;
  std::int64_t encoded = 0;
};

/// A network of the corpus on an Ethos-U55 (High_End_Embedded) and a U85 (SYS_Flash_High), both
/// with Shared_Sram, and on a U65-512 (Client_Server) and a U85-512 (SYS_DRAM_Mid), both with
/// Dedicated_Sram.
struct VelaNetwork {
  std::string name;
  std::string file;  ///< In the corpus, under tflite.
  std::array<VelaTotal, kU55Sizes.size()> u55{};
  VelaTotal u65{};  ///< Weights without biases and scales.
  std::array<VelaTotal, kU85Sizes.size()> u85{};
  VelaTotal u85Dram{};
};
/// U55 and U65: Vela 3.10 (nxp-imx/ethos-u-vela a6f6566) and its encoder (mlw_codec), U85: Vela 5.1
/// (401163a), run on the files.
std::vector<VelaNetwork> velaNetworks();

struct VelaCycles {
  std::int64_t cycles = 0;
  std::int64_t atRate = 0;   ///< By multiply-accumulates a cycle, weights as in the model.
  std::int64_t weights = 0;  ///< Bytes of them in the model.
};
/// Of a network in a file, one operator after the other on a bandwidth table, as with Shared_Sram.
/// `size`: of kU55Sizes or kU85Sizes, by number.
VelaCycles cyclesOnU55(const VelaNetwork& network, const std::string& file, std::size_t size);
VelaCycles cyclesOnU85(const VelaNetwork& network, const std::string& file, std::size_t size);
/// The same at 1 GHz on a preset with its copies, its memories without a limit.
VelaCycles cyclesOnPreset(const std::string& preset, const VelaTotal& vela,
                          const std::string& file);

/// MobileNetV1 at 128 x 128 on the cluster of a GAP8.
struct GapNetwork {
  std::int64_t computed = 0;  ///< Cycles of its layers by the cost model `pulp-nn`.
  std::int64_t atRate = 0;    ///< By the preset's multiply-accumulates a cycle.
  std::int64_t weights = 0;   ///< Cycles that its weights take from L3 at a byte each.
  double measured = 0;        ///< Burrello et al. 2021 (DORY): 4.3 frames a second at 100 MHz.
};
GapNetwork mobilenetOnGap8();

/// Cycles at 1 GHz that the layers take on the machine one after the other.
std::int64_t cyclesOfLayers(const std::vector<Layer>& layers, const Platform& platform);

}  // namespace hw::test
