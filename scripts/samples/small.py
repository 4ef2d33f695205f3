"""Small models for learning, most of them known by their sizes in bytes only."""

from .layers import Layers
from .net import Net

MIB = 1 << 20


def sized(name, input_size, ops):
    """`ops`: (op, type, inputs, output, bytes); tensor x comes in, the last output goes out."""
    net = Net(name)
    net.input("x", size=input_size)
    for op, kind, inputs, output, size in ops:
        last = net.sized_op(op, kind, [net.tensors[each] for each in inputs.split()], output, size)
    net.output(last)
    return net


def chain():
    return sized("chain", 4, [("g0", "Conv", "x", "t0", 16), ("g1", "Conv", "t0", "t1", 10),
                              ("g2", "Conv", "t1", "t2", 5), ("g3", "Conv", "t2", "y", 2)])


def residual():
    return sized("residual", 12, [
        ("conv1", "Conv", "x", "a", 32), ("conv2", "Conv", "a", "b", 16),
        ("conv3", "Conv", "b", "c", 32), ("add", "Add", "a c", "d", 32),
        ("fc", "Gemm", "d", "y", 1)])


def inception():
    return sized("inception", 24, [
        ("stem", "Conv", "x", "s", 48), ("b1", "Conv", "s", "p", 16),
        ("b2a", "Conv", "s", "q", 24), ("b2b", "Conv", "q", "r", 32),
        ("b3a", "Conv", "s", "u", 8), ("b3b", "Conv", "u", "v", 16),
        ("cat", "Concat", "p r v", "w", 64), ("head", "Gemm", "w", "y", 4)])


def two_devices():
    return sized("two_devices", 4, [
        ("conv1", "Conv", "x", "a", 16), ("relu", "Relu", "a", "b", 10),
        ("conv2", "Conv", "b", "c", 5), ("add", "Add", "b c", "d", 3),
        ("softmax", "Softmax", "d", "y", 2)])


def late_input():
    """Three operators in a row; the last reads a second input, which comes by a copy of its own."""
    net = Layers("late_input", dtype="int8")
    x = net.input("x", (1, 40))
    z = net.input("z", (1, 40))
    b = net.unary("b", "Relu", net.unary("a", "Relu", x))
    net.output(net.binary("c", "Add", b, z))
    return net


def zero_copy():
    """Reshape, split and concat that cost nothing, and three that must copy."""
    net = Layers("zero_copy", fused=True)
    x = net.input("x", (1, 16, 16, 16))
    x = net.conv("stem", x, 32, 3, activation="Relu")
    left, right = net.split("halves", x, (16, 16), 1)
    left = net.conv("left", left, 16, 3, activation="Relu")
    right = net.conv("right", right, 16, 3, activation="Relu")
    both = net.concat("both", [left, right])
    # `left` is part of `both` already, so a second concat needs a copy of its own.
    again = net.concat("again", [left, net.conv("third", both, 16)])
    rows = net.reshape("rows", net.conv("mix", again, 16), (1, 16, 256))
    # Along the last axis the parts are not in one piece.
    low, high = net.split("columns", rows, (128, 128), 2)
    swapped = net.concat("swapped", [high, low], 2)
    flat = net.reshape("flat", swapped, (1, 4096))
    net.output(net.dense("classes", flat, 10))
    return net


def clusters():
    """Convolutions on one cluster, the rest on the other: what is too large for an L2 is handed
    over in the L3 that both reach."""
    return sized("clusters", 40, [
        ("conv1", "Conv", "x", "a", 60), ("pool", "MaxPool", "a", "b", 20),
        ("conv2", "Conv", "b", "c", 40), ("softmax", "Softmax", "c", "y", 10)])


def side_by_side():
    """After the fork a convolution runs on one cluster while the other multiplies."""
    return sized("side_by_side", 512, [
        ("fork", "Conv", "x", "s", 1024), ("left", "Conv", "s", "a", 24 * 1024),
        ("right", "Gemm", "s", "b", 12 * 1024), ("join", "Add", "a b", "y", 6 * 1024)])


def shared(name, build):
    """int8, so that elements are bytes: x, an operator, what `build` makes of it."""
    net = Layers(name, dtype="int8")
    build(net, net.unary("a", "Relu", net.input("x", (1, 64))))
    return net


def share_reshape():
    def build(net, a):
        net.output(net.unary("y", "Relu", net.reshape("ra", a, (8, 8))))
    return shared("share_reshape", build)


def share_concat():
    def build(net, a):
        parts = [net.unary("p", "Sigmoid", a), net.unary("q", "Tanh", a)]
        net.output(net.unary("y", "Relu", net.concat("c", parts)))
    return shared("share_concat", build)


def share_split():
    def build(net, a):
        p, q = net.split("s", a, (24, 40), 1)
        net.output(net.unary("y", "Relu", p))
        net.output(net.unary("z", "Relu", q))
    return shared("share_split", build)


def share_outputs():
    def build(net, a):
        for part in net.split("s", a, (24, 40), 1):
            net.output(part)
    return shared("share_outputs", build)


# Planning problems: (id, first step, last step, bytes), steps inclusive.

EIGHT_TENSORS = [("t0", 0, 1, 32), ("t1", 1, 4, 28), ("t2", 2, 5, 36), ("t3", 3, 5, 16),
                 ("t4", 4, 5, 8), ("t5", 5, 7, 64), ("t6", 6, 8, 10), ("t7", 7, 8, 40)]

FREE_LIST_SPLIT = [("a", 0, 0, 16 * MIB), ("b", 1, 3, 10 * MIB), ("c", 2, 3, 5 * MIB)]

FREE_LIST_EXTEND = [("a", 0, 0, 2 * MIB), ("wall", 0, 2, 1 * MIB), ("b", 0, 0, 4 * MIB),
                    ("c", 1, 2, 10 * MIB)]

FREE_LIST_MERGE = [("a", 0, 0, 2 * MIB), ("b", 0, 1, 2 * MIB), ("c", 0, 0, 6 * MIB),
                   ("wall", 0, 3, 1 * MIB), ("d", 2, 3, 10 * MIB)]

THREE_SIZES = [("large", 0, 0, 100), ("small", 1, 2, 10), ("medium", 2, 2, 50)]


def write_problem(rows):
    """The CSV's text; its ranges are half-open."""
    lines = [f"{name},{first},{last + 1},{size}\n" for name, first, last, size in rows]
    return "id,lower,upper,size\n" + "".join(lines)
