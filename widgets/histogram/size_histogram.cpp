#include "widgets/histogram/size_histogram.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "core/picture/block_store.h"

namespace hw {
namespace {

int powerOf(Bytes size) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size.count()))) - 1;
}

/// Sums of sizes may leave 64 bits in absurd problems: they stop there.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  return checkedAdd(a, b).value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

std::int64_t SizeHistogram::Bin::total(bool ofBytes) const {
  const auto& values = ofBytes ? bytes : count;
  return std::accumulate(values.begin(), values.end(), std::int64_t{0}, plus);
}

std::int64_t SizeHistogram::most(bool ofBytes) const {
  std::int64_t most = 0;
  for (const Bin& bin : bins) most = std::max(most, bin.total(ofBytes));
  return most;
}

SizeHistogram sizeHistogram(const Run& run, std::optional<Interval<Step>> range) {
  SizeHistogram histogram;
  std::array<SizeHistogram::Bin, 64> all;
  int least = 64;
  int greatest = -1;
  for (const StayId id : run.problem.stays.keys()) {
    const Stay& stay = run.problem.stays[id];
    const bool inside = !range || (stay.steps.begin < range->end && range->begin < stay.steps.end);
    if (!inside || stay.size <= Bytes()) continue;
    const int power = powerOf(stay.size);
    auto& bin = all[static_cast<std::size_t>(power)];
    const auto kind = static_cast<std::size_t>(stayClass(run, id));
    ++bin.count[kind];
    bin.bytes[kind] = plus(bin.bytes[kind], stay.size.count());
    least = std::min(least, power);
    greatest = std::max(greatest, power);
  }
  for (int power = least; power <= greatest; ++power) {
    auto& bin = all[static_cast<std::size_t>(power)];
    bin.power = power;
    histogram.bins.push_back(bin);
  }
  return histogram;
}

std::vector<bool> staysOfSize(const Run& run, int firstPower, int lastPower) {
  std::vector<bool> kept(run.problem.stays.size(), false);
  for (const StayId id : run.problem.stays.keys()) {
    const Bytes size = run.problem.stays[id].size;
    if (size <= Bytes()) continue;
    const int power = powerOf(size);
    kept[id.index()] = power >= firstPower && power <= lastPower;
  }
  return kept;
}

}  // namespace hw
