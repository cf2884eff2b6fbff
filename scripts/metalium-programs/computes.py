"""Operations of ttnn that compute: `computes.py NAME…`. A line has the operation's name and a hash of its result."""

import hashlib
import sys

import numpy
import ttnn

device = ttnn.open_device(device_id=0)
numbers = numpy.random.default_rng(7)


def tensor(*shape, scale=1.0, positive=False):
    values = (scale * numbers.standard_normal(shape)).astype(numpy.float32)
    values = numpy.abs(values) + 0.125 if positive else values
    host = ttnn.Tensor(values.flatten().tolist(), list(shape), ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT)
    return ttnn.to_device(host.to(ttnn.TILE_LAYOUT), device, memory_config=ttnn.DRAM_MEMORY_CONFIG)


def two_layers():
    hidden = ttnn.relu(ttnn.matmul(tensor(64, 128), tensor(128, 256, scale=0.1)))
    return ttnn.matmul(hidden, tensor(256, 64, scale=0.1))


OPERATIONS = {
    "add": lambda: ttnn.add(tensor(64, 64), tensor(64, 64)),
    "subtract": lambda: ttnn.subtract(tensor(64, 64), tensor(64, 64)),
    "multiply": lambda: ttnn.multiply(tensor(64, 64), tensor(64, 64)),
    "divide": lambda: ttnn.divide(tensor(64, 64), tensor(64, 64, positive=True)),
    "relu": lambda: ttnn.relu(tensor(64, 64)),
    "where": lambda: ttnn.where(tensor(64, 64), tensor(64, 64), tensor(64, 64)),
    "matmul": lambda: ttnn.matmul(tensor(512, 512), tensor(512, 512)),
    "matmul_batch": lambda: ttnn.matmul(tensor(2, 64, 64), tensor(2, 64, 64)),
    "linear": lambda: ttnn.linear(tensor(64, 128), tensor(128, 64), bias=tensor(1, 64), activation="relu"),
    "two_layers": two_layers,
    "layer_norm": lambda: ttnn.layer_norm(tensor(64, 128)),
    "rms_norm": lambda: ttnn.rms_norm(tensor(64, 128), weight=tensor(1, 128)),
    "sum": lambda: ttnn.sum(tensor(64, 64), dim=-1),
    "sum_keep": lambda: ttnn.sum(tensor(64, 64), dim=-1, keepdim=True),
    "mean_keep": lambda: ttnn.mean(tensor(64, 64), dim=-1, keepdim=True),
    "max_keep": lambda: ttnn.max(tensor(64, 64), dim=-1, keepdim=True),
    "exp": lambda: ttnn.exp(tensor(64, 64)),
    "log": lambda: ttnn.log(tensor(64, 64, positive=True)),
    "sqrt": lambda: ttnn.sqrt(tensor(64, 64, positive=True)),
    "rsqrt": lambda: ttnn.rsqrt(tensor(64, 64, positive=True)),
    "tanh": lambda: ttnn.tanh(tensor(64, 64)),
    "sigmoid": lambda: ttnn.sigmoid(tensor(64, 64)),
    "silu": lambda: ttnn.silu(tensor(64, 64)),
    "gelu": lambda: ttnn.gelu(tensor(64, 64)),
    "softmax": lambda: ttnn.softmax(tensor(64, 128), dim=-1),
}

for name in sys.argv[1:]:
    result = OPERATIONS[name]().cpu().to(ttnn.ROW_MAJOR_LAYOUT)
    text = str(result.to_list())
    print(name, hashlib.sha256(text.encode()).hexdigest()[:16])
ttnn.close_device(device)
