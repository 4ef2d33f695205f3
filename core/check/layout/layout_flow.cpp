#include "core/check/layout/layout_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/check/kernel_scripts.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

/// Elements of a graph whose tensors are held in another layout, and which of the model's they are.
class ElementTrail {
 public:
  /// A tensor of the model, and where in it.
  using Element = std::pair<TensorId, Shape>;
  /// Which input of an op, and where in that.
  using Source = std::pair<std::size_t, Shape>;

  explicit ElementTrail(const Graph& graph);

  /// Of an element of this graph: through what was added to where an op of the model made it.
  /// Nothing where that leads nowhere.
  std::optional<Element> held(TensorId tensor, Shape index) const;
  /// Of an element of the model: through Transposes that are gone.
  std::optional<Element> model(TensorId tensor, Shape index) const;

  /// Sources of an element of an output in either graph, ascending, each once; weights, too,
  /// where they are broadcast. Nothing where nobody knows.
  std::optional<std::vector<Source>> sourcesHeld(OpId op, std::size_t output,
                                                 const Shape& index) const;
  std::optional<std::vector<Source>> sourcesInModel(OpId op, std::size_t output,
                                                    const Shape& index) const;

 private:
  const Graph& graph_;
  const Tiling& tiling_;
  Graph held_;  ///< Either graph as if weights were tensors like others.
  Graph model_;
  IdMap<OpId, OpId> carrier_;
};

using Source = ElementTrail::Source;

Graph withoutWeights(const Graph& graph) {
  Graph open = graph;
  open.tiling = nullptr;
  for (Tensor& tensor : open.tensors) tensor.constant = tensor.constant && !tensor.shape;
  return open;
}

/// The element of a tensor of shape `to` that is as far from the first as `index` is in `from`.
Shape atSamePlace(const Shape& from, const Shape& index, const Shape& to) {
  std::int64_t place = 0;
  for (std::size_t i = 0; i < from.size(); ++i) place = place * from[i] + index[i];
  Shape found(to.size());
  for (std::size_t i = to.size(); i-- > 0; place /= std::max<std::int64_t>(to[i], 1)) {
    found[i] = place % std::max<std::int64_t>(to[i], 1);
  }
  return found;
}

/// Sources of one element, from what the op means.
class Meaning {
 public:
  Meaning(const Graph& graph, OpId id, std::size_t output, const Shape& index)
      : graph_(graph), id_(id), op_(graph.ops[id]), output_(output), at_(index) {}

  std::optional<std::vector<Source>> find() && {
    if (!known()) return std::nullopt;
    std::ranges::sort(found_);
    const auto end = std::unique(found_.begin(), found_.end());
    found_.erase(end, found_.end());
    return std::move(found_);
  }

 private:
  const Shape& in() const { return *graph_.tensors[op_.inputs[0]].shape; }
  const Shape& out() const { return *graph_.tensors[op_.outputs[output_]].shape; }
  bool isType(std::initializer_list<std::string_view> types) const {
    return std::ranges::find(types, op_.type) != types.end();
  }

  /// Files may say anything: what cannot be asked is not known.
  bool isSound() const {
    const auto shaped = [&](TensorId id) {
      return !id || graph_.tensors[id].constant || graph_.tensors[id].shape;
    };
    if (op_.inputs.empty() || !op_.inputs[0] || !graph_.tensors[op_.inputs[0]].shape ||
        !graph_.tensors[op_.outputs[output_]].shape || !std::ranges::all_of(op_.inputs, shaped)) {
      return false;
    }
    const auto rank = static_cast<std::int64_t>(in().size());
    const auto within = [&](std::int64_t axis) { return axis >= -rank && axis < rank; };
    const auto perm = op_.intsAttribute("perm");
    const auto kernel = op_.intsAttribute("kernel_shape");
    const bool axis = !op_.attributes.contains("axis") || within(op_.intAttribute("axis", 0));
    return axis && op_.intAttribute("blocksize", 1) > 0 &&
           (perm.empty() || (std::ssize(perm) == rank && std::ranges::all_of(perm, within) &&
                             *std::ranges::min_element(perm) >= 0)) &&
           isModest(kernel) && (!hasWindow() || slides(kernel));
  }

  /// So few taps that they can be looked at one by one.
  static bool isModest(const std::vector<std::int64_t>& kernel) {
    constexpr std::int64_t kMostTaps = 10'000;
    std::int64_t taps = 1;
    for (const std::int64_t size : kernel) {
      if (size < 1 || size > kMostTaps) return false;
      taps *= size;
      if (taps > kMostTaps) return false;
    }
    return true;
  }

  bool hasWindow() const {
    return isType({"Conv", "ConvInteger", "FusedConv", "QLinearConv", "ConvTranspose", "MaxPool",
                   "AveragePool", "LpPool", "QLinearAveragePool"});
  }

  /// Its window has as many axes as its images, and groups have as many channels each.
  bool slides(const std::vector<std::int64_t>& kernel) const {
    const std::size_t rank = in().size();
    const std::int64_t groups = op_.intAttribute("group", 1);
    const bool last = op_.intAttribute("channels_last", 0) != 0;
    if (rank < 3 || out().size() != rank || groups < 1) return false;
    const auto fits = [&](const char* name, std::size_t count) {
      const std::size_t size = op_.intsAttribute(name).size();
      return size == 0 || size == count;
    };
    if (!fits("strides", rank - 2) || !fits("dilations", rank - 2) || !fits("pads", 2 * rank - 4)) {
      return false;
    }
    const std::size_t weight = op_.type == "QLinearConv" ? 3 : 1;
    if (kernel.empty() && op_.type.find("Conv") != std::string::npos) {
      const TensorId id = weight < op_.inputs.size() ? op_.inputs[weight] : TensorId();
      const auto& shape = id ? graph_.tensors[id].shape : std::nullopt;
      if (!shape || shape->size() != rank || !isModest({shape->begin() + 2, shape->end()})) {
        return false;
      }
    } else if (kernel.size() != rank - 2) {
      return false;
    }
    const std::size_t channel = last ? in().size() - 1 : 1;
    return in()[channel] % groups == 0 && out()[channel] % groups == 0 && out()[channel] >= groups;
  }

  bool joinsAlike() const {
    return std::ranges::all_of(op_.inputs, [&](TensorId id) {
      return id && graph_.tensors[id].shape && graph_.tensors[id].shape->size() == at_.size();
    });
  }

  bool padsFit() const {
    const auto pads = op_.intsAttribute("pads");
    const std::size_t rank = in().size();
    if (pads.size() != 2 * rank || out().size() != rank) return false;
    for (std::size_t i = 0; i < rank; ++i) {
      if (out()[i] - in()[i] - pads[i] != pads[i + rank]) return false;
    }
    return true;
  }

  bool known() {
    if (!isSound() || (isType({"Pad"}) && !padsFit())) return false;
    if (viewFamilyOf(op_) == ViewFamily::reshape) return take(atSamePlace(out(), at_, in()));
    // Which of an axis it takes is in no attribute: the same in both, so the first do.
    if (isType({"Slice", "Crop", "ImageScaler", "Affine"})) return take(at_);
    if (op_.type == "CastLike") return take(at_);
    if (op_.type == "Gather") return pick();
    if (op_.type == "InstanceNormalization") return spread(places(), at_);
    if (op_.type.find("Global") != std::string::npos) return spread(places(), at_);
    if (op_.type.starts_with("Reduce") && op_.attributes.contains("axes")) return fold();
    if (isType({"Softmax", "LogSoftmax", "Hardmax", "LayerNormalization", "RMSNormalization",
                "SimplifiedLayerNormalization"})) {
      return row();
    }
    if (isType({"Pad"})) return pad();
    const bool folds = op_.type.starts_with("Reduce") || op_.type.starts_with("Arg");
    if (folds && in().size() == at_.size()) {
      std::vector<bool> free(at_.size());
      for (std::size_t i = 0; i < free.size(); ++i) free[i] = in()[i] != out()[i];
      return spread(free, at_);
    }
    if (isType({"Concat"}) && !joinsAlike()) return false;
    if (isByRank() && in().size() != at_.size()) return false;
    const bool blocks = isType({"DepthToSpace", "SpaceToDepth"});
    if (blocks && (in().size() != 4 || at_.size() != 4)) return false;
    return forEachSource(graph_, id_, output_, at_, [&](std::size_t input, const Shape& index) {
      found_.emplace_back(input, index);
    });
  }

  /// It speaks of axes of its input by those of its output.
  bool isByRank() const { return isType({"Split", "Transpose", "Resize", "Upsample", "LRN"}); }

  /// All from the axis on, as opsets before 13 have it; of normalisations the last, unless named.
  bool row() {
    const auto rank = static_cast<std::int64_t>(at_.size());
    const bool old = op_.type.ends_with("max");
    std::int64_t axis = op_.intAttribute("axis", old ? 1 : -1);
    if (axis < 0) axis += rank;
    std::vector<bool> free(at_.size());
    for (std::int64_t i = std::max<std::int64_t>(axis, 0); i < rank; ++i) {
      free[static_cast<std::size_t>(i)] = true;
    }
    return spread(free, at_);
  }

  bool take(const Shape& index) {
    found_.emplace_back(0, index);
    return index.size() == in().size();
  }

  std::vector<bool> places() const {
    const std::size_t rank = in().size();
    std::vector<bool> free(rank, true);
    const bool last = op_.intAttribute("channels_last", 0) != 0;
    if (rank > 1) free[0] = free[last ? rank - 1 : 1] = false;
    return free;
  }

  /// All elements that differ from `index` only in the axes of `free`; of very many the corners,
  /// which are the same whatever the order of axes.
  bool spread(const std::vector<bool>& free, Shape index) {
    constexpr std::int64_t kMany = 20'000;
    if (index.size() != in().size()) return false;
    std::int64_t count = 1;
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (free[i]) index[i] = 0;
      if (free[i] && in()[i] == 0) return false;
      if (free[i]) count = std::min(kMany + 1, count * std::min(kMany + 1, in()[i]));
    }
    const bool corners = count > kMany;
    for (;;) {
      found_.emplace_back(0, index);
      std::size_t axis = 0;
      for (; axis < index.size(); ++axis) {
        const std::int64_t last = in()[axis] - 1;
        if (!free[axis]) continue;
        if (index[axis] < last) {
          index[axis] = corners ? last : index[axis] + 1;
          break;
        }
        index[axis] = 0;
      }
      if (axis == index.size()) return true;
    }
  }

  bool fold() {
    std::vector<bool> free(in().size());
    for (std::int64_t axis : op_.intsAttribute("axes")) {
      if (axis < 0) axis += static_cast<std::int64_t>(free.size());
      if (axis < 0 || axis >= static_cast<std::int64_t>(free.size())) return false;
      free[static_cast<std::size_t>(axis)] = true;
    }
    if (out().size() == in().size()) return spread(free, at_);
    Shape index;
    for (std::size_t i = 0, left = 0; i < free.size(); ++i) {
      if (!free[i] && left >= at_.size()) return false;
      index.push_back(free[i] ? 0 : at_[left++]);
    }
    return spread(free, index);
  }

  /// Padding is made of nothing, of the nearest element, or of one as far inside.
  bool pad() {
    const auto pads = op_.intsAttribute("pads");
    const std::string mode = op_.stringAttribute("mode", "constant");
    Shape index = at_;
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::int64_t size = in()[i];
      index[i] -= pads[i];
      if (index[i] >= 0 && index[i] < size) continue;
      if (mode == "constant") return true;
      if (mode == "edge") index[i] = std::clamp<std::int64_t>(index[i], 0, size - 1);
      if (mode == "reflect") index[i] = index[i] < 0 ? -index[i] : 2 * (size - 1) - index[i];
      if (mode == "wrap") index[i] += index[i] < 0 ? size : -size;
      if (index[i] < 0 || index[i] >= size) return false;
    }
    return take(index);
  }

  bool pick() {
    const auto rank = static_cast<std::int64_t>(in().size());
    std::int64_t axis = op_.intAttribute("axis", 0);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank || op_.inputs.size() < 2 || !op_.inputs[1]) return false;
    const auto& numbers = graph_.tensors[op_.inputs[1]].shape;
    if (!numbers || numbers->size() > 1) return false;
    Shape index = at_;
    if (numbers->empty()) index.insert(index.begin() + axis, 0);
    if (index.size() != in().size()) return false;
    index[static_cast<std::size_t>(axis)] = 0;
    return take(index);
  }

  const Graph& graph_;
  OpId id_;
  const Op& op_;
  std::size_t output_;
  const Shape& at_;
  std::vector<Source> found_;
};

/// The only element that a copy makes one of; nothing for what is no copy.
std::optional<Shape> copied(const Graph& graph, OpId op, const Shape& index) {
  auto sources = Meaning(graph, op, 0, index).find();
  if (!sources || sources->size() != 1) return std::nullopt;
  return std::move(sources->front().second);
}

ElementTrail::ElementTrail(const Graph& graph)
    : graph_(graph),
      tiling_(*graph.tiling),
      held_(withoutWeights(graph)),
      model_(withoutWeights(*tiling_.original)),
      carrier_(model_.ops.size()) {
  for (const OpId op : graph.ops.keys()) {
    if (tiling_.opOf[op]) carrier_[tiling_.opOf[op]] = op;
  }
}

std::optional<ElementTrail::Element> ElementTrail::held(TensorId tensor, Shape index) const {
  for (OpId maker = graph_.tensors[tensor].producer; maker && !tiling_.opOf[maker];
       maker = graph_.tensors[tensor].producer) {
    const Op& op = graph_.ops[maker];
    if (op.type != "Transpose" && op.type != "Reshape") return std::nullopt;
    auto source = copied(held_, maker, index);
    if (!source) return std::nullopt;
    tensor = op.inputs[0];
    index = *std::move(source);
  }
  const TensorId of = tiling_.wholeOf[tensor];
  const auto& order = tiling_.orders[tensor];
  if (!of || order.size() != index.size()) return std::nullopt;
  Shape place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = index[i];
  // A weight that is broadcast may have got more axes.
  const auto& shape = model_.tensors[of].shape;
  const std::size_t rank = shape ? shape->size() : place.size();
  if (rank > place.size()) return std::nullopt;
  place.erase(place.begin(), place.end() - static_cast<std::ptrdiff_t>(rank));
  return Element{of, std::move(place)};
}

std::optional<ElementTrail::Element> ElementTrail::model(TensorId tensor, Shape index) const {
  for (OpId maker = model_.tensors[tensor].producer; maker && !carrier_[maker];
       maker = model_.tensors[tensor].producer) {
    const Op& op = model_.ops[maker];
    auto source = op.type == "Transpose" ? copied(model_, maker, index) : std::nullopt;
    if (!source) return std::nullopt;
    tensor = op.inputs[0];
    index = *std::move(source);
  }
  return Element{tensor, std::move(index)};
}

std::optional<std::vector<Source>> ElementTrail::sourcesHeld(OpId op, std::size_t output,
                                                             const Shape& index) const {
  return Meaning(held_, op, output, index).find();
}

std::optional<std::vector<Source>> ElementTrail::sourcesInModel(OpId op, std::size_t output,
                                                                const Shape& index) const {
  return Meaning(model_, op, output, index).find();
}

/// Of one op, so many elements of its inputs are looked at, however many its outputs have.
constexpr std::size_t kMostSources = 200'000;

using Element = ElementTrail::Element;

/// Indices of a shape: all, or the corners and the middle of large ones.
std::vector<Shape> samplesOf(const Shape& shape, std::int64_t most) {
  const auto count = elementCount(shape);
  if (count == 0) return {};
  const bool all = count && *count <= most;
  std::vector<Shape> samples;
  Shape index(shape.size());
  for (;;) {
    samples.push_back(index);
    std::size_t axis = shape.size();
    while (axis > 0) {
      const std::int64_t last = shape[axis - 1] - 1;
      std::int64_t& at = index[axis - 1];
      if (at < last) {
        at = all ? at + 1 : last;
        break;
      }
      at = 0;
      --axis;
    }
    if (axis == 0) break;
  }
  if (all) return samples;
  for (std::size_t i = 0; i < shape.size(); ++i) index[i] = shape[i] / 2;
  samples.push_back(index);
  return samples;
}

class LayoutAudit {
 public:
  LayoutAudit(const Graph& graph, std::int64_t most, std::size_t limit)
      : graph_(graph),
        tiling_(*graph.tiling),
        model_(*tiling_.original),
        trail_(graph),
        most_(most),
        limit_(limit) {}

  std::vector<std::string> run() {
    for (const TensorId id : graph_.tensors.keys()) checkTensor(id);
    checkEnds();
    // An element that cannot be looked up cannot be followed.
    if (!found_.empty()) return found_;
    std::set<OpId> carried;
    for (const OpId id : graph_.ops.keys()) {
      const OpId of = tiling_.opOf[id];
      if (of && !carried.insert(of).second) say(of, "runs twice");
      if (of) checkOp(id, of);
    }
    for (const OpId of : model_.ops.keys()) {
      if (!carried.contains(of) && model_.ops[of].type != "Transpose") say(of, "is gone");
    }
    return found_;
  }

 private:
  void complain(std::string sentence) {
    if (found_.size() < limit_) found_.push_back(std::move(sentence));
  }
  void say(OpId of, std::string_view what) {
    complain(fmt::format("op '{}' {}", printable(displayName(model_, of)), what));
  }
  void say(TensorId id, std::string_view what) {
    complain(fmt::format("'{}' {}", printable(displayName(graph_, id)), what));
  }

  /// It is the model's tensor, axis by axis, of as many bytes.
  void checkTensor(TensorId id) {
    const Tensor& tensor = graph_.tensors[id];
    const TensorId of = tiling_.wholeOf[id];
    if (!of) {
      const bool added = tensor.producer && !tiling_.opOf[tensor.producer];
      return added ? void() : say(id, "is no tensor of the model");
    }
    const Tensor& model = model_.tensors[of];
    const bool alike = tensor.bytes == model.bytes && tensor.dtype == model.dtype &&
                       tensor.constant == model.constant && tensor.persistent == model.persistent &&
                       tensor.graphInput == model.graphInput;
    if (!alike) return say(id, "is not the tensor that the model has");
    if (!tensor.shape || !model.shape) {
      return tensor.shape == model.shape ? void() : say(id, "is not of the shape of the model's");
    }
    const auto& order = tiling_.orders[id];
    const std::size_t rank = order.size();
    Shape padded(rank - std::min(rank, model.shape->size()), 1);
    if (!padded.empty() && !tensor.constant) return say(id, "has more axes than in the model");
    padded.insert(padded.end(), model.shape->begin(), model.shape->end());
    std::set<std::size_t> axes;
    bool right = tensor.shape->size() == rank && padded.size() == rank;
    for (std::size_t i = 0; right && i < rank; ++i) {
      right =
          order[i] < rank && axes.insert(order[i]).second && (*tensor.shape)[i] == padded[order[i]];
    }
    if (!right) say(id, "does not have the axes of the model's");
  }

  void checkEnds() {
    bool same = graph_.inputs.size() == model_.inputs.size() &&
                graph_.outputs.size() == model_.outputs.size();
    for (std::size_t i = 0; same && i < graph_.inputs.size(); ++i) {
      same = tiling_.wholeOf[graph_.inputs[i]] == model_.inputs[i];
    }
    for (std::size_t i = 0; same && i < graph_.outputs.size(); ++i) {
      same = isSame(graph_.outputs[i], model_.outputs[i]);
    }
    if (!same) complain("the graph does not take and hand out what the model does");
  }

  /// One is the other, however held.
  bool isSame(TensorId held, TensorId model) const {
    const auto& now = graph_.tensors[held].shape;
    const auto& then = model_.tensors[model].shape;
    if (!now || !then || elementCount(*then) == 0) return tiling_.wholeOf[held] == model;
    const auto here = trail_.held(held, Shape(now->size()));
    const auto there = trail_.model(model, Shape(then->size()));
    return here && there && here->first == there->first;
  }

  /// It is held as the model has it, element by element.
  bool isAsGiven(TensorId held, TensorId model) const {
    const auto& now = graph_.tensors[held].shape;
    const auto& then = model_.tensors[model].shape;
    if (now != then) return false;
    if (!now || elementCount(*now) == 0) return isSame(held, model);
    return std::ranges::all_of(samplesOf(*now, most_), [&](const Shape& index) {
      const auto here = trail_.held(held, index);
      return here && here == trail_.model(model, index);
    });
  }

  void checkOp(OpId id, OpId of) {
    const Op& op = graph_.ops[id];
    const Op& before = model_.ops[of];
    const bool view =
        viewFamilyOf(op) == ViewFamily::reshape && viewFamilyOf(before) == ViewFamily::reshape;
    if (op.type != before.type && !view) return say(of, "has become another");
    if (op.inputs.size() != before.inputs.size() || op.outputs.size() != before.outputs.size() ||
        op.captures.size() != before.captures.size()) {
      return say(of, "does not read and make as many tensors as it did");
    }
    const auto same = [&](TensorId now, TensorId then) {
      return now && then ? isSame(now, then) : bool(now) == bool(then);
    };
    if (!std::ranges::equal(op.inputs, before.inputs, same)) return say(of, "reads other tensors");
    for (std::size_t i = 0; i < op.captures.size(); ++i) {
      if (!isAsGiven(op.captures[i], before.captures[i]))
        say(of, "captures what is held otherwise");
    }
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      const bool right =
          op.outputs[i] ? tiling_.wholeOf[op.outputs[i]] == before.outputs[i] : !before.outputs[i];
      if (!right) return say(of, "does not make what it did");
    }
    if (op.folded) return;
    std::set<std::size_t> followed;
    bool known = true;
    for (std::size_t i = 0; known && i < op.outputs.size(); ++i) {
      if (op.outputs[i]) known = checkOutput(id, of, i, followed);
    }
    if (!known) return checkOpaque(id, of);
    if (!view && !isAlike(op, before, true)) say(of, "has attributes that it did not have");
    // Tensors not followed element by element are as the model has them: weights above all.
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const bool typeOnly = op.type == "CastLike" && i == 1;
      if (!op.inputs[i] || followed.contains(i) || typeOnly) continue;
      if (!isAsGiven(op.inputs[i], before.inputs[i])) {
        say(of, fmt::format("reads '{}' as the model does not have it",
                            printable(displayName(model_, before.inputs[i]))));
      }
    }
    checkChannels(id, of);
  }

  /// Elements of one output; false where nobody knows what they are made of.
  bool checkOutput(OpId id, OpId of, std::size_t output, std::set<std::size_t>& followed) {
    const Op& op = graph_.ops[id];
    const Op& before = model_.ops[of];
    const auto& shape = model_.tensors[before.outputs[output]].shape;
    if (!shape) return false;
    const auto& order = tiling_.orders[op.outputs[output]];
    std::size_t looked = 0;
    auto samples = samplesOf(*shape, most_);
    if (before.type == "Concat") addSeams(before, *shape, samples);
    for (const Shape& index : samples) {
      Shape held;
      for (const std::size_t axis : order) held.push_back(index[axis]);
      const auto now = trail_.sourcesHeld(id, output, held);
      const auto then = trail_.sourcesInModel(of, output, index);
      if (!now || !then) return false;
      std::set<std::pair<std::size_t, Element>> here;
      std::set<std::pair<std::size_t, Element>> there;
      bool found = true;
      for (const auto& [input, source] : *now) {
        const auto element = trail_.held(op.inputs[input], source);
        found = found && element;
        if (element) here.emplace(input, *element);
        followed.insert(input);
      }
      for (const auto& [input, source] : *then) {
        const auto element = trail_.model(before.inputs[input], source);
        found = found && element;
        if (element) there.emplace(input, *element);
      }
      if (!found || here != there) {
        say(of, fmt::format("makes element ({}) of '{}' of other elements than in the model",
                            fmt::join(index, ", "),
                            printable(displayName(model_, before.outputs[output]))));
        return true;
      }
      looked += now->size();
      if (looked > kMostSources) break;
    }
    return true;
  }

  /// Begin of each input of a concat, so that each is looked at.
  void addSeams(const Op& before, const Shape& shape, std::vector<Shape>& samples) const {
    const auto rank = static_cast<std::int64_t>(shape.size());
    std::int64_t axis = before.intAttribute("axis", 0);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return;
    Shape index(shape.size());
    for (const TensorId in : before.inputs) {
      const auto& part = in ? model_.tensors[in].shape : std::nullopt;
      if (!part || part->size() != shape.size()) return;
      auto& at = index[static_cast<std::size_t>(axis)];
      if (at < shape[static_cast<std::size_t>(axis)]) samples.push_back(index);
      at += (*part)[static_cast<std::size_t>(axis)];
    }
  }

  /// An op that nobody knows: everything as the model has it.
  void checkOpaque(OpId id, OpId of) {
    const Op& op = graph_.ops[id];
    const Op& before = model_.ops[of];
    bool right = isAlike(op, before, false);
    const bool measures = op.type == "Shape" || op.type == "Size";  // No element is read.
    for (std::size_t i = 0; right && !measures && i < op.inputs.size(); ++i) {
      right = !op.inputs[i] || isAsGiven(op.inputs[i], before.inputs[i]);
    }
    for (std::size_t i = 0; right && i < op.outputs.size(); ++i) {
      right = !op.outputs[i] || std::ranges::is_sorted(tiling_.orders[op.outputs[i]]);
    }
    if (!right) say(of, "is of a type that nobody can check, and not as the model has it");
  }

  /// The same attributes, but for those that number axes where they may.
  static bool isAlike(const Op& op, const Op& before, bool moved) {
    static const std::set<std::string_view> kAxes = {"axis", "axes",         "pads",
                                                     "perm", "kernel_shape", "channels_last"};
    const auto kept = [&](const Op& from) {
      auto attributes = from.attributes;
      if (moved)
        std::erase_if(attributes, [](const auto& each) { return kAxes.contains(each.first); });
      return attributes;
    };
    return kept(op) == kept(before);
  }

  /// Weights of one element a channel go to the channels.
  void checkChannels(OpId id, OpId of) {
    static const std::set<std::string_view> kByChannel = {
        "BatchNormalization", "InstanceNormalization", "Conv", "ConvInteger", "QLinearConv",
        "FusedConv",          "ConvTranspose"};
    static const std::set<std::string_view> kByAxis = {"QuantizeLinear", "DequantizeLinear"};
    const Op& op = graph_.ops[id];
    const Op& before = model_.ops[of];
    const bool channel = kByChannel.contains(op.type);
    if (!channel && !kByAxis.contains(op.type)) return;
    if (!channel && op.inputs.size() > 1 && op.inputs[1]) {
      const auto& scale = graph_.tensors[op.inputs[1]].shape;
      if (scale && elementCount(*scale) == 1) return;
    }
    const auto& order = tiling_.orders[op.outputs[0]];
    const auto rank = static_cast<std::int64_t>(order.size());
    const bool last = op.intAttribute("channels_last", 0) != 0;
    std::int64_t now = channel ? (last ? rank - 1 : 1) : op.intAttribute("axis", 1);
    std::int64_t then = channel ? 1 : before.intAttribute("axis", 1);
    if (now < 0) now += rank;
    if (then < 0) then += rank;
    const bool right = now >= 0 && now < rank &&
                       order[static_cast<std::size_t>(now)] == static_cast<std::size_t>(then);
    if (rank > 1 && !right) say(of, "works along another axis than in the model");
  }

  const Graph& graph_;
  const Tiling& tiling_;
  const Graph& model_;
  ElementTrail trail_;
  std::int64_t most_;
  std::size_t limit_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> auditLayout(const Graph& graph, std::int64_t most, std::size_t limit) {
  if (!isRelaid(graph)) return {};
  return LayoutAudit(graph, most, limit).run();
}

}  // namespace hw
