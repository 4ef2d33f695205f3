#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/graph/graph.h"

namespace hw {

/// How the shapes of an op's outputs come about. Importers hold one rule a kind.
enum class ShapeKind : std::uint8_t {
  none,      ///< Not known ahead of time: only the file can tell.
  tflite,    ///< By the rule for the TFLite operator, core/import/tflite_rules.h.
  body,      ///< From what runs inside.
  sequence,  ///< Of tensors, or one out of them: core/import/onnx_sequences.h.
  open,      ///< Depends on data: bounded by inferOpenOutputs.
  sameAsFirst,
  typedLikeFirst,
  shapeAttribute,
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
  convolution,
  transposedConvolution,
  unpool,
  regionPool,
  regionAlign,
  gridSample,
  globalPool,
  depthToSpace,
  spaceToDepth,
  determinant,
  gatherNd,
  topK,
  multinomial,
  windowFunction,
  melWeights,
  shortFourier,
  batchNormalization,
  recurrence,
  contraction,
  loss,
  ngrams,
  integerProduct,
  linearProduct,
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
  convolution,          ///< Output channels are the first dimension of the weight.
  channelsLast,         ///< A convolution; output channels are the last dimension of the weight.
  numberedConvolution,  ///< One whose attributes number the dimensions of the weight.
  transposedConvolution,
  transposedChannelsLast,
  dense,
  gemm,
  product,
  packedProduct,
  recurrence,
  weightMatrices,  ///< A recurrence whose weights are several matrices.
  attention,
  contraction,
  numberedContraction,  ///< One whose attributes number the dimensions that are summed over.
  pooling,
  body,
};

std::string_view workKindName(WorkKind kind);

/// Which inputs a kernel may overwrite: every output element depends on the input elements at the
/// same place, or on a whole row that is read before it is written.
enum class InPlace : std::uint8_t {
  never,
  first,      ///< The one with the data.
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
  std::string_view domain{};  ///< Empty for standard ops, "tflite" for TFLite's.
  ShapeKind shape = ShapeKind::none;
  WorkKind work = WorkKind::elements;
  std::uint8_t data = 0;    ///< Which input is worked on, cut or seen under another shape.
  std::uint8_t weight = 1;  ///< Which input the weight of a convolution is.
  InPlace inPlace = InPlace::never;
  ViewFamily view = ViewFamily::none;
};

std::span<const OpInfo> opTable();

/// What is known about `op`; null when nothing is. An op of no domain may also be one of ONNX
/// Runtime's: graph JSON has no domains.
const OpInfo* findOp(std::string_view type, std::string_view domain);
inline const OpInfo* findOp(const Op& op) { return findOp(op.type, op.domain); }

ViewFamily viewFamilyOf(const Op& op);

/// The input that `op` works on, cuts or shows under another shape; none when it is left out.
TensorId dataInput(const Op& op);

}  // namespace hw
