#pragma once

#include <algorithm>

#include "core/base/quantity.h"

namespace hw {

/// A sum of sizes that cannot overflow: 2^32 sizes of kMaxBytes need 92 bits. Read back it stops
/// at kMaxBytes, which a caller may add to another size without thinking.
class WideSum {
 public:
  void add(std::int64_t bytes) { total_ += bytes; }

  Bytes bytes() const {
    return Bytes(static_cast<std::int64_t>(std::min<Wide>(total_, kMaxBytes.count())));
  }
  double approximate() const { return static_cast<double>(total_); }

 private:
  __extension__ using Wide = __int128;
  Wide total_ = 0;
};

}  // namespace hw
