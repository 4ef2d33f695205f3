#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hw::test {

/// A published network as a TFLite file with random weights, in int8: what a plan and a runtime
/// need of it. Activations keep within their range, so that rows differ.
struct PublishedNetwork {
  std::string_view name;
  int size;                         ///< Of its images, which are square.
  std::string (*fileOf)(int size);  ///< For other images, whose size is a multiple of 32.

  std::string file() const { return fileOf(size); }
};

/// MobileNetV2 (Sandler et al., 2018); ResNet-8 of MLPerf Tiny; BlazeFace (Bazarevsky et al., 2019)
/// of MediaPipe's short range; MCUNet for 512 kB (Lin et al., 2020); MCUNetV2 (Lin et al., 2021)
/// for large memories; SqueezeNet 1.1 (Iandola et al., 2016). Inputs are in float32, and padding is
/// an operator of its own, where that is so in the files that are published.
std::span<const PublishedNetwork> publishedNetworks();

/// The file of the one with that name, for images of that size; there must be one.
std::string publishedFile(std::string_view name, int size);

}  // namespace hw::test
