//! Coprocessors that do not compute: as much as firmware touches while it starts.

use super::{Chip, Operands, wormhole_b0};

/// The instructions that firmware pushes while it starts. All their bits count as operands: no core can observe their
/// effects.
const OPERANDS: Operands = Operands::new(&[
    (0x10, 0xFF_FFFF),
    (0x11, 0xFF_FFFF),
    (0x71, 0xFF_FFFF),
    (0x8A, 0xFF_FFFF),
    (0x91, 0xFF_FFFF),
    (0xA3, 0xFF_FFFC),
    (0xB2, 0xFF_FFFF),
]);

/// Without words, every access to the configuration is refused.
pub(super) static GRAYSKULL: Chip =
    Chip { operands: OPERANDS, words: &[], absent: &[], ..wormhole_b0::TABLE };
