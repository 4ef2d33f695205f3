"""Sizes and bounds of a network from the script's own data: the oracle of the samples' tests.

Nothing is aliased, nothing is rounded up; graph inputs and outputs count unless told otherwise.
"""

from dataclasses import dataclass
from itertools import accumulate
from math import prod


@dataclass(frozen=True)
class Figures:
    ops: int
    tensors: int  # Planned ones: without constants.
    total: int  # Bytes, without any reuse.
    lower_bound: int  # Bytes: the most that is live at one step.
    weights: int  # Bytes of constants.
    macs: int


def lifetimes(net):
    """Tensor -> inclusive (first, last) steps, constants left out."""
    first = {tensor.name: 0 for tensor in net.inputs}
    last = dict(first)
    for step, op in enumerate(net.ops):
        for tensor in op.inputs:
            if tensor and not tensor.constant:
                last[tensor.name] = step
        for tensor in op.outputs:
            first[tensor.name] = last[tensor.name] = step
    last |= {tensor.name: len(net.ops) - 1 for tensor in net.outputs}
    return {name: (first[name], last[name]) for name in first}


def live_peak(stays):
    """The largest sum of sizes live at once, of (first, last, size) with inclusive steps."""
    change = {}
    for first, last, size in stays:
        change[first] = change.get(first, 0) + size
        change[last + 1] = change.get(last + 1, 0) - size
    return max(accumulate(change[step] for step in sorted(change)))


def op_macs(op):
    """Multiply-accumulates; 0 for what has none, such as pooling and element-wise ops."""
    out = op.outputs[0].shape
    if op.type == "Conv":
        return prod(out) * prod(op.inputs[1].shape[1:])
    if op.type == "ConvTranspose":
        return prod(op.inputs[0].shape) * prod(op.inputs[1].shape[1:])
    if op.type in ("Gemm", "MatMul"):
        return prod(out) * op.inputs[0].shape[-1]
    return 0


def figures_of(net, boundary=True):
    """`boundary` is false to leave graph inputs and outputs out."""
    outside = set() if boundary else {tensor.name for tensor in net.inputs + net.outputs}
    stays = [(first, last, net.tensors[name].bytes)
             for name, (first, last) in lifetimes(net).items() if name not in outside]
    weights = sum(tensor.bytes for tensor in net.tensors.values() if tensor.constant)
    shaped = all(tensor.shape is not None for tensor in net.tensors.values())
    return Figures(len(net.ops), len(stays), sum(size for _, _, size in stays), live_peak(stays),
                   weights, sum(map(op_macs, net.ops)) if shaped else 0)
