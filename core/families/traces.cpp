#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>

#include "core/families/family_rows.h"

namespace hw {
namespace {

constexpr ParamSpec kTraceParams[] = {kBuffersParam, kSizesParam, kSeedParam};

/// The requests of a compiler for memory, operator by operator, until there are enough buffers.
class Tracer {
 public:
  /// A buffer, by its place.
  using Made = std::size_t;

  explicit Tracer(const Params& params)
      : dice(static_cast<std::uint64_t>(params.integer(kSeedParam))),
        sizes_(params.text(kSizesParam)),
        wanted_(static_cast<std::size_t>(params.integer(kBuffersParam))) {}

  bool isFull() const { return stays_.size() >= wanted_; }

  /// Runs an operator that reads `inputs` and holds its output. One in ten has scratch.
  Made run(std::int64_t size, std::initializer_list<Made> inputs) {
    for (const Made input : inputs) read(input);
    const Made made = hold(size);
    if (dice.chance(10)) hold(size / 2);
    ++step_;
    return made;
  }

  /// A buffer that is live from now on, and read by nobody yet.
  Made hold(std::int64_t size) {
    stays_.push_back({step_, 1, shaped(size)});
    return stays_.size() - 1;
  }
  /// One that is live from `steps` ago, or the first step.
  Made holdSince(std::int64_t steps, std::int64_t size) {
    const std::int64_t begin = std::max<std::int64_t>(0, step_ - steps);
    stays_.push_back({begin, step_ - begin + 1, shaped(size)});
    return stays_.size() - 1;
  }

  void read(Made made) { stays_[made].length = step_ - stays_[made].begin + 1; }

  /// From `least` to 16 times that, small ones as likely as large ones.
  std::int64_t size(std::int64_t least) {
    return std::llround(static_cast<double>(least) * std::exp2(4 * dice.fraction()));
  }

  GeneratedProblem problem() {
    stays_.resize(std::min(stays_.size(), wanted_));
    return {problemOfStays(std::move(stays_))};
  }

  Dice dice;

 private:
  std::int64_t shaped(std::int64_t size) const {
    size = std::max<std::int64_t>(1, size);
    if (sizes_ == "multiples") return (size + 63) / 64 * 64;
    if (sizes_ == "any") return size;
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(size)));
  }

  std::string sizes_;
  std::size_t wanted_;
  std::int64_t step_ = 0;
  std::vector<FamilyStay> stays_;
};

using Made = Tracer::Made;
/// A piece of a trace, from what was there to what it leaves.
using Piece = Made (*)(Tracer&, Made);

/// Four to twelve operators; what they make grows smaller.
Made addChain(Tracer& trace, Made before) {
  std::int64_t least = std::int64_t{4096} << trace.dice.roll(0, 6);
  for (std::int64_t i = trace.dice.roll(4, 12); i > 0; --i) {
    before = trace.run(trace.size(least), {before});
    least = std::max<std::int64_t>(256, least * 4 / 5);
  }
  return before;
}

/// Three to six levels down, two operators on each, and up again.
Made addSkips(Tracer& trace, Made before) {
  std::vector<Made> kept;
  std::vector<std::int64_t> sizes;
  std::int64_t size = trace.size(65'536);
  for (std::int64_t level = trace.dice.roll(3, 6); level > 0; --level) {
    before = trace.run(size, {before});
    before = trace.run(size, {before});
    kept.push_back(before);
    sizes.push_back(size);
    size = std::max<std::int64_t>(256, size / 2);
    before = trace.run(size, {before});
  }
  while (!kept.empty()) {
    before = trace.run(sizes.back(), {before});
    before = trace.run(sizes.back() * 2, {before, kept.back()});
    before = trace.run(sizes.back(), {before});
    kept.pop_back();
    sizes.pop_back();
  }
  return before;
}

/// Two to five branches of one to four operators, joined.
Made addBranches(Tracer& trace, Made before) {
  std::vector<Made> ends;
  for (std::int64_t branch = trace.dice.roll(2, 5); branch > 0; --branch) {
    Made end = before;
    for (std::int64_t i = trace.dice.roll(1, 4); i > 0; --i) {
      end = trace.run(trace.size(8192), {end});
    }
    ends.push_back(end);
  }
  for (const Made end : ends) trace.read(end);
  return trace.run(trace.size(32'768), {});
}

/// Four to sixteen turns of a body of five to twelve operators, the same in each turn: every
/// operator reads the one before, every third the state, too.
Made addLoop(Tracer& trace, Made before) {
  std::vector<std::int64_t> body;
  for (std::int64_t i = trace.dice.roll(5, 12); i > 0; --i) body.push_back(trace.size(2048));
  const std::int64_t stateSize = trace.size(2048);
  Made state = trace.run(stateSize, {before});
  for (std::int64_t turn = trace.dice.roll(4, 16); turn > 0; --turn) {
    Made last = state;
    for (std::size_t i = 0; i < body.size(); ++i) {
      last = i % 3 == 2 ? trace.run(body[i], {last, state}) : trace.run(body[i], {last});
    }
    state = trace.run(stateSize, {last, state});
  }
  return state;
}

/// Four to twelve operators with weights: fetched up to eight steps ahead, and one in five there
/// from the first step on.
Made addParameters(Tracer& trace, Made before) {
  for (std::int64_t i = trace.dice.roll(4, 12); i > 0; --i) {
    const std::int64_t ahead =
        trace.dice.chance(20) ? std::int64_t{1} << 40 : trace.dice.roll(1, 8);
    trace.holdSince(ahead, trace.size(4096));
    before = trace.run(trace.size(8192), {before});
  }
  return before;
}

Made addAnything(Tracer& trace, Made before) {
  constexpr Piece kPieces[] = {addChain, addSkips, addBranches, addLoop, addParameters};
  return kPieces[static_cast<std::size_t>(trace.dice.roll(0, std::ssize(kPieces) - 1))](trace,
                                                                                        before);
}

/// Pieces, one behind the other, until there are enough buffers.
GeneratedProblem traceOf(const Params& params, Piece piece) {
  Tracer trace(params);
  Made last = trace.hold(trace.size(16'384));
  while (!trace.isFull()) last = piece(trace, last);
  return trace.problem();
}

}  // namespace

std::span<const ParamSpec> traceParams() { return kTraceParams; }

Result<GeneratedProblem> makeChain(const Params& params) { return traceOf(params, addChain); }
Result<GeneratedProblem> makeSkips(const Params& params) { return traceOf(params, addSkips); }
Result<GeneratedProblem> makeBranches(const Params& params) { return traceOf(params, addBranches); }
Result<GeneratedProblem> makeLoop(const Params& params) { return traceOf(params, addLoop); }
Result<GeneratedProblem> makeParameters(const Params& params) {
  return traceOf(params, addParameters);
}
Result<GeneratedProblem> makeMixed(const Params& params) { return traceOf(params, addAnything); }

}  // namespace hw
