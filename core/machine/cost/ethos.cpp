#include "core/machine/cost/ethos.h"

namespace hw::ethos {
namespace {

Layer matrixOp(const Loops& loops) {
  const std::int64_t rows = loops[Loop::batch];
  return {.kind = Kind::product,
          .in = {1, rows, loops[Loop::input]},
          .out = {1, rows, loops[Loop::output]},
          .times = static_cast<double>(loops[Loop::group])};
}

}  // namespace

Layer layerOf(const Work& work, const CostedOp& costed) {
  const Loops& loops = *work.loops;
  const bool apart = loops[Loop::input] == 1 && loops[Loop::group] > 1;
  const bool single =
      std::max({loops[Loop::row], loops[Loop::column], loops[Loop::kernelRow],
                loops[Loop::kernelColumn], work.down.image, work.across.image}) == 1;
  const bool depthwise = apart && costed.kind == OpClass::convolution;
  if (single && work.macs > 0 && !depthwise) return matrixOp(loops);
  Layer op{.in = {std::max<std::int64_t>(work.down.image, 1),
                  std::max<std::int64_t>(work.across.image, 1), loops[Loop::input]},
           .out = {loops[Loop::row], loops[Loop::column], loops[Loop::output]},
           .down = work.down,
           .across = work.across,
           .kernelRows = loops[Loop::kernelRow],
           .kernelColumns = loops[Loop::kernelColumn],
           .times = static_cast<double>(loops[Loop::batch])};
  if (work.macs == 0 || apart) {
    op.kind = work.macs == 0 ? Kind::pooling : Kind::depthwise;
    op.in.depth = loops[Loop::group];
    op.out.depth = cyclesTimes(loops[Loop::group], loops[Loop::output]);
  } else {
    op.times *= static_cast<double>(loops[Loop::group]);
  }
  return op;
}

Moved moved(const Layer& op, const CostedOp& costed, const Blocks& blocks) {
  const auto depth = [](std::int64_t channels, bool caller) {
    return static_cast<double>(caller ? channels : padded(channels, kBrick));
  };
  Volume times = tiles(op.out, smaller(op.out, blocks.out));
  if (op.keepsDepth()) times.depth = 1;
  return {smaller(op.in, blocks.in).places() * depth(op.in.depth, costed.fromCaller) *
              op.kernels() * times.elements(),
          op.out.places() * depth(op.out.depth, costed.toCaller)};
}

}  // namespace hw::ethos
