#include "core/check/layout/element_trail.h"

#include <algorithm>

#include "core/check/element_sources.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

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

/// What one element is made of, from what the op means.
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

  /// What is added is made of nothing, of the nearest element, or of one as far inside.
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

}  // namespace

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

}  // namespace hw
