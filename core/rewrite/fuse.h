#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace hw {

/// Operators of a file that runtimes run as one.
struct Fusions {
  /// An operator between DequantizeLinear and QuantizeLinear works on the quantised tensors.
  bool quantized = false;
  bool pads = false;         ///< Pad with a constant is part of the convolution behind it.
  bool activations = false;  ///< An activation is part of the operator before it.
  bool pools = false;        ///< Pooling by windows is part of the convolution before it.

  friend bool operator==(const Fusions&, const Fusions&) = default;
};

/// Fusions by name, those of a runtime and others; the first is the default.
struct FusionInfo {
  std::string_view name{};
  Fusions fusions{};
};
std::span<const FusionInfo> fusionCatalog();

/// A list of names of the catalogue, which add up. Errors name what is none and say what there is.
Result<Fusions> parseFusions(std::string_view text);
/// The shortest text that `parseFusions` turns into the same again.
std::string fusionsText(const Fusions& fusions);

/// `graph` in which operators are fused where nobody else reads what lies between them, with a note
/// that counts them; `graph` itself where there is nothing to fuse, or where it was made of another
/// one. A fused operator keeps the name, the type and the attributes of the one that multiplies,
/// adds or moves; scales and zero points are no operands of it. Values of constants are not known
/// here: a Pad before a convolution is taken to pad with zeros. TFLite's QUANTIZE and DEQUANTIZE,
/// which its runtimes run as they are, stay. O(n).
Result<std::shared_ptr<const Graph>> fused(std::shared_ptr<const Graph> graph,
                                           const Fusions& fusions);

}  // namespace hw
