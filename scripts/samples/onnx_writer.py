"""Writes a network as ONNX (IR 8, opset 17), the few protobuf messages it takes by hand.

Weights are left out: an initializer has its name, type and dimensions, and points to an external
file that does not ship. Small constants whose numbers decide shapes are inside. Shapes between the
ops are not written, so that whoever reads the file has to infer them.
"""

import struct

DTYPES = {"float32": 1, "int8": 3, "int32": 6, "int64": 7}
PACKING = {"float32": "f", "int64": "q"}
FLOAT, INT, STRING, INTS = 1, 2, 3, 7  # AttributeProto.AttributeType


def varint(number):
    number &= (1 << 64) - 1  # Negative numbers are written as 64-bit two's complement.
    data = bytearray()
    while number >= 0x80:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number)
    return bytes(data)


def integer(field, number):
    return varint(field << 3) + varint(number)


def block(field, content):
    data = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(data)) + data


def real(field, number):
    return varint(field << 3 | 5) + struct.pack("<f", number)


def attribute(name, value):
    data = block(1, name)
    if isinstance(value, int):
        return data + integer(3, value) + integer(20, INT)
    if isinstance(value, float):
        return data + real(2, value) + integer(20, FLOAT)
    if isinstance(value, str):
        return data + block(4, value) + integer(20, STRING)
    return data + b"".join(integer(8, each) for each in value) + integer(20, INTS)


def node(op):
    data = b"".join(block(1, tensor.name if tensor else "") for tensor in op.inputs)
    data += b"".join(block(2, tensor.name) for tensor in op.outputs)
    data += block(3, op.name) + block(4, op.type)
    return data + b"".join(block(5, attribute(key, op.attributes[key]))
                           for key in sorted(op.attributes))


def initializer(tensor, file):
    data = b"".join(integer(1, size) for size in tensor.shape)
    data += integer(2, DTYPES[tensor.dtype]) + block(8, tensor.name)
    if tensor.values is not None:
        return data + block(9, struct.pack(f"<{len(tensor.values)}{PACKING[tensor.dtype]}",
                                           *tensor.values))
    return data + block(13, block(1, "location") + block(2, file)) + integer(14, 1)


def value_info(tensor):
    dims = b"".join(block(1, integer(1, size)) for size in tensor.shape)
    kind = integer(1, DTYPES[tensor.dtype]) + block(2, dims)
    return block(1, tensor.name) + block(2, block(1, kind))


def write_onnx(net):
    """The file's bytes."""
    constants = [tensor for tensor in net.tensors.values() if tensor.constant]
    graph = b"".join(block(1, node(op)) for op in net.ops) + block(2, net.name)
    graph += b"".join(block(5, initializer(each, f"{net.name}.weights")) for each in constants)
    graph += b"".join(block(11, value_info(tensor)) for tensor in net.inputs)
    graph += b"".join(block(12, value_info(tensor)) for tensor in net.outputs)
    opset = block(1, "") + integer(2, 17)
    return integer(1, 8) + block(2, "highwater make_samples") + block(7, graph) + block(8, opset)
