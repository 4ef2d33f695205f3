#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/machine/cost/ethos.h"

// The estimate of Vela for Ethos-U55 and U65: the blocks into which it cuts an output (its
// architecture_allocator.py), what they take, and what they read and write (its
// npu_performance.py).

namespace hw::ethos {
namespace {

/// Bytes that the near memory moves at a time.
constexpr double kNearBurst = 32;
constexpr std::int64_t kBankBytes = 1024;
constexpr std::int64_t kOutputBanks = 2;
constexpr std::int64_t kFewInputs = 8;  ///< Channels that are multiplied at a time, at least.

/// One size of the accelerator.
struct EthosArray {
  std::int64_t macs = 256;  ///< Of all cores.
  Volume micro{};           ///< What one core makes at a time.
  std::int64_t cores = 1;
  std::int64_t banks = 48;  ///< Of its own memory, for two blocks of an input and two of sums.
  std::int64_t inputGranule = 8;
  std::int64_t sumGranule = 16;
  double port = 8;  ///< Bytes a cycle to the near memory, unless the unit says it.
};
constexpr std::array kEthosArrays = {
    EthosArray{32, {1, 1, 4}, 1, 16, 2, 4}, EthosArray{64, {1, 1, 8}, 1, 16, 2, 4},
    EthosArray{128, {1, 2, 8}, 1, 24, 4, 8}, EthosArray{256, {2, 2, 8}, 1, 48, 8, 16},
    EthosArray{512, {2, 2, 8}, 2, 48, 8, 16, 16}};

constexpr auto kEthosMacs = macsOf(kEthosArrays);

double portOf(const UnitSpec& unit) {
  return unit.cost.portBytes > 0 ? unit.cost.portBytes : sizeOf(kEthosArrays, unit).port;
}

/// Cycles of the output stage for an element, by standard type.
struct OutputRate {
  std::string_view type;
  double cycles = 0.25;  ///< On 256 multipliers; half as many take twice as long.
  double table = 0;      ///< Of a core that looks it up, at least.
};
constexpr OutputRate kUsualOutput{""};
constexpr std::array kOutputRates = {OutputRate{"Add", 0.75},
                                     OutputRate{"Sub", 0.75},
                                     OutputRate{"Mul", 0.375},
                                     OutputRate{"MaxPool", 0.125},
                                     OutputRate{"Max"},
                                     OutputRate{"Min"},
                                     OutputRate{"LeakyRelu"},
                                     OutputRate{"Abs"},
                                     OutputRate{"Relu"},
                                     OutputRate{"Relu6"},
                                     OutputRate{"Sigmoid", 0.25, 1},
                                     OutputRate{"Tanh", 0.25, 1},
                                     OutputRate{"HardSwish", 0.25, 1},
                                     OutputRate{"QuantizeLinear"}};

const OutputRate* outputRate(std::string_view type) {
  const auto found = std::ranges::find(kOutputRates, type, &OutputRate::type);
  return found == kOutputRates.end() ? nullptr : &*found;
}

double cyclesAnElement(const OutputRate& rate, const EthosArray& array) {
  return std::max(rate.cycles * 256 / static_cast<double>(array.macs),
                  rate.table / static_cast<double>(array.cores));
}

/// True if part of the array idles less when it goes by kernel elements than by channels.
bool goesByKernel(const Layer& op) {
  if (op.in.depth <= kFewInputs) return true;
  const std::int64_t kernel = cyclesTimes(op.kernelRows, op.kernelColumns);
  const auto depth = static_cast<double>(op.in.depth);
  const double byDepth = depth / static_cast<double>(padded(op.in.depth, 32));
  const double byKernel =
      depth * static_cast<double>(kernel) /
      (static_cast<double>(padded(op.in.depth, 8)) * static_cast<double>(padded(kernel, 4)));
  return byKernel > byDepth;
}

/// Puts zeros between the elements of a kernel where its dilation is more than two, which the array
/// does by itself.
void dilate(std::int64_t& kernel, const Slide& slide) {
  if (kernel < 2 || slide.reach == kernel) return;
  const std::int64_t dilation = (slide.reach - 1) / (kernel - 1);
  if (dilation > 2) kernel = (kernel - 1) * (dilation % 2 == 0 ? dilation / 2 : dilation) + 1;
}

/// Reads the columns of a step side by side, as channels, where an image has a whole number of
/// steps: for steps of more than three, and in a first layer of few channels.
void takeOutSteps(Layer& op, bool first) {
  Slide& slide = op.across;
  const std::int64_t depth = cyclesTimes(op.in.depth, slide.step);
  const bool wanted = slide.step > 3 || (first && slide.step > 1 && depth <= kFewInputs);
  if (!wanted || slide.image % slide.step != 0 || slide.reach != op.kernelColumns) return;
  const std::int64_t padding =
      cyclesPlus(cyclesTimes(op.out.columns - 1, slide.step), slide.reach) - slide.image;
  op.kernelColumns = padding > 0 ? padding + 1 : tilesOf(op.kernelColumns, slide.step);
  op.in.columns /= slide.step;
  op.in.depth = depth;
  slide = {.image = op.in.columns, .reach = op.kernelColumns};
}

/// The operator as Vela hands it to the array. Matrices of 4, 8 or 16 rows are images of 2 x 2,
/// 2 x 4 or 4 x 4.
Layer prepared(Layer op, const CostedOp& costed) {
  if (op.kind == Kind::product) {
    const std::int64_t rows = op.out.columns;
    const std::int64_t high = rows == 4 || rows == 8 ? 2 : rows == 16 ? 4 : 1;
    op.in.rows = op.out.rows = high;
    op.in.columns = op.out.columns = rows / high;
    return op;
  }
  const auto isWhole = [](const Slide& slide) {
    return slide.reach == slide.image && slide.step == slide.image;
  };
  if (op.kind == Kind::pooling) {
    // Of a whole image there is no second output to step to.
    if (isWhole(op.down) && isWhole(op.across)) op.down.step = op.across.step = 1;
    return op;
  }
  dilate(op.kernelRows, op.down);
  dilate(op.kernelColumns, op.across);
  if (op.kind == Kind::convolution) takeOutSteps(op, costed.fromCaller && op.times == 1);
  op.byKernel = goesByKernel(op);
  return op;
}

/// True for one row of outputs, by a kernel of one row.
bool isLine(const Layer& op) { return op.out.rows == 1 && op.kernelRows == 1; }

/// The search for the blocks that read least for what they make.
class BlockSearch {
 public:
  BlockSearch(const EthosArray& array, const Layer& op) : array_(array), op_(op) {
    const Volume most = smaller(op.out, {32, 64, 128});
    deepest_ = padded(most.depth, array.micro.depth);
    // Sums of outputs of one row take one row.
    const bool line = isLine(op) && array.micro.rows == 2;
    rows_ = sides(most.rows, array.micro.rows, op.down, op.out.rows, line);
    columns_ = sides(most.columns, array.micro.columns, op.across, op.out.columns, false);
    repeats_ = static_cast<double>(tilesOf(op.down.reach, kMostKernel)) *
               static_cast<double>(tilesOf(op.across.reach, kMostKernel));
    if (!op.convolves()) return;
    weights_ = static_cast<double>(op.down.reach) * static_cast<double>(op.across.reach) *
               static_cast<double>(op.in.depth);
  }

  Blocks find() {
    const std::int64_t micro = array_.micro.depth;
    best_ = blocksOf(rows_[0], columns_[0], micro);
    for (std::int64_t depth = nextDepth(std::max(micro, std::min(deepest_, kBrick)));
         depth <= deepest_; depth = nextDepth(depth + micro)) {
      findOfDepth(depth);
    }
    return best_;
  }

 private:
  /// A side of a block: so many elements of the output.
  struct Side {
    std::int64_t size = 1;
    std::int64_t sums = 1;   ///< Outputs that are summed up at a time: all, or one row.
    std::int64_t input = 1;  ///< Elements of the input that it reads.
    std::int64_t tiles = 1;  ///< Blocks that the output has on this side.
    double share = 1;        ///< Blocks without rounding up.
  };

  static std::vector<Side> sides(std::int64_t most, std::int64_t micro, const Slide& slide,
                                 std::int64_t all, bool line) {
    // Longer ones fit nowhere.
    constexpr std::int64_t kLongest = std::int64_t{1} << 20;
    const std::int64_t reach = std::min(slide.reach, kMostKernel);
    std::vector<Side> sides;
    sides.reserve(static_cast<std::size_t>(tilesOf(most, micro)));
    for (std::int64_t size = micro; size < most + micro; size += micro) {
      const std::int64_t sums = line ? 1 : size;
      const std::int64_t input = cyclesPlus(cyclesTimes(size - 1, slide.step), reach);
      sides.push_back({size, sums, padded(std::min(input, kLongest), micro), tilesOf(all, sums),
                       static_cast<double>(all) / static_cast<double>(sums)});
    }
    return sides;
  }

  std::int64_t nextDepth(std::int64_t depth) const {
    return depth < op_.out.depth ? padded(depth, kBrick) : depth;
  }

  std::int64_t inputDepth(std::int64_t depth) const {
    if (op_.keepsDepth()) return depth;
    return padded(std::min<std::int64_t>(op_.in.depth, op_.byKernel ? 16 : 32), 8);
  }

  Blocks blocksOf(const Side& rows, const Side& columns, std::int64_t depth) const {
    return {{rows.input, columns.input, inputDepth(depth)}, {rows.size, columns.size, depth}};
  }

  /// Two inputs, each element a byte, and two blocks of sums, each four, fit the array's memory.
  bool fits(const Side& rows, const Side& columns, std::int64_t depth) const {
    const auto banks = [](std::int64_t bytes, std::int64_t granule) {
      return padded(2 * tilesOf(bytes, kBankBytes), granule);
    };
    const std::int64_t reserved = array_.banks > 16 ? 2 : 0;
    const std::int64_t inputs =
        banks(rows.input * columns.input * padded(inputDepth(depth), 8), array_.inputGranule);
    const std::int64_t sums =
        banks(rows.sums * columns.sums * padded(depth, 8) * 4, array_.sumGranule);
    return kOutputBanks + reserved + inputs + sums <= array_.banks;
  }

  /// Larger blocks of some rows fit with fewer columns.
  void findOfDepth(std::int64_t depth) {
    std::vector<std::size_t> widest;  ///< By rows: the number of columns that fit.
    widest.reserve(rows_.size());
    std::size_t fitting = columns_.size();
    for (const Side& rows : rows_) {
      while (fitting > 0 && !fits(rows, columns_[fitting - 1], depth)) --fitting;
      if (fitting == 0) return;
      widest.push_back(fitting);
      for (std::size_t i = 0; i < fitting; ++i) {
        if (isTried(rows, columns_[i], widest)) consider(rows, columns_[i], depth);
      }
    }
  }

  /// Vela leaves out a block whose sides were tried the other way round and did not fit.
  bool isTried(const Side& rows, const Side& columns,
               const std::vector<std::size_t>& widest) const {
    const Volume& micro = array_.micro;
    if (columns.size >= rows.size || columns.size % micro.rows != 0 ||
        rows.size % micro.columns != 0) {
      return true;
    }
    const auto turned = static_cast<std::size_t>(rows.size / micro.columns);
    return turned > columns_.size() ||
           turned <= widest[static_cast<std::size_t>(columns.size / micro.rows) - 1];
  }

  /// Takes the block that reads least for each byte made; of equals the small one that reads most
  /// of the image. Where both inputs at once hold the whole, half as much counts.
  void consider(const Side& rows, const Side& columns, std::int64_t depth) {
    const std::int64_t deep = inputDepth(depth);
    const auto places = static_cast<double>(rows.input * columns.input);
    double inputs =
        places * static_cast<double>(op_.in.depth) * repeats_ * (rows.share * columns.share);
    double weights =
        weights_ * (static_cast<double>(rows.tiles) * static_cast<double>(columns.tiles));
    if (!op_.keepsDepth()) {
      inputs *= static_cast<double>(tilesOf(op_.out.depth, depth));
      // Divided and multiplied as Vela does, so that the same blocks have equal costs.
      const auto each = static_cast<double>(depth);
      weights *= each * (static_cast<double>(op_.out.depth) / each);
    }
    double cost = (inputs + weights) / op_.out.elements();
    if (op_.in.elements() < places * static_cast<double>(deep) * 2) cost /= 2;
    if (cost > cost_) return;
    if (cost == cost_) {
      const Volume input{rows.input, columns.input, deep};
      const double coverage = op_.in.places() / smaller(op_.in, input).places();
      if (coverage > coverage_ || rows.size > 4 || columns.size > 4) return;
      coverage_ = coverage;
    } else {
      coverage_ = std::numeric_limits<double>::infinity();
    }
    cost_ = cost;
    best_ = blocksOf(rows, columns, depth);
  }

  const EthosArray& array_;
  const Layer& op_;
  std::int64_t deepest_ = 1;
  std::vector<Side> rows_;
  std::vector<Side> columns_;
  double repeats_ = 1;
  double weights_ = 0;  ///< Of an output channel, read for each block of the image.
  double cost_ = std::numeric_limits<double>::infinity();
  double coverage_ = std::numeric_limits<double>::infinity();
  Blocks best_{};
};

/// The cycles of an operator, block by block.
class EthosEstimate {
 public:
  EthosEstimate(const UnitSpec& unit, const Layer& op, const CostedOp& costed)
      : array_(sizeOf(kEthosArrays, unit)),
        op_(op),
        costed_(costed),
        port_(portOf(unit)),
        farLatency_(unit.cost.farLatency),
        wait_(array_.macs == 32 ? 3 : 2),
        blocks_(BlockSearch(array_, op).find()),
        out_(smaller(op.out, blocks_.out)),
        micro_(array_.micro) {
    // Two rows of the array lie along a single one of the output.
    const bool turns =
        micro_.rows == 2 && op.kind != Kind::pooling && isLine(op) && op.out.columns % 2 == 0;
    if (turns) micro_ = {1, 4, micro_.depth};
  }

  double cycles() const {
    const Moved bytes = moved(op_, costed_, blocks_);
    return op_.times * std::max(computed(), readCycles(bytes.read) + writeCycles(bytes.written));
  }

 private:
  /// Multiplying and the output stage, each hidden behind the other but for one block.
  double computed() const {
    double dots = dotsOfBlock() / static_cast<double>(array_.cores);
    const OutputRate* rate = outputRate(costed_.type);
    double stage = std::ceil(cyclesAnElement(rate == nullptr ? kUsualOutput : *rate, array_) *
                             out_.elements());
    if (op_.kind != Kind::pooling) {
      // Weights of convolutions are fetched ahead into the near memory.
      const double latency = op_.kind == Kind::product ? farLatency_ : kNearLatency;
      stage = std::max(stage, 10 * static_cast<double>(out_.depth) * latency / 256);
    }
    const double command = (2 * kNearLatency + readCycles(smaller(op_.in, blocks_.in).elements()) +
                            writeCycles(out_.elements()) + stage + dots) /
                           4;
    dots = std::max(dots, command);
    stage = std::max(stage, command);
    const double blocks = tiles(op_.out, out_).elements();
    return std::floor(std::max(dots, stage) * blocks + std::min(dots, stage));
  }

  double dotsOfBlock() const {
    const double cycles =
        overKernel(op_, [this](std::int64_t kernel) { return dotsOfKernel(kernel); });
    if (op_.keepsDepth()) return cycles;
    return cycles * static_cast<double>(tilesOf(op_.in.depth, inDepth()));
  }

  std::int64_t inDepth() const { return std::min(op_.in.depth, blocks_.in.depth); }

  /// With a kernel of up to 64 elements.
  double dotsOfKernel(std::int64_t kernel) const {
    const Volume micros = tiles(out_, micro_);
    const double places = 4 * micros.places();
    const auto deep = static_cast<double>(micros.depth);
    if (op_.kind == Kind::pooling) {
      return static_cast<double>(std::max<std::int64_t>(4, kernel)) * micros.places() * deep +
             delay(micros, 1, wait_);
    }
    const bool four = op_.kind == Kind::depthwise || op_.byKernel;
    const std::int64_t steps = four ? tilesOf(kernel, 4) : kernel;
    const bool slices = op_.kind == Kind::convolution && op_.byKernel;
    // Decoding the weights of a step takes at least as long as 32 outputs.
    const double each = std::max(4 * static_cast<double>(micro_.depth), places);
    return (each * static_cast<double>(steps) * deep + delay(micros, steps, wait_)) *
           (slices ? static_cast<double>(tilesOf(inDepth(), 8)) : 1);
  }

  /// Cycles of the port for so many bytes, of which `together` follow upon each other.
  double portCycles(double bytes, std::int64_t together) const {
    return inBursts(bytes, together, kNearBurst) / port_;
  }
  double readCycles(double bytes) const {
    const Volume& block = blocks_.in;
    if (!costed_.fromCaller) return portCycles(bytes, togetherInBricks(op_.in, block, 1));
    return portCycles(bytes, block.depth == 1 ? block.columns : block.depth);
  }
  double writeCycles(double bytes) const {
    const Volume& block = blocks_.out;
    if (!costed_.toCaller) return portCycles(bytes, togetherInBricks(op_.out, block, array_.cores));
    return portCycles(
        bytes, block.depth == 1 ? block.columns : std::min(kBrick * array_.cores, block.depth));
  }

  const EthosArray& array_;
  const Layer& op_;
  const CostedOp& costed_;
  double port_;
  double farLatency_;
  double wait_;  ///< Cycles of a place alone for its sums.
  Blocks blocks_;
  Volume out_;    ///< A block of the output.
  Volume micro_;  ///< As it lies in that.
};

/// Element by element, which the output stage does alone.
double stageCycles(std::int64_t elements, const OutputRate& rate, const UnitSpec& unit) {
  const auto count = static_cast<double>(elements);
  const double stage = std::ceil(cyclesAnElement(rate, sizeOf(kEthosArrays, unit)) * count);
  return std::max(stage, (2 * kNearLatency + 2 * count / portOf(unit) + stage) / 4);
}

std::optional<std::int64_t> u55Cycles(const UnitSpec& unit, const Work& work, const CostedOp& op) {
  if (work.loops && std::ranges::min(work.loops->sizes) < 1) return 0;
  if (work.loops) {
    const Layer layer = prepared(layerOf(work, op), op);
    return cyclesAt(EthosEstimate(unit, layer, op).cycles(), 1);
  }
  const OutputRate* rate = outputRate(op.type);
  if (work.macs > 0 || rate == nullptr) return std::nullopt;
  return cyclesAt(stageCycles(work.written, *rate, unit), 1);
}

}  // namespace
}  // namespace hw::ethos

namespace hw {

constinit const CostModel kEthosCost{.name = "ethos-u",
                                     .params = ethos::kParams,
                                     .macs = ethos::kEthosMacs,
                                     .biasBytes = 10,
                                     .cycles = ethos::u55Cycles};

}  // namespace hw
