"""Operations of ttnn that move data alone: `moves.py NAME…`. Each runs with two shapes, and then with the first one again,
from the program cache. A line has the run's shape and a hash of its result."""

import hashlib
import sys

import numpy
import ttnn

DRAM = ttnn.DRAM_MEMORY_CONFIG
L1 = ttnn.L1_MEMORY_CONFIG
TILE = ttnn.TILE_LAYOUT
ROWS = ttnn.ROW_MAJOR_LAYOUT

device = ttnn.open_device(device_id=0)
numbers = numpy.random.default_rng(5)


def tensor(*shape, layout=TILE, kind=ttnn.bfloat16, values=None):
    if values is None:
        values = numbers.standard_normal(shape)
    values = values.astype(numpy.float32)
    host = ttnn.Tensor(values.flatten().tolist(), list(shape), kind, ROWS)
    return ttnn.to_device(host.to(layout) if layout == TILE else host, device, memory_config=DRAM)


def indices(*shape, values):
    return tensor(*shape, layout=ROWS, kind=ttnn.uint32, values=numpy.array(values))


def height(rows, columns, cores):
    return ttnn.create_sharded_memory_config((rows, columns), ttnn.CoreGrid(y=cores, x=1), ttnn.ShardStrategy.HEIGHT)


def width(rows, columns, cores):
    return ttnn.create_sharded_memory_config((rows, columns), ttnn.CoreGrid(y=1, x=cores), ttnn.ShardStrategy.WIDTH)


def block(rows, columns, down, across):
    return ttnn.create_sharded_memory_config((rows, columns), ttnn.CoreGrid(y=down, x=across), ttnn.ShardStrategy.BLOCK)


def sharded(rows, columns, layout, memory):
    return ttnn.to_memory_config(tensor(rows, columns, layout=layout), memory)


def embedding(rows, columns, count):
    index = indices(1, count, values=numbers.integers(0, rows, (1, count)))
    return ttnn.embedding(index, tensor(rows, columns, layout=ROWS), layout=ROWS)


def copied(rows, columns):
    target = tensor(rows, columns)
    ttnn.copy(tensor(rows, columns), target)
    return target


def indexed(batches, columns):
    batch = indices(1, 1, 1, 2, values=[1, batches - 1])
    return ttnn.indexed_fill(batch, tensor(batches, 1, 8, columns, layout=ROWS), tensor(2, 1, 8, columns, layout=ROWS))


# By name: the operation with a first and with a second shape.
OPERATIONS = {
    "copy_l1": [
        lambda: ttnn.to_memory_config(tensor(64, 64), L1),
        lambda: ttnn.to_memory_config(tensor(96, 32), L1),
    ],
    "copy_l1_rows": [
        lambda: ttnn.to_memory_config(tensor(64, 64, layout=ROWS), L1),
        lambda: ttnn.to_memory_config(tensor(96, 32, layout=ROWS), L1),
    ],
    "fill_rows": [
        lambda: ttnn.fill_rm(1, 1, 64, 64, 32, 48, tensor(1, 1, 64, 64, layout=ROWS), 1.5, 0.25),
        lambda: ttnn.fill_rm(1, 1, 32, 128, 16, 64, tensor(1, 1, 32, 128, layout=ROWS), 1.5, 0.25),
    ],
    "copy": [
        lambda: copied(64, 64),
        lambda: copied(32, 96),
    ],
    "indexed_fill": [
        lambda: indexed(4, 32),
        lambda: indexed(6, 64),
    ],
    "split": [
        lambda: ttnn.split(tensor(64, 128, layout=ROWS), 64, 1)[1],
        lambda: ttnn.split(tensor(32, 64), 32, 1)[1],
    ],
    "expand": [
        lambda: ttnn.expand(tensor(1, 32, 64, layout=ROWS), (3, 32, 64)),
        lambda: ttnn.expand(tensor(1, 64, 32, layout=ROWS), (2, 64, 32)),
    ],
    "fold": [
        lambda: ttnn.fold(tensor(1, 8, 8, 16, layout=ROWS), 2, 2),
        lambda: ttnn.fold(tensor(1, 4, 8, 32, layout=ROWS), 2, 2),
    ],
    "transpose_rows": [
        lambda: ttnn.transpose(tensor(1, 4, 8, 64, layout=ROWS), 1, 2),
        lambda: ttnn.transpose(tensor(1, 2, 16, 32, layout=ROWS), 1, 2),
    ],
    "nonzero": [
        lambda: ttnn.nonzero(tensor(1, 1, 1, 64, layout=ROWS))[0],
        lambda: ttnn.nonzero(tensor(1, 1, 1, 128, layout=ROWS))[0],
    ],
    "upsample": [
        lambda: ttnn.upsample(tensor(1, 4, 4, 32, layout=ROWS), 2),
        lambda: ttnn.upsample(tensor(1, 2, 8, 64, layout=ROWS), 2),
    ],
    "roll": [
        lambda: ttnn.roll(tensor(64, 64, layout=ROWS), 16, 0),
        lambda: ttnn.roll(tensor(32, 128, layout=ROWS), 8, 0),
    ],
    "concat": [
        lambda: ttnn.concat([tensor(64, 64), tensor(32, 64)], dim=0),
        lambda: ttnn.concat([tensor(32, 32), tensor(32, 64)], dim=1),
    ],
    "concat_rows": [
        lambda: ttnn.concat([tensor(64, 64, layout=ROWS), tensor(32, 64, layout=ROWS)], dim=0),
        lambda: ttnn.concat([tensor(8, 32, layout=ROWS), tensor(8, 64, layout=ROWS)], dim=1),
    ],
    "slice": [
        lambda: ttnn.slice(tensor(64, 128), [0, 0], [32, 64]),
        lambda: ttnn.slice(tensor(128, 64), [32, 32], [128, 64]),
    ],
    "slice_rows": [
        lambda: ttnn.slice(tensor(64, 128, layout=ROWS), [3, 16], [40, 64]),
        lambda: ttnn.slice(tensor(16, 64, layout=ROWS), [2, 0], [16, 32]),
    ],
    "clone": [
        lambda: ttnn.clone(tensor(64, 64)),
        lambda: ttnn.clone(tensor(32, 96)),
    ],
    "clone_rows": [
        lambda: ttnn.clone(tensor(64, 64, layout=ROWS)),
        lambda: ttnn.clone(tensor(10, 96, layout=ROWS)),
    ],
    "permute": [
        lambda: ttnn.permute(tensor(2, 64, 32), (1, 0, 2)),
        lambda: ttnn.permute(tensor(3, 32, 64), (1, 0, 2)),
    ],
    "permute_rows": [
        lambda: ttnn.permute(tensor(2, 64, 32, layout=ROWS), (1, 0, 2)),
        lambda: ttnn.permute(tensor(3, 5, 64, layout=ROWS), (1, 0, 2)),
    ],
    "reshape": [
        lambda: ttnn.reshape(tensor(64, 64), (32, 128)),
        lambda: ttnn.reshape(tensor(96, 64), (192, 32)),
    ],
    "reshape_rows": [
        lambda: ttnn.reshape(tensor(64, 64, layout=ROWS), (32, 128)),
        lambda: ttnn.reshape(tensor(12, 64, layout=ROWS), (24, 32)),
    ],
    "pad": [
        lambda: ttnn.pad(tensor(32, 32), [(0, 32), (0, 0)], 0.0),
        lambda: ttnn.pad(tensor(32, 64), [(0, 32), (0, 32)], 1.0),
    ],
    "pad_rows": [
        lambda: ttnn.pad(tensor(30, 32, layout=ROWS), [(0, 2), (0, 32)], 0.0),
        lambda: ttnn.pad(tensor(3, 64, layout=ROWS), [(0, 5), (0, 64)], 1.0),
    ],
    "argmax": [
        lambda: ttnn.argmax(tensor(1, 1, 32, 64, layout=ROWS), dim=3),
        lambda: ttnn.argmax(tensor(1, 1, 16, 128, layout=ROWS), dim=3),
    ],
    "embedding": [
        lambda: embedding(64, 32, 32),
        lambda: embedding(16, 128, 64),
    ],
    "repeat": [
        lambda: ttnn.repeat(tensor(32, 64), (2, 1)),
        lambda: ttnn.repeat(tensor(32, 32), (1, 3)),
    ],
    "repeat_rows": [
        lambda: ttnn.repeat(tensor(8, 64, layout=ROWS), (2, 1)),
        lambda: ttnn.repeat(tensor(5, 32, layout=ROWS), (1, 3)),
    ],
    "to_sharded": [
        lambda: sharded(64, 64, TILE, height(64, 64, 2)),
        lambda: sharded(64, 128, TILE, block(64, 128, 2, 2)),
    ],
    "to_sharded_rows": [
        lambda: sharded(64, 64, ROWS, height(64, 64, 2)),
        lambda: sharded(64, 128, ROWS, width(64, 128, 2)),
    ],
    "from_sharded": [
        lambda: ttnn.to_memory_config(sharded(64, 64, TILE, height(64, 64, 2)), DRAM),
        lambda: ttnn.to_memory_config(sharded(64, 128, TILE, block(64, 128, 2, 2)), DRAM),
    ],
    "from_sharded_rows": [
        lambda: ttnn.to_memory_config(sharded(64, 64, ROWS, height(64, 64, 2)), DRAM),
        lambda: ttnn.to_memory_config(sharded(64, 128, ROWS, width(64, 128, 2)), DRAM),
    ],
    "reshard": [
        lambda: ttnn.reshard(sharded(128, 128, TILE, height(128, 128, 4)), block(128, 128, 2, 2)),
        lambda: ttnn.reshard(sharded(64, 128, TILE, width(64, 128, 4)), height(64, 128, 2)),
    ],
    "reshard_rows": [
        lambda: ttnn.reshard(sharded(64, 64, ROWS, height(64, 64, 4)), height(64, 64, 2)),
        lambda: ttnn.reshard(sharded(32, 128, ROWS, height(32, 128, 2)), height(32, 128, 4)),
    ],
    "sharded_concat": [
        lambda: ttnn.concat(
            [sharded(64, 32, ROWS, height(64, 32, 2)), sharded(64, 64, ROWS, height(64, 64, 2))],
            dim=1,
            memory_config=height(64, 96, 2),
        ),
        lambda: ttnn.concat(
            [sharded(32, 32, ROWS, height(32, 32, 2)), sharded(32, 32, ROWS, height(32, 32, 2))],
            dim=1,
            memory_config=height(32, 64, 2),
        ),
    ],
}

kept = []
for name in sys.argv[1:]:
    for run in (0, 1, 0):
        value = OPERATIONS[name][run]()
        # So that no result has the address of an earlier one.
        kept.append(value)
        data = value.cpu().to(ROWS).to_list()
        print(name, run, list(value.shape), hashlib.blake2b(repr(data).encode(), digest_size=8).hexdigest(), flush=True)
ttnn.close_device(device)
