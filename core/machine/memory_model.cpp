#include "core/machine/memory_model.h"

namespace hw {

std::optional<Bytes> PoolSpec::target() const {
  if (!capacity) return std::nullopt;
  return *capacity - reserved;
}

}  // namespace hw
