// Cases from public reports of compilers and runtimes, each with the answer that is right.

#include <fmt/format.h>

#include <string>

#include "core/check/plan_audit.h"
#include "core/import/importer.h"
#include "core/plan/constraint_use.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/run/options.h"
#include "core/run/run.h"
#include "tests/support/corpus.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"

using namespace hw;
using namespace hw::literals;

namespace {

std::shared_ptr<const Model> problemFile(const std::string& text) {
  auto model = test::must(importModel(text, "case.csv", {}));
  REQUIRE(model.problem);
  return std::make_shared<const Model>(std::move(model));
}

std::shared_ptr<const Run> planned(const std::shared_ptr<const Model>& model,
                                   const std::string& allocator,
                                   std::optional<Bytes> capacity = {}) {
  RunRequest request = planningRequest();
  request.allocator = AllocatorChoice::parse(allocator).value();
  if (capacity) request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = *capacity};
  const auto run = test::must(execute(model, request, {}));
  REQUIRE(validate(run->problem, run->plan).empty());
  return run;
}

Bytes peakOf(const Run& run) { return run.plan.footprint(PoolId(0)); }

/// By how much a problem exceeds its memory, as its bound says.
Bytes excess(const std::string& text, Bytes capacity) {
  const auto run = planned(problemFile(text), "exact", capacity);
  REQUIRE(run->plan.status == PlanStatus::infeasible);
  return lowerBound(run->problem, PoolId(0)) - capacity;
}

/// The findings and remarks on the plan that a problem brings along.
std::string auditText(const std::shared_ptr<const Model>& model, const AuditOptions& options = {}) {
  const auto own = test::must(embeddedPlan(*model));
  const Audit audit = auditPlan(model, own, options);
  std::string text;
  for (const Finding& finding : audit.findings) text += finding.message + "\n";
  for (const std::string& remark : audit.remarks) text += remark + "\n";
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kXgamma =
    "id,lower,upper,size,alignment,apart,penalty\n"
    "b0,17,21,65536,32,,b3:1\n"
    "b1,19,21,65536,32,,b3:1\n"
    "b2,21,27,65536,32,,b4:1 b5:1\n"
    "b3,25,27,4096,32,b4,\n"
    "b4,27,29,65536,32,,\n"
    "b5,29,31,32768,32,,\n";

}  // namespace

TEST_CASE("a part of bytes that fell free is used again", "[constraints][cases]") {
  const auto model = problemFile(
      "id,lower,upper,size,alignment\n"
      "producer,9,11,65536,32\nleft,13,17,32768,32\nright,15,17,32768,32\n"
      "combined,17,19,32768,32\n");
  CHECK(peakOf(*planned(model, "best")) == 65'536_B);
}

TEST_CASE("penalties against bytes: two prices, and nothing between", "[constraints][cases]") {
  const auto model = problemFile(kXgamma);
  const auto costAt = [&](Bytes capacity) {
    const auto run = planned(model, "best:for=penalty", capacity);
    REQUIRE(fits(*run));
    REQUIRE(run->plan.penaltyBound == penaltyOf(run->problem, run->plan));
    return penaltyOf(run->problem, run->plan);
  };
  CHECK(costAt(131'072_B) == 2);
  CHECK(costAt(135'136_B) == 2);
  CHECK(costAt(135'168_B) == 0);
  CHECK(costAt(188'416_B) == 0);
  CHECK(planned(model, "best:for=penalty", 131'040_B)->plan.status == PlanStatus::infeasible);
  // Without a capacity nothing need be paid, in as few bytes as that takes.
  const auto free = planned(model, "best:for=penalty");
  CHECK(penaltyOf(free->problem, free->plan) == 0);
  CHECK(peakOf(*free) == 135'168_B);
}

TEST_CASE("a problem without any plan is named with its buffers", "[constraints][cases][corpus]") {
  for (const auto& file : corpusFiles("constraints/dsa-rp", "pypto_mm_512x512x192_acc", ".json")) {
    auto model = test::must(loadModel(file.string(), {}));
    const auto run = planned(std::make_shared<const Model>(std::move(model)), "best:for=penalty");
    CHECK(run->plan.status == PlanStatus::infeasible);
    std::string notes;
    for (const std::string& note : run->plan.notes) notes += note + "\n";
    CHECK(has(notes, "they need 262,144 bytes, 131,072 more than the 131,072 that there are"));
  }
}

TEST_CASE("does not fit, and by how much", "[constraints][cases]") {
  const std::string head = "id,lower,upper,size,alignment\n";
  CHECK(excess(head + "a,0,3,51200,32\nb,0,3,51200,32\nout,0,3,51200,32\ntmp,0,3,51200,32\n",
               196'352_B) == 8'448_B);
  CHECK(excess(head + "a,0,3,65536,32\nb,0,3,65536,32\nout,0,3,65536,32\ntmp,0,3,32768,32\n",
               196'352_B) == 33'024_B);
  const auto less =
      problemFile(head + "a,0,3,32768,32\nb,0,3,32768,32\nout,0,3,32768,32\ntmp,0,3,32768,32\n");
  CHECK(fits(*planned(less, "exact", 196'352_B)));
}

TEST_CASE("two pairs of ping and pong meet least from one base on", "[constraints][cases]") {
  const auto costAt = [](std::int64_t base) {
    constexpr std::int64_t kKiB = 1024;
    const auto model =
        problemFile(fmt::format("id,lower,upper,size,pinned,penalty\n"
                                "g1a,0,1,{0},0,g2a:1 g2b:1\ng1b,0,1,{0},{0},g2a:1 g2b:1\n"
                                "g2a,1,2,{1},{2},\ng2b,1,2,{1},{3},\n",
                                24 * kKiB, 16 * kKiB, base, base + 16 * kKiB));
    const auto run = planned(model, "greedy-by-size");
    return penaltyOf(run->problem, run->plan);
  };
  CHECK(costAt(0) == 3);
  for (std::int64_t base = 0; base < 8'192; base += 512) CHECK(costAt(base) == 3);
  CHECK(costAt(8'192) == 2);
}

TEST_CASE("a plan that a problem brings along is audited", "[constraints][cases]") {
  const std::string head = "id,lower,upper,size,alignment,offset\n";
  const auto clash = problemFile(head + "result1,1,4,8,8,0\ninner,2,4,8,8,0\n");
  const std::string text = auditText(clash);
  CHECK(has(text, "result1"));
  CHECK(has(text, "inner"));
  CHECK(auditText(problemFile(head + "result1,1,4,8,8,8\ninner,2,4,8,8,0\n")).empty());
  CHECK(auditText(problemFile(head + "result1,1,4,8,8,0\ninner,2,4,8,8,8\n")).empty());
}

TEST_CASE("maps planned by hand in banks", "[constraints][cases]") {
  const auto model = problemFile(
      "id,lower,upper,size,offset\nin,0,1,21904,8192\nconv2,1,3,21904,8192\n"
      "conv3,2,4,5476,4096\nconv4,3,5,5476,0\nconv5,4,6,1296,5632\nconv6,5,7,1296,8192\n"
      "conv7,6,8,1296,16384\nconv8,7,17,1296,5632\nconv10,9,19,64,7680\nconv12_1,10,12,64,7936\n"
      "loc8,12,20,1296,12288\nloc9,13,20,324,13584\nloc10,14,20,64,13908\nloc12,15,20,16,13972\n");
  const std::string text = auditText(model);
  CHECK(has(text, "conv3"));
  CHECK(has(text, "1,380"));
  const auto run = planned(model, "best");
  CHECK(peakOf(*run) == 27'380_B);
  CHECK(run->plan.status == PlanStatus::optimal);
}

TEST_CASE("a map that exceeds its memory, and four that cannot fit", "[constraints][cases]") {
  const auto high = problemFile("id,lower,upper,size,offset\nmap,0,2,19200,68320\n");
  CHECK(has(auditText(high, {.capacities = {{"L2", 81'920_B}}}), "87,520"));
  CHECK(auditText(problemFile("id,lower,upper,size,offset\nmap,0,2,19200,62720\n"),
                  {.capacities = {{"L2", 81'920_B}}})
            .empty());
  CHECK(excess("id,lower,upper,size\na,0,2,27200\nb,0,2,27200\nc,0,2,27200\nd,0,2,27200\n",
               81'920_B) == 26'880_B);
}

TEST_CASE("stacks from both ends clash, and the tenants at the boundary are named",
          "[constraints][cases]") {
  const auto clashOf = [](std::int64_t low, std::int64_t high) {
    return auditText(
        problemFile(fmt::format("id,lower,upper,size,offset\ncb0,0,2,65536,0\ncb1,0,2,{},65536\n"
                                "top,0,2,131072,1441792\nbuffer,0,2,{},{}\n",
                                high - 65'536, 1'441'792 - low, low)));
  };
  const std::string text = clashOf(974'336, 1'089'536);
  CHECK(has(text, "115,200"));
  CHECK(has(text, "cb1"));
  CHECK(has(text, "buffer"));
  CHECK(has(clashOf(1'236'992, 1'250'432), "13,440"));
  CHECK(has(clashOf(409'600, 533'632), "124,032"));
}
