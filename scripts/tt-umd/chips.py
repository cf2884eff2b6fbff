"""The chips as tt-umd wants them described, and how a library is opened with it."""

import contextlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Chip:
    """What tt-umd asks a description for, and where this script looks."""

    arch_name: str
    board: str
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
        board="n150",
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
        board="p150",
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


ALL_IN_RESET = 0x47800
ONLY_BRISC_RUNS = 0x47000


@contextlib.contextmanager
def opened(architecture, library):
    """A simulator's library, opened by tt-umd."""
    chip = CHIPS[architecture]
    # Ours has several chips in it and is told here which one to be.
    os.environ["HALLMARK_SIM_ARCH"] = architecture
    import tt_umd

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "libttsim.so"
        shutil.copy(library, copy)
        (Path(folder) / "soc_descriptor.yaml").write_text(description(chip))
        device = tt_umd.create_simulation_tt_device(str(copy))
        assert str(device.get_arch()) == architecture, device.get_arch()
        yield device, chip
