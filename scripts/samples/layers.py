"""Layers that work out their own output shapes. Layout NCHW; types and attributes as in ONNX."""

from math import prod

from .net import Net


def pair(value):
    return value if isinstance(value, tuple) else (value, value)


class Layers(Net):
    """`fused` nets carry activations as an attribute of the layer before, as TFLite does."""

    def __init__(self, name, dtype="float32", fused=False):
        super().__init__(name, dtype)
        self.fused = fused

    # Padding is "same" (TensorFlow's: the odd pixel goes last), "valid", or a number per side.
    @staticmethod
    def window(shape, kernel, stride, pad):
        """Spatial output sizes and ONNX pads (begins, then ends)."""
        begins, ends, sizes = [], [], []
        for size, k, s, p in zip(shape[2:], kernel, stride, pair(pad)):
            total = max((-(-size // s) - 1) * s + k - size, 0) if p == "same" else 0
            begin = total // 2 if p == "same" else 0 if p == "valid" else p
            end = total - begin if p == "same" else begin
            begins.append(begin)
            ends.append(end)
            sizes.append((size + begin + end - k) // s + 1)
        return tuple(sizes), begins + ends

    def activate(self, name, x, activation):
        if activation is None or self.fused:
            return x
        if activation == "Silu":
            gate = self.op(f"{name}.sigmoid", "Sigmoid", [x], x.shape)
            return self.op(f"{name}.mul", "Mul", [x, gate], x.shape)
        return self.op(f"{name}.{activation.lower()}", activation, [x], x.shape)

    def fusion(self, activation):
        return {"fused_activation": activation} if activation and self.fused else {}

    def bias(self, name, channels):
        return self.weight(f"{name}.bias", (channels,), "int32" if self.dtype == "int8" else None)

    def conv(self, name, x, channels, kernel=1, stride=1, pad="same", groups=1, activation=None):
        kernel, stride = pair(kernel), pair(stride)
        sizes, pads = self.window(x.shape, kernel, stride, pad)
        assert x.shape[1] % groups == 0 and channels % groups == 0, name
        weight = self.weight(f"{name}.weight", (channels, x.shape[1] // groups, *kernel))
        out = self.op(name, "Conv", [x, weight, self.bias(name, channels)],
                      (x.shape[0], channels, *sizes), kernel_shape=list(kernel),
                      strides=list(stride), pads=pads, group=groups, **self.fusion(activation))
        return self.activate(name, out, activation)

    def depthwise(self, name, x, kernel=3, stride=1, pad="same", activation=None):
        return self.conv(name, x, x.shape[1], kernel, stride, pad, x.shape[1], activation)

    def up_conv(self, name, x, channels, kernel, stride):
        kernel, stride = pair(kernel), pair(stride)
        sizes = tuple((d - 1) * s + k for d, k, s in zip(x.shape[2:], kernel, stride))
        weight = self.weight(f"{name}.weight", (x.shape[1], channels, *kernel))
        return self.op(name, "ConvTranspose", [x, weight, self.bias(name, channels)],
                       (x.shape[0], channels, *sizes), kernel_shape=list(kernel),
                       strides=list(stride))

    def pool(self, name, x, kind, kernel, stride, pad="valid"):
        kernel, stride = pair(kernel), pair(stride)
        sizes, pads = self.window(x.shape, kernel, stride, pad)
        return self.op(name, kind, [x], (*x.shape[:2], *sizes), kernel_shape=list(kernel),
                       strides=list(stride), pads=pads)

    def max_pool(self, name, x, kernel, stride, pad="valid"):
        return self.pool(name, x, "MaxPool", kernel, stride, pad)

    def average_pool(self, name, x, kernel, stride, pad="valid"):
        return self.pool(name, x, "AveragePool", kernel, stride, pad)

    def global_pool(self, name, x):
        return self.op(name, "GlobalAveragePool", [x], (*x.shape[:2], 1, 1))

    def dense(self, name, x, units, activation=None):
        weight = self.weight(f"{name}.weight", (units, x.shape[1]))
        out = self.op(name, "Gemm", [x, weight, self.bias(name, units)], (x.shape[0], units),
                      transB=1, **self.fusion(activation))
        return self.activate(name, out, activation)

    def batch_norm(self, name, x):
        parts = [self.weight(f"{name}.{part}", (x.shape[1],))
                 for part in ("scale", "bias", "mean", "variance")]
        return self.op(name, "BatchNormalization", [x, *parts], x.shape)

    def layer_norm(self, name, x):
        parts = [self.weight(f"{name}.{part}", (x.shape[-1],)) for part in ("scale", "bias")]
        return self.op(name, "LayerNormalization", [x, *parts], x.shape, axis=-1)

    def unary(self, name, kind, x, **attributes):
        return self.op(name, kind, [x], x.shape, **attributes)

    def binary(self, name, kind, x, y, activation=None):
        out = self.op(name, kind, [x, y], broadcast(x.shape, y.shape),
                      **self.fusion(activation))
        return self.activate(name, out, activation)

    def number(self, name, kind, x, value):
        """`x` combined with one number, as exporters write it."""
        return self.binary(name, kind, x, self.values(f"{name}.value", [value], "float32", ()))

    def linear(self, name, x, units):
        """MatMul and Add: what exporters make of a layer on the last axis."""
        weight = self.weight(f"{name}.weight", (x.shape[-1], units))
        product = self.matmul(f"{name}.matmul", x, weight)
        return self.binary(name, "Add", product, self.bias(name, units))

    def matmul(self, name, x, y):
        assert x.shape[-1] == y.shape[-2], name
        batch = broadcast(x.shape[:-2], y.shape[:-2])
        return self.op(name, "MatMul", [x, y], (*batch, x.shape[-2], y.shape[-1]))

    def concat(self, name, parts, axis=1):
        first = parts[0].shape
        assert all(p.shape[:axis] == first[:axis] and p.shape[axis + 1:] == first[axis + 1:]
                   for p in parts), name
        shape = (*first[:axis], sum(p.shape[axis] for p in parts), *first[axis + 1:])
        return self.op(name, "Concat", parts, shape, axis=axis)

    def split(self, name, x, sizes, axis):
        assert sum(sizes) == x.shape[axis], name
        shapes = [(*x.shape[:axis], size, *x.shape[axis + 1:]) for size in sizes]
        return self.op_many(name, "Split", [x, self.values(f"{name}.sizes", sizes)], shapes,
                            axis=axis)

    def reshape(self, name, x, shape):
        assert prod(shape) == prod(x.shape), name
        target = self.values(f"{name}.shape", shape)
        return self.op(name, "Reshape", [x, target], shape, x.dtype)

    def flatten(self, name, x):
        return self.op(name, "Flatten", [x], (x.shape[0], prod(x.shape[1:])), axis=1)

    def transpose(self, name, x, order):
        return self.op(name, "Transpose", [x], [x.shape[i] for i in order], perm=list(order))

    def gather(self, name, table, indices, axis=0):
        shape = (*table.shape[:axis], *indices.shape, *table.shape[axis + 1:])
        return self.op(name, "Gather", [table, indices], shape, axis=axis)

    def crop(self, name, x, size):
        """The middle `size` x `size` pixels."""
        begins = [(d - size) // 2 for d in x.shape[2:]]
        ends = [begin + size for begin in begins]
        parts = [self.values(f"{name}.{part}", values)
                 for part, values in (("starts", begins), ("ends", ends), ("axes", (2, 3)))]
        return self.op(name, "Slice", [x, *parts], (*x.shape[:2], size, size))

    def upsample(self, name, x, factor):
        scales = self.values(f"{name}.scales", (1.0, 1.0, float(factor), float(factor)), "float32")
        shape = (*x.shape[:2], x.shape[2] * factor, x.shape[3] * factor)
        return self.op(name, "Resize", [x, None, scales], shape, mode="nearest",
                       coordinate_transformation_mode="asymmetric", nearest_mode="floor")


def broadcast(a, b):
    """The common shape of two operands, by NumPy's rule."""
    length = max(len(a), len(b))
    a, b = (1,) * (length - len(a)) + tuple(a), (1,) * (length - len(b)) + tuple(b)
    assert all(x == y or 1 in (x, y) for x, y in zip(a, b)), (a, b)
    return tuple(max(x, y) for x, y in zip(a, b))
