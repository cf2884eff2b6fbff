"""Opens a simulator's library with tt-umd, moves bytes to and from tiles and DRAM, and runs a program.

Usage: drive.py ARCHITECTURE LIBRARY
"""

import os
import random
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Chip:
    """What tt-umd asks a description for, and where this script looks."""

    arch_name: str
    pci_name: str
    columns: int
    rows: int
    tensix_columns: list
    tensix_rows: list
    arc: str
    pcie: str
    ethernet: list
    dram: list
    l1_size: int
    dram_bank_size: int
    # In the coordinates that requests use.
    tiles: list
    dram_tiles: list


CHIPS = {
    "wormhole_b0": Chip(
        arch_name="WORMHOLE_B0",
        pci_name="wormhole_b0",
        columns=10,
        rows=12,
        tensix_columns=[1, 2, 3, 4, 6, 7, 8, 9],
        tensix_rows=[1, 2, 3, 4, 5, 7, 8, 9, 10, 11],
        arc="0-10",
        pcie="0-3",
        ethernet=[f"{x}-{y}" for y in (0, 6) for x in (9, 1, 8, 2, 7, 3, 6, 4)],
        dram=["0-0, 0-1, 0-11", "0-5, 0-6, 0-7", "5-0, 5-1, 5-11", "5-2, 5-9, 5-10", "5-3, 5-4, 5-8", "5-5, 5-6, 5-7"],
        l1_size=1464 * 1024,
        dram_bank_size=2 << 30,
        tiles=[(18, 18), (25, 25), (18, 27)],
        dram_tiles=[(0, 0), (0, 5), (5, 0), (5, 2), (5, 3), (5, 5)],
    ),
    "blackhole": Chip(
        arch_name="BLACKHOLE",
        pci_name="blackhole",
        columns=17,
        rows=12,
        tensix_columns=[*range(1, 8), *range(10, 17)],
        tensix_rows=list(range(2, 12)),
        arc="8-0",
        pcie="2-0, 11-0",
        ethernet=[f"{x}-1" for x in (1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10)],
        dram=[
            "0-0, 0-1, 0-11",
            "0-2, 0-10, 0-3",
            "0-9, 0-4, 0-8",
            "0-5, 0-7, 0-6",
            "9-0, 9-1, 9-11",
            "9-2, 9-10, 9-3",
            "9-9, 9-4, 9-8",
            "9-5, 9-7, 9-6",
        ],
        l1_size=1536 * 1024,
        dram_bank_size=4 << 30,
        tiles=[(1, 2), (16, 11), (7, 5)],
        dram_tiles=[(18, 12), (18, 15), (18, 18), (18, 21), (17, 12), (17, 15), (17, 18), (17, 21)],
    ),
}


def description(chip):
    """The file that tt-umd wants beside the library."""
    workers = ", ".join(f"{x}-{y}" for y in chip.tensix_rows for x in chip.tensix_columns)
    dram = ", ".join(f"[{ports}]" for ports in chip.dram)
    return f"""grid: {{ x_size: {chip.columns}, y_size: {chip.rows} }}
arc: [ {chip.arc} ]
pcie: [ {chip.pcie} ]
dram: [ {dram} ]
eth: [ {", ".join(chip.ethernet)} ]
functional_workers: [ {workers} ]
harvested_workers: []
router_only: []
worker_l1_size: {chip.l1_size}
dram_bank_size: {chip.dram_bank_size}
eth_l1_size: 262144
arch_name: {chip.arch_name}
features:
  unpacker: {{ version: 1, inline_srca_trans_without_srca_trans_instr: False }}
  math: {{ dst_size_alignment: 32768 }}
  packer: {{ version: 1 }}
  overlay: {{ version: 1 }}
"""


# RV32I, as far as the program needs it.
def lui(rd, upper):
    return upper << 12 | rd << 7 | 0x37


def addi(rd, rs, value):
    return (value & 0xFFF) << 20 | rs << 15 | rd << 7 | 0x13


def add(rd, one, other):
    return other << 20 | one << 15 | rd << 7 | 0x33


def lw(rd, base, offset):
    return offset << 20 | base << 15 | 2 << 12 | rd << 7 | 0x03


def sw(source, base, offset):
    return (offset >> 5) << 25 | source << 20 | base << 15 | 2 << 12 | (offset & 31) << 7 | 0x23


def bne(one, other, offset):
    sign, high, low, eleventh = offset >> 12 & 1, offset >> 5 & 0x3F, offset >> 1 & 0xF, offset >> 11 & 1
    return sign << 31 | high << 25 | other << 20 | one << 15 | 1 << 12 | low << 8 | eleventh << 7 | 0x63


NUMBERS, RESULT, DONE = 0x3000, 0x4000, 0x4004
COUNT = 100
MARK = 0x123

# Adds COUNT words from NUMBERS, stores the sum at RESULT and MARK at DONE, and stays.
PROGRAM = [
    lui(10, NUMBERS >> 12),
    addi(11, 10, 4 * COUNT),
    addi(12, 0, 0),
    lw(13, 10, 0),
    add(12, 12, 13),
    addi(10, 10, 4),
    bne(10, 11, -12),
    lui(14, RESULT >> 12),
    sw(12, 14, 0),
    addi(15, 0, MARK),
    sw(15, 14, DONE - RESULT),
    0x0000006F,
]

ALL_IN_RESET = 0x47800
ONLY_BRISC_RUNS = 0x47000


def words(values):
    return b"".join(value.to_bytes(4, "little") for value in values)


def drive(device, chip, seed):
    chance = random.Random(seed)
    for x, y in chip.tiles:
        device.noc_write32(x, y, 0x1000, 0x12345678)
        assert device.noc_read32(x, y, 0x1000) == 0x12345678
        for start, size in [(0x2000, 1), (0x2003, 61), (0x8000, 4096), (chip.l1_size - 100, 100)]:
            data = chance.randbytes(size)
            device.noc_write(x, y, start, data)
            assert device.noc_read(x, y, start, size) == data, (x, y, start)
    for x, y in chip.dram_tiles:
        for start, size in [(0, 64), (0x12345, 5000), (1 << 30, 1 << 16)]:
            data = chance.randbytes(size)
            device.noc_write(x, y, start, data)
            assert device.noc_read(x, y, start, size) == data, (x, y, start)
    for x, y in chip.tiles:
        numbers = [chance.getrandbits(32) for _ in range(COUNT)]
        device.set_risc_reset_state(x, y, ALL_IN_RESET)
        device.noc_write(x, y, 0, words(PROGRAM))
        device.noc_write(x, y, NUMBERS, words(numbers))
        device.noc_write32(x, y, DONE, 0)
        device.set_risc_reset_state(x, y, ONLY_BRISC_RUNS)
        # The driver moves time with each access.
        for _ in range(10_000):
            if device.noc_read32(x, y, DONE) == MARK:
                break
        assert device.noc_read32(x, y, DONE) == MARK, (x, y, "the program does not end")
        assert device.noc_read32(x, y, RESULT) == sum(numbers) & 0xFFFFFFFF, (x, y)
        device.set_risc_reset_state(x, y, ALL_IN_RESET)


def main():
    architecture, library = sys.argv[1:]
    chip = CHIPS[architecture]
    os.environ["HALLMARK_SIM_ARCH"] = architecture
    import tt_umd

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "libttsim.so"
        shutil.copy(library, copy)
        (Path(folder) / "soc_descriptor.yaml").write_text(description(chip))
        device = tt_umd.create_simulation_tt_device(str(copy))
        assert str(device.get_arch()) == chip.pci_name, device.get_arch()
        assert device.get_noc_translation_enabled()
        drive(device, chip, seed=1)
    print(
        f"{architecture}: {len(chip.tiles)} tiles, {len(chip.dram_tiles)} DRAM tiles read and written, "
        f"a program of {COUNT} additions run on each tile"
    )


main()
