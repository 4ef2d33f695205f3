#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hw {

/// One file of a zip archive, as its directory lists it.
struct ZipMember {
  std::string name{};
  std::uint64_t at = 0;      ///< Of its local header in the archive's bytes.
  std::uint64_t stored = 0;  ///< Bytes in the archive.
  std::uint64_t size = 0;    ///< Bytes when unpacked.
  std::uint16_t method = 0;  ///< 0: stored, 8: deflated.
  bool encrypted = false;
};

/// The directory of a zip archive that `bytes` are, or end with: nothing when they do not. Offsets
/// and counts that lead outside make it nothing too. Archives beyond 4 GiB (zip64) included.
std::optional<std::vector<ZipMember>> zipDirectory(std::string_view bytes);

/// The bytes of a member as they lie in the archive, packed or not; empty when they lie outside.
std::string_view zipPayload(std::string_view bytes, const ZipMember& member);

/// The first bytes of a member, unpacked: at most `most`, fewer when it is shorter or damaged.
std::string zipUnpack(std::string_view bytes, const ZipMember& member, std::size_t most);

}  // namespace hw
