"""Inception v3 (Szegedy et al. 2015), 299 x 299, without the auxiliary classifier."""

from .classifiers import image_head
from .layers import Layers

WIDE, TALL = (1, 7), (7, 1)


def chain(net, name, x, layers):
    """Convolutions with ReLU one after the other: (channels, kernel[, stride, padding])."""
    for i, layer in enumerate(layers, 1):
        channels, kernel, stride, pad = (*layer, 1, "same")[:4] if len(layer) == 2 else layer
        x = net.conv(f"{name}.{i}", x, channels, kernel, stride, pad, activation="Relu")
    return x


def pooled(net, name, x, channels):
    x = net.average_pool(f"{name}.avg", x, 3, 1, 1)
    return chain(net, name, x, [(channels, 1)])


def block_a(net, name, x, pool_channels):
    return net.concat(f"{name}.concat", [
        chain(net, f"{name}.b1x1", x, [(64, 1)]),
        chain(net, f"{name}.b5x5", x, [(48, 1), (64, 5)]),
        chain(net, f"{name}.b3x3", x, [(64, 1), (96, 3), (96, 3)]),
        pooled(net, f"{name}.pool", x, pool_channels)])


def reduce_a(net, name, x):
    return net.concat(f"{name}.concat", [
        chain(net, f"{name}.b3x3", x, [(384, 3, 2, "valid")]),
        chain(net, f"{name}.double", x, [(64, 1), (96, 3), (96, 3, 2, "valid")]),
        net.max_pool(f"{name}.pool", x, 3, 2)])


def block_b(net, name, x, width):
    return net.concat(f"{name}.concat", [
        chain(net, f"{name}.b1x1", x, [(192, 1)]),
        chain(net, f"{name}.b7x7", x, [(width, 1), (width, WIDE), (192, TALL)]),
        chain(net, f"{name}.double", x,
              [(width, 1), (width, TALL), (width, WIDE), (width, TALL), (192, WIDE)]),
        pooled(net, f"{name}.pool", x, 192)])


def reduce_b(net, name, x):
    return net.concat(f"{name}.concat", [
        chain(net, f"{name}.b3x3", x, [(192, 1), (320, 3, 2, "valid")]),
        chain(net, f"{name}.b7x7", x,
              [(192, 1), (192, WIDE), (192, TALL), (192, 3, 2, "valid")]),
        net.max_pool(f"{name}.pool", x, 3, 2)])


def forked(net, name, x):
    """A 1 x 3 and a 3 x 1 layer side by side."""
    return net.concat(f"{name}.concat", [chain(net, f"{name}.wide", x, [(384, (1, 3))]),
                                         chain(net, f"{name}.tall", x, [(384, (3, 1))])])


def block_c(net, name, x):
    middle = chain(net, f"{name}.b3x3", x, [(384, 1)])
    double = chain(net, f"{name}.double", x, [(448, 1), (384, 3)])
    return net.concat(f"{name}.concat", [
        chain(net, f"{name}.b1x1", x, [(320, 1)]),
        forked(net, f"{name}.fork1", middle),
        forked(net, f"{name}.fork2", double),
        pooled(net, f"{name}.pool", x, 192)])


def inception_v3():
    net = Layers("inception_v3")
    x = net.input("input", (1, 3, 299, 299))
    x = chain(net, "stem1", x, [(32, 3, 2, "valid"), (32, 3, 1, "valid"), (64, 3)])
    x = net.max_pool("stem1.pool", x, 3, 2)
    x = chain(net, "stem2", x, [(80, 1), (192, 3, 1, "valid")])
    x = net.max_pool("stem2.pool", x, 3, 2)
    for i, channels in enumerate((32, 64, 64), 1):
        x = block_a(net, f"mixed_a{i}", x, channels)
    x = reduce_a(net, "reduce_a", x)
    for i, width in enumerate((128, 160, 160, 192), 1):
        x = block_b(net, f"mixed_b{i}", x, width)
    x = reduce_b(net, "reduce_b", x)
    for i in (1, 2):
        x = block_c(net, f"mixed_c{i}", x)
    return image_head(net, x)
