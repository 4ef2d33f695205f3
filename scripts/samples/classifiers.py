"""Image classifiers with skips, branches and dense connections. Batch norm is folded into the
convolution before it, as exporters do; where it comes first (DenseNet) it stays."""

from .layers import Layers


def resnet50():
    """He et al. 2015, the common variant with the stride in the 3 x 3 layer ("v1.5")."""
    net = Layers("resnet50")
    x = net.input("input", (1, 3, 224, 224))
    x = net.conv("conv1", x, 64, 7, 2, 3, activation="Relu")
    x = net.max_pool("maxpool", x, 3, 2, 1)
    for stage, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)], 1):
        for block in range(blocks):
            stride = 2 if stage > 1 and block == 0 else 1
            x = bottleneck(net, f"layer{stage}.{block}", x, width, stride)
    return image_head(net, x)


def bottleneck(net, name, x, width, stride):
    y = net.conv(f"{name}.conv1", x, width, activation="Relu")
    y = net.conv(f"{name}.conv2", y, width, 3, stride, 1, activation="Relu")
    y = net.conv(f"{name}.conv3", y, 4 * width)
    if x.shape[1] != 4 * width:
        x = net.conv(f"{name}.downsample", x, 4 * width, 1, stride, 0)
    return net.binary(f"{name}.add", "Add", y, x, activation="Relu")


def image_head(net, x, classes=1000):
    x = net.flatten("flatten", net.global_pool("avgpool", x))
    net.output(net.dense("fc", x, classes))
    return net


def densenet121():
    """Huang et al. 2017: growth 32, every layer reads all layers before it in its block."""
    net = Layers("densenet121")
    x = net.input("input", (1, 3, 224, 224))
    x = net.conv("conv0", x, 64, 7, 2, 3, activation="Relu")
    x = net.max_pool("pool0", x, 3, 2, 1)
    for block, layers in enumerate([6, 12, 24, 16], 1):
        x = dense_block(net, f"block{block}", x, layers)
        if block < 4:
            x = net.activate(f"transition{block}.norm",
                             net.batch_norm(f"transition{block}.norm", x), "Relu")
            x = net.conv(f"transition{block}.conv", x, x.shape[1] // 2)
            x = net.average_pool(f"transition{block}.pool", x, 2, 2)
    return image_head(net, net.activate("norm5", net.batch_norm("norm5", x), "Relu"))


def dense_block(net, name, x, layers):
    features = [x]
    for layer in range(1, layers + 1):
        prefix = f"{name}.layer{layer}"
        y = net.concat(f"{prefix}.concat", features) if layer > 1 else x
        y = net.activate(f"{prefix}.norm1", net.batch_norm(f"{prefix}.norm1", y), "Relu")
        y = net.conv(f"{prefix}.conv1", y, 128, activation="Relu")
        features.append(net.conv(f"{prefix}.conv2", y, 32, 3, 1, 1))
    return net.concat(f"{name}.concat", features)


def squeezenet():
    """Iandola et al. 2016, release 1.1."""
    net = Layers("squeezenet")
    x = net.input("input", (1, 3, 224, 224))
    x = net.conv("conv1", x, 64, 3, 2, "valid", activation="Relu")
    x = net.max_pool("pool1", x, 3, 2)
    for fire, squeeze, expand in [(2, 16, 64), (3, 16, 64), (4, 32, 128), (5, 32, 128),
                                  (6, 48, 192), (7, 48, 192), (8, 64, 256), (9, 64, 256)]:
        x = net.conv(f"fire{fire}.squeeze", x, squeeze, activation="Relu")
        x = net.concat(f"fire{fire}.concat", [
            net.conv(f"fire{fire}.expand1x1", x, expand, activation="Relu"),
            net.conv(f"fire{fire}.expand3x3", x, expand, 3, 1, 1, activation="Relu")])
        if fire in (3, 5):
            x = net.max_pool(f"pool{fire}", x, 3, 2)
    x = net.global_pool("pool10", net.conv("conv10", x, 1000, activation="Relu"))
    net.output(net.flatten("flatten", x))
    return net
