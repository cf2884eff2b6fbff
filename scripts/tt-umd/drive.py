"""Opens a simulator's library with tt-umd, asks who it is, moves bytes to and from tiles and DRAM, and runs a program.

Usage: drive.py ARCHITECTURE LIBRARY
"""

import os
import random
import sys

from chips import ALL_IN_RESET, ONLY_BRISC_RUNS, opened


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


def words(values):
    return b"".join(value.to_bytes(4, "little") for value in values)


def identify(device, chip, mask):
    """As far as the driver initializes a card: hang check, management processor, telemetry, what is fused off."""
    device.init_tt_device()
    assert str(device.get_board_type()) == chip.board, device.get_board_type()
    found = device.get_chip_info().harvesting_masks.tensix_harvesting_mask
    assert found == mask, (hex(found), hex(mask))


def drive(device, chip, tiles, seed):
    chance = random.Random(seed)
    for x, y in tiles:
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
    for x, y in tiles:
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
    mask = int(os.environ.get("HALLMARK_SIM_HARVESTING", "0"), 16)
    with opened(architecture, library) as (device, chip):
        assert device.get_noc_translation_enabled()
        identify(device, chip, mask)
        # Of a harvested chip the last tiles are not there.
        tiles = chip.tiles[:1] if mask else chip.tiles
        drive(device, chip, tiles, seed=1)
    print(
        f"{architecture}, harvesting mask {mask:#x}: initialized as {chip.board}, {len(tiles)} tiles, "
        f"{len(chip.dram_tiles)} DRAM tiles read and written, a program of {COUNT} additions run on each tile"
    )


main()
