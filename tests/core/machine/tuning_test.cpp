// Machines with something changed, said behind their names.
#include "core/machine/tuning.h"

#include <fmt/format.h>

#include "core/import/samples.h"
#include "core/machine/platform_writer.h"
#include "core/machine/platforms.h"
#include "core/run/options.h"
#include "core/run/run.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"

using namespace hw;
using namespace hw::test;

TEST_CASE("what differs from a preset is read, done and written back", "[machine]") {
  const auto text = GENERATE("gap9:dma=500MB/s", "gap9:channels=2", "gap9:macs=64",
                             "gap9:dma=12345B/s,channels=3,macs=1.5");
  CAPTURE(text);
  const auto platform = test::must(openPlatform(text));
  CHECK(platformText(platform) == text);
  const Tuning now = tuningOf(platform);
  const Tuning said = parseTuning(splitTuning(text).tuning).value();
  CHECK((!said.dma || now.dma == said.dma));
  CHECK((!said.channels || now.channels == said.channels));
  CHECK((!said.macs || now.macs == said.macs));
  const Tuning before = tuningOf(openPlatform("gap9").value());
  CHECK((said.dma || now.dma == before.dma));
  CHECK((said.macs || now.macs == before.macs));
  // Tuned again, only the last is said.
  const auto again = test::must(tuned(platform, {.macs = 7}));
  CHECK(platformText(again).starts_with("gap9:"));
  CHECK(splitTuning(platformText(again)).tuning == "macs=7");
}

TEST_CASE("kernels are said of every unit", "[machine][overlap]") {
  const auto [text, ways] = GENERATE(table<const char*, KernelWays>(
      {{"generic-npu:kernels=none", {}},
       {"generic-npu:kernels=forward", {.forward = true}},
       {"generic-npu:kernels=reverse", {.reverse = true}},
       {"generic-npu:dma=5GB/s,kernels=both", {.forward = true, .reverse = true}}}));
  CAPTURE(text);
  const auto platform = test::must(openPlatform(text));
  CHECK(platformText(platform) == text);
  for (const UnitSpec& unit : platform.devices.front().units) CHECK(unit.kernels == ways);
}

TEST_CASE("a platform's file says which way kernels run", "[machine][overlap]") {
  CHECK(openPlatform("reference-kernels")->devices[0].units[0].kernels ==
        KernelWays{.forward = true});
  CHECK(openPlatform("byte-kernels")->devices[0].units[0].kernels == KernelWays{true, true});
  CHECK(openPlatform("generic-npu")->devices[0].units[0].kernels == KernelWays());
}

TEST_CASE("keys of parts are those of the machine's file", "[machine]") {
  const std::string text =
      "generic-npu:channels=3,device.npu.L2.capacity=1MiB,device.npu.mac.macs_per_cycle=512,"
      "device.npu.dma.setup=50ns";
  const Platform platform = openPlatform(text).value();
  const DeviceSpec& device = platform.devices.front();
  const DeviceSpec plain = openPlatform("generic-npu")->devices.front();
  CHECK(device.pools.front().capacity == Bytes(1 << 20));
  CHECK(device.pools.front().readBandwidth == plain.pools.front().readBandwidth);
  CHECK(device.pools.back().capacity == plain.pools.back().capacity);
  CHECK(device.units.front().macsPerCycle == 512);
  CHECK(device.units.back().macsPerCycle == plain.units.back().macsPerCycle);
  CHECK(device.dma.front().channels == 3);
  CHECK(platformText(platform) == text);
  CHECK(platformToml(*openPlatform(platformText(platform))) == platformToml(platform));
}

TEST_CASE("a key of a part that is set to what it is changes nothing", "[machine]") {
  for (const Platform& preset : platformCatalog()) {
    CAPTURE(preset.name);
    for (const DeviceSpec& device : preset.devices) {
      const std::string clock = fmt::format("device.{}.{}.clock={}Hz", device.name,
                                            device.units.front().name, device.units.front().clock);
      Tuning tuning = parseTuning(clock).value();
      Platform same = tuned(preset, tuning).value();
      same.name = preset.name;
      CHECK(platformToml(same) == platformToml(preset));
    }
  }
}

TEST_CASE("what a machine has not cannot be changed, and the message names it", "[machine]") {
  const auto [text, message] = GENERATE(table<const char*, const char*>(
      {{"gap9:dma=fast", "'fast' is not a rate such as 4GB/s"},
       {"gap9:dma=4GB", "'4GB' is not a rate such as 4GB/s"},
       {"gap9:channels=0", "'0' is not a whole number from 1"},
       {"gap9:macs=-1", "'-1' is not a number above 0"},
       {"gap9:macs=1,macs=2", "once each"},
       {"gap9:kernels=up", "'up' is not one of none, forward"},
       {"gap9:speed=2", "'speed=2' is not one of"},
       {"generic-npu:device.npu.L1.capacity=1MiB",
        "has no such part; it has device.npu, device.npu.dma, device.npu.L2, "},
       {"generic-npu:device.npu.L2.capasity=1MiB", "capacity"},
       {"generic-npu:device.npu.L2.capacity=much", "'much'"},
       {"generic-npu:device.npu.L2.capacity=", "is not one of"},
       {"generic-npu:device.npu=1", "no such part"},
       {"generic-npu:device.=1", "no such part"},
       {"generic-npu:device.npu.L2.read=1GB/s,device.npu.L2.read=2GB/s", "said twice"},
       {"a100:channels=2", "has no DMA engine"},
       {"gap:macs=2", "did you mean"}}));
  CAPTURE(text);
  CHECK(test::mustFail(openPlatform(text)).message.find(message) != std::string::npos);
}

TEST_CASE("replaying a plan gives what planning it the same way gives", "[machine][run]") {
  const auto rule = GENERATE(ResidencyRule::wholeLife, ResidencyRule::belady);
  const auto sample = GENERATE("samples:resnet8", "samples:squeezenet");
  const auto other = GENERATE("ethos-u85-512:macs=2048", "ethos-u85-512:dma=1GB/s,channels=3");
  CAPTURE(rule, sample, other);
  RunRequest request = workedRequest("greedy-by-size");
  request.l2 = {};
  request.residency = rule;
  request.platform = openPlatform("ethos-u85-512").value();
  const auto model = std::make_shared<const Model>(openModel(sample, {}).value());
  const auto run = mustRun(model, request);
  CHECK(replayed(*run, request.platform)->timing.digest == run->timing.digest);
  request.platform = openPlatform(other).value();
  const auto planned = mustRun(model, request);
  const auto played = replayed(*run, request.platform);
  CHECK(played->timing.digest == planned->timing.digest);
  CHECK(played->timing.makespan == planned->timing.makespan);
  CHECK(played->timing.account.criticalPath == planned->timing.account.criticalPath);
  CHECK(played->timeline.size() == planned->timeline.size());
  CHECK(played->timing.digest != run->timing.digest);
}
