#include "tests/core/import/onnx/onnx_corpus.h"
#include "tests/core/machine/machine_files.h"
#include "tests/support/must.h"

using namespace hw;
using namespace hw::literals;
using namespace hw::test;

namespace {

const std::string kDory = R"({"name": "PULP/GAP8",
  "memory": {"levels": 3,
    "L1": {"dimension": 64000, "bandwidth": 32, "latency": 1, "frequency": 100000000},
    "L2": {"dimension": 512000, "bandwidth": 8, "latency": 10, "frequency": 100000000},
    "L3": {"dimension": 8000000, "bandwidth": null, "latency": null, "frequency": null},
    "DMA": "yes", "cache": "no"},
  "peak MAC/cycle": {"8bits": 32, "float32": null},
  "core frequency": 100000000, "accelerator frequency": 200000000,
  "HW specific parameters": {"accelerator core0 stack": 3500, "accelerator core1-7 stack": 3400},
  "blocking_dma_transfers": true})";

const std::string kListed = R"({"json_schema_version": "2.0",
  "environment": {"generated_model": {"name": "kws"}},
  "memory_pools": [
    {"name": "weights", "size_bytes": -1, "alignment": 0, "rights": "ACC_READ", "virtual": false,
     "attributes": {"latency": "UNDEF", "throughput": "UNDEF"}},
    {"name": "slow", "size_bytes": 4096, "alignment": 4, "rights": "ACC_WRITE",
     "attributes": {"latency": "HIGH", "throughput": "LOW"}},
    {"name": "quick", "size_bytes": 1024, "alignment": 32, "rights": "ACC_WRITE",
     "attributes": {"latency": "LOW", "throughput": "HIGH"}},
    {"name": "both", "size_bytes": 5120, "virtual": true},
    {"name": "off", "size_bytes": 0}]})";

const std::string kDescribed = R"({"params": {}, "memory": {"mem_file_prefix": "x", "mempools": [
  {"fname": "AXIFLEX", "name": "flexMEM", "size": {"value": "0", "magnitude": "KBYTES"}},
  {"fname": "xSPI2", "name": "octoFlash",
   "prop": {"rights": "ACC_READ", "throughput": "MID", "latency": "HIGH", "byteWidth": 1,
            "freqRatio": 6.0},
   "size": {"value": "64", "magnitude": "MBYTES"}},
  {"fname": "AXISRAM3", "name": "npuRAM3",
   "prop": {"rights": "ACC_WRITE", "throughput": "HIGH", "latency": "LOW", "byteWidth": 8,
            "freqRatio": 1.25},
   "size": {"value": "448", "magnitude": "KBYTES"}}]}})";

}  // namespace

TEST_CASE("a description of DORY is a machine of its levels", "[platforms]") {
  const Platform read = machine(kDory);
  CHECK(read.name == "PULP/GAP8");
  const DeviceSpec& cluster = read.devices.at(0);
  REQUIRE(cluster.pools.size() == 3);
  CHECK(cluster.pools[0].capacity == Bytes(64'000));
  CHECK(cluster.pools[0].reserved == Bytes(3500 + 7 * 3400));  // As DORY takes them off.
  CHECK(cluster.pools[0].readBandwidth == 3'200'000'000);
  CHECK(cluster.pools[0].readLatency == SimTime(10'000));
  CHECK(cluster.pools[1].capacity == Bytes(512'000));
  CHECK(cluster.pools[1].readBandwidth == 800'000'000);
  CHECK(cluster.pools[2].capacity == Bytes(8'000'000));
  CHECK(assumes(read, "L3 at 100 MB/s; L3 with a latency of 1 \u00b5s"));
  CHECK(cluster.units.at(0).clock == 200'000'000);
  CHECK(cluster.units.at(0).macsPerCycle == 32);
  CHECK(cluster.issue == Issue::sequential);  // Its transfers block.
  REQUIRE(cluster.dma.size() == 2);
  const auto free = replaced(kDory, "\"blocking_dma_transfers\": true", "\"x\": 1");
  CHECK(machine(free).devices.at(0).issue == Issue::parallel);
  CHECK(assumes(machine(free), "copies that go on beside the cores"));
  CHECK(machine(replaced(kDory, "\"yes\"", "\"no\"")).devices.at(0).dma.empty());
}

TEST_CASE("what is wrong in DORY's file is said with its place", "[platforms]") {
  const auto wrong = [&](const std::string& from, const std::string& to) {
    return refusalOf(replaced(kDory, from, to));
  };
  CHECK(wrong("\"levels\": 3", "\"levels\": 4") ==
        "L4 is missing, one of the levels of memory (memory)");
  CHECK(wrong("\"levels\": 3", "\"levels\": 65") ==
        "expected a whole number from 0 to 64, found 65 (memory.levels)");
  CHECK_THAT(wrong("\"levels\": 3", "\"levels\": 0"),
             Catch::StartsWith("expected \"levels\", how many memories there are, found"));
  CHECK(wrong("\"dimension\": 64000", "\"dimension\": -1") ==
        "expected a whole number from 0 to 1152921504606846976, found -1 (memory.L1.dimension)");
  CHECK(wrong("\"dimension\": 64000", "\"dimension\": 20000") ==
        "stacks of 27300 bytes do not fit the 20000 of L1 (HW specific parameters.accelerator "
        "core1-7 stack)");
  CHECK(wrong("\"bandwidth\": 32", "\"bandwidth\": \"32\"") ==
        "expected a number from 0, found \"32\" (memory.L1.bandwidth)");
  CHECK(wrong("\"bandwidth\": 32", "\"bandwidth\": 0") ==
        "bandwidth: 0 bytes per second, expected 1 to 1.15292e+18 (memory.L1)");
  CHECK(wrong("\"latency\": 10, \"frequency\": 100000000", "\"latency\": 10, \"frequency\": 0") ==
        "bandwidth: 0 bytes per second, expected 1 to 1.15292e+18 (memory.L2)");
  CHECK(wrong("\"core frequency\": 100000000, \"accelerator frequency\": 200000000", "\"f\": 1") ==
        "neither 'accelerator frequency' nor 'core frequency' is there");
  CHECK(wrong("\"8bits\": 32", "\"8bits\": 1e12").starts_with("expected at most 1e9"));
  CHECK_THAT(wrong("{\"name\"", "{{\"name\""), Catch::StartsWith("not valid JSON"));
  CHECK(refusalOf(kDory, "L1") == "DORY describes one machine, of which 'L1' cannot be chosen");
}

TEST_CASE("memory pools of ST Edge AI are a machine, the quickest first", "[platforms]") {
  const Platform read = machine(kListed);
  CHECK(read.name == "st-kws");
  const DeviceSpec& npu = read.devices.at(0);
  REQUIRE(npu.pools.size() == 3);
  CHECK(npu.pools[0].name == "quick");
  CHECK(npu.pools[0].capacity == 1_KiB);
  CHECK(npu.pools[0].alignment == 32_B);
  CHECK(npu.pools[1].name == "slow");
  CHECK(npu.pools[2].name == "weights");
  CHECK_FALSE(npu.pools[2].capacity);
  for (const char* what :
       {"unlimited weights", "alignment 8 of weights", "weights can be written", "quick at 6400",
        "the compute unit of the preset stm32n657", "no DMA engine"}) {
    CAPTURE(what);
    CHECK(assumes(read, what));
  }
}

TEST_CASE("an .mpool file says bytes a cycle", "[platforms]") {
  const Platform read = machine(kDescribed);
  const DeviceSpec& npu = read.devices.at(0);
  REQUIRE(npu.pools.size() == 2);
  CHECK(npu.pools[0].name == "npuRAM3");
  CHECK(npu.pools[0].capacity == 448_KiB);
  CHECK(npu.pools[0].readBandwidth == 6'400'000'000);
  CHECK(npu.pools[1].name == "octoFlash");
  CHECK(npu.pools[1].readBandwidth == 166'666'667);
  CHECK(npu.pools[1].capacity == 64_MiB);
  CHECK(assumes(read, "no memory flexMEM, whose size is 0"));
}

TEST_CASE("a memory larger than any is one without a limit", "[platforms]") {
  for (const char* size : {"9223372036854775776", "99999999999999999999", "2000000000000000"}) {
    const Platform read = machine(replaced(kDescribed, "\"448\"", "\"" + std::string(size) + "\""));
    CHECK_FALSE(read.devices.at(0).pools[0].capacity);
    CHECK(assumes(read, "unlimited npuRAM3"));
  }
}

TEST_CASE("what is wrong in ST's files is said with its place", "[platforms]") {
  const auto wrong = [](const std::string& bytes, const std::string& from, const std::string& to) {
    return refusalOf(replaced(bytes, from, to));
  };
  CHECK(wrong(kListed, "\"throughput\": \"LOW\"", "\"throughput\": \"low\"") ==
        "throughput: expected HIGH, MID, LOW or UNDEF, found 'low' (memory_pools[1].attributes)");
  CHECK(wrong(kListed, "\"slow\"", "\"quick\"") ==
        "memory pool 'quick' is listed twice (memory_pools[2])");
  CHECK(wrong(kListed, "\"alignment\": 32", "\"alignment\": 3") ==
        "alignment 3 is not a power of two up to 1 GiB (memory_pools[2].alignment)");
  CHECK(wrong(kListed, "\"size_bytes\": 1024", "\"size_bytes\": -2")
            .starts_with("expected a whole number from 0 to"));
  CHECK(refusalOf(R"({"json_schema_version": "2.0", "memory_pools": []})") ==
        "no memory pool has room for tensors (memory_pools)");
  CHECK(refusalOf(R"({"memory": {"mempools": []}})") ==
        "no memory pool has room for tensors (memory.mempools)");
  CHECK(wrong(kDescribed, "\"448\"", "\"-448\"")
            .starts_with("expected a \"value\" and a \"magnitude\""));
  CHECK(wrong(kDescribed, "\"freqRatio\": 1.25", "\"freqRatio\": 0")
            .starts_with("byteWidth and freqRatio: inf bytes per second, expected 1 to"));
  CHECK(wrong(kDescribed, "\"freqRatio\": 1.25", "\"freqRatio\": []")
            .starts_with("expected byteWidth and freqRatio as numbers"));
  CHECK(refusalOf(kDescribed, "x") ==
        "ST's memory pools are one machine, of which 'x' cannot be chosen");
}

TEST_CASE("a machine of another tool with every prefix is one or an error", "[platforms]") {
  for (const std::string& whole : {kDory, kListed, kDescribed}) {
    for (std::size_t end = 0; end < whole.size(); ++end) {
      const auto read = readPlatformFile(whole.substr(0, end), "");
      if (!read) CHECK_FALSE(read.error().message.empty());
    }
  }
}

TEST_CASE("a file of ours has one machine", "[platforms]") {
  const std::string toml = platformToml(platformCatalog().front());
  CHECK(readPlatformFile("\xEF\xBB\xBF" + toml, "")->name == platformCatalog().front().name);
  CHECK(refusalOf(toml, "x") == "a platform in TOML is one machine, of which 'x' cannot be chosen");
}

TEST_CASE("names of platform files may choose a machine", "[platforms]") {
  for (const char* file : {"a.toml", "./a", "-", "vela.ini", "vela.ini:A,B", "x.mpool", "-:A",
                           "c:/x/vela.ini:A", "network_c_info.json"}) {
    CAPTURE(file);
    CHECK(isPlatformFile(file));
  }
  for (const char* name : {"generic-npu", "gap8", "toml", "gap8:x", "ini:A,B"}) {
    CAPTURE(name);
    CHECK_FALSE(isPlatformFile(name));
  }
  CHECK(openPlatform("no/vela.ini:A,B").error().text().starts_with("no/vela.ini:A,B: "));
}

TEST_CASE("machines of the corpus are read, whatever is chosen of them", "[platforms][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  const auto opened = [&](const std::string& name) {
    CAPTURE(name);
    const auto platform = test::must(openPlatform((*folder / "foreign").string() + "/" + name));
    REQUIRE(parsePlatform(platformToml(platform)));
    return platform.devices.front();
  };
  // Rates are those that Arm's own comments in the file say.
  const std::pair<const char*, std::pair<std::int64_t, std::int64_t>> systems[] = {
      {"Ethos_U55_Deep_Embedded", {1'600'000'000, 100'000'000}},
      {"Ethos_U55_High_End_Embedded", {4'000'000'000, 500'000'000}},
      {"Ethos_U65_Embedded", {8'000'000'000, 500'000'000}},
      {"Ethos_U65_Mid_End", {8'000'000'000, 3'750'000'000}},
      {"Ethos_U65_High_End", {16'000'000'000, 3'750'000'000}},
      {"Ethos_U65_Client_Server", {16'000'000'000, 12'000'000'000}}};
  for (const auto& [system, rates] : systems) {
    for (const char* mode :
         {"Sram_Only", "Shared_Sram", "Dedicated_Sram", "Dedicated_Sram_512KB"}) {
      const DeviceSpec npu = opened(std::string("vela.ini:") + system + "," + mode);
      CHECK(npu.pools.front().readBandwidth == rates.first);
      CHECK((npu.pools.size() == 1 || npu.pools[1].readBandwidth == rates.second));
    }
  }
  CHECK(opened("dory_GAP8.HW_description.json").pools.at(2).capacity == Bytes(8'000'000));
  CHECK(opened("dory_GAP9.HW_description.json").pools.at(0).target() == Bytes(120'000 - 27'300));
  CHECK(opened("st_packetqc_cpu.c_info.json").pools.at(0).name == "heap_overlay_pool");
}
