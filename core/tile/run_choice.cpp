#include "core/tile/run_choice.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>

namespace hw {
namespace {

constexpr std::array<TileGrid, 3> kLines = {{{1}, {2}, {4}}};
constexpr std::array<TileGrid, 6> kLoose = {{{1, 1, 1, true},
                                             {2, 1, 1, true},
                                             {4, 1, 1, true},
                                             {1, 1, 2, true},
                                             {1, 1, 3, true},
                                             {1, 1, 4, true}}};
constexpr std::array<TileGrid, 6> kStripes = {
    {{1, 1, 2}, {1, 1, 3}, {1, 1, 4}, {1, 1, 5}, {1, 1, 6}, {1, 1, 8}}};
constexpr std::int64_t kAll = TileRun::kAllRows;
constexpr std::array<TileGrid, 14> kPatches = {{{kAll, 2, 1},
                                                {kAll, 3, 1},
                                                {kAll, 4, 1},
                                                {kAll, 6, 1},
                                                {kAll, 8, 1},
                                                {kAll, 2, 2},
                                                {kAll, 3, 3},
                                                {kAll, 4, 2},
                                                {kAll, 4, 4},
                                                {kAll, 5, 5},
                                                {kAll, 6, 6},
                                                {kAll, 7, 7},
                                                {kAll, 8, 4},
                                                {kAll, 8, 8}}};

constexpr std::array<TileGrid, 11> kChannels = {{{1, 1, 1, false, 2},
                                                 {1, 1, 1, false, 3},
                                                 {1, 1, 1, false, 4},
                                                 {1, 1, 1, false, 6},
                                                 {1, 1, 1, false, 8},
                                                 {1, 1, 1, false, 12},
                                                 {1, 1, 1, false, 16},
                                                 {1, 1, 1, false, 24},
                                                 {1, 1, 1, false, 32},
                                                 {1, 1, 1, false, 48},
                                                 {1, 1, 1, false, 64}}};

}  // namespace

class RunChooser::Search {
 public:
  Search(const TileProgram& program, std::span<const TileGrid> grids, std::int64_t extra)
      : program_(program), all_(grids.begin(), grids.end()), extra_(extra), able_(program.size()) {
    for (const TileGrid& grid : grids) {
      const TileProgram& along = program.along(grid.groups);
      const auto [kind, isNew] = kinds_.try_emplace(grid.groups, along);
      kindOf_.push_back(&kind->second);
      for (std::size_t at = 0; isNew && at < able_.size(); ++at) {
        able_[at] = able_[at] || along.isAble(at);
      }
    }
  }

  RunChoice choose(std::span<const std::size_t> grids, const RunAim& aim,
                   const std::stop_token& stop) {
    grids_ = grids;
    inPlace_ = aim.inPlace;
    stop_ = stop;
    RunChoice choice;
    for (std::size_t at = 0; at < program_.size(); ++at) {
      choice.whole = std::max(choice.whole, liveAt(at));
    }
    choice.peak = choice.whole;
    Bytes low = std::max(floorOfAll(), aim.enough);
    // What is enough is tried first: often that is all that is asked.
    for (Bytes tried = low; low < choice.peak && !stop_.stop_requested();) {
      const bool found = wayUnder(tried);
      if (found) take(choice);
      if (found && tried == low) return choice;
      if (!found) low = std::max(tried + Bytes(1), next_);
      tried = low + Bytes((choice.peak - low).count() / 2);
    }
    // Under a higher threshold another way of the same price may have come first.
    if (!choice.runs.empty() && wayUnder(choice.peak)) take(choice);
    return choice;
  }

  std::size_t gridCount() const { return all_.size(); }

 private:
  /// A way to a cut: over the run, or the whole op, before it.
  struct CutWay {
    bool reached = false;
    RunPrice price{};
    TileRun run{};  ///< Of no columns: an op that runs whole.
    Bytes peak{};   ///< Of that run or op.

    static TileRun wholeOp(std::size_t at) { return {at, at + 1, 0, 0, 0}; }
    bool isTiled() const { return run.columns > 0; }
  };
  struct Candidate {
    RunPrice price{};  ///< Of the way there and the run.
    std::size_t first = 0;
    std::size_t grid = 0;
    friend auto operator<=>(const Candidate&, const Candidate&) = default;
  };
  /// Runs by rows, or by channels in so many groups.
  struct Kind {
    explicit Kind(const TileProgram& program) : pull(program), sweep(program) {}
    LinePull pull;
    BoxSweep sweep;
    std::uint64_t swept = 0;  ///< `endKey` of the runs that `sweep` is of; 0: none.
  };
  /// A run, as far as its last op and its grid tell: see BoxSweep.
  struct Swept {
    RunPrice price{};
    bool canBegin = false;
  };
  /// Runs of at least that length have so many bytes of their own live at once.
  struct OwnFrom {
    std::size_t length = 0;
    Bytes bytes{};
  };
  /// The runs of a grid that end at a cut: facts that are the same under every threshold.
  struct Ending {
    std::vector<Swept> runs{};   ///< The shortest first, as far as anybody has asked.
    bool complete = false;       ///< Longer ones are too dear, or their ops cannot run like that.
    std::vector<OwnFrom> own{};  ///< Ascending in both.
  };
  /// A run's peak, or a lower bound of it.
  struct Known {
    Bytes bytes{};
    bool exact = false;
  };

  Bytes liveAt(std::size_t at) const { return program_.liveAt(at, inPlace_); }

  /// Ops that cannot run in parts.
  Bytes floorOfAll() const {
    Bytes floor;
    for (std::size_t at = 0; at < program_.size(); ++at) {
      if (!able_[at]) floor = std::max(floor, liveAt(at));
    }
    return floor;
  }

  /// True when some way through needs at most `threshold` and costs no more than allowed; the
  /// cheapest one is in `ways_`. If not, none needs less than `next_`.
  bool wayUnder(Bytes threshold) {
    threshold_ = threshold;
    next_ = kMaxBytes;
    ways_.assign(program_.size() + 1, {});
    ways_[0].reached = true;
    std::size_t reached = 0;
    for (std::size_t cut = 1; cut <= program_.size(); ++cut) {
      if (cut > reached + kLongestRun || stop_.stop_requested()) return false;
      reachByWholeOp(cut);
      if (able_[cut - 1] && fits(program_.liveAcross(cut))) reachByRun(cut);
      if (ways_[cut].reached) reached = cut;
    }
    return ways_.back().reached;
  }

  bool fits(Bytes bytes) {
    if (bytes > threshold_) next_ = std::min(next_, bytes);
    return bytes <= threshold_;
  }

  void reachByWholeOp(std::size_t cut) {
    const Bytes live = liveAt(cut - 1);
    if (!ways_[cut - 1].reached || !fits(live)) return;
    RunPrice price = ways_[cut - 1].price;
    ++price.parts;
    ways_[cut] = {true, price, CutWay::wholeOp(cut - 1), live};
  }

  void reachByRun(std::size_t cut) {
    // Prices are not negative.
    const CutWay& whole = ways_[cut];
    const std::size_t from = cut > kLongestRun ? cut - kLongestRun : 0;
    const RunPrice* least = nullptr;
    for (std::size_t first = from; first < cut; ++first) {
      const CutWay& way = ways_[first];
      if (way.reached && (least == nullptr || way.price < *least)) least = &way.price;
    }
    if (least == nullptr || (whole.reached && whole.price <= *least)) return;
    if (kept_ > kMostKept) {
      endings_.clear();
      kept_ = 0;
    }
    candidates_.clear();
    for (const std::size_t grid : grids_) addCandidates(cut, grid, *least);
    std::ranges::sort(candidates_);
    for (const Candidate& candidate : candidates_) {
      if (stop_.stop_requested()) return;
      const TileRun run = runOf(candidate, cut);
      const Bytes peak = peakOf(run, candidate.grid);
      if (!fits(peak)) continue;
      ways_[cut] = {true, candidate.price, run, peak};
      return;
    }
  }

  /// The key of the runs of a grid that end at a cut.
  std::uint64_t endKey(std::size_t cut, std::size_t grid) const { return cut * all_.size() + grid; }

  TileRun runOf(const Candidate& candidate, std::size_t cut) const {
    const TileGrid& grid = all_[candidate.grid];
    return {candidate.first, cut, grid.rows, grid.bands, grid.columns, grid.apart, grid.groups};
  }

  /// The price of a run of `ending`, which is not pulled through. Null where it is too long or too
  /// dear, or its ops cannot run in parts; so it is for longer ones then. Asked from the shortest
  /// on.
  const Swept* sweptFrom(std::size_t first, std::size_t cut, std::size_t grid, Ending& ending) {
    const std::uint64_t key = endKey(cut, grid);
    const std::size_t length = cut - first;
    if (length <= ending.runs.size()) return &ending.runs[length - 1];
    if (ending.complete || length > kLongestRun) return nullptr;
    Kind& kind = *kindOf_[grid];
    const bool goesOn = std::exchange(kind.swept, key) == key && kind.sweep.first() == first + 1;
    if (!goesOn) kind.sweep.begin(runOf({{}, first, grid}, cut));
    bool more = true;
    while (more && kind.sweep.first() > first) more = kind.sweep.extend();
    ending.complete = !more || kind.sweep.price().extra > extra_;
    if (ending.complete) return nullptr;
    ++kept_;
    ending.runs.push_back({kind.sweep.price(), kind.sweep.canBegin(first)});
    return &ending.runs.back();
  }

  /// Runs of a grid that end at a cut, from where it is reached, if they are cheap enough. No way
  /// to where they begin costs less than `least`.
  void addCandidates(std::size_t cut, std::size_t grid, const RunPrice& least) {
    const CutWay& whole = ways_[cut];
    const auto [ending, isNew] = endings_.try_emplace(endKey(cut, grid));
    kept_ += isNew ? 1 : 0;
    for (std::size_t first = cut; first-- > 0;) {
      const Swept* run = sweptFrom(first, cut, grid, ending->second);
      if (run == nullptr) return;
      // Longer ones cost no less.
      if (whole.reached && whole.price <= least + run->price) return;
      const CutWay& before = ways_[first];
      if (!before.reached || !run->canBegin) continue;
      const RunPrice price = before.price + run->price;
      if (price.extra > extra_ || (whole.reached && whole.price <= price)) continue;
      if (fits(program_.liveAcross(first))) candidates_.push_back({price, first, grid});
    }
  }

  /// At least the threshold, where it is more than that.
  Bytes peakOf(const TileRun& run, std::size_t grid) {
    const std::size_t length = run.last - run.first;
    const std::uint64_t end = endKey(run.last, grid);
    LinePull& pull = kindOf_[grid]->pull;
    std::vector<OwnFrom>& own = endings_[end].own;
    const Bytes least = ownOf(own, length) + pull.liveAround(run);
    if (least > threshold_) return least;
    Known& known = known_[end * (kLongestRun + 1) + length];
    if (known.exact || known.bytes > threshold_) return known.bytes;
    const bool fits = pull.pull(run, threshold_ + Bytes(1), false);
    known = {pull.possible() ? pull.atLeast() : kMaxBytes, fits};
    if (pull.ownAtLeast() > ownOf(own, length)) {
      learn(own, {length, pull.ownAtLeast()});
      ++kept_;
    }
    return known.bytes;
  }

  static Bytes ownOf(const std::vector<OwnFrom>& own, std::size_t length) {
    const auto longer = std::ranges::upper_bound(own, length, {}, &OwnFrom::length);
    return longer == own.begin() ? Bytes() : std::prev(longer)->bytes;
  }

  static void learn(std::vector<OwnFrom>& own, const OwnFrom& more) {
    std::erase_if(own, [&](const OwnFrom& each) {
      return each.length >= more.length && each.bytes <= more.bytes;
    });
    own.insert(std::ranges::upper_bound(own, more.length, {}, &OwnFrom::length), more);
  }

  void take(RunChoice& choice) const {
    choice.runs.clear();
    choice.peak = {};
    choice.price = ways_.back().price;
    for (std::size_t cut = program_.size(); cut > 0; cut = ways_[cut].run.first) {
      const CutWay& way = ways_[cut];
      choice.peak = std::max(choice.peak, way.peak);
      if (way.isTiled()) choice.runs.push_back(way.run);
    }
    std::ranges::reverse(choice.runs);
  }

  /// The most facts of runs that are kept; beyond, all endings are dropped.
  static constexpr std::size_t kMostKept = 2'000'000;

  const TileProgram& program_;
  std::vector<TileGrid> all_;
  std::int64_t extra_;
  std::stop_token stop_;
  std::vector<bool> able_;  ///< By op: it can run in parts of some kind.
  std::map<std::int64_t, Kind> kinds_;
  std::vector<Kind*> kindOf_;           ///< By grid.
  std::span<const std::size_t> grids_;  ///< Those in use, by number.
  bool inPlace_ = false;
  std::unordered_map<std::uint64_t, Ending> endings_;  ///< By cut and grid.
  std::size_t kept_ = 0;                               ///< Facts of those.
  Bytes threshold_;
  Bytes next_;                ///< The least that anything took which took too much.
  std::vector<CutWay> ways_;  ///< By cut.
  std::vector<Candidate> candidates_;
  std::unordered_map<std::uint64_t, Known> known_;
};

std::span<const TileGrid> lineGrids() { return kLines; }
std::span<const TileGrid> looseGrids() { return kLoose; }
std::span<const TileGrid> stripeGrids() { return kStripes; }
std::span<const TileGrid> patchGrids() { return kPatches; }
std::span<const TileGrid> channelGrids() { return kChannels; }

RunChooser::RunChooser(const TileProgram& program, std::span<const TileGrid> grids,
                       std::int64_t extra)
    : search_(std::make_unique<Search>(program, grids, extra)) {}

RunChooser::~RunChooser() = default;

RunChoice RunChooser::choose(std::span<const std::size_t> grids, const RunAim& aim,
                             const std::stop_token& stop) {
  return search_->choose(grids, aim, stop);
}

RunChoice RunChooser::choose(const RunAim& aim, const std::stop_token& stop) {
  std::vector<std::size_t> all(search_->gridCount());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return choose(all, aim, stop);
}

}  // namespace hw
