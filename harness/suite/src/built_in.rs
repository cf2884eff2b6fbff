//! Numbers that every expression knows: what an architecture's table says, by name.
//!
//! Suites that use them instead of one architecture's figures run on all.

use hallmark_chip::ChipDescription;

/// A number with a name.
pub struct BuiltIn {
    /// How expressions name it.
    pub name: &'static str,
    /// What it is, for the reference.
    pub about: &'static str,
    value: fn(&ChipDescription) -> u64,
}

/// All of them, in the order of the reference.
pub const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "grid_columns",
        about: "columns of the compute grid",
        value: |chip| u64::from(chip.compute_grid().0),
    },
    BuiltIn {
        name: "grid_rows",
        about: "rows of the compute grid",
        value: |chip| u64::from(chip.compute_grid().1),
    },
    BuiltIn {
        name: "dram_banks",
        about: "banks over which pages in DRAM are spread",
        value: |chip| chip.dram_banks.len() as u64,
    },
    BuiltIn {
        name: "dram_bank_size",
        about: "bytes of a DRAM bank",
        value: |chip| chip.dram_bank_size,
    },
    BuiltIn {
        name: "dram_alignment",
        about: "pages in DRAM start at its multiples; the source and the destination of a transfer \
                from DRAM agree modulo it",
        value: |chip| u64::from(chip.dram_alignment),
    },
    BuiltIn {
        name: "l1_banks",
        about: "banks over which pages in L1 are spread, one for each core of the compute grid; which core \
                has which page follows TT-Metalium, and a page for a certain core takes a sharded buffer",
        value: |chip| {
            let (columns, rows) = chip.compute_grid();
            u64::from(columns).saturating_mul(u64::from(rows))
        },
    },
    BuiltIn { name: "l1_size", about: "bytes of a tile's L1", value: |chip| chip.l1_size },
    BuiltIn {
        name: "l1_alignment",
        about: "pages in L1 start at its multiples",
        value: |chip| u64::from(chip.l1_alignment),
    },
    BuiltIn {
        name: "circular_buffers",
        about: "circular buffers of a core",
        value: |chip| u64::from(chip.circular_buffers),
    },
    BuiltIn {
        name: "largest_noc_packet",
        about: "bytes of the largest packet on a NoC",
        value: |chip| u64::from(chip.noc_max_burst),
    },
];

impl BuiltIn {
    /// Its value on an architecture.
    pub fn value(&self, chip: &ChipDescription) -> i128 {
        i128::from((self.value)(chip))
    }
}
