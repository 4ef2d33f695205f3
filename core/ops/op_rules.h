#pragma once

#include "core/ops/op_table.h"

// The rules that rows of the op table are made of, by the file that holds them.

namespace hw {

/// One output with a known shape.
inline OutputFacts one(Dtype dtype, Shape shape) { return {{dtype, std::move(shape)}}; }

/// One output whose shape may have failed to come about.
inline OutputFacts maybe(Dtype dtype, std::optional<Shape> shape) {
  return shape ? one(dtype, std::move(*shape)) : OutputFacts();
}

/// One output like an input.
OutputFacts like(const OpFacts& facts, std::size_t input);

/// The same with another type for output 0.
OutputFacts retyped(OutputFacts outputs, Dtype dtype);

/// The type that the attribute `name` names.
Dtype typeNamed(const OpFacts& facts, const char* name, Dtype otherwise);

/// The attribute `name`; nothing where there is none, or a negative one.
std::optional<std::int64_t> sizeNamed(const OpFacts& facts, const char* name);

/// One output as input 0, but for the last dimension.
OutputFacts withWidth(const OpFacts& facts, std::optional<std::int64_t> width);

/// The same facts about another op, for rules that go on with what they have rearranged.
OpFacts onOther(const OpFacts& facts, const Op& op);

/// The attribute `name` as a number of heads; 0 when it is missing or absurd.
std::int64_t headCount(const OpFacts& facts, const char* name);

/// The product of inputs `a` and `b`, turned round where `transA` and `transB` say so.
OutputFacts productOf(const OpFacts& facts, std::size_t a, std::size_t b, Dtype dtype);

/// The shape of a matrix product after NumPy's rules; nothing when the two do not fit.
std::optional<Shape> matrixProduct(const Shape& a, const Shape& b);

}  // namespace hw

namespace hw::shapes {

/// Depends on a body or on the tensors of a sequence: core/import/onnx works it out.
ShapeRule elsewhere;

// element_rules.cpp: one element from another, and axes that are folded away.
ShapeRule sameAsFirst, sameAsFirstFloat, sameAsFirstBoolean, sameAsSecond, broadcastAll, compare,
    where, cast, castLike, quantize, dequantize, dynamicQuantize, quantizedPair, quantizedConcat,
    reduce, argReduce, sizeOf, dropout, crop, firstTwo, integerPair, quantizedWhere,
    quantizedReduce, wideReduce;
// structure_rules.cpp: rearrange, cut, join and resize.
ShapeRule reshape, flatten, squeeze, unsqueeze, expandDims, transpose, expand, tile, concat, stack,
    unstack, split, slice, gather, gatherElements, pad, range, shapeGiven, oneHot, resize, upsample;
// network_rules.cpp: normalisation, attention and products.
ShapeRule fusedMatMul, gemm, matMulToFloat, integerProduct, linearProduct, dense,
    layerNormalization, skipNormalization, embedNormalization, standardAttention, flexibleAttention,
    batchTurnedMatMul, packedMatMul, shapedMatMul, packedMlp, packedProjections, float8Gemm,
    quantizedGemm, orderedMatMul, wideInteger16, gatherQuantized;
// runtime/attention_rules.cpp: attention and recurrent states with their caches.
ShapeRule attention, quantizedAttention, packedAttention, multiHeadAttention, maskedAttention,
    packedHeads, groupQueryAttention, sparseAttention, pagedAttention, decoderAttention,
    orderedAttention, linearAttention, gatedDelta, causalConvolution, packedCausalConvolution;
// runtime/runtime_rules.cpp: what else ONNX Runtime has.
ShapeRule allLikeFirst, eachLikeInput, rotatedPair, attentionGate, biasDropout, bitmaskDropout,
    halved, pairDistances, dynamicPadsConvolution, cropAndResize, fromBlocks, intoBlocks, typedAsTo,
    asBytes, hashed, tokenHashes, packedTokenHashes, gatedBias, positionBias,
    lastChannelConvolution, lastChannelPool, quantizedConvolution, quantizedEmbedding,
    restoredPadding, embedding, wordEmbedding, trueOrFalse, optimized;
// window_rules.cpp: windows that slide over images, and blocks that move about in them.
ShapeRule pool, convolution, integerConvolution, linearConvolution, transposedConvolution, unpool,
    regionPool, regionAlign, gridSample, depthToSpace, spaceToDepth, spaceToBatch, batchToSpace;
// tensor_rules.cpp: generated tensors, recurrences, and what belongs nowhere else.
ShapeRule typedLikeFirst, shapeAttribute, multinomial, batchNormalization, determinant, gatherNd,
    topK, recurrence, units, projectedUnits, rankedUnits, contraction, loss, ngrams, matrixDiagonal,
    scalar;
// signal_rules.cpp: pictures and signals.
ShapeRule globalPool, centerCropPad, columnsToImage, affineGrid, fourier, windowFunction,
    melWeights, shortFourier, realFourier, inverseRealFourier, unfolded;
// classic_rules.cpp: classic machine learning.
ShapeRule labelEncoder, regressor, classifier, featureVectorizer, oneHotEncoder,
    arrayFeatureExtractor, treeEnsemble;

}  // namespace hw::shapes

// open_rules.cpp: ops that find out at run time how much there is.
namespace hw::bounds {

OpenRule nonZero, compress, unique, nonMaxSuppression, topK, range, slice, resize, imageDecoder,
    decodeImage, encodeImage, beamSearch, greedySearch;
// runtime/
OpenRule sharedScores, removedPadding, timeWarping, bifurcation, uniqueElements, tokens,
    gradientAxes;

}  // namespace hw::bounds

namespace hw::values {

// arithmetic_evaluators.cpp: new elements.
Evaluator add, subtract, multiply, divide, floorDivide, modulo, least, most, equal, less,
    lessOrEqual, greater, greaterOrEqual, exclusiveOr, both, either, power, invert, negate,
    absolute, floorOf, ceilOf, roundOf, squareRoot, cast, castLike, shapeOf, sizeOf, rankOf,
    constantOfShape, constant, range, nonZero, reduceProduct, reduceSum, reduceMost, reduceLeast;
// movement_evaluators.cpp: elements moved.
Evaluator identity, gather, slice, concat, stack, reshapedByRule, transpose, expand, tile, split,
    where, scatter;
// selection_evaluators.cpp: elements picked or limited.
Evaluator clip, signOf, runningSum, placeOfMost, placeOfLeast, gatherElements, compress;

}  // namespace hw::values

// region_rules.cpp: which part of its inputs an op needs.
namespace hw::regions {

RegionRule elements, first, normalised, softmax, acrossChannels, window, convolution,
    transposedConvolution, resize, pad, joined, cut, reduced, transposed, spread, gathered;

}  // namespace hw::regions

// work_rules.cpp
namespace hw::work {

WorkRule convolution, transposedConvolution, dense, gemm, product, packedProduct, recurrence,
    weightMatrices, attention, groupQueryAttention, multiHeadAttention, projectedAttention,
    quantizedAttention, contraction, numberedContraction, pooling, body;

}  // namespace hw::work
