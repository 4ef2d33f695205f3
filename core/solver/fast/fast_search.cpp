#include "core/solver/fast/fast_search.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/base/dice.h"
#include "core/solver/fast/joining.h"
#include "core/solver/fast/peak_repair.h"
#include "core/solver/fast/skyline.h"

namespace hw {
namespace {

/// Priority = length^lengthPower x size^sizePower.
struct Rule {
  std::string_view name;
  int lengthPower = 0;
  int sizePower = 0;
};
constexpr std::array<Rule, 6> kRules{{{"size x length", 1, 1},
                                      {"size x length²", 2, 1},
                                      {"size", 0, 1},
                                      {"length", 1, 0},
                                      {"size² x length", 1, 2},
                                      {"size x length³", 3, 1}}};

/// Noise: factors go up to 1 + one of these.
constexpr std::array<double, 6> kAmplitudes{6, 2, 1, 0.4, 0.2, 0.1};
/// Noisy packings of one rule before the next one has its turn.
constexpr int kNoisyTurn = 48;
/// Blame gets this many times the moves of noise: it does better on hard problems, noise on those
/// where one long stay is in the way.
constexpr std::int64_t kNoiseShare = 3;
/// From this many stays on, what is too high in a first packing is repaired place by place.
constexpr std::size_t kRepairStays = 40'000;
/// Of a pool that is full to this share, what fits together is joined, from so many stays on.
constexpr double kFull = 0.9;
constexpr std::size_t kFewestJoined = 64;
/// Joins and splits at most: a fourth of a second.
constexpr std::int64_t kMostJoining = 1'000'000;
constexpr double kSoon = 0.001;  ///< Seconds; 0 would be no limit.
/// Packings without gain after which blame starts anew from the next rule.
constexpr int kBlamePatience = 400;

double power(double base, int exponent) {
  double product = 1;
  for (int i = 0; i < exponent; ++i) product *= base;
  return product;
}

/// As a priority: above zero, finite.
float priorityFrom(double value) {
  return static_cast<float>(std::clamp(value, double{std::numeric_limits<float>::min()},
                                       double{std::numeric_limits<float>::max()}));
}

}  // namespace

class FastSearch::Search {
 public:
  Search(const Rectangles& rectangles, const FastOptions& options)
      : rectangles_(rectangles),
        options_(options),
        skyline_(rectangles),
        random_(options.seed),
        bound_(std::max(options.bound, loadBound(rectangles))),
        start_(std::chrono::steady_clock::now()) {
    for (std::size_t i = 0; i < rectangles.count(); ++i) {
      longest_ = std::max(longest_, static_cast<double>(rectangles.length(i).count()));
      largest_ = std::max(largest_, static_cast<double>(rectangles.size[i].count()));
    }
    full_ = isFull();
  }

  const FastResult& runTo(std::int64_t moves, double seconds, Bytes bound) {
    options_.moves = moves;
    options_.seconds = seconds;
    start_ = std::chrono::steady_clock::now();
    bound_ = std::max(bound_, bound);
    if (full_) tryJoined();
    const auto count = static_cast<std::int64_t>(rectangles_.count());
    if (full_ && hasPlan() && result_.moves + count > moves) return result_;
    tryRules();
    while (!done()) kNoiseShare* noiseMoves_ <= blameMoves_ ? tryNoise() : tryBlame();
    return result_;
  }

  bool hasRun() const { return result_.packings > 0; }
  bool goesOn() const {
    return rulesTried_ == kRules.size() && !full_ && rectangles_.count() < kRepairStays;
  }
  std::int64_t moves() const { return result_.moves; }
  Search startedAnew() const { return {rectangles_, options_}; }

 private:
  bool hasPlan() const { return !result_.samples.empty(); }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  bool late() const { return options_.seconds > 0 && hasPlan() && seconds() >= options_.seconds; }
  bool stopped() {
    if (options_.stopped && options_.stopped()) result_.stopped = true;
    return result_.stopped;
  }
  bool done() {
    if (stopped() || late()) return true;
    if (!hasPlan()) return false;
    return result_.peak <= bound_ || result_.moves >= options_.moves;
  }

  void fillRule(const Rule& rule, std::vector<float>& priorities) const {
    priorities.resize(rectangles_.count());
    for (std::size_t i = 0; i < priorities.size(); ++i) {
      const double length = static_cast<double>(rectangles_.length(i).count()) / longest_;
      const double size = static_cast<double>(rectangles_.size[i].count()) / largest_;
      priorities[i] = priorityFrom(power(length, rule.lengthPower) * power(size, rule.sizePower));
    }
  }

  /// Packs by `priorities_`; keeps the packing if it is the lowest so far. Returns its moves.
  std::int64_t pack(std::string_view name, bool giveUp) {
    Skyline::Limits limits{.giveUp = giveUp && hasPlan(),
                           .stopped = [this] { return stopped() || late(); }};
    // One that is only as low as the best is of no use.
    if (hasPlan()) limits.height = result_.peak - Bytes(1);
    const Skyline::Result packed = skyline_.pack(priorities_, limits);
    const auto moves = static_cast<std::int64_t>(packed.placed);
    ++result_.packings;
    result_.moves += moves;
    if (packed.complete && (!hasPlan() || packed.peak < result_.peak)) keep(name, packed.peak);
    // Never 0, so that the turns of noise and blame come to an end.
    return moves + 1;
  }

  void keep(std::string_view name, Bytes peak) {
    if (!hasPlan()) result_.firstPeak = peak;
    bestPriorities_ = priorities_;
    result_.offsets = skyline_.offsets();
    note(name, peak);
  }

  void note(std::string_view name, Bytes peak) {
    result_.peak = peak;
    result_.winner = name;
    result_.samples.push_back({.seconds = seconds(), .moves = result_.moves, .peak = peak});
    if (options_.improved) options_.improved(result_.samples.back());
  }

  /// Nearly no room is left over at any step: it may have been cut from a pool.
  bool isFull() const {
    if (rectangles_.count() < kFewestJoined) return false;
    double room = 0;
    for (std::size_t i = 0; i < rectangles_.count(); ++i) {
      room += static_cast<double>(rectangles_.size[i].count()) *
              static_cast<double>(rectangles_.length(i).count());
    }
    const Step span = rectangles_.steps.back() - rectangles_.steps.front();
    return room >= kFull * static_cast<double>(loadBound(rectangles_).count()) *
                       static_cast<double>(span.count());
  }

  /// Packs what is left when all is joined that seems to have been one; half the moves remain.
  void tryJoined() {
    const auto stop = [this] { return stopped() || late(); };
    const auto joined = joinRectangles(
        rectangles_,
        {.moves = std::min(options_.moves, kMostJoining), .seed = options_.seed, .stopped = stop});
    if (!joined) return;
    const FastResult packed = searchFast(
        joined->rectangles,
        {.moves = options_.moves / 2,
         .seconds = options_.seconds > 0 ? std::max(kSoon, options_.seconds - seconds()) : 0,
         .seed = options_.seed,
         .bound = bound_,
         .stopped = stop});
    result_.packings += packed.packings;
    result_.moves += packed.moves;
    if (packed.offsets.empty()) return;
    result_.firstPeak = packed.firstPeak;
    result_.offsets = joined->spread(packed.offsets);
    note("joined", packed.peak);
  }

  /// The first rule whatever it costs, the others as long as the budget lets them finish.
  void tryRules() {
    const auto count = static_cast<std::int64_t>(rectangles_.count());
    for (; rulesTried_ < kRules.size() && !done(); ++rulesTried_) {
      if (hasPlan() && result_.moves + count > options_.moves) return;
      const std::size_t rule = rulesTried_;
      fillRule(kRules[rule], priorities_);
      if (rule == 0) bestPriorities_ = priorities_;
      const Bytes before = result_.peak;
      pack(kRules[rule].name, false);
      if (rule == 0 || result_.peak < before) bestRule_ = rule;
      const bool first = rule == 0 && result_.winner == kRules[rule].name;
      if (first && rectangles_.count() >= kRepairStays) repair();
    }
  }

  void repair() {
    if (stopped() || late() || result_.peak <= bound_) return;
    std::vector<Bytes> offsets = result_.offsets;
    const RepairResult repaired = repairPeaks(rectangles_,
                                              {.bound = bound_,
                                               .moves = options_.moves,
                                               .seed = options_.seed,
                                               .stopped = [this] { return stopped() || late(); }},
                                              offsets);
    result_.moves += repaired.moves;
    if (repaired.peak >= result_.peak) return;
    result_.offsets = std::move(offsets);
    note("repair", repaired.peak);
  }

  /// The rule that is next in turn, the best one first.
  const Rule& turn(std::size_t number) const {
    return kRules[(bestRule_ + number) % kRules.size()];
  }

  /// From the three best rules, then from the best priorities there are.
  void startNoise() {
    const std::size_t number = noisyTurns_++ % 4;
    if (number < 3) {
      fillRule(turn(number), noiseBase_);
    } else {
      noiseBase_ = bestPriorities_;
    }
  }

  /// Packs with noise added to priorities that turned out well.
  void tryNoise() {
    if (noisy_ % kNoisyTurn == 0) startNoise();
    const double amplitude = kAmplitudes[static_cast<std::size_t>(noisy_++) % kAmplitudes.size()];
    for (std::size_t i = 0; i < priorities_.size(); ++i) {
      priorities_[i] = priorityFrom(double{noiseBase_[i]} * (1 + amplitude * random_.fraction()));
    }
    const Bytes before = result_.peak;
    noiseMoves_ += pack("noise", true);
    if (result_.peak < before) noiseBase_ = priorities_;
  }

  /// Squeaky wheel: what ended too high weighs more in the next packing, and so comes before what
  /// took its room. Such a packing is completed even when it has lost: only then is it known who is
  /// to blame. Chance is in it because equal shares would only push the same ones around.
  void tryBlame() {
    if (blameBase_.empty() || blameless_ >= kBlamePatience) startBlame();
    const Bytes before = result_.peak;
    for (std::size_t i = 0; i < priorities_.size(); ++i) {
      priorities_[i] = priorityFrom(double{blameBase_[i]} * weights_[i]);
    }
    blameMoves_ += pack("blame", false);
    for (const std::uint32_t blamed : skyline_.tooHigh()) {
      weights_[blamed] *= 1.5 + 1.5 * random_.fraction();
    }
    blameless_ = result_.peak < before ? 0 : blameless_ + 1;
  }

  /// From the rules as they are in the first rounds, from noisy ones later.
  void startBlame() {
    const std::size_t round = blameTurns_++;
    fillRule(turn(round), blameBase_);
    blameless_ = 0;
    weights_.assign(rectangles_.count(), 1);
    if (round < kRules.size()) return;
    for (double& weight : weights_) weight = 0.6 + random_.fraction();
  }

  const Rectangles& rectangles_;
  FastOptions options_;
  Skyline skyline_;
  SmallDice random_;
  Bytes bound_;        ///< No packing of the rectangles is lower.
  bool full_ = false;  ///< See `isFull`.
  std::chrono::steady_clock::time_point start_;
  FastResult result_;
  double longest_ = 1;
  double largest_ = 1;
  std::size_t rulesTried_ = 0;
  std::size_t bestRule_ = 0;
  std::vector<float> priorities_;
  std::vector<float> bestPriorities_;

  std::int64_t noiseMoves_ = 0;
  std::int64_t noisy_ = 0;
  std::size_t noisyTurns_ = 0;
  std::vector<float> noiseBase_;

  std::int64_t blameMoves_ = 0;
  std::size_t blameTurns_ = 0;
  int blameless_ = 0;
  std::vector<float> blameBase_;
  std::vector<double> weights_;
};

FastSearch::FastSearch(const Rectangles& rectangles, const FastOptions& options)
    : search_(std::make_unique<Search>(rectangles, options)) {}

FastSearch::~FastSearch() = default;

const FastResult& FastSearch::runTo(std::int64_t moves, double seconds, Bytes bound) {
  if (search_->hasRun() && !search_->goesOn()) {
    search_ = std::make_unique<Search>(search_->startedAnew());
  }
  return search_->runTo(moves, seconds, bound);
}

std::int64_t FastSearch::movesKept() const { return search_->goesOn() ? search_->moves() : 0; }

FastResult searchFast(const Rectangles& rectangles, const FastOptions& options) {
  return FastSearch(rectangles, options).runTo(options.moves, options.seconds, options.bound);
}

}  // namespace hw
