#include "core/import/tflite/flat_table.h"

#include <fmt/format.h>

namespace hw {
namespace {

/// Memory that any model may take, and what a byte of the file may add to it: a tensor of some 60
/// bytes in the file takes some 500 in memory.
constexpr std::size_t kFreely = std::size_t{64} << 20U;
constexpr std::size_t kForEachByte = 24;
constexpr std::size_t kMostBudget = std::size_t{1} << 34U;

}  // namespace

FlatBytes::FlatBytes(std::string_view bytes)
    : bytes_(bytes),
      budget_(bytes.size() > kMostBudget / kForEachByte ? kMostBudget
                                                        : kFreely + kForEachByte * bytes.size()) {}

void FlatBytes::need(std::size_t at, std::size_t size, const char* what) const {
  if (at <= bytes_.size() && size <= bytes_.size() - at) return;
  refuse(fmt::format("the flatbuffer is cut short or damaged: {} lies outside the file's {} bytes",
                     what, bytes_.size()),
         fmt::format("byte {}", at));
}

void FlatBytes::needAligned(std::size_t at, std::size_t alignment, const char* what) const {
  if (at % alignment == 0) return;
  refuse(fmt::format("the flatbuffer is damaged: {} is not aligned to {} bytes", what, alignment),
         fmt::format("byte {}", at));
}

void FlatBytes::spend(std::size_t bytes) const {
  if (bytes > budget_) {
    refuse(
        "the flatbuffer uses the same parts over and over: it would take far more memory than "
        "a file of its size should",
        {});
  }
  budget_ -= bytes;
}

FlatTable FlatTable::root(const FlatBytes& bytes) {
  return {bytes, bytes.number<std::uint32_t>(0, "the root table"), "the root table"};
}

FlatTable::FlatTable(const FlatBytes& bytes, std::size_t at, const char* what)
    : bytes_(&bytes), at_(at), what_(what) {
  bytes.needAligned(at, sizeof(std::int32_t), what);
  const auto vtable = static_cast<std::int64_t>(at) - bytes.number<std::int32_t>(at, what);
  if (vtable < 0) refuse(fmt::format("the flatbuffer is damaged: {} has no fields", what), {});
  vtable_ = static_cast<std::size_t>(vtable);
  bytes.needAligned(vtable_, sizeof(std::uint16_t), what);
  vtableSize_ = bytes.number<std::uint16_t>(vtable_, what);
  tableSize_ = bytes.number<std::uint16_t>(vtable_ + 2, what);
  bytes.need(vtable_, vtableSize_, what);
  bytes.need(at_, tableSize_, what);
}

std::size_t FlatTable::place(int field, std::size_t size) const {
  const std::size_t entry = 4 + 2 * static_cast<std::size_t>(field);
  if (entry + 2 > vtableSize_) return 0;
  const std::size_t offset = bytes_->number<std::uint16_t>(vtable_ + entry, what_);
  if (offset == 0) return 0;
  // Inside the table, and not over the offset at its front.
  if (offset < 4 || offset + size > tableSize_) {
    refuse(fmt::format("the flatbuffer is damaged: field {} of {} lies outside it", field, what_),
           fmt::format("byte {}", at_));
  }
  return at_ + offset;
}

std::size_t FlatTable::target(int field) const {
  const std::size_t slot = place(field, sizeof(std::uint32_t));
  return slot == 0 ? 0 : slot + bytes_->number<std::uint32_t>(slot, what_);
}

std::optional<FlatTable> FlatTable::table(int field, const char* what) const {
  const std::size_t at = target(field);
  if (at == 0) return std::nullopt;
  return FlatTable(*bytes_, at, what);
}

std::string FlatTable::text(int field) const {
  constexpr std::size_t kLongest = 4096;
  const std::string_view text = vector<std::uint8_t>(field).bytes().substr(0, kLongest);
  bytes_->spend(text.size());
  return std::string(text);
}

}  // namespace hw
