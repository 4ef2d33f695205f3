#include "core/check/parts/part_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/check/kernel_scripts.h"
#include "core/graph/graph.h"

namespace hw {
namespace {

/// Sources of one element of the output.
std::set<Shape> comesFrom(const Graph& graph, OpId op, const Shape& index) {
  std::set<Shape> sources;
  forEachSource(graph, op, 0, index, [&](std::size_t input, const Shape& source) {
    if (input == 0) sources.insert(source);
  });
  return sources;
}

/// The axis of the channels of what it reads first.
std::size_t channelsOf(const Graph& graph, OpId op) {
  const Op& of = graph.ops[op];
  const std::size_t rank = graph.tensors[of.inputs[0]].shape->size();
  return of.intAttribute("channels_last", 0) != 0 ? rank - 1 : 1;
}

/// An op whose output is the same whatever the order in which the elements of its first input come,
/// and how many at a time: a sum, a mean, the largest; a pool only where its window is all of the
/// image. From what the op means, tap by tap.
bool foldsItsInput(const Graph& graph, OpId id) {
  static const std::set<std::string_view> kKnown = {
      "GlobalAveragePool", "GlobalMaxPool", "QLinearGlobalAveragePool",
      "ReduceSum",         "ReduceMean",    "ReduceMax",
      "ReduceMin",         "ReduceL1",      "ReduceL2",
      "ReduceSumSquare",   "MEAN",          "SUM",
      "REDUCE_MAX",        "REDUCE_MIN"};
  static const std::set<std::string_view> kPools = {"AveragePool", "MaxPool", "AVERAGE_POOL_2D",
                                                    "MAX_POOL_2D"};
  const Op& op = graph.ops[id];
  if (kKnown.contains(op.type)) return true;
  if (!kPools.contains(op.type)) return false;
  // Sources of one element of each channel.
  const Shape& in = *graph.tensors[op.inputs[0]].shape;
  const Shape index(graph.tensors[op.outputs[0]].shape->size());
  const auto taps = static_cast<std::int64_t>(comesFrom(graph, id, index).size());
  return taps * in[0] * in[channelsOf(graph, id)] == *elementCount(in);
}

/// A convolution each of whose elements adds up products of all channels of its first input, so
/// that channels may come some at a time. From what it means, tap by tap.
bool addsUpChannels(const Graph& graph, OpId id) {
  static const std::set<std::string_view> kDense = {"Conv", "ConvInteger", "QLinearConv",
                                                    "CONV_2D"};
  const Op& op = graph.ops[id];
  if (!kDense.contains(op.type)) return false;
  const Shape& in = *graph.tensors[op.inputs[0]].shape;
  const Shape& out = *graph.tensors[op.outputs[0]].shape;
  const std::size_t channel = channelsOf(graph, id);
  if (in.size() != out.size()) return false;
  // The first channel that it makes, and the last: those of a group come from some of them.
  for (const std::int64_t made : {std::int64_t{0}, out[channel] - 1}) {
    Shape index(out.size());
    for (std::size_t i = 0; i < index.size(); ++i) index[i] = out[i] / 2;
    index[channel] = made;
    std::set<std::int64_t> channels;
    for (const Shape& source : comesFrom(graph, id, index)) channels.insert(source[channel]);
    if (static_cast<std::int64_t>(channels.size()) != in[channel]) return false;
  }
  return true;
}

/// True if such an op makes a sum of some elements, and not one of them.
bool addsUp(const Op& op) {
  return op.type.find("Max") == op.type.npos && op.type.find("MAX") == op.type.npos &&
         op.type.find("Min") == op.type.npos && op.type.find("MIN") == op.type.npos;
}

/// Some elements of a tensor of the original graph: [begin, end) on every axis.
struct PieceBox {
  Shape begin{};
  Shape end{};

  bool contains(const Shape& index) const {
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (index[i] < begin[i] || index[i] >= end[i]) return false;
    }
    return true;
  }
};

/// Which elements of a tensor boxes cover. Along each axis, only where boxes begin or end matters.
class ElementCover {
 public:
  explicit ElementCover(Shape shape) : shape_(std::move(shape)) {}

  void add(PieceBox box) { boxes_.push_back(std::move(box)); }

  /// Each once.
  bool isExact() const {
    std::int64_t covered = 0;
    for (const PieceBox& box : boxes_) {
      std::int64_t elements = 1;
      for (std::size_t i = 0; i < shape_.size(); ++i) {
        if (box.begin[i] < 0 || box.end[i] > shape_[i]) return false;
        elements *= box.end[i] - box.begin[i];
      }
      covered += elements;
    }
    return covered == *elementCount(shape_) && areApart();
  }

 private:
  /// Boxes that begin in the same place everywhere but along one axis or two, as those of a grid
  /// do: by sorting, and by looking at those that begin before another ends.
  bool areApart() const {
    std::vector<const PieceBox*> order;
    for (const PieceBox& box : boxes_) order.push_back(&box);
    std::ranges::sort(order, {}, [](const PieceBox* box) { return box->begin; });
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      // Along the first axis that tells them apart, sweep; most begin where others end.
      const bool same = std::ranges::all_of(order, [&](const PieceBox* box) {
        return box->begin[axis] == 0 && box->end[axis] == shape_[axis];
      });
      if (!same) return areApartAlong(axis, order);
    }
    return order.size() < 2;
  }

  bool areApartAlong(std::size_t axis, const std::vector<const PieceBox*>& order) const {
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t k = i + 1; k < order.size(); ++k) {
        if (order[k]->begin[axis] >= order[i]->end[axis]) break;
        if (overlap(*order[i], *order[k])) return false;
      }
    }
    return true;
  }

  static bool overlap(const PieceBox& a, const PieceBox& b) {
    for (std::size_t i = 0; i < a.begin.size(); ++i) {
      if (a.begin[i] >= b.end[i] || b.begin[i] >= a.end[i]) return false;
    }
    return true;
  }

  Shape shape_;
  std::vector<PieceBox> boxes_;
};

class PartAudit {
 public:
  PartAudit(const Graph& graph, std::int64_t most, std::size_t limit)
      : graph_(graph),
        tiling_(*graph.tiling),
        original_(*tiling_.original),
        most_(most),
        limit_(limit) {}

  std::vector<std::string> run() {
    // Of one inference alone, each: an op and its inference.
    using Own = std::pair<OpId, std::size_t>;
    std::map<std::pair<Own, std::size_t>, std::vector<Interval<std::int64_t>>> rows;
    std::map<Own, std::vector<OpId>> folds;
    std::set<Own> whole;
    for (const OpId id : graph_.ops.keys()) {
      if (full()) return found_;
      const std::size_t batch = batchOf(graph_, id);
      checkBatch(id, batch);
      if (const auto* part = partOf(graph_, id)) {
        rows[{{part->of, batch}, part->cell}].push_back(part->rows);
        isFoldPart(*part) ? folds[{part->of, batch}].push_back(id) : checkPart(id, *part);
      } else if (const OpId of = tiling_.opOf[id]) {
        if (!whole.insert({of, batch}).second) checkAgain(of);
        checkWhole(id, of);
      } else {
        checkSeam(id);
      }
    }
    for (auto& [cell, made] : rows) {
      const OpId of = cell.first.first;
      std::ranges::sort(made);
      for (std::size_t i = 1; i < made.size(); ++i) {
        if (made[i].begin != made[i - 1].end) complain(of, "makes some rows twice, or not at all");
      }
      if (whole.contains(cell.first)) complain(of, "runs in parts and whole");
    }
    for (const auto& [own, parts] : folds) checkFold(own.first, parts);
    checkOutputs();
    return found_;
  }

 private:
  bool full() const { return found_.size() >= limit_; }
  void say(std::string sentence) {
    if (!full()) found_.push_back(std::move(sentence));
  }
  void complain(OpId of, std::string_view what) {
    say(fmt::format("op '{}' {}", printable(displayName(original_, of)), what));
  }

  /// Which elements a tensor of the tiled graph holds, and of which one.
  std::pair<TensorId, PieceBox> heldBy(TensorId id) const {
    const Shape& shape = *graph_.tensors[id].shape;
    if (const auto* piece = pieceOf(graph_, id)) {
      PieceBox box{piece->begin, piece->begin};
      for (std::size_t i = 0; i < shape.size(); ++i) box.end[i] += shape[i];
      return {piece->of, box};
    }
    return {tiling_.wholeOf[id], {Shape(shape.size()), shape}};
  }

  /// Calls `visit` with the elements of a box that are to be looked at.
  void forEachElement(const PieceBox& box, const std::function<void(const Shape&)>& visit) const {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < box.begin.size(); ++i) count *= box.end[i] - box.begin[i];
    const bool corners = count > most_;
    Shape index = box.begin;
    for (;;) {
      visit(index);
      std::size_t axis = 0;
      for (; axis < index.size(); ++axis) {
        const std::int64_t last = box.end[axis] - 1;
        if (index[axis] < last) {
          index[axis] = corners ? last : index[axis] + 1;
          break;
        }
        index[axis] = box.begin[axis];
      }
      if (axis == index.size()) return;
    }
  }

  void checkPart(OpId id, const Tiling::Part& part) {
    const Op& op = graph_.ops[id];
    const Op& of = original_.ops[part.of];
    std::map<TensorId, std::vector<PieceBox>> reads;
    for (const TensorId in : op.inputs) {
      if (!in || graph_.tensors[in].constant) continue;
      const auto [tensor, box] = heldBy(in);
      reads[tensor].push_back(box);
    }
    for (const TensorId out : op.outputs) {
      const auto [tensor, box] = heldBy(out);
      const auto output = std::ranges::find(of.outputs, tensor);
      if (output == of.outputs.end()) {
        return say(fmt::format("part '{}' makes '{}', which its op does not", op.name,
                               displayName(graph_, out)));
      }
      const auto number = static_cast<std::size_t>(output - of.outputs.begin());
      const auto axis = static_cast<std::size_t>(part.axis);
      bool inside = box.begin[axis] >= part.rows.begin && box.end[axis] <= part.rows.end;
      if (part.across >= 0) {
        const auto across = static_cast<std::size_t>(part.across);
        inside &= box.begin[across] >= part.columns.begin && box.end[across] <= part.columns.end;
      }
      if (!inside) {
        return say(fmt::format("part '{}' makes '{}', which is not in its rows", op.name,
                               displayName(graph_, out)));
      }
      forEachElement(box,
                     [&](const Shape& index) { checkElement(op, part.of, number, index, reads); });
    }
  }

  /// Of a fold whose parts take in pieces of its input: each element once, and each part goes on
  /// from what came of the one before, which nobody else reads.
  void checkFold(OpId of, const std::vector<OpId>& parts) {
    const Op& before = original_.ops[of];
    const TensorId input = before.inputs.empty() ? TensorId() : before.inputs[0];
    if (!input || before.outputs.size() != 1) return complain(of, "cannot fold what it reads");
    ElementCover cover(*original_.tensors[input].shape);
    TensorId soFar;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Op& op = graph_.ops[parts[i]];
      std::size_t goesOn = 0;
      for (const TensorId in : op.inputs) {
        if (!in || graph_.tensors[in].constant) continue;
        const auto [tensor, box] = heldBy(in);
        goesOn += in == soFar ? 1 : 0;
        if (in != soFar && tensor != input) complain(of, "takes in what it did not read");
        if (in != soFar) cover.add(box);
      }
      if (goesOn != (soFar ? 1 : 0)) complain(of, "loses what came of the parts before");
      if (op.outputs.size() != 1 || heldBy(op.outputs[0]).first != before.outputs[0]) {
        return complain(of, "does not make what it did");
      }
      soFar = op.outputs[0];
      checkSoFar(of, soFar, i + 1 == parts.size() ? OpId() : parts[i + 1]);
    }
    if (!cover.isExact()) complain(of, "does not take in each element once");
    const bool sums = !foldsItsInput(original_, of) && addsUpChannels(original_, of);
    if (!sums && !foldsItsInput(original_, of)) {
      complain(of, "is of a type that cannot take its input in by pieces");
    }
    for (const OpId part : parts) {
      if (sums) checkChannels(of, part, input);
    }
  }

  /// A part that adds up some channels has all places of these, and says which they are: its share
  /// of the weights hangs on that.
  void checkChannels(OpId of, OpId id, TensorId input) {
    const Tiling::Part& part = *partOf(graph_, id);
    const Shape& all = *original_.tensors[input].shape;
    const std::size_t channel = channelsOf(original_, of);
    std::int64_t taken = 0;
    for (const TensorId in : graph_.ops[id].inputs) {
      if (!in || graph_.tensors[in].constant) continue;
      const auto [tensor, box] = heldBy(in);
      if (tensor != input) continue;
      taken += box.end[channel] - box.begin[channel];
      bool right = box.begin[channel] >= part.rows.begin && box.end[channel] <= part.rows.end;
      for (std::size_t i = 0; i < all.size(); ++i) {
        right &= i == channel || (box.begin[i] == 0 && box.end[i] == all[i]);
      }
      if (!right) complain(of, "adds up something else than some channels");
    }
    if (taken != part.rows.length() || part.size != all[channel]) {
      complain(of, "does not take in the channels that it says");
    }
  }

  /// `next` reads it and nobody else; none: it is what the op makes.
  void checkSoFar(OpId of, TensorId made, OpId next) {
    const Tensor& tensor = graph_.tensors[made];
    const Tensor& whole = original_.tensors[original_.ops[of].outputs[0]];
    if (tensor.shape != whole.shape) complain(of, "makes less than it did");
    const auto isNext = [&](OpId reader) { return reader == next; };
    if (!next) {
      if (tensor.bytes != whole.bytes) complain(of, "makes something of another size");
    } else if (!std::ranges::all_of(tensor.consumers, isNext)) {
      complain(of, "hands out what is not done yet");
    } else if (addsUp(original_.ops[of]) &&
               *tensor.bytes < Bytes(4 * *elementCount(*tensor.shape))) {
      complain(of, "adds up in less than 32 bits");
    }
  }

  void checkElement(const Op& op, OpId of, std::size_t output, const Shape& index,
                    const std::map<TensorId, std::vector<PieceBox>>& reads) {
    const bool known =
        forEachSource(original_, of, output, index, [&](std::size_t input, const Shape& source) {
          const TensorId tensor = original_.ops[of].inputs[input];
          const auto boxes = reads.find(tensor);
          const bool there =
              boxes != reads.end() && std::ranges::any_of(boxes->second, [&](const PieceBox& box) {
                return box.contains(source);
              });
          if (there || full()) return;
          say(fmt::format("part '{}' needs element ({}) of '{}', which it does not read", op.name,
                          fmt::join(source, ", "), displayName(original_, tensor)));
        });
    if (!known) say(fmt::format("part '{}' is of a type that nobody can check", op.name));
  }

  /// An op that runs more than once makes the same each time.
  void checkAgain(OpId of) {
    const Op& op = original_.ops[of];
    static const std::set<std::string_view> kDrawn = {
        "Bernoulli",        "Dropout",          "Multinomial",           "MULTINOMIAL",
        "RandomNormal",     "RandomNormalLike", "RandomUniform",         "RandomUniformLike",
        "BiasDropout",      "BitmaskDropout",   "RANDOM_UNIFORM",        "BitmaskBiasDropout",
        "TrainableDropout", "DropoutGrad",      "RANDOM_STANDARD_NORMAL"};
    const auto keeps = [&](TensorId id) { return id && original_.tensors[id].persistent; };
    const bool state =
        std::ranges::any_of(op.inputs, keeps) || std::ranges::any_of(op.outputs, keeps);
    if (kDrawn.contains(op.type)) complain(of, "runs twice, and draws other numbers each time");
    if (state || !op.captures.empty()) complain(of, "runs twice, and may find another state");
  }

  /// An op touches tensors of its own inference, and what all have: weights and state.
  void checkBatch(OpId id, std::size_t batch) {
    const auto isOwn = [&](TensorId tensor) {
      return !tensor || batchOf(graph_, tensor) == batch || graph_.tensors[tensor].constant ||
             graph_.tensors[tensor].persistent;
    };
    const Op& op = graph_.ops[id];
    if (std::ranges::all_of(graph_.reads(id), isOwn) && std::ranges::all_of(op.outputs, isOwn)) {
      return;
    }
    say(fmt::format("op '{}' touches what belongs to another inference",
                    printable(displayName(graph_, id))));
  }

  /// An op that runs whole reads and makes the same tensors as before; outputs that nobody reads
  /// may be left out.
  void checkWhole(OpId id, OpId of) {
    const Op& op = graph_.ops[id];
    const Op& before = original_.ops[of];
    const auto same = [&](TensorId now, TensorId then) {
      return now ? tiling_.wholeOf[now] == then : !then;
    };
    const auto dead = [&](TensorId then) {
      return original_.tensors[then].consumers.empty() && !original_.tensors[then].graphOutput;
    };
    // One more output, which is none of the original's, is scratch.
    const TensorId last = op.outputs.empty() ? TensorId() : op.outputs.back();
    const bool aside = op.outputs.size() == before.outputs.size() + 1 && last &&
                       !tiling_.wholeOf[last] && !tiling_.pieces[last];
    bool right = op.attributes == before.attributes && op.inputs.size() == before.inputs.size() &&
                 (op.outputs.size() == before.outputs.size() || aside) &&
                 op.captures.size() == before.captures.size();
    for (std::size_t i = 0; right && i < op.inputs.size(); ++i) {
      right &= same(op.inputs[i], before.inputs[i]);
    }
    for (std::size_t i = 0; right && i < op.captures.size(); ++i) {
      right &= same(op.captures[i], before.captures[i]);
    }
    for (std::size_t i = 0; right && i < before.outputs.size(); ++i) {
      right &=
          same(op.outputs[i], before.outputs[i]) || (!op.outputs[i] && dead(before.outputs[i]));
    }
    if (!right) return complain(of, "does not read and make what it did");
    const std::string fault = aside ? scratchFault(original_, of, graph_.tensors[last]) : "";
    if (!fault.empty()) complain(of, fault);
  }

  void checkSeam(OpId id) {
    const Op& op = graph_.ops[id];
    if (op.type == kArriveType) {
      for (const TensorId out : op.outputs) {
        const TensorId of = heldBy(out).first;
        if (!of || !original_.tensors[of].graphInput) {
          say(fmt::format("'{}' brings what is no input of the graph", op.name));
        }
      }
      return;
    }
    const bool cuts = op.type == kPartsType;
    const TensorId whole = cuts ? op.inputs[0] : op.outputs[0];
    ElementCover cover(*graph_.tensors[whole].shape);
    for (const TensorId piece : cuts ? op.outputs : op.inputs) {
      const auto held = piece ? heldBy(piece) : std::pair(TensorId(), PieceBox());
      const TensorId of = held.first;
      const Tiling::Piece* place = pieceOf(graph_, piece);
      const bool right = place != nullptr && of == tiling_.wholeOf[whole] && place->host == whole &&
                         place->at == place->begin;
      if (!right) return say(fmt::format("'{}' has a piece that is not where it belongs", op.name));
      if (!cuts) cover.add(held.second);
    }
    if (!cuts && !cover.isExact()) {
      say(fmt::format("'{}' lacks some elements, or has some twice", op.name));
    }
  }

  void checkOutputs() {
    const std::size_t each = original_.outputs.size();
    bool same = graph_.outputs.size() == each * tiling_.batches;
    for (std::size_t i = 0; same && i < graph_.outputs.size(); ++i) {
      const TensorId id = graph_.outputs[i];
      same &= tiling_.wholeOf[id] == original_.outputs[i % each];
      same &= graph_.tensors[id].constant || batchOf(graph_, id) == i / each;
    }
    if (!same) say("the graph does not hand out what it did");
  }

  const Graph& graph_;
  const Tiling& tiling_;
  const Graph& original_;
  std::int64_t most_;
  std::size_t limit_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> auditParts(const Graph& graph, std::int64_t most, std::size_t limit) {
  if (!graph.tiling) return {};
  return PartAudit(graph, most, limit).run();
}

}  // namespace hw
