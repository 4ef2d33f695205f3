#include "core/ops/op_facts.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <random>

#include "core/ops/op_table.h"

namespace hw {
namespace {

using Integers = std::vector<std::int64_t>;

/// An op about to be inferred, its inputs given one by one.
class Case {
 public:
  explicit Case(std::string type, std::string domain = {}) {
    op_.type = std::move(type);
    op_.domain = std::move(domain);
  }
  Case& attribute(const std::string& name, AttributeValue value) {
    op_.attributes.emplace(name, std::move(value));
    return *this;
  }
  /// An input of which only the shape is known.
  Case& shaped(Shape shape, Dtype dtype = Dtype::float32) {
    inputs_.push_back({.present = true, .facts = {dtype, std::move(shape)}});
    return *this;
  }
  Case& absent() {
    inputs_.push_back({});
    return *this;
  }
  /// An input of which nothing is known.
  Case& unknown() {
    inputs_.push_back({.present = true});
    return *this;
  }
  Case& value(SmallValue value) {
    values_.push_back(std::make_unique<SmallValue>(std::move(value)));
    inputs_.push_back({.present = true,
                       .facts = {values_.back()->dtype, values_.back()->shape},
                       .value = values_.back().get()});
    return *this;
  }
  Case& list(Integers integers) { return value(integerList(std::move(integers))); }
  Case& outputs(std::size_t count) {
    count_ = count;
    return *this;
  }
  Case& opset(std::int64_t version) {
    opset_ = version;
    return *this;
  }

  OpFacts facts() const { return {op_, opset_, inputs_, count_}; }
  /// Shapes of the outputs; empty when the rule cannot tell.
  std::vector<Shape> shapes() const {
    std::vector<Shape> shapes;
    for (const TensorFacts& output : inferByRule(facts())) {
      shapes.push_back(output.shape.value_or(Shape{-1}));
    }
    return shapes;
  }
  std::optional<SmallValue> evaluated() const {
    const auto values = evaluateSmall(facts());
    return values.empty() ? std::nullopt : std::optional(values[0]);
  }
  std::optional<Integers> integers() const {
    const auto result = evaluated();
    return result ? std::optional(result->integers) : std::nullopt;
  }

 private:
  Op op_;
  std::int64_t opset_ = 18;
  std::vector<OpFacts::Input> inputs_;
  std::vector<std::unique_ptr<SmallValue>> values_;
  std::size_t count_ = 1;
};

SmallValue reals(std::vector<double> elements) {
  SmallValue value{.dtype = Dtype::float32, .shape = {static_cast<std::int64_t>(elements.size())}};
  value.reals = std::move(elements);
  return value;
}

using Shapes = std::vector<Shape>;

}  // namespace

// Found by fuzzing.
TEST_CASE("an op whose inputs were left out has no value", "[import]") {
  for (const OpInfo& info : opTable()) {
    if (!info.domain.empty()) continue;
    CAPTURE(info.type);
    CHECK(evaluateSmall(Case(std::string(info.type)).facts()).empty());
    CHECK(evaluateSmall(Case(std::string(info.type)).absent().facts()).empty());
    CHECK(evaluateSmall(Case(std::string(info.type)).list({1}).absent().absent().facts()).size() <
          3);
    inferByRule(Case(std::string(info.type)).facts());
    inferByRule(Case(std::string(info.type)).absent().list({1}).facts());
  }
}

TEST_CASE("reshape keeps, copies and fills dimensions", "[import][shapes]") {
  CHECK(Case("Reshape").shaped({2, 3, 4}).list({-1, 6}).shapes() == Shapes{{4, 6}});
  CHECK(Case("Reshape").shaped({2, 3, 4}).list({0, 0, -1}).shapes() == Shapes{{2, 3, 4}});
  CHECK(Case("Reshape")
            .shaped({0, 3})
            .list({3, 0})
            .attribute("allowzero", std::int64_t{1})
            .shapes() == Shapes{{3, 0}});
  CHECK(Case("Reshape").shaped({2, 3}).list({4, -1}).shapes().empty());   // 6 is not 4 n.
  CHECK(Case("Reshape").shaped({2, 3}).list({-1, -1}).shapes().empty());  // Two open ones.
  CHECK(Case("Reshape").shaped({2, 3}).list({7}).shapes().empty());
  CHECK(Case("Reshape").shaped({2, 3}).list({0, 0, 0}).shapes().empty());
  CHECK(Case("Reshape").shaped({2, 3}).unknown().shapes().empty());
  CHECK(Case("Reshape").shaped({6}).attribute("shape", Integers{2, 3}).shapes() == Shapes{{2, 3}});
}

TEST_CASE("axes come and go", "[import][shapes]") {
  CHECK(Case("Squeeze").shaped({1, 3, 1}).shapes() == Shapes{{3}});
  CHECK(Case("Squeeze").shaped({1, 3, 1}).list({-1}).shapes() == Shapes{{1, 3}});
  CHECK(Case("Squeeze").shaped({1, 3}).list({1}).shapes().empty());
  CHECK(Case("Unsqueeze").shaped({3}).list({0, -1}).shapes() == Shapes{{1, 3, 1}});
  CHECK(Case("Unsqueeze").shaped({3}).list({0, 0}).shapes().empty());
  CHECK(Case("Unsqueeze").shaped({3}).attribute("axes", Integers{1}).shapes() == Shapes{{3, 1}});
  CHECK(Case("Flatten").shaped({2, 3, 4}).shapes() == Shapes{{2, 12}});
  CHECK(Case("Flatten").shaped({2, 3, 4}).attribute("axis", std::int64_t{-1}).shapes() ==
        Shapes{{6, 4}});
  CHECK(Case("Transpose").shaped({2, 3, 4}).shapes() == Shapes{{4, 3, 2}});
  CHECK(Case("Transpose").shaped({2, 3}).attribute("perm", Integers{1, 1}).shapes().empty());
  CHECK(Case("Transpose").shaped({2, 3}).attribute("perm", Integers{0, 7}).shapes().empty());
}

TEST_CASE("parts, joins and repetitions", "[import][shapes]") {
  CHECK(Case("Concat").shaped({2, 3}).shaped({2, 5}).attribute("axis", std::int64_t{-1}).shapes() ==
        Shapes{{2, 8}});
  CHECK(Case("Concat")
            .shaped({2, 3})
            .shaped({3, 5})
            .attribute("axis", std::int64_t{1})
            .shapes()
            .empty());
  CHECK(Case("Split").shaped({6, 2}).outputs(3).shapes() == Shapes{{2, 2}, {2, 2}, {2, 2}});
  CHECK(Case("Split").shaped({6}).list({1, 5}).outputs(2).shapes() == Shapes{{1}, {5}});
  CHECK(Case("Split").shaped({7}).outputs(3).shapes().empty());
  CHECK(Case("Split").shaped({7}).outputs(3).attribute("num_outputs", std::int64_t{3}).shapes() ==
        Shapes{{3}, {3}, {1}});
  CHECK(Case("Tile").shaped({2, 3}).list({2, 0}).shapes() == Shapes{{4, 0}});
  CHECK(Case("Tile").shaped({2}).list({INT64_MAX}).shapes().empty());
  CHECK(Case("Expand").shaped({3, 1}).list({2, 1, 4}).shapes() == Shapes{{2, 3, 4}});
  CHECK(Case("Gather").shaped({5, 6}).shaped({2, 2}).attribute("axis", std::int64_t{1}).shapes() ==
        Shapes{{5, 2, 2}});
  CHECK(Case("OneHot").shaped({4}).list({10}).list({0, 1}).shapes() == Shapes{{4, 10}});
  CHECK(Case("Pad").shaped({2, 3}).list({0, 1, 2, 1}).shapes() == Shapes{{4, 5}});
  CHECK(Case("Pad").shaped({2, 3}).list({1, 1}).absent().list({-1}).shapes() == Shapes{{2, 5}});
  CHECK(Case("Pad").shaped({2, 3}).list({0, INT64_MAX, 0, INT64_MAX}).shapes().empty());
}

TEST_CASE("sizes that values decide", "[import][shapes]") {
  CHECK(Case("Range").list({0}).list({7}).list({2}).shapes() == Shapes{{4}});
  CHECK(Case("Range").list({7}).list({0}).list({-3}).shapes() == Shapes{{3}});
  CHECK(Case("Range").list({0}).list({7}).list({-1}).shapes() == Shapes{{0}});
  CHECK(Case("Range").list({0}).list({7}).list({0}).shapes().empty());
  CHECK(Case("ConstantOfShape").list({2, 3}).shapes() == Shapes{{2, 3}});
  CHECK(Case("ConstantOfShape").list({INT64_MAX, 2}).shapes().empty());
  CHECK(Case("ConstantOfShape").list({-1}).shapes().empty());
  CHECK(Case("Resize").shaped({1, 3, 5, 5}).absent().value(reals({1, 1, 2, 1.5})).shapes() ==
        Shapes{{1, 3, 10, 7}});
  CHECK(Case("Resize").shaped({1, 3, 5, 5}).absent().absent().list({1, 3, 8, 9}).shapes() ==
        Shapes{{1, 3, 8, 9}});
  CHECK(Case("Upsample").opset(9).shaped({1, 4}).value(reals({1, 2})).shapes() == Shapes{{1, 8}});
  CHECK(Case("Upsample").opset(9).shaped({1, 4}).value(reals({1, 1e30})).shapes().empty());
}

TEST_CASE("reductions fold the axes they are told", "[import][shapes]") {
  CHECK(Case("ReduceMean").shaped({2, 3, 4}).shapes() == Shapes{{1, 1, 1}});
  CHECK(Case("ReduceMean")
            .shaped({2, 3, 4})
            .list({1})
            .attribute("keepdims", std::int64_t{0})
            .shapes() == Shapes{{2, 4}});
  CHECK(Case("ReduceSum")
            .shaped({2, 3})
            .list({})
            .attribute("noop_with_empty_axes", std::int64_t{1})
            .shapes() == Shapes{{2, 3}});
  CHECK(Case("ReduceMax").shaped({2, 3}).attribute("axes", Integers{-1}).shapes() ==
        Shapes{{2, 1}});
  CHECK(Case("ReduceMax").shaped({2, 3}).list({5}).shapes().empty());
  CHECK(Case("ReduceMax").shaped({2, 3}).unknown().shapes().empty());
}

TEST_CASE("ONNX Runtime's fused ops have shapes too", "[import][shapes]") {
  const std::string ms = "com.microsoft";
  CHECK(Case("FusedMatMul", ms)
            .shaped({2, 4, 3})
            .shaped({2, 4, 5})
            .attribute("transA", std::int64_t{1})
            .shapes() == Shapes{{2, 3, 5}});
  CHECK(Case("MatMulNBits", ms)
            .shaped({1, 7, 64})
            .shaped({32, 2, 16})
            .attribute("N", std::int64_t{32})
            .shapes() == Shapes{{1, 7, 32}});
  CHECK(Case("EmbedLayerNormalization", ms)
            .shaped({2, 8})
            .absent()
            .shaped({100, 16})
            .outputs(2)
            .shapes() == Shapes{{2, 8, 16}, {2}});
  CHECK(Case("Attention", ms)
            .shaped({2, 8, 16})
            .shaped({16, 48})
            .attribute("num_heads", std::int64_t{4})
            .outputs(2)
            .shapes() == Shapes{{2, 8, 16}, {2, 2, 4, 8, 4}});
  CHECK(Case("Attention", "").shaped({2, 8, 16}).shaped({16, 48}).shapes().empty());
  CHECK(Case("LayerNormalization").shaped({2, 8, 16}).outputs(3).shapes() ==
        Shapes{{2, 8, 16}, {2, 8, 1}, {2, 8, 1}});
}

TEST_CASE("small integers are computed exactly, or not at all", "[import][shapes]") {
  CHECK(Case("Shape").shaped({2, 3, 4}).integers() == Integers{2, 3, 4});
  CHECK(Case("Shape").shaped({2, 3, 4}).attribute("start", std::int64_t{-1}).integers() ==
        Integers{4});
  CHECK(Case("Size").shaped({2, 3, 4}).integers() == Integers{24});
  CHECK(Case("Add").list({1, 2}).list({10}).integers() == Integers{11, 12});
  CHECK_FALSE(Case("Add").list({INT64_MAX}).list({1}).integers());
  CHECK_FALSE(Case("Mul").list({INT64_MAX}).list({2}).integers());
  CHECK_FALSE(Case("Div").list({4}).list({0}).integers());
  CHECK_FALSE(Case("Div").list({INT64_MIN}).list({-1}).integers());
  CHECK(Case("Div").list({-7}).list({2}).integers() == Integers{-3});
  CHECK(Case("Mod").list({-7}).list({3}).integers() == Integers{2});
  CHECK(Case("Equal").list({1, -1}).list({-1}).integers() == Integers{0, 1});
  CHECK(Case("Where").list({0, 1}).list({5}).list({6, 7}).integers() == Integers{6, 5});
  CHECK(Case("Gather").list({5, 6, 7}).list({-1, 0}).integers() == Integers{7, 5});
  CHECK_FALSE(Case("Gather").list({5, 6, 7}).list({3}).integers());
  CHECK(Case("Concat").list({1}).list({2, 3}).integers() == Integers{1, 2, 3});
  CHECK_FALSE(Case("Concat").list({1}).unknown().integers());
  CHECK(Case("Range").list({3}).list({0}).list({-1}).integers() == Integers{3, 2, 1});
  CHECK(Case("ReduceProd").list({2, 3, 4}).integers() == Integers{24});
  CHECK(Case("NonZero").list({0, 4, 0, 5}).integers() == Integers{1, 3});
  CHECK(Case("ScatterND").list({1, 2, 3}).list({1}).list({9}).integers() == Integers{1, 9, 3});
  // A value that would take more room than shapes ever do is not followed.
  CHECK_FALSE(Case("Expand").list({1}).list({100'000}).integers());
}

TEST_CASE("casts follow single precision and refuse what does not fit", "[import][shapes]") {
  constexpr std::int64_t kFloat = 1;
  constexpr std::int64_t kInt32 = 6;
  constexpr std::int64_t kInt64 = 7;
  CHECK(Case("Cast").value(reals({2.9, -2.9})).attribute("to", kInt64).integers() ==
        Integers{2, -2});
  CHECK_FALSE(Case("Cast").value(reals({1e30})).attribute("to", kInt64).integers());
  CHECK_FALSE(Case("Cast").list({std::int64_t{1} << 40}).attribute("to", kInt32).integers());
  const auto real = Case("Cast").list({16'777'217}).attribute("to", kFloat).evaluated();
  REQUIRE(real);
  CHECK(real->reals == std::vector<double>{16'777'216});
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
  CHECK(Case("Slice").list(data).list({start}).list({end}).list({0}).list({step}).integers() ==
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
