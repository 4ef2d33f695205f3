#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hw::fuzz {

/// A model like `bytes` with a few things changed that a byte-wise mutator rarely gets at: types,
/// names, dimensions and attributes of the nodes, nodes doubled, dropped or moved into a branch.
/// Empty when `bytes` is no ONNX model.
std::string mutatedOnnx(std::string_view bytes, std::uint32_t seed);

/// A flatbuffer like `bytes`, of the same length, with a few of its aligned numbers changed: to
/// small ones, to one of their neighbours in the file, to the edges of their range.
std::string mutatedFlatbuffer(std::string_view bytes, std::uint32_t seed);

}  // namespace hw::fuzz
