#pragma once

#include <string>

namespace hw::test {

// Published networks as TFLite files in int8, with random weights: what a plan and a runtime need
// of them. Activations keep within their range, so that rows differ.

/// MobileNetV2 (Sandler et al., 2018), width 1.0, for images of `size` by `size`, a multiple of 32.
std::string mobileNetV2Int8(int size);
/// ResNet-8 of MLPerf Tiny, for images of 32 by 32.
std::string resNet8Int8();

}  // namespace hw::test
