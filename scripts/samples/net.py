"""A network as plain data: tensors with shapes, and ops in execution order."""

from dataclasses import dataclass, field
from math import prod

ELEMENT_BYTES = {"float32": 4, "int8": 1, "int32": 4, "int64": 8}


@dataclass(frozen=True)
class Tensor:
    """A value between ops. Either `shape` and `dtype` are set, or `size` in bytes is."""

    name: str
    shape: tuple = None
    dtype: str = None
    size: int = None
    constant: bool = False
    values: tuple = None  # Of a small constant whose numbers decide shapes.

    @property
    def bytes(self):
        if self.shape is None:
            return self.size
        return prod(self.shape) * ELEMENT_BYTES[self.dtype]


@dataclass(frozen=True)
class Op:
    name: str
    type: str
    inputs: tuple
    outputs: tuple
    attributes: dict


@dataclass
class Net:
    """Collects a network. Names must be unique: a repeated one is a mistake in the script."""

    name: str
    dtype: str = "float32"
    tensors: dict = field(default_factory=dict)
    ops: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)

    def add_tensor(self, tensor):
        assert tensor.name not in self.tensors, f"{self.name}: two tensors named {tensor.name}"
        assert tensor.shape is None or all(d > 0 for d in tensor.shape), tensor
        self.tensors[tensor.name] = tensor
        return tensor

    def input(self, name, shape=None, dtype=None, size=None):
        kind = None if shape is None else dtype or self.dtype
        tensor = self.add_tensor(Tensor(name, shape, kind, size))
        self.inputs.append(tensor)
        return tensor

    def weight(self, name, shape, dtype=None):
        return self.add_tensor(Tensor(name, tuple(shape), dtype or self.dtype, constant=True))

    def values(self, name, values, dtype="int64", shape=None):
        """A small constant that is written with its numbers."""
        values = tuple(values)
        shape = (len(values),) if shape is None else shape
        return self.add_tensor(Tensor(name, shape, dtype, constant=True, values=values))

    def op(self, name, kind, inputs, shape, dtype=None, **attributes):
        """An op with one output, which bears the op's name."""
        output = self.add_tensor(Tensor(name, tuple(shape), dtype or self.dtype))
        self.ops.append(Op(name, kind, tuple(inputs), (output,), attributes))
        return output

    def op_many(self, name, kind, inputs, shapes, **attributes):
        """An op with several outputs: NAME.0, NAME.1, …"""
        outputs = tuple(self.add_tensor(Tensor(f"{name}.{i}", tuple(shape), self.dtype))
                        for i, shape in enumerate(shapes))
        self.ops.append(Op(name, kind, tuple(inputs), outputs, attributes))
        return outputs

    def sized_op(self, name, kind, inputs, output, size):
        """An op whose output is known by its bytes only."""
        tensor = self.add_tensor(Tensor(output, size=size))
        self.ops.append(Op(name, kind, tuple(inputs), (tensor,), {}))
        return tensor

    def output(self, *tensors):
        self.outputs.extend(tensors)
