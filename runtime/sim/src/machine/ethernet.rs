//! An Ethernet tile: its L1, and a stand-in for its cores, which are not simulated.

use std::collections::BTreeMap;

use hallmark_chip::ChipDescription;

use crate::machine::fault::Violation;
use crate::machine::memory::{Source, SparseMemory, Taint};

/// Where in a word the signal of a go message is.
const SIGNAL_BYTE: u64 = 3;

/// The tile's memory and registers.
#[derive(Debug)]
pub(crate) struct EthernetTile {
    description: &'static ChipDescription,
    memory: SparseMemory,
    /// Registers that were written, by their address.
    registers: BTreeMap<u64, u32>,
}

impl EthernetTile {
    /// The tile after its firmware has started.
    pub(crate) fn new(description: &'static ChipDescription) -> Result<Self, Violation> {
        let mut memory = SparseMemory::new("Ethernet L1", description.ethernet_l1_size);
        for (address, word) in description.ethernet_firmware.iter().flat_map(|it| it.words) {
            memory.write(*address, &word.to_le_bytes())?;
        }
        Ok(Self { description, memory, registers: BTreeMap::new() })
    }

    /// Reads at a tile address.
    pub(crate) fn read(&self, address: u64, buffer: &mut [u8]) -> Result<(), Violation> {
        if address < self.description.ethernet_l1_size {
            return self.memory.read(address, buffer);
        }
        let reset = self.register(address, buffer.len())?;
        let value = self.registers.get(&address).copied().unwrap_or(reset);
        buffer.copy_from_slice(&value.to_le_bytes());
        Ok(())
    }

    /// Writes at a tile address. A signal to start is taken at once, because no core is there to take it.
    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Violation> {
        if address < self.description.ethernet_l1_size {
            self.memory.write(address, bytes)?;
            let Some(firmware) = self.description.ethernet_firmware else { return Ok(()) };
            let signal = firmware.go_message + SIGNAL_BYTE;
            let written = signal.checked_sub(address).and_then(|at| bytes.get(at as usize));
            if written == Some(&firmware.start_signal) {
                self.memory.write(signal, &[0])?;
            }
            return Ok(());
        }
        self.register(address, bytes.len())?;
        let value = bytes.first_chunk().copied().map_or(0, u32::from_le_bytes);
        self.registers.insert(address, value);
        Ok(())
    }

    /// What a register holds before it is written, if it is there.
    fn register(&self, address: u64, length: usize) -> Result<u32, Violation> {
        let mut known = self.description.ethernet_firmware.iter().flat_map(|it| it.registers);
        match known.find(|(register, _)| *register == address) {
            Some((_, reset)) if length == 4 => Ok(*reset),
            Some(_) => Err(Violation::unsupported(format!(
                "an access of {length} bytes at {address:#x}; registers are words"
            ))),
            None => Err(Violation::unimplemented(format!("Ethernet register {address:#x}"))),
        }
    }

    /// What is unknown of a range. Registers are always known.
    pub(crate) fn taint_of(&self, address: u64, length: usize, own: Source) -> Option<Taint> {
        let memory = address < self.description.ethernet_l1_size;
        memory.then(|| self.memory.taint_of(address, length, own)).flatten()
    }

    /// Notes that what was just written is unknown in part.
    pub(crate) fn taint(&mut self, address: u64, taint: &Taint) {
        if address < self.description.ethernet_l1_size {
            self.memory.taint(address, taint);
        }
    }
}
