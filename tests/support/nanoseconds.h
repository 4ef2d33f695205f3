#pragma once

#include "core/base/quantity.h"

namespace hw::test {

constexpr SimTime ns(std::int64_t count) { return SimTime(count * 1'000); }

}  // namespace hw::test
