#include "core/run/place_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace hw {
namespace {

std::vector<std::string> placeText(bool planned, bool moved,
                                   std::span<const std::string_view> words) {
  return {std::string(words[!planned ? 1 : moved ? 2 : 0])};
}

Result<void> readPlace(std::string_view text, std::span<const std::string_view> words,
                       bool& planned, bool& moved) {
  HW_TRY(index, wordIndex(text, words));
  planned = index != 1;
  moved = index == 2;
  return {};
}

Result<WeightChoice> parseWeights(std::string_view text) {
  constexpr std::int64_t kMost = 1'000'000;
  constexpr std::string_view kAhead = "prefetch=";
  // Sessions and command lines of the studio said so once.
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

Result<void> readInputs(const std::string& text, RunRequest& request) {
  return readPlace(text, kInputPlaces, request.planInputs, request.loadInputs);
}

std::vector<std::string> inputsText(const RunRequest& request) {
  return placeText(request.planInputs, request.loadInputs, kInputPlaces);
}

Result<void> readOutputs(const std::string& text, RunRequest& request) {
  return readPlace(text, kOutputPlaces, request.planOutputs, request.storeOutputs);
}

std::vector<std::string> outputsText(const RunRequest& request) {
  return placeText(request.planOutputs, request.storeOutputs, kOutputPlaces);
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

}  // namespace hw
