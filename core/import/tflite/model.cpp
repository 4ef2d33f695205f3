#include "core/import/tflite/model.h"

#include <fmt/format.h>

#include <algorithm>

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
constexpr int kSignature = 7, kHasRank = 8;
}  // namespace tensor_field
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
/// What one of these takes in memory, all told: see FlatBytes::spend.
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
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    subgraph->tensors.push_back(readTensor(tensors.at(i, "a tensor")));
  }
  subgraph->inputs =
      unpack<std::int32_t>(table.vector<std::int32_t>(subgraph_field::kInputs), bytes_);
  subgraph->outputs =
      unpack<std::int32_t>(table.vector<std::int32_t>(subgraph_field::kOutputs), bytes_);
  const auto ops = table.vector<FlatTable>(subgraph_field::kOps);
  bytes_.spend(ops.size() * kOpCost);
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

}  // namespace hw
