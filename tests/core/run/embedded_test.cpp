#include "core/run/embedded.h"

#include <catch2/catch.hpp>
#include <set>

#include "core/check/plan_audit.h"
#include "core/machine/platforms.h"
#include "core/plan_file/embedded_plan.h"
#include "core/study/compare.h"
#include "tests/support/tflite_writer.h"

namespace hw {
namespace {

/// t0 (64 bytes) -> RELU -> t1 -> RELU -> ..., a tensor for each offset of the model's own plan.
std::shared_ptr<const Model> planned(const std::vector<std::int32_t>& offsets) {
  std::vector<std::int32_t> words = {1, 1, static_cast<std::int32_t>(offsets.size())};
  words.insert(words.end(), offsets.begin(), offsets.end());
  TfliteText::Subgraph main{.name = "main"};
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    main.tensors.push_back({.name = "t" + std::to_string(i), .shape = {16}});
    const auto at = static_cast<std::int32_t>(i);
    if (i > 0) main.operators.push_back({.code = 19, .inputs = {at - 1}, .outputs = {at}});
  }
  main.inputs = {0};
  main.outputs = {static_cast<std::int32_t>(offsets.size()) - 1};
  TfliteText text{.subgraphs = {main}, .buffers = {tfliteIntegers(words)}};
  text.metadata = {{"OfflineMemoryAllocation", 1}};
  auto model = importModel(tfliteBytes(text), "planned.tflite", {});
  if (!model) FAIL(model.error().text());
  return std::make_shared<const Model>(std::move(*model));
}

Result<std::shared_ptr<const Run>> follow(const std::shared_ptr<const Model>& model) {
  RunRequest request{.allocator = *AllocatorChoice::parse("embedded"),
                     .platform = platformCatalog().front(),
                     .l2 = {.kind = PoolSize::Kind::unbounded},
                     .l3 = {.kind = PoolSize::Kind::unbounded}};
  return execute(model, request, {});
}

std::vector<std::int64_t> offsetsOf(const Run& run) {
  std::vector<std::int64_t> offsets;
  for (const StayId id : run.problem.stays.keys()) {
    offsets.push_back(run.plan.flatOffset(id)->count());
  }
  return offsets;
}

}  // namespace

TEST_CASE("the plan that came with a model is followed to the byte", "[run][tflite]") {
  const auto run = follow(planned({128, 48, 208}));
  REQUIRE(run);
  CHECK((*run)->sharing.alignment == Bytes(16));
  CHECK(offsetsOf(**run) == std::vector<std::int64_t>{128, 48, 208});
}

TEST_CASE("what the model leaves open goes around its own plan", "[run][tflite]") {
  const auto run = follow(planned({0, -1, 0}));
  REQUIRE(run);
  CHECK(offsetsOf(**run) == std::vector<std::int64_t>{0, 64, 0});
}

TEST_CASE("a plan whose tensors overlap names two of them", "[run][tflite]") {
  const auto model = planned({0, 16, 128});
  const auto run = follow(model);
  REQUIRE_FALSE(run);
  CHECK(
      run.error().message ==
      "the plan that came with the model cannot be followed: 't0' and 't1' share bytes while both "
      "are needed; 'highwater check MODEL embedded' lists everything");
  const auto document = embeddedPlan(*model);
  REQUIRE(document);
  CHECK(document->placements.size() == 3);
  CHECK(auditPlan(model, *document, {}).findings.size() == 1);
}

TEST_CASE("the model's plan on paper passes the audit", "[run][tflite]") {
  const auto model = planned({128, 48, 208});
  const auto document = embeddedPlan(*model);
  REQUIRE(document);
  const Audit audit = auditPlan(model, *document, {});
  CHECK(audit.findings.empty());
  CHECK(audit.pools.at(0).top == Bytes(272));
}

TEST_CASE("of all allocators, embedded plans only what brings a plan", "[run][compare]") {
  const auto rowsOf = [](const std::shared_ptr<const Model>& model, std::string_view list) {
    const RunRequest request{.platform = platformCatalog().front()};
    std::set<std::string> names;
    const auto chosen = parseAllocators(list).value();
    for (const ComparisonRow& row : compareAllocators(model, request, chosen, {}).rows) {
      names.insert(row.allocator.text());
    }
    return names;
  };
  const auto with = rowsOf(planned({0, 64}), "all");
  CHECK(with.contains("embedded"));
  CHECK(with.size() == allocatorCatalog().size());
  auto without = rowsOf(planned({-1, -1}), "all");
  CHECK_FALSE(without.contains("embedded"));
  without.insert("embedded");
  CHECK(without == with);
  // Whoever names it has it.
  CHECK(rowsOf(planned({-1, -1}), "embedded,none") == std::set<std::string>{"embedded", "none"});
}

}  // namespace hw
