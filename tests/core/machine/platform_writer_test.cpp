#include "core/machine/platform_writer.h"

#include "core/machine/platforms.h"
#include "core/machine/tuning.h"
#include "tests/support/must.h"

using namespace hw;

namespace {

void checkSame(const PoolSpec& a, const PoolSpec& b) {
  CAPTURE(a.name);
  CHECK(a.name == b.name);
  CHECK(a.capacity == b.capacity);
  CHECK(a.reserved == b.reserved);
  CHECK(a.alignment == b.alignment);
  CHECK(a.readBandwidth == b.readBandwidth);
  CHECK(a.writeBandwidth == b.writeBandwidth);
  CHECK(a.fullDuplex == b.fullDuplex);
  CHECK(a.readLatency == b.readLatency);
  CHECK(a.writeLatency == b.writeLatency);
  CHECK(a.burst == b.burst);
  CHECK(a.picojoulesPerByte == b.picojoulesPerByte);
  CHECK(a.shared == b.shared);
}

void checkSame(const UnitSpec& a, const UnitSpec& b) {
  CHECK(a.name == b.name);
  CHECK(a.ops == b.ops);
  CHECK(a.clock == b.clock);
  CHECK(a.macsPerCycle == b.macsPerCycle);
  CHECK(a.elementsPerCycle == b.elementsPerCycle);
  CHECK(a.elements == b.elements);
  CHECK(a.count == b.count);
  CHECK(a.kernels == b.kernels);
}

void checkSame(const DmaSpec& a, const DmaSpec& b) {
  CHECK(a.name == b.name);
  CHECK(a.channels == b.channels);
  CHECK(a.bandwidth == b.bandwidth);
  CHECK(a.setup == b.setup);
  REQUIRE(a.moves.size() == b.moves.size());
  const auto places = [](const DmaSpec::Pair& pair) {
    return std::array{pair.from.device, pair.from.pool, pair.to.device, pair.to.pool};
  };
  for (std::size_t i = 0; i < a.moves.size(); ++i) CHECK(places(a.moves[i]) == places(b.moves[i]));
}

template <class Part>
void checkSame(const std::vector<Part>& a, const std::vector<Part>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) checkSame(a[i], b[i]);
}

void checkSame(const Platform& a, const Platform& b) {
  CHECK(a.name == b.name);
  CHECK(a.summary == b.summary);
  CHECK(a.source == b.source);
  CHECK(a.contention == b.contention);
  REQUIRE(a.devices.size() == b.devices.size());
  for (std::size_t i = 0; i < a.devices.size(); ++i) {
    CHECK(a.devices[i].name == b.devices[i].name);
    CHECK(a.devices[i].ops == b.devices[i].ops);
    CHECK(a.devices[i].issue == b.devices[i].issue);
    checkSame(a.devices[i].pools, b.devices[i].pools);
    checkSame(a.devices[i].units, b.devices[i].units);
    checkSame(a.devices[i].dma, b.devices[i].dma);
  }
}

void checkKept(const Platform& platform) {
  const std::string toml = platformToml(platform);
  INFO(toml);
  const auto again = test::must(parsePlatform(toml));
  checkSame(platform, again);
}

}  // namespace

TEST_CASE("every preset written as TOML is the same platform", "[platforms]") {
  for (const Platform& platform : platformCatalog()) checkKept(platform);
}

TEST_CASE("what is odd about a platform is written and read again", "[platforms]") {
  Platform odd = platformCatalog().front();
  odd.name = "a \"quoted\" \\ name\twith \x01 and \xC3\xA9";
  odd.source = "two\nlines";
  odd.contention = Contention::fair;
  DeviceSpec& device = odd.devices.front();
  device.issue = Issue::inOrder;
  PoolSpec& pool = device.pools.front();
  pool.capacity = Bytes(1'048'577);
  pool.reserved = Bytes(3);
  pool.alignment = Bytes(64);
  pool.readBandwidth = 1;
  pool.writeBandwidth = 123'456'789'012'345;
  pool.fullDuplex = true;
  pool.readLatency = SimTime(1);
  pool.writeLatency = SimTime(1'000'000'000'000);
  pool.burst = Bytes(7);
  pool.picojoulesPerByte = 0.1;
  UnitSpec& unit = device.units.front();
  unit.clock = 1'234'567;
  unit.macsPerCycle = 1e-6;
  unit.elementsPerCycle = 1e15;
  unit.count = 65'536;
  unit.kernels = {true, true};
  checkKept(odd);
  const auto changed =
      test::must(tuned(*findPlatform("one-engine"), *parseTuning("dma=3MB/s,channels=7")));
  checkKept(changed);
}
