"""BERT-base (Devlin et al. 2018) and GPT-2 small (Radford et al. 2019), as exporters write them."""

from .layers import Layers

HIDDEN, HEADS, LAYERS, INNER = 768, 12, 12, 3072
HEAD = HIDDEN // HEADS
SEQUENCE = 128  # BERT: the usual length for sentence tasks.
PAST = 511  # GPT-2: tokens in the cache before this one.


def heads_first(net, name, x):
    """[1, tokens, hidden] -> [1, heads, tokens, head]."""
    x = net.reshape(f"{name}.heads", x, (1, x.shape[1], HEADS, HEAD))
    return net.transpose(f"{name}.transpose", x, (0, 2, 1, 3))


def attend(net, name, query, key, value, mask=None):
    """Scaled dot products, heads joined again: [1, tokens, hidden]."""
    key = net.transpose(f"{name}.key_columns", key, (0, 1, 3, 2))
    x = net.matmul(f"{name}.scores", query, key)
    x = net.number(f"{name}.scaled", "Div", x, float(HEAD) ** 0.5)
    if mask is not None:
        x = net.binary(f"{name}.masked", "Add", x, mask)
    x = net.unary(f"{name}.softmax", "Softmax", x, axis=-1)
    x = net.matmul(f"{name}.context", x, value)
    x = net.transpose(f"{name}.join", x, (0, 2, 1, 3))
    return net.reshape(f"{name}.joined", x, (1, query.shape[2], HIDDEN))


def bert_base():
    net = Layers("bert_base")
    ids, types, mask = (net.input(name, (1, SEQUENCE), "int64")
                        for name in ("input_ids", "token_type_ids", "attention_mask"))
    x = net.gather("words", net.weight("words.table", (30522, HIDDEN)), ids)
    y = net.gather("types", net.weight("types.table", (2, HIDDEN)), types)
    x = net.binary("words_types", "Add", x, y)
    x = net.binary("embedding", "Add", x, net.weight("positions", (1, SEQUENCE, HIDDEN)))
    x = net.layer_norm("embedding.norm", x)
    mask = additive_mask(net, mask)
    for layer in range(LAYERS):
        x = encoder_layer(net, f"layer{layer}", x, mask)
    first = net.gather("pooler.first", x, net.values("pooler.index", [0], shape=()), 1)
    net.output(x, net.unary("pooler.tanh", "Tanh", net.dense("pooler", first, HIDDEN)))
    return net


def additive_mask(net, mask):
    """1 where a token counts, 0 where it is padding -> 0 and a large negative number."""
    axes = net.values("mask.axes", (1, 2))
    x = net.op("mask.unsqueeze", "Unsqueeze", [mask, axes], (1, 1, 1, SEQUENCE), "int64")
    x = net.op("mask.cast", "Cast", [x], x.shape, to=1)
    one = net.values("mask.one", [1.0], "float32", ())
    x = net.binary("mask.inverted", "Sub", one, x)
    return net.number("mask", "Mul", x, -10000.0)


def encoder_layer(net, name, x, mask):
    query, key, value = (heads_first(net, f"{name}.{part}", net.linear(f"{name}.{part}", x, HIDDEN))
                         for part in ("query", "key", "value"))
    y = attend(net, f"{name}.attention", query, key, value, mask)
    y = net.linear(f"{name}.attention.out", y, HIDDEN)
    x = net.layer_norm(f"{name}.norm1", net.binary(f"{name}.add1", "Add", y, x))
    y = error_gelu(net, f"{name}.gelu", net.linear(f"{name}.inner", x, INNER))
    y = net.linear(f"{name}.outer", y, HIDDEN)
    return net.layer_norm(f"{name}.norm2", net.binary(f"{name}.add2", "Add", y, x))


def error_gelu(net, name, x):
    """x / 2 · (1 + erf(x / √2)), op by op."""
    y = net.number(f"{name}.div", "Div", x, 2.0 ** 0.5)
    y = net.unary(f"{name}.erf", "Erf", y)
    y = net.number(f"{name}.add", "Add", y, 1.0)
    y = net.binary(f"{name}.mul", "Mul", x, y)
    return net.number(name, "Mul", y, 0.5)


def gpt2_kv_cache():
    """One token is generated; keys and values of the 511 before it come in and go out again."""
    net = Layers("gpt2_kv_cache")
    token = net.input("input_ids", (1, 1), "int64")
    position = net.input("position_ids", (1, 1), "int64")
    cache = [tuple(net.input(f"past.{layer}.{part}", (1, HEADS, PAST, HEAD))
                   for part in ("key", "value")) for layer in range(LAYERS)]
    x = net.gather("words", net.weight("words.table", (50257, HIDDEN)), token)
    y = net.gather("positions", net.weight("positions.table", (1024, HIDDEN)), position)
    x = net.binary("embedding", "Add", x, y)
    present = []
    for layer in range(LAYERS):
        x = decoder_layer(net, f"layer{layer}", x, cache[layer], present)
    x = net.layer_norm("norm", x)
    net.output(net.matmul("logits", x, net.weight("logits.weight", (HIDDEN, 50257))), *present)
    return net


def decoder_layer(net, name, x, past, present):
    y = net.linear(f"{name}.attention.qkv", net.layer_norm(f"{name}.norm1", x), 3 * HIDDEN)
    parts = net.split(f"{name}.attention.split", y, (HIDDEN,) * 3, 2)
    query, key, value = (heads_first(net, f"{name}.{part}", part_tensor)
                         for part, part_tensor in zip(("query", "key", "value"), parts))
    key = net.concat(f"{name}.present.key", [past[0], key], 2)
    value = net.concat(f"{name}.present.value", [past[1], value], 2)
    present += [key, value]
    y = attend(net, f"{name}.attention", query, key, value)
    x = net.binary(f"{name}.add1", "Add", x, net.linear(f"{name}.attention.out", y, HIDDEN))
    y = net.linear(f"{name}.inner", net.layer_norm(f"{name}.norm2", x), INNER)
    y = net.linear(f"{name}.outer", tanh_gelu(net, f"{name}.gelu", y), HIDDEN)
    return net.binary(f"{name}.add2", "Add", x, y)


def tanh_gelu(net, name, x):
    """x / 2 · (1 + tanh(√(2/π) · (x + 0.044715 x³))), op by op."""
    y = net.number(f"{name}.cube", "Pow", x, 3.0)
    y = net.number(f"{name}.scaled", "Mul", y, 0.044715)
    y = net.binary(f"{name}.sum", "Add", x, y)
    y = net.number(f"{name}.root", "Mul", y, 0.7978845608028654)
    y = net.unary(f"{name}.tanh", "Tanh", y)
    y = net.number(f"{name}.one", "Add", y, 1.0)
    half = net.number(f"{name}.half", "Mul", x, 0.5)
    return net.binary(name, "Mul", half, y)
