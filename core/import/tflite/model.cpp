#include "core/import/tflite/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/ops/op_table.h"

// Translates TFLite's operators into standard ones: their names, options and order of operands.

namespace hw {
namespace {

// Which field of which table holds what.
namespace model_field {
constexpr int kVersion = 0, kOpCodes = 1, kSubgraphs = 2, kDescription = 3, kBuffers = 4;
constexpr int kMetadata = 6, kSignatures = 7;
}  // namespace model_field
namespace op_code_field {
constexpr int kOldCode = 0, kCustom = 1, kCode = 3;
}  // namespace op_code_field
namespace subgraph_field {
constexpr int kTensors = 0, kInputs = 1, kOutputs = 2, kOps = 3, kName = 4;
}  // namespace subgraph_field
namespace tensor_field {
constexpr int kShape = 0, kType = 1, kBuffer = 2, kName = 3, kVariable = 5, kSparsity = 6;
constexpr int kSignature = 7, kHasRank = 8, kQuantization = 4;
}  // namespace tensor_field
namespace quantization_field {
constexpr int kScales = 2, kZeros = 3;
}  // namespace quantization_field
namespace op_field {
constexpr int kCode = 0, kInputs = 1, kOutputs = 2, kOptions = 4, kCustomOptions = 5,
              kSecondOptions = 12;
}  // namespace op_field
namespace buffer_field {
constexpr int kData = 0, kOffset = 1, kSize = 2;
}  // namespace buffer_field
namespace signature_field {
constexpr int kInputs = 0, kKey = 2, kSubgraph = 4;
}  // namespace signature_field
namespace named_field {  // Of a metadata entry and of a tensor named by a signature.
constexpr int kName = 0, kIndex = 1;
}  // namespace named_field

constexpr std::uint32_t kSchema = 3;
/// The memory that one of these takes, all told: see FlatBytes::spend.
constexpr std::size_t kTensorCost = 512;
constexpr std::size_t kOpCost = 1024;

template <class To, class From>
std::vector<To> unpack(const FlatVector<From>& list, const FlatBytes& bytes) {
  bytes.spend(list.size() * sizeof(To));
  std::vector<To> unpacked;
  unpacked.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) unpacked.push_back(list.at(i));
  return unpacked;
}

struct TensorType {
  Dtype dtype;
  int bits;
};

/// By tensor type number.
constexpr std::array kTypes = {
    TensorType{Dtype::float32, 32},   TensorType{Dtype::float16, 16},
    TensorType{Dtype::int32, 32},     TensorType{Dtype::uint8, 8},
    TensorType{Dtype::int64, 64},     TensorType{Dtype::string, 0},
    TensorType{Dtype::boolean, 8},    TensorType{Dtype::int16, 16},
    TensorType{Dtype::complex64, 64}, TensorType{Dtype::int8, 8},
    TensorType{Dtype::float64, 64},   TensorType{Dtype::complex128, 128},
    TensorType{Dtype::uint64, 64},    TensorType{Dtype::opaque, 0},   // Resource.
    TensorType{Dtype::opaque, 0},     TensorType{Dtype::uint32, 32},  // Variant.
    TensorType{Dtype::uint16, 16},    TensorType{Dtype::int4, 4},
    TensorType{Dtype::bfloat16, 16},  TensorType{Dtype::int2, 2},
    TensorType{Dtype::uint4, 4},      TensorType{Dtype::float8, 8},
    TensorType{Dtype::float8, 8},
};

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

TfliteFile::TfliteFile(std::string_view bytes) : bytes_(bytes) {
  const FlatTable model = FlatTable::root(bytes_);
  const auto version = model.number<std::uint32_t>(model_field::kVersion, 0);
  if (version != kSchema) {
    refuse(fmt::format("TFLite schema version {} is not supported; expected {}", version, kSchema),
           {}, ErrorCode::unsupported);
  }
  description_ = model.text(model_field::kDescription);
  const auto codes = model.vector<FlatTable>(model_field::kOpCodes);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const FlatTable code = codes.at(i, "an operator code");
    bytes_.spend(sizeof(OpCode));
    // Codes above 127 did not fit the old field, which then holds 127.
    const std::int32_t old = code.number<std::int8_t>(op_code_field::kOldCode, 0);
    opCodes_.push_back({std::max(old, code.number<std::int32_t>(op_code_field::kCode, 0)),
                        code.text(op_code_field::kCustom)});
  }
  subgraphs_ = model.vector<FlatTable>(model_field::kSubgraphs);
  if (subgraphs_.empty()) refuse("the TFLite model has no subgraph");
  readBuffers(model);
  const auto metadata = model.vector<FlatTable>(model_field::kMetadata);
  for (std::size_t i = 0; i < metadata.size(); ++i) {
    const FlatTable entry = metadata.at(i, "a metadata entry");
    metadata_.emplace(entry.text(named_field::kName),
                      entry.number<std::uint32_t>(named_field::kIndex, 0));
  }
  const auto signatures = model.vector<FlatTable>(model_field::kSignatures);
  for (std::size_t i = 0; i < signatures.size(); ++i) {
    const FlatTable entry = signatures.at(i, "a signature");
    TfliteSignature signature{
        .key = entry.text(signature_field::kKey),
        .subgraph = entry.number<std::uint32_t>(signature_field::kSubgraph, 0)};
    bytes_.spend(sizeof(TfliteSignature));
    const auto inputs = entry.vector<FlatTable>(signature_field::kInputs);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const FlatTable input = inputs.at(k, "an input of a signature");
      bytes_.spend(kTensorCost / 4);
      signature.inputs.emplace(
          input.text(named_field::kName),
          static_cast<std::int32_t>(input.number<std::uint32_t>(named_field::kIndex, 0)));
    }
    signatures_.push_back(std::move(signature));
  }
}

/// Finds out which buffers hold anything, without looking at what they hold.
void TfliteFile::readBuffers(const FlatTable& model) {
  buffers_ = model.vector<FlatTable>(model_field::kBuffers);
  stored_.resize(buffers_.size());
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const FlatTable buffer = buffers_.at(i, "a buffer");
    stored_[i] = !buffer.vector<std::uint8_t>(buffer_field::kData).empty();
    // Models beyond 2 GiB keep their weights behind the flatbuffer.
    const auto offset = buffer.number<std::uint64_t>(buffer_field::kOffset, 0);
    const auto size = buffer.number<std::uint64_t>(buffer_field::kSize, 0);
    if (offset <= 1 || size == 0) continue;
    stored_[i] = true;
    ++outside_;
    const std::uint64_t all = bytes_.all().size();
    if (offset > all || size > all - offset) ++lost_;
  }
}

bool TfliteFile::hasOpCode(TfliteOpCode code) const {
  return std::ranges::any_of(
      opCodes_, [&](const OpCode& op) { return op.code == static_cast<std::int32_t>(code); });
}

TfliteQuantization TfliteFile::quantization(std::size_t subgraph, std::size_t tensor) const {
  const FlatTable table =
      subgraphs_.at(subgraph).vector<FlatTable>(subgraph_field::kTensors).at(tensor, "a tensor");
  const auto stored = table.table(tensor_field::kQuantization, "a quantization");
  if (!stored) return {};
  return {unpack<float>(stored->vector<float>(quantization_field::kScales), bytes_),
          unpack<std::int64_t>(stored->vector<std::int64_t>(quantization_field::kZeros), bytes_)};
}

bool TfliteFile::isStored(std::uint32_t buffer) const {
  return buffer < stored_.size() && stored_[buffer];
}

std::string_view TfliteFile::bufferBytes(std::uint32_t buffer) const {
  if (!hasBuffer(buffer)) return {};
  return buffers_.at(buffer, "a buffer").vector<std::uint8_t>(buffer_field::kData).bytes();
}

std::vector<std::pair<std::size_t, std::size_t>> TfliteFile::payloads() const {
  constexpr std::size_t kFewBytes = 4096;
  const std::size_t all = bytes_.all().size();
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const FlatTable buffer = buffers_.at(i, "a buffer");
    const std::string_view data = buffer.vector<std::uint8_t>(buffer_field::kData).bytes();
    if (data.size() > kFewBytes) {
      const auto begin = static_cast<std::size_t>(data.data() - bytes_.all().data());
      places.emplace_back(begin, begin + data.size());
    }
    const auto offset = buffer.number<std::uint64_t>(buffer_field::kOffset, 0);
    const auto size = buffer.number<std::uint64_t>(buffer_field::kSize, 0);
    if (offset > 1 && offset <= all && size <= all - offset)
      places.emplace_back(offset, offset + size);
  }
  std::ranges::sort(places);
  return places;
}

std::optional<std::uint32_t> TfliteFile::metadata(std::string_view name) const {
  const auto found = metadata_.find(name);
  if (found == metadata_.end()) return std::nullopt;
  return found->second;
}

std::string TfliteFile::subgraphName(std::size_t index) const {
  return subgraphs_.at(index, "a subgraph").text(subgraph_field::kName);
}

const TfliteSubgraph& TfliteFile::subgraph(std::size_t index) const {
  if (index >= subgraphs_.size()) {
    refuse(fmt::format("the TFLite model has no subgraph {}; it has {}", index, subgraphs_.size()));
  }
  auto& place = unpacked_[index];
  if (place) return *place;
  const FlatTable table = subgraphs_.at(index, "a subgraph");
  auto subgraph = std::make_unique<TfliteSubgraph>();
  subgraph->name = table.text(subgraph_field::kName);
  const auto tensors = table.vector<FlatTable>(subgraph_field::kTensors);
  bytes_.spend(tensors.size() * kTensorCost);
  subgraph->tensors.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    subgraph->tensors.push_back(readTensor(tensors.at(i, "a tensor")));
  }
  subgraph->inputs =
      unpack<std::int32_t>(table.vector<std::int32_t>(subgraph_field::kInputs), bytes_);
  subgraph->outputs =
      unpack<std::int32_t>(table.vector<std::int32_t>(subgraph_field::kOutputs), bytes_);
  const auto ops = table.vector<FlatTable>(subgraph_field::kOps);
  bytes_.spend(ops.size() * kOpCost);
  subgraph->ops.reserve(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    subgraph->ops.push_back(readOp(ops.at(i, "an operator")));
  }
  place = std::move(subgraph);
  return *place;
}

TfliteTensor TfliteFile::readTensor(const FlatTable& table) const {
  TfliteTensor tensor{.name = table.text(tensor_field::kName),
                      .type = table.number<std::int8_t>(tensor_field::kType, 0),
                      .buffer = table.number<std::uint32_t>(tensor_field::kBuffer, 0),
                      .isVariable = table.number<std::uint8_t>(tensor_field::kVariable, 0) != 0,
                      .isSparse = table.table(tensor_field::kSparsity, "a sparsity").has_value(),
                      .hasRank = table.number<std::uint8_t>(tensor_field::kHasRank, 0) != 0};
  tensor.shape = unpack<std::int64_t>(table.vector<std::int32_t>(tensor_field::kShape), bytes_);
  tensor.signature =
      unpack<std::int64_t>(table.vector<std::int32_t>(tensor_field::kSignature), bytes_);
  if (tensor.signature.size() != tensor.shape.size()) tensor.signature.clear();
  if (const auto stored = table.table(tensor_field::kQuantization, "a quantization")) {
    tensor.scales = stored->vector<float>(quantization_field::kScales).size();
  }
  return tensor;
}

TfliteOp TfliteFile::readOp(const FlatTable& table) const {
  const auto code = table.number<std::uint32_t>(op_field::kCode, 0);
  if (code >= opCodes_.size()) {
    refuse(fmt::format("an operator is of kind {}; the model lists {}", code, opCodes_.size()));
  }
  bytes_.spend(opCodes_[code].custom.size());
  TfliteOp op{.code = opCodes_[code].code};
  if (op.is(TfliteOpCode::custom)) {
    op.custom = opCodes_[code].custom.empty() ? "CUSTOM" : opCodes_[code].custom;
  }
  op.inputs = unpack<std::int32_t>(table.vector<std::int32_t>(op_field::kInputs), bytes_);
  op.outputs = unpack<std::int32_t>(table.vector<std::int32_t>(op_field::kOutputs), bytes_);
  op.options = table.table(op_field::kOptions, "the options of an operator");
  // Of others nobody asks for them.
  if (op.custom == kDetectionPostprocess) {
    op.customOptions = table.vector<std::uint8_t>(op_field::kCustomOptions).bytes();
  }
  op.secondOptions = table.table(op_field::kSecondOptions, "the options of an operator");
  return op;
}

std::string tfliteOpName(std::int32_t code) {
  const auto found = std::ranges::find(tfliteOps(), code, &NumberedOp::code);
  return found != tfliteOps().end() ? std::string(found->row.type)
                                    : fmt::format("BUILTIN_{}", code);
}

Dtype tfliteDtype(std::int32_t type) {
  const bool known = type >= 0 && type < static_cast<std::int32_t>(kTypes.size());
  return known ? kTypes[static_cast<std::size_t>(type)].dtype : Dtype::unknown;
}

std::optional<std::size_t> tfliteRowAxis(const Shape& shape) {
  if (shape.size() == 2) return 0;
  const bool batchOfOne = (shape.size() == 3 || shape.size() == 4) && shape[0] == 1;
  return batchOfOne ? std::optional<std::size_t>(1) : std::nullopt;
}

int tfliteBits(std::int32_t type) {
  const bool known = type >= 0 && type < static_cast<std::int32_t>(kTypes.size());
  return known ? kTypes[static_cast<std::size_t>(type)].bits : 0;
}

Op tfliteOperation(const TfliteOp& op, const FlatBytes& bytes,
                   std::vector<OpFacts::Input>& operands) {
  Op made{.type = op.type(),
          .domain = op.custom.empty() ? "tflite" : "custom",
          .attributes = tfliteAttributes(op, bytes)};
  if (!Translation(made, operands).translate(static_cast<TfliteOpCode>(op.code))) operands.clear();
  return made;
}

}  // namespace hw
