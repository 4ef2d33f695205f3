#include <algorithm>
#include <limits>

#include "core/import/tflite_rules.h"

namespace hw {
namespace {

bool bit(std::int64_t mask, std::size_t index) { return index < 63 && ((mask >> index) & 1) != 0; }

/// begin, end and step of one axis after masks and clamping, as Python's slices work.
std::optional<SliceRange> cutAxis(std::int64_t size, std::optional<std::int64_t> begin,
                                  std::optional<std::int64_t> end, std::int64_t step) {
  if (step == 0 || step == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  const std::int64_t least = step > 0 ? 0 : -1;
  const std::int64_t most = step > 0 ? size : size - 1;
  const auto place = [&](std::int64_t at) {
    return std::clamp(at < 0 ? at + size : at, least, most);
  };
  const std::int64_t first = begin ? place(*begin) : (step > 0 ? 0 : size - 1);
  const std::int64_t last = end ? place(*end) : (step > 0 ? size : -1);
  const std::int64_t way = step > 0 ? last - first : first - last;
  const std::int64_t stride = step > 0 ? step : -step;
  return SliceRange{first, step, way <= 0 ? 0 : (way - 1) / stride + 1};
}

}  // namespace

std::optional<StridedCut> stridedCut(const OpFacts& facts) {
  const Shape* input = facts.shape(0);
  const auto begin = integersOf(facts, 1);
  const auto end = integersOf(facts, 2);
  const auto step = integersOf(facts, 3);
  if (input == nullptr || !begin || !end || !step) return std::nullopt;
  const std::size_t given = begin->size();
  if (end->size() != given || step->size() != given || given > 62) return std::nullopt;
  const auto mask = [&](const char* name) { return facts.op.intAttribute(name, 0); };
  const std::int64_t news = mask("new_axis_mask");
  const std::int64_t ellipsis = mask("ellipsis_mask");
  std::size_t taken = 0;  // Axes of the input that the other entries speak of.
  for (std::size_t i = 0; i < given; ++i) taken += bit(news, i) || bit(ellipsis, i) ? 0 : 1;
  if (taken > input->size()) return std::nullopt;
  StridedCut cut;
  const auto keep = [&] {
    const std::int64_t size = (*input)[cut.ranges.size()];
    cut.ranges.push_back({0, 1, size});
    cut.shape.push_back(size);
  };
  bool spread = false;
  for (std::size_t i = 0; i < given; ++i) {
    if (bit(ellipsis, i)) {
      if (spread) return std::nullopt;
      spread = true;
      for (std::size_t left = input->size() - taken; left > 0; --left) keep();
      continue;
    }
    if (bit(news, i)) {
      cut.shape.push_back(1);
      continue;
    }
    const std::int64_t size = (*input)[cut.ranges.size()];
    std::int64_t first = (*begin)[i];
    if (bit(mask("shrink_axis_mask"), i)) {
      if (first < 0) first += size;
      if (first < 0 || first >= size) return std::nullopt;
      cut.ranges.push_back({first, 1, 1});
      continue;
    }
    std::optional<std::int64_t> last = (*end)[i];
    if (mask("offset") != 0) last = checkedAdd(first, *last);
    if (!last) return std::nullopt;
    const auto range =
        cutAxis(size, bit(mask("begin_mask"), i) ? std::nullopt : std::optional(first),
                bit(mask("end_mask"), i) ? std::nullopt : last, (*step)[i]);
    if (!range) return std::nullopt;
    cut.ranges.push_back(*range);
    cut.shape.push_back(range->count);
  }
  while (cut.ranges.size() < input->size()) keep();
  return cut;
}

}  // namespace hw
