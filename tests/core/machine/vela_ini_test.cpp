#include <catch2/catch.hpp>

#include "core/machine/cost/cost_models.h"
#include "tests/core/machine/machine_files.h"

using namespace hw;
using namespace hw::literals;
using namespace hw::test;

namespace {

/// As Arm's, short of a few systems.
const std::string kVela = R"(; a comment, and one more
# of the other kind

[System_Config.Ethos_U55_High_End_Embedded]
core_clock=500e6
axi0_port=Sram
axi1_port=OffChipFlash
Sram_clock_scale=1.0
Sram_burst_length=32
Sram_read_latency=32
Sram_write_latency=32
OffChipFlash_clock_scale=0.125
OffChipFlash_burst_length=128
OffChipFlash_read_latency=64
OffChipFlash_write_latency=64

[System_Config.Ethos_U85_SYS_DRAM_High]
Core_Clock : 1e9
axi0_port=Sram
axi1_port=Dram
Sram_ports_used=4
Dram_clock_scale=0.75
Dram_ports_used=2
Dram_burst_length=128
Dram_read_latency=500
Dram_write_latency=250

[Memory_Mode.Sram_Only]
const_mem_area=Axi0
arena_mem_area=Axi0
cache_mem_area=Axi0

[Memory_Mode.Shared_Sram]
const_mem_area=Axi1
arena_mem_area=Axi0
cache_mem_area=Axi0

[Memory_Mode.Dedicated_Sram]
const_mem_area=Axi1
arena_mem_area=Axi1
cache_mem_area=Axi0
arena_cache_size=393216

[Memory_Mode.Dedicated_Sram_512KB]
inherit=Memory_Mode.Dedicated_Sram
arena_cache_size=524288
)";

}  // namespace

TEST_CASE("a system and a memory mode of Vela are a machine", "[platforms]") {
  const Platform read = machine(kVela, "Ethos_U55_High_End_Embedded,Shared_Sram");
  CHECK(read.name == "Ethos_U55_High_End_Embedded,Shared_Sram");
  REQUIRE(read.devices.size() == 1);
  const DeviceSpec& npu = read.devices[0];
  CHECK(npu.issue == Issue::inOrder);
  REQUIRE(npu.pools.size() == 2);
  const PoolSpec& sram = npu.pools[0];
  CHECK(sram.name == "Sram");
  CHECK_FALSE(sram.capacity);
  CHECK(assumes(read, "unlimited Sram"));
  CHECK(sram.readBandwidth == 4'000'000'000);  // The file's own comment: 4 GB/s and 0.5.
  CHECK(sram.writeBandwidth == 4'000'000'000);
  CHECK(sram.readLatency == SimTime(64'000));
  CHECK(sram.burst == 32_B);
  CHECK(sram.alignment == 16_B);
  CHECK(npu.pools[1].name == "OffChipFlash");
  CHECK(npu.pools[1].readBandwidth == 500'000'000);
  CHECK(npu.pools[1].writeLatency == SimTime(128'000));
  CHECK(npu.pools[1].burst == 128_B);
  CHECK(npu.units.at(0).clock == 500'000'000);
  CHECK(npu.units.at(0).macsPerCycle == 256);
  CHECK(npu.units.at(0).cost.farLatency == 64);  // Of the flash, where the weights are.
  CHECK(assumes(read, "accelerator ethos-u55-256"));
  CHECK(npu.dma.at(0).channels == 1);
  CHECK(npu.dma.at(0).moves.size() == 2);
}

TEST_CASE("memory modes of Vela inherit, and say how large the SRAM is", "[platforms]") {
  const auto capacity = [](const std::string& mode) {
    return machine(kVela, "Ethos_U85_SYS_DRAM_High," + mode).devices.at(0).pools.at(0).capacity;
  };
  CHECK(capacity("Dedicated_Sram") == 384_KiB);
  CHECK(capacity("Dedicated_Sram_512KB") == 512_KiB);
  // Words may be in any order, and the accelerator is one of them.
  const Platform read = machine(kVela, "Dedicated_Sram,ethos-u85-128,Ethos_U85_SYS_DRAM_High");
  const DeviceSpec& npu = read.devices.at(0);
  CHECK(npu.units.at(0).macsPerCycle == 128);
  CHECK_FALSE(assumes(read, "accelerator"));
  CHECK(npu.dma.at(0).channels == 4);
  CHECK(costModel(npu.units.at(0)).name == "ethos-u85");
  CHECK(npu.units.at(0).cost.portBytes == 64);  // Of four ports.
  // Four ports of 16 bytes, and two: 64 and 24 GB/s, as its file says.
  CHECK(npu.pools.at(0).readBandwidth == 64'000'000'000);
  CHECK(npu.pools.at(1).readBandwidth == 24'000'000'000);
  CHECK(npu.pools.at(1).name == "Dram");
  CHECK(npu.pools.at(1).readLatency == SimTime(500'000));
  CHECK(npu.pools.at(1).writeLatency == SimTime(250'000));
  const auto waits = [](const std::string& mode) {
    const Platform machines = machine(kVela, "Ethos_U85_SYS_DRAM_High,ethos-u65-512," + mode);
    return machines.devices.at(0).units.at(0).cost.farLatency;
  };
  CHECK(waits("Dedicated_Sram") == 500);
  CHECK(waits("Sram_Only") == 1);  // Its SRAM has no latency in this file.
}

TEST_CASE("one memory is enough for Vela's Sram_Only", "[platforms]") {
  const Platform read = machine(kVela, "Ethos_U55_High_End_Embedded,Sram_Only");
  REQUIRE(read.devices.at(0).pools.size() == 1);
  CHECK(read.devices[0].dma.empty());
}

TEST_CASE("a file of several machines says what there is to choose from", "[platforms]") {
  const std::string list =
      "; say SYSTEM,MODE behind the file, such as "
      "vela.ini:Ethos_U55_High_End_Embedded,Sram_Only, and ACCELERATOR behind those where it is "
      "not the usual one; systems: Ethos_U55_High_End_Embedded, Ethos_U85_SYS_DRAM_High; modes: "
      "Sram_Only, Shared_Sram, Dedicated_Sram, Dedicated_Sram_512KB";
  CHECK(refusalOf(kVela) == "it is not said which machine of the file is meant" + list);
  CHECK(refusalOf(kVela, "Shared_Sram") ==
        "it is not said which machine of the file is meant" + list);
  for (const char* word : {"Ethos_U56", "", "ethos-u55-100", "ethos-u55-"}) {
    CHECK(refusalOf(kVela, std::string("Shared_Sram,") + word) ==
          "'" + std::string(word) +
              "' is not one more of a system, a memory mode and an accelerator such as "
              "ethos-u55-128" +
              list);
  }
  CHECK_THAT(refusalOf(kVela, "Shared_Sram,Sram_Only"),
             Catch::StartsWith("'Sram_Only' is not one more of"));
  // Of one each, nothing need be said.
  const std::string one = kVela.substr(0, kVela.find("[System_Config.Ethos_U85")) +
                          "[Memory_Mode.M]\nconst_mem_area=Axi1\n";
  CHECK(machine(one).name == "Ethos_U55_High_End_Embedded,M");
}

TEST_CASE("what is wrong in Vela's file is said with its line", "[platforms]") {
  const std::string choice = "Ethos_U55_High_End_Embedded,Dedicated_Sram_512KB";
  const auto wrong = [&](const std::string& from, const std::string& to) {
    return refusalOf(replaced(kVela, from, to), choice);
  };
  CHECK(wrong("core_clock=500e6", "core_clock=fast") ==
        "core_clock: expected a number from 0, found 'fast' (line 5)");
  CHECK(wrong("core_clock=500e6", "core_clock=0") ==
        "core_clock: 0 Hz, expected 1 to 1e+12 (line 5)");
  CHECK(wrong("core_clock=500e6", "") ==
        "section 'System_Config.Ethos_U55_High_End_Embedded' has no core_clock (line 4)");
  CHECK(wrong("Sram_clock_scale=1.0", "Sram_clock_scale=0") ==
        "sram_clock_scale: 0 bytes per second, expected 1 to 1.15292e+18 (line 8)");
  CHECK(wrong("Sram_clock_scale=1.0", "Sram_clock_scale=1e300") ==
        "sram_clock_scale: inf bytes per second, expected 1 to 1.15292e+18 (line 8)");
  CHECK(wrong("Sram_burst_length=32", "Sram_burst_length=1.5") ==
        "sram_burst_length: expected a whole number from 1 to 1073741824 (line 9)");
  CHECK(wrong("Sram_read_latency=32", "Sram_read_latency=1e12") ==
        "sram_read_latency: 2000 seconds, expected 0 to 1 (line 10)");
  CHECK(wrong("axi0_port=Sram", "axi0_port=Cache") ==
        "axi0_port: expected one of Sram, Dram, OnChipFlash, OffChipFlash, found 'Cache' (line 6)");
  CHECK(wrong("axi0_port=Sram", "axi0_port=Dram") ==
        "cache_mem_area of 'Dedicated_Sram_512KB' is Dram of 'Ethos_U55_High_End_Embedded'; Vela "
        "takes Sram there (line 41)");
  CHECK(wrong("arena_mem_area=Axi1", "arena_mem_area=Axi2") ==
        "arena_mem_area: expected Axi0 or Axi1, found 'Axi2' (line 40)");
  CHECK(wrong("arena_cache_size=524288", "arena_cache_size=-1") ==
        "arena_cache_size: expected a size in bytes, found '-1' (line 46)");
  CHECK(wrong("inherit=Memory_Mode.Dedicated_Sram", "inherit=Memory_Mode.Gone") ==
        "there is no section 'Memory_Mode.Gone' to inherit from (line 45)");
  CHECK(wrong("inherit=Memory_Mode.Dedicated_Sram", "inherit=Memory_Mode.Dedicated_Sram_512KB") ==
        "section 'Memory_Mode.Dedicated_Sram_512KB' inherits from itself (line 45)");
  CHECK(wrong("[Memory_Mode.Sram_Only]", "[Memory_Mode.Shared_Sram]") ==
        "section 'Memory_Mode.Shared_Sram' is there twice (line 33)");
  CHECK(wrong("axi1_port=OffChipFlash", "AXI0_PORT=Sram") ==
        "'axi0_port' is in section 'System_Config.Ethos_U55_High_End_Embedded' twice (line 7)");
  CHECK(wrong("axi1_port=OffChipFlash", "nothing") ==
        "expected 'key = value' or '[section]', found 'nothing' (line 7)");
  CHECK(wrong("; a comment, and one more", "a=b") ==
        "a key stands before the first [section] (line 1)");
  CHECK(wrong("[Memory_Mode.Sram_Only]", "[Memory_Mode.Sram_Only") ==
        "a section has no ']' at its end (line 28)");
  CHECK(refusalOf("[System_Config.A]\n") == "no section [Memory_Mode.NAME]");
  CHECK(refusalOf("[Memory_Mode.A]\n") == "no section [System_Config.NAME]");
}

TEST_CASE("every prefix of Vela's file is a machine or an error", "[platforms]") {
  for (std::size_t end = 0; end < kVela.size(); ++end) {
    const auto read = readPlatformFile(kVela.substr(0, end), "Ethos_U85_SYS_DRAM_High,Sram_Only");
    CHECK((read || !read.error().message.empty()));
  }
}
