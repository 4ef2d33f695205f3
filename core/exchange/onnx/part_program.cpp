#include "core/exchange/onnx/part_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/graph/traversal.h"
#include "core/ops/op_rules.h"
#include "core/ops/regions.h"
#include "core/rewrite/graph_rewriter.h"

namespace hw {
namespace {

using BoxSpan = Interval<std::int64_t>;

bool isCut(const BoxSpan& span, std::int64_t size) { return span != BoxSpan{0, size}; }

bool holds(const TensorBox& outer, const TensorBox& inner) {
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i].begin < outer[i].begin || inner[i].end > outer[i].end) return false;
  }
  return true;
}

bool holdsFirst(const TensorBox& box, const TensorBox& of) {
  for (std::size_t i = 0; i < box.size(); ++i) {
    if (!box[i].contains(of[i].begin)) return false;
  }
  return true;
}

std::string operatorText(const Graph& graph, OpId op) {
  return fmt::format("operator '{}' ({})", printable(displayName(graph, op), 80),
                     printable(graph.ops[op].type, 80));
}

/// How often Resize repeats each element along each axis; empty where it does anything else.
std::vector<std::int64_t> repeatsOf(const Graph& graph, const Op& op) {
  constexpr std::size_t kSizes = 3;
  const bool resizes = op.type == "Resize" && op.domain.empty();
  if (op.inputs.empty() || !op.inputs[0] || op.outputs.empty() || !op.outputs[0]) return {};
  if (!resizes && (op.type != "Upsample" || !op.domain.empty())) return {};
  const auto& from = graph.tensors[op.inputs[0]].shape;
  const auto& to = graph.tensors[op.outputs[0]].shape;
  // The size of the whole output, which a part does not have.
  if (op.inputs.size() > kSizes && op.inputs[kSizes]) return {};
  if (!from || !to || from->size() != to->size()) return {};
  const bool pairs = op.stringAttribute("mode", "nearest") == "nearest";
  const std::string place =
      resizes ? op.stringAttribute("coordinate_transformation_mode",
                                   op.inputs.size() > 2 ? "half_pixel" : "asymmetric")
              : "asymmetric";
  const bool down = !resizes || op.stringAttribute("nearest_mode", "round_prefer_floor") == "floor";
  if (!pairs || (place != "half_pixel" && !(place == "asymmetric" && down))) return {};
  if (place == "half_pixel" && (down || op.stringAttribute("nearest_mode", "") == "ceil"))
    return {};
  std::vector<std::int64_t> repeats;
  for (std::size_t i = 0; i < from->size(); ++i) {
    if ((*from)[i] < 1 || (*to)[i] < 1 || (*to)[i] % (*from)[i] != 0) return {};
    repeats.push_back((*to)[i] / (*from)[i]);
  }
  return repeats;
}

/// Works out what an operator needs; refuses where it cannot.
class NeedsFinder {
 public:
  NeedsFinder(const Graph& graph, OpId op, const TensorBox& made)
      : graph_(graph), id_(op), op_(graph.ops[op]), made_(made) {}

  OnnxNeeds find() {
    checkOp();
    if (const auto repeats = repeatsOf(graph_, op_); !repeats.empty())
      return needsOfRepeats(repeats);
    const auto regions = regionsOf(graph_, id_);
    if (!regions) no("does not go by rows");
    regions_ = &*regions;
    windowed_ = isOneOf({&regions::window, &regions::convolution});
    if (!windowed_ && !isOneOf({&regions::elements, &regions::first, &regions::joined,
                                &regions::acrossChannels, &regions::normalised, &regions::softmax}))
      no("does not go by rows");
    for (std::size_t axis = 0; axis < made_.size(); ++axis) {
      if (isCut(made_[axis], outShape()[axis])) checkAxis(axis);
    }
    OnnxNeeds needs;
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) needs.inputs.push_back(boxOf(i));
    if (windowed_) needs.pads = padsOf(needs.inputs[0]);
    return needs;
  }

 private:
  using Rule = RegionRule*;

  [[noreturn]] void no(std::string_view why) const {
    refuse(fmt::format("{} {}", operatorText(graph_, id_), why), {}, ErrorCode::unsupported);
  }
  bool isOneOf(std::initializer_list<Rule> rules) const {
    return std::ranges::find(rules, findOp(op_)->region) != rules.end();
  }
  const Shape& outShape() const { return *graph_.tensors[op_.outputs[0]].shape; }
  const Shape& shapeOf(std::size_t input) const { return *graph_.tensors[op_.inputs[input]].shape; }

  void checkOp() const {
    if (op_.outputs.empty() || !op_.outputs[0]) no("makes no tensor");
    for (std::size_t i = 1; i < op_.outputs.size(); ++i) {
      if (!op_.outputs[i]) continue;
      const Tensor& also = graph_.tensors[op_.outputs[i]];
      if (!also.consumers.empty() || also.graphOutput) no("makes a second tensor that is read");
    }
    std::vector<TensorId> tensors = op_.inputs;
    tensors.push_back(op_.outputs[0]);
    for (const TensorId id : tensors) {
      if (!id) continue;
      const Tensor& tensor = graph_.tensors[id];
      if (!tensor.shape || tensor.origin == SizeOrigin::assumed) {
        no(fmt::format("has tensor '{}', whose shape hangs on a free dimension or is not known",
                       printable(displayName(graph_, id), 80)));
      }
    }
    if (outShape().size() != made_.size()) no("makes a tensor of another rank");
    if (channelsAreLast(op_)) no("has its channels last");
    if (op_.type == "AveragePool" && op_.intAttribute("ceil_mode", 0) != 0 &&
        op_.intAttribute("count_include_pad", 0) != 0) {
      no("counts padding of windows that are rounded up");
    }
  }

  /// An axis that is cut has to be one of the inputs that are cut with it.
  void checkAxis(std::size_t axis) const {
    constexpr std::size_t kFirstPlace = 2;
    if (windowed_ && axis < kFirstPlace) no("is cut by channels; expected rows or columns");
    if (windowed_ || isOneOf({&regions::elements})) return;
    const auto named = normalAxis(op_.intAttribute("axis", 1), made_.size());
    const bool byAxis = isOneOf({&regions::first});
    if (byAxis && axis == named) no("is cut by channels; expected rows or columns");
    for (std::size_t i = 0; i < op_.inputs.size(); ++i) {
      std::size_t at = 0;
      const auto& axes = regions_->inputs[i];
      if (!axes.empty() && regions_->along(i, static_cast<int>(axis), at) == nullptr) {
        no(fmt::format("needs all of axis {} of its input", axis));
      }
    }
  }

  OnnxNeeds needsOfRepeats(const std::vector<std::int64_t>& repeats) const {
    OnnxNeeds needs;
    needs.inputs.resize(op_.inputs.size());
    for (std::size_t i = 0; i < made_.size(); ++i) {
      if (made_[i].begin % repeats[i] != 0 || made_[i].end % repeats[i] != 0) {
        no("has a part that ends within a block");
      }
      needs.inputs[0].push_back({made_[i].begin / repeats[i], made_[i].end / repeats[i]});
    }
    return needs;
  }

  TensorBox boxOf(std::size_t input) const {
    if (!op_.inputs[input] || regions_->inputs[input].empty()) return {};
    TensorBox box = wholeBox(shapeOf(input));
    for (std::size_t i = 0; i < box.size(); ++i) {
      const Reach& reach = regions_->inputs[input][i];
      if (reach.axis == Reach::kWhole) continue;
      box[i] = reach.needed(made_[static_cast<std::size_t>(reach.axis)], box[i].end);
    }
    return box;
  }

  std::vector<std::int64_t> padsOf(const TensorBox& read) const {
    std::vector<std::int64_t> before;
    std::vector<std::int64_t> behind;
    for (std::size_t i = 2; i < made_.size(); ++i) {
      const Reach& reach = regions_->inputs[0][i];
      before.push_back(read[i].begin - (made_[i].begin * reach.step + reach.low));
      const std::int64_t end = (made_[i].end - 1) * reach.step + reach.high + 1;
      behind.push_back(end - read[i].end);
      if (before.back() < 0 || behind.back() < 0) no("has a part of nothing but padding");
    }
    before.insert(before.end(), behind.begin(), behind.end());
    return before;
  }

  const Graph& graph_;
  OpId id_;
  const Op& op_;
  const TensorBox& made_;
  const Regions* regions_ = nullptr;
  bool windowed_ = false;
};

/// Puts the nodes of a program together.
class ProgramMaker {
 public:
  ProgramMaker(const Graph& graph, std::span<const OnnxPart> parts)
      : graph_(graph), parts_(parts), left_(graph.ops.size()), pieces_(graph.tensors.size()) {
    for (const TensorId id : graph.tensors.keys()) program_.values.push_back({id, {}});
  }

  PartProgram make() {
    if (std::ssize(parts_) > kMostParts) {
      refuse(fmt::format("the graph has more than {} parts", groupDigits(kMostParts)), {},
             ErrorCode::unsupported);
    }
    for (const OnnxPart& part : parts_) {
      checkPart(part);
      ++left_[part.of];
      inParts_.insert(graph_.ops[part.of].outputs[0]);
    }
    for (const OpId op : graph_.ops.keys()) {
      if (left_[op] == 0) addWhole(op, op);
    }
    for (const OnnxPart& part : parts_) {
      at_ = std::max(at_, part.of);
      addPart(part);
      const TensorId made = graph_.ops[part.of].outputs[0];
      if (--left_[part.of] == 0 && isReadWhole(made)) whole(made);
    }
    sort();
    return std::move(program_);
  }

 private:
  using Kind = PartProgram::Node::Kind;
  /// Boxes are looked for among all those of a tensor.
  static constexpr std::int64_t kMostParts = 50'000;

  void checkPart(const OnnxPart& part) const {
    const Op& op = graph_.ops[part.of];
    const bool made = !op.outputs.empty() && op.outputs[0];
    const auto& shape = made ? graph_.tensors[op.outputs[0]].shape : std::nullopt;
    const bool fits = shape && shape->size() == part.made.size() && !shape->empty() &&
                      holds(wholeBox(*shape), part.made) &&
                      std::ranges::none_of(part.made, &BoxSpan::empty);
    if (!fits) {
      refuse(fmt::format("{} has a part that is not inside of what it makes",
                         operatorText(graph_, part.of)));
    }
  }

  /// True if anything but the parts reads the tensor.
  bool isReadWhole(TensorId id) const {
    const Tensor& tensor = graph_.tensors[id];
    return tensor.graphOutput || std::ranges::any_of(tensor.consumers, [&](OpId reader) {
             return !inParts_.contains(
                 graph_.ops[reader].outputs.empty() ? TensorId() : graph_.ops[reader].outputs[0]);
           });
  }

  void add(PartProgram::Node node, OpId at) {
    program_.nodes.push_back(std::move(node));
    places_.push_back(at);
  }

  void addWhole(OpId id, OpId at) {
    PartProgram::Node node{.kind = Kind::whole, .of = id};
    node.inputs = numbersOf(graph_.ops[id].inputs);
    node.outputs = numbersOf(graph_.ops[id].outputs);
    add(std::move(node), at);
  }

  std::size_t addBox(TensorId of, TensorBox box) {
    program_.values.push_back({of, std::move(box)});
    return program_.values.size() - 1;
  }

  void addPart(const OnnxPart& part) {
    const Op& op = graph_.ops[part.of];
    const TensorId made = op.outputs[0];
    now_ = part.of;
    const TensorBox wanted = onnxMakeable(graph_, part.of, part.made);
    const bool all = isAll(made, wanted);
    if (all && joined_.contains(made)) return;
    const auto needs = onnxNeeds(graph_, part.of, wanted);
    if (!needs && !all) throw Refusal{needs.error()};
    if (!needs) return addAll(part.of);
    PartProgram::Node node{.kind = Kind::part, .of = part.of, .pads = needs->pads};
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      node.inputs.push_back(!op.inputs[i] ? PartProgram::kAbsent
                                          : box(op.inputs[i], needs->inputs[i]));
    }
    node.outputs = {all ? made.index() : addBox(made, wanted)};
    if (all) joined_.insert(made);
    if (!all) {
      pieces_[made].push_back(node.outputs[0]);
      known_.insert_or_assign({made, wanted}, node.outputs[0]);
    }
    add(std::move(node), at_);
  }

  /// An operator that is its only part, whatever it needs.
  void addAll(OpId id) {
    for (const TensorId in : graph_.ops[id].inputs) {
      if (in) whole(in);
    }
    joined_.insert(graph_.ops[id].outputs[0]);
    addWhole(id, at_);
  }

  bool isAll(TensorId id, const TensorBox& box) const {
    return box.empty() || box == wholeBox(*graph_.tensors[id].shape);
  }

  /// The value that is all of a tensor.
  std::size_t whole(TensorId id) {
    const std::size_t value = id.index();
    if (!inParts_.contains(id) || joined_.contains(id)) return value;
    joinInto(id, wholeBox(*graph_.tensors[id].shape), value);
    joined_.insert(id);
    return value;
  }

  /// The value that is `wanted` of a tensor.
  std::size_t box(TensorId id, const TensorBox& wanted) {
    if (isAll(id, wanted)) return whole(id);
    const auto known = known_.find({id, wanted});
    if (known != known_.end()) return known->second;
    std::size_t value = 0;
    const bool isWhole = !inParts_.contains(id) || joined_.contains(id);
    if (const auto from = isWhole ? id.index() : pieceWith(id, wanted, holds)) {
      value = cut(*from, wanted);
    } else {
      value = addBox(id, wanted);
      joinInto(id, wanted, value);
    }
    known_.emplace(std::pair(id, wanted), value);
    return value;
  }

  /// The piece made last that is as `fits` says; nothing where none is.
  template <class Fits>
  std::optional<std::size_t> pieceWith(TensorId id, const TensorBox& wanted, Fits fits) const {
    const auto& pieces = pieces_[id];
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
      if (fits(program_.values[*piece].box, wanted)) return *piece;
    }
    return std::nullopt;
  }

  std::size_t cut(std::size_t from, const TensorBox& wanted) {
    const PartProgram::Value source = program_.values[from];
    if (source.box == wanted) return from;
    PartProgram::Node node{.kind = Kind::slice, .of = now_, .inputs = {from}, .cut = wanted};
    for (std::size_t i = 0; i < source.box.size(); ++i) {
      node.cut[i].begin -= source.box[i].begin;
      node.cut[i].end -= source.box[i].begin;
    }
    node.outputs = {addBox(source.of, wanted)};
    const std::size_t value = node.outputs[0];
    add(std::move(node), at_);
    return value;
  }

  /// Makes `value`, which no piece holds alone, of several: the one with its first element as far
  /// as that goes along the first axis along which it ends too early, then the rest.
  void joinInto(TensorId id, const TensorBox& wanted, std::size_t value) {
    PartProgram::Node node{.kind = Kind::join, .of = now_, .outputs = {value}};
    std::optional<std::size_t> axis;
    TensorBox rest = wanted;
    while (!axis || !rest[*axis].empty()) {
      const auto piece = pieceWith(
          id, rest, [](const TensorBox& box, const TensorBox& of) { return holdsFirst(box, of); });
      if (!piece) {
        refuse(fmt::format("tensor '{}' is read where no part has made it",
                           printable(displayName(graph_, id), 80)));
      }
      const TensorBox& found = program_.values[*piece].box;
      for (std::size_t i = 0; !axis && i < found.size(); ++i) {
        if (found[i].end < wanted[i].end) axis = i;
      }
      TensorBox next = rest;
      next[*axis].end = std::min(found[*axis].end, rest[*axis].end);
      rest[*axis].begin = next[*axis].end;
      node.inputs.push_back(box(id, next));
    }
    node.axis = *axis;
    add(std::move(node), at_);
  }

  /// New nodes stand where the last operator stood that they are of, what they need before them.
  void sort() {
    std::vector<std::size_t> numbers(program_.nodes.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
    std::ranges::stable_sort(numbers, {}, [&](std::size_t i) { return places_[i]; });
    std::vector<std::size_t> maker(program_.values.size(), PartProgram::kAbsent);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (const std::size_t made : program_.nodes[numbers[i]].outputs) {
        if (made != PartProgram::kAbsent) maker[made] = i;
      }
    }
    std::vector<OrderConstraint> constraints;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const PartProgram::Node& node = program_.nodes[numbers[i]];
      const auto follow = [&](std::size_t value) {
        if (value != PartProgram::kAbsent && maker[value] != PartProgram::kAbsent) {
          constraints.emplace_back(maker[value], i);
        }
      };
      std::ranges::for_each(node.inputs, follow);
      if (node.kind != Kind::whole) continue;
      for (const TensorId each : graph_.ops[node.of].captures) follow(each.index());
    }
    std::vector<PartProgram::Node> sorted;
    for (const std::size_t i : stableOrder(numbers.size(), constraints)) {
      sorted.push_back(std::move(program_.nodes[numbers[i]]));
    }
    program_.nodes = std::move(sorted);
  }

  const Graph& graph_;
  std::span<const OnnxPart> parts_;
  PartProgram program_;
  std::vector<OpId> places_;       ///< By node.
  IdMap<OpId, std::size_t> left_;  ///< Parts that are still to come.
  IdMap<TensorId, std::vector<std::size_t>> pieces_;
  std::set<TensorId> inParts_;
  std::set<TensorId> joined_;  ///< Of those, the ones that are whole, too.
  std::map<std::pair<TensorId, TensorBox>, std::size_t> known_;
  OpId at_{0};   ///< The last operator so far that a part is of.
  OpId now_{0};  ///< The operator that a part is of.
};

Op opOf(const Graph& graph, const PartProgram::Node& node) {
  if (node.kind == PartProgram::Node::Kind::slice) return {.type = "Slice"};
  if (node.kind == PartProgram::Node::Kind::join) return {.type = "Concat"};
  return graph.ops[node.of];
}

}  // namespace

TensorBox wholeBox(const Shape& shape) {
  TensorBox box;
  for (const std::int64_t size : shape) box.push_back({0, size});
  return box;
}

TensorBox onnxMakeable(const Graph& graph, OpId op, TensorBox wanted) {
  const auto repeats = repeatsOf(graph, graph.ops[op]);
  for (std::size_t i = 0; i < std::min(repeats.size(), wanted.size()); ++i) {
    wanted[i].begin -= wanted[i].begin % repeats[i];
    wanted[i].end += (repeats[i] - wanted[i].end % repeats[i]) % repeats[i];
  }
  return wanted;
}

Result<OnnxNeeds> onnxNeeds(const Graph& graph, OpId op, const TensorBox& made) {
  return unlessRefused([&] { return NeedsFinder(graph, op, made).find(); });
}

Shape PartProgram::shapeOf(const Graph& graph, std::size_t value) const {
  const Value& of = values[value];
  if (of.box.empty()) return graph.tensors[of.of].shape.value_or(Shape());
  Shape shape;
  for (const auto& span : of.box) shape.push_back(span.length());
  return shape;
}

Result<PartProgram> partProgram(const Graph& graph, std::span<const OnnxPart> parts) {
  return unlessRefused([&] { return ProgramMaker(graph, parts).make(); });
}

Result<Graph> graphOf(const Graph& graph, const PartProgram& program,
                      IdMap<TensorId, std::size_t>& values) {
  GraphBuilder builder(graph.name, graph.format);
  std::map<std::size_t, GraphBuilder::Handle> handles;
  std::vector<std::size_t> byHandle;
  const auto handle = [&](std::size_t value) {
    if (value == PartProgram::kAbsent) return GraphBuilder::kAbsent;
    const auto [at, isNew] = handles.emplace(value, byHandle.size());
    if (!isNew) return at->second;
    Tensor tensor = unlinkedTensor(graph.tensors[program.values[value].of]);
    if (!program.values[value].box.empty()) {
      tensor.shape = program.shapeOf(graph, value);
      tensor.bytes = packedSize(tensor.dtype, *elementCount(*tensor.shape));
      tensor.constant = false;
    }
    byHandle.push_back(value);
    return builder.addTensor(std::move(tensor));
  };
  for (const TensorId input : graph.inputs) builder.addInput(handle(input.index()));
  for (const PartProgram::Node& node : program.nodes) {
    GraphBuilder::OpParts parts{.op = opOf(graph, node)};
    std::ranges::transform(node.inputs, std::back_inserter(parts.inputs), handle);
    std::ranges::transform(node.outputs, std::back_inserter(parts.outputs), handle);
    if (node.kind == PartProgram::Node::Kind::whole) {
      for (const TensorId in : graph.ops[node.of].captures) {
        parts.captures.push_back(handle(in.index()));
      }
    }
    builder.addOp(std::move(parts));
  }
  for (const TensorId output : graph.outputs) builder.addOutput(handle(output.index()));
  std::vector<TensorId> ids;
  HW_TRY(made, std::move(builder).build(ids));
  values.resize(made.tensors.size());
  for (std::size_t i = 0; i < ids.size(); ++i) values[ids[i]] = byHandle[i];
  return std::move(made);
}

}  // namespace hw
