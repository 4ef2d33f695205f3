#include "core/import/tflite/flex_map.h"

namespace hw {
namespace {

/// Types, as a byte has them in its upper six bits; the lower two are the width of what is behind.
enum FlexType : unsigned {
  kFlexInt = 1,
  kFlexUint = 2,
  kFlexIndirectInt = 6,
  kFlexIndirectUint = 7,
  kFlexMap = 9
};

/// Bytes of a map that are read where they are; all places are from the front.
///
///     | keys | … | [where keys are] [width of keys] [count] value… type… | [root] [its type]
///     [width] |
///
/// What leads somewhere is a distance backwards.
class FlexReader {
 public:
  explicit FlexReader(std::string_view bytes) : bytes_(bytes) {}

  std::optional<std::int64_t> find(std::string_view key) const {
    const auto rootWidth = number(bytes_.size() - 1, 1);
    const auto rootType = number(bytes_.size() - 2, 1);
    if (!rootWidth || !rootType || *rootType >> 2 != kFlexMap) return {};
    if (*rootWidth > bytes_.size() - 2) return {};
    const auto map = behind(bytes_.size() - 2 - *rootWidth, *rootWidth);
    if (!map) return {};
    const std::uint64_t width = std::uint64_t{1} << (*rootType & 3);
    if (*map < 3 * width) return {};
    const auto count = number(*map - width, width);
    const auto keyWidth = number(*map - 2 * width, width);
    const auto keys = behind(*map - 3 * width, width);
    // A value takes its width, and a byte for its type; a key its width.
    if (!count || !keyWidth || !keys || *count > bytes_.size() / (width + 1)) return {};
    if (*keyWidth > 8) return {};
    for (std::uint64_t i = 0; i < *count; ++i) {
      const auto name = behind(*keys + i * *keyWidth, *keyWidth);
      if (!name || !isAt(*name, key)) continue;
      const auto type = number(*map + *count * width + i, 1);
      return type ? value(*map + i * width, width, *type) : std::nullopt;
    }
    return {};
  }

 private:
  /// Little-endian; nothing outside of the bytes, or of a width that there is not.
  std::optional<std::uint64_t> number(std::uint64_t at, std::uint64_t width) const {
    const bool known = width == 1 || width == 2 || width == 4 || width == 8;
    if (!known || at > bytes_.size() || bytes_.size() - at < width) return {};
    std::uint64_t value = 0;
    for (std::uint64_t i = width; i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes_[at + i]);
    }
    return value;
  }

  /// The place to which the distance at `at` leads.
  std::optional<std::uint64_t> behind(std::uint64_t at, std::uint64_t width) const {
    const auto distance = number(at, width);
    if (!distance || *distance > at) return {};
    return at - *distance;
  }

  bool isAt(std::uint64_t at, std::string_view key) const {
    const std::string_view rest = bytes_.substr(at);
    return rest.starts_with(key) && rest.size() > key.size() && rest[key.size()] == '\0';
  }

  std::optional<std::int64_t> value(std::uint64_t at, std::uint64_t width,
                                    std::uint64_t type) const {
    std::uint64_t kind = type >> 2;
    if (kind == kFlexIndirectInt || kind == kFlexIndirectUint) {
      const auto place = behind(at, width);
      if (!place) return {};
      at = *place;
      width = std::uint64_t{1} << (type & 3);
      kind = kind == kFlexIndirectInt ? kFlexInt : kFlexUint;
    }
    const auto found = number(at, width);
    if (!found || (kind != kFlexInt && kind != kFlexUint)) return {};
    if (kind == kFlexUint) {
      if (*found > static_cast<std::uint64_t>(INT64_MAX)) return {};
      return static_cast<std::int64_t>(*found);
    }
    const auto shift = static_cast<int>(64 - 8 * width);
    return static_cast<std::int64_t>(*found << shift) >> shift;
  }

  std::string_view bytes_;
};

}  // namespace

std::optional<std::int64_t> flexNumber(std::string_view bytes, std::string_view key) {
  if (bytes.size() < 3) return std::nullopt;
  return FlexReader(bytes).find(key);
}

}  // namespace hw
