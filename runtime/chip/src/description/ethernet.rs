//! Ethernet tiles without their cores: the parts that a driver reads when it opens a chip whose links are down.

/// The words that the firmware of an Ethernet tile has written before a driver reads them, and the registers
/// that hold its cores in reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EthernetFirmware {
    /// Words of the tile's L1, by their address.
    pub words: &'static [(u64, u32)],
    /// Registers that store written values, by their address, with their initial values.
    pub registers: &'static [(u64, u32)],
    /// The word by which TT-Metalium signals the cores. Its uppermost byte holds the signal; the cores set it
    /// to 0 when they are done.
    pub go_message: u64,
    /// The signal that starts the cores. A stand-in for the cores acknowledges it at once.
    pub start_signal: u8,
}
