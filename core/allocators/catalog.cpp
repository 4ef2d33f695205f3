#include "core/allocators/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/allocators/allocators.h"
#include "core/base/text.h"

namespace hw {

std::span<const AllocatorInfo> allocatorCatalog() {
  static const AllocatorInfo kCatalog[] = {
      {.name = "greedy-by-size",
       .summary = "offline: largest first, each into the smallest gap that fits",
       .source = "Pisarchyk and Lee 2020; TensorFlow Lite's arena planner",
       .complexity = "O(n (log n + neighbours))",
       .make = makeGreedyBySize},
      {.name = "free-list",
       .summary = "online: free blocks are reused, split, extended and merged; L2 first, then L3",
       .source = "patent text on managing neural-network memory with free blocks (METHODS 4)",
       .complexity = "O(n log n)",
       .choosesPools = true,
       .params = freeListParams(),
       .make = makeFreeList},
      {.name = "none",
       .summary = "no reuse: every buffer has bytes of its own",
       .source = "the baseline every planner is measured against",
       .complexity = "O(n)",
       .make = makeNoReuse},
  };
  return kCatalog;
}

Result<const AllocatorInfo*> findAllocator(std::string_view name) {
  std::vector<std::string> names;
  for (const AllocatorInfo& info : allocatorCatalog()) {
    if (info.name == name) return &info;
    names.emplace_back(info.name);
  }
  const auto closest = closestWord(name, names);
  return fail(ErrorCode::invalidArgument,
              fmt::format("there is no allocator '{}'{}", printable(name),
                          closest ? fmt::format("; did you mean '{}'?", *closest)
                                  : "; 'highwater list allocators' names them"));
}

Result<AllocatorChoice> AllocatorChoice::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto info = findAllocator(trimText(text.substr(0, colon)));
  if (!info) return tl::unexpected(info.error());
  AllocatorChoice choice{.info = *info};
  if (colon == std::string_view::npos) return choice;
  auto params = Params::parse(text.substr(colon + 1), choice.info->params);
  if (!params) {
    Error error = params.error();
    error.message = fmt::format("allocator '{}': {}", choice.info->name, error.message);
    return tl::unexpected(error);
  }
  choice.params = std::move(*params);
  return choice;
}

std::string AllocatorChoice::text() const {
  std::string written(info->name);
  char separator = ':';
  for (const auto& [key, value] : params.values()) {
    written += fmt::format("{}{}={}", separator, key, value);
    separator = ',';
  }
  return written;
}

}  // namespace hw
