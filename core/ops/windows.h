#pragma once

#include "core/ops/op_facts.h"

namespace hw {

/// A window along one axis and its steps.
struct Window {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t padBefore = 0;
  std::int64_t padAfter = 0;

  std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
};

/// The windows of an op and its padding, axis by axis.
struct Windows {
  std::vector<Window> axes{};
  std::string padding{};  ///< NOTSET, VALID, SAME_UPPER, SAME_LOWER.

  bool isSame() const { return padding.starts_with("SAME"); }
};

/// Images are (N, C, places …), or (N, places …, C).
std::size_t firstPlace(const OpFacts& facts);
std::size_t channelAxis(const OpFacts& facts);

/// The list `name` of an op, one entry a spatial axis; `fallback` where the op has none.
std::vector<std::int64_t> spatialList(const OpFacts& facts, const char* name, std::size_t count,
                                      std::int64_t fallback);

/// The windows over the spatial axes of input 0; nothing when the attributes do not fit it. The
/// kernel is that of `weight`, where there is one. Pads that follow from sizes are 0: see
/// `padBefore`.
std::optional<Windows> windowsOf(const OpFacts& facts, const Shape* weight);

/// The padding before the first element of a window over `from` elements that makes `to` of them.
std::int64_t padBefore(const Windows& windows, const Window& window, std::int64_t from,
                       std::int64_t to);

/// Beyond this, sums and products of a few numbers might leave 64 bits.
inline bool isReasonable(std::int64_t number) {
  return number >= 0 && number <= std::int64_t{1} << 30U;
}

}  // namespace hw
