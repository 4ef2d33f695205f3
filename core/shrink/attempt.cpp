#include "core/shrink/attempt.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/run/stages.h"

namespace hw {
namespace {

RunRequest requestOf(const RunRequest& plain, const ShrinkAttempt& attempt) {
  RunRequest request = withRewrites(plain, attempt.with);
  if (attempt.with.recompute) request.extraWork = attempt.extraWork;
  if (!attempt.with.tile) return request;
  request.tile = attempt.rule;
  request.tileTo = attempt.to;
  if (attempt.rule == TileRule::any) request.extraWork = attempt.extraWork;
  return request;
}

/// No plan of the program is lower than `bytes`.
bool isNoLower(const Model& model, const RunRequest& request, Bytes bytes,
               const std::stop_token& stop) {
  const auto program = rewrittenProgram(model, request, stop);
  if (!program || !program->tiles) return true;
  return program->tiles->peak >= bytes &&
         std::ranges::all_of(program->otherWays,
                             [&](const Program& way) { return way.tiles->peak >= bytes; });
}

}  // namespace

std::string textOf(const ShrinkAttempt& attempt) {
  std::string text = "trying " + rewritesText(attempt.with);
  if (!attempt.with.tile) return text;
  text += fmt::format(" ({})", tileRuleName(attempt.rule));
  return attempt.to > Bytes() ? text + " for " + formatBytes(attempt.to) : text;
}

ShrinkOutcome outcomeOf(const std::shared_ptr<const Model>& model, const RunRequest& plain,
                        const ShrinkAttempt& attempt, const std::stop_token& stop) {
  const RunRequest request = requestOf(plain, attempt);
  if (stop.stop_requested()) return {};
  if (attempt.below && isNoLower(*model, request, *attempt.below, stop)) return {};
  auto run = execute(model, request, {.stop = stop});
  if (run) return {.run = *std::move(run)};
  if (run.error().code == ErrorCode::stopped) return {};
  return {.error = run.error()};
}

}  // namespace hw
