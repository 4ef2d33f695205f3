#pragma once

#include "core/run/options.h"

namespace hw {

/// The options that say where things live, and when, and what runs in parts: what they take, how
/// they are read into a request and printed from it, as `RunOption` has it.

inline constexpr std::string_view kInputRows = "rows";
inline constexpr std::string_view kInputPlaces[] = {"arena", "external", "loaded", "near",
                                                    kInputRows};
Result<void> readInputs(const std::string& text, RunRequest& request);
std::vector<std::string> inputsText(const RunRequest& request);

inline constexpr std::string_view kOutputPlaces[] = {"arena", "external", "stored", "near"};
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

/// The options about how images are held, the order of operators, those that run again, and those
/// that run in parts.

inline constexpr std::string_view kLayouts[] = {"given", "nhwc"};
Result<void> readLayout(const std::string& text, RunRequest& request);
std::vector<std::string> layoutOptionText(const RunRequest& request);

Result<void> readOrder(const std::string& text, RunRequest& request);
std::vector<std::string> orderOptionText(const RunRequest& request);

/// One, or several in a row: sessions keep them so.
Result<void> readMoves(const std::string& texts, RunRequest& request);
std::vector<std::string> movesText(const RunRequest& request);

inline constexpr std::string_view kRecompute[] = {"cheap", "none"};
Result<void> readRecompute(const std::string& text, RunRequest& request);
std::vector<std::string> recomputeOptionText(const RunRequest& request);

Result<void> readTile(const std::string& text, RunRequest& request);
std::vector<std::string> tileOptionText(const RunRequest& request);

/// "least", or a size.
inline constexpr std::string_view kTileTo[] = {"least", "256KiB"};
Result<void> readTileTo(const std::string& text, RunRequest& request);
std::vector<std::string> tileToText(const RunRequest& request);

/// "10%", at most 1000%.
inline constexpr std::string_view kExtraWork[] = {"10%", "0%", "25%"};
Result<void> readExtraWork(const std::string& text, RunRequest& request);
std::vector<std::string> extraWorkText(const RunRequest& request);

/// At most 1024.
Result<void> readThreads(const std::string& text, RunRequest& request);

/// A refusal of what somebody wrote.
tl::unexpected<Error> badOption(std::string message);

/// Which of the words `text` is.
Result<std::size_t> wordIndex(std::string_view text, std::span<const std::string_view> words);

}  // namespace hw
