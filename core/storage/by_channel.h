#pragma once

#include <optional>

#include "core/graph/graph.h"

namespace hw {

/// What an op needs to be held aside to run over its input: one plane of its output, the places of
/// one channel. Nothing for an op that cannot.
///
/// It must be a convolution each of whose channels is made of the one at the same place, into no
/// more places than that has, of elements of the same width. For each channel of each image, in
/// order, its kernel makes the plane in scratch, which reads all that is ever read of the channel
/// there, and copies it to where that was: with channels first to its plane or one before, with
/// channels last, with the stride of the channels, to places of the same channel.
///
///     channels first    | c0 | c1 | c2 |  ->  |c0|c1|c2|          never past what was read
///     channels last     |012|012|012|012| ->  |012|012|           never beside the channel
///
/// Lin et al., "MCUNet", NeurIPS 2020, run depthwise convolutions so.
std::optional<Bytes> channelScratch(const Graph& graph, const Op& op);

}  // namespace hw
