#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/machine/cost/cost_models.h"

namespace hw {
namespace {

constexpr std::array kTableParams = {CostParam{"table", &CostSpec::table, true}};

CostClass convolutionClass(const Work& work) {
  if (!work.loops) return CostClass::convolution;
  const Loops& loops = *work.loops;
  if (loops[Loop::input] == 1) return CostClass::depthwise;
  const bool one = loops[Loop::kernelRow] == 1 && loops[Loop::kernelColumn] == 1;
  return one ? CostClass::pointwise : CostClass::convolution;
}

std::optional<std::int64_t> tableCycles(const UnitSpec& unit, const Work& work,
                                        const CostedOp& op) {
  const auto kind = costClassOf(work, op.kind);
  if (!kind) return std::nullopt;
  const auto& law = unit.cost.table[static_cast<std::size_t>(*kind)];
  const auto count = static_cast<double>(countedWork(unit, *kind, work));
  // Nothing is called for an operator without work, or whose work nobody knows.
  if (!law || count == 0) return std::nullopt;
  return cyclesAt(std::round(law->call + law->each * count), 1);
}

double tableMost(const CostSpec& cost) {
  double most = 0;
  for (std::size_t kind = 0; kind < cost.table.size(); ++kind) {
    const auto& law = cost.table[kind];
    if (!multiplies(static_cast<CostClass>(kind)) || !law || law->each == 0) continue;
    most = std::max(most, 1 / law->each);
  }
  return most;
}

}  // namespace

std::optional<CostClass> costClassOf(const Work& work, OpClass kind) {
  switch (kind) {
    case OpClass::convolution:
      return convolutionClass(work);
    case OpClass::activation:
      return CostClass::activation;
    case OpClass::product:
      return CostClass::product;
    case OpClass::elements:
      return CostClass::elements;
    case OpClass::pooling:
      return CostClass::pooling;
    case OpClass::movement:
      return CostClass::movement;
    case OpClass::body:
      break;
  }
  return std::nullopt;
}

std::int64_t countedWork(const UnitSpec& unit, CostClass kind, const Work& work) {
  return multiplies(kind) ? work.macs : countedElements(unit, work);
}

std::string withoutLaw(const UnitSpec& unit, const Work& work, const CostedOp& op) {
  const auto kind = costClassOf(work, op.kind);
  const bool table = costModel(unit).cycles == tableCycles;
  if (!table || !kind || unit.cost.table[static_cast<std::size_t>(*kind)] ||
      countedWork(unit, *kind, work) == 0) {
    return {};
  }
  return fmt::format("ops go by the rates of unit '{}', whose table has no '{}'",
                     printable(unit.name), kCostClassNames[static_cast<std::size_t>(*kind)]);
}

constinit const CostModel kTableCost{.name = "table",
                                     .params = kTableParams,
                                     .array = false,
                                     .most = tableMost,
                                     .cycles = tableCycles};

}  // namespace hw
