#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "core/import/importer.h"
#include "core/machine/platforms.h"
#include "core/run/run.h"

namespace hw::test {

/// A planning problem as CSV under a plan made by hand: stay i at `offsets[i]` KiB.
inline std::shared_ptr<const Run> runByHand(const char* csv, Constraints constraints,
                                            std::vector<Interval<Bytes>> reserved,
                                            const std::vector<std::int64_t>& offsets) {
  RunRequest request{.allocator = AllocatorChoice::parse("none").value(),
                     .platform = platformCatalog().front(),
                     .alignment = Bytes(1)};
  request.l2.kind = request.l3.kind = PoolSize::Kind::unbounded;
  auto model = std::make_shared<const Model>(importModel(csv, "constraints.csv", {}).value());
  Run run = *execute(std::move(model), request, {}).value();
  run.problem.constraints = std::move(constraints);
  run.problem.pools[PoolId(0)].reserved = std::move(reserved);
  Plan plan;
  plan.regions.resize(run.problem.pools.size());
  Bytes top;
  for (const StayId stay : run.problem.stays.keys()) {
    const Bytes offset(offsets[stay.index()] * 1024);
    plan.addresses.add(Address{PoolId(0), RegionId(0), offset});
    top = std::max(top, offset + run.problem.stays[stay].size);
  }
  plan.regions[PoolId(0)].add(top);
  return replanned(run, std::move(plan), request);
}

inline ReusePenalty penaltyOf(std::size_t a, std::size_t b, std::int64_t cost) {
  return {{StayId(a), StayId(b)}, cost};
}

/// Nine buffers with a constraint of each kind, and a plan that pays two of four penalties. c is
/// apart from d, f and g are exclusive and share bytes, h and i begin together; the lowest 2 KiB
/// are reserved.
///
///   11 | h h . . . i i i . . . .
///    9 | . . . . . . d d d d . .
///    6 | c c c c c . . . e e e e
///    2 | a a a . b b b . f fg fg g     steps to the right, KiB upwards
inline std::shared_ptr<const Run> constrainedRun() {
  return runByHand(
      "id,lower,upper,size\na,0,3,4096\nb,4,7,3072\nc,0,5,3072\nd,6,10,2048\ne,8,12,3072\n"
      "f,8,11,2048\ng,9,12,2048\nh,0,2,2048\ni,5,8,2048\n",
      {.apart = {{StayId(2), StayId(3)}},
       .exclusive = {{StayId(5), StayId(6)}},
       .together = {{StayId(7), StayId(8)}},
       .penalties = {penaltyOf(0, 1, 3), penaltyOf(1, 4, 1), penaltyOf(2, 4, 2),
                     penaltyOf(3, 7, 5)}},
      {{Bytes(0), Bytes(2048)}}, {2, 2, 6, 9, 6, 2, 2, 11, 11});
}

}  // namespace hw::test
