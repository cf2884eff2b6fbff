//! How the matrix units of chips differ.

/// Bits of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) low: u32,
    pub(super) bits: u32,
}

const fn bits(low: u32, bits: u32) -> Field {
    Field { low, bits }
}

/// A chip's matrix unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// `AddrMod` of all instructions but pools.
    pub(super) address_mode: Field,
    /// `AddrMod` of pools.
    pub(super) pool_address_mode: Field,
    /// The mode of `MOVB2D`.
    pub(super) move_mode: Field,
    /// The bit of `ZEROACC` for rows of 32 bits.
    pub(super) zero_wide: u32,
    /// The bit of `ZEROACC` for `Revert`, where Tenstorrent's simulator has it.
    pub(super) zero_revert: Option<u32>,
    /// `ZEROACC` has 16 rows of 32 bits in Tenstorrent's simulator.
    pub(super) zero_has_wide_rows: bool,
    /// `AddrMod` has two bits, and counters or the configuration select the second four modifiers.
    pub(super) has_bias: bool,
    /// The section of `Dst` that the math offset selects adds to the index of `ZEROACC`.
    pub(super) zero_follows_the_offset: bool,
    /// A sum of -1 in the last place is normalized wrongly: a defect of the hardware, according to Tenstorrent's simulator.
    pub(super) minus_one_is_misplaced: bool,
}

/// Wormhole.
pub static WORMHOLE_B0: Table = Table {
    address_mode: bits(15, 2),
    pool_address_mode: bits(15, 2),
    move_mode: bits(12, 3),
    zero_wide: 21,
    zero_revert: None,
    zero_has_wide_rows: false,
    has_bias: true,
    zero_follows_the_offset: false,
    minus_one_is_misplaced: true,
};

/// Blackhole.
pub static BLACKHOLE: Table = Table {
    address_mode: bits(14, 3),
    pool_address_mode: bits(15, 3),
    move_mode: bits(11, 3),
    zero_wide: 18,
    zero_revert: Some(17),
    zero_has_wide_rows: true,
    has_bias: false,
    zero_follows_the_offset: true,
    minus_one_is_misplaced: false,
};
