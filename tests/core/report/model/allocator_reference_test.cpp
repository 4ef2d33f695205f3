#include "core/report/model/allocator_reference.h"

#include <algorithm>

#include "core/allocators/abilities.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

namespace hw {
namespace {

AllocatorAbilities of(std::string_view name) { return abilitiesOf(**findAllocator(name)); }

}  // namespace

TEST_CASE("what an allocator can do is found out by asking it", "[reference]") {
  // As their sources have it: see docs/methods.md, and allocators that refuse pins by name.
  CHECK(of("greedy-by-size").pins == Ability::used);
  CHECK(of("greedy-by-size").gaps == Ability::used);
  CHECK(of("free-list").pins == Ability::refused);
  CHECK(of("free-list").gaps == Ability::ignored);
  CHECK(of("none").gaps == Ability::ignored);
}

TEST_CASE("the catalogue says the same of pools as asking does", "[reference]") {
  for (const AllocatorInfo& info : allocatorCatalog()) {
    CAPTURE(info.name);
    // Three of 8 bytes at a time, and room for two in the first pool.
    Problem problem = test::problemOf({{8, 0, 1}, {8, 0, 1}, {8, 0, 1}});
    problem.pools[PoolId(0)].capacity = Bytes(16);
    problem.pools.add({.name = "L3"});
    const AllocatorChoice choice{&info};
    const auto plan = test::must(choice.make()->plan(problem, {}));
    CHECK((plan.footprint(PoolId(1)) > Bytes()) == choice.placer().info->choosesPools);
  }
}

TEST_CASE("the reference has every allocator with every option and its default", "[reference]") {
  const std::string text = allocatorReferenceText({});
  const Json json = allocatorReferenceJson();
  REQUIRE(json.size() == allocatorCatalog().size());
  std::size_t index = 0;
  for (const AllocatorInfo& info : allocatorCatalog()) {
    CAPTURE(info.name);
    CHECK(text.find("\n" + std::string(info.name) + "\n") != std::string::npos);
    const Json& entry = json[index++];
    CHECK(entry["name"] == info.name);
    REQUIRE(entry["params"].size() == info.params.size());
    for (std::size_t i = 0; i < info.params.size(); ++i) {
      const ParamSpec& spec = info.params[i];
      CHECK(entry["params"][i]["name"] == spec.name);
      CHECK(entry["params"][i]["default"] == spec.fallback);
      CHECK(text.find("option     " + std::string(spec.name) + " = ") != std::string::npos);
    }
  }
}

TEST_CASE("the reference is narrow enough to read", "[reference]") {
  const std::string text = allocatorReferenceText({});
  std::size_t longest = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = text.find('\n', from);
    longest = std::max(longest, displayWidth(std::string_view(text).substr(from, end - from)));
    from = end + 1;
  }
  CHECK(longest <= 100);
  CHECK(longest > 60);
}

}  // namespace hw
