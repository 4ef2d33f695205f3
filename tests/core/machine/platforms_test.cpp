#include "core/machine/platforms.h"

#include <catch2/catch.hpp>

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
  const Result<Platform> parsed = parsePlatform(platform());
  REQUIRE(parsed);
  CHECK(parsed->name == "board");
  REQUIRE(parsed->devices.size() == 1);
  const DeviceSpec& device = parsed->devices[0];
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
}

TEST_CASE("what a platform file leaves out costs nothing", "[platforms]") {
  const Result<Platform> parsed = parsePlatform(
      "name='p'\n[[device]]\nname='d'\nops=['*']\n[[device.pool]]\nname='L2'\n"
      "[[device.unit]]\nname='u'\nops=['*']\nclock='1GHz'\n");
  REQUIRE(parsed);
  const PoolSpec& pool = parsed->devices[0].pools[0];
  CHECK(pool.target() == std::nullopt);
  CHECK(pool.alignment == 1_B);
  CHECK(pool.readBandwidth == 0);
  CHECK(pool.readLatency == SimTime(0));
}

TEST_CASE("reading and writing may differ in latency", "[platforms]") {
  const auto parsed = parsePlatform(platform("burst = 32", "write_latency = \"0.25us\""));
  REQUIRE(parsed);
  CHECK(parsed->devices[0].pools[0].readLatency == SimTime(64'000));
  CHECK(parsed->devices[0].pools[0].writeLatency == SimTime(250'000));
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

  const Result<Platform> ethos = findPlatform("ethos-u55-256");
  REQUIRE(ethos);
  CHECK(ethos->devices[0].units[0].clock == 500'000'000);
  CHECK(ethos->devices[0].pools[0].readLatency == SimTime(64'000));  // 32 cycles of 2 ns.
  CHECK(ethos->devices[0].pools[1].readBandwidth == 500'000'000);
  CHECK(ethos->devices[0].pools[1].burst == 128_B);
  for (const Platform& platform : platformCatalog()) {
    CAPTURE(platform.name);
    CHECK_FALSE(platform.source.empty());
    CHECK_FALSE(platform.summary.empty());
    CHECK(platform.devices[0].pools[0].name == "L2");
  }
}

TEST_CASE("an unknown platform suggests the closest one", "[platforms]") {
  CHECK(findPlatform("ethos-u55-25").error().text() ==
        "no platform 'ethos-u55-25'; did you mean 'ethos-u55-256'?");
  CHECK(findPlatform("zzzzzzzzzzzzzzzz").error().text() ==
        "no platform 'zzzzzzzzzzzzzzzz'; there are generic-npu, ethos-u55-256, "
        "two-devices");
}
