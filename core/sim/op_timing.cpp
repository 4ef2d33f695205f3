#include "core/sim/op_timing.h"

#include <algorithm>

namespace hw {

std::string_view trafficClassName(TrafficClass kind) {
  constexpr std::array<std::string_view, kTrafficClasses> kNames = {
      "input", "output", "intermediate", "weight", "fill", "spill", "prefetch"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view bottleneckName(Bottleneck bottleneck, const IdMap<PoolId, ProblemPool>& pools) {
  if (bottleneck.kind == Bottleneck::Kind::memory) return pools[bottleneck.pool].name;
  return bottleneck.kind == Bottleneck::Kind::compute ? "compute" : "nothing";
}

Bytes addMoved(Bytes a, Bytes b) { return std::min(a + b, kMaxTraffic); }

Bytes Traffic::total() const {
  Bytes sum;
  for (const Bytes bytes : read) sum = addMoved(sum, bytes);
  for (const Bytes bytes : written) sum = addMoved(sum, bytes);
  return sum;
}

Traffic& Traffic::operator+=(const Traffic& other) {
  for (std::size_t i = 0; i < kTrafficClasses; ++i) {
    read[i] = addMoved(read[i], other.read[i]);
    written[i] = addMoved(written[i], other.written[i]);
  }
  return *this;
}

}  // namespace hw
