#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/families/family_rows.h"

namespace hw {
namespace {

std::vector<FamilyInfo> makeFamilies() {
  return {
      {.name = "guillotine",
       .summary = "a pool cut in two again and again, some of it taken out: it fits into the pool",
       .params = cuttingParams(),
       .problem = makeGuillotine},
      {.name = "spirals",
       .summary = "a pool cut into four around a fifth, again and again: no cut goes through",
       .params = cuttingParams(),
       .problem = makeSpirals},
      {.name = "scattered",
       .summary = "no structure: any first step, lengths around 32 steps, sizes over 14 octaves",
       .params = loadParams(),
       .problem = makeScattered},
      {.name = "inference",
       .summary = "one to three steps each, eight begin at a step, in 32 sizes that come back",
       .params = loadParams(),
       .problem = makeInference},
      {.name = "chain",
       .summary = "one operator after the other, with scratch here and there",
       .params = traceParams(),
       .problem = makeChain},
      {.name = "skips",
       .summary = "U-shaped: what is made on the way down is kept until the way up",
       .params = traceParams(),
       .problem = makeSkips},
      {.name = "branches",
       .summary = "blocks of two to five branches that are joined",
       .params = traceParams(),
       .problem = makeBranches},
      {.name = "loop",
       .summary = "one body, unrolled, with a state from turn to turn",
       .params = traceParams(),
       .problem = makeLoop},
      {.name = "parameters",
       .summary = "a chain whose weights come a few steps ahead or stay from the first step on",
       .params = traceParams(),
       .problem = makeParameters},
      {.name = "mixed",
       .summary = "pieces of the other traces, one behind the other",
       .params = traceParams(),
       .problem = makeMixed},
      {.name = "residual-net",
       .summary = "graph: residual blocks as in ResNet",
       .params = networkParams(),
       .graph = makeResidualNet},
      {.name = "mobile-net",
       .summary = "graph: inverted residuals as in MobileNetV2",
       .params = networkParams(),
       .graph = makeMobileNet},
      {.name = "inception-net",
       .summary = "graph: branches of convolutions, joined along channels",
       .params = networkParams(),
       .graph = makeInceptionNet},
      {.name = "u-net",
       .summary = "graph: down, and up again with what was kept on the way down",
       .params = networkParams(),
       .graph = makeUNet},
      {.name = "transformer",
       .summary = "graph: attention and two products behind it, with a sum around each",
       .params = networkParams(),
       .graph = makeTransformer},
  };
}

/// The same steps when time runs backwards from `end`.
Interval<Step> mirrored(const Interval<Step>& steps, Step end) {
  return {end - steps.end, end - steps.begin};
}

}  // namespace

std::span<const FamilyInfo> familyCatalog() {
  static const std::vector<FamilyInfo> kFamilies = makeFamilies();
  return kFamilies;
}

Result<FamilyChoice> FamilyChoice::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = trimText(text.substr(0, colon));
  const auto found = std::ranges::find(familyCatalog(), name, &FamilyInfo::name);
  if (found == familyCatalog().end()) {
    std::vector<std::string> names;
    for (const FamilyInfo& info : familyCatalog()) names.emplace_back(info.name);
    const auto closest = closestWord(name, names);
    return fail(ErrorCode::invalidArgument,
                fmt::format("there is no family '{}'{}", printable(name),
                            closest ? fmt::format("; did you mean '{}'?", *closest)
                                    : "; 'highwater list families' names them"));
  }
  FamilyChoice choice{.info = &*found};
  if (colon == std::string_view::npos) return choice;
  auto params = Params::parse(text.substr(colon + 1), found->params);
  if (!params) {
    Error error = params.error();
    error.message = fmt::format("family '{}': {}", found->name, error.message);
    return tl::unexpected(error);
  }
  choice.params = std::move(*params);
  return choice;
}

std::string FamilyChoice::text() const { return choiceText(info->name, params); }

std::uint64_t FamilyChoice::seed() const {
  return static_cast<std::uint64_t>(params.integer(kSeedParam));
}

GeneratedProblem generateProblem(std::string_view text) {
  const auto choice = FamilyChoice::parse(text);
  check(choice.has_value() && choice->info->problem != nullptr, "a family of problems");
  auto made = choice->info->problem(choice->params);
  check(made.has_value(), "the parameters of a family");
  return *std::move(made);
}

Problem problemOfStays(std::vector<FamilyStay> stays) {
  std::ranges::stable_sort(stays, {}, &FamilyStay::begin);
  Problem problem;
  problem.pools.add({.name = "L2"});
  problem.stays.reserve(stays.size());
  for (const FamilyStay& stay : stays) {
    const Step begin(stay.begin);
    const Step end = begin + Step(stay.length);
    problem.stays.add({.buffer = BufferId(problem.stays.size()),
                       .steps = {begin, end},
                       .size = Bytes(stay.size)});
    problem.steps = std::max(problem.steps, end);
  }
  return problem;
}

Problem retold(const Problem& problem, const Retelling& how) {
  std::vector<StayId> order = problem.stays.keys().toVector();
  if (how.rows == RowOrder::reversed) std::ranges::reverse(order);
  if (how.rows == RowOrder::shuffled) Dice(how.seed).shuffle(order);
  Problem told;
  told.pools = problem.pools;
  told.steps = problem.steps;
  for (const StayId id : order) {
    Stay stay = problem.stays[id];
    stay.buffer = BufferId(told.stays.size());
    if (how.backwards) stay.steps = mirrored(stay.steps, problem.steps);
    const StayId added = told.stays.add(stay);
    std::vector<Interval<Step>> gaps = problem.gapsOf(id);
    if (how.backwards) {
      std::ranges::reverse(gaps);
      for (Interval<Step>& gap : gaps) gap = mirrored(gap, problem.steps);
    }
    for (const Interval<Step>& gap : gaps) told.gaps.push_back({added, gap});
  }
  return told;
}

}  // namespace hw
