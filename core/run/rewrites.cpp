#include "core/run/rewrites.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/machine/platforms.h"
#include "core/ops/row_walk.h"
#include "core/order/least_peak.h"
#include "core/plan/overlap_use.h"
#include "core/rewrite/batches.h"
#include "core/rewrite/set_aside.h"
#include "core/run/overlaid.h"
#include "core/run/planner.h"
#include "core/tile/tile.h"

namespace hw {
namespace {

Result<Program> reorder(Program program, const Rewriting& rewriting) {
  const Graph& graph = *program.graph;
  const RunRequest& request = rewriting.request;
  if (request.order != OpOrder::given && !graph.ops.empty()) {
    FoundOrder found = orderOf(graph, request.order, rewriting.sharing, rewriting.stop);
    program.schedule = std::move(found.schedule);
    program.order = found.account;
  }
  HW_TRY(schedule, movedOrder(graph, request.moves, std::move(program.schedule)));
  program.schedule = std::move(schedule);
  return program;
}

/// The op's output may lie so near its input, by rows, that it takes fewer bytes than scratch.
bool overlapsNearer(const Graph& graph, const Op& op, const RunRequest& request) {
  const auto scratch = channelScratch(graph, op);
  const auto walk = rowWalkOf(graph, op);
  const auto& units = request.platform.devices.front().units;
  const auto unit = std::ranges::find_if(
      units, [&](const UnitSpec& each) { return coversOp(each.ops, op.type); });
  if (!scratch || !walk || unit == units.end()) return false;
  const RowDistances least = rowDistances(*walk);
  return (unit->kernels.forward && least.up < *scratch) ||
         (unit->kernels.reverse && least.down < *scratch);
}

/// First of all: what comes behind it need not know that the model said otherwise.
Result<Program> relay(Program program, const Rewriting& rewriting) {
  if (!rewriting.request.channelsLast || !rewriting.rewrites()) return program;
  HW_TRY(relaid, channelsLast(program.graph));
  if (relaid.graph != program.graph) program.schedule = givenOrder(*relaid.graph);
  program.graph = std::move(relaid.graph);
  program.layout = std::move(relaid.account);
  return program;
}

/// The value of that key that is kept for other runs, where any is, or one that is made now.
template <class Value>
Result<std::shared_ptr<const Value>> keptOrMade(MadeOnce<Value>* kept, const std::string& key,
                                                const std::function<Result<Value>()>& make) {
  if (kept != nullptr) return kept->get(key, make);
  HW_TRY(made, make());
  return std::make_shared<const Value>(std::move(made));
}

/// Early, so that all that looks for fewer bytes knows what work in place costs.
Result<Program> setAside(Program program, const Rewriting& rewriting) {
  const RunRequest& request = rewriting.request;
  if (!rewriting.sharing.alias.inPlace || !rewriting.rewrites()) return program;
  const bool whole =
      request.tile == TileRule::off && request.inputs != InputPlace::rows && !request.recompute;
  const bool overlaps = request.overlap && request.allocator.info->overlaps && whole;
  const std::shared_ptr<const Graph> graph = program.graph;
  const auto make = [&]() -> Result<WithScratch> {
    HW_TRY(set, scratchSetAside(graph, [&](OpId op) {
             return !overlaps || !overlapsNearer(*graph, graph->ops[op], request);
           }));
    return WithScratch{graph, std::move(set)};
  };
  CommonWork* common = rewriting.common;
  const std::string key = fmt::format("{} {}", static_cast<const void*>(graph.get()),
                                      overlaps ? platformText(request.platform) : "");
  HW_TRY(set, keptOrMade<WithScratch>(common ? &common->scratched() : nullptr, key, make));
  program.graph = set->made;
  return program;
}

/// The text that tells a program and its sharing of storage from others, as long as it is there.
std::string programKey(const Program& program, const StorageOptions& sharing) {
  std::string key = fmt::format("{} {} {} {} {}", static_cast<const void*>(program.graph.get()),
                                sharing.planInputs, sharing.planOutputs, sharing.alignment.count(),
                                aliasText(sharing.alias));
  for (const OpId op : program.schedule.order) key += fmt::format(" {}", op.index());
  return key;
}

Result<Program> repeat(Program program, const Rewriting& rewriting) {
  const RunRequest& request = rewriting.request;
  if (!request.recompute || !rewriting.rewrites()) return program;
  const StorageOptions& sharing = rewriting.sharing;
  const auto make = [&]() -> Result<Repeated> {
    HW_TRY(made,
           recomputed(program.graph, program.schedule, sharing, request.extraWork, rewriting.stop));
    return Repeated{program.graph, std::move(made)};
  };
  CommonWork* common = rewriting.common;
  const std::string key = fmt::format("{} {}", request.extraWork, programKey(program, sharing));
  HW_TRY(repeats, keptOrMade<Repeated>(common ? &common->repeats() : nullptr, key, make));
  program.graph = repeats->made.graph;
  program.schedule = repeats->made.schedule;
  program.repeats = repeats->made.account;
  return program;
}

/// The work that parts may do more than once, as a share of that of a program some of whose ops run
/// again already.
double extraWorkLeft(const RunRequest& request, const Program& program) {
  if (!program.repeats || program.repeats->work <= 0) return request.extraWork;
  const auto work = static_cast<double>(program.repeats->work);
  const auto done = static_cast<double>(program.repeats->extra);
  return std::max(0.0, request.extraWork * work - done) / (work + done);
}

/// A search may outlive the request, and so this may.
OverlapFinder overlapFinder(const DeviceSpec& device, Bytes alignment) {
  return [device, alignment](const Graph& graph, const Schedule& schedule, const Storage& storage) {
    Problem problem = makeProblem(graph, schedule, storage, alignment);
    problem.overlaps = permittedOverlaps(graph, schedule, storage, device, alignment);
    OverlapFacts facts{.bound = lowerBound(problem)};
    facts.saved.assign(schedule.order.size(), Bytes());
    for (const Overlap& overlap : problem.overlaps) {
      if (overlap.parts) continue;
      const auto step = static_cast<std::size_t>(problem.shared(overlap).begin.count());
      facts.saved[step] += mostShared(problem, overlap);
    }
    return facts;
  };
}

Result<Program> tile(Program program, const Rewriting& rewriting) {
  const RunRequest& request = rewriting.request;
  const bool rows = request.inputs == InputPlace::rows;
  if ((request.tile == TileRule::off && !rows) || !rewriting.rewrites()) return program;
  const bool overlaps = request.overlap && request.allocator.info->overlaps;
  TileSettings settings{
      .rule = request.tile, .arriving = rows, .extraWork = extraWorkLeft(request, program)};
  if (overlaps) {
    settings.overlaps =
        overlapFinder(request.platform.devices.front(), rewriting.sharing.alignment);
  }
  // One search serves programs with work in place and without.
  StorageOptions views = rewriting.sharing;
  views.alias.inPlace = false;
  const auto make = [&]() -> Result<TileSearch> {
    return TileSearch(program.graph, program.schedule, views, settings);
  };
  CommonWork* common = rewriting.common;
  const std::string key =
      fmt::format("{} {} {} {} {}", tileRuleName(settings.rule), rows, settings.extraWork,
                  programKey(program, views), overlaps ? platformText(request.platform) : "");
  HW_TRY(search, keptOrMade<TileSearch>(common ? &common->tilings() : nullptr, key, make));
  HW_TRY(ways, search->ways({request.tileTo, rewriting.sharing.alias.inPlace}, rewriting.stop,
                            common ? &common->workers() : nullptr));
  // A narrower rule has one plan, as it always had. With overlaps their order hangs on the
  // platform, which is not known where a plan is read: then there are all.
  if (request.tile != TileRule::any && !overlaps) ways.resize(1);
  std::vector<Program> programs;
  for (TiledProgram& way : ways) {
    Program& inParts = programs.emplace_back(program);
    inParts.graph = std::move(way.graph);
    inParts.schedule = std::move(way.schedule);
    inParts.tiles = std::move(way.account);
    inParts.storage = std::move(way.storage);
  }
  Program first = std::move(programs.front());
  first.otherWays.assign(std::move_iterator(programs.begin() + 1),
                         std::move_iterator(programs.end()));
  return first;
}

/// Last of all: what comes before it looks at one inference.
Result<Program> batch(Program program, const Rewriting& rewriting) {
  if (rewriting.request.batches == 1 || !repeatsInBatches(rewriting.shape)) return program;
  const auto count = static_cast<std::size_t>(rewriting.request.batches);
  const auto repeat = [&](Program& one) -> Result<void> {
    HW_TRY(made, inBatches(one.graph, one.schedule, count));
    one.graph = std::make_shared<const Graph>(std::move(made));
    one.schedule = givenOrder(*one.graph);
    one.storage = nullptr;
    return {};
  };
  HW_DO(repeat(program));
  for (Program& other : program.otherWays) HW_DO(repeat(other));
  return program;
}

std::string batchNote(const RunRequest& asked, const Program& program) {
  if (asked.batches == 1) return {};
  const std::size_t batches = batchesOf(*program.graph);
  if (batches == 1) {
    return "one inference is planned: only a graph can run several times, and not where the "
           "model's own plan is followed";
  }
  return fmt::format(
      "{} inferences run one behind the other, each on inputs of its own, on weights that they "
      "share; latency and traffic are those of all of them",
      batches);
}

std::string whyNoOverlaps(const RunRequest& asked) {
  const Platform& platform = asked.platform;
  const bool known = std::ranges::any_of(platform.devices.front().units, [](const UnitSpec& unit) {
    return unit.kernels != KernelWays();
  });
  if (known) return {};
  return fmt::format("no unit of platform '{}' says in which order its kernels make rows",
                     printable(platform.name));
}

std::string layoutNote(const RunRequest& asked, const Program& program) {
  if (program.layout) return layoutText(*program.layout);
  if (!asked.channelsLast) return {};
  return "nothing is held in another layout: only tensors of a graph on one device can be, and not "
         "where the model's own plan is followed";
}

std::string orderNote(const RunRequest& asked, const Program& program) {
  if (program.order) return orderText(asked.order, *program.order);
  if (asked.order == OpOrder::given) return {};
  return "a planning problem has no operators to put in another order";
}

std::string repeatNote(const RunRequest& asked, const Program& program) {
  if (program.repeats) return recomputeText(*program.repeats);
  if (!asked.recompute) return {};
  return "no operator runs again: only those of a graph on one device can, and not where the "
         "model's own plan is followed";
}

std::string tileNote(const RunRequest& asked, const Program& program) {
  if (program.tiles) return tileText(*program.tiles);
  if (asked.tile == TileRule::off && asked.inputs != InputPlace::rows) return {};
  return "operators run whole: only those of a graph on one device can run in parts, and not where "
         "the model's own plan is followed";
}

constexpr RewriteInfo kRewrites[] = {
    {"order",
     &Rewrites::order,
     "operators run in the order of least peak",
     [](const RunRequest& request) { return request.order == OpOrder::leastPeak; },
     [](RunRequest& request) {
       request.order = OpOrder::leastPeak;
       request.moves.clear();
     },
     {"ordering operators", 0.005, reorder},
     orderNote},
    {"in-place", &Rewrites::inPlace, "all that may share storage does, outputs with inputs too",
     [](const RunRequest& request) { return request.alias.inPlace; },
     [](RunRequest& request) {
       const bool always = request.alias.always;
       request.alias = AliasRules::all();
       request.alias.always = always;
     }},
    {"overlap",
     &Rewrites::overlap,
     "outputs overlap inputs as far as the unit's kernels allow it",
     [](const RunRequest& request) { return request.overlap; },
     [](RunRequest& request) { request.overlap = true; },
     {},
     nullptr,
     whyNoOverlaps},
    {"tile",
     &Rewrites::tile,
     "operators run in parts",
     [](const RunRequest& request) { return request.tile != TileRule::off; },
     [](RunRequest& request) { request.tile = TileRule::lines; },
     {"cutting into parts", 0.05, tile},
     tileNote},
    {"recompute",
     &Rewrites::recompute,
     "operators run again instead of keeping what they made",
     [](const RunRequest& request) { return request.recompute; },
     [](RunRequest& request) { request.recompute = true; },
     {"running operators again", 0.03, repeat},
     repeatNote},
    {"batches", nullptr, {}, nullptr, nullptr, {"repeating the inference", 0.06, batch}, batchNote},
    {"layout", nullptr, {}, nullptr, nullptr, {"laying out images", 0, relay}, layoutNote},
    {"scratch", nullptr, {}, nullptr, nullptr, {"setting scratch aside", 0.002, setAside}},
};
/// Those with a flag come first.
constexpr std::size_t kShrinking = 5;

std::vector<std::string_view> namesIn(const Rewrites& rewrites) {
  std::vector<std::string_view> names;
  for (const RewriteInfo& info : shrinkingRewrites()) {
    if (rewrites.*(info.flag)) names.push_back(info.name);
  }
  return names;
}

}  // namespace

std::span<const RewriteInfo> rewriteCatalog() { return kRewrites; }

std::span<const RewriteInfo> shrinkingRewrites() { return std::span(kRewrites).first(kShrinking); }

std::string rewritesText(const Rewrites& rewrites, std::string_view separator) {
  const auto names = namesIn(rewrites);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, separator));
}

std::size_t countOf(const Rewrites& rewrites) { return namesIn(rewrites).size(); }

std::pair<std::size_t, std::size_t> placeOf(const Rewrites& rewrites) {
  const auto all = shrinkingRewrites();
  const auto first =
      std::ranges::find_if(all, [&](const RewriteInfo& info) { return rewrites.*(info.flag); });
  return {countOf(rewrites), static_cast<std::size_t>(first - all.begin())};
}

Result<Rewrites> parseRewrites(std::string_view text) {
  if (text == "all") return Rewrites::all();
  Rewrites rewrites;
  for (const std::string_view word : splitText(text, ',')) {
    const auto all = shrinkingRewrites();
    const auto info = std::ranges::find(all, word, &RewriteInfo::name);
    if (info == all.end()) {
      return fail(ErrorCode::invalidArgument,
                  fmt::format("'{}' is not a rewrite; expected all, or some of {}",
                              printable(word, 80), rewritesText(Rewrites::all())));
    }
    rewrites.*(info->flag) = true;
  }
  return rewrites;
}

RunRequest withRewrites(RunRequest request, const Rewrites& rewrites) {
  for (const RewriteInfo& info : shrinkingRewrites()) {
    if (rewrites.*(info.flag) && !info.has(request)) info.add(request);
  }
  return request;
}

}  // namespace hw
