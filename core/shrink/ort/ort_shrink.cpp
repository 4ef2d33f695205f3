#include "core/shrink/ort/ort_shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/task_queue.h"
#include "core/base/text.h"
#include "core/ops/work.h"

namespace hw {
namespace {

/// Operators [first, last], by place in the order of execution, in so many blocks.
struct BlockRun {
  std::size_t first = 0;
  std::size_t last = 0;
  std::int64_t blocks = 1;
  friend auto operator<=>(const BlockRun&, const BlockRun&) = default;
};
using BlockRuns = std::vector<BlockRun>;

struct BlockPlan {
  BlockRuns runs{};
  Bytes peak{kMaxBytes};  ///< Largest: it cannot go so.
  OpId fullest{};         ///< The operator of the model that runs then, or for which boxes are cut.
  std::int64_t macs = 0;
  std::size_t operators = 0;
  bool freed = false;  ///< The file leaves the height of inputs free.
};

constexpr std::size_t kRowAxis = 2;
constexpr std::size_t kLongestSpan = 64;
/// Runs around a moment that are looked at, and those of them that are tried with all numbers of
/// blocks.
constexpr std::size_t kMostSpans = 500;
constexpr std::size_t kMostRefined = 24;
constexpr std::size_t kMostRounds = 12;
constexpr std::size_t kMostWays = 10;
constexpr std::int64_t kFirstBlocks = 8;
constexpr std::array<std::int64_t, 10> kBlocks = {2, 3, 4, 6, 12, 16, 20, 24, 32, 48};

class BlockSearch {
 public:
  BlockSearch(const OnnxSource& source, const RuntimeSearchOptions& options)
      : graph_(source.graph()),
        options_(options),
        placeOf_(graph_.ops.size()),
        able_(graph_.ops.size(), false) {
    for (const OpId op : runtimeSchedule(graph_).order) {
      if (graph_.ops[op].folded) continue;
      placeOf_[op] = order_.size();
      order_.push_back(op);
      macsOf_.push_back(workOf(graph_, op).macs);
    }
    shapes_ = {runtimeShapes(source.bytes, graph_)};
    const auto plain = partProgram(graph_, {});
    for (const ShapesKnown known : {ShapesKnown::reshaped, ShapesKnown::fewest}) {
      const auto freed = plain ? onnxFile(source, *plain, known) : tl::unexpected(plain.error());
      if (!freed || freed->freed.empty()) continue;
      shapes_.push_back(runtimeShapes(freed->bytes, graph_));
      freed_ = joinText(freed->freed, " ", [](const auto& each) {
        return fmt::format("{}={}", each.first, each.second);
      });
    }
    findAble();
  }

  /// Programs ascending by peak, none with a peak and multiplications that another one beats.
  std::vector<BlockPlan> find() {
    BlockPlan best = planOf({});
    if (whyNone_.empty()) whyNone_ = "no operator has rows";
    if (!best.fullest) return {};
    front_ = {best};
    for (std::size_t round = 0; round < kMostRounds && !stopping(); ++round) {
      const bool goesOn = improve(best);
      tell(static_cast<double>(round + 1) / kMostRounds);
      if (!goesOn) break;
    }
    std::erase_if(front_, [](const BlockPlan& plan) { return plan.runs.empty(); });
    return std::move(front_);
  }

  Result<PartProgram> programOf(const BlockRuns& runs) const {
    HW_TRY(parts, partsOf(runs));
    return partProgram(graph_, parts.list);
  }

  RuntimeWay wayOf(const BlockPlan& plan) const {
    const auto all = static_cast<double>(macs());
    return {.name = "in parts",
            .head = plan.peak,
            .extraMacs = all > 0 ? static_cast<double>(plan.macs) / all - 1 : 0.0,
            .operators = plan.operators,
            .freed = plan.freed ? freed_ : std::string(),
            .runs = text(plan.runs)};
  }

  bool hasAny() const { return std::ranges::find(able_, true) != able_.end(); }
  bool stopping() const { return options_.stop.stop_requested(); }
  /// The first operator that cannot go by rows, and why.
  const std::string& whyNone() const { return whyNone_; }

 private:
  struct Parts {
    std::vector<OnnxPart> list{};
    std::int64_t macs = 0;  ///< Of all operators.
  };

  std::int64_t macs() const {
    return std::accumulate(macsOf_.begin(), macsOf_.end(), std::int64_t{0});
  }

  std::string text(const BlockRuns& runs) const {
    return joinText(runs, ", ", [&](const BlockRun& run) {
      return fmt::format("{} to {} in {} blocks", displayName(graph_, order_[run.first]),
                         displayName(graph_, order_[run.last]), run.blocks);
    });
  }

  const Shape& madeBy(OpId op) const { return *graph_.tensors[graph_.ops[op].outputs[0]].shape; }

  bool hasRows(OpId op) const {
    const Op& of = graph_.ops[op];
    if (of.outputs.empty() || !of.outputs[0]) return false;
    const auto& shape = graph_.tensors[of.outputs[0]].shape;
    return shape && shape->size() > kRowAxis && (*shape)[kRowAxis] > 1;
  }

  /// Operators of which the first row can be made alone.
  void findAble() {
    for (const OpId op : order_) {
      if (!hasRows(op)) continue;
      TensorBox row = wholeBox(madeBy(op));
      row[kRowAxis].end = 1;
      const auto needs = onnxNeeds(graph_, op, onnxMakeable(graph_, op, row));
      able_[op] = needs.has_value();
      if (!needs && whyNone_.empty()) whyNone_ = needs.error().message;
    }
  }

  bool isAble(std::size_t place) const { return able_[order_[place]]; }

  /// True if only the last of these operators makes something that is read outside.
  bool isClosed(std::size_t first, std::size_t last) const {
    for (std::size_t at = first; at < last; ++at) {
      const Tensor& made = graph_.tensors[graph_.ops[order_[at]].outputs[0]];
      if (made.graphOutput || made.consumers.empty()) return false;
      for (const OpId reader : made.consumers) {
        const std::size_t place = placeOf_[reader];
        if (place < first || place > last) return false;
      }
    }
    return true;
  }

  /// Bytes that a run cannot do without: what it reads from outside, and its output twice, for
  /// joining holds the parts as well.
  Bytes outsideOf(std::size_t first, std::size_t last) const {
    const auto bytes = [&](TensorId id) { return graph_.tensors[id].bytes.value_or(Bytes()); };
    Bytes sum = bytes(graph_.ops[order_[last]].outputs[0]) * 2;
    for (std::size_t at = first; at <= last; ++at) {
      for (const TensorId in : graph_.reads(order_[at])) {
        const OpId maker = graph_.tensors[in].producer;
        if (maker && placeOf_[maker] < first && !graph_.tensors[in].constant) sum += bytes(in);
      }
    }
    return sum;
  }

  std::vector<BlockRun> spansAround(OpId fullest) const {
    std::vector<std::pair<Bytes, BlockRun>> spans;
    const std::size_t middle = placeOf_[fullest];
    for (std::size_t first = middle + 1; first-- > 0 && middle - first < kLongestSpan;) {
      if (!isAble(first)) break;
      for (std::size_t last = middle; last < order_.size() && isAble(last); ++last) {
        if (last - first >= kLongestSpan) break;
        if (!isClosed(first, last)) continue;
        spans.emplace_back(outsideOf(first, last), BlockRun{first, last});
      }
    }
    std::ranges::sort(spans);
    std::vector<BlockRun> runs;
    for (const auto& [bytes, run] : spans) {
      if (runs.size() < kMostSpans) runs.push_back(run);
    }
    return runs;
  }

  std::int64_t heightOf(const BlockRun& run) const { return madeBy(order_[run.last])[kRowAxis]; }

  /// The parts of one block, from what it hands out backwards.
  Result<void> addBlock(const BlockRun& run, std::int64_t block, Parts& parts) const {
    std::map<TensorId, TensorBox> needed;
    const std::int64_t height = heightOf(run);
    TensorBox& out = needed[graph_.ops[order_[run.last]].outputs[0]];
    out = wholeBox(madeBy(order_[run.last]));
    out[kRowAxis] = {block * height / run.blocks, (block + 1) * height / run.blocks};
    std::vector<OnnxPart> made;
    for (std::size_t at = run.last + 1; at-- > run.first;) {
      const OpId op = order_[at];
      const auto box = needed.find(graph_.ops[op].outputs[0]);
      if (box == needed.end()) continue;
      made.push_back({op, onnxMakeable(graph_, op, box->second)});
      HW_TRY(needs, onnxNeeds(graph_, op, made.back().made));
      for (std::size_t i = 0; i < needs.inputs.size(); ++i) {
        const TensorId in = graph_.ops[op].inputs[i];
        if (!in) continue;
        TensorBox wanted = needs.inputs[i];
        if (wanted.empty()) wanted = wholeBox(*graph_.tensors[in].shape);
        TensorBox& all = needed.try_emplace(in, wanted).first->second;
        for (std::size_t axis = 0; axis < all.size(); ++axis) all[axis].cover(wanted[axis]);
      }
    }
    std::ranges::reverse(made);
    for (OnnxPart& part : made) {
      parts.macs += macsOfPart(part);
      parts.list.push_back(std::move(part));
    }
    return {};
  }

  std::int64_t macsOfPart(const OnnxPart& part) const {
    double share = 1;
    const Shape& shape = madeBy(part.of);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      share *= static_cast<double>(part.made[i].length()) / static_cast<double>(shape[i]);
    }
    const std::int64_t all = macsOf_[placeOf_[part.of]];
    return std::llround(static_cast<double>(all) * share);
  }

  Result<Parts> partsOf(const BlockRuns& runs) const {
    Parts parts{.macs = macs()};
    for (const BlockRun& run : runs) {
      for (std::size_t at = run.first; at <= run.last; ++at) parts.macs -= macsOf_[at];
      for (std::int64_t block = 0; block < run.blocks; ++block) HW_DO(addBlock(run, block, parts));
    }
    return parts;
  }

  /// The shapes that the runtime knows of a program, if it knows these of the model.
  RuntimeShapes shapesOf(const PartProgram& program, const IdMap<TensorId, std::size_t>& values,
                         const RuntimeShapes& known) const {
    // What is joined is known where all that it is joined of is known: a number along the axis.
    std::vector<bool> open(program.values.size());
    const auto knownBox = [&](std::size_t value) -> std::optional<Shape> {
      const auto& [of, box] = program.values[value];
      std::optional<Shape> shape = known[of];
      if (!shape || open[value]) return std::nullopt;
      for (std::size_t i = 0; i < box.size(); ++i) {
        if (box[i].length() == (*graph_.tensors[of].shape)[i]) continue;
        if ((*shape)[i] < 0) return std::nullopt;
        (*shape)[i] = box[i].length();
      }
      return shape;
    };
    for (const PartProgram::Node& node : program.nodes) {
      if (node.kind != PartProgram::Node::Kind::join) continue;
      open[node.outputs[0]] = !std::ranges::all_of(
          node.inputs, [&](std::size_t in) { return knownBox(in).has_value(); });
    }
    RuntimeShapes shapes(values.size());
    for (const TensorId id : values.keys()) shapes[id] = knownBox(values[id]);
    return shapes;
  }

  BlockPlan planOf(BlockRuns runs) const {
    BlockPlan plan{.runs = std::move(runs)};
    const auto parts = partsOf(plan.runs);
    if (!parts || !isWithin(parts->macs)) return plan;
    const auto program = partProgram(graph_, parts->list);
    if (!program) return plan;
    IdMap<TensorId, std::size_t> values;
    const auto made = graphOf(graph_, *program, values);
    if (!made) return plan;
    plan.macs = parts->macs;
    plan.operators = program->nodes.size();
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const RuntimePeak peak = runtimePeak(*made, shapesOf(*program, values, shapes_[i]));
      if (!peak.op || peak.bytes >= plan.peak) continue;
      plan.peak = peak.bytes;
      plan.fullest = program->nodes[peak.op.index()].of;
      plan.freed = i > 0;
    }
    return plan;
  }

  bool isWithin(std::int64_t made) const {
    return static_cast<double>(made) <=
           static_cast<double>(macs()) * (1 + options_.extraMacs) + 0.5;
  }

  void enter(const BlockPlan& plan) {
    const auto covers = [](const BlockPlan& a, const BlockPlan& b) {
      return a.peak <= b.peak && a.macs <= b.macs;
    };
    if (plan.peak == kMaxBytes) return;
    if (std::ranges::any_of(front_, [&](const BlockPlan& each) { return covers(each, plan); })) {
      return;
    }
    std::erase_if(front_, [&](const BlockPlan& each) { return covers(plan, each); });
    front_.insert(std::ranges::upper_bound(front_, plan.peak, {}, &BlockPlan::peak), plan);
  }

  void tell(double done) const {
    if (options_.progress) options_.progress(done, front_.front().peak);
  }

  /// What comes of these programs, in their order.
  std::vector<BlockPlan> tried(const std::vector<BlockRuns>& ways) {
    std::vector<BlockPlan> plans(ways.size());
    runTasks(ways.size(), options_.threads, [&](std::size_t i) {
      if (!stopping()) plans[i] = planOf(ways[i]);
    });
    for (const BlockPlan& plan : plans) enter(plan);
    return plans;
  }

  /// The runs of `plan` that `run` leaves alone, and it, in that many blocks.
  static BlockRuns with(const BlockPlan& plan, BlockRun run, std::int64_t blocks) {
    BlockRuns runs;
    for (const BlockRun& each : plan.runs) {
      if (each.last < run.first || each.first > run.last) runs.push_back(each);
    }
    run.blocks = blocks;
    runs.push_back(run);
    std::ranges::sort(runs);
    return runs;
  }

  /// One more run around the fullest moment of `best`, or another one than it has there. Where none
  /// lowers the peak, one more that leaves another moment as full: the next round begins there.
  /// False: there is no such run.
  bool improve(BlockPlan& best) {
    const std::vector<BlockRun> spans = spansAround(best.fullest);
    std::vector<BlockRuns> ways;
    ways.reserve(spans.size());
    for (const BlockRun& span : spans) {
      ways.push_back(with(best, span, std::min(kFirstBlocks, heightOf(span))));
    }
    const std::vector<BlockPlan> first = tried(ways);
    std::vector<std::size_t> by(spans.size());
    for (std::size_t i = 0; i < by.size(); ++i) by[i] = i;
    std::ranges::stable_sort(by, {}, [&](std::size_t i) { return first[i].peak; });
    by.resize(std::min(by.size(), kMostRefined));
    ways.clear();
    for (const std::size_t i : by) {
      for (const std::int64_t blocks : kBlocks) {
        if (blocks <= heightOf(spans[i])) ways.push_back(with(best, spans[i], blocks));
      }
    }
    std::vector<BlockPlan> plans = tried(ways);
    plans.insert(plans.end(), first.begin(), first.end());
    if (front_.front().peak < best.peak) {
      best = front_.front();
      return true;
    }
    std::erase_if(plans, [&](const BlockPlan& plan) {
      return plan.peak > best.peak || plan.fullest == best.fullest ||
             plan.runs.size() <= best.runs.size();
    });
    const auto least = std::ranges::min_element(plans, {}, &BlockPlan::macs);
    if (least == plans.end()) return false;
    best = *least;
    return true;
  }

  const Graph& graph_;
  const RuntimeSearchOptions& options_;
  std::vector<OpId>
      order_;  ///< As the runtime executes them, without those computed ahead of time.
  IdMap<OpId, std::size_t> placeOf_;
  std::vector<std::int64_t> macsOf_;   ///< By place.
  std::vector<RuntimeShapes> shapes_;  ///< Known of the files of `kShapesKnown`.
  IdMap<OpId, bool> able_;
  std::string whyNone_;
  std::string freed_;  ///< "height=224": what a file may leave free.
  std::vector<BlockPlan> front_;
};

}  // namespace

Result<RuntimeShrink> shrinkForOrt(const OnnxSource& source, const RuntimeSearchOptions& options) {
  RuntimeShrink made{.kind = RuntimeKind::ort, .budget = options.budget};
  const Graph& graph = source.graph();
  made.ways.push_back({.name = "as it is",
                       .head = runtimePeak(graph, runtimeShapes(source.bytes, graph)).bytes,
                       .operators = graph.ops.size()});
  BlockSearch search(source, options);
  const auto choiceOf = [&](const BlockPlan& plan) -> Result<OnnxChoice> {
    HW_TRY(program, search.programOf(plan.runs));
    if (plan.freed) return leastOnnxFile(source, program);
    HW_TRY(file, onnxFile(source, program, ShapesKnown::all));
    return OnnxChoice{std::move(file), plan.peak};
  };
  std::vector<BlockPlan> plans = search.find();
  while (plans.size() > kMostWays) plans.erase(plans.end() - 2);
  for (const BlockPlan& plan : plans) {
    RuntimeWay& way = made.ways.emplace_back(search.wayOf(plan));
    if (!plan.freed) continue;
    // What the runtime knows of shapes behind a free height is read from the file itself: an
    // operator that broadcasts may be cut to rows from which its height no longer follows.
    HW_TRY(least, choiceOf(plan));
    way.head = least.peak;
    if (least.file.freed.empty()) way.freed.clear();
  }
  made.choose();
  made.stopped = search.stopping();
  if (made.chosen == 0) {
    made.file = source.bytes;
    if (!search.hasAny()) made.notes.push_back("nothing goes in parts: " + search.whyNone());
    return made;
  }
  HW_TRY(choice, choiceOf(plans[made.chosen - 1]));
  if (!choice.file.freed.empty()) made.notes.push_back(freedText(choice.file));
  made.file = std::move(choice.file.bytes);
  return made;
}

}  // namespace hw
