#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/graph/graph.h"

namespace hw {

/// How the shapes of an op's outputs come about. Importers hold one rule a kind.
enum class ShapeKind : std::uint8_t {
  library,  ///< By the ONNX library's rule for the op, or for `OpInfo::like`.
  none,     ///< Not known ahead of time: only the file can tell.
  sameAsFirst,
  sameAsFirstFloat,
  sameAsFirstBoolean,
  broadcast,
  compare,
  where,
  cast,
  castLike,
  quantize,
  dequantize,
  dynamicQuantize,
  quantizedPair,
  quantizedConcat,
  reduce,
  argReduce,
  sizeOf,
  dropout,
  crop,
  reshape,
  flatten,
  squeeze,
  unsqueeze,
  expandDims,
  transpose,
  expand,
  tile,
  concat,
  split,
  slice,
  gather,
  gatherElements,
  pad,
  centerCropPad,
  range,
  constantOfShape,
  oneHot,
  resize,
  upsample,
  columnsToImage,
  affineGrid,
  fourier,
  window,
  globalPool,
  matMul,
  gemm,
  packedMatMul,
  matMulToFloat,
  layerNormalization,
  skipNormalization,
  embedNormalization,
  attention,
  quantizedAttention,
  multiHeadAttention,
  groupQueryAttention,
  standardAttention,
  gatherQuantized,
  labelEncoder,
  regressor,
  classifier,
  featureVectorizer,
  oneHotEncoder,
  arrayFeatureExtractor,
};

std::string_view shapeKindName(ShapeKind kind);

/// How much an op computes: multiply-accumulates, or else elements touched.
enum class WorkKind : std::uint8_t {
  elements,
  convolution,
  transposedConvolution,
  gemm,
  product,
  packedProduct,
  recurrence,
  attention,
  contraction,
  pooling,
  body,
};

std::string_view workKindName(WorkKind kind);

/// Which inputs a kernel may overwrite: every output element depends on the input elements at the
/// same place, or on a whole row that is read before it is written.
enum class InPlace : std::uint8_t {
  never,
  first,
  any,        ///< Any input that is not broadcast.
  sameWidth,  ///< The first, where the element width stays the same.
  depthwise,  ///< The first, where each channel comes from the one at the same place.
};

std::string_view inPlaceName(InPlace rule);

/// Ops that need not move data: the output is the input under another shape, or a slice of it.
enum class ViewFamily : std::uint8_t { none, reshape, concat, split };

std::string_view viewFamilyName(ViewFamily family);

/// All that is known about one op type, for importers, aliasing and the cost model alike. To teach
/// the program an op, add a row to op_table.cpp.
struct OpInfo {
  std::string_view type;
  std::string_view domain{};  ///< Empty for standard ops.
  ShapeKind shape = ShapeKind::library;
  WorkKind work = WorkKind::elements;
  std::uint8_t weight = 1;  ///< Which input the weight of a convolution is.
  InPlace inPlace = InPlace::never;
  ViewFamily view = ViewFamily::none;
  std::string_view like{};    ///< The standard op whose library rule fits, where it differs.
  std::string_view tflite{};  ///< The TFLite operators that become this one, spaces between.
};

std::span<const OpInfo> opTable();

/// What is known about `op`; null when nothing is. An op of no domain may also be one of ONNX
/// Runtime's: graph JSON has no domains. One of the domain "tflite" is found by its TFLite name, if
/// its operands lie as those of the row do.
const OpInfo* findOp(std::string_view type, std::string_view domain);
inline const OpInfo* findOp(const Op& op) { return findOp(op.type, op.domain); }

/// The row of a TFLite operator such as "CONV_2D"; null when there is none.
const OpInfo* findTfliteOp(std::string_view name);

}  // namespace hw
