"""Operations of ttnn, one after another: `operations.py NAME…`. Each prints a hash of what it computed."""

import hashlib
import sys

import numpy
import ttnn

DRAM = ttnn.DRAM_MEMORY_CONFIG
L1 = ttnn.L1_MEMORY_CONFIG

device = ttnn.open_device(device_id=0)
numbers = numpy.random.default_rng(5)


def tensor(*shape, layout=ttnn.TILE_LAYOUT, memory=DRAM):
    values = numbers.standard_normal(shape).astype(numpy.float32)
    host = ttnn.Tensor(values.flatten().tolist(), list(shape), ttnn.bfloat16, ttnn.ROW_MAJOR_LAYOUT)
    return ttnn.to_device(host.to(layout) if layout == ttnn.TILE_LAYOUT else host, device, memory_config=memory)


def sharded_add():
    memory = ttnn.create_sharded_memory_config((64, 64), ttnn.CoreGrid(y=2, x=1), ttnn.ShardStrategy.HEIGHT)
    sharded = ttnn.to_memory_config(tensor(64, 64), memory)
    return ttnn.to_memory_config(ttnn.add(sharded, sharded, memory_config=memory), DRAM)


def chain():
    """Ten operations, each on what the one before computed."""
    first, second = tensor(64, 64), tensor(64, 64)
    value = ttnn.add(first, second)
    value = ttnn.matmul(value, second)
    value = ttnn.permute(value, (1, 0))
    value = ttnn.concat([value, first], dim=0)
    value = ttnn.slice(value, [0, 0], [64, 64])
    value = ttnn.transpose(value, 0, 1)
    value = ttnn.add(value, first)
    value = ttnn.reshape(value, (32, 128))
    value = ttnn.to_layout(value, ttnn.ROW_MAJOR_LAYOUT)
    return ttnn.to_layout(value, ttnn.TILE_LAYOUT)


def semaphore():
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(ttnn.CoreCoord(0, 0), ttnn.CoreCoord(1, 0))])
    of_cores = ttnn.create_global_semaphore(device, cores, 3)
    ttnn.reset_global_semaphore_value(of_cores, 4)
    return tensor(32, 32)


def odd_width():
    """Pages of six bytes, which captures do not have, beside a sum that they do have."""
    odd = tensor(4, 3, layout=ttnn.ROW_MAJOR_LAYOUT)
    value = ttnn.add(tensor(32, 32), tensor(32, 32))
    ttnn.from_device(odd)
    return value


OPERATIONS = {
    "add": lambda: ttnn.add(tensor(64, 64), tensor(64, 64)),
    "add_l1": lambda: ttnn.add(tensor(64, 64, memory=L1), tensor(64, 64, memory=L1), memory_config=L1),
    "matmul": lambda: ttnn.matmul(tensor(64, 64), tensor(64, 64)),
    "matmul_256": lambda: ttnn.matmul(tensor(256, 256), tensor(256, 256)),
    "slice": lambda: ttnn.slice(tensor(64, 128), [0, 0], [32, 64]),
    "permute": lambda: ttnn.permute(tensor(2, 64, 32), (1, 0, 2)),
    "concat": lambda: ttnn.concat([tensor(64, 64), tensor(64, 64)], dim=0),
    "transpose": lambda: ttnn.transpose(tensor(64, 32), 0, 1),
    "reshape": lambda: ttnn.reshape(tensor(64, 64), (32, 128)),
    "untilize": lambda: ttnn.to_layout(tensor(64, 64), ttnn.ROW_MAJOR_LAYOUT),
    "tilize": lambda: ttnn.to_layout(tensor(64, 64, layout=ttnn.ROW_MAJOR_LAYOUT), ttnn.TILE_LAYOUT),
    "clone": lambda: ttnn.clone(tensor(64, 64)),
    "pad": lambda: ttnn.pad(tensor(32, 32), [(0, 32), (0, 0)], 0.0),
    "repeat": lambda: ttnn.repeat(tensor(32, 64), (2, 1)),
    "sharded_add": sharded_add,
    "semaphore": semaphore,
    "odd_width": odd_width,
    "chain": chain,
}

for name in sys.argv[1:]:
    try:
        result = ttnn.from_device(OPERATIONS[name]()).to(ttnn.ROW_MAJOR_LAYOUT)
        values = numpy.array(result.to_list(), dtype=numpy.float32)
        print(name, list(values.shape), hashlib.sha256(values.tobytes()).hexdigest()[:16], flush=True)
    except RuntimeError as error:
        print(name, "failed:", str(error).splitlines()[0][:160], flush=True)
ttnn.close_device(device)
