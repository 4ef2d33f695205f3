#include "core/schedule/moves.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

std::string_view sideName(OpMove::Side side) {
  return side == OpMove::Side::before ? "before" : "after";
}

/// The steps that a move changes: from the op that moves to the last one it passes.
struct Window {
  std::size_t begin = 0;
  std::size_t end = 0;  ///< Exclusive.
  bool later = false;   ///< The op, at one end of the window, goes to the other: to a later step.
};

Window windowOf(const Schedule& schedule, const OpMove& move) {
  const auto from = static_cast<std::size_t>(schedule.stepOf[move.op].count());
  const auto to = static_cast<std::size_t>(schedule.stepOf[move.anchor].count());
  const bool before = move.side == OpMove::Side::before;
  if (from < to) return {from, before ? to : to + 1, true};
  return {before ? to : to + 1, from + 1, false};
}

/// Which ops of the window go along with the one that moves: what needs it when it goes to a later
/// step, what it needs when it goes to an earlier one.
std::vector<bool> companions(const Schedule& schedule, const Precedence& precedence,
                             const OpMove& move, const Window& window) {
  IdMap<OpId, bool> chosen(schedule.order.size());
  chosen[move.op] = true;
  std::vector<bool> along(window.end - window.begin);
  for (std::size_t i = 0; i < along.size(); ++i) {
    const std::size_t index = window.later ? i : along.size() - 1 - i;
    const OpId op = schedule.order[window.begin + index];
    const auto& tied = window.later ? precedence.before[op] : precedence.after[op];
    const bool goes = std::ranges::any_of(tied, [&](OpId other) { return chosen[other]; });
    if (goes) chosen[op] = true;
    along[index] = chosen[op];
  }
  return along;
}

Result<void> checkMove(const Schedule& schedule, const OpMove& move) {
  const std::size_t count = schedule.order.size();
  for (const OpId op : {move.op, move.anchor}) {
    if (op && op.index() < count) continue;
    return fail(ErrorCode::invalidArgument,
                fmt::format("{}: there is no op {}: the model has {}, from 0 on", moveText(move),
                            op.index(), count));
  }
  if (move.op != move.anchor) return {};
  return fail(ErrorCode::invalidArgument,
              fmt::format("{}: an op cannot be moved next to itself", moveText(move)));
}

}  // namespace

std::string moveText(const OpMove& move) {
  return fmt::format("{}:{}:{}", move.op.index(), sideName(move.side), move.anchor.index());
}

Result<OpMove> parseMove(std::string_view text) {
  const auto parts = splitText(text, ':');
  const auto op = parts.size() == 3 ? parseInteger(parts[0]) : std::nullopt;
  const auto anchor = parts.size() == 3 ? parseInteger(parts[2]) : std::nullopt;
  const bool side = parts.size() == 3 && (parts[1] == "before" || parts[1] == "after");
  const auto fits = [](const auto& number) {
    return number && *number >= 0 && *number <= kMaxStep.count();
  };
  if (!side || !fits(op) || !fits(anchor)) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("'{}' is not a move; expected OP:before:OP or OP:after:OP, ops by "
                            "number, such as 41:before:38",
                            printable(text)));
  }
  return OpMove{.op = OpId(static_cast<std::size_t>(*op)),
                .anchor = OpId(static_cast<std::size_t>(*anchor)),
                .side = parts[1] == "before" ? OpMove::Side::before : OpMove::Side::after};
}

Result<Schedule> moved(const Schedule& schedule, const Precedence& precedence, const OpMove& move) {
  HW_DO(checkMove(schedule, move));
  const Window window = windowOf(schedule, move);
  const std::vector<bool> along = companions(schedule, precedence, move, window);
  std::vector<OpId> going;
  std::vector<OpId> staying;
  for (std::size_t i = 0; i < along.size(); ++i) {
    (along[i] ? going : staying).push_back(schedule.order[window.begin + i]);
  }
  if (std::ranges::find(going, move.anchor) != going.end()) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("{}: op {} needs what op {} makes, directly or not", moveText(move),
                            (window.later ? move.anchor : move.op).index(),
                            (window.later ? move.op : move.anchor).index()));
  }
  // Those that go keep their order, and so do those that stay: only the two groups change places.
  const auto& first = window.later ? staying : going;
  const auto& second = window.later ? going : staying;
  Schedule result = schedule;
  const auto at = result.order.begin() + static_cast<std::ptrdiff_t>(window.begin);
  std::ranges::copy(second, std::ranges::copy(first, at).out);
  for (std::size_t step = window.begin; step < window.end; ++step) {
    result.stepOf[result.order[step]] = Step(static_cast<std::int64_t>(step));
  }
  return result;
}

Result<Schedule> movedOrder(const Graph& graph, const std::vector<OpMove>& moves, Schedule start) {
  Schedule schedule = std::move(start);
  if (moves.empty()) return schedule;
  const Precedence precedence = precedenceOf(graph);
  for (const OpMove& move : moves) {
    auto next = moved(schedule, precedence, move);
    if (!next) return next;
    schedule = *std::move(next);
  }
  return schedule;
}

}  // namespace hw
