"""Boots builds of Tenstorrent's own firmware on a simulator's library and launches an empty program.

Usage: boot_firmware.py ARCHITECTURE LIBRARY FOLDER...

Each folder is one of `ttnn/tt_metal/pre-compiled/` of the ttnn 0.81.1 wheel. What is written where follows
tt-metal 0.81.1: `dev_mem_map.h` and `dev_msgs.h` of each chip, `llrt.cpp`, and `main` of `brisc.cc`.
"""

import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from chips import ALL_IN_RESET, ONLY_BRISC_RUNS, opened

CORES = ["brisc", "ncrisc", "trisc0", "trisc1", "trisc2"]


@dataclass
class Layout:
    """Addresses in L1."""

    mailboxes: int
    brisc_entry: int
    # Where each core's start-up code finds the initial values of its private RAM.
    private_images: list


LAYOUTS = {
    "wormhole_b0": Layout(0x10, 0x3A20, [0x8960, 0x9960, 0xA960, 0xB160, 0xB960]),
    "blackhole": Layout(0x60, 0x3AE0, [0xA080, 0xC080, 0xE080, 0xF080, 0x10080]),
}

# Offsets in `mailboxes_t`.
SUBORDINATES = 8
LAUNCH_MODE = 16 + 48
GO_MESSAGE = 1168

INIT, GO, DONE = 0x40, 0x80, 0
HOST_DISPATCH = 1
PRIVATE_RAM = 0xFFB0_0000
BOUND = 20_000


def segments(elf):
    (headers,) = struct.unpack_from("<I", elf, 28)
    (count,) = struct.unpack_from("<H", elf, 44)
    for index in range(count):
        kind, offset, address, _, size, *_ = struct.unpack_from("<8I", elf, headers + 32 * index)
        if kind == 1 and size:
            yield address, elf[offset : offset + size]


def jump(offset):
    """`jal x0, offset`."""
    sign, high, eleventh, low = offset >> 20 & 1, offset >> 12 & 0xFF, offset >> 11 & 1, offset >> 1 & 0x3FF
    return sign << 31 | low << 21 | eleventh << 20 | high << 12 | 0x6F


class Tile:
    def __init__(self, device, place, layout):
        self.device, self.place, self.layout = device, place, layout

    def write(self, address, data):
        self.device.noc_write(*self.place, address, data)

    def go(self):
        return self.device.noc_read32(*self.place, self.layout.mailboxes + GO_MESSAGE) >> 24

    def subordinates(self):
        return self.device.noc_read(*self.place, self.layout.mailboxes + SUBORDINATES, 4)

    def load(self, folder):
        self.device.set_risc_reset_state(*self.place, ALL_IN_RESET)
        self.write(0, bytes(0x20000))
        for core, private_image in zip(CORES, self.layout.private_images):
            for address, data in segments((folder / core / f"{core}.elf").read_bytes()):
                if address >= PRIVATE_RAM:
                    address += private_image - PRIVATE_RAM
                self.write(address, data)
        self.write(0, jump(self.layout.brisc_entry).to_bytes(4, "little"))

    def signal(self, value):
        self.device.noc_write32(*self.place, self.layout.mailboxes + GO_MESSAGE, value << 24)

    def wait(self, what):
        """Until firmware takes the signal back. The driver moves time with each access."""
        for _ in range(BOUND):
            if self.go() == DONE:
                return
        waiting = ", ".join(f"{core} {state:#x}" for core, state in zip(CORES[1:], self.subordinates()))
        sys.exit(f"{what}: go is {self.go():#x}; {waiting}")


def boot(architecture, library, folder):
    with opened(architecture, library) as (device, chip):
        for place in chip.tiles:
            tile = Tile(device, place, LAYOUTS[architecture])
            tile.load(folder)
            tile.signal(INIT)
            device.set_risc_reset_state(*place, ONLY_BRISC_RUNS)
            tile.wait("boot")
            # All zero: NCRISC and the TRISCs wait for work. (BRISC then has TRISC0 set up registers.)
            tile.write(tile.layout.mailboxes + LAUNCH_MODE, bytes([HOST_DISPATCH]))
            tile.signal(GO)
            tile.wait("an empty program")
            device.set_risc_reset_state(*place, ALL_IN_RESET)


def main():
    architecture, library, *folders = sys.argv[1:]
    if len(folders) == 1:
        boot(architecture, library, Path(folders[0]))
        return
    # A library ends its process on a fault, and there is one of it in a process.
    failed = 0
    for folder in folders:
        command = [sys.executable, __file__, architecture, library, folder]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            failed += 1
            lines = (run.stdout + run.stderr).strip().splitlines()
            fault = [line for line in lines if "ERROR" in line] or lines[-1:]
            print(f"{architecture}: build {Path(folder).name}: {' '.join(fault)}")
    print(
        f"{architecture}: {len(folders) - failed} of {len(folders)} builds boot to where all five cores wait "
        f"for work, and run an empty program"
    )
    sys.exit(failed > 0)


main()
