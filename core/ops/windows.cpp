#include "core/ops/windows.h"

#include <algorithm>

namespace hw {
namespace {

bool channelsLast(const OpFacts& facts) { return facts.op.intAttribute("channels_last", 0) != 0; }

}  // namespace

std::size_t firstPlace(const OpFacts& facts) { return channelsLast(facts) ? 1 : 2; }
std::size_t channelAxis(const OpFacts& facts) {
  return channelsLast(facts) ? facts.shape(0)->size() - 1 : 1;
}

std::vector<std::int64_t> spatialList(const OpFacts& facts, const char* name, std::size_t count,
                                      std::int64_t fallback) {
  std::vector<std::int64_t> list = facts.op.intsAttribute(name);
  if (list.empty()) list.assign(count, fallback);
  return list;
}

std::optional<Windows> windowsOf(const OpFacts& facts, const Shape* weight) {
  const Shape* input = facts.shape(0);
  if (input == nullptr || input->size() < 3) return std::nullopt;
  const std::size_t count = input->size() - 2;
  std::vector<std::int64_t> kernel = facts.op.intsAttribute("kernel_shape");
  if (weight != nullptr) {
    if (weight->size() != input->size()) return std::nullopt;
    if (kernel.empty()) {
      const auto first = weight->begin() + static_cast<std::ptrdiff_t>(firstPlace(facts));
      kernel.assign(first, first + static_cast<std::ptrdiff_t>(count));
    }
  }
  const auto strides = spatialList(facts, "strides", count, 1);
  const auto dilations = spatialList(facts, "dilations", count, 1);
  const auto pads = spatialList(facts, "pads", 2 * count, 0);
  if (kernel.size() != count || strides.size() != count || dilations.size() != count ||
      pads.size() != 2 * count) {
    return std::nullopt;
  }
  Windows windows{.padding = facts.op.stringAttribute("auto_pad", "NOTSET")};
  const bool padded = windows.padding == "NOTSET" || windows.padding.empty();
  for (std::size_t i = 0; i < count; ++i) {
    const Window window{.kernel = kernel[i],
                        .stride = strides[i],
                        .dilation = dilations[i],
                        .padBefore = padded ? pads[i] : 0,
                        .padAfter = padded ? pads[i + count] : 0};
    const std::vector<std::int64_t> numbers = {window.kernel - 1,
                                               window.stride - 1,
                                               window.dilation - 1,
                                               window.padBefore + (std::int64_t{1} << 20U),
                                               window.padAfter + (std::int64_t{1} << 20U),
                                               (*input)[firstPlace(facts) + i]};
    if (!std::ranges::all_of(numbers, isReasonable)) return std::nullopt;
    windows.axes.push_back(window);
  }
  return windows;
}

std::int64_t padBefore(const Windows& windows, const Window& window, std::int64_t from,
                       std::int64_t to) {
  if (!windows.isSame()) return window.padBefore;
  const std::int64_t both =
      std::max<std::int64_t>((to - 1) * window.stride + window.reach() - from, 0);
  return windows.padding == "SAME_LOWER" ? both - both / 2 : both / 2;
}

}  // namespace hw
