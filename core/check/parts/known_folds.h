#pragma once

#include "core/graph/graph.h"

namespace hw {

/// An op whose output is the same whatever the order in which the elements of its first input come,
/// and how many at a time: a sum, a mean, the largest; a pool only where its window is all of the
/// image. From what the op means, tap by tap.
bool foldsItsInput(const Graph& graph, OpId op);

/// A convolution each of whose elements adds up products of all channels of its first input, so
/// that channels may come some at a time. From what it means, tap by tap.
bool addsUpChannels(const Graph& graph, OpId op);

/// What comes of some elements of such an op is a sum, and not one of them.
bool addsUp(const Op& op);

/// The axis of the channels of what it reads first.
std::size_t channelsOf(const Graph& graph, OpId op);

}  // namespace hw
