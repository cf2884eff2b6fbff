"""Tensors of TT-Metalium's, made of the same data each time: what `run` and `places` have in common."""

import hashlib
import os
import pathlib
import sys
import tempfile

SHAPES = [[], [1], [8], [5, 7], [32, 32], [33, 17], [2, 3, 5], [2, 2, 33, 17], [64, 96], [1, 1, 16, 31], [3, 1, 40, 70]]
TILES = [(32, 32), (16, 32), (32, 16), (16, 16), (8, 32), (4, 32), (2, 32), (1, 32), (8, 16), (4, 16), (2, 16), (1, 16)]
SCALARS = ["float32", "bfloat16", "uint32", "int32", "uint16", "uint8"]
BLOCKS = ["bfp8_b", "bfp4_b"]


def find_metalium():
    """Whether the ttnn wheel of HALLMARK_METALIUM_SITE can be imported from now on."""
    site = os.environ.get("HALLMARK_METALIUM_SITE")
    if not site:
        print("HALLMARK_METALIUM_SITE is not set: no bytes of TT-Metalium's to compare with")
        return False
    sys.path.insert(0, site)
    os.environ.setdefault("TT_METAL_RUNTIME_ROOT", f"{site}/ttnn")
    os.environ.setdefault("TT_LOGGER_LEVEL", "FATAL")
    return True


def write_or_check(lines, table):
    """Writes a table, or with --check compares it with the file. The exit code."""
    if "--check" not in sys.argv:
        table.write_text("".join(f"{line}\n" for line in lines))
        print(f"{len(lines)} lines written to {table}")
        return 0
    kept = table.read_text().splitlines()
    different = sorted(set(kept) ^ set(lines))
    print(f"{len(lines)} lines, {len(different)} differ from {table}")
    for line in different[:20]:
        print(" ", line)
    return 1 if different else 0


class Tensors:
    def __init__(self):
        import numpy
        import ttnn

        self.numpy, self.ttnn = numpy, ttnn
        self.types = {
            "float32": ttnn.float32, "bfloat16": ttnn.bfloat16, "uint32": ttnn.uint32, "int32": ttnn.int32,
            "uint16": ttnn.uint16, "uint8": ttnn.uint8, "bfp8_b": ttnn.bfloat8_b, "bfp4_b": ttnn.bfloat4_b,
        }
        self.folder = tempfile.TemporaryDirectory()

    def numbers(self, count):
        """32 mixed bits for each element's number."""
        numpy = self.numpy
        with numpy.errstate(over="ignore"):
            x = numpy.arange(count, dtype=numpy.uint32) * numpy.uint32(2654435761) + numpy.uint32(12345)
            x ^= x >> numpy.uint32(16)
            x *= numpy.uint32(0x7FEB352D)
            x ^= x >> numpy.uint32(15)
            x *= numpy.uint32(0x846CA68B)
            return x ^ (x >> numpy.uint32(16))

    def data(self, data_type, target, count):
        """What the tensor is made of: any bits of an integer, singles within 2^±12, or what fits into an integer."""
        numpy = self.numpy
        x = self.numbers(count)
        if data_type in ("uint32", "int32", "uint16", "uint8"):
            width = {"uint16": numpy.uint16, "uint8": numpy.uint8}.get(data_type, numpy.uint32)
            return x.astype(width).view(numpy.int32) if data_type == "int32" else x.astype(width)
        if target in ("uint32", "int32", "uint16", "uint8"):
            limit = {"uint8": 200, "uint16": 60_000}.get(target, 1_000_000)
            values = (x % numpy.uint32(4 * limit)).astype(numpy.float32) / numpy.float32(4)
            return -values if target == "int32" else values
        bits = (x & numpy.uint32(0x807FFFFF)) | ((numpy.uint32(115) + (x >> numpy.uint32(8)) % numpy.uint32(25)) << numpy.uint32(23))
        bits = numpy.where(x % numpy.uint32(13) == 0, x & numpy.uint32(0x80000000), bits).astype(numpy.uint32)
        return bits.view(numpy.float32)

    def tensor(self, data_type, target, shape, tile, padding, *place):
        """A tensor on the host, or at a place: a device, and where in it the tensor lives."""
        numpy, ttnn = self.numpy, self.ttnn
        count = 1
        for size in shape:
            count *= size
        data = self.data(data_type, target, count).reshape(shape)
        if data_type == "bfloat16":
            # The upper half of each single, so that nothing is rounded.
            data = (data.view(numpy.uint32) & numpy.uint32(0xFFFF0000)).view(numpy.float32)
        layout = ttnn.ROW_MAJOR_LAYOUT if tile is None else ttnn.TILE_LAYOUT
        tile = None if tile is None else ttnn.Tile(tile)
        whole = data_type in ("uint32", "int32", "uint16", "uint8")
        if data_type == "uint32":
            # Python's numbers from 2^31 on would be taken for singles.
            data = data.view(numpy.int32)
        items = [int(item) if whole else float(item) for item in data.reshape(-1)]
        padding = int(padding) if whole else float(padding)
        return ttnn.Tensor(items, shape, self.types[data_type], layout, *place, tile, padding)

    def digest(self, tensor, size):
        path = os.path.join(self.folder.name, "tensor")
        self.ttnn._ttnn.tensor.dump_tensor_flatbuffer(path, tensor)
        data = pathlib.Path(path).read_bytes()
        return hashlib.sha256(data[len(data) - size:]).hexdigest()[:16]

    def size(self, data_type, shape, tile):
        if tile is None:
            count = 1
            for size in shape:
                count *= size
            return count * self.item(data_type)
        height, width = tile
        shape = [1, 1, *shape]
        tiles = -(-shape[-2] // height) * -(-shape[-1] // width)
        for size in shape[:-2]:
            tiles *= size
        elements = height * width
        if data_type in BLOCKS:
            exponents = -(-(elements // 16) // 16) * 16
            return tiles * (exponents + elements * (8 if data_type == "bfp8_b" else 4) // 8)
        return tiles * elements * self.item(data_type)

    def item(self, data_type):
        return {"float32": 4, "bfloat16": 2, "uint32": 4, "int32": 4, "uint16": 2, "uint8": 1}[data_type]
