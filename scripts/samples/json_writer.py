"""Writes a network as graph JSON (docs/formats): one tensor or op a line."""

import json


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def tensor_record(tensor):
    record = {"name": tensor.name}
    if tensor.shape is None:
        return record | {"bytes": tensor.size}
    record |= {"shape": list(tensor.shape), "dtype": tensor.dtype}
    return record | {"constant": True} if tensor.constant else record


def op_record(op):
    record = {"name": op.name, "type": op.type,
              "inputs": [tensor.name if tensor else "" for tensor in op.inputs],
              "outputs": [tensor.name for tensor in op.outputs]}
    return record | {"attributes": op.attributes} if op.attributes else record


def lines(records):
    return ",\n".join("  " + compact(record) for record in records)


def write_json(net):
    """The file's text."""
    return (f'{{"format": "highwater-graph", "version": 1, "name": {compact(net.name)},\n'
            f' "tensors": [\n{lines(map(tensor_record, net.tensors.values()))}],\n'
            f' "inputs": {compact([tensor.name for tensor in net.inputs])},\n'
            f' "outputs": {compact([tensor.name for tensor in net.outputs])},\n'
            f' "ops": [\n{lines(map(op_record, net.ops))}]}}\n')
