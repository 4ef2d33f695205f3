"""MobileNet v1 (Howard et al. 2017) and v2 (Sandler et al. 2018), width 1.0, 224 x 224.

As TensorFlow Lite ships them: batch norm folded, ReLU6 fused, 1001 classes (ImageNet and a
background class), the classifier a 1 x 1 convolution, squeezed before the softmax.
"""

from .layers import Layers

# (channels, stride) of the 13 pairs of depthwise and pointwise layers.
V1_PAIRS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1),
            (512, 1), (512, 1), (512, 1), (1024, 2), (1024, 1)]

# (expansion, channels, repeats, stride of the first) of the inverted residual stages.
V2_STAGES = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
             (6, 160, 3, 2), (6, 320, 1, 1)]


def classifier(net, x):
    x = net.global_pool("avg_pool", x)
    x = net.conv("logits", x, 1001)
    x = net.reshape("squeeze", x, (1, 1001))
    net.output(net.unary("softmax", "Softmax", x, axis=-1))
    return net


def mobilenet_v1(name, dtype):
    net = Layers(name, dtype, fused=True)
    x = net.input("input", (1, 3, 224, 224))
    x = net.conv("conv0", x, 32, 3, 2, activation="Relu6")
    for i, (channels, stride) in enumerate(V1_PAIRS, 1):
        x = net.depthwise(f"conv{i}_depthwise", x, 3, stride, activation="Relu6")
        x = net.conv(f"conv{i}_pointwise", x, channels, activation="Relu6")
    return classifier(net, x)


def inverted_residual(net, name, x, expansion, channels, stride):
    y = x
    if expansion > 1:
        y = net.conv(f"{name}_expand", y, x.shape[1] * expansion, activation="Relu6")
    y = net.depthwise(f"{name}_depthwise", y, 3, stride, activation="Relu6")
    y = net.conv(f"{name}_project", y, channels)
    if stride == 1 and channels == x.shape[1]:
        y = net.binary(f"{name}_add", "Add", x, y)
    return y


def mobilenet_v2(name, dtype):
    net = Layers(name, dtype, fused=True)
    x = net.input("input", (1, 3, 224, 224))
    x = net.conv("conv0", x, 32, 3, 2, activation="Relu6")
    block = 0
    for expansion, channels, repeats, stride in V2_STAGES:
        for repeat in range(repeats):
            x = inverted_residual(net, f"block{block}", x, expansion, channels,
                                  stride if repeat == 0 else 1)
            block += 1
    return classifier(net, net.conv("conv_last", x, 1280, activation="Relu6"))
