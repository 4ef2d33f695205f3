// What tflite-micro printed, on the model that it was printed for.

#include "core/exchange/tflm/held_log.h"

#include "core/base/result.h"
#include "core/check/stated_run.h"
#include "core/exchange/tflm/arena.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"
#include "tests/support/tflite_writer.h"

namespace hw {
namespace {

/// Operators that each read one or two of the tensors before them; some tensor nobody touches.
TfliteText chainOf(std::uint64_t seed) {
  constexpr std::int32_t kAdd = 0, kRelu = 19;
  test::Dice dice(seed);
  TfliteText::Subgraph graph{.name = "main"};
  const auto tensor = [&] {
    return TfliteText::Tensor{.name = dice.chance(20) ? "twice" : "",
                              .shape = {static_cast<std::int32_t>(dice.roll(1, 40))}};
  };
  graph.tensors.push_back(tensor());
  graph.inputs = {0};
  const auto ops = static_cast<std::int32_t>(dice.roll(1, 9));
  for (std::int32_t made = 1; made <= ops; ++made) {
    const auto read = [&] { return static_cast<std::int32_t>(dice.roll(0, made - 1)); };
    graph.tensors.push_back(tensor());
    const bool two = dice.chance(50);
    graph.operators.push_back({.code = two ? kAdd : kRelu,
                               .inputs = two ? std::vector{read(), read()} : std::vector{read()},
                               .outputs = {made}});
  }
  if (dice.chance(30)) graph.tensors.push_back({.name = "idle", .shape = {7}});
  graph.outputs = {ops};
  return {.subgraphs = {graph}, .buffers = {"weights"}};
}

}  // namespace

TEST_CASE("the runtime's log is held against the model that it was printed for",
          "[exchange][tflm][held]") {
  for (const std::uint64_t seed : test::Seeds(40)) {
    const std::string file = tfliteBytes(chainOf(seed));
    const auto program = unlessRefused([&] { return tflmProgram(TfliteFile(file)); });
    if (!program) continue;
    const TflmArena arena = tflmArena(*program, {});
    std::string log;
    std::size_t number = 0;
    const auto print = [&](const TflmBuffer& buffer, const std::optional<Bytes>& offset) {
      if (buffer.size == Bytes() || !offset) return;
      log += "c (id=" + std::to_string(number++) +
             "): size=" + std::to_string(buffer.size.count()) +
             ", offset=" + std::to_string(offset->count()) +
             ", first_used=" + std::to_string(buffer.first) +
             " last_used=" + std::to_string(buffer.last) + "\n";
    };
    for (std::size_t i = 0; i < program->tensors.size(); ++i) {
      print(program->tensors[i], arena.offsets[i]);
    }
    for (std::size_t i = 0; i < program->scratch.size(); ++i) {
      print(program->scratch[i], arena.offsets[program->tensors.size() + i]);
    }
    auto opened = test::must(importModel(file, "model.tflite", {}));
    const auto model = std::make_shared<const Model>(std::move(opened));
    const auto document = test::must(tflmLogPlan(log, file, {}));
    const auto run = test::must(statedRun(model, document, "a.log", planningRequest()));
    CHECK(run->plan.footprint(PoolId(0)) <= arena.head);
    for (const StayId id : run->problem.stays.keys()) CHECK(run->plan.addresses[id].has_value());
    // Of another model it is not.
    const std::string other = tfliteBytes(chainOf(seed + 1000));
    const auto wrong = tflmLogPlan(log, other, {});
    if (!wrong) CHECK_FALSE(wrong.error().message.empty());
  }
}

}  // namespace hw
