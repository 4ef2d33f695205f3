#pragma once

#include "core/run/options.h"

namespace hw {

/// The options that say where things live, and when: what they take, how they are read into a
/// request and printed from it, as `RunOption` has it.

inline constexpr std::string_view kInputPlaces[] = {"arena", "external", "loaded"};
Result<void> readInputs(const std::string& text, RunRequest& request);
std::vector<std::string> inputsText(const RunRequest& request);

inline constexpr std::string_view kOutputPlaces[] = {"arena", "external", "stored"};
Result<void> readOutputs(const std::string& text, RunRequest& request);
std::vector<std::string> outputsText(const RunRequest& request);

/// In the order of `WeightRule`. "prefetch=3": how many steps ahead.
inline constexpr std::string_view kWeightWords[] = {"stream", "prefetch", "resident", "free"};
Result<void> readWeights(const std::string& text, RunRequest& request);
std::vector<std::string> weightsText(const RunRequest& request);

/// In the order of the catalogue.
std::span<const std::string_view> residencyNames();
Result<void> readResidency(const std::string& text, RunRequest& request);
std::vector<std::string> residencyText(const RunRequest& request);

/// A refusal of what somebody wrote.
tl::unexpected<Error> badOption(std::string message);

/// Which of the words `text` is.
Result<std::size_t> wordIndex(std::string_view text, std::span<const std::string_view> words);

}  // namespace hw
