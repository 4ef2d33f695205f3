#include "core/ops/op_table.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <tuple>

#include "core/import/tflite/model.h"
#include "core/ops/op_rules.h"
#include "tests/core/ops/op_case.h"

namespace hw {
namespace {

const std::string kMs = "com.microsoft";

/// All that docs/ContribOperators.md of ONNX Runtime 1.30 documents.
constexpr const char* kDocumented = R"(
Attention AttnLSTM BeamSearch BiasAdd BiasDropout BiasGelu BiasSoftmax BiasSplitGelu
BifurcationDetector BitmaskBiasDropout BitmaskDropout CDist CausalConvWithState ComplexMul
ComplexMulConj ConvTransposeWithDynamicPads CropAndResize DecoderAttention
DecoderMaskedMultiHeadAttention DecoderMaskedSelfAttention DequantizeBFP DequantizeLinear
DequantizeWithOrder DynamicQuantizeLSTM DynamicQuantizeMatMul DynamicTimeWarping EPContext
EmbedLayerNormalization EngramGate ExpandDims FastGelu FusedConv FusedGemm FusedMatMul
FusedMatMulActivation GatedAdd GatedDeltaNet GatedRMSNorm GatedRelativePositionBias
GatherBlockQuantized GatherND Gelu GemmFastGelu GemmFloat8 GemmaRotaryEmbedding GreedySearch
GridSample GroupNorm GroupQueryAttention Inverse Irfft IsAllFinite LinearAttention
LinearAttentionGate LongformerAttention MRotaryEmbedding MatMulBlockQuantizedFp4Weight
MatMulBlockQuantizedFp8Weight MatMulBnb4 MatMulFpQ4 MatMulInteger16 MatMulIntegerToFloat
MatMulNBits MatMulNBitsMlp MatMulNBitsQkv MaxpoolWithMask MoE MulInteger MultiHeadAttention
MurmurHash3 NGramHashMapping NGramRepeatBlock NhwcConv NhwcFusedConv NhwcMaxPool PackedAttention
PackedMultiHeadAttention Pad PagedAttention QAttention QEmbedLayerNormalization QGemm QLinearAdd
QLinearAveragePool QLinearConcat QLinearConv QLinearGlobalAveragePool QLinearLeakyRelu
QLinearMul QLinearReduceMean QLinearSigmoid QLinearSoftmax QLinearWhere QMoE QOrderedAttention
QOrderedGelu QOrderedLayerNormalization QOrderedLongformerAttention QOrderedMatMul QuantizeBFP
QuantizeLinear QuantizeWithOrder QuickGelu Range ReduceSumInteger RelativePositionBias
RemovePadding RestorePadding Rfft RotaryEmbedding SampleOp Sampling SkipGroupNorm
SkipLayerNormalization SkipSimplifiedLayerNormalization Snpe SparseAttention SparseToDenseMatMul
Tokenizer TorchEmbedding TransposeMatMul Trilu UnfoldTensor Unique VarlenCausalConvWithState
VarlenNGramHashMapping WhisperBeamSearch WordConvEmbedding)";

std::vector<Shape> open(const OpCase& op) {
  std::vector<Shape> most;
  for (const OpenFacts& output : inferOpenOutputs(op.facts())) most.push_back(output.most);
  return most;
}

}  // namespace

TEST_CASE("every op has one row, in the order that looking up needs", "[graph][ops]") {
  const auto key = [](const OpInfo& info) { return std::tuple(info.domain, info.type); };
  CHECK(std::ranges::is_sorted(opTable(), {}, key));
  for (const OpInfo& info : opTable()) {
    CAPTURE(info.type, info.domain);
    CHECK(std::ranges::count(opTable(), key(info), key) == 1);
    CHECK(findOp(info.type, info.domain) == &info);
    // What multiplies says how much; what shows its input under another name moves nothing.
    CHECK(multiplies(info.kind) ==
          (info.work != nullptr && info.work != work::pooling && info.work != work::body));
    CHECK((info.view == ViewFamily::none || info.kind == OpClass::movement));
  }
}

TEST_CASE("a row is found by type and domain, never by a stranger's domain", "[graph][ops]") {
  REQUIRE(findOp("Conv", "") != nullptr);
  CHECK(findOp("Conv", "")->work == &work::convolution);
  CHECK(findOp("Conv", "my.own") == nullptr);
  CHECK(findOp("conv", "") == nullptr);
  // Graph JSON has no domains, so ONNX Runtime's ops are found without theirs.
  CHECK(findOp("FusedConv", "") == findOp("FusedConv", "com.microsoft"));
  // The two ops called Attention differ.
  CHECK(findOp("Attention", "")->shape != findOp("Attention", "com.microsoft")->shape);
}

TEST_CASE("TFLite's operators are standard ones under another name, or say what they are",
          "[graph][ops]") {
  CHECK(std::ranges::is_sorted(tfliteOps(), {}, &NumberedOp::code));
  for (const auto& [code, row] : tfliteOps()) {
    CAPTURE(row.type);
    CHECK(tfliteOpName(code) == row.type);
    const OpInfo* info = findOp(row.type, "tflite");
    REQUIRE(info != nullptr);
    if (row.standard.empty()) continue;
    const OpInfo* standard = findOp(row.standard, "");
    REQUIRE(standard != nullptr);
    CHECK(standard->domain.empty());
    CHECK(info->shape == standard->shape);
    CHECK(info->evaluate == standard->evaluate);
    CHECK(info->inPlace == standard->inPlace);
    CHECK(info->kind == standard->kind);
  }
  CHECK(tfliteOps().size() > 200);
  CHECK(tfliteOpName(127) == "BUILTIN_127");
  // By hand, since a name that stands for the wrong op would agree with it all the same.
  CHECK(findOp("FLOOR_MOD", "tflite")->standard == "Mod");
  CHECK(findOp("MEAN", "tflite")->kind == OpClass::pooling);
  CHECK(findOp("TRANSPOSE", "tflite")->kind == OpClass::movement);
  CHECK(findOp("CONCATENATION", "tflite")->view == ViewFamily::concat);
  CHECK(findOp("DEPTHWISE_CONV_2D", "tflite")->inPlace == InPlace::depthwise);
  CHECK(findOp("CONV", "tflite") == nullptr);
  CHECK(findOp("CONV_2D", "") == nullptr);
}

TEST_CASE("an op's data is where its row says", "[graph][ops]") {
  const auto dataOf = [](const std::string& type, const std::string& domain) {
    return dataInput(
        {.type = type, .domain = domain, .inputs = {TensorId(4), TensorId(5), TensorId(6)}});
  };
  CHECK(dataOf("Split", "") == TensorId(4));
  CHECK(dataOf("SPLIT", "tflite") == TensorId(5));
  CHECK(dataOf("SPLIT_V", "tflite") == TensorId(4));
  CHECK(dataOf("TRANSPOSE_CONV", "tflite") == TensorId(6));
  CHECK(dataOf("NobodyKnows", "") == TensorId(4));
  CHECK_FALSE(dataInput({.type = "SPLIT", .domain = "tflite", .inputs = {TensorId(4)}}));
}

TEST_CASE("every documented op of ONNX Runtime has a rule for its sizes", "[import][shapes]") {
  std::istringstream documented(kDocumented);
  for (std::string name; documented >> name;) {
    CAPTURE(name);
    const OpInfo* row = findOp(name, kMs);
    REQUIRE(row != nullptr);
    // What a compiled part of a model makes, only the file can tell.
    const bool isOpaque = name == "EPContext" || name == "Snpe";
    CHECK((row->shape != nullptr || row->open != nullptr) != isOpaque);
  }
}

TEST_CASE("a cache grows by the new tokens, or stays the buffer that it is", "[import][shapes]") {
  const auto heads = [](const char* type) { return OpCase(type, kMs).with("num_heads", 2); };
  const auto apart = heads("MultiHeadAttention")
                         .inputs({{1, 3, 64}, {1, 3, 64}, {1, 3, 64}})
                         .absent(3)
                         .inputs({{1, 2, 7, 32}, {1, 2, 7, 32}});
  CHECK(apart.shapes(4) == Shapes{{1, 3, 64}, {1, 2, 10, 32}, {1, 2, 10, 32}, {1, 2, 3, 10}});
  auto shared = heads("MultiHeadAttention")
                    .inputs({{1, 1, 64}, {1, 1, 64}, {1, 1, 64}})
                    .absent(3)
                    .inputs({{1, 2, 16, 32}, {1, 2, 16, 32}})
                    .unknown();
  CHECK(shared.shapes(4) == Shapes{{1, 1, 64}, {1, 2, 16, 32}, {1, 2, 16, 32}, {-1}});
  CHECK(open(OpCase(shared).outputs(4)).back() == Shape{1, 2, 1, 16});
  auto masked = heads("DecoderMaskedMultiHeadAttention")
                    .inputs({{1, 1, 64}, {1, 1, 64}, {1, 1, 64}})
                    .absent(2)
                    .inputs({{1, 2, 16, 32}, {1, 2, 16, 32}});
  CHECK(masked.shapes(3) == Shapes{{1, 1, 64}, {1, 2, 17, 32}, {1, 2, 17, 32}});
  CHECK(OpCase(masked).with("past_present_share_buffer", 1).shapes(3) ==
        Shapes{{1, 1, 64}, {1, 2, 16, 32}, {1, 2, 16, 32}});
  for (const char* type : {"Attention", "DecoderMaskedSelfAttention"}) {
    const auto self =
        heads(type).inputs({{1, 1, 64}, {64, 192}}).absent(2).shaped({2, 1, 2, 16, 32});
    CHECK(self.shapes(2) == Shapes{{1, 1, 64}, {2, 1, 2, 17, 32}});
    CHECK(OpCase(self).with("past_present_share_buffer", 1).shapes(2) ==
          Shapes{{1, 1, 64}, {2, 1, 2, 16, 32}});
  }
  const auto packed = heads("MultiHeadAttention").shaped({2, 5, 2, 3, 32});
  CHECK(packed.shapes(3) == Shapes{{2, 5, 64}, {2, 2, 5, 32}, {2, 2, 5, 32}});
}

TEST_CASE("groups of queries share keys, whose buffer may be long enough", "[import][shapes]") {
  const auto grouped = [](int total) {
    auto op = OpCase("GroupQueryAttention", kMs).with("num_heads", 4).with("kv_num_heads", 2);
    op.inputs({{1, 1, 64}, {1, 1, 32}, {1, 1, 32}});
    op.shaped({1, 2, 16, 16}, Dtype::int8).shaped({1, 2, 16, 16}, Dtype::int8).unknown();
    return total > 0 ? op.value({.dtype = Dtype::int32, .integers = {total}}) : op.unknown();
  };
  CHECK(grouped(9).shapes(4) == Shapes{{1, 1, 64}, {1, 2, 16, 16}, {1, 2, 16, 16}, {1, 4, 1, 9}});
  CHECK(grouped(20).shapes(3)[1] == Shape{1, 2, 20, 16});
  CHECK(grouped(0).shapes(3)[1] == Shape{1, 2, 17, 16});
  CHECK(grouped(0).with("sliding_window_cache", 1).shapes(3)[1] == Shape{1, 2, 16, 16});
  CHECK(grouped(9).infer(3)[1].dtype == Dtype::int8);
  auto first = OpCase("GroupQueryAttention", kMs).with("num_heads", 4).with("kv_num_heads", 2);
  first.shaped({1, 7, 128}).absent(4).unknown().unknown();
  CHECK(first.shapes(3) == Shapes{{1, 7, 64}, {1, 2, 7, 16}, {1, 2, 7, 16}});
}

TEST_CASE("states of recurrent attention", "[import][shapes]") {
  for (const std::string domain : {"", "com.microsoft"}) {
    auto linear = OpCase("LinearAttention", domain).with("q_num_heads", 4).with("kv_num_heads", 2);
    linear.inputs({{1, 5, 32}, {1, 5, 16}, {1, 5, 24}});
    CHECK(linear.shapes(2) == Shapes{{1, 5, 48}, {1, 2, 8, 12}});
    auto causal = OpCase("CausalConvWithState", domain).inputs({{1, 6, 9}, {6, 1, 4}});
    CHECK(causal.shapes(2) == Shapes{{1, 6, 9}, {1, 6, 3}});
  }
  auto windowed = OpCase("CausalConvWithState", kMs).with("state_window", 2).with("dilation", 2);
  windowed.with("channels_last", 1).inputs({{1, 9, 6}, {6, 1, 4}});
  CHECK(windowed.shapes(2) == Shapes{{1, 9, 6}, {2, 1, 6, 6}});
  auto gated = OpCase("GatedDeltaNet", kMs).with("state_update_capacity", 2);
  gated.inputs({{7, 2, 8}, {7, 2, 8}, {7, 4, 16}}).shaped({4}, Dtype::int32);
  CHECK(gated.shapes(3) == Shapes{{7, 4, 16}, {3, 4, 16, 8}, {3, 2 * (4 + 2 * 8 + 4 * 16)}});
}

TEST_CASE("what else the runtime computes", "[import][shapes]") {
  const auto ms = [](const char* type) { return OpCase(type, kMs); };
  CHECK(ms("BitmaskDropout").shaped({5, 13}).infer(2)[1].dtype == Dtype::uint32);
  CHECK(ms("BitmaskDropout").shaped({5, 13}).shapes(2) == Shapes{{5, 13}, {3}});
  CHECK(ms("BiasDropout").opset(1).shaped({5, 13}).infer(2)[1].dtype == Dtype::boolean);
  CHECK(ms("GemmaRotaryEmbedding")
            .inputs({{1, 9, 8}, {1, 4, 9, 8}})
            .absent()
            .shaped({1, 2, 9, 8})
            .shapes(2) == Shapes{{1, 4, 9, 8}, {1, 2, 9, 8}});
  CHECK(ms("NGramRepeatBlock").inputs({{2, 9}, {2, 100}}).shapes() == Shapes{{2, 100}});
  CHECK(ms("QLinearReduceMean")
            .with("axes", Integers{2, 3})
            .with("keepdims", 0)
            .inputs({{1, 8, 4, 4}, {}})
            .shapes() == Shapes{{1, 8}});
  CHECK(ms("QLinearWhere").inputs({{4, 1}, {4, 8}}).absent(2).shaped({8}).shapes() ==
        Shapes{{4, 8}});
  CHECK(ms("RestorePadding").inputs({{7, 64}, {2, 5}}).shapes() == Shapes{{2, 5, 64}});
  CHECK(open(ms("RemovePadding").inputs({{2, 5, 64}, {2}})) == Shapes{{10, 64}, {2, 5}, {3}, {1}});
  CHECK(ms("Rfft").shaped({3, 16}).shapes() == Shapes{{3, 9, 2}});
  CHECK(ms("Irfft").shaped({3, 9, 2}).shapes() == Shapes{{3, 16}});
  CHECK(
      ms("UnfoldTensor").with("dim", 1).with("size", 4).with("step", 2).shaped({3, 10}).shapes() ==
      Shapes{{3, 4, 4}});
  CHECK(ms("RelativePositionBias").shaped({32, 8}).list({6}).list({6}).shapes() ==
        Shapes{{1, 8, 6, 6}});
  CHECK(ms("YieldOp").inputs({{2, 3}, {4}}).shapes(2) == Shapes{{2, 3}, {4}});
  CHECK(ms("Send").unknown().unknown().shapes() == Shapes{{}});
  CHECK(ms("Range").value({.integers = {2}}).value({.integers = {7}}).shapes() == Shapes{{5}});
}

TEST_CASE("what QONNX, PULP and the newest opsets add", "[import][shapes]") {
  for (const std::string domain : {"onnx.brevitas", "qonnx.custom_op.general"}) {
    for (const std::string type : {"Quant", "BipolarQuant", "Trunc", "IntQuant", "FloatQuant"}) {
      CAPTURE(domain, type);
      CHECK(OpCase(type, domain).inputs({{1, 64}, {1, 64}}).shapes() == Shapes{{1, 64}});
    }
  }
  for (const std::string type : {"RequantShift", "iGELU", "iHardswish", "RequantizediGELU"}) {
    CAPTURE(type);
    REQUIRE(findOp(type, "PACTOps") != nullptr);
    CHECK(findOp(type, "PACTOps")->inPlace == InPlace::first);
    CHECK(OpCase(type).inputs({{1, 8, 4, 4}, {8}, {8}}).shapes() == Shapes{{1, 8, 4, 4}});
  }
  CHECK(OpCase("BitCast").with("to", 6).shaped({2, 64}).infer()[0].dtype == Dtype::int32);
  CHECK(OpCase("CumProd").shaped({2, 64}, Dtype::int32).list({1}).infer()[0].dtype == Dtype::int32);
  CHECK(OpCase("SwiGLU").inputs({{2, 64}, {2, 64}}).shapes() == Shapes{{2, 64}});
  CHECK(OpCase("FlexAttention", "ai.onnx.preview")
            .inputs({{1, 4, 6, 8}, {1, 4, 9, 8}, {1, 4, 9, 16}})
            .shapes() == Shapes{{1, 4, 6, 16}});
  // (rate, step, two values, their gradients, their moments) -> values and moments.
  CHECK(OpCase("Adagrad", "ai.onnx.preview.training")
            .inputs({{}, {}, {2}, {3}, {2}, {3}, {2}, {3}})
            .shapes(4) == Shapes{{2}, {3}, {2}, {3}});
  CHECK(OpCase("LabelEncoder", "ai.onnx.ml")
            .with("values_tensor", 6)
            .shaped({4}, Dtype::string)
            .infer()[0]
            .dtype == Dtype::int32);
}

}  // namespace hw
