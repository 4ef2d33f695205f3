#include "core/exchange/tflm/tflite_rewrite.h"

#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "core/base/check.h"
#include "core/exchange/tflm/program.h"

namespace hw {
namespace {

constexpr std::string_view kPlanName = "OfflineMemoryAllocation";

// Fields of the root table, and of the tables below it that hold what is needed here.
constexpr int kModelFields = 8;
constexpr int kRootVersion = 0, kRootCodes = 1, kRootSubgraphs = 2, kRootDescription = 3;
constexpr int kRootBuffers = 4, kRootMetadataBuffer = 5, kRootMetadata = 6, kRootSignatures = 7;
constexpr int kSubgraphTensors = 0, kSubgraphInputs = 1, kSubgraphOutputs = 2, kSubgraphOps = 3;
constexpr int kTensorShape = 0, kTensorType = 1, kTensorBuffer = 2, kTensorName = 3,
              kTensorQuantization = 4, kTensorHasRank = 8;
constexpr int kOpCode = 0, kOpInputs = 1, kOpOutputs = 2, kOpOptionsType = 3, kOpOptions = 4,
              kOpCustomOptions = 5, kOpLargeOptions = 9, kOpSecondType = 11, kOpSecondOptions = 12;
constexpr int kCodeOld = 0, kCodeVersion = 2, kCodeNew = 3;
constexpr int kBufferData = 0, kBufferOffset = 1, kBufferSize = 2;
constexpr int kMetadataName = 0, kMetadataBuffer = 1;

/// A flatbuffer is no longer: its references are 31 bits long.
constexpr std::size_t kLongest = 0x7FFFFFFF;

std::size_t roundedUp(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

template <class T>
T numberAt(const std::string& bytes, std::size_t at) {
  T number{};
  std::memcpy(&number, bytes.data() + at, sizeof(T));
  return number;
}

template <class T>
void moveBy(std::string& bytes, std::size_t at, std::size_t distance) {
  const T number = static_cast<T>(numberAt<T>(bytes, at) + distance);
  std::memcpy(bytes.data() + at, &number, sizeof(T));
}

/// Mends the directory of a zip archive behind the model, where it counts from the start of the
/// file, which now is `distance` bytes further in front. `bytes` are the old ones.
void moveArchive(std::string& bytes, std::size_t distance) {
  constexpr std::size_t kEndSize = 22;
  constexpr std::size_t kLongestRemark = 0xFFFF;
  constexpr std::size_t kEntrySize = 46;
  if (bytes.size() < kEndSize) return;
  const std::size_t end = bytes.rfind("PK\x05\x06", bytes.size() - kEndSize);
  if (end == std::string::npos || bytes.size() - end > kEndSize + kLongestRemark) return;
  const auto size = numberAt<std::uint32_t>(bytes, end + 12);
  const auto begin = numberAt<std::uint32_t>(bytes, end + 16);
  if (begin == 0xFFFFFFFF || std::size_t{begin} + distance > 0xFFFFFFFF) {
    refuse("the zip archive behind the model is beyond 4 GiB", {}, ErrorCode::unsupported);
  }
  // Else it counts from its own start, or it is none.
  if (std::size_t{begin} + size != end) return;
  std::size_t at = begin;
  while (at + kEntrySize <= end && bytes.compare(at, 4, "PK\x01\x02") == 0) {
    moveBy<std::uint32_t>(bytes, at + 42, distance);
    at += kEntrySize + numberAt<std::uint16_t>(bytes, at + 28) +
          numberAt<std::uint16_t>(bytes, at + 30) + numberAt<std::uint16_t>(bytes, at + 32);
  }
  moveBy<std::uint32_t>(bytes, end + 16, distance);
}

/// True if `after` holds the model that `before` does. In a damaged file tables may share bytes,
/// and moving what one of them leads to changes another.
bool isSame(const TfliteFile& before, const TfliteFile& after) {
  if (before.subgraphCount() != after.subgraphCount()) return false;
  if (before.outsideBuffers() != after.outsideBuffers()) return false;
  if (before.lostBuffers() != after.lostBuffers()) return false;
  const auto sameOp = [](const TfliteOp& a, const TfliteOp& b) {
    return a.type() == b.type() && a.inputs == b.inputs && a.outputs == b.outputs;
  };
  for (std::size_t i = 0; i < before.subgraphCount(); ++i) {
    const TfliteSubgraph& a = before.subgraph(i);
    const TfliteSubgraph& b = after.subgraph(i);
    if (a.tensors != b.tensors || a.inputs != b.inputs || a.outputs != b.outputs) return false;
    if (!std::ranges::equal(a.ops, b.ops, sameOp)) return false;
  }
  return true;
}

}  // namespace

/// The places of the parts of a flatbuffer. Everything is checked before it is looked at.
class TfliteRewrite::Places {
 public:
  explicit Places(std::string_view file) : bytes_(file) {}

  std::uint32_t word(std::size_t at) const { return bytes_.number<std::uint32_t>(at, "a table"); }
  std::size_t root() const { return word(0); }

  /// Fields that a table has room for, whether they are there or not.
  int fields(std::size_t table) const {
    return (static_cast<int>(bytes_.number<std::uint16_t>(vtable(table), "a table")) - 4) / 2;
  }
  /// The place of a field; 0: it is absent.
  std::size_t field(std::size_t table, int number) const {
    if (number >= fields(table)) return 0;
    const std::size_t entry = vtable(table) + 4 + 2 * static_cast<std::size_t>(number);
    const auto offset = bytes_.number<std::uint16_t>(entry, "a table");
    return offset == 0 ? 0 : table + offset;
  }
  /// The target of a reference; 0: the field is absent.
  std::size_t target(std::size_t table, int number) const {
    const std::size_t at = field(table, number);
    return at == 0 ? 0 : led(at);
  }
  /// The tables that a vector lists.
  std::vector<std::size_t> tables(std::size_t table, int number) const {
    const std::size_t at = target(table, number);
    if (at == 0) return {};
    const std::size_t count = word(at);
    bytes_.need(at + 4, count * 4, "a vector");
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t slot = at + 4 + 4 * i;
      found.push_back(led(slot));
    }
    return found;
  }
  std::string_view text(std::size_t table, int number) const {
    const std::size_t at = target(table, number);
    if (at == 0) return {};
    const std::size_t size = word(at);
    bytes_.need(at + 4, size, "a name");
    return bytes_.all().substr(at + 4, size);
  }
  template <class T>
  T number(std::size_t table, int field, T fallback) const {
    const std::size_t at = this->field(table, field);
    return at == 0 ? fallback : bytes_.number<T>(at, "a field");
  }

 private:
  /// The place that the reference at `at` leads to; it lies inside of the file.
  std::size_t led(std::size_t at) const {
    const std::size_t to = at + word(at);
    bytes_.need(to, sizeof(std::uint32_t), "what a table leads to");
    return to;
  }
  std::size_t vtable(std::size_t table) const {
    const std::int64_t at =
        static_cast<std::int64_t>(table) - bytes_.number<std::int32_t>(table, "a table");
    if (at < 0) refuse("the flatbuffer is damaged: a table has no fields");
    return static_cast<std::size_t>(at);
  }

  FlatBytes bytes_;
};

/// Places of what the new tables lead to.
struct TfliteRewrite::Old {
  std::size_t root = 0;
  std::vector<std::size_t> codes{};
  std::vector<std::size_t> buffers{};
  std::vector<std::size_t> metadata{};  ///< Without plans.
  std::vector<std::size_t> outside{};   ///< Of 64-bit offsets from the start of the file.
  std::vector<std::size_t> tensors{};   ///< Of the first subgraph, as the operators.
  std::vector<std::size_t> ops{};
  std::optional<std::size_t> planBuffer{};  ///< One that held a plan and nothing else.

  explicit Old(const Places& places);

 private:
  bool isUsed(const Places& places, std::size_t buffer) const;
  void findPlan(const Places& places);
};

TfliteRewrite::Old::Old(const Places& places) : root(places.root()) {
  for (int field = kModelFields; field < places.fields(root); ++field) {
    if (places.field(root, field) == 0) continue;
    refuse(fmt::format("the model's root has a field {} that this program does not know, so it "
                       "cannot be written anew",
                       field),
           fmt::format("byte {}", root), ErrorCode::unsupported);
  }
  codes = places.tables(root, kRootCodes);
  buffers = places.tables(root, kRootBuffers);
  if (buffers.empty()) refuse("the model has no buffers, not even the empty one");
  findPlan(places);
  for (const std::size_t buffer : buffers) {
    if (places.number<std::uint64_t>(buffer, kBufferOffset, 0) <= 1) continue;
    if (places.number<std::uint64_t>(buffer, kBufferSize, 0) == 0) continue;
    outside.push_back(places.field(buffer, kBufferOffset));
  }
  for (const std::size_t subgraph : places.tables(root, kRootSubgraphs)) {
    const auto own = places.tables(subgraph, kSubgraphOps);
    for (const std::size_t op : own) {
      if (places.number<std::uint64_t>(op, kOpLargeOptions, 0) <= 1) continue;
      outside.push_back(places.field(op, kOpLargeOptions));
    }
    if (!ops.empty() || !tensors.empty()) continue;
    ops = own;
    tensors = places.tables(subgraph, kSubgraphTensors);
  }
  std::ranges::sort(outside);
  outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
}

void TfliteRewrite::Old::findPlan(const Places& places) {
  std::optional<std::size_t> held;
  for (const std::size_t entry : places.tables(root, kRootMetadata)) {
    if (places.text(entry, kMetadataName) != kPlanName) {
      metadata.push_back(entry);
    } else {
      held = places.number<std::uint32_t>(entry, kMetadataBuffer, 0);
    }
  }
  if (held && *held > 0 && *held < buffers.size() && !isUsed(places, *held)) planBuffer = held;
}

/// True if `buffer` holds anything else than a plan.
bool TfliteRewrite::Old::isUsed(const Places& places, std::size_t buffer) const {
  for (const std::size_t entry : metadata) {
    if (places.number<std::uint32_t>(entry, kMetadataBuffer, 0) == buffer) return true;
  }
  for (const std::size_t subgraph : places.tables(root, kRootSubgraphs)) {
    for (const std::size_t tensor : places.tables(subgraph, kSubgraphTensors)) {
      if (places.number<std::uint32_t>(tensor, kTensorBuffer, 0) == buffer) return true;
    }
  }
  return false;
}

/// The new tables, made from the last byte of the file to its first, as flatbuffers are.
class TfliteRewrite::Front {
 public:
  explicit Front(const TfliteRewrite& rewrite)
      : rewrite_(rewrite),
        places_(*rewrite.places_),
        old_(*rewrite.old_),
        builder_(roundedUp(rewrite.file_.size(), 1024) + 4096) {}

  std::string write() {
    const std::size_t size = rewrite_.file_.size();
    // Behind the file, so that it begins at a multiple of 16; cut off in the end.
    const std::size_t rest = roundedUp(size, kAlignment) - size;
    const std::string zeros(rest, '\0');
    builder_.PushBytes(reinterpret_cast<const std::uint8_t*>(zeros.data()), rest);
    builder_.PushBytes(reinterpret_cast<const std::uint8_t*>(rewrite_.file_.data()), size);
    builder_.ForceVectorAlignment(0, 1, kAlignment);
    fileEnd_ = rest;
    builder_.Finish(Offset(root()), "TFL3");
    std::string bytes(reinterpret_cast<const char*>(builder_.GetBufferPointer()),
                      builder_.GetSize() - rest);
    moveOutside(bytes, size);
    return bytes;
  }

 private:
  using Offset = flatbuffers::Offset<void>;
  using Offsets = std::vector<Offset>;
  static constexpr std::size_t kAlignment = 16;
  static constexpr std::size_t kPage = 4096;

  /// What stands at a place of the old file.
  Offset at(std::size_t place) const {
    return Offset(static_cast<flatbuffers::uoffset_t>(fileEnd_ + rewrite_.file_.size() - place));
  }
  Offsets all(const std::vector<std::size_t>& places) const {
    Offsets offsets;
    for (const std::size_t place : places) offsets.push_back(at(place));
    return offsets;
  }
  static flatbuffers::voffset_t slot(int field) {
    return static_cast<flatbuffers::voffset_t>(4 + 2 * field);
  }
  void refer(int field, Offset to) {
    if (!to.IsNull()) builder_.AddOffset(slot(field), to);
  }
  template <class T>
  void number(int field, T value) {
    builder_.AddElement<T>(slot(field), value, T{});
  }
  Offset old(std::size_t table, int field) const {
    const std::size_t place = places_.target(table, field);
    return place == 0 ? Offset() : at(place);
  }
  template <class T>
  Offset list(const std::vector<T>& numbers) {
    return Offset(builder_.CreateVector(numbers).o);
  }
  Offset tables(const Offsets& offsets) { return Offset(builder_.CreateVector(offsets).o); }
  Offset end(flatbuffers::uoffset_t start) { return Offset(builder_.EndTable(start)); }

  Offset buffer(const std::string& bytes) {
    builder_.ForceVectorAlignment(bytes.size(), 1, kAlignment);
    const Offset data(
        builder_.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()).o);
    const auto start = builder_.StartTable();
    refer(kBufferData, data);
    return end(start);
  }

  Offset tensor(const NewTensor& tensor) {
    const Offset shape = list(tensor.shape);
    const auto start = builder_.StartTable();
    refer(kTensorShape, shape);
    number(kTensorType, static_cast<std::int8_t>(tensor.type));
    number(kTensorBuffer, tensor.buffer);
    if (tensor.like >= 0) {
      const std::size_t like = old_.tensors[static_cast<std::size_t>(tensor.like)];
      refer(kTensorName, old(like, kTensorName));
      refer(kTensorQuantization, old(like, kTensorQuantization));
    }
    number(kTensorHasRank, std::uint8_t{1});
    return end(start);
  }

  /// The number of an operator code: of the file, or of one more.
  std::uint32_t codeOf(TfliteOpCode code) {
    const auto wanted = static_cast<std::int32_t>(code);
    for (std::size_t i = 0; i < old_.codes.size(); ++i) {
      const std::int32_t known =
          std::max<std::int32_t>(places_.number<std::int8_t>(old_.codes[i], kCodeOld, 0),
                                 places_.number<std::int32_t>(old_.codes[i], kCodeNew, 0));
      if (known == wanted) return static_cast<std::uint32_t>(i);
    }
    const auto more = std::ranges::find(codes_, wanted);
    const auto index = static_cast<std::size_t>(more - codes_.begin());
    if (more == codes_.end()) codes_.push_back(wanted);
    return static_cast<std::uint32_t>(old_.codes.size() + index);
  }

  Offset op(const NewOp& op) {
    const Offset inputs = list(op.inputs);
    const Offset outputs = list(op.outputs);
    Offset options;
    if (op.optionsType > 0) {
      const auto start = builder_.StartTable();
      for (const NewOption& option : op.options) {
        option.width == 1 ? number(option.field, static_cast<std::int8_t>(option.value))
                          : number(option.field, option.value);
      }
      options = end(start);
    }
    const std::size_t like = op.like >= 0 ? old_.ops[static_cast<std::size_t>(op.like)] : 0;
    const std::uint32_t code =
        like > 0 ? places_.number<std::uint32_t>(like, kOpCode, 0) : codeOf(op.code);
    const auto start = builder_.StartTable();
    number(kOpCode, code);
    refer(kOpInputs, inputs);
    refer(kOpOutputs, outputs);
    if (like > 0) {
      number(kOpOptionsType, places_.number<std::uint8_t>(like, kOpOptionsType, 0));
      refer(kOpOptions, old(like, kOpOptions));
      refer(kOpCustomOptions, old(like, kOpCustomOptions));
      number(kOpSecondType, places_.number<std::uint8_t>(like, kOpSecondType, 0));
      refer(kOpSecondOptions, old(like, kOpSecondOptions));
    } else {
      number(kOpOptionsType, op.optionsType);
      refer(kOpOptions, options);
    }
    return end(start);
  }

  Offset subgraph(const NewSubgraph& graph) {
    Offsets tensors;
    Offsets ops;
    for (const NewTensor& each : graph.tensors) tensors.push_back(tensor(each));
    for (const NewOp& each : graph.ops) ops.push_back(op(each));
    const Offset tensorList = this->tables(tensors);
    const Offset opList = this->tables(ops);
    const Offset inputs = list(graph.inputs);
    const Offset outputs = list(graph.outputs);
    const auto start = builder_.StartTable();
    refer(kSubgraphTensors, tensorList);
    refer(kSubgraphInputs, inputs);
    refer(kSubgraphOutputs, outputs);
    refer(kSubgraphOps, opList);
    return end(start);
  }

  Offset code(std::int32_t value) {
    const auto start = builder_.StartTable();
    number(kCodeOld, static_cast<std::int8_t>(std::min(value, 127)));
    number(kCodeVersion, std::int32_t{1});
    number(kCodeNew, value);
    return end(start);
  }

  /// The list of buffers, with the plan in it, and the metadata that lead to it.
  std::pair<Offset, Offset> buffersAndMetadata() {
    Offsets buffers = all(old_.buffers);
    for (const std::string& bytes : rewrite_.buffers_) buffers.push_back(buffer(bytes));
    Offsets metadata = all(old_.metadata);
    if (!rewrite_.offsets_.empty()) {
      // The entry takes the place of the old one, so that planning again adds nothing.
      std::string plan;
      const auto add = [&](std::int32_t word) {
        plan.append(reinterpret_cast<const char*>(&word), sizeof(word));
      };
      for (const std::int32_t word :
           {1, subgraphCount(), static_cast<std::int32_t>(rewrite_.offsets_.size())})
        add(word);
      for (const std::int32_t offset : rewrite_.offsets_) add(offset);
      const std::size_t index = old_.planBuffer.value_or(buffers.size());
      buffers.resize(std::max(buffers.size(), index + 1));
      buffers[index] = buffer(plan);
      const Offset name(builder_.CreateString(kPlanName.data(), kPlanName.size()).o);
      const auto start = builder_.StartTable();
      refer(kMetadataName, name);
      number(kMetadataBuffer, static_cast<std::uint32_t>(index));
      metadata.push_back(end(start));
    }
    return {tables(buffers), tables(metadata)};
  }

  std::int32_t subgraphCount() const {
    return static_cast<std::int32_t>(rewrite_.subgraphs_.size());
  }

  flatbuffers::uoffset_t root() {
    const bool anew = !rewrite_.subgraphs_.empty();
    Offsets subgraphs;
    for (const NewSubgraph& each : rewrite_.subgraphs_) subgraphs.push_back(subgraph(each));
    const auto [buffers, metadata] = buffersAndMetadata();
    const Offset graphs = anew ? tables(subgraphs) : old(old_.root, kRootSubgraphs);
    Offset codes = old(old_.root, kRootCodes);
    if (!codes_.empty()) {
      Offsets more = all(old_.codes);
      for (const std::int32_t each : codes_) more.push_back(code(each));
      codes = tables(more);
    }
    const auto start = builder_.StartTable();
    number(kRootVersion, places_.number<std::uint32_t>(old_.root, kRootVersion, 0));
    refer(kRootCodes, codes);
    refer(kRootSubgraphs, graphs);
    refer(kRootDescription, old(old_.root, kRootDescription));
    refer(kRootBuffers, buffers);
    refer(kRootMetadataBuffer, old(old_.root, kRootMetadataBuffer));
    refer(kRootMetadata, metadata);
    if (!anew) refer(kRootSignatures, old(old_.root, kRootSignatures));
    return builder_.EndTable(start);
  }

  /// Weights behind the flatbuffer are at multiples of a page, and offsets to them count from the
  /// start of the file.
  void moveOutside(std::string& bytes, std::size_t size) const {
    if (!old_.outside.empty()) {
      constexpr std::size_t kHeader = 8;
      const std::size_t more = roundedUp(bytes.size() - size, kPage) - (bytes.size() - size);
      bytes.insert(kHeader, more, '\0');
      moveBy<std::uint32_t>(bytes, 0, more);
    }
    const std::size_t distance = bytes.size() - size;
    std::string behind = bytes.substr(distance);
    for (const std::size_t place : old_.outside) moveBy<std::uint64_t>(behind, place, distance);
    moveArchive(behind, distance);
    bytes.replace(distance, size, behind);
  }

  const TfliteRewrite& rewrite_;
  const Places& places_;
  const Old& old_;
  flatbuffers::FlatBufferBuilder builder_;
  std::size_t fileEnd_ = 0;
  std::vector<std::int32_t> codes_;
};

TfliteRewrite::TfliteRewrite(std::string_view file)
    : file_(file),
      places_(std::make_unique<const Places>(file)),
      old_(std::make_unique<const Old>(*places_)) {}

TfliteRewrite::~TfliteRewrite() = default;

std::uint32_t TfliteRewrite::addBuffer(const std::string& bytes) {
  const auto [known, added] =
      known_.try_emplace(bytes, static_cast<std::uint32_t>(old_->buffers.size() + buffers_.size()));
  if (added) buffers_.push_back(bytes);
  return known->second;
}

void TfliteRewrite::setSubgraphs(std::vector<NewSubgraph> subgraphs) {
  subgraphs_ = std::move(subgraphs);
}

void TfliteRewrite::setPlan(const std::vector<std::int32_t>& offsets) { offsets_ = offsets; }

std::string TfliteRewrite::write() const {
  std::size_t most = file_.size() + 4 * offsets_.size() + kLongest / 64;
  for (const std::string& buffer : buffers_) most += buffer.size() + 64;
  for (const NewSubgraph& graph : subgraphs_) {
    most += 128 * (graph.tensors.size() + graph.ops.size());
  }
  if (most > kLongest) {
    refuse("the model is larger than a flatbuffer may be: 2 GiB", {}, ErrorCode::unsupported);
  }
  return Front(*this).write();
}

Result<std::string> withOfflinePlan(std::string_view file,
                                    const std::vector<std::int32_t>& offsets) {
  return unlessRefused([&] {
    const TfliteFile model(file);
    std::size_t tensors = 0;
    for (std::size_t i = 0; i < model.subgraphCount(); ++i) {
      tensors += model.subgraph(i).tensors.size();
    }
    check(tensors == offsets.size(), "a plan has an offset for every tensor of the file");
    TfliteRewrite rewrite(file);
    rewrite.setPlan(offsets);
    std::string written = rewrite.write();
    const auto same = unlessRefused([&] { return isSame(model, TfliteFile(written)); });
    if (!same || !*same) refuse("its tables share bytes, so it cannot be written anew");
    return written;
  });
}

}  // namespace hw
