#include "core/graph/op_table.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/graph/op_rows.h"

namespace hw {
namespace {

/// Looks a name up by the number of an enumerator.
template <std::size_t Size, class Kind>
std::string_view nameOf(const std::array<std::string_view, Size>& names, Kind kind) {
  return names[static_cast<std::size_t>(kind)];
}

std::vector<OpInfo> joined() {
  std::vector<OpInfo> rows;
  for (const auto part : {firstStandardOps(), moreStandardOps(), runtimeOps(), tfliteOps()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  return rows;
}

/// The row of a type in a part sorted by type, from the first row of a domain on.
const OpInfo* findIn(std::span<const OpInfo> rows, std::string_view type) {
  const auto found = std::ranges::lower_bound(rows, type, {}, &OpInfo::type);
  return found != rows.end() && found->type == type ? &*found : nullptr;
}

/// The rows of one domain: they stand together.
std::span<const OpInfo> rowsOf(std::string_view domain) {
  // Clang 14 cannot use the subrange that std::ranges::equal_range returns.
  const std::span<const OpInfo> all = opTable();
  const auto first = std::ranges::lower_bound(all, domain, {}, &OpInfo::domain);
  return {first, std::ranges::upper_bound(first, all.end(), domain, {}, &OpInfo::domain)};
}

}  // namespace

std::span<const OpInfo> opTable() {
  static const std::vector<OpInfo> kTable = joined();
  return kTable;
}

const OpInfo* findOp(std::string_view type, std::string_view domain) {
  if (const OpInfo* info = findIn(rowsOf(domain), type)) return info;
  return domain.empty() ? findIn(rowsOf("com.microsoft"), type) : nullptr;
}

ViewFamily viewFamilyOf(const Op& op) {
  const OpInfo* info = findOp(op);
  return info != nullptr ? info->view : ViewFamily::none;
}

TensorId dataInput(const Op& op) {
  const OpInfo* info = findOp(op);
  const std::size_t at = info != nullptr ? info->data : 0;
  return at < op.inputs.size() ? op.inputs[at] : TensorId();
}

std::string_view shapeKindName(ShapeKind kind) {
  constexpr std::array<std::string_view, 91> kNames = {"only if the file says",
                                                       "TFLite rule",
                                                       "by its body",
                                                       "by its parts",
                                                       "depends on data",
                                                       "as input 0",
                                                       "as input 0, type given",
                                                       "shape given",
                                                       "as input 0, float32",
                                                       "as input 0, bool",
                                                       "broadcast",
                                                       "broadcast, bool",
                                                       "where",
                                                       "cast",
                                                       "cast like",
                                                       "quantize",
                                                       "dequantize",
                                                       "dynamic quantize",
                                                       "quantized pair",
                                                       "quantized concat",
                                                       "reduce",
                                                       "arg reduce",
                                                       "size of",
                                                       "dropout",
                                                       "crop",
                                                       "reshape",
                                                       "flatten",
                                                       "squeeze",
                                                       "unsqueeze",
                                                       "expand dims",
                                                       "transpose",
                                                       "expand",
                                                       "tile",
                                                       "concat",
                                                       "split",
                                                       "slice",
                                                       "gather",
                                                       "gather elements",
                                                       "pad",
                                                       "center crop pad",
                                                       "range",
                                                       "constant of shape",
                                                       "one hot",
                                                       "resize",
                                                       "upsample",
                                                       "columns to image",
                                                       "affine grid",
                                                       "fourier",
                                                       "window",
                                                       "convolution",
                                                       "transposed convolution",
                                                       "unpool",
                                                       "region pool",
                                                       "region align",
                                                       "grid sample",
                                                       "global pool",
                                                       "depth to space",
                                                       "space to depth",
                                                       "determinant",
                                                       "gather nd",
                                                       "top k",
                                                       "multinomial",
                                                       "window function",
                                                       "mel weights",
                                                       "short-time fourier",
                                                       "batch normalization",
                                                       "recurrence",
                                                       "contraction",
                                                       "loss",
                                                       "ngrams",
                                                       "integer product",
                                                       "linear product",
                                                       "mat mul",
                                                       "gemm",
                                                       "packed mat mul",
                                                       "mat mul to float",
                                                       "layer normalization",
                                                       "skip normalization",
                                                       "embed normalization",
                                                       "attention",
                                                       "quantized attention",
                                                       "multi head attention",
                                                       "group query attention",
                                                       "standard attention",
                                                       "gather quantized",
                                                       "label encoder",
                                                       "regressor",
                                                       "classifier",
                                                       "feature vectorizer",
                                                       "one hot encoder",
                                                       "array feature extractor"};
  return nameOf(kNames, kind);
}

std::string_view workKindName(WorkKind kind) {
  constexpr std::array<std::string_view, 17> kNames = {"elements",
                                                       "convolution",
                                                       "convolution, channels last",
                                                       "convolution, numbered dimensions",
                                                       "transposed convolution",
                                                       "transposed convolution, channels last",
                                                       "dense",
                                                       "gemm",
                                                       "product",
                                                       "packed product",
                                                       "recurrence",
                                                       "recurrence, weights apart",
                                                       "attention",
                                                       "contraction",
                                                       "contraction, numbered dimensions",
                                                       "pooling",
                                                       "body"};
  return nameOf(kNames, kind);
}

std::string_view inPlaceName(InPlace kind) {
  constexpr std::array<std::string_view, 5> kNames = {"", "data", "any input", "data, same width",
                                                      "data, when depthwise"};
  return nameOf(kNames, kind);
}

std::string_view viewFamilyName(ViewFamily kind) {
  constexpr std::array<std::string_view, 4> kNames = {"", "reshape", "concat", "split"};
  return nameOf(kNames, kind);
}

}  // namespace hw
