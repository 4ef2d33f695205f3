#include "core/sim/cost_model.h"

#include <catch2/catch.hpp>

#include "tests/support/op_sample.h"

using namespace hw;
using hw::test::OpSample;

TEST_CASE("MACs are those of the formulas", "[cost]") {
  SECTION("a convolution: OH OW OC KH KW IC") {
    // ResNet's first: 112 x 112 x 64 x 7 x 7 x 3.
    const OpSample op("Conv", {{1, 3, 224, 224}, {64, 3, 7, 7}}, {{1, 64, 112, 112}});
    CHECK(op.work().macs == 118'013'952);
    CHECK(op.work().touched == 0);
    CHECK(op.work().written == 0);
  }
  SECTION("a grouped one sees its share of the channels") {
    const OpSample op("Conv", {{2, 8, 10, 10}, {12, 4, 3, 3}}, {{2, 12, 8, 8}});
    CHECK(op.work().macs == 2 * 8 * 8 * 12 * 3 * 3 * 4);
  }
  SECTION("depthwise: OH OW C M KH KW") {
    const OpSample op("Conv", {{1, 32, 112, 112}, {32, 1, 3, 3}}, {{1, 32, 112, 112}});
    CHECK(op.work().macs == 112 * 112 * 32 * 9);
  }
  SECTION("quantised convolutions keep their weight elsewhere") {
    const OpSample plain("ConvInteger", {{1, 4, 5, 5}, {6, 4, 3, 3}}, {{1, 6, 3, 3}});
    const OpSample linear("QLinearConv", {{1, 4, 5, 5}, {}, {}, {6, 4, 3, 3}}, {{1, 6, 3, 3}});
    CHECK(plain.work().macs == 6 * 3 * 3 * 4 * 3 * 3);
    CHECK(linear.work().macs == plain.work().macs);
  }
  SECTION("transposed: IH IW IC KH KW OC") {
    const OpSample op("ConvTranspose", {{1, 16, 8, 8}, {16, 5, 2, 2}}, {{1, 5, 16, 16}});
    CHECK(op.work().macs == 8 * 8 * 16 * 2 * 2 * 5);
  }
  SECTION("Gemm: M N K, whichever way A lies") {
    OpSample op("Gemm", {{1, 2048}, {1000, 2048}}, {{1, 1000}});
    CHECK(op.work().macs == 2'048'000);
    OpSample turned("Gemm", {{7, 3}, {7, 5}}, {{3, 5}});
    turned.attribute("transA", std::int64_t{1});
    CHECK(turned.work().macs == 3 * 5 * 7);
  }
  SECTION("MatMul: batch M N K") {
    CHECK(OpSample("MatMul", {{2, 12, 64, 32}, {2, 12, 32, 64}}, {{2, 12, 64, 64}}).work().macs ==
          2 * 12 * 64 * 64 * 32);
    CHECK(OpSample("MatMul", {{9}, {9}}, {Shape()}).work().macs == 9);
    CHECK(OpSample("QLinearMatMul", {{4, 6}, {}, {}, {6, 5}}, {{4, 5}}).work().macs == 4 * 6 * 5);
  }
  SECTION("recurrent: gates H (I + H) T, per direction") {
    // T 10, batch 2, I 3, H 5.
    CHECK(OpSample("LSTM", {{10, 2, 3}, {1, 20, 3}, {1, 20, 5}}, {{10, 1, 2, 5}}).work().macs ==
          10 * 2 * 4 * 5 * (3 + 5));
    CHECK(OpSample("GRU", {{10, 2, 3}, {2, 15, 3}, {2, 15, 5}}, {{10, 2, 2, 5}}).work().macs ==
          2 * 10 * 2 * 3 * 5 * (3 + 5));
  }
  SECTION("attention: 2 heads Tq Tk d, and projections where it brings them") {
    // B 2, Tq 4, Tk 6, H 8.
    CHECK(OpSample("MultiHeadAttention", {{2, 4, 8}, {2, 6, 8}, {2, 6, 8}}, {{2, 4, 8}})
              .work()
              .macs == 2 * 2 * 4 * 6 * 8);
    OpSample own("Attention", {{2, 4, 8}, {8, 24}}, {{2, 4, 8}});
    own.op().domain = "com.microsoft";
    CHECK(own.work().macs == 2 * 4 * 8 * 24 + 2 * 2 * 4 * 4 * 8);
    // Heads 2 x d 4, with 5 keys of the past.
    CHECK(OpSample("Attention",
                   {{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}, {}, {1, 2, 5, 4}, {1, 2, 5, 4}},
                   {{1, 2, 3, 4}})
              .work()
              .macs == 2 * 2 * 3 * (3 + 5) * 4);
  }
  SECTION("a contraction multiplies all its labels") {
    OpSample op("Einsum", {{2, 3, 4}, {2, 4, 5}}, {{2, 3, 5}});
    op.attribute("equation", std::string("bij, bjk -> bik"));
    CHECK(op.work().macs == 2 * 3 * 4 * 5);
  }
}

TEST_CASE("what multiplies nothing counts its elements", "[cost]") {
  const OpSample relu("Relu", {{1, 8, 4, 4}}, {{1, 8, 4, 4}});
  CHECK(relu.work().touched == 128);
  CHECK(relu.work().written == 128);
  const OpSample global("GlobalAveragePool", {{1, 8, 7, 7}}, {{1, 8, 1, 1}});
  CHECK(global.work().touched == 392);
  CHECK(global.work().written == 8);
  OpSample pool("MaxPool", {{1, 4, 8, 8}}, {{1, 4, 4, 4}});
  pool.attribute("kernel_shape", std::vector<std::int64_t>{3, 3});
  CHECK(pool.work().touched == 64 * 9);
  CHECK(pool.work().written == 64);
  CHECK(OpSample("Split", {{1, 12}}, {{1, 4}, {1, 8}}).work().written == 12);
  CHECK(OpSample("Relu", {{1, 8}}, {{1, 8}}).work().macs == 0);
}

TEST_CASE("a unit counts the elements that are written, or those that are touched", "[cost]") {
  UnitSpec unit{.name = "vector", .elementsPerCycle = 4};
  const Work pool{.written = 64, .touched = 64 * 9};
  CHECK(computeTime(unit, computeCycles(unit, pool)) == SimTime(16'000));
  unit.elements = ElementCount::touched;
  CHECK(computeTime(unit, computeCycles(unit, pool)) == SimTime(9 * 16'000));
}

TEST_CASE("folded ops cost nothing", "[cost]") {
  OpSample op("Conv", {{1, 3, 8, 8}, {4, 3, 1, 1}}, {{1, 4, 8, 8}});
  op.op().folded = true;
  CHECK(op.work().macs == 0);
  CHECK(op.work().unknown.empty());
}

TEST_CASE("work that cannot be told says why", "[cost]") {
  OpSample op("Conv", {{1, 3, 8, 8}, {4, 3, 1, 1}}, {{1, 4, 8, 8}});
  op.tensor("out0").shape.reset();
  CHECK(op.work().unknown == "the shape of its output 'out0' is unknown");
  CHECK(op.work().macs == 0);
  const std::int64_t big = std::int64_t{1} << 40;
  CHECK(OpSample("MatMul", {{big, big}, {big, big}}, {{big, big}}).work().unknown ==
        "its work exceeds 2^63");
  CHECK(OpSample("Conv", {{1, 3, 8, 8}}, {{1, 4, 8, 8}}).work().unknown == "it has no input 1");
  CHECK_FALSE(OpSample("Loop", {{1}}, {{1}}).work().unknown.empty());
  OpSample negative("MaxPool", {{1, 4, 8, 8}}, {{1, 4, 4, 4}});
  negative.attribute("kernel_shape", std::vector<std::int64_t>{-3, 3});
  CHECK(negative.work().unknown == "an attribute of it is negative");
}

TEST_CASE("cycles are whole, and their edges do not drift", "[cost]") {
  UnitSpec unit{
      .name = "mac", .ops = {}, .clock = 500'000'000, .macsPerCycle = 256, .elementsPerCycle = 8};
  const auto time = [&](const Work& work) { return computeTime(unit, computeCycles(unit, work)); };
  CHECK(time({.macs = 256}) == SimTime(2'000));
  CHECK(time({.macs = 257}) == SimTime(4'000));
  CHECK(time({.written = 17}) == SimTime(6'000));
  CHECK(time({}) == SimTime(0));
  // Vela's worked sample: 114,098 cycles are 228.196 us, 4,382.2 inferences a second.
  const SimTime sample = time({.macs = 114'098 * 256});
  CHECK(sample == SimTime(228'196'000));
  CHECK(1e12 / sample.real() == Approx(4382.2).margin(0.05));
  unit.clock = 3;  // A third of a second is no whole number of picoseconds.
  CHECK(time({.macs = 256}) == SimTime(333'333'333'333));
  CHECK(time({.macs = 3 * 256}) == SimTime(1'000'000'000'000));
  unit.clock = 1;
  CHECK(computeTime(unit, std::int64_t{1} << 62) == kMaxTime);
}

TEST_CASE("bytes over bandwidth, rounded up", "[cost]") {
  CHECK(transferTime(Bytes(64), 64'000'000'000) == SimTime(1'000));
  CHECK(transferTime(Bytes(1), 3) == SimTime(333'333'333'334));
  CHECK(transferTime(Bytes(1'000), 0) == SimTime(0));
  // 2^60 bytes times 10^12 needs 100 bits.
  CHECK(transferTime(kMaxBytes, 1'000'000'000'000'000) == SimTime(1'152'921'504'606'847));
  CHECK(transferTime(kMaxBytes, 1) == kMaxTime);
}
