#include <catch2/catch.hpp>
#include <random>

#include "tests/core/ops/op_case.h"

// Rules for windows, recurrences and what rearranges blocks. Expectations are worked out by hand
// from the operators' definitions, or by counting.

namespace hw {

TEST_CASE("convolutions slide over each axis", "[import][shapes]") {
  CHECK(OpCase("Conv")
            .inputs({{1, 3, 224, 224}, {64, 3, 7, 7}})
            .with("strides", Integers{2, 2})
            .with("pads", Integers{3, 3, 3, 3})
            .shapes() == Shapes{{1, 64, 112, 112}});
  CHECK(OpCase("Conv").inputs({{1, 3, 9}, {4, 3, 3}}).with("dilations", Integers{3}).shapes() ==
        Shapes{{1, 4, 3}});
  CHECK(OpCase("Conv")
            .inputs({{1, 3, 9}, {4, 3, 3}})
            .with("strides", Integers{2})
            .with("auto_pad", std::string("SAME_UPPER"))
            .shapes() == Shapes{{1, 4, 5}});
  // Pads do not count where the op pads by itself, or not at all.
  CHECK(OpCase("Conv")
            .inputs({{1, 3, 9}, {4, 3, 3}})
            .with("pads", Integers{5, 5})
            .with("auto_pad", std::string("VALID"))
            .shapes() == Shapes{{1, 4, 7}});
  CHECK(OpCase("Conv").inputs({{1, 3, 9}, {4, 3, 3, 3}}).shapes().empty());
  CHECK(
      OpCase("Conv").inputs({{1, 3, 9}, {4, 3, 3}}).with("strides", Integers{0}).shapes().empty());
  CHECK(OpCase("Conv").inputs({{1, 3, 2}, {4, 3, 3}}).shapes().empty());
  CHECK(OpCase("ConvInteger")
            .shaped({1, 1, 4}, Dtype::uint8)
            .shaped({2, 1, 3}, Dtype::uint8)
            .infer()[0]
            .dtype == Dtype::int32);
}

TEST_CASE("a window has as many places as one counts", "[import][shapes]") {
  std::mt19937 random(GENERATE(range(0U, 200U)));
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  const std::int64_t size = pick(1, 20);
  const std::int64_t kernel = pick(1, 5);
  const std::int64_t stride = pick(1, 4);
  const std::int64_t dilation = pick(1, 3);
  const std::int64_t before = pick(0, 3);
  const std::int64_t after = pick(0, 3);
  CAPTURE(size, kernel, stride, dilation, before, after);
  std::int64_t places = 0;
  for (std::int64_t at = -before; at + (kernel - 1) * dilation < size + after; at += stride)
    ++places;
  const Shapes found = OpCase("MaxPool")
                           .shaped({1, 2, size})
                           .with("kernel_shape", Integers{kernel})
                           .with("strides", Integers{stride})
                           .with("dilations", Integers{dilation})
                           .with("pads", Integers{before, after})
                           .shapes();
  if (places == 0) CHECK(found.empty());
  if (places > 0) CHECK(found == Shapes{{1, 2, places}});
}

TEST_CASE("a transposed convolution undoes the shape of one", "[import][shapes]") {
  std::mt19937 random(GENERATE(range(0U, 100U)));
  const auto pick = [&](int least, int most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  const std::int64_t size = pick(6, 20);
  const std::int64_t kernel = pick(1, 5);
  const std::int64_t stride = pick(1, 3);
  const std::int64_t pad = pick(0, 2);
  CAPTURE(size, kernel, stride, pad);
  OpCase forwards("Conv");
  forwards.inputs({{1, 4, size}, {6, 4, kernel}})
      .with("strides", Integers{stride})
      .with("pads", Integers{pad, pad});
  const Shapes small = forwards.shapes();
  REQUIRE(small.size() == 1);
  const std::int64_t lost = (size + 2 * pad - kernel) % stride;
  OpCase back("ConvTranspose");
  back.shaped(small[0])
      .shaped({6, 4, kernel})
      .with("strides", Integers{stride})
      .with("pads", Integers{pad, pad})
      .with("output_padding", Integers{lost});
  CHECK(back.shapes() == Shapes{{1, 4, size}});
}

TEST_CASE("grouped and fixed outputs of a transposed convolution", "[import][shapes]") {
  CHECK(OpCase("ConvTranspose").inputs({{1, 6, 4}, {6, 2, 3}}).with("group", 3).shapes() ==
        Shapes{{1, 6, 6}});
  CHECK(OpCase("ConvTranspose")
            .inputs({{1, 6, 4}, {6, 2, 3}})
            .with("output_shape", Integers{9})
            .shapes() == Shapes{{1, 2, 9}});
  CHECK(OpCase("MaxUnpool")
            .inputs({{1, 2, 3}, {1, 2, 3}})
            .with("kernel_shape", Integers{2})
            .with("strides", Integers{2})
            .shapes() == Shapes{{1, 2, 6}});
}

TEST_CASE("recurrences hand out all states, then the last", "[import][shapes]") {
  OpCase lstm("LSTM");
  lstm.inputs({{10, 2, 3}, {2, 20, 3}, {2, 20, 5}}).with("hidden_size", 5);
  CHECK(lstm.shapes(3) == Shapes{{10, 2, 2, 5}, {2, 2, 5}, {2, 2, 5}});
  OpCase gru("GRU");
  gru.inputs({{2, 10, 3}, {1, 15, 3}, {1, 15, 5}}).with("layout", 1);
  CHECK(gru.shapes(2) == Shapes{{2, 10, 1, 5}, {2, 1, 5}});
}

TEST_CASE("a contraction keeps the labels behind its arrow", "[import][shapes]") {
  const auto einsum = [](const std::string& equation, const Shapes& inputs) {
    OpCase op("Einsum");
    op.with("equation", equation);
    for (const Shape& shape : inputs) op.shaped(shape);
    return op.shapes();
  };
  CHECK(einsum("bij, bjk -> bik", {{2, 3, 4}, {2, 4, 5}}) == Shapes{{2, 3, 5}});
  CHECK(einsum("ij,jk", {{3, 4}, {4, 5}}) == Shapes{{3, 5}});
  CHECK(einsum("ii", {{3, 3}}) == Shapes{Shape()});
  CHECK(einsum("ba", {{3, 4}}) == Shapes{{4, 3}});
  CHECK(einsum("...ij,...jk->...ik", {{7, 1, 3, 4}, {6, 4, 5}}) == Shapes{{7, 6, 3, 5}});
  CHECK(einsum("...i->i...", {{3}}) == Shapes{{3}});
  CHECK(einsum("ij,jk->ik", {{3, 4}, {6, 5}}).empty());
  CHECK(einsum("ij->ik", {{3, 4}}).empty());
  CHECK(einsum("ij,jk->ik", {{3, 4}}).empty());
  CHECK(einsum("i", {{3, 4}}).empty());
}

TEST_CASE("blocks, slices and signals", "[import][shapes]") {
  CHECK(OpCase("DepthToSpace").shaped({1, 8, 2, 3}).with("blocksize", 2).shapes() ==
        Shapes{{1, 2, 4, 6}});
  CHECK(OpCase("SpaceToDepth").shaped({1, 2, 4, 6}).with("blocksize", 2).shapes() ==
        Shapes{{1, 8, 2, 3}});
  CHECK(OpCase("DepthToSpace").shaped({1, 8, 2, 3}).with("blocksize", 0).shapes().empty());
  CHECK(OpCase("GatherND").shaped({2, 3, 4}).shaped({5, 2}, Dtype::int64).shapes() ==
        Shapes{{5, 4}});
  CHECK(OpCase("GatherND")
            .shaped({2, 3, 4})
            .shaped({2, 1}, Dtype::int64)
            .with("batch_dims", 1)
            .shapes() == Shapes{{2, 4}});
  CHECK(OpCase("TopK").shaped({2, 9}).list({3}).shapes(2) == Shapes{{2, 3}, {2, 3}});
  CHECK(OpCase("TopK").shaped({2, 9}).list({30}).shapes(2).empty());
  CHECK(OpCase("HannWindow").list({16}).shapes() == Shapes{{16}});
  CHECK(OpCase("STFT").shaped({1, 128, 1}).list({8}).absent().list({16}).shapes() ==
        Shapes{{1, 15, 9, 2}});
  CHECK(OpCase("MelWeightMatrix").list({8}).list({16}).shapes() == Shapes{{9, 8}});
  CHECK(OpCase("GridSample").inputs({{1, 3, 8, 8}, {1, 5, 6, 2}}).shapes() == Shapes{{1, 3, 5, 6}});
  CHECK(OpCase("RoiAlign").inputs({{1, 3, 8, 8}, {7, 4}}).with("output_height", 2).shapes() ==
        Shapes{{7, 3, 2, 1}});
  CHECK(OpCase("BatchNormalization").inputs({{1, 3, 8}, {3}}).shapes(3) ==
        Shapes{{1, 3, 8}, {3}, {3}});
  CHECK(OpCase("RandomNormal").with("shape", Integers{2, 3}).shapes() == Shapes{{2, 3}});
}

TEST_CASE("with channels last, windows and blocks do the same", "[import][shapes][tflite]") {
  const unsigned seed = GENERATE(range(0U, 40U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto pick = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  const Shape image = {pick(1, 3), 4 * pick(1, 3), 2 * pick(2, 6), 2 * pick(2, 6)};
  const auto turned = [](const Shape& s) { return Shape{s[0], s[2], s[3], s[1]}; };
  const Integers kernel = {pick(1, 3), pick(1, 3)};
  const Integers strides = {pick(1, 2), pick(1, 2)};
  const std::string padding = random() % 2 == 0 ? "SAME_UPPER" : "VALID";
  const std::int64_t channels = pick(1, 8);
  const auto agree = [&](OpCase first, OpCase last) {
    for (OpCase* one : {&first, &last}) {
      one->with("strides", strides).with("auto_pad", padding).with("kernel_shape", kernel);
    }
    const Shapes expected = first.shapes();
    REQUIRE(expected.size() == 1);
    CHECK(last.with("channels_last", 1).shapes() == Shapes{turned(expected[0])});
  };
  agree(OpCase("MaxPool").shaped(image), OpCase("MAX_POOL_2D", "tflite").shaped(turned(image)));
  agree(OpCase("Conv").shaped(image).shaped({channels, image[1], kernel[0], kernel[1]}),
        OpCase("CONV_2D", "tflite")
            .shaped(turned(image))
            .shaped({channels, kernel[0], kernel[1], image[1]}));
  agree(
      OpCase("Conv").with("group", 4).shaped(image).shaped({4 * channels, 1, kernel[0], kernel[1]}),
      OpCase("DEPTHWISE_CONV_2D", "tflite")
          .shaped(turned(image))
          .shaped({1, kernel[0], kernel[1], 4 * channels}));
  agree(OpCase("SpaceToDepth").with("blocksize", 2).shaped(image),
        OpCase("SPACE_TO_DEPTH", "tflite").with("blocksize", 2).shaped(turned(image)));
  agree(OpCase("DepthToSpace").with("blocksize", 2).shaped(image),
        OpCase("DEPTH_TO_SPACE", "tflite").with("blocksize", 2).shaped(turned(image)));
}

TEST_CASE("operators that only TFLite has", "[import][shapes][tflite]") {
  const auto lite = [](const char* type) { return OpCase(type, "tflite"); };
  CHECK(lite("FULLY_CONNECTED").inputs({{2, 3, 4}, {5, 12}}).shapes() == Shapes{{2, 5}});
  CHECK(lite("FULLY_CONNECTED").inputs({{2, 3, 4}, {5, 7}}).shapes().empty());
  CHECK(lite("FULLY_CONNECTED").with("keep_num_dims", 1).inputs({{2, 3, 4}, {5, 4}}).shapes() ==
        Shapes{{2, 3, 5}});
  CHECK(lite("PACK").with("axis", -1).inputs({{2, 3}, {2, 3}}).shapes() == Shapes{{2, 3, 2}});
  CHECK(lite("UNPACK").with("axis", 1).shaped({2, 3}).shapes(3) == Shapes{{2}, {2}, {2}});
  CHECK(lite("SVDF").with("rank", 2).inputs({{1, 40}, {64, 40}}).shapes() == Shapes{{1, 32}});
  CHECK(lite("SPACE_TO_BATCH_ND").shaped({1, 5, 6, 3}).list({2, 2}).list({0, 1, 0, 0}).shapes() ==
        Shapes{{4, 3, 3, 3}});
  CHECK(lite("BATCH_TO_SPACE_ND").shaped({4, 3, 3, 3}).list({2, 2}).list({0, 1, 0, 0}).shapes() ==
        Shapes{{1, 5, 6, 3}});
  CHECK(lite("GATHER").with("axis", 1).with("batch_dims", 1).inputs({{2, 7, 5}, {2, 4}}).shapes() ==
        Shapes{{2, 4, 5}});
  CHECK(lite("MATRIX_DIAG").shaped({2, 3}).shapes() == Shapes{{2, 3, 3}});
  // Axes that a slice drops must have one element left.
  CHECK(OpCase("Slice")
            .shaped({4, 5})
            .with("dropped_axes", Integers{0})
            .list({1})
            .list({2})
            .shapes() == Shapes{{5}});
  CHECK(OpCase("Slice")
            .shaped({4, 5})
            .with("dropped_axes", Integers{0})
            .list({1})
            .list({3})
            .shapes()
            .empty());
}

}  // namespace hw
