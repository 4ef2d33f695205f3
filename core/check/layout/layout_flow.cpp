#include "core/check/layout/layout_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/check/layout/element_trail.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

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
    // What cannot be looked up cannot be followed.
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
    // What is not followed element by element is as the model has it: weights above all.
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

  /// Where one input of a concat begins, so that each is looked at.
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
