//! How the vector units of chips differ.

use super::fused::Dialect;

/// A chip's vector unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// The lowest bit of `AddrMod` of loads and stores, and its bits.
    pub(super) address_mode: (u32, u32),
    /// `AddrMod` has two bits, and counters or the configuration select the second four modifiers.
    pub(super) has_bias: bool,
    /// How a product and a summand become a result.
    pub(super) dialect: Dialect,
    /// Modes 1 and 2 of multiplications and additions negate an operand.
    pub(super) negates: bool,
    /// `SFPAND` and `SFPOR` may have three operands.
    pub(super) has_second_source: bool,
    /// The modes of `SFPSHFT`, a bit each.
    pub(super) shift_modes: u32,
    /// Loads and stores convert integers between two's complement, and sign and magnitude.
    pub(super) converts_integers: bool,
    /// Bits of the magnitude that `MOD0_FMT_INT8` loads.
    pub(super) loaded_int8: u32,
    /// `MOD0_FMT_FP32` stores no denormals.
    pub(super) stores_normals: bool,
    /// `MOD0_FMT_INT32_ALL` adds the lowest bits of the counter alone, and no stack pointer.
    pub(super) has_plain_int32_all: bool,
    /// The modes of `SFPCAST`.
    pub(super) casts: u32,
    /// `SFP_STOCH_RND` rounds toward zero, too.
    pub(super) rounds_to_zero: bool,
    /// `SFPSHFT2` shifts a stale datum into each row of lanes (a defect of the hardware).
    pub(super) shifts_stale_data_in: bool,
    /// `SFPPUSHC` may change the top of the stack.
    pub(super) has_push_modes: bool,
    /// `SFPPOPC` may read the top of a full stack.
    pub(super) peeks_full_stacks: bool,
    /// The next instruction does not wait for results that take two cycles.
    pub(super) results_come_late: bool,
}

/// Wormhole.
pub static WORMHOLE_B0: Table = Table {
    address_mode: (14, 2),
    has_bias: true,
    dialect: Dialect::WORMHOLE_B0,
    negates: false,
    has_second_source: false,
    shift_modes: 0b11,
    converts_integers: true,
    loaded_int8: 7,
    stores_normals: false,
    has_plain_int32_all: true,
    casts: 2,
    rounds_to_zero: false,
    shifts_stale_data_in: true,
    has_push_modes: false,
    peeks_full_stacks: false,
    results_come_late: true,
};

/// Blackhole.
pub static BLACKHOLE: Table = Table {
    address_mode: (13, 3),
    has_bias: false,
    dialect: Dialect::BLACKHOLE,
    negates: true,
    has_second_source: true,
    shift_modes: 0b1010_1111,
    converts_integers: false,
    loaded_int8: 8,
    stores_normals: true,
    has_plain_int32_all: false,
    casts: 4,
    rounds_to_zero: true,
    shifts_stale_data_in: false,
    has_push_modes: true,
    peeks_full_stacks: true,
    results_come_late: false,
};
