#include "core/run/embedded.h"

#include <algorithm>
#include <set>

#include "core/base/dice.h"
#include "core/check/plan_audit.h"
#include "core/insight/moment.h"
#include "core/machine/platforms.h"
#include "core/plan_file/plan_document.h"
#include "core/study/compare.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"
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
  auto model = test::must(importModel(tfliteBytes(text), "planned.tflite", {}));
  return std::make_shared<const Model>(std::move(model));
}

RunRequest requestFor(std::string_view allocator) {
  return {.allocator = *AllocatorChoice::parse(allocator),
          .platform = platformCatalog().front(),
          .l2 = {.kind = PoolSize::Kind::unbounded},
          .l3 = {.kind = PoolSize::Kind::unbounded}};
}

Result<std::shared_ptr<const Run>> follow(const std::shared_ptr<const Model>& model) {
  return execute(model, requestFor("embedded"), {});
}

std::vector<std::int64_t> offsetsOf(const Run& run) {
  std::vector<std::int64_t> offsets;
  for (const StayId id : run.problem.stays.keys()) {
    offsets.push_back(run.plan.flatOffset(id)->count());
  }
  return offsets;
}

/// The most bytes in which something is live at one step, byte by byte: t0 is live in step 0, and
/// each other tensor from the step that makes it to the one that reads it.
std::int64_t mostBytes(const std::vector<std::int32_t>& offsets) {
  const auto steps = static_cast<std::int64_t>(offsets.size()) - 1;
  std::size_t most = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    std::set<std::int32_t> bytes;
    for (const auto at : {step, step + 1}) {
      for (std::int32_t byte = 0; byte < 64; ++byte) {
        bytes.insert(offsets[static_cast<std::size_t>(at)] + byte);
      }
    }
    most = std::max(most, bytes.size());
  }
  return static_cast<std::int64_t>(most);
}

}  // namespace

TEST_CASE("the plan that came with a model is followed to the byte", "[run][tflite]") {
  const auto run = test::must(follow(planned({128, 48, 208})));
  CHECK(run->sharing.alignment == Bytes(16));
  CHECK(offsetsOf(*run) == std::vector<std::int64_t>{128, 48, 208});
}

TEST_CASE("what the model leaves open goes around its own plan", "[run][tflite]") {
  const auto run = test::must(follow(planned({0, -1, 0})));
  CHECK(offsetsOf(*run) == std::vector<std::int64_t>{0, 64, 0});
}

TEST_CASE("a plan whose tensors overlap on purpose is followed", "[run][tflite]") {
  const auto model = planned({0, 16, 128});
  const auto run = test::must(follow(model));
  // t0 and t1 are one block, from 0 to 80, and each keeps its place in it.
  CHECK(run->plan.footprint(PoolId(0)) == Bytes(192));
  REQUIRE(run->problem.stays.size() == 2);
  CHECK(run->problem.stays[StayId(0)].size == Bytes(80));
  CHECK(run->storage.offsetOf(TensorId(1)) == Bytes(16));
  CHECK(run->notes.back() ==
        "1 pair of tensors shares bytes while both are needed, as the plan's author declares: "
        "those bytes are counted once");
  const auto document = test::must(embeddedPlan(*model));
  CHECK(document.placements.size() == 3);
  const Audit audit = auditPlan(model, document, {});
  CHECK(audit.findings.empty());
  REQUIRE(audit.remarks.size() == 1);
  CHECK(audit.remarks[0] ==
        "declared overlap: 't0' and 't1' share bytes 16-63 of L2 in step 0 (48 bytes)");
  // Moved by somebody else it is nobody's word any more.
  PlanDocument moved = document;
  moved.placements[1].offset = Bytes(32);
  CHECK(auditPlan(model, moved, {}).findings.size() == 1);
}

TEST_CASE("overlaps on purpose reach from one tensor to the next", "[run][tflite]") {
  // A chain that slides: each overlaps the one before, and all are one block.
  const auto run = test::must(follow(planned({0, 16, 32, 48})));
  CHECK(run->problem.stays.size() == 1);
  CHECK(run->plan.footprint(PoolId(0)) == Bytes(112));
  CHECK(run->storage.buffers[BufferId(0)].tensors.size() == 4);
}

TEST_CASE("the bound of a plan with overlaps is what its author needs at one step", "[run]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    Dice dice(seed);
    std::vector<std::int32_t> offsets;
    for (auto i = dice.roll(2, 9); i > 0; --i) {
      offsets.push_back(static_cast<std::int32_t>(16 * dice.roll(0, 12)));
    }
    const auto run = test::must(follow(planned(offsets)));
    const PlanMetrics& metrics = run->metrics;
    const std::int32_t top = *std::ranges::max_element(offsets) + 64;
    CHECK(run->plan.footprint(PoolId(0)) == Bytes(top));
    CHECK(metrics.pools[PoolId(0)].peak == Bytes(top));
    CHECK(metrics.lowerBound == Bytes(mostBytes(offsets)));
    CHECK(metrics.pools[PoolId(0)].lowerBound == metrics.lowerBound);
    CHECK(metrics.pools[PoolId(0)].peakLive == metrics.lowerBound);
    CHECK(metrics.pools[PoolId(0)].stays == run->problem.stays.size());
  }
}

TEST_CASE("a plan with overlaps is no bound of itself, and bounds the others", "[run][compare]") {
  // t0 and t1, and t1 and t2, share 16 bytes: 112 of them are needed at a step.
  const auto model = planned({0, 48, 96});
  const Comparison comparison =
      compareAllocators(model, requestFor("best"), parseAllocators("embedded,best").value(), {});
  REQUIRE(comparison.rows.size() == 2);
  CHECK(comparison.lowerBound == Bytes(112));
  CHECK(comparison.rows[0].allocator.text() == "best");
  CHECK(comparison.rows[0].peak() == Bytes(128));
  CHECK(*comparison.rows[0].figures.gap == Approx(128.0 / 112 - 1));
  CHECK(comparison.rows[1].peak() == Bytes(160));
  CHECK(*comparison.rows[1].figures.gap == Approx(160.0 / 112 - 1));
}

TEST_CASE("the model's own plan is shown where it does not fit", "[run][compare]") {
  for (const auto& offsets : {std::vector{128, 48, 208}, {0, 16, 128}, {192, -1, 0}}) {
    const auto model = planned(offsets);
    RunRequest request = requestFor("embedded");
    request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(150)};
    const auto run = test::must(execute(model, request, {}));
    CHECK(run->plan.status == PlanStatus::overBudget);
    CHECK_FALSE(fits(*run));
    const auto roomy = test::must(follow(model));
    CHECK(offsetsOf(*run) == offsetsOf(*roomy));
    CHECK(run->plan.footprint(PoolId(1)) == Bytes());
    const auto why = test::must(autopsy(*run));
    CHECK(why.cause != Autopsy::Cause::impossible);
    const Comparison comparison =
        compareAllocators(model, request, parseAllocators("embedded,best").value(), {});
    CHECK(comparison.rows[0].best);
    CHECK_FALSE(comparison.rows[1].error);
    CHECK(comparison.rows[1].peak() == roomy->plan.footprint(PoolId(0)));
  }
}

TEST_CASE("bytes are live at once by the author's word where a plan is too large", "[run]") {
  // 160 bytes as a block, of which 112 are needed at a step.
  RunRequest request = requestFor("embedded");
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(120)};
  request.l3 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes()};
  const auto run = test::must(execute(planned({0, 48, 96}), request, {}));
  const auto why = test::must(autopsy(*run));
  CHECK(why.lowerBound == Bytes(112));
  CHECK(why.cause != Autopsy::Cause::impossible);
}

TEST_CASE("the model's plan on paper passes the audit", "[run][tflite]") {
  const auto model = planned({128, 48, 208});
  const auto document = test::must(embeddedPlan(*model));
  const Audit audit = auditPlan(model, document, {});
  CHECK(audit.findings.empty());
  CHECK(audit.pools.at(0).top == Bytes(272));
}

TEST_CASE("slices of the model's own plan may begin at multiples of 16", "[run][tflite]") {
  // The smallest streaming model: a variable of 16 bytes is read in front of what is new.
  TfliteText::Subgraph main{.name = "main"};
  main.tensors = {{.name = "handle", .shape = {}, .type = 13},
                  {.name = "x", .shape = {4}},
                  {.name = "past", .shape = {4}},
                  {.name = "fresh", .shape = {4}},
                  {.name = "both", .shape = {8}},
                  {.name = "y", .shape = {8}}};
  main.inputs = {1};
  main.outputs = {5};
  main.operators = {{.code = 142, .outputs = {0}},
                    {.code = 143, .inputs = {0}, .outputs = {2}},
                    {.code = 19, .inputs = {1}, .outputs = {3}},
                    {.code = 2, .inputs = {2, 3}, .outputs = {4}, .options = {{0, 4, 0}}},
                    {.code = 19, .inputs = {4}, .outputs = {5}}};
  TfliteText text{.subgraphs = {main},
                  .buffers = {tfliteIntegers({1, 1, 6, -1, 48, 0, 16, 0, 32})}};
  text.metadata = {{"OfflineMemoryAllocation", 1}};
  const auto model =
      std::make_shared<const Model>(importModel(tfliteBytes(text), "stream.tflite", {}).value());
  const auto document = test::must(embeddedPlan(*model));
  CHECK(document.alignment == Bytes(16));
  for (const Placement& placement : document.placements) {
    const bool slice = placement.tensor == "past" || placement.tensor == "fresh";
    CHECK(placement.aliasOf == (slice ? "both" : ""));
  }
  const Audit audit = auditPlan(model, document, {});
  for (const Finding& finding : audit.findings) UNSCOPED_INFO(finding.message);
  CHECK(audit.findings.empty());
  CHECK(audit.remarks.empty());
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
  const auto all = std::ranges::count(allocatorCatalog(), Bytes(1), &AllocatorInfo::granule);
  CHECK(std::ssize(with) == all);
  auto without = rowsOf(planned({-1, -1}), "all");
  CHECK_FALSE(without.contains("embedded"));
  without.insert("embedded");
  CHECK(without == with);
  // Whoever names it has it.
  CHECK(rowsOf(planned({-1, -1}), "embedded,none") == std::set<std::string>{"embedded", "none"});
}

}  // namespace hw
