#pragma once

#include <catch2/catch.hpp>

#include "core/plan/problem.h"

namespace hw::test {

/// Checks that two problems ask for the same of their stays, whatever buffers they are of.
inline void checkSame(const Problem& a, const Problem& b) {
  REQUIRE(a.stays.size() == b.stays.size());
  for (const StayId id : a.stays.keys()) {
    CAPTURE(id.index());
    CHECK(a.stays[id].steps == b.stays[id].steps);
    CHECK(a.stays[id].size == b.stays[id].size);
    CHECK(a.stays[id].alignment == b.stays[id].alignment);
    CHECK(a.stays[id].pinned == b.stays[id].pinned);
    CHECK(a.gapsOf(id) == b.gapsOf(id));
    if (a.pools.size() > 1) CHECK(a.stays[id].pool == b.stays[id].pool);
  }
  CHECK(a.steps == b.steps);
  REQUIRE(a.pools.size() == b.pools.size());
  for (const PoolId id : a.pools.keys()) {
    CHECK(a.pools[id].name == b.pools[id].name);
    CHECK(a.pools[id].capacity == b.pools[id].capacity);
    CHECK(a.pools[id].reserved == b.pools[id].reserved);
  }
  CHECK(a.constraints.apart == b.constraints.apart);
  CHECK(a.constraints.exclusive == b.constraints.exclusive);
  CHECK(a.constraints.together == b.constraints.together);
  CHECK(a.constraints.penalties == b.constraints.penalties);
  CHECK(a.constraints.allowed == b.constraints.allowed);
  CHECK(a.constraints.virtualTime == b.constraints.virtualTime);
}

}  // namespace hw::test
