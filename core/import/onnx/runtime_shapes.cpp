#include "core/import/onnx/runtime_shapes.h"

#include <google/protobuf/arena.h>
#include <hw_onnx.pb.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "core/import/formats.h"
#include "core/import/onnx/functions.h"
#include "core/import/onnx/inference.h"
#include "core/import/onnx/values.h"
#include "core/import/onnx/wire.h"
#include "core/ops/op_rules.h"
#include "core/ops/regions.h"

namespace hw {
namespace {

// A name is a number above most dimensions, so that our shape rules carry it on. Shapes are
// inferred twice, with other numbers: what is equal both times is no name nor made of one.
constexpr std::int64_t kFirstNames[] = {std::int64_t{1} << 24, std::int64_t{3} << 23};
constexpr std::int64_t kNameDistance = 1'009;
constexpr std::int64_t kMostSize = std::int64_t{1} << 20;

bool isNumber(std::int64_t size) { return size >= 0 && size < kMostSize; }

class NamedDimensions final : public FreeDimensions {
 public:
  explicit NamedDimensions(std::int64_t first) : FreeDimensions({}), next_(first) {}

  bool bindInput(onnx::TypeProto& type, const std::string& /*input*/) override {
    if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return false;
    for (auto& dimension : *type.mutable_tensor_type()->mutable_shape()->mutable_dim()) {
      if (!give(dimension)) dimension.set_dim_value(newNumber());
    }
    return false;
  }

  bool substitute(onnx::TypeProto& type) override {
    if (!type.has_tensor_type() || !type.tensor_type().has_shape()) return false;
    for (auto& dimension : *type.mutable_tensor_type()->mutable_shape()->mutable_dim()) {
      give(dimension);
    }
    return false;
  }

  void assumeTensor(onnx::TypeProto& /*type*/, const std::string& /*tensor*/,
                    const std::vector<std::int64_t>& /*most*/) override {}

  std::optional<std::int64_t> valueOf(const onnx::TypeProto& /*type*/,
                                      const std::string& /*input*/) override {
    return std::nullopt;
  }

  /// Takes from the file a dimension that no rule settles.
  void refine(onnx::TypeProto& inferred, const onnx::TypeProto& declared) const override {
    if (!inferred.has_tensor_type() || !declared.has_tensor_type()) return;
    auto& shape = *inferred.mutable_tensor_type()->mutable_shape();
    const auto& stated = declared.tensor_type().shape();
    if (shape.dim_size() != stated.dim_size()) return;
    for (int axis = 0; axis < shape.dim_size(); ++axis) {
      const std::int64_t size = shape.dim(axis).dim_value();
      if (isNumber(size) || names_.contains(size) || !stated.dim(axis).has_dim_value()) continue;
      shape.mutable_dim(axis)->set_dim_value(stated.dim(axis).dim_value());
    }
  }

  /// Our rules, less what the runtime does not see through and more where it does with less.
  std::vector<TensorFacts> infer(const OpFacts& facts) override {
    constexpr std::int64_t kReshapeByLength = 14;  // The opset since which the length may do.
    const std::string& type = facts.op.type;
    if (type == "Crop") return {};  // It has no rule there.
    if (type == "Reshape" && facts.opset >= 5) {
      if (const SmallValue* target = facts.value(1))
        return {{facts.dtype(0), asTarget(facts, *target)}};
      if (facts.opset < kReshapeByLength) return {};
      return {{facts.dtype(0), unknownOf(facts.shape(1))}};
    }
    const OpInfo* info = findOp(facts.op);
    if (info == nullptr) return {};
    auto outputs = info->shape != nullptr ? info->shape(facts) : std::vector<TensorFacts>();
    outputs.resize(std::min(outputs.size(), facts.outputCount));
    const auto isNegative = [](const TensorFacts& output) {
      return output.shape && std::ranges::any_of(*output.shape, [](auto size) { return size < 0; });
    };
    if (outputs.empty() || std::ranges::any_of(outputs, isNegative)) return byRank(facts, *info);
    for (TensorFacts& output : outputs) {
      if (output.shape) forgetComputed(facts, *info, *output.shape);
    }
    return outputs;
  }

  /// Its propagation of data knows few operators, and no names.
  bool followsValues(const OpFacts& facts) const override {
    constexpr std::array kFollowed = {"Add",     "Cast", "Concat",   "Constant", "Div",
                                      "Gather",  "Mul",  "Shape",    "Size",     "Slice",
                                      "Squeeze", "Sub",  "Unsqueeze"};
    if (std::ranges::find(kFollowed, facts.op.type) == kFollowed.end()) return false;
    const bool ofShape = facts.op.type == "Shape" || facts.op.type == "Size";
    const Shape* shape = ofShape ? facts.shape(0) : nullptr;
    return shape == nullptr || std::ranges::all_of(*shape, isNumber);
  }

  /// Below 0, one for each; 0: it is none.
  std::int64_t nameOf(std::int64_t number) const {
    const auto found = names_.find(number);
    return found != names_.end() ? found->second : 0;
  }

 private:
  /// Windows and cuts leave nothing of a dimension without a value, even where all of it remains.
  void forgetComputed(const OpFacts& facts, const OpInfo& info, Shape& made) {
    const std::string& type = facts.op.type;
    const Shape* from = facts.shape(0);
    const bool resized = type == "Resize" || type == "Upsample";
    constexpr std::array kWindows = {&regions::window, &regions::convolution,
                                     &regions::transposedConvolution};
    const bool windowed = std::ranges::find(kWindows, info.region) != kWindows.end();
    for (std::size_t axis = 0; axis < made.size(); ++axis) {
      const bool computed =
          resized || (windowed && axis >= 2) || (type == "Slice" && cuts(facts, axis));
      const bool known = from != nullptr && axis < from->size() && isNumber((*from)[axis]);
      if (computed && !known) made[axis] = newNumber();
    }
  }

  /// The facts that the number of dimensions alone settles.
  std::vector<TensorFacts> byRank(const OpFacts& facts, const OpInfo& info) {
    const std::string& type = facts.op.type;
    const bool compares = info.shape == &shapes::compare;
    if (compares || info.shape == &shapes::broadcastAll) {
      return {{compares ? Dtype::boolean : facts.dtype(0), broadcastOf(facts)}};
    }
    if (type == "Slice") return {{facts.dtype(0), std::nullopt}};
    if (type == "ConstantOfShape") return {{Dtype::float32, unknownOf(facts.shape(0))}};
    if (type == "Shape") return {{Dtype::int64, Shape{newNumber()}}};
    if (type == "Squeeze") return {{facts.dtype(0), squeezed(facts)}};
    return {};
  }

  /// Without the axes that are named, whatever they are.
  static std::optional<Shape> squeezed(const OpFacts& facts) {
    const Shape* shape = facts.shape(0);
    const auto axes = facts.integers(1, "axes");
    const auto named = shape == nullptr || !axes ? std::nullopt : axisSet(*axes, shape->size());
    if (!named || axes->empty()) return std::nullopt;
    Shape made;
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      if (!(*named)[axis]) made.push_back((*shape)[axis]);
    }
    return made;
  }

  /// True if Slice cuts that axis; it does where nobody knows.
  static bool cuts(const OpFacts& facts, std::size_t axis) {
    if (!facts.has(3) && facts.opset >= 10) return true;
    const auto axes = facts.integers(3, "axes");
    const Shape* shape = facts.shape(0);
    if (!axes || axes->empty() || shape == nullptr) return true;
    return std::ranges::any_of(
        *axes, [&](std::int64_t each) { return normalAxis(each, shape->size()) == axis; });
  }

  /// 0 copies a dimension; -1 is what remains, if the others that count have values.
  std::optional<Shape> asTarget(const OpFacts& facts, const SmallValue& target) {
    Shape made;
    const Shape* shape = facts.shape(0);
    std::int64_t rest = 1;
    std::optional<std::size_t> open;
    std::vector<bool> copied(shape != nullptr ? shape->size() : 0);
    for (const std::int64_t size : target.integers) {
      const std::size_t axis = made.size();
      if (size == -1) open = axis;
      if (size != 0 || facts.op.intAttribute("allowzero", 0) != 0) {
        made.push_back(size > -1 ? size : newNumber());
        if (size > 0) rest *= size;
        continue;
      }
      const bool known = axis < copied.size();
      made.push_back(known ? (*shape)[axis] : newNumber());
      if (known && isNumber(made.back())) rest *= std::max<std::int64_t>(made.back(), 1);
      if (known) copied[axis] = !isNumber(made.back());
    }
    if (!open || shape == nullptr) return made;
    std::int64_t product = 1;
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      if (copied[axis]) continue;
      if (!isNumber((*shape)[axis])) return made;
      product *= (*shape)[axis];
    }
    made[*open] = product / rest;
    return made;
  }

  /// As many dimensions as a list of sizes has elements.
  std::optional<Shape> unknownOf(const Shape* list) {
    constexpr std::int64_t kMostRank = 64;
    if (list == nullptr || list->size() != 1 || list->front() > kMostRank) return std::nullopt;
    Shape shape;
    while (std::ssize(shape) < list->front()) shape.push_back(newNumber());
    return shape;
  }

  /// Dimension by dimension, from the last: a number above 1 wins, two names agree or none does.
  std::optional<Shape> broadcastOf(const OpFacts& facts) {
    Shape made;
    for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
      const Shape* shape = facts.shape(i);
      if (shape == nullptr) return std::nullopt;
      if (shape->size() > made.size()) made.insert(made.begin(), shape->size() - made.size(), 1);
      for (std::size_t axis = 0; axis < shape->size(); ++axis) {
        std::int64_t& size = made[made.size() - shape->size() + axis];
        const std::int64_t other = (*shape)[axis];
        if (size == other || other == 1) continue;
        const bool settled = size > 1 && isNumber(size);
        if (size == 1 || (isNumber(other) && !settled)) {
          size = other;
        } else if (!settled) {
          size = newNumber();
        }
      }
    }
    return made;
  }

  /// False: it has neither a value nor a name.
  bool give(onnx::TensorShapeProto::Dimension& dimension) {
    if (dimension.has_dim_value() && dimension.dim_value() >= 0) return true;
    const std::string name = dimension.has_dim_param() ? dimension.dim_param() : std::string();
    dimension.clear_value();
    if (name.empty()) return false;
    const auto [at, isNew] = numbers_.try_emplace(name, 0);
    if (isNew) {
      at->second = newNumber();
      names_.emplace(at->second, -static_cast<std::int64_t>(numbers_.size()));
    }
    dimension.set_dim_value(at->second);
    return true;
  }

  std::int64_t newNumber() { return next_ += kNameDistance; }

  std::unordered_map<std::string, std::int64_t> numbers_;  ///< Of names.
  std::unordered_map<std::int64_t, std::int64_t> names_;   ///< Of those numbers, below 0.
  std::int64_t next_;
};

/// One inference of a model whose free dimensions have names.
struct NamedShapes {
  NamedShapes(const onnx::ModelProto& model, std::int64_t first)
      : dimensions(first), scope(ShapeInference(model, dimensions).run()) {}

  std::optional<Shape> of(const std::string& tensor) const {
    const Knowledge* found = scope->find(tensor);
    return found == nullptr ? std::nullopt : staticShape(found->type);
  }

  NamedDimensions dimensions;
  std::shared_ptr<const Scope> scope;
};

std::optional<Shape> agreed(const NamedShapes& a, const NamedShapes& b, const std::string& tensor) {
  auto shape = a.of(tensor);
  const auto other = b.of(tensor);
  if (!shape || !other || shape->size() != other->size()) return std::nullopt;
  for (std::size_t axis = 0; axis < shape->size(); ++axis) {
    std::int64_t& size = (*shape)[axis];
    if (size == (*other)[axis]) continue;
    const std::int64_t name = a.dimensions.nameOf(size);
    if (name == 0 || name != b.dimensions.nameOf((*other)[axis])) return std::nullopt;
    size = name;
  }
  return shape;
}

}  // namespace

RuntimeShapes runtimeShapes(std::string_view bytes, const Graph& graph) {
  if (!acceptsOnnx(bytes)) return {};
  const auto reduced = withoutPayloads(bytes);
  google::protobuf::Arena arena;
  auto& model = *google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  if (!reduced || !model.ParseFromString(*reduced) || !inlineFunctions(model)) return {};
  const NamedShapes first(model, kFirstNames[0]);
  const NamedShapes second(model, kFirstNames[1]);
  RuntimeShapes shapes(graph.tensors.size());
  for (const TensorId id : graph.tensors.keys()) {
    shapes[id] = agreed(first, second, graph.tensors[id].name);
  }
  return shapes;
}

}  // namespace hw
