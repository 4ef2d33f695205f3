#include "core/run/place_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace hw {
namespace {

std::vector<std::string> placeText(bool planned, bool moved, bool near,
                                   std::span<const std::string_view> words) {
  return {std::string(words[!planned ? 1 : moved ? 2 : near ? 3 : 0])};
}

Result<void> readPlace(std::string_view text, std::span<const std::string_view> words,
                       bool& planned, bool& moved, bool& near) {
  HW_TRY(index, wordIndex(text, words));
  planned = index != 1;
  moved = index == 2;
  near = index == 3;
  return {};
}

Result<WeightChoice> parseWeights(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000;
  constexpr std::string_view kAhead = "prefetch=";
  // An older spelling, in saved sessions and command lines of the studio.
  if (text == "streamed") return WeightChoice{};
  if (text.starts_with(kAhead)) {
    const auto ahead = parseInteger(text.substr(kAhead.size()));
    if (ahead && *ahead >= 0 && *ahead <= kMost) {
      return WeightChoice{.rule = WeightRule::prefetch, .ahead = *ahead};
    }
    return badOption(fmt::format("'{}': expected a whole number of steps from 0 to {} after '{}'",
                                 printable(text, 80), kMost, kAhead));
  }
  HW_TRY(index, wordIndex(text, kWeightWords));
  return WeightChoice{.rule = static_cast<WeightRule>(index)};
}

}  // namespace

tl::unexpected<Error> badOption(std::string message) {
  return fail(ErrorCode::invalidArgument, std::move(message));
}

Result<std::size_t> wordIndex(std::string_view text, std::span<const std::string_view> words) {
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const auto closest = closestWord(text, {words.begin(), words.end()});
  return badOption(fmt::format("'{}' is not one of {}{}", printable(text, 80),
                               fmt::join(words, ", "),
                               closest ? fmt::format("; did you mean '{}'?", *closest) : ""));
}

Result<void> readThreads(const std::string& text, RunRequest& request) {
  constexpr int kMost = 1024;
  const auto number = parseInteger(text);
  if (!number || *number < 1 || *number > kMost) {
    return badOption(
        fmt::format("'{}' is not a whole number from 1 to {}", printable(text, 80), kMost));
  }
  request.threads = static_cast<int>(*number);
  return {};
}

Result<void> readInputs(const std::string& text, RunRequest& request) {
  HW_DO(readPlace(text, kInputPlaces, request.planInputs, request.loadInputs, request.nearInputs));
  request.inputRows = text == kInputRows;
  return {};
}

std::vector<std::string> inputsText(const RunRequest& request) {
  if (request.inputRows) return {std::string(kInputRows)};
  return placeText(request.planInputs, request.loadInputs, request.nearInputs, kInputPlaces);
}

Result<void> readOutputs(const std::string& text, RunRequest& request) {
  return readPlace(text, kOutputPlaces, request.planOutputs, request.storeOutputs,
                   request.nearOutputs);
}

std::vector<std::string> outputsText(const RunRequest& request) {
  return placeText(request.planOutputs, request.storeOutputs, request.nearOutputs, kOutputPlaces);
}

Result<void> readWeights(const std::string& text, RunRequest& request) {
  HW_TRY(weights, parseWeights(text));
  request.weights = weights;
  return {};
}

std::vector<std::string> weightsText(const RunRequest& request) {
  const auto& [rule, ahead] = request.weights;
  const std::string_view name = kWeightWords[static_cast<std::size_t>(rule)];
  const bool plain = rule != WeightRule::prefetch || ahead == WeightChoice().ahead;
  return {plain ? std::string(name) : fmt::format("{}={}", name, ahead)};
}

std::span<const std::string_view> residencyNames() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const ResidencyInfo& info : residencyCatalog()) all.push_back(info.name);
    return all;
  }();
  return names;
}

Result<void> readResidency(const std::string& text, RunRequest& request) {
  HW_TRY(index, wordIndex(text, residencyNames()));
  request.residency = residencyCatalog()[index].rule;
  return {};
}

std::vector<std::string> residencyText(const RunRequest& request) {
  return {std::string(infoOf(request.residency).name)};
}

Result<void> readLayout(const std::string& text, RunRequest& request) {
  HW_TRY(index, wordIndex(text, kLayouts));
  request.channelsLast = index == 1;
  return {};
}

std::vector<std::string> layoutOptionText(const RunRequest& request) {
  return {std::string(kLayouts[request.channelsLast ? 1 : 0])};
}

Result<void> readOrder(const std::string& text, RunRequest& request) {
  HW_TRY(index, wordIndex(text, opOrderNames()));
  request.order = static_cast<OpOrder>(index);
  return {};
}

std::vector<std::string> orderOptionText(const RunRequest& request) {
  return {std::string(opOrderName(request.order))};
}

Result<void> readMoves(const std::string& texts, RunRequest& request) {
  for (const std::string_view text : splitText(texts, ' ')) {
    const auto move = parseMove(text);
    if (!move) return badOption(move.error().text());
    request.moves.push_back(*move);
  }
  return {};
}

std::vector<std::string> movesText(const RunRequest& request) {
  std::vector<std::string> texts;
  for (const OpMove& move : request.moves) texts.push_back(moveText(move));
  return texts;
}

Result<void> readRecompute(const std::string& text, RunRequest& request) {
  HW_TRY(index, wordIndex(text, kRecompute));
  request.recompute = index == 0;
  return {};
}

std::vector<std::string> recomputeOptionText(const RunRequest& request) {
  return {std::string(kRecompute[request.recompute ? 0 : 1])};
}

Result<void> readTile(const std::string& text, RunRequest& request) {
  HW_TRY(index, wordIndex(text, tileRuleNames()));
  request.tile = static_cast<TileRule>(index);
  return {};
}

std::vector<std::string> tileOptionText(const RunRequest& request) {
  return {std::string(tileRuleName(request.tile))};
}

Result<void> readTileTo(const std::string& text, RunRequest& request) {
  if (text == kTileTo[0]) {
    request.tileTo = {};
    return {};
  }
  const auto bytes = parseSize(text);
  if (!bytes) return badOption(bytes.error().message + ", or least");
  request.tileTo = *bytes;
  return {};
}

std::vector<std::string> tileToText(const RunRequest& request) {
  if (request.tileTo == Bytes()) return {std::string(kTileTo[0])};
  return {sizeWord(request.tileTo)};
}

Result<void> readExtraWork(const std::string& text, RunRequest& request) {
  constexpr double kMost = 1000;
  const bool percent = text.ends_with('%');
  const auto number = parseNumber(std::string_view(text).substr(0, text.size() - percent));
  if (!percent || !number || !(*number >= 0 && *number <= kMost)) {
    return badOption(fmt::format("'{}' is not a share of the work, such as 10%, up to {}%",
                                 printable(text, 80), kMost));
  }
  request.extraWork = *number / 100;
  return {};
}

std::vector<std::string> extraWorkText(const RunRequest& request) {
  // As it was typed, or nearly: no digits that come of dividing by 100.
  return {fmt::format("{:.10g}%", request.extraWork * 100)};
}

}  // namespace hw
