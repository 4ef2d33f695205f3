#include "tests/conformance/subjects.h"

#include "tests/support/printers.h"

namespace hw::test {

Subject subject(std::size_t index) {
  Subject subject;
  subject.info = &allocatorCatalog()[index];
  Params params;
  for (const ParamSpec& spec : subject.info->params) {
    const bool counts = spec.name == "tries" || spec.name == "sequences" || spec.name == "stuck";
    if (counts) REQUIRE(params.set(spec, "40"));
    if (spec.name == "nodes" || spec.name == "moves") REQUIRE(params.set(spec, "2000"));
    if (spec.name == "seconds") REQUIRE(params.set(spec, "0"));
  }
  subject.allocator = AllocatorChoice{subject.info, params}.make();
  subject.text = AllocatorChoice{subject.info, params}.text();
  return subject;
}

PlanContext quickContext() { return {.seed = 7, .nodeBudget = 2'000}; }

}  // namespace hw::test
