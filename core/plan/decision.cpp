#include "core/plan/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace hw {

std::string_view verdictName(Verdict verdict) {
  constexpr std::array<std::string_view, 6> kNames = {"chosen",        "too small", "taken",
                                                      "over capacity", "less good", "not allowed"};
  return kNames[static_cast<std::size_t>(verdict)];
}

const Candidate* Decision::chosen() const {
  const auto found = std::ranges::find(candidates, Verdict::chosen, &Candidate::verdict);
  return found == candidates.end() ? nullptr : &*found;
}

void addCandidate(Decision& decision, Candidate candidate) {
  if (decision.candidates.size() < kMaxCandidates || candidate.verdict == Verdict::chosen) {
    decision.candidates.push_back(std::move(candidate));
  } else {
    ++decision.leftOut;
  }
}

std::string countBytes(Bytes bytes) {
  return groupDigits(bytes.count()) + (bytes == Bytes(1) ? " byte" : " bytes");
}

std::string ordinal(std::size_t number) {
  const std::size_t tens = number % 100;
  const std::size_t ones = number % 10;
  const bool teens = tens >= 11 && tens <= 13;
  const char* ending = teens ? "th" : ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th";
  return groupDigits(static_cast<std::int64_t>(number)) + ending;
}

}  // namespace hw
