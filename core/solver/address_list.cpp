#include "core/solver/address_list.h"

namespace hw {
namespace {

template <class Array, class Value>
void shiftIn(Array& array, std::size_t at, std::size_t count, const Value& value) {
  std::move_backward(array.begin() + static_cast<std::ptrdiff_t>(at),
                     array.begin() + static_cast<std::ptrdiff_t>(count),
                     array.begin() + static_cast<std::ptrdiff_t>(count) + 1);
  array[at] = value;
}

}  // namespace

void AddressList::Chunk::insert(std::size_t at, const Entry& entry, Life life) {
  shiftIn(begins, at, count, life.begin);
  shiftIn(ends, at, count, life.end);
  shiftIn(entries, at, count, entry);
  ++count;
}

void AddressList::insert(const Entry& entry, Life life) {
  const Bytes begin = entry.bytes.begin;
  if (chunks_.empty()) chunks_.emplace_back();
  // The last chunk that begins at or below it; the first of all where none does.
  const auto above =
      std::upper_bound(chunks_.begin(), chunks_.end(), begin, [](Bytes at, const Chunk& chunk) {
        return chunk.count > 0 && at < chunk.entries[0].bytes.begin;
      });
  auto index = static_cast<std::size_t>(above - chunks_.begin());
  index -= index > 0 ? 1 : 0;
  if (chunks_[index].count == kChunk) {
    cutInTwo(index);
    if (begin >= chunks_[index + 1].entries[0].bytes.begin) ++index;
  }
  Chunk& chunk = chunks_[index];
  const auto last = chunk.entries.begin() + static_cast<std::ptrdiff_t>(chunk.count);
  const auto at =
      std::upper_bound(chunk.entries.begin(), last, begin,
                       [](Bytes value, const Entry& each) { return value < each.bytes.begin; });
  chunk.insert(static_cast<std::size_t>(at - chunk.entries.begin()), entry, life);
}

void AddressList::cutInTwo(std::size_t index) {
  constexpr std::size_t kHalf = kChunk / 2;
  Chunk upper;
  Chunk& lower = chunks_[index];
  for (std::size_t i = kHalf; i < kChunk; ++i) {
    upper.insert(i - kHalf, lower.entries[i], {lower.begins[i], lower.ends[i]});
    lower.begins[i] = std::numeric_limits<std::int32_t>::max();
  }
  lower.count = kHalf;
  chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(index) + 1, upper);
}

}  // namespace hw
