#include "core/import/tflite/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace hw {
namespace {

constexpr std::string_view kName = "OfflineMemoryAllocation";
constexpr std::size_t kHeader = 3;

std::int32_t wordAt(std::string_view bytes, std::size_t index) {
  std::int32_t word = 0;
  std::memcpy(&word, bytes.data() + index * sizeof(word), sizeof(word));
  return word;
}

/// Tensors of each subgraph that a plan of `count` is for: all of them where it is for more than
/// the first one has. The others are unpacked only then.
std::vector<std::size_t> sizesOf(const TfliteFile& file, std::size_t count) {
  std::vector<std::size_t> sizes = {file.subgraph(0).tensors.size()};
  for (std::size_t i = 1; i < file.subgraphCount() && count > sizes.front(); ++i) {
    sizes.push_back(file.subgraph(i).tensors.size());
  }
  return sizes;
}

}  // namespace

TfliteOfflinePlan readOfflinePlan(const TfliteFile& file, std::size_t subgraph) {
  TfliteOfflinePlan plan;
  const auto buffer = file.metadata(kName);
  if (!buffer) return plan;
  const auto refuse = [&](const std::string& why) {
    plan.notes.push_back(fmt::format("the plan in the file ({}) is left out: {}", kName, why));
    return plan;
  };
  const std::string_view bytes = file.bufferBytes(*buffer);
  const std::size_t words = bytes.size() / sizeof(std::int32_t);
  if (words < kHeader) return refuse("it is cut short");
  const std::int32_t count = wordAt(bytes, 2);
  if (count < 0 || static_cast<std::size_t>(count) > words - kHeader) {
    return refuse(fmt::format("it lists {} tensors and holds {}", count, words - kHeader));
  }
  const std::vector<std::size_t> sizes = sizesOf(file, static_cast<std::size_t>(count));
  const std::size_t tensors = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  const bool fewer = sizes.size() == 1;
  if (fewer ? static_cast<std::size_t>(count) > tensors
            : static_cast<std::size_t>(count) != tensors) {
    return refuse(fmt::format("it is for {} tensors; the model has {}", count, tensors));
  }
  std::size_t next = 0;
  for (const std::size_t size : sizes) {
    auto& offsets = plan.offsets.emplace_back(size);
    for (std::size_t i = 0; i < size && next < static_cast<std::size_t>(count); ++i, ++next) {
      const std::int32_t offset = wordAt(bytes, kHeader + next);
      if (offset >= 0) offsets[i] = Bytes(offset);
    }
  }
  if (subgraph >= plan.offsets.size()) return plan;
  const auto given = std::ranges::count_if(plan.offsets[subgraph],
                                           [](const auto& offset) { return offset.has_value(); });
  if (given == 0 && subgraph > 0) return plan;
  plan.notes.push_back(fmt::format(
      "the file brings a plan of its own with {} offsets; --allocator embedded follows it", given));
  return plan;
}

}  // namespace hw
