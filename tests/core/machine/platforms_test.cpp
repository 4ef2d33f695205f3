#include "core/machine/platforms.h"

#include "core/machine/memory_model.h"
#include "core/ops/op_table.h"
#include "tests/support/must.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// A small good platform, with one line of it replaced.
std::string platform(const std::string& from = "", const std::string& to = "") {
  std::string text = R"(name = "board"
[[device]]
name = "npu"
ops = ["*"]
[[device.pool]]
name = "L2"
capacity = "1.5MiB"
reserved = "64KiB"
alignment = 16
read = "4GB/s"
write = "0.5GB/s"
latency = "64ns"
burst = 32
pj_per_byte = 1.6
[[device.unit]]
name = "mac"
ops = ["Conv", "Gemm"]
clock = "500MHz"
macs_per_cycle = 256
elements_per_cycle = 8
elements = "touched"
)";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

std::string refusal(const std::string& text) {
  const Result<Platform> parsed = parsePlatform(text);
  return parsed ? "accepted" : parsed.error().text();
}

}  // namespace

TEST_CASE("a platform file says every figure once", "[platforms]") {
  const auto parsed = test::must(parsePlatform(platform()));
  CHECK(parsed.name == "board");
  REQUIRE(parsed.devices.size() == 1);
  const DeviceSpec& device = parsed.devices[0];
  CHECK(device.ops == std::vector<std::string>{"*"});
  const PoolSpec& pool = device.pools.at(0);
  CHECK(pool.capacity == Bytes(1'572'864));
  CHECK(pool.target() == 1472_KiB);
  CHECK(pool.alignment == 16_B);
  CHECK(pool.readBandwidth == 4'000'000'000);
  CHECK(pool.writeBandwidth == 500'000'000);
  CHECK(pool.readLatency == SimTime(64'000));
  CHECK(pool.writeLatency == SimTime(64'000));
  CHECK(pool.burst == 32_B);
  CHECK(pool.picojoulesPerByte == 1.6);
  const UnitSpec& unit = device.units.at(0);
  CHECK(unit.ops == std::vector<std::string>{"Conv", "Gemm"});
  CHECK(unit.clock == 500'000'000);
  CHECK(unit.macsPerCycle == 256);
  CHECK(unit.elementsPerCycle == 8);
  CHECK(unit.elements == ElementCount::touched);
}

TEST_CASE("what a platform file leaves out costs nothing", "[platforms]") {
  const auto parsed = test::must(
      parsePlatform("name='p'\n[[device]]\nname='d'\nops=['*']\n[[device.pool]]\nname='L2'\n"
                    "[[device.unit]]\nname='u'\nops=['*']\nclock='1GHz'\n"));
  const PoolSpec& pool = parsed.devices[0].pools[0];
  CHECK(pool.target() == std::nullopt);
  CHECK(pool.alignment == 1_B);
  CHECK(pool.readBandwidth == 0);
  CHECK(pool.readLatency == SimTime(0));
}

TEST_CASE("reading and writing may differ in latency", "[platforms]") {
  const auto parsed =
      test::must(parsePlatform(platform("burst = 32", "write_latency = \"0.25us\"")));
  CHECK(parsed.devices[0].pools[0].readLatency == SimTime(64'000));
  CHECK(parsed.devices[0].pools[0].writeLatency == SimTime(250'000));
}

TEST_CASE("a bad platform file is refused with what, and where", "[platforms]") {
  CHECK(refusal(platform("latency =", "latncy =")) ==
        "device.pool 'L2': unknown key 'latncy', did you mean 'latency'? (line 12, column 1)");
  CHECK(refusal(platform("read = \"4GB/s\"", "read = \"4GB\"")) ==
        "device.pool 'L2': read: expected a rate such as \"4GB/s\" (line 10, column 8)");
  CHECK(refusal(platform("read = \"4GB/s\"", "read = 4")) ==
        "device.pool 'L2': read: expected text in quotes (line 10, column 8)");
  CHECK(refusal(platform("\"64ns\"", "\"64 parsecs\"")) ==
        "device.pool 'L2': latency: expected a time up to 1000ms such as \"64ns\" (line 12, "
        "column 11)");
  CHECK(refusal(platform("\"1.5MiB\"", "\"1.5MB2\"")).find("capacity: '1.5MB2' is not a size") !=
        std::string::npos);
  CHECK(refusal(platform("alignment = 16", "alignment = 24")) ==
        "device.pool 'L2': alignment 24 is not a power of two up to 1 GiB (line 5, column 1)");
  CHECK(refusal(platform("\"64KiB\"", "\"2MiB\"")).find("more than the capacity") !=
        std::string::npos);
  CHECK(refusal(platform("clock = \"500MHz\"\n", "")) ==
        "device.unit 'mac': 'clock' is missing (line 15, column 1)");
  CHECK(refusal(platform("macs_per_cycle = 256", "macs_per_cycle = -1"))
            .find("macs_per_cycle: expected a number from") != std::string::npos);
  CHECK(refusal(platform("macs_per_cycle = 256", "macs_per_cycle = inf")) != "accepted");
  CHECK(refusal(platform("[[device.unit]]", "[device.unit]")).find("unit: expected tables") !=
        std::string::npos);
  CHECK(refusal(platform("name = \"board\"", "name = 7")) ==
        "platform: name: expected text in quotes (line 1, column 8)");
  CHECK(refusal("name = \"x\"") == "platform 'x': 'device' is missing (line 1, column 1)");
  CHECK(refusal("name = ").find("not TOML: ") == 0);
  CHECK(refusal("\xff\xfe").find("not TOML: ") == 0);
  CHECK(refusal("").find("'name' is missing") != std::string::npos);
  const std::string twice = platform() +
                            "[[device.unit]]\nname = \"mac\"\nops = []\n"
                            "clock = \"1GHz\"\n";
  CHECK(refusal(twice).find("'mac' is there twice") != std::string::npos);
}

TEST_CASE("the presets have the figures of their sources", "[platforms]") {
  REQUIRE(platformCatalog().size() >= 2);
  const Platform& standard = platformCatalog().front();
  CHECK(standard.name == "generic-npu");
  const DeviceSpec& npu = standard.devices[0];
  CHECK(npu.units[0].macsPerCycle == 256);
  CHECK(npu.units[0].clock == 1'000'000'000);
  CHECK(npu.pools[0].capacity == 2_MiB);
  CHECK(npu.pools[0].readBandwidth == 64'000'000'000);
  CHECK(npu.pools[0].readLatency == SimTime(20'000));
  CHECK(npu.pools[1].capacity == 1024_MiB);
  CHECK(npu.pools[1].readBandwidth == 8'000'000'000);
  CHECK(npu.pools[1].readLatency == SimTime(100'000));
  CHECK(npu.issue == Issue::parallel);
  REQUIRE(npu.units.size() == 2);
  for (const OpInfo& op : opTable()) {
    CAPTURE(op.type);
    if (multiplies(op.kind)) CHECK(coversOp(npu.units[0].ops, std::string(op.type)));
    CHECK(coversOp(npu.units[1].ops, std::string(op.type)));
  }

  const Platform ethos = test::must(findPlatform("ethos-u55-256"));
  CHECK(ethos.devices[0].units[0].clock == 500'000'000);
  CHECK(ethos.devices[0].pools[0].readLatency == SimTime(64'000));  // 32 cycles of 2 ns.
  CHECK(ethos.devices[0].pools[1].readBandwidth == 500'000'000);
  CHECK(ethos.devices[0].pools[1].burst == 128_B);
  for (const Platform& platform : platformCatalog()) {
    CAPTURE(platform.name);
    CHECK_FALSE(platform.source.empty());
    CHECK_FALSE(platform.summary.empty());
  }
}

TEST_CASE("presets have the machine's levels, engines and streams", "[platforms]") {
  const auto device = [](const char* name) { return findPlatform(name).value().devices.at(0); };
  CHECK(device("gap8").pools.size() == 3);
  CHECK(device("gap8").pools[0].capacity == Bytes(64'000));  // DORY's.
  CHECK(device("stm32h747").pools.size() == 3);
  // What has an engine moves both ways with it; one command stream for all that an Ethos-U does.
  for (const Platform& platform : platformCatalog()) {
    for (const DeviceSpec& each : platform.devices) {
      std::size_t pairs = 0;
      for (const DmaSpec& dma : each.dma) pairs += dma.moves.size();
      CAPTURE(platform.name);
      CHECK((pairs == 0 || pairs >= 2 * (each.pools.size() - 1)));
    }
  }
  for (const char* name :
       {"generic-npu", "ethos-u55-256", "ethos-u65-512", "ethos-u85-512", "stm32h747", "stm32n657",
        "esp32-s3", "rp2040", "gap8", "gap9", "hexagon-vtcm", "tpu-v4", "wormhole-n150"}) {
    CAPTURE(name);
    CHECK_FALSE(device(name).dma.empty());
  }
  CHECK(device("ethos-u55-256").issue == Issue::inOrder);
  CHECK(device("ethos-u65-512").issue == Issue::inOrder);
  CHECK(device("ethos-u65-512").pools[1].readLatency == SimTime(500'000));
  CHECK(device("a100").issue == Issue::sequential);  // A cache has no engine.
  CHECK_FALSE(device("mtt-s80").pools[0].capacity);
  CHECK(device("esp32-s3").units[0].count == 2);
  // 2 x MACs x clock is what the makers say, within a per cent.
  const auto tops = [&](const char* name) {
    const UnitSpec unit = device(name).units[0];
    return 2e-12 * unit.macsPerCycle * static_cast<double>(unit.clock);
  };
  CHECK(tops("a100") == Approx(312).epsilon(0.01));
  CHECK(tops("h100") == Approx(989).epsilon(0.01));
  CHECK(tops("tpu-v4") == Approx(275).epsilon(0.01));
  CHECK(tops("wormhole-n150") == Approx(262).epsilon(0.01));
  CHECK(tops("mtt-s80") == Approx(14.4).epsilon(0.01));
  CHECK(tops("stm32n657") == Approx(0.6).epsilon(0.01));
  const Platform clusters = findPlatform("two-clusters").value();
  CHECK(machinePools(clusters, 2).pools.size() == 3);  // Two L2 and the L3 of both.
}

namespace {

/// Two devices with an L2 each and one L3, and engines between them.
std::string cluster(const std::string& from = "", const std::string& to = "") {
  std::string text = R"(name = "cluster"
contention = "fair"
[[memory]]
name = "L3"
bandwidth = "8GB/s"
[[device]]
name = "A"
ops = ["*"]
[[device.pool]]
name = "L2"
bandwidth = "32GB/s"
duplex = "full"
[[device.pool]]
use = "L3"
[[device.unit]]
name = "mac"
ops = ["*"]
clock = "1GHz"
count = 2
[[device.dma]]
name = "dma"
moves = ["L3>L2", "L2>B.L2"]
channels = 4
bandwidth = "4GB/s"
setup = "100ns"
[[device]]
name = "B"
ops = ["*"]
issue = "in-order"
[[device.pool]]
name = "L2"
bandwidth = "16GB/s"
[[device.pool]]
use = "L3"
[[device.unit]]
name = "cpu"
ops = ["*"]
clock = "1GHz"
)";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("devices share memories and have engines that move", "[platforms]") {
  const auto parsed = test::must(parsePlatform(cluster()));
  CHECK(parsed.contention == Contention::fair);
  const DeviceSpec& a = parsed.devices[0];
  const DeviceSpec& b = parsed.devices[1];
  CHECK(a.issue == Issue::parallel);
  CHECK(b.issue == Issue::inOrder);
  CHECK(a.units[0].count == 2);
  CHECK(a.pools[0].fullDuplex);
  CHECK_FALSE(a.pools[1].fullDuplex);
  CHECK(a.pools[1].shared);
  CHECK(a.pools[1].writeBandwidth == 8'000'000'000);
  REQUIRE(a.dma.size() == 1);
  CHECK(a.dma[0].channels == 4);
  CHECK(a.dma[0].bandwidth == 4'000'000'000);
  CHECK(a.dma[0].setup == SimTime(100'000));
  CHECK(pairText(parsed, a, a.dma[0].moves[0]) == "L3>L2");
  CHECK(pairText(parsed, a, a.dma[0].moves[1]) == "L2>B.L2");

  const MachinePools machine = machinePools(parsed, 2);
  CHECK(machine.pools.size() == 3);
  CHECK(machine.ofDevice[0] == std::vector{PoolId(0), PoolId(1)});
  CHECK(machine.ofDevice[1] == std::vector{PoolId(2), PoolId(1)});
  CHECK(machine.at(a.dma[0].moves[1].to) == PoolId(2));
  CHECK(machinePools(parsed, 1).pools.size() == 2);
}

TEST_CASE("without a DMA engine ops run one after the other", "[platforms]") {
  CHECK(parsePlatform(platform())->devices[0].issue == Issue::sequential);
  CHECK(parsePlatform(platform())->contention == Contention::proportional);
}

TEST_CASE("a machine that cannot be is refused with what is wrong", "[platforms]") {
  CHECK(refusal(cluster("L2>B.L2", "L2>C.L2"))
            .find("device.dma 'dma': moves: 'L2>C.L2': there is no pool 'C.L2' (line ") == 0);
  CHECK(refusal(cluster("L2>B.L2", "L3>L3"))
            .find("device.dma 'dma': moves: 'L3>L3': from a pool to itself") == 0);
  CHECK(refusal(cluster("L2>B.L2", "L3>B.L3")).find("from a pool to itself") != std::string::npos);
  CHECK(refusal(cluster("L2>B.L2", "L2")).find("expected two pools such as \"L3>L2\"") !=
        std::string::npos);
  CHECK(refusal(cluster("[\"L3>L2\", \"L2>B.L2\"]", "[]"))
            .find("device.dma 'dma': moves: the engine serves no pair of pools") == 0);
  CHECK(refusal(cluster("channels = 4", "channels = 0"))
            .find("device.dma 'dma': channels: expected a whole number from 1 to 65536") == 0);
  CHECK(refusal(cluster("use = \"L3\"", "use = \"L4\""))
            .find("device.pool 'L4': the platform has no [[memory]] of that name") == 0);
  // Devices that use each other would be a circle.
  CHECK(refusal(cluster("use = \"L3\"", "use = \"B\""))
            .find("device.pool 'B': that is a device, and devices use memories, not each other") ==
        0);
  CHECK(
      refusal(cluster("\"fair\"", "\"unfair\""))
          .find("contention: expected one of \"proportional\", \"fair\", \"none\", \"in order\"") !=
      std::string::npos);
  CHECK(
      refusal(cluster("bandwidth = \"16GB/s\"\n", ""))
          .find("contention \"fair\" needs bandwidths: pool 'L2' of device 'B' has none to read") !=
      std::string::npos);
  CHECK(refusal(cluster("bandwidth = \"16GB/s\"", "bandwidth = \"0GB/s\""))
            .find("bandwidth: expected a rate") != std::string::npos);
  CHECK(refusal(cluster("name = \"dma\"", "name = \"mac\"")).find("'mac' is there twice") !=
        std::string::npos);
  CHECK(refusal(cluster("name = \"L3\"", "name = \"L3\"\n[[memory]]\nname = \"L4\""))
            .find("no device uses the memory 'L4'") != std::string::npos);
}

TEST_CASE("an unknown platform suggests the closest one", "[platforms]") {
  CHECK(findPlatform("ethos-u55-25").error().text() ==
        "no platform 'ethos-u55-25'; did you mean 'ethos-u55-256'?");
  std::string names;
  for (const Platform& platform : platformCatalog()) {
    names += (names.empty() ? "" : ", ") + platform.name;
  }
  CHECK(findPlatform("zzzzzzzzzzzzzzzz").error().text() ==
        "no platform 'zzzzzzzzzzzzzzzz'; there are " + names);
}

TEST_CASE("a file with the name of a preset is told from it", "[platform]") {
  Platform own = platformCatalog().front();
  CHECK(platformLabel(own) == own.name);
  own.file = "boards/mine.toml";
  CHECK(platformLabel(own) == own.name + " (mine.toml)");
  own.name = "mine";
  CHECK(platformLabel(own) == "mine");
}
