#include "core/files/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace hw {
namespace {

// The record at the end of an archive, its 64-bit forerunner, and an entry of the directory.
constexpr std::string_view kEnd = "PK\x05\x06";
constexpr std::string_view kEnd64 = "PK\x06\x06";
constexpr std::string_view kLocator64 = "PK\x06\x07";
constexpr std::string_view kEntry = "PK\x01\x02";
constexpr std::string_view kLocal = "PK\x03\x04";
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kEnd64Size = 56;
constexpr std::size_t kLocatorSize = 20;
constexpr std::size_t kEntrySize = 46;
constexpr std::size_t kLocalSize = 30;
constexpr std::uint32_t kSeeExtra = 0xFFFFFFFF;  ///< The value did not fit 32 bits.

template <class T>
T number(std::string_view bytes, std::size_t at) {
  T value{};
  if (at <= bytes.size() && sizeof(T) <= bytes.size() - at) {
    std::memcpy(&value, bytes.data() + at, sizeof(T));
  }
  return value;
}

bool holds(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

/// The place of the directory, and how far the archive is behind the start of `bytes`.
struct DirectoryPlace {
  std::uint64_t at = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
  std::uint64_t skipped = 0;
};

/// The record that says where the directory is. It comes last, but for a comment of any content:
/// found by searching backwards.
std::optional<std::size_t> findEnd(std::string_view bytes) {
  constexpr std::size_t kLongestComment = 65535;
  if (bytes.size() < kEndSize) return std::nullopt;
  const std::size_t last = bytes.size() - kEndSize;
  const std::size_t first = last > kLongestComment ? last - kLongestComment : 0;
  for (std::size_t at = last;; --at) {
    if (bytes.substr(at).starts_with(kEnd)) return at;
    if (at == first) return std::nullopt;
  }
}

std::optional<DirectoryPlace> placeOf(std::string_view bytes) {
  const auto end = findEnd(bytes);
  if (!end) return std::nullopt;
  DirectoryPlace place{.at = number<std::uint32_t>(bytes, *end + 16),
                       .size = number<std::uint32_t>(bytes, *end + 12),
                       .entries = number<std::uint16_t>(bytes, *end + 10)};
  std::uint64_t behind = *end;  // Where the directory ends.
  if (place.at == kSeeExtra || place.entries == 0xFFFF || place.size == kSeeExtra) {
    const std::size_t locator = *end < kLocatorSize ? 0 : *end - kLocatorSize;
    if (!bytes.substr(locator).starts_with(kLocator64)) return std::nullopt;
    const auto record = number<std::uint64_t>(bytes, locator + 8);
    if (!holds(bytes, record, kEnd64Size)) return std::nullopt;
    const auto at = static_cast<std::size_t>(record);
    if (!bytes.substr(at).starts_with(kEnd64)) return std::nullopt;
    place = {.at = number<std::uint64_t>(bytes, at + 48),
             .size = number<std::uint64_t>(bytes, at + 40),
             .entries = number<std::uint64_t>(bytes, at + 32)};
    behind = record;
  }
  if (place.size > behind || place.at > behind - place.size) return std::nullopt;
  // An archive behind other bytes may count from its own start.
  place.skipped = behind - place.size - place.at;
  return place;
}

/// Sizes and place that did not fit 32 bits, in the order in which they were left out.
void readWide(std::string_view extra, ZipMember& member) {
  constexpr std::uint16_t kWide = 1;
  std::size_t at = 0;
  while (at + 4 <= extra.size()) {
    const auto size = number<std::uint16_t>(extra, at + 2);
    if (number<std::uint16_t>(extra, at) == kWide) {
      std::size_t field = at + 4;
      for (std::uint64_t* value : {&member.size, &member.stored, &member.at}) {
        if (*value != kSeeExtra) continue;
        *value = number<std::uint64_t>(extra, field);
        field += sizeof(std::uint64_t);
      }
      return;
    }
    at += 4 + std::size_t{size};
  }
}

}  // namespace

std::optional<std::vector<ZipMember>> zipDirectory(std::string_view bytes) {
  const auto place = placeOf(bytes);
  if (!place) return std::nullopt;
  std::vector<ZipMember> members;
  const auto first = static_cast<std::size_t>(place->at + place->skipped);
  std::string_view rest = bytes.substr(first, static_cast<std::size_t>(place->size));
  while (members.size() < place->entries) {
    if (rest.size() < kEntrySize || !rest.starts_with(kEntry)) return std::nullopt;
    const std::size_t name = number<std::uint16_t>(rest, 28);
    const std::size_t extra = number<std::uint16_t>(rest, 30);
    const std::size_t all = kEntrySize + name + extra + number<std::uint16_t>(rest, 32);
    if (all > rest.size()) return std::nullopt;
    ZipMember member{.name = std::string(rest.substr(kEntrySize, name)),
                     .at = number<std::uint32_t>(rest, 42),
                     .stored = number<std::uint32_t>(rest, 20),
                     .size = number<std::uint32_t>(rest, 24),
                     .method = number<std::uint16_t>(rest, 10),
                     .encrypted = (number<std::uint16_t>(rest, 8) & 1U) != 0};
    readWide(rest.substr(kEntrySize + name, extra), member);
    if (member.at > bytes.size()) return std::nullopt;
    member.at += place->skipped;
    members.push_back(std::move(member));
    rest.remove_prefix(all);
  }
  return members;
}

std::string_view zipPayload(std::string_view bytes, const ZipMember& member) {
  if (!holds(bytes, member.at, kLocalSize)) return {};
  const std::string_view local = bytes.substr(static_cast<std::size_t>(member.at));
  if (!local.starts_with(kLocal)) return {};
  const std::uint64_t header = kLocalSize + std::uint64_t{number<std::uint16_t>(local, 26)} +
                               number<std::uint16_t>(local, 28);
  if (header > local.size() || !holds(local, header, member.stored)) return {};
  return local.substr(static_cast<std::size_t>(header), static_cast<std::size_t>(member.stored));
}

std::string zipUnpack(std::string_view bytes, const ZipMember& member, std::size_t most) {
  const std::string_view packed = zipPayload(bytes, member);
  constexpr std::uint16_t kStored = 0;
  constexpr std::uint16_t kDeflated = 8;
  if (member.encrypted) return {};
  if (member.method == kStored) return std::string(packed.substr(0, most));
  if (member.method != kDeflated) return {};
  z_stream stream{};
  // Negative: deflated bytes alone, without the header that zlib puts before them.
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return {};
  std::string unpacked(static_cast<std::size_t>(std::min<std::uint64_t>(most, member.size)), '\0');
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(std::min(packed.size(), kMost));
  stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
  stream.avail_out = static_cast<uInt>(std::min(unpacked.size(), kMost));
  inflate(&stream, Z_SYNC_FLUSH);
  unpacked.resize(static_cast<std::size_t>(stream.total_out));
  inflateEnd(&stream);
  return unpacked;
}

}  // namespace hw
