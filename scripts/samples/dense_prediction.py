"""Networks with long skips over many resolutions: segmentation and detection."""

from .layers import Layers

GRID_CLASSES = 80  # COCO


def unet():
    """Ronneberger et al. 2015, as drawn in the paper: no padding, so skips are cropped."""
    net = Layers("unet")
    x = net.input("input", (1, 1, 572, 572))
    skips = []
    for level, channels in enumerate((64, 128, 256, 512), 1):
        x = double_conv(net, f"down{level}", x, channels)
        skips.append(x)
        x = net.max_pool(f"down{level}.pool", x, 2, 2)
    x = double_conv(net, "bottom", x, 1024)
    for level, channels in ((4, 512), (3, 256), (2, 128), (1, 64)):
        x = net.up_conv(f"up{level}.conv0", x, channels, 2, 2)
        skip = net.crop(f"up{level}.crop", skips[level - 1], x.shape[2])
        x = double_conv(net, f"up{level}", net.concat(f"up{level}.concat", [skip, x]), channels)
    net.output(net.conv("classes", x, 2))
    return net


def double_conv(net, name, x, channels):
    for i in (1, 2):
        x = net.conv(f"{name}.conv{i}", x, channels, 3, 1, "valid", activation="Relu")
    return x


def yolo():
    """YOLOv5n, release 6 (Jocher et al. 2021), 640 x 640, with its decoding head."""
    net = Layers("yolo")
    x = net.input("images", (1, 3, 640, 640))
    x = unit(net, "m0", x, 16, 6, 2, 2)
    x = stage(net, "m1", x, 32, 1)
    x = small = stage(net, "m3", x, 64, 2)
    x = medium = stage(net, "m5", x, 128, 3)
    x = pyramid(net, "m9", stage(net, "m7", x, 256, 1), 256)
    x = top = unit(net, "m10", x, 128)
    x = net.concat("m12", [net.upsample("m11", x, 2), medium])
    x = middle = unit(net, "m14", cross_stage(net, "m13", x, 128, 1, False), 64)
    x = net.concat("m16", [net.upsample("m15", x, 2), small])
    x = low = cross_stage(net, "m17", x, 64, 1, False)
    x = net.concat("m19", [unit(net, "m18", x, 64, 3, 2, 1), middle])
    x = mid = cross_stage(net, "m20", x, 128, 1, False)
    x = net.concat("m22", [unit(net, "m21", x, 128, 3, 2, 1), top])
    high = cross_stage(net, "m23", x, 256, 1, False)
    boxes = [decode(net, f"detect{i}", level) for i, level in enumerate((low, mid, high))]
    net.output(net.concat("output", boxes))
    return net


def unit(net, name, x, channels, kernel=1, stride=1, pad=0):
    return net.conv(name, x, channels, kernel, stride, pad, activation="Silu")


def stage(net, name, x, channels, repeats):
    x = unit(net, name, x, channels, 3, 2, 1)
    return cross_stage(net, f"{name}.c3", x, channels, repeats, True)


def cross_stage(net, name, x, channels, repeats, shortcut):
    """Half of the channels go through bottlenecks, half pass by ("C3")."""
    y = unit(net, f"{name}.cv1", x, channels // 2)
    for i in range(repeats):
        z = unit(net, f"{name}.m{i}.cv1", y, channels // 2)
        z = unit(net, f"{name}.m{i}.cv2", z, channels // 2, 3, 1, 1)
        y = net.binary(f"{name}.m{i}.add", "Add", y, z) if shortcut else z
    passed = unit(net, f"{name}.cv2", x, channels // 2)
    return unit(net, f"{name}.cv3", net.concat(f"{name}.concat", [y, passed]), channels)


def pyramid(net, name, x, channels):
    """Three poolings in a row, all kept ("SPPF")."""
    levels = [unit(net, f"{name}.cv1", x, channels // 2)]
    for i in range(3):
        levels.append(net.max_pool(f"{name}.pool{i}", levels[-1], 5, 1, 2))
    return unit(net, f"{name}.cv2", net.concat(f"{name}.concat", levels), channels)


def decode(net, name, x):
    """Boxes of one level: three anchors a cell, 4 coordinates, 1 objectness, 80 classes."""
    fields = GRID_CLASSES + 5
    x = net.conv(f"{name}.conv", x, 3 * fields)
    height, width = x.shape[2:]
    x = net.reshape(f"{name}.anchors", x, (1, 3, fields, height, width))
    x = net.transpose(f"{name}.fields", x, (0, 1, 3, 4, 2))
    x = net.unary(f"{name}.sigmoid", "Sigmoid", x)
    centre, size, score = net.split(f"{name}.split", x, (2, 2, GRID_CLASSES + 1), 4)
    centre = net.number(f"{name}.centre2", "Mul", centre, 2.0)
    centre = net.binary(f"{name}.centre_grid", "Add", centre,
                        net.weight(f"{name}.grid", (1, 3, height, width, 2)))
    centre = net.number(f"{name}.centre", "Mul", centre, 640.0 / width)
    size = net.number(f"{name}.size2", "Mul", size, 2.0)
    size = net.number(f"{name}.size_squared", "Pow", size, 2.0)
    size = net.binary(f"{name}.size", "Mul", size,
                      net.weight(f"{name}.anchor_grid", (1, 3, height, width, 2)))
    x = net.concat(f"{name}.boxes", [centre, size, score], 4)
    return net.reshape(f"{name}.rows", x, (1, 3 * height * width, fields))
