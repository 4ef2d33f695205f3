// Tensors that share a block, in the bars of memory now.
#include <QTest>
#include <set>

#include "core/storage/parts.h"
#include "tests/widgets/method/method_support.h"
#include "widgets/now/memory_now.h"

using namespace hw;
using namespace hw::test;

TEST_CASE("tensors that share a block are drawn and chosen one by one", "[memory]") {
  RunRequest request = planningRequest();
  request.allocator = AllocatorChoice::parse("free-list").value();
  const auto model = std::make_shared<const Model>(openModel("samples:share_concat", {}).value());
  const auto run = execute(model, request, {}).value();
  ViewState state;
  state.setRun(run);
  MemoryNow memory(&state);
  memory.resize(900, 200);
  memory.show();
  std::set<TensorId> seen;
  for (Step step; step < state.steps(); step += Step(1)) {
    state.setStep(step);
    memory.finish();
    const QRect bar = memory.barOf(PoolId(0));
    const ByteAxis axis = memory.axisOf(PoolId(0));
    for (int x = bar.left() + 1; x < bar.right(); x += 3) {
      const QPoint at(x, bar.center().y());
      const TensorId tensor = memory.tensorAt(at);
      if (!tensor) continue;
      const StayId stay = memory.stayAt(at);
      const auto parts = partsOf(run->graph(), run->storage, run->problem.stays[stay].buffer);
      const auto part = std::ranges::find(parts, tensor, &BufferPart::tensor);
      REQUIRE(part != parts.end());
      CHECK(part->steps.contains(step));
      const Bytes begin = run->plan.addresses[stay]->offset + part->bytes.begin;
      CHECK(axis.toBytes(x + 0.5) >= static_cast<double>(begin.count()) - 1);
      if (!seen.insert(tensor).second) continue;
      QTest::mouseClick(&memory, Qt::LeftButton, {}, at);
      CHECK(state.selected() == stay);
      CHECK(state.selectedPart() == tensor);
    }
  }
  CHECK(seen.size() >= 2);
}
