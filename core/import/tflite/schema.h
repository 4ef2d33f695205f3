#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/graph/dtype.h"

namespace hw {

// Facts of the TFLite file format: which field of which table holds what, and what the numbers
// stand for. Version 3 of the schema; fields are only ever added to it.

/// Operator codes with a meaning of their own to the importer.
enum class TfliteOpCode : std::int32_t {
  conv2d = 3,
  depthwiseConv2d = 4,
  embeddingLookup = 7,
  reshape = 22,
  resizeBilinear = 23,
  call = 31,
  custom = 32,
  pad = 34,
  stridedSlice = 45,
  split = 49,
  delegate = 51,
  padV2 = 60,
  slice = 65,
  transposeConv = 67,
  sparseToDense = 68,
  shape = 77,
  fill = 94,
  resizeNearest = 97,
  mirrorPad = 100,
  splitV = 102,
  branch = 118,
  loop = 119,
  scatterNd = 122,
  callOnce = 129,
  conv3d = 132,
  conv3dTranspose = 141,
  variableHandle = 142,
  readVariable = 143,
  assignVariable = 144,
  stablehloLoop = 200,
  composite = 206,
};

/// The custom operator that turns boxes and scores into detections, which runtimes bring along.
inline constexpr std::string_view kDetectionPostprocess = "TFLite_Detection_PostProcess";

/// "CONV_2D"; "BUILTIN_999" for a code that is newer than this program.
std::string tfliteOpName(std::int32_t code);

/// The Dtype of a tensor type number; unknown when it is newer than this program.
Dtype tfliteDtype(std::int32_t type);

/// Bits of one element of a tensor type, also of those that have no Dtype; 0: no fixed size.
int tfliteBits(std::int32_t type);

}  // namespace hw
