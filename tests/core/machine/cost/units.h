#pragma once

#include <string>

#include "core/machine/cost/cost_models.h"
#include "core/machine/platforms.h"
#include "tests/support/must.h"
#include "tests/support/op_sample.h"

namespace hw::test {

/// A platform file with one unit, which counts as the lines `cost` say.
inline std::string arrayText(const std::string& cost) {
  return "name = \"a\"\n[[device]]\nname = \"d\"\nops = [\"*\"]\n[[device.pool]]\nname = \"L2\"\n"
         "[[device.unit]]\nname = \"array\"\nops = [\"*\"]\nclock = \"1GHz\"\n" +
         cost + "\n";
}

inline UnitSpec unitWith(const std::string& cost) {
  CAPTURE(cost);
  return must(parsePlatform(arrayText(cost))).devices.at(0).units.at(0);
}

inline Work matrices(std::int64_t m, std::int64_t n, std::int64_t k) {
  return OpSample("MatMul", {{m, k}, {k, n}}, {{m, n}}).work();
}

}  // namespace hw::test
