#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/run/run.h"
#include "widgets/base/theme.h"

namespace hw {

/// How many buffers of a run have which size, in powers of two.
struct SizeHistogram {
  /// Sizes from 2^power up to, not including, 2^(power + 1) bytes.
  struct Bin {
    int power = 0;
    std::array<std::int64_t, 5> count{};  ///< By TensorClass.
    std::array<std::int64_t, 5> bytes{};  ///< Likewise: the sum of their sizes.

    std::int64_t total(bool ofBytes) const;
  };
  /// Every power from the least to the greatest there is, empty ones included.
  std::vector<Bin> bins{};

  /// The largest total of a bin; 0 without bins.
  std::int64_t most(bool ofBytes) const;
};

/// Over the stays that live in `range`; nothing: over all. O(stays).
SizeHistogram sizeHistogram(const Run& run, std::optional<Interval<Step>> range);

/// Which stays have a size in [2^first, 2^(last + 1)).
std::vector<bool> staysOfSize(const Run& run, int firstPower, int lastPower);

}  // namespace hw
