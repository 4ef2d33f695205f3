#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hw {

/// The whole number that `key` has in the FlexBuffers map `bytes`: what custom operators keep their
/// options in. Nothing where there is no such key, it has another value, or the bytes are no map;
/// they are looked at, never believed.
std::optional<std::int64_t> flexNumber(std::string_view bytes, std::string_view key);

}  // namespace hw
