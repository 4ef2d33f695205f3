#include "core/exchange/tflm/planned_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/base/check.h"
#include "core/import/tflite/model.h"

namespace hw {
namespace {

constexpr std::string_view kPlanName = "OfflineMemoryAllocation";

// Fields of the root table, and of the tables below it that hold what is needed here.
constexpr int kModelFields = 8;
constexpr int kRootVersion = 0, kRootSubgraphs = 2, kRootBuffers = 4, kRootMetadata = 6;
constexpr int kSubgraphTensors = 0, kSubgraphOps = 3, kTensorBuffer = 2;
constexpr int kOpLargeOptions = 9;
constexpr int kBufferOffset = 1, kBufferSize = 2;
constexpr int kMetadataName = 0, kMetadataBuffer = 1;

/// A reference is 31 bits long wherever it is read as a signed number.
constexpr std::size_t kFarthest = 0x7FFFFFFF;

std::size_t roundedUp(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

/// The places of the parts of a flatbuffer. Everything is checked before it is looked at.
class FlatPlaces {
 public:
  explicit FlatPlaces(std::string_view file) : bytes_(file) {}

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
    return at == 0 ? 0 : at + word(at);
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
      found.push_back(slot + word(slot));
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
  std::size_t vtable(std::size_t table) const {
    const std::int64_t at =
        static_cast<std::int64_t>(table) - bytes_.number<std::int32_t>(table, "a table");
    if (at < 0) refuse("the flatbuffer is damaged: a table has no fields");
    return static_cast<std::size_t>(at);
  }

  FlatBytes bytes_;
};

/// A block of bytes that is filled in little by little.
class Front {
 public:
  std::size_t size() const { return bytes_.size(); }
  void pad(std::size_t to) { bytes_.resize(roundedUp(bytes_.size(), to)); }
  template <class T>
  void add(T number) {
    char raw[sizeof(T)];
    std::memcpy(raw, &number, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }
  /// The list of a table's fields: its own size, the table's, and where each field is.
  void addFields(std::initializer_list<int> parts) {
    for (const int part : parts) add(static_cast<std::uint16_t>(part));
  }
  void addText(std::string_view text) { bytes_ += text; }
  /// Makes the reference at `slot` lead to `to`.
  void lead(std::size_t slot, std::size_t to) {
    if (to <= slot || to - slot > kFarthest) {
      refuse("the model is larger than a flatbuffer may be: 2 GiB", {}, ErrorCode::unsupported);
    }
    const auto distance = static_cast<std::uint32_t>(to - slot);
    std::memcpy(bytes_.data() + slot, &distance, sizeof(distance));
  }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

struct OldModel {
  std::size_t root = 0;
  std::vector<std::size_t> buffers{};
  std::vector<std::size_t> metadata{};  ///< Without plans.
  std::vector<std::size_t> outside{};  ///< FlatPlaces of 64-bit offsets from the start of the file.
  std::optional<std::size_t> planBuffer{};  ///< One that held a plan and nothing else.
};

/// True if `buffer` holds anything else than a plan.
bool isUsed(const FlatPlaces& places, const OldModel& old, std::size_t buffer) {
  for (const std::size_t entry : old.metadata) {
    if (places.number<std::uint32_t>(entry, kMetadataBuffer, 0) == buffer) return true;
  }
  for (const std::size_t subgraph : places.tables(old.root, kRootSubgraphs)) {
    for (const std::size_t tensor : places.tables(subgraph, kSubgraphTensors)) {
      if (places.number<std::uint32_t>(tensor, kTensorBuffer, 0) == buffer) return true;
    }
  }
  return false;
}

OldModel readOld(const FlatPlaces& places) {
  OldModel old{.root = places.root()};
  for (int field = kModelFields; field < places.fields(old.root); ++field) {
    if (places.field(old.root, field) == 0) continue;
    refuse(fmt::format("the model's root has a field {} that this program does not know, so it "
                       "cannot be written anew",
                       field),
           fmt::format("byte {}", old.root), ErrorCode::unsupported);
  }
  old.buffers = places.tables(old.root, kRootBuffers);
  if (old.buffers.empty()) refuse("the model has no buffers, not even the empty one");
  std::optional<std::size_t> held;
  for (const std::size_t entry : places.tables(old.root, kRootMetadata)) {
    if (places.text(entry, kMetadataName) != kPlanName) {
      old.metadata.push_back(entry);
    } else {
      held = places.number<std::uint32_t>(entry, kMetadataBuffer, 0);
    }
  }
  if (held && *held > 0 && *held < old.buffers.size() && !isUsed(places, old, *held)) {
    old.planBuffer = held;
  }
  for (const std::size_t buffer : old.buffers) {
    if (places.number<std::uint64_t>(buffer, kBufferOffset, 0) <= 1) continue;
    if (places.number<std::uint64_t>(buffer, kBufferSize, 0) == 0) continue;
    old.outside.push_back(places.field(buffer, kBufferOffset));
  }
  for (const std::size_t subgraph : places.tables(old.root, kRootSubgraphs)) {
    for (const std::size_t op : places.tables(subgraph, kSubgraphOps)) {
      if (places.number<std::uint64_t>(op, kOpLargeOptions, 0) <= 1) continue;
      old.outside.push_back(places.field(op, kOpLargeOptions));
    }
  }
  std::ranges::sort(old.outside);
  old.outside.erase(std::unique(old.outside.begin(), old.outside.end()), old.outside.end());
  return old;
}

/// The new front, `size` bytes long, for old bytes that begin behind it.
std::string frontOf(const FlatPlaces& places, const OldModel& old,
                    const std::vector<std::int32_t>& offsets, std::size_t size) {
  constexpr std::size_t kTable = 28;
  Front front;
  front.add<std::uint32_t>(kTable);
  front.addText("TFL3");
  // Fields of the root, each four bytes, after the four that lead back to this list.
  front.addFields({4 + 2 * kModelFields, 4 + 4 * kModelFields});
  for (int field = 0; field < kModelFields; ++field) {
    const bool there =
        field == kRootBuffers || field == kRootMetadata || places.field(old.root, field) > 0;
    front.addFields({there ? 4 + 4 * field : 0});
  }
  front.add<std::int32_t>(static_cast<std::int32_t>(kTable) - 8);
  for (int field = 0; field < kModelFields; ++field) front.add<std::uint32_t>(0);
  const auto slotOf = [](int field) { return kTable + 4 + 4 * static_cast<std::size_t>(field); };
  front.pad(4);

  const std::size_t planIndex = old.planBuffer.value_or(old.buffers.size());
  const std::size_t buffers = front.size();
  front.add<std::uint32_t>(static_cast<std::uint32_t>(std::max(old.buffers.size(), planIndex + 1)));
  for (std::size_t i = 0; i < std::max(old.buffers.size(), planIndex + 1); ++i) {
    front.add<std::uint32_t>(0);
  }
  const std::size_t metadata = front.size();
  front.add<std::uint32_t>(static_cast<std::uint32_t>(old.metadata.size() + 1));
  for (std::size_t i = 0; i <= old.metadata.size(); ++i) front.add<std::uint32_t>(0);

  // The metadata entry: a list of its two fields, the table, the name.
  front.addFields({8, 12, 4, 8});
  const std::size_t entry = front.size();
  front.add<std::int32_t>(8);
  front.add<std::uint32_t>(0);
  front.add<std::uint32_t>(static_cast<std::uint32_t>(planIndex));
  const std::size_t name = front.size();
  front.add<std::uint32_t>(static_cast<std::uint32_t>(kPlanName.size()));
  front.addText(kPlanName);
  front.add<char>(0);
  front.pad(4);

  // The buffer: a list of its one field, the table, the bytes at a multiple of 16.
  front.addFields({6, 8, 4, 0});
  const std::size_t buffer = front.size();
  front.add<std::int32_t>(8);
  front.add<std::uint32_t>(0);
  while (front.size() % 16 != 12) front.add<std::uint32_t>(0);
  const std::size_t data = front.size();
  front.add<std::uint32_t>(static_cast<std::uint32_t>(4 * (offsets.size() + 3)));
  front.add<std::int32_t>(1);
  front.add<std::int32_t>(0);
  front.add<std::int32_t>(static_cast<std::int32_t>(offsets.size()));
  for (const std::int32_t offset : offsets) front.add<std::int32_t>(offset);
  front.pad(size);

  for (int field = 1; field < kModelFields; ++field) {
    if (field == kRootBuffers || field == kRootMetadata || places.field(old.root, field) == 0)
      continue;
    front.lead(slotOf(field), front.size() + places.target(old.root, field));
  }
  front.lead(slotOf(kRootBuffers), buffers);
  front.lead(slotOf(kRootMetadata), metadata);
  for (std::size_t i = 0; i < old.buffers.size(); ++i) {
    front.lead(buffers + 4 + 4 * i, front.size() + old.buffers[i]);
  }
  front.lead(buffers + 4 + 4 * planIndex, buffer);
  for (std::size_t i = 0; i < old.metadata.size(); ++i) {
    front.lead(metadata + 4 + 4 * i, front.size() + old.metadata[i]);
  }
  front.lead(metadata + 4 + 4 * old.metadata.size(), entry);
  front.lead(entry + 4, name);
  front.lead(buffer + 4, data);
  std::string bytes = std::move(front).take();
  const auto version = places.number<std::uint32_t>(old.root, kRootVersion, 0);
  std::memcpy(bytes.data() + slotOf(kRootVersion), &version, sizeof(version));
  return bytes;
}

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

std::string planInFront(std::string_view file, const std::vector<std::int32_t>& offsets) {
  // Weights inside are at multiples of 16 at most, those behind the flatbuffer of a page.
  constexpr std::size_t kUsual = 64;
  constexpr std::size_t kPage = 4096;
  const FlatPlaces places(file);
  const OldModel old = readOld(places);
  std::string bytes = frontOf(places, old, offsets, old.outside.empty() ? kUsual : kPage);
  std::string behind(file);
  for (const std::size_t at : old.outside) moveBy<std::uint64_t>(behind, at, bytes.size());
  moveArchive(behind, bytes.size());
  bytes += behind;
  return bytes;
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

Result<std::string> withOfflinePlan(std::string_view file,
                                    const std::vector<std::int32_t>& offsets) {
  return unlessRefused([&] {
    const TfliteFile model(file);
    std::size_t tensors = 0;
    for (std::size_t i = 0; i < model.subgraphCount(); ++i) {
      tensors += model.subgraph(i).tensors.size();
    }
    check(tensors == offsets.size(), "a plan has an offset for every tensor of the file");
    std::string written = planInFront(file, offsets);
    const auto same = unlessRefused([&] { return isSame(model, TfliteFile(written)); });
    if (!same || !*same) refuse("its tables share bytes, so it cannot be written anew");
    return written;
  });
}

}  // namespace hw
