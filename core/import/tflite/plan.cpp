#include "core/import/tflite/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace hw {
namespace {

constexpr std::string_view kName = "OfflineMemoryAllocation";
constexpr std::size_t kHeader = 3;

std::int32_t wordAt(std::string_view bytes, std::size_t index) {
  std::int32_t word = 0;
  std::memcpy(&word, bytes.data() + index * sizeof(word), sizeof(word));
  return word;
}

}  // namespace

TfliteOfflinePlan readOfflinePlan(const TfliteFile& file, std::size_t subgraph) {
  TfliteOfflinePlan plan;
  const auto buffer = file.metadata(kName);
  if (!buffer || subgraph != 0) return plan;
  const auto refuse = [&](const std::string& why) {
    plan.notes.push_back(fmt::format("the plan in the file ({}) is left out: {}", kName, why));
    return plan;
  };
  const std::string_view bytes = file.bufferBytes(*buffer);
  const std::size_t words = bytes.size() / sizeof(std::int32_t);
  if (words < kHeader) return refuse("it is cut short");
  const std::size_t tensors = file.subgraph(subgraph).tensors.size();
  const std::int32_t count = wordAt(bytes, 2);
  if (count < 0 || static_cast<std::size_t>(count) > words - kHeader) {
    return refuse(fmt::format("it lists {} tensors and holds {}", count, words - kHeader));
  }
  if (static_cast<std::size_t>(count) > tensors) {
    return refuse(fmt::format("it is for {} tensors; the model has {}", count, tensors));
  }
  plan.offsets.resize(tensors);
  std::size_t given = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::int32_t offset = wordAt(bytes, kHeader + i);
    if (offset < 0) continue;
    plan.offsets[i] = Bytes(offset);
    ++given;
  }
  plan.notes.push_back(fmt::format(
      "the file brings a plan of its own with {} offsets; --allocator embedded follows it", given));
  return plan;
}

}  // namespace hw
