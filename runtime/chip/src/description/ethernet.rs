//! Ethernet tiles without their cores: as much as a driver looks at when it opens a chip whose links are down.

/// What firmware of an Ethernet tile's cores has written by the time that a driver looks, and the registers that hold
/// those cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EthernetFirmware {
    /// Words of the tile's L1, by their address.
    pub words: &'static [(u64, u32)],
    /// Registers that keep what is written, by their address, with what they hold before.
    pub registers: &'static [(u64, u32)],
    /// The word by which TT-Metalium tells the cores what to do: in its uppermost byte a signal, which they set to 0
    /// when they have done it.
    pub go_message: u64,
    /// The signal that asks cores to start. A stand-in for them takes it at once.
    pub start_signal: u8,
}
