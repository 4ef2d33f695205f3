#include "tests/support/methods.h"

#include <fmt/format.h>

#include "core/machine/platforms.h"
#include "tests/support/must.h"

namespace hw::test {

std::shared_ptr<const Model> sample(const std::string& name) {
  for (const char* ending : {".graph.json", ".onnx", ".csv"}) {
    auto model = loadModel(HIGHWATER_SOURCE_DIR "/sample_graphs/" + name + ending, {});
    if (model) return std::make_shared<const Model>(std::move(*model));
  }
  FAIL("sample '" << name << "' does not load");
  return nullptr;
}

RunRequest workedRequest(const std::string& allocator) {
  RunRequest request;
  const auto choice = test::must(AllocatorChoice::parse(allocator));
  request.allocator = choice;
  request.platform = platformCatalog().front();
  request.l2.kind = request.l3.kind = PoolSize::Kind::unbounded;
  request.alignment = Bytes(1);
  request.alias = AliasRules::none();
  return request;
}

RunRequest requestOn(const Platform& platform, const std::string& allocator) {
  return {.allocator = AllocatorChoice::parse(allocator).value(), .platform = platform};
}

std::shared_ptr<const Run> mustRun(const std::shared_ptr<const Model>& model,
                                   const RunRequest& request) {
  return test::must(execute(model, request, {}));
}

std::size_t listNamed(const MethodRecord& record, const std::string& name) {
  const auto at = std::ranges::find(record.lists, name, &MethodList::name);
  REQUIRE(at != record.lists.end());
  return static_cast<std::size_t>(at - record.lists.begin());
}

std::string offsets(const Run& run) {
  std::string text;
  for (const StayId id : run.problem.stays.keys()) {
    const auto offset = run.plan.flatOffset(id);
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", run.stayName(id),
                        offset ? std::to_string(offset->count()) : "-");
  }
  return text;
}

std::string happenings(const Run& run) {
  std::string text;
  for (const TimelineEntry& entry : run.timeline) {
    text += fmt::format("{}{} {} {} [{},{})", text.empty() ? "" : "; ", entry.step.count(),
                        happeningName(entry.happening), run.stayName(entry.stay),
                        entry.offset.count(), (entry.offset + entry.size).count());
  }
  return text;
}

}  // namespace hw::test
