#include <limits>

#include "core/import/tflite/model.h"

// Translates TFLite's operators into standard ones: their names, options and order of operands.

namespace hw {
namespace {

using TakenInputs = std::vector<OpFacts::Input>;
using List = std::vector<std::int64_t>;

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// One operator that is translated. Steps return false where they need a value that is not known.
class Translation {
 public:
  Translation(Op& op, TakenInputs& operands) : op_(op), operands_(operands) {}

  bool translate(TfliteOpCode code) {
    switch (code) {
      case TfliteOpCode::conv2d:
      case TfliteOpCode::depthwiseConv2d:
        return kernel(1, 2);
      case TfliteOpCode::conv3d:
        return kernel(0, 3);
      case TfliteOpCode::embeddingLookup:
        return take({1, 0});
      case TfliteOpCode::resizeBilinear:
      case TfliteOpCode::resizeNearest:
        op_.attributes["axes"] = List{1, 2};
        return take({0, kNone, kNone, 1});
      case TfliteOpCode::pad:
      case TfliteOpCode::padV2:
      case TfliteOpCode::mirrorPad:
        return pads() && take({0});
      case TfliteOpCode::slice:
        return slice() && take({0});
      case TfliteOpCode::stridedSlice:
        return stridedSlice() && take({0});
      case TfliteOpCode::split:
        return axisFrom(0) && take({1});
      case TfliteOpCode::splitV:
        return axisFrom(2) && take({0, 1});
      case TfliteOpCode::fill:
      case TfliteOpCode::transposeConv:
      case TfliteOpCode::conv3dTranspose:
        return take({0});
      case TfliteOpCode::sparseToDense:
        return take({1});
      case TfliteOpCode::scatterNd:
        return take({2});
      default:
        return true;
    }
  }

 private:
  static constexpr int kNone = -1;

  const Shape* shape(std::size_t operand) const {
    const bool known = operand < operands_.size() && operands_[operand].facts.shape;
    return known ? &*operands_[operand].facts.shape : nullptr;
  }
  const List* integers(std::size_t operand) const {
    const SmallValue* value = operand < operands_.size() ? operands_[operand].value : nullptr;
    return value != nullptr && !value->isReal() ? &value->integers : nullptr;
  }

  /// The operands of the standard operator, by where TFLite has them.
  bool take(std::initializer_list<int> order) {
    TakenInputs taken;
    for (const int from : order) {
      const bool exists = from >= 0 && static_cast<std::size_t>(from) < operands_.size();
      taken.push_back(exists ? operands_[static_cast<std::size_t>(from)] : OpFacts::Input());
    }
    operands_ = std::move(taken);
    return true;
  }

  bool axisFrom(std::size_t operand) {
    const List* axis = integers(operand);
    if (axis == nullptr || axis->size() != 1) return false;
    op_.attributes["axis"] = axis->front();
    return true;
  }

  /// Of a convolution: the `count` dimensions of its weight from `first` on.
  bool kernel(std::ptrdiff_t first, std::ptrdiff_t count) {
    const Shape* weight = shape(1);
    if (weight == nullptr || std::ssize(*weight) != count + 2) return false;
    op_.attributes["kernel_shape"] = List(weight->begin() + first, weight->begin() + first + count);
    return true;
  }

  /// Before and after, axis by axis, become all before, all after.
  bool pads() {
    const List* edges = integers(1);
    if (shape(0) == nullptr || edges == nullptr || edges->size() != 2 * shape(0)->size()) {
      return false;
    }
    List pads;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      for (std::size_t i = side; i < edges->size(); i += 2) pads.push_back((*edges)[i]);
    }
    op_.attributes["pads"] = std::move(pads);
    return true;
  }

  /// A size of -1 reaches to the end.
  bool slice() {
    const Shape* input = shape(0);
    const List* begin = integers(1);
    const List* size = integers(2);
    if (input == nullptr || begin == nullptr || size == nullptr || begin->size() != input->size() ||
        size->size() != input->size()) {
      return false;
    }
    List ends;
    for (std::size_t axis = 0; axis < input->size(); ++axis) {
      const std::int64_t first = (*begin)[axis];
      if (first < 0 || first > (*input)[axis]) return false;
      ends.push_back((*size)[axis] < 0 ? kMost : checkedAdd(first, (*size)[axis]).value_or(kMost));
    }
    op_.attributes["starts"] = *begin;
    op_.attributes["ends"] = std::move(ends);
    return true;
  }

  bool isSet(const char* mask, std::size_t entry) const {
    return ((op_.intAttribute(mask, 0) >> entry) & 1) != 0;
  }

  /// Masks make of each entry of begin, end and step a cut, one element of an axis that goes, a new
  /// axis, or all axes that no other entry speaks of.
  bool stridedSlice() {
    const Shape* input = shape(0);
    const List* begin = integers(1);
    const List* end = integers(2);
    const List* step = integers(3);
    if (input == nullptr || begin == nullptr || end == nullptr || step == nullptr) return false;
    const std::size_t given = begin->size();
    if (end->size() != given || step->size() != given || given > 62) return false;
    std::int64_t untold = std::ssize(*input);
    std::size_t spreads = 0;
    for (std::size_t i = 0; i < given; ++i) {
      spreads += isSet("ellipsis_mask", i) ? 1 : 0;
      untold -= isSet("ellipsis_mask", i) || isSet("new_axis_mask", i) ? 0 : 1;
    }
    if (untold < 0 || spreads > 1) return false;
    Cuts cuts;
    for (std::size_t i = 0; i < given; ++i) {
      if (isSet("ellipsis_mask", i)) {
        cuts.axis += untold;
        cuts.place += untold;
      } else if (isSet("new_axis_mask", i)) {
        cuts.added.push_back(cuts.place++);
      } else if (!cut(cuts, {i, (*begin)[i], (*end)[i], (*step)[i]})) {
        return false;
      }
    }
    op_.attributes["starts"] = std::move(cuts.starts);
    op_.attributes["ends"] = std::move(cuts.ends);
    op_.attributes["steps"] = std::move(cuts.steps);
    op_.attributes["axes"] = std::move(cuts.axes);
    op_.attributes["dropped_axes"] = std::move(cuts.dropped);
    op_.attributes["added_axes"] = std::move(cuts.added);
    return true;
  }

  struct Cuts {
    List starts{}, ends{}, steps{}, axes{};
    List dropped{};         ///< Axes of the input.
    List added{};           ///< Axes of the result.
    std::int64_t axis = 0;  ///< The next one of the input, and of the result.
    std::int64_t place = 0;
  };
  struct Entry {
    std::size_t index;
    std::int64_t first, last, step;
  };

  bool cut(Cuts& cuts, Entry entry) const {
    const std::int64_t size = (*shape(0))[static_cast<std::size_t>(cuts.axis)];
    if (isSet("shrink_axis_mask", entry.index)) {
      if (entry.first < 0) entry.first += size;
      if (entry.first < 0 || entry.first >= size) return false;
      entry.last = entry.first + 1;
      entry.step = 1;
      cuts.dropped.push_back(cuts.axis);
    } else {
      if (op_.intAttribute("offset", 0) != 0) {
        const auto sum = checkedAdd(entry.first, entry.last);
        if (!sum) return false;
        entry.last = *sum;
      }
      const bool forwards = entry.step > 0;
      if (isSet("end_mask", entry.index)) entry.last = forwards ? kMost : kLeast;
      if (isSet("begin_mask", entry.index)) entry.first = forwards ? 0 : kMost;
      // Backwards from before the front is nothing; the standard operator would take the front.
      if (!forwards && entry.first < -size) entry.first = entry.last = 0;
      ++cuts.place;
    }
    cuts.starts.push_back(entry.first);
    cuts.ends.push_back(entry.last);
    cuts.steps.push_back(entry.step);
    cuts.axes.push_back(cuts.axis++);
    return true;
  }

  Op& op_;
  TakenInputs& operands_;
};

}  // namespace

Op tfliteOperation(const TfliteOp& op, const FlatBytes& bytes,
                   std::vector<OpFacts::Input>& operands) {
  Op made{.type = op.type(),
          .domain = op.custom.empty() ? "tflite" : "custom",
          .attributes = tfliteAttributes(op, bytes)};
  if (!Translation(made, operands).translate(static_cast<TfliteOpCode>(op.code))) operands.clear();
  return made;
}

}  // namespace hw
