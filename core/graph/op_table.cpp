#include "core/graph/op_table.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/text.h"
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
  for (const auto part : {firstStandardOps(), moreStandardOps(), runtimeOps()}) {
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

/// The row of a TFLite operator that means the same, attributes and operands included. Those whose
/// weights or axes lie elsewhere have none.
const OpInfo* findUnder(std::string_view tfliteName) {
  const OpInfo* info = findTfliteOp(tfliteName);
  if (info == nullptr) return nullptr;
  const bool sameView = info->view == ViewFamily::none || info->view == ViewFamily::reshape;
  const bool sameWork = info->work == WorkKind::elements || tfliteName == "CONV_2D" ||
                        tfliteName == "FULLY_CONNECTED";
  return sameView && sameWork ? info : nullptr;
}

}  // namespace

std::span<const OpInfo> opTable() {
  static const std::vector<OpInfo> kTable = joined();
  return kTable;
}

const OpInfo* findOp(std::string_view type, std::string_view domain) {
  if (domain == "tflite") return findUnder(type);
  if (const OpInfo* info = findIn(rowsOf(domain), type)) return info;
  return domain.empty() ? findIn(rowsOf("com.microsoft"), type) : nullptr;
}

const OpInfo* findTfliteOp(std::string_view name) {
  for (const OpInfo& info : opTable()) {
    for (const std::string_view word : splitText(info.tflite, ' ')) {
      if (!name.empty() && word == name) return &info;
    }
  }
  return nullptr;
}

std::string_view shapeKindName(ShapeKind kind) {
  constexpr std::array<std::string_view, 64> kNames = {"ONNX library",
                                                       "only if the file says",
                                                       "as input 0",
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
                                                       "global pool",
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
  constexpr std::array<std::string_view, 11> kNames = {
      "elements",   "convolution", "transposed convolution",
      "gemm",       "product",     "packed product",
      "recurrence", "attention",   "contraction",
      "pooling",    "body"};
  return nameOf(kNames, kind);
}

std::string_view inPlaceName(InPlace kind) {
  constexpr std::array<std::string_view, 5> kNames = {
      "", "input 0", "any input", "input 0, same width", "input 0, when depthwise"};
  return nameOf(kNames, kind);
}

std::string_view viewFamilyName(ViewFamily kind) {
  constexpr std::array<std::string_view, 4> kNames = {"", "reshape", "concat", "split"};
  return nameOf(kNames, kind);
}

}  // namespace hw
