"""Two of the four MLPerf Tiny reference networks (Banbury et al. 2021), int8, activations fused."""

from .layers import Layers


def ds_cnn():
    """Keyword spotting: 49 frames of 10 coefficients, 12 words (Zhang et al. 2017)."""
    net = Layers("ds_cnn", "int8", fused=True)
    x = net.input("input", (1, 1, 49, 10))
    x = net.conv("conv0", x, 64, (10, 4), 2, activation="Relu")
    for i in range(1, 5):
        x = net.depthwise(f"depthwise{i}", x, activation="Relu")
        x = net.conv(f"pointwise{i}", x, 64, activation="Relu")
    x = net.average_pool("avg_pool", x, (24, 5), (24, 5))
    x = net.dense("dense", net.reshape("flatten", x, (1, 64)), 12)
    net.output(net.unary("softmax", "Softmax", x, axis=-1))
    return net


def resnet8():
    """Image classification on CIFAR-10: three residual stages (after He et al. 2015)."""
    net = Layers("resnet8", "int8", fused=True)
    x = net.input("input", (1, 3, 32, 32))
    x = net.conv("conv0", x, 16, 3, activation="Relu")
    for stage, (channels, stride) in enumerate([(16, 1), (32, 2), (64, 2)], 1):
        name = f"stage{stage}"
        y = net.conv(f"{name}_conv1", x, channels, 3, stride, activation="Relu")
        y = net.conv(f"{name}_conv2", y, channels, 3)
        if stride != 1:
            x = net.conv(f"{name}_shortcut", x, channels, 1, stride)
        x = net.binary(f"{name}_add", "Add", x, y, activation="Relu")
    x = net.average_pool("avg_pool", x, 8, 8)
    x = net.dense("dense", net.reshape("flatten", x, (1, 64)), 10)
    net.output(net.unary("softmax", "Softmax", x, axis=-1))
    return net
