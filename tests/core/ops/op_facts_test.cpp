#include "core/ops/op_facts.h"

#include <algorithm>
#include <random>

#include "core/ops/op_table.h"
#include "tests/core/ops/op_case.h"
#include "tests/support/must.h"

namespace hw {
namespace {

SmallValue reals(std::vector<double> elements) {
  SmallValue value{.dtype = Dtype::float32, .shape = {static_cast<std::int64_t>(elements.size())}};
  value.reals = std::move(elements);
  return value;
}

}  // namespace

// Found by fuzzing.
TEST_CASE("an op whose inputs were left out has no value", "[import]") {
  for (const OpInfo& info : opTable()) {
    if (!info.domain.empty()) continue;
    CAPTURE(info.type);
    CHECK(evaluateSmall(OpCase(std::string(info.type)).facts()).empty());
    CHECK(evaluateSmall(OpCase(std::string(info.type)).absent().facts()).empty());
    CHECK(evaluateSmall(OpCase(std::string(info.type)).list({1}).absent(2).facts()).size() < 3);
    inferByRule(OpCase(std::string(info.type)).facts());
    inferByRule(OpCase(std::string(info.type)).absent().list({1}).facts());
  }
}

TEST_CASE("reshape keeps, copies and fills dimensions", "[import][shapes]") {
  CHECK(OpCase("Reshape").shaped({2, 3, 4}).list({-1, 6}).shapes() == Shapes{{4, 6}});
  CHECK(OpCase("Reshape").shaped({2, 3, 4}).list({0, 0, -1}).shapes() == Shapes{{2, 3, 4}});
  CHECK(OpCase("Reshape")
            .shaped({0, 3})
            .list({3, 0})
            .attribute("allowzero", std::int64_t{1})
            .shapes() == Shapes{{3, 0}});
  CHECK(OpCase("Reshape").shaped({2, 3}).list({4, -1}).shapes().empty());   // 6 is not 4 n.
  CHECK(OpCase("Reshape").shaped({2, 3}).list({-1, -1}).shapes().empty());  // Two open ones.
  CHECK(OpCase("Reshape").shaped({2, 3}).list({7}).shapes().empty());
  CHECK(OpCase("Reshape").shaped({2, 3}).list({0, 0, 0}).shapes().empty());
  CHECK(OpCase("Reshape").shaped({2, 3}).unknown().shapes().empty());
  CHECK(OpCase("Reshape").shaped({6}).attribute("shape", Integers{2, 3}).shapes() ==
        Shapes{{2, 3}});
}

TEST_CASE("axes come and go", "[import][shapes]") {
  CHECK(OpCase("Squeeze").shaped({1, 3, 1}).shapes() == Shapes{{3}});
  CHECK(OpCase("Squeeze").shaped({1, 3, 1}).list({-1}).shapes() == Shapes{{1, 3}});
  CHECK(OpCase("Squeeze").shaped({1, 3}).list({1}).shapes().empty());
  CHECK(OpCase("Unsqueeze").shaped({3}).list({0, -1}).shapes() == Shapes{{1, 3, 1}});
  CHECK(OpCase("Unsqueeze").shaped({3}).list({0, 0}).shapes().empty());
  CHECK(OpCase("Unsqueeze").shaped({3}).attribute("axes", Integers{1}).shapes() == Shapes{{3, 1}});
  CHECK(OpCase("Flatten").shaped({2, 3, 4}).shapes() == Shapes{{2, 12}});
  CHECK(OpCase("Flatten").shaped({2, 3, 4}).attribute("axis", std::int64_t{-1}).shapes() ==
        Shapes{{6, 4}});
  CHECK(OpCase("Transpose").shaped({2, 3, 4}).shapes() == Shapes{{4, 3, 2}});
  CHECK(OpCase("Transpose").shaped({2, 3}).attribute("perm", Integers{1, 1}).shapes().empty());
  CHECK(OpCase("Transpose").shaped({2, 3}).attribute("perm", Integers{0, 7}).shapes().empty());
}

TEST_CASE("parts, joins and repetitions", "[import][shapes]") {
  CHECK(OpCase("Concat").inputs({{2, 3}, {2, 5}}).attribute("axis", std::int64_t{-1}).shapes() ==
        Shapes{{2, 8}});
  CHECK(OpCase("Concat")
            .inputs({{2, 3}, {3, 5}})
            .attribute("axis", std::int64_t{1})
            .shapes()
            .empty());
  CHECK(OpCase("Split").shaped({6, 2}).outputs(3).shapes() == Shapes{{2, 2}, {2, 2}, {2, 2}});
  CHECK(OpCase("Split").shaped({6}).list({1, 5}).outputs(2).shapes() == Shapes{{1}, {5}});
  CHECK(OpCase("Split").shaped({7}).outputs(3).shapes().empty());
  CHECK(OpCase("Split").shaped({7}).outputs(3).attribute("num_outputs", std::int64_t{3}).shapes() ==
        Shapes{{3}, {3}, {1}});
  CHECK(OpCase("Tile").shaped({2, 3}).list({2, 0}).shapes() == Shapes{{4, 0}});
  CHECK(OpCase("Tile").shaped({2}).list({INT64_MAX}).shapes().empty());
  CHECK(OpCase("Expand").shaped({3, 1}).list({2, 1, 4}).shapes() == Shapes{{2, 3, 4}});
  CHECK(OpCase("Gather").inputs({{5, 6}, {2, 2}}).attribute("axis", std::int64_t{1}).shapes() ==
        Shapes{{5, 2, 2}});
  CHECK(OpCase("OneHot").shaped({4}).list({10}).list({0, 1}).shapes() == Shapes{{4, 10}});
  CHECK(OpCase("Pad").shaped({2, 3}).list({0, 1, 2, 1}).shapes() == Shapes{{4, 5}});
  CHECK(OpCase("Pad").shaped({2, 3}).list({1, 1}).absent().list({-1}).shapes() == Shapes{{2, 5}});
  CHECK(OpCase("Pad").shaped({2, 3}).list({0, INT64_MAX, 0, INT64_MAX}).shapes().empty());
}

TEST_CASE("sizes that values decide", "[import][shapes]") {
  CHECK(OpCase("Range").list({0}).list({7}).list({2}).shapes() == Shapes{{4}});
  CHECK(OpCase("Range").list({7}).list({0}).list({-3}).shapes() == Shapes{{3}});
  CHECK(OpCase("Range").list({0}).list({7}).list({-1}).shapes() == Shapes{{0}});
  CHECK(OpCase("Range").list({0}).list({7}).list({0}).shapes().empty());
  CHECK(OpCase("ConstantOfShape").list({2, 3}).shapes() == Shapes{{2, 3}});
  CHECK(OpCase("ConstantOfShape").list({INT64_MAX, 2}).shapes().empty());
  CHECK(OpCase("ConstantOfShape").list({-1}).shapes().empty());
  CHECK(OpCase("Resize").shaped({1, 3, 5, 5}).absent().value(reals({1, 1, 2, 1.5})).shapes() ==
        Shapes{{1, 3, 10, 7}});
  CHECK(OpCase("Resize").shaped({1, 3, 5, 5}).absent(2).list({1, 3, 8, 9}).shapes() ==
        Shapes{{1, 3, 8, 9}});
  CHECK(OpCase("Upsample").opset(9).shaped({1, 4}).value(reals({1, 2})).shapes() == Shapes{{1, 8}});
  CHECK(OpCase("Upsample").opset(9).shaped({1, 4}).value(reals({1, 1e30})).shapes().empty());
}

TEST_CASE("reductions fold the axes they are told", "[import][shapes]") {
  CHECK(OpCase("ReduceMean").shaped({2, 3, 4}).shapes() == Shapes{{1, 1, 1}});
  CHECK(OpCase("ReduceMean")
            .shaped({2, 3, 4})
            .list({1})
            .attribute("keepdims", std::int64_t{0})
            .shapes() == Shapes{{2, 4}});
  CHECK(OpCase("ReduceSum")
            .shaped({2, 3})
            .list({})
            .attribute("noop_with_empty_axes", std::int64_t{1})
            .shapes() == Shapes{{2, 3}});
  CHECK(OpCase("ReduceMax").shaped({2, 3}).attribute("axes", Integers{-1}).shapes() ==
        Shapes{{2, 1}});
  CHECK(OpCase("ReduceMax").shaped({2, 3}).list({5}).shapes().empty());
  CHECK(OpCase("ReduceMax").shaped({2, 3}).unknown().shapes().empty());
}

TEST_CASE("ONNX Runtime's fused ops have shapes too", "[import][shapes]") {
  const std::string ms = "com.microsoft";
  CHECK(OpCase("FusedMatMul", ms)
            .inputs({{2, 4, 3}, {2, 4, 5}})
            .attribute("transA", std::int64_t{1})
            .shapes() == Shapes{{2, 3, 5}});
  CHECK(OpCase("MatMulNBits", ms)
            .inputs({{1, 7, 64}, {32, 2, 16}})
            .attribute("N", std::int64_t{32})
            .shapes() == Shapes{{1, 7, 32}});
  CHECK(OpCase("EmbedLayerNormalization", ms)
            .shaped({2, 8})
            .absent()
            .shaped({100, 16})
            .outputs(2)
            .shapes() == Shapes{{2, 8, 16}, {2}});
  CHECK(OpCase("Attention", ms)
            .inputs({{2, 8, 16}, {16, 48}})
            .attribute("num_heads", std::int64_t{4})
            .outputs(2)
            .shapes() == Shapes{{2, 8, 16}, {2, 2, 4, 8, 4}});
  CHECK(OpCase("Attention", "").inputs({{2, 8, 16}, {16, 48}}).shapes().empty());
  CHECK(OpCase("LayerNormalization").shaped({2, 8, 16}).outputs(3).shapes() ==
        Shapes{{2, 8, 16}, {2, 8, 1}, {2, 8, 1}});
}

TEST_CASE("products whose second operand is packed", "[import][shapes]") {
  const auto packed = [](const char* type) {
    return OpCase(type, std::string("com.microsoft")).with("K", 64).with("N", 32);
  };
  CHECK(packed("MatMulNBits").shaped({1, 7, 64}).shapes() == Shapes{{1, 7, 32}});
  CHECK(packed("MatMulBnb4").with("transB", 0).shaped({1, 7, 32}).shapes() == Shapes{{1, 7, 64}});
  CHECK(OpCase("MatMulFpQ4", std::string("com.microsoft"))
            .inputs({{7, 64}, {900}})
            .list({64, 32})
            .shapes() == Shapes{{7, 32}});
  CHECK(packed("MatMulNBitsMlp").shaped({1, 7, 64}).shapes(2) == Shapes{{1, 7, 32}, {1, 7, 64}});
  CHECK(OpCase("MatMulNBitsQkv", std::string("com.microsoft"))
            .with("Nq", 8)
            .with("Nkv", 4)
            .shaped({7, 64})
            .shapes(4) == Shapes{{7, 8}, {7, 4}, {7, 4}, {7, 64}});
  CHECK(OpCase("FusedMatMul", std::string("com.microsoft"))
            .with("transBatchA", 1)
            .inputs({{4, 2, 3}, {2, 3, 5}})
            .shapes() == Shapes{{2, 4, 5}});
  const auto gemm = OpCase("QGemm", std::string("com.microsoft"))
                        .shaped({2, 3}, Dtype::uint8)
                        .absent(2)
                        .shaped({3, 4});
  CHECK(gemm.infer()[0].dtype == Dtype::float32);
  CHECK(gemm.shapes() == Shapes{{2, 4}});
}

TEST_CASE("images with their channels last", "[import][shapes]") {
  for (const char* type : {"NhwcConv", "NhwcFusedConv"}) {
    CHECK(OpCase(type, std::string("com.microsoft"))
              .with("pads", Integers{1, 1, 1, 1})
              .inputs({{1, 8, 6, 3}, {16, 3, 3, 3}})
              .shapes() == Shapes{{1, 8, 6, 16}});
  }
  auto quantized = OpCase("QLinearConv", std::string("com.microsoft"))
                       .with("channels_last", 1)
                       .with("strides", Integers{2, 2});
  quantized.shaped({1, 8, 6, 3}).absent(2).shaped({16, 3, 2, 2});
  CHECK(quantized.shapes() == Shapes{{1, 4, 3, 16}});
  auto pool =
      OpCase("NhwcMaxPool", std::string("com.microsoft")).with("kernel_shape", Integers{2, 2});
  CHECK(pool.with("strides", Integers{2, 2}).shaped({1, 8, 6, 3}).shapes() == Shapes{{1, 4, 3, 3}});
}

TEST_CASE("small integers are computed exactly, or not at all", "[import][shapes]") {
  CHECK(OpCase("Shape").shaped({2, 3, 4}).integers() == Integers{2, 3, 4});
  CHECK(OpCase("Shape").shaped({2, 3, 4}).attribute("start", std::int64_t{-1}).integers() ==
        Integers{4});
  CHECK(OpCase("Size").shaped({2, 3, 4}).integers() == Integers{24});
  CHECK(OpCase("Add").list({1, 2}).list({10}).integers() == Integers{11, 12});
  CHECK_FALSE(OpCase("Add").list({INT64_MAX}).list({1}).integers());
  CHECK_FALSE(OpCase("Mul").list({INT64_MAX}).list({2}).integers());
  CHECK_FALSE(OpCase("Div").list({4}).list({0}).integers());
  CHECK_FALSE(OpCase("Div").list({INT64_MIN}).list({-1}).integers());
  CHECK(OpCase("Div").list({-7}).list({2}).integers() == Integers{-3});
  CHECK(OpCase("Mod").list({-7}).list({3}).integers() == Integers{2});
  CHECK(OpCase("Equal").list({1, -1}).list({-1}).integers() == Integers{0, 1});
  CHECK(OpCase("Where").list({0, 1}).list({5}).list({6, 7}).integers() == Integers{6, 5});
  CHECK(OpCase("Gather").list({5, 6, 7}).list({-1, 0}).integers() == Integers{7, 5});
  CHECK_FALSE(OpCase("Gather").list({5, 6, 7}).list({3}).integers());
  CHECK(OpCase("Concat").list({1}).list({2, 3}).integers() == Integers{1, 2, 3});
  CHECK_FALSE(OpCase("Concat").list({1}).unknown().integers());
  CHECK(OpCase("Range").list({3}).list({0}).list({-1}).integers() == Integers{3, 2, 1});
  CHECK(OpCase("ReduceProd").list({2, 3, 4}).integers() == Integers{24});
  CHECK(OpCase("NonZero").list({0, 4, 0, 5}).integers() == Integers{1, 3});
  CHECK(OpCase("ScatterND").list({1, 2, 3}).list({1}).list({9}).integers() == Integers{1, 9, 3});
  // A value that would take more room than shapes ever do is not followed.
  CHECK_FALSE(OpCase("Expand").list({1}).list({100'000}).integers());
}

TEST_CASE("casts follow single precision and refuse what does not fit", "[import][shapes]") {
  constexpr std::int64_t kFloat = 1;
  constexpr std::int64_t kInt32 = 6;
  constexpr std::int64_t kInt64 = 7;
  CHECK(OpCase("Cast").value(reals({2.9, -2.9})).attribute("to", kInt64).integers() ==
        Integers{2, -2});
  CHECK_FALSE(OpCase("Cast").value(reals({1e30})).attribute("to", kInt64).integers());
  CHECK_FALSE(OpCase("Cast").list({std::int64_t{1} << 40}).attribute("to", kInt32).integers());
  const auto real =
      test::must(OpCase("Cast").list({16'777'217}).attribute("to", kFloat).evaluated());
  CHECK(real.reals == std::vector<double>{16'777'216});
}

TEST_CASE("slices agree with walking along the axis", "[import][shapes]") {
  const unsigned seed = GENERATE(range(0U, 200U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto pick = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  const std::int64_t size = pick(1, 9);
  Integers data(static_cast<std::size_t>(size));
  for (std::int64_t& element : data) element = pick(-99, 99);
  const std::int64_t start = pick(-12, 12);
  std::int64_t end = pick(-12, 12);
  const std::int64_t step = random() % 2 == 0 ? pick(1, 4) : -pick(1, 4);
  if (random() % 8 == 0) end = step > 0 ? INT64_MAX : INT64_MIN;
  CAPTURE(size, start, end, step);

  // As ONNX has it: resolve negatives, clip, then walk. Unlike Python's, a start before the front
  // is the front also when walking backwards.
  const auto resolve = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
    return std::clamp(at < 0 ? at + size : at, low, high);
  };
  const std::int64_t first = step > 0 ? resolve(start, 0, size) : resolve(start, 0, size - 1);
  const std::int64_t last = step > 0 ? resolve(end, 0, size) : resolve(end, -1, size - 1);
  Integers expected;
  for (std::int64_t at = first; step > 0 ? at < last : at > last; at += step) {
    expected.push_back(data[static_cast<std::size_t>(at)]);
  }
  CHECK(OpCase("Slice").list(data).list({start}).list({end}).list({0}).list({step}).integers() ==
        expected);
}

TEST_CASE("broadcasting is symmetric and fits both", "[import][shapes]") {
  const unsigned seed = GENERATE(range(0U, 50U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto shape = [&] {
    Shape dims(random() % 4);
    for (std::int64_t& dim : dims) dim = static_cast<std::int64_t>(1 + random() % 3);
    return dims;
  };
  const Shape a = shape();
  const Shape b = shape();
  const auto both = broadcast(a, b);
  CHECK(both == broadcast(b, a));
  if (!both) return;
  CHECK(broadcast(a, *both) == both);
  CHECK(both->size() == std::max(a.size(), b.size()));
}

}  // namespace hw
