#pragma once

#include <array>
#include <vector>

#include "core/base/dice.h"
#include "core/families/family.h"

namespace hw {

// What the families share: the parameters that most of them have, and stays before they are a
// problem.

/// One buffer of a problem in the making.
struct FamilyStay {
  std::int64_t begin = 0;
  std::int64_t length = 1;
  std::int64_t size = 1;
};

/// With ids in order of the first step; those of equal steps stay in the order given.
Problem problemOfStays(std::vector<FamilyStay> stays);

inline constexpr ParamSpec kBuffersParam{.name = "buffers",
                                         .summary = "how many there are",
                                         .fallback = "200",
                                         .least = 1,
                                         .most = 10'000'000};
inline constexpr ParamSpec kSeedParam{
    .name = "seed", .summary = "another problem of the kind", .fallback = "1", .most = 1e15};
inline constexpr std::array<std::string_view, 3> kSizeKinds = {"any", "multiples", "powers"};
inline constexpr ParamSpec kSizesParam{.name = "sizes",
                                       .type = ParamType::choice,
                                       .summary = "any, multiples of 64 bytes, or powers of two",
                                       .fallback = "any",
                                       .choices = kSizeKinds};

/// Row functions of catalog.cpp, by file.
Result<GeneratedProblem> makeGuillotine(const Params& params);
Result<GeneratedProblem> makeSpirals(const Params& params);
std::span<const ParamSpec> cuttingParams();

Result<GeneratedProblem> makeScattered(const Params& params);
Result<GeneratedProblem> makeInference(const Params& params);
std::span<const ParamSpec> loadParams();

Result<GeneratedProblem> makeChain(const Params& params);
Result<GeneratedProblem> makeSkips(const Params& params);
Result<GeneratedProblem> makeBranches(const Params& params);
Result<GeneratedProblem> makeLoop(const Params& params);
Result<GeneratedProblem> makeParameters(const Params& params);
Result<GeneratedProblem> makeMixed(const Params& params);
std::span<const ParamSpec> traceParams();

Result<Graph> makeResidualNet(const Params& params);
Result<Graph> makeMobileNet(const Params& params);
Result<Graph> makeInceptionNet(const Params& params);
Result<Graph> makeUNet(const Params& params);
Result<Graph> makeTransformer(const Params& params);
std::span<const ParamSpec> networkParams();

}  // namespace hw
