#include "core/allocators/catalog.h"

#include <fmt/format.h>

#include "core/allocators/allocators.h"
#include "core/allocators/plugin.h"
#include "core/base/text.h"

namespace hw {

namespace {

/// The parameter of a way of planning: any allocator of `catalog`.
ParamSpec nestedParam(std::span<const AllocatorInfo> catalog) {
  static std::vector<std::string_view> names;
  for (const AllocatorInfo& info : catalog) {
    if (info.way == Way::direct) names.push_back(info.name);
  }
  return {.name = "allocator",
          .type = ParamType::choice,
          .summary = "places the blocks on each device, and what shares a block inside it",
          .fallback = "free-list",
          .choices = names};
}

std::vector<AllocatorInfo> makeCatalog() {
  std::vector<AllocatorInfo> catalog = {
      {.name = "best",
       .summary = "the lowest plan in the time there is: skyline packings, the greedy family, then "
                  "the exact search, each from where the one before ended; for=latency: the "
                  "fastest within the capacity; for=penalty: the one that pays least for reuse",
       .source = "ours: fast, what is live at the fullest steps first, the greedy family and exact",
       .complexity = "O(n log n) where a first packing meets the bound; limited by its budgets",
       .overlaps = true,
       .isSearch = true,
       .params = bestParams(),
       .make = makeBest},
      {.name = "greedy-by-size",
       .summary = "offline: largest first, each into the tightest gap that fits",
       .source = "Pisarchyk and Lee 2020; arena planners of TensorFlow Lite (best fit) and "
                 "TensorFlow Lite Micro (first fit)",
       .complexity = "O(n (log n + k log k)), k live together",
       .overlaps = true,
       .params = greedyBySizeParams(),
       .make = makeGreedyBySize},
      {.name = "free-list",
       .summary = "online: free blocks are reused, split, extended and merged; L2 first, then L3",
       .source = "patent text on managing neural-network memory with free blocks, L2 and L3",
       .complexity = "O(n log n)",
       .choosesPools = true,
       .params = freeListParams(),
       .make = makeFreeList},
      {.name = "block-id",
       .summary = "online: whole blocks are reused by identifier and grow to their largest tenant",
       .source = "EP3819772 / US 12026604",
       .complexity = "O(n log n); pick=best O(n x idle blocks)",
       .plansInputs = false,
       .params = blockIdParams(),
       .make = makeBlockIds},
      {.name = "caching",
       .summary =
           "online: best fit among the blocks of segments that the device gave; segments are "
           "never merged or given back",
       .source = "PyTorch's caching allocator for CUDA (2.x), one stream",
       .complexity = "O(n x blocks)",
       .choosesPools = true,
       .granule = Bytes(512),
       .params = cachingParams(),
       .make = makeCaching},
      {.name = "two-sided",
       .summary = "offline: from the last layer to the first, two stacks back to back",
       .source = "CN112256441B, with the largest id over both stacks as current tensor: following "
                 "the stack tops overlaps on skip connections",
       .complexity = "O(n log n) and the depth of the stacks",
       .params = twoSidedParams(),
       .make = makeTwoSided},
      {.name = "partition",
       .summary = "by device: a block per execution unit, freed by use counts; any other allocator "
                  "places the blocks",
       .source = "CN114816752A",
       .complexity = "that of the nested allocator",
       .way = Way::perDevice},
      {.name = "placement-search",
       .summary = "search: placement sequences by priority, alternatives stacked and pruned",
       .source = "US 11609851 / FR 2004337",
       .complexity = "exponential; limited by its budgets",
       .overlays = true,
       .isSearch = true,
       .params = placementSearchParams(),
       .make = makePlacementSearch},
      {.name = "greedy-by-breadth",
       .summary = "offline: fullest steps first, largest first within a step, tightest gap",
       .source = "Pisarchyk and Lee 2020; TensorFlow Lite GPU",
       .complexity = "O(n (log n + k log k)), k live together",
       .overlaps = true,
       .make = makeGreedyByBreadth},
      {.name = "shared-objects",
       .summary = "offline: tensors take turns in objects as large as their largest tenant",
       .source = "Pisarchyk and Lee 2020; TensorFlow Lite GPU",
       .complexity = "O(n x objects)",
       .params = sharedObjectsParams(),
       .make = makeSharedObjects},
      {.name = "in-order",
       .summary = "offline: as produced, each into the tightest gap that fits",
       .source = "ONNX Runtime's memory pattern planner",
       .complexity = "O(n (log n + k log k)), k live together",
       .overlaps = true,
       .params = fitParams(),
       .make = makeInOrder},
      {.name = "idle-longest",
       .summary = "offline: as produced, each in the bytes that have been idle longest, as high as "
                  "the capacity allows: what runs side by side waits less for reused bytes",
       .source = "ours; the mirror image of a free list that takes what was released last",
       .complexity = "O(n x pieces)",
       .make = makeIdleLongest},
      {.name = "hill-climb",
       .summary = "search: an order by live bytes, improved by swaps of what carries the peak",
       .source = "Vela's hill climb allocator (Arm Ethos-U)",
       .complexity = "O(n log n) a try; limited by tries and seconds",
       .overlaps = true,
       .isSearch = true,
       .params = orderClimbParams(),
       .make = makeHillClimb},
      {.name = "stacked",
       .summary = "offline: largest first, each on top of its highest neighbour; gaps are not used",
       .source = "Apache TVM's unified static memory planner (greedy by size, by conflicts)",
       .complexity = "O(n (log n + k log k)), k live together",
       .overlaps = true,
       .params = stackedParams(),
       .make = makeStacked},
      {.name = "annealed-stack",
       .summary = "search: stacked, its order improved by annealed swaps",
       .source = "Apache TVM's unified static memory planner (hill climb)",
       .complexity = "O(n log n) a try; limited by tries and seconds",
       .overlaps = true,
       .isSearch = true,
       .params = orderClimbParams(),
       .make = makeAnnealedStack},
      {.name = "size-length",
       .summary =
           "offline: orders by size, length and size x length, tightest gap; the best is kept",
       .source = "XLA's heap simulator, global decreasing size best fit",
       .complexity = "O(n (log n + k log k)), k live together, for each order",
       .overlaps = true,
       .make = makeSizeLength},
      {.name = "exact",
       .summary = "search: the lowest plan there is, or whether a capacity suffices, with proof",
       .source = "docs/solver.md; canonical depth-first search after MiniMalloc (Moffitt 2023)",
       .complexity = "exponential; limited by nodes and seconds",
       .overlaps = true,
       .isSearch = true,
       .params = exactParams(),
       .make = makeExact},
      {.name = "keep-best",
       .summary = "offline: runs greedy-by-size, greedy-by-breadth, in-order and size-length and "
                  "keeps the best",
       .source = "ExecuTorch's memory planning suite",
       .complexity = "the sum of theirs",
       .overlaps = true,
       .make = makeKeepBest},
      {.name = "fast",
       .summary = "offline and search: valleys of the skyline are filled by priority; priorities "
                  "are improved at the peak while the budget lasts",
       .source = "ours: skyline packing with fixed times, squeaky wheel optimisation",
       .complexity = "O(n log n) a packing; limited by moves and seconds",
       .isSearch = true,
       .params = fastParams(),
       .make = makeFast},
      {.name = "embedded",
       .summary = "the plan that came with the model; what it leaves open, largest first around it",
       .source = "offline planned tensor allocations of TensorFlow Lite Micro; Vela (Arm Ethos-U)",
       .complexity = "O(n (log n + k log k)), k live together",
       .params = greedyBySizeParams(),
       .way = Way::embedded},
      {.name = "none",
       .summary = "no reuse: every buffer has bytes of its own",
       .source = "the baseline every planner is measured against",
       .complexity = "O(n)",
       .make = makeNoReuse},
  };
  static const ParamSpec kPartition[] = {nestedParam(catalog)};
  for (AllocatorInfo& info : catalog) {
    if (info.way == Way::perDevice) info.params = kPartition;
  }
  return catalog;
}

}  // namespace

std::span<const AllocatorInfo> allocatorCatalog() {
  static const std::vector<AllocatorInfo> kCatalog = makeCatalog();
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
  if (trimText(text.substr(0, colon)) == "plugin" && colon != std::string_view::npos) {
    return pluginChoice(std::string(text.substr(colon + 1)));
  }
  HW_TRY(info, findAllocator(trimText(text.substr(0, colon))));
  AllocatorChoice choice{.info = info};
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

AllocatorChoice AllocatorChoice::placer() const {
  if (info->way == Way::direct) return *this;
  // Stays around the model's own plan are placed largest first, with the same parameters.
  if (info->way == Way::embedded) return {*findAllocator("greedy-by-size"), params};
  return {*findAllocator(params.text(info->params.front()))};
}

std::unique_ptr<Allocator> AllocatorChoice::make() const {
  const AllocatorChoice own = placer();
  return own.info->make(own.params);
}

bool AllocatorChoice::aimsAt(std::string_view aim) const {
  const auto own = params.values().find("for");
  return own != params.values().end() && own->second == ParamValue(std::string(aim));
}

std::string AllocatorChoice::text() const {
  if (info->name == "plugin") return "plugin:" + paramText(params.values().at("file"));
  return choiceText(info->name, params);
}

Result<std::vector<AllocatorChoice>> parseAllocators(std::string_view list) {
  if (list.empty() || list == "all") return std::vector<AllocatorChoice>();
  std::vector<std::string> texts;
  for (const std::string_view part : splitText(list, ',')) {
    const bool parameter =
        part.find('=') < part.find(':') && part.find('=') != std::string_view::npos;
    if (parameter && !texts.empty()) {
      texts.back() += "," + std::string(part);
    } else {
      texts.emplace_back(part);
    }
  }
  std::vector<AllocatorChoice> parsed;
  for (const std::string& text : texts) {
    HW_TRY(choice, AllocatorChoice::parse(text));
    parsed.push_back(std::move(choice));
  }
  return parsed;
}

}  // namespace hw
