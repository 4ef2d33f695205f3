#include "core/ops/op_rows.h"

// Ops of ONNX Runtime and of classic machine learning, by name.

namespace hw {
namespace {

constexpr OpInfo kMicrosoft[] = {
    op("Attention", shapes::attention).works(work::projectedAttention),
    op("BeamSearch").bounded(bounds::beamSearch),
    like("BiasAdd"),
    op("BiasDropout", shapes::dropout),
    like("BiasGelu"),
    like("BiasSoftmax"),
    like("BitmaskBiasDropout"),
    like("ComplexMul"),
    like("ComplexMulConj"),
    moved("ConcatTraining", shapes::concat),
    op("DecoderMaskedMultiHeadAttention", shapes::multiHeadAttention)
        .works(work::multiHeadAttention),
    like("DequantizeBFP"),
    op("DequantizeLinear", shapes::dequantize).needs(regions::first),
    op("DynamicQuantizeLSTM", shapes::recurrence).works(work::recurrence),
    op("DynamicQuantizeMatMul", shapes::fusedMatMul).works(work::product),
    op("EmbedLayerNormalization", shapes::embedNormalization),
    op("ExpandDims", shapes::expandDims),
    mapped("FastGelu"),
    op("FusedConv", shapes::convolution).works(work::convolution).needs(regions::convolution),
    op("FusedGemm", shapes::gemm).works(work::gemm),
    op("FusedMatMul", shapes::fusedMatMul).works(work::gemm),
    op("FusedMatMulActivation", shapes::fusedMatMul).works(work::gemm),
    like("GatedRelativePositionBias"),
    op("GatherBlockQuantized", shapes::gatherQuantized),
    op("GatherND", shapes::gatherNd),
    mapped("Gelu"),
    op("GemmFastGelu", shapes::fusedMatMul).works(work::product),
    like("GemmaRotaryEmbedding"),
    op("GreedySearch").bounded(bounds::greedySearch),
    op("GridSample", shapes::gridSample),
    like("GroupNorm"),
    op("GroupQueryAttention", shapes::groupQueryAttention).works(work::groupQueryAttention),
    like("Inverse"),
    op("LayerNormalization", shapes::layerNormalization)
        .over(InPlace::first)
        .needs(regions::normalised),
    like("LongformerAttention"),
    op("MatMulBnb4", shapes::packedMatMul).works(work::packedProduct),
    op("MatMulFpQ4", shapes::packedMatMul).works(work::packedProduct),
    op("MatMulInteger16", shapes::fusedMatMul).works(work::product),
    op("MatMulIntegerToFloat", shapes::matMulToFloat).works(work::product),
    op("MatMulNBits", shapes::packedMatMul).works(work::packedProduct),
    like("MoE"),
    op("MultiHeadAttention", shapes::multiHeadAttention).works(work::multiHeadAttention),
    like("NGramRepeatBlock"),
    op("NhwcConv").works(work::convolution),
    op("NhwcFusedConv").works(work::convolution),
    pooled("NhwcMaxPool", nullptr).needs(nullptr),
    like("PackedMultiHeadAttention"),
    moved("Pad", shapes::pad).needs(regions::pad),
    op("QAttention", shapes::quantizedAttention).works(work::quantizedAttention),
    op("QGemm").works(work::gemm),
    op("QLinearAdd", shapes::quantizedPair).needs(regions::elements),
    pooled("QLinearAveragePool"),
    op("QLinearConcat", shapes::quantizedConcat),
    op("QLinearConv").works(work::convolution).weightAt(3),
    op("QLinearGlobalAveragePool", shapes::globalPool).is(OpClass::reduction),
    like("QLinearLeakyRelu").needs(regions::first),
    op("QLinearMul", shapes::quantizedPair).needs(regions::elements),
    reduced("QLinearReduceMean"),
    like("QLinearSigmoid").needs(regions::first),
    like("QLinearSoftmax"),
    op("QLinearWhere"),
    like("QMoE"),
    op("QuantizeLinear", shapes::quantize).needs(regions::first),
    mapped("QuickGelu"),
    op("Range").bounded(bounds::range),
    like("RotaryEmbedding"),
    op("Sampling").bounded(bounds::greedySearch),
    op("SimplifiedLayerNormalization", shapes::layerNormalization)
        .over(InPlace::first)
        .needs(regions::normalised),
    like("SkipGroupNorm"),
    op("SkipLayerNormalization", shapes::skipNormalization),
    op("SkipSimplifiedLayerNormalization", shapes::skipNormalization),
    op("SparseAttention", shapes::groupQueryAttention).works(work::groupQueryAttention),
    op("SparseToDenseMatMul", shapes::fusedMatMul).works(work::product),
    moved("SplitTraining", shapes::split),
    op("TransposeMatMul", shapes::fusedMatMul).works(work::gemm),
    like("Trilu"),
    op("Unique").bounded(bounds::unique),
    op("WhisperBeamSearch").bounded(bounds::beamSearch),
};

constexpr OpInfo kClassic[] = {
    op("ArrayFeatureExtractor", shapes::arrayFeatureExtractor),
    like("Binarizer"),
    op("CastMap"),
    op("CategoryMapper", shapes::labelEncoder),
    op("DictVectorizer"),
    op("FeatureVectorizer", shapes::featureVectorizer),
    like("Imputer"),
    op("LabelEncoder", shapes::labelEncoder),
    op("LinearClassifier", shapes::classifier),
    op("LinearRegressor", shapes::regressor),
    op("Normalizer", shapes::sameAsFirstFloat),
    op("OneHotEncoder", shapes::oneHotEncoder),
    op("SVMClassifier", shapes::classifier),
    op("SVMRegressor", shapes::regressor),
    op("Scaler", shapes::sameAsFirstFloat),
    op("TreeEnsemble"),
    op("TreeEnsembleClassifier", shapes::classifier),
    op("TreeEnsembleRegressor", shapes::regressor),
    op("ZipMap"),
};

}  // namespace

std::span<const OpInfo> microsoftOps() { return kMicrosoft; }
std::span<const OpInfo> classicOps() { return kClassic; }

}  // namespace hw
