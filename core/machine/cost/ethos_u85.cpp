#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/machine/cost/ethos.h"

// The estimate of Vela 5 for Ethos-U85: the blocks into which it cuts an output (its
// ethos_u85.cpp), what they take, and what they read and write (its ethos_u85_performance.cpp).

namespace hw::ethos {
namespace {

/// The granules in which inputs are read: of blocks of up to 16 channels, of up to 32, of more.
using U85Granules = std::array<Volume, 3>;
constexpr U85Granules kPairs{Volume{1, 2, 16}, Volume{1, 1, 32}, Volume{1, 1, 32}};
constexpr U85Granules kFours{Volume{2, 2, 16}, Volume{1, 2, 32}, Volume{1, 1, 64}};
constexpr U85Granules kFourLines{Volume{1, 4, 16}, Volume{1, 2, 32}, Volume{1, 1, 64}};
constexpr U85Granules kEights{Volume{2, 4, 16}, Volume{2, 2, 32}, Volume{1, 2, 64}};
constexpr U85Granules kEightLines{Volume{2, 4, 16}, Volume{1, 4, 32}, Volume{1, 2, 64}};
constexpr U85Granules kSixteens{Volume{4, 4, 16}, Volume{2, 4, 32}, Volume{2, 2, 64}};
constexpr U85Granules kSixteenLines{Volume{4, 4, 16}, Volume{2, 4, 32}, Volume{1, 4, 64}};

/// A micro-block: what the array makes at a time.
struct U85Micro {
  Volume made{};
  const U85Granules* granules = nullptr;
  bool dense = true;  ///< Of operators that sum over channels,
  bool deep = false;  ///< and of those that keep their depth.
};

/// One size of the accelerator.
struct U85Array {
  std::int64_t macs = 256;
  double cores = 1;
  std::int64_t inputBytes = 0;  ///< Of its own memory: for inputs,
  std::int64_t sumBytes = 0;    ///< and for sums.
  std::array<U85Micro, 3> micros{};
};
constexpr std::array kU85Arrays = {
    U85Array{128,
             1,
             8 << 10,
             8 << 10,
             {U85Micro{{1, 2, 8}, &kPairs}, U85Micro{{1, 1, 16}, &kPairs, false, true}}},
    U85Array{256,
             1,
             16 << 10,
             16 << 10,
             {U85Micro{{1, 2, 16}, &kFours, false, true}, U85Micro{{1, 4, 8}, &kFourLines},
              U85Micro{{2, 2, 8}, &kFours}}},
    U85Array{
        512,
        2,
        16 << 10,
        32 << 10,
        {U85Micro{{2, 2, 16}, &kFours, true, true}, U85Micro{{1, 4, 16}, &kFourLines, true, true}}},
    U85Array{1024,
             4,
             16 << 10,
             64 << 10,
             {U85Micro{{2, 2, 32}, &kEights}, U85Micro{{1, 4, 32}, &kEightLines},
              U85Micro{{2, 4, 16}, &kEights, true, true}}},
    U85Array{2048,
             4,
             32 << 10,
             128 << 10,
             {U85Micro{{2, 2, 64}, &kSixteens}, U85Micro{{1, 4, 64}, &kSixteenLines},
              U85Micro{{4, 4, 16}, &kSixteens, true, true}}}};

constexpr auto kU85Macs = macsOf(kU85Arrays);

/// The deepest granule in which sums are kept.
constexpr std::int64_t kSumDepth = 16;
constexpr Volume kMostBlock{128, 128, 1024};
constexpr double kU85Burst = 64;  ///< Bytes that the near memory moves at a time.
/// Share of the port that reading or writing alone gets. Vela: eight bursts of 64 bytes in 32
/// cycles are the 16 bytes a cycle of each of its ports, of which it counts 0.8 x 0.8.
constexpr double kOneWay = 0.64;

double u85Port(const UnitSpec& unit) { return unit.cost.portBytes > 0 ? unit.cost.portBytes : 32; }

/// Cycles of the output stage for so many elements, whatever it does with them.
double u85Stage(const U85Array& array, double elements) {
  return std::ceil(64 / static_cast<double>(array.macs) * elements);
}

/// The micro-block that leaves least of the array idle; of equals the first.
const U85Micro& microOf(const U85Array& array, const Layer& op) {
  const U85Micro* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const U85Micro& micro : array.micros) {
    if (micro.granules == nullptr || !(op.keepsDepth() ? micro.deep : micro.dense)) continue;
    const double made = padded(op.out, micro.made).elements();
    if (best != nullptr && made >= least) continue;
    best = &micro;
    least = made;
  }
  return *best;
}

/// True if going by elements of the kernel leaves less of the array idle than going by channels, of
/// which 64 are multiplied at a time. A kernel counts as whole fives of elements, a rest of one as
/// two.
bool u85GoesByKernel(const Layer& op) {
  const std::int64_t kernel = cyclesTimes(op.kernelRows, op.kernelColumns);
  const auto fill = [&](std::int64_t granule) {
    return static_cast<double>(op.in.depth) / static_cast<double>(padded(op.in.depth, granule));
  };
  const std::int64_t whole = kernel / 5 * 5 + std::max<std::int64_t>(kernel % 5, 2);
  return fill(16) * static_cast<double>(kernel) / static_cast<double>(whole) >= fill(64);
}

/// Rows of an image with as many places as a matrix has rows: nearly as high as wide, at most 16.
std::int64_t highOf(std::int64_t rows) {
  for (std::int64_t high = std::min<std::int64_t>(rows, 16); high > 1; --high) {
    if (rows % high == 0 && high <= rows / high) return high;
  }
  return 1;
}

/// The operator as Vela hands it to the array.
Layer u85Layer(Layer op) {
  if (op.kind == Kind::product) {
    const std::int64_t rows = op.out.columns;
    op.in.rows = op.out.rows = highOf(rows);
    op.in.columns = op.out.columns = rows / op.out.rows;
  }
  op.byKernel = op.kind == Kind::convolution && u85GoesByKernel(op);
  return op;
}

/// The largest multiple of `granule` in `size`, or one.
std::int64_t wholeGranules(std::int64_t size, std::int64_t granule) {
  return std::max(size / granule * granule, granule);
}

/// The search for the blocks.
class U85Search {
 public:
  U85Search(const U85Array& array, const U85Micro& micro, const Layer& op)
      : array_(array),
        micro_(micro),
        op_(op),
        step_{micro.made.rows, micro.made.columns, std::max(micro.made.depth, kSumDepth)},
        all_(padded(op.out, step_)),
        most_(smaller(all_, kMostBlock)) {}

  Blocks find() { return op_.keepsDepth() ? keepingDepth() : readingLeast(); }

 private:
  static constexpr std::int64_t kLongest = std::int64_t{1} << 20;  ///< Longer ones fit nowhere.

  const Volume& granule(std::int64_t depth) const {
    return (*micro_.granules)[depth > 32 ? 2 : depth > 16 ? 1 : 0];
  }

  /// What is read for a block of an output, in granules of inputs of `depth` channels.
  Volume inputOf(const Volume& out, std::int64_t depth) const {
    const auto side = [](std::int64_t size, const Slide& slide, std::int64_t unit) {
      const std::int64_t reach = std::min(slide.reach, kMostKernel);
      const std::int64_t all = cyclesPlus(cyclesTimes(size - 1, slide.step), reach);
      return padded(std::min(all, kLongest), unit);
    };
    const Volume& units = granule(depth);
    return {side(out.rows, op_.down, units.rows), side(out.columns, op_.across, units.columns),
            padded(depth, units.depth)};
  }

  /// The block that reads least for what it makes, of products the one with most places; of equal
  /// small ones that which reads most of the image. The array's memory holds two of them, or one
  /// where no two fit.
  Blocks readingLeast() {
    for (const double times : {2.0, 1.0}) {
      for (std::int64_t depth =
               nextDepth(std::max(micro_.made.depth, std::min(most_.depth, kSumDepth)));
           depth <= most_.depth && considerDepth(depth, times);
           depth = nextDepth(depth + micro_.made.depth)) {
      }
      if (cost_ < std::numeric_limits<float>::infinity()) return best_;
    }
    return {inputOf(step_, inDepth()), step_};
  }
  std::int64_t nextDepth(std::int64_t depth) const {
    return depth < op_.out.depth ? padded(depth, kSumDepth) : depth;
  }
  std::int64_t inDepth() const { return op_.byKernel ? 16 : 64; }

  /// False if no block of that depth fits: then none of a larger one does.
  bool considerDepth(std::int64_t depth, double times) {
    for (std::int64_t rows = step_.rows; rows <= most_.rows; rows += step_.rows) {
      if (!fits({rows, step_.columns, depth}, times)) return rows > step_.rows;
      for (std::int64_t columns = step_.columns; columns <= most_.columns;
           columns += step_.columns) {
        const Volume out{rows, columns, depth};
        if (!fits(out, times)) break;
        consider({inputOf(out, inDepth()), out});
      }
    }
    return true;
  }

  bool fits(const Volume& out, double times) const {
    const Volume in = inputOf(out, inDepth());
    const std::int64_t deep = padded(std::min(in.depth, op_.in.depth), granule(inDepth()).depth);
    const double sums = out.places() * static_cast<double>(padded(out.depth, kSumDepth)) * 4;
    return in.places() * static_cast<double>(deep) * times <=
               static_cast<double>(array_.inputBytes) &&
           sums * times <= static_cast<double>(array_.sumBytes);
  }

  /// Takes the block if it costs least; in single precision and in the order of Vela, so that the
  /// same blocks cost alike.
  void consider(const Blocks& block) {
    const Volume blocks = tiles(op_.out, block.out);
    const auto real = [](auto value) { return static_cast<float>(value); };
    float cost = 1 / real(block.out.places());
    if (op_.kind != Kind::product) {
      const auto share = [&](std::int64_t all, std::int64_t size) {
        return real(all) / real(size);
      };
      const float kernel = real(op_.kernelRows) * real(op_.kernelColumns);
      float weights = kernel * real(op_.in.depth) * real(blocks.places());
      weights *= share(op_.out.depth, block.out.depth) * real(block.out.depth);
      const float repeats =
          real(tilesOf(op_.down.reach, kMostKernel)) * real(tilesOf(op_.across.reach, kMostKernel));
      float inputs = real(block.in.places()) * real(op_.in.depth) * repeats *
                     share(op_.out.columns, block.out.columns) *
                     share(op_.out.rows, block.out.rows);
      inputs *= real(blocks.depth);
      cost = (inputs + weights) / real(op_.out.elements());
    }
    if (op_.in.elements() < block.in.elements() * 2) cost /= 2;
    if (cost > cost_) return;
    if (cost == cost_) {
      const float coverage = real(op_.in.places() / smaller(op_.in, block.in).places());
      if (coverage > coverage_ || block.out.rows > 4 || block.out.columns > 4) return;
      coverage_ = coverage;
    } else {
      coverage_ = std::numeric_limits<float>::infinity();
    }
    cost_ = cost;
    best_ = block;
  }

  /// A block as much like the output as fits, with room for a row more of its input where there
  /// are several blocks.
  Blocks keepingDepth() const {
    Volume out = likeOutput();
    unsigned forced = 0;  ///< Bits: sides that may shrink although they are whole.
    while (true) {
      const Volume in = inputOf(out, out.depth);
      const Volume row = inputOf({step_.rows, out.columns, out.depth}, out.depth);
      const bool whole =
          out.rows >= all_.rows && out.columns >= all_.columns && out.depth >= all_.depth;
      const double room = static_cast<double>(array_.inputBytes) - in.elements();
      if (whole || room >= row.elements() || !shrink(out, forced)) return {in, out};
    }
  }
  /// False if nothing is left to take away.
  bool shrink(Volume& out, unsigned& forced) const {
    const std::int64_t deep = granule(out.depth).depth;
    if ((out.rows != all_.rows || (forced & 2) != 0) && out.rows > step_.rows) {
      out.rows -= step_.rows;
    } else if ((out.depth > out.columns || (forced & 1) != 0) && out.depth > deep) {
      out.depth -= deep;
    } else if ((out.columns != all_.columns || (forced & 4) != 0) && out.columns > step_.columns) {
      out.columns -= step_.columns;
    } else if (forced != 7) {
      forced = forced << 1 | 1;
    } else if (out.depth > kSumDepth) {
      out.depth = std::max(out.depth / 2, kSumDepth);
    } else {
      return false;
    }
    return true;
  }

  Volume likeOutput() const {
    const double sums = static_cast<double>(array_.sumBytes) / 4;
    const double unit = step_.places() * kSumDepth;
    const bool byDepth = op_.down.reach == 1 && op_.across.reach == 1;
    const double area = byDepth
                            ? static_cast<double>(all_.columns) * static_cast<double>(all_.depth)
                            : all_.places();
    const auto deepest =
        std::min(std::max(array_.macs, static_cast<std::int64_t>(sums / unit)), most_.depth);
    Volume best = step_;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t depth = kSumDepth; depth <= deepest; depth += kSumDepth) {
      const std::optional<Volume> out = fitted(depth, sums, unit);
      if (!out) break;
      const std::int64_t deep = granule(depth).depth;
      const std::int64_t used = depth % deep == 0 ? deep : depth % deep;
      const double waste = 1 + static_cast<double>(deep - used) / static_cast<double>(deep) / 10;
      const auto off = [](double wanted, double given) { return std::abs(1 - wanted / given); };
      const double fit = 1 + off(static_cast<double>(most_.depth), static_cast<double>(depth)) / 10;
      const double coverage = 1 + off(area, static_cast<double>(out->columns) *
                                                static_cast<double>(byDepth ? depth : out->rows));
      if (coverage * fit * waste >= least) continue;
      least = coverage * fit * waste;
      best = *out;
      if (depth >= all_.depth && out->columns >= all_.columns && out->rows >= all_.rows) {
        return all_;
      }
    }
    return best;
  }

  /// The largest block of a depth, as high for its width as the output, whose sums and input fit.
  std::optional<Volume> fitted(std::int64_t depth, double sums, double unit) const {
    const double whole = padded(op_.in, granule(depth)).elements();
    double place = sums;
    double before = -1;
    for (int tries = 25; place >= unit;) {
      const Volume out = shaped(place / static_cast<double>(depth), depth);
      const double used = out.elements();
      const double sumRatio = sums / used;
      double inRatio =
          static_cast<double>(array_.inputBytes) / std::min(inputOf(out, depth).elements(), whole);
      if (sumRatio >= 1 && inRatio >= 1) return out;
      if (used == before && --tries <= 0) inRatio = 0.9;
      before = used;
      if (inRatio < 1 && sumRatio > 1) place = std::min(place, used);
      const double next = std::floor(std::floor(place / unit) * std::min(inRatio, sumRatio)) * unit;
      place = next == place ? place - unit : next;
    }
    return std::nullopt;
  }

  /// A block of an area, whose columns leave little at the end of a row.
  Volume shaped(double area, std::int64_t depth) const {
    const double aspect = static_cast<double>(all_.rows) / static_cast<double>(all_.columns);
    double wide = std::sqrt(std::floor(area) / aspect);
    double high = wide * aspect;
    if (high < 1) {
      wide *= high;
      high = 1;
    } else if (wide < 1) {
      high *= wide;
      wide = 1;
    }
    const auto side = [](double size, std::int64_t granule, std::int64_t most) {
      return std::min(wholeGranules(static_cast<std::int64_t>(size), granule), most);
    };
    Volume out{side(high, step_.rows, most_.rows), side(wide, step_.columns, most_.columns), depth};
    const std::int64_t places = out.rows * out.columns;
    if (out.columns < all_.columns) {
      out.columns = leavingLeast(all_.columns, step_.columns, out.columns);
    }
    out.rows = wholeGranules(places / out.columns, step_.rows);
    return out;
  }
  /// A width up to `most` whose last block is as full as can be, or the first that divides `all`.
  static std::int64_t leavingLeast(std::int64_t all, std::int64_t granule, std::int64_t most) {
    if (all % most == 0) return most;
    const std::int64_t even = std::max(padded(all / (all / most + 1), granule), granule);
    const std::int64_t least = std::max({even - granule * 2, (even + 1) / 2, granule});
    std::int64_t best = most;
    std::int64_t rest = all % most;
    for (std::int64_t width = most; width >= least; width -= granule) {
      const std::int64_t left = all % width == 0 ? width : all % width;
      if (left <= rest) continue;
      best = width;
      rest = left;
    }
    return best;
  }

  const U85Array& array_;
  const U85Micro& micro_;
  const Layer& op_;
  Volume step_;  ///< The smallest block.
  Volume all_;   ///< The output, in such blocks,
  Volume most_;  ///< and as much of it as a block may be.
  float cost_ = std::numeric_limits<float>::infinity();
  float coverage_ = std::numeric_limits<float>::infinity();
  Blocks best_{};
};

/// The cycles of an operator, block by block.
class U85Estimate {
 public:
  U85Estimate(const UnitSpec& unit, const Layer& op, const CostedOp& costed)
      : array_(sizeOf(kU85Arrays, unit)),
        op_(op),
        costed_(costed),
        port_(u85Port(unit)),
        farLatency_(unit.cost.farLatency),
        micro_(microOf(array_, op)),
        blocks_(U85Search(array_, micro_, op).find()),
        in_(smaller(op.in, blocks_.in)),
        out_(smaller(op.out, blocks_.out)) {}

  /// Bytes go through the port together, and each way alone through its part of it.
  static double through(double port, double read, double written) {
    return std::floor(
        std::max((read + written) / port, std::max(read, written) / (kOneWay * port)));
  }

  double cycles() const {
    const Moved elements = moved(op_, costed_, blocks_);
    return op_.times * std::max(computed(), through(port_, readBytes(elements.read),
                                                    writtenBytes(elements.written)));
  }

 private:
  /// Multiplying and the output stage, each hidden behind the other but for one block.
  double computed() const {
    double stage = u85Stage(array_, out_.elements());
    if (op_.kind != Kind::pooling) {
      // Weights that are read more than once are fetched into the near memory.
      const bool once = tiles(op_.out, out_).places() == 1;
      const double latency = once ? farLatency_ : kNearLatency;
      stage = std::max(stage, 10 * static_cast<double>(out_.depth) * latency / 256);
    }
    double dots = dotsOfBlock();
    const double first = kNearLatency + std::floor(readBytes(in_.elements()) / port_);
    const double last = kNearLatency + std::floor(writtenBytes(out_.elements()) / port_);
    const double blocks =
        tiles(op_.out, micro_.made).elements() / tiles(out_, micro_.made).elements();
    const double command = ((blocks > 1 ? std::abs(last - first) : 0) + dots + stage) / 4;
    dots = std::max(dots, command);
    stage = std::max(stage, command);
    return std::floor(std::max(dots, stage) * blocks + std::min(dots, stage)) + first + last;
  }

  double dotsOfBlock() const {
    const double cycles =
        overKernel(op_, [this](std::int64_t kernel) { return dotsOfKernel(kernel); });
    if (op_.keepsDepth()) return cycles;
    return cycles * static_cast<double>(tilesOf(op_.in.depth, in_.depth));
  }

  /// Cycles of a part of the kernel, of up to 64 elements.
  double dotsOfKernel(std::int64_t kernel) const {
    constexpr double kWait = 2;
    const Volume micros = tiles(out_, micro_.made);
    if (op_.kind == Kind::pooling) {
      return static_cast<double>(std::max<std::int64_t>(4, kernel)) * micros.elements() * 4 +
             delay(micros, 1, kWait);
    }
    const bool four = op_.kind == Kind::depthwise || op_.byKernel;
    const std::int64_t steps = four ? tilesOf(kernel, 4) : kernel;
    const auto eights = static_cast<double>(four ? 4 : in_.depth / 8);
    // Decoding the weights of a step takes a while, too.
    const double each = std::max(4 * static_cast<double>(micro_.made.depth) / array_.cores,
                                 eights * micros.places());
    const double slices = op_.byKernel ? static_cast<double>(tilesOf(in_.depth, 8)) : 1;
    const double dots =
        each * static_cast<double>(steps) * static_cast<double>(micros.depth) * slices;
    // Where at most two of four weights along the input channels are not zero, it takes half.
    const bool sparse = !op_.keepsDepth() && op_.in.depth <= 2;
    return (sparse ? std::floor(dots / 2) : dots) + delay(micros, steps, kWait) * slices;
  }

  double readBytes(double bytes) const {
    const Volume& block = blocks_.in;
    const std::int64_t pixels = op_.in.depth == block.depth ? block.columns : 1;
    return inBursts(bytes,
                    costed_.fromCaller ? block.depth * pixels : togetherInBricks(op_.in, block, 1),
                    kU85Burst);
  }
  double writtenBytes(double bytes) const {
    const Volume& block = blocks_.out;
    const auto cores = static_cast<std::int64_t>(array_.cores);
    if (!costed_.toCaller) {
      return inBursts(bytes, togetherInBricks(op_.out, block, cores), kU85Burst);
    }
    const bool whole = block.depth <= kBrick && op_.out.depth == block.depth;
    return inBursts(bytes,
                    whole ? block.depth * block.columns : std::min(kBrick * cores, block.depth),
                    kU85Burst);
  }

  const U85Array& array_;
  const Layer& op_;
  const CostedOp& costed_;
  double port_;
  double farLatency_;
  const U85Micro& micro_;
  Blocks blocks_;
  Volume in_;   ///< As much of a block as there is of the input,
  Volume out_;  ///< and of the output.
};

/// Types of operators that the output stage does alone, an element after the other.
constexpr std::array<std::string_view, 13> kU85Stage = {
    "Add",  "Sub",   "Mul",  "Max",       "Min",     "LeakyRelu",     "Abs",
    "Relu", "Relu6", "Tanh", "HardSwish", "Sigmoid", "QuantizeLinear"};

std::optional<std::int64_t> u85Cycles(const UnitSpec& unit, const Work& work, const CostedOp& op) {
  if (work.loops && std::ranges::min(work.loops->sizes) < 1) return 0;
  if (work.loops) {
    const Layer prepared = u85Layer(layerOf(work, op));
    return cyclesAt(U85Estimate(unit, prepared, op).cycles(), 1);
  }
  if (work.macs > 0 || std::ranges::find(kU85Stage, op.type) == kU85Stage.end()) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(work.written);
  const double stage = u85Stage(sizeOf(kU85Arrays, unit), count);
  return cyclesAt(std::max(stage, (kNearLatency + count / u85Port(unit) + stage) / 4), 1);
}

}  // namespace
}  // namespace hw::ethos

namespace hw {

constinit const CostModel kEthosU85Cost{.name = "ethos-u85",
                                        .params = ethos::kParams,
                                        .macs = ethos::kU85Macs,
                                        .biasBytes = 10,
                                        .cycles = ethos::u85Cycles};

}  // namespace hw
