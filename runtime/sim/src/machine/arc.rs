//! The ARC tile: what firmware of the management processor answers a driver. Nothing of it runs.

use hallmark_chip::{
    ArcChannel, ArcDoorbell, ArcMessage, ArcRegister, ArcTile, ArcValue, ChipDescription,
};

use crate::machine::fault::Violation;
use crate::machine::memory::SparseMemory;

/// Bytes of a queue's header, and of each of its entries (tt-umd `ARC_MSG_QUEUE_HEADER_SIZE` and
/// `ARC_QUEUE_ENTRY_SIZE`).
const QUEUE_HEADER: u32 = 32;
const QUEUE_ENTRY: u32 = 32;
/// Offsets in the header: how far the driver has written requests, and how far firmware has read them and written
/// responses (tt-umd, `blackhole_arc_message_queue.hpp`).
const REQUESTS_WRITTEN: u32 = 0;
const REQUESTS_READ: u32 = 16;
const RESPONSES_WRITTEN: u32 = 20;
/// What firmware gives instead of an answer to a message that it does not know (tt-umd, `WormholeArcMessenger` and
/// `BlackholeArcMessageQueue::send_message`).
const UNKNOWN_IN_REGISTER: u32 = u32::MAX;
const UNKNOWN_IN_QUEUE: u32 = 0xFF;
/// The byte of a message's word that says which it is.
const CODE: u32 = 0xFF;

/// The tile's memory and registers.
#[derive(Debug)]
pub(crate) struct Arc {
    table: &'static ArcTile,
    memory: SparseMemory,
    /// In the order of the table.
    registers: Vec<u32>,
    harvested: u32,
    enabled: u32,
    clock: u32,
}

impl Arc {
    /// The tile after firmware has started.
    pub(crate) fn new(table: &'static ArcTile, chip: &ChipDescription) -> Result<Self, Violation> {
        let mut arc = Self {
            table,
            memory: SparseMemory::new("the ARC tile's memory", table.memory_size.into()),
            registers: table.registers.iter().map(|register| register.value).collect(),
            harvested: chip.harvested_on_die(),
            enabled: chip.enabled_on_die(),
            clock: table.clock,
        };
        for &(offset, value) in table.words {
            arc.put(offset, value)?;
        }
        arc.publish()?;
        Ok(arc)
    }

    /// Writes the telemetry: a version, the number of entries, each entry's tag and place, and the values.
    fn publish(&mut self) -> Result<(), Violation> {
        let telemetry = self.table.telemetry;
        self.put(telemetry.table, 1)?;
        self.put(telemetry.table + 4, telemetry.entries.len() as u32)?;
        for (place, &(tag, value)) in (0..).zip(telemetry.entries) {
            self.put(telemetry.table + 8 + 4 * place, u32::from(tag) | place << 16)?;
            let value = match value {
                ArcValue::Word(word) => word,
                ArcValue::Clock => self.clock,
                ArcValue::EnabledTensix => self.enabled,
            };
            self.put(telemetry.values + 4 * place, value)?;
        }
        Ok(())
    }

    fn put(&mut self, offset: u32, value: u32) -> Result<(), Violation> {
        self.memory.write(offset.into(), &value.to_le_bytes())
    }

    fn get(&self, offset: u32) -> Result<u32, Violation> {
        let mut word = [0; 4];
        self.memory.read(offset.into(), &mut word)?;
        Ok(u32::from_le_bytes(word))
    }

    /// Where in the crossbar a tile address lies.
    fn crossbar(&self, address: u64) -> Result<u32, Violation> {
        let inside = address.checked_sub(self.table.crossbar.0);
        inside.and_then(|inside| u32::try_from(inside).ok()).ok_or_else(|| missing(address))
    }

    /// The offset in the tile's memory, if an address of the crossbar lies there.
    fn in_memory(&self, address: u32) -> Option<u64> {
        let offset = address.checked_sub(self.table.memory)?;
        (offset < self.table.memory_size).then_some(offset.into())
    }

    fn register(&mut self, address: u32) -> Option<(&'static ArcRegister, &mut u32)> {
        self.table.registers.iter().zip(&mut self.registers).find(|(it, _)| it.address == address)
    }

    /// Reads at a tile address.
    pub(crate) fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), Violation> {
        let at = self.crossbar(address)?;
        if let Some(offset) = self.in_memory(at) {
            return self.memory.read(offset, buffer);
        }
        check_word(address, buffer.len())?;
        let (_, value) = self.register(at).ok_or_else(|| missing(address))?;
        buffer.copy_from_slice(&value.to_le_bytes());
        Ok(())
    }

    /// Writes at a tile address, and has firmware take messages if that rings.
    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Violation> {
        let at = self.crossbar(address)?;
        if let Some(offset) = self.in_memory(at) {
            return self.memory.write(offset, bytes);
        }
        check_word(address, bytes.len())?;
        let value = bytes.first_chunk().copied().map_or(0, u32::from_le_bytes);
        let table = self.table;
        let (register, held) = self.register(at).ok_or_else(|| missing(address))?;
        if !register.writable {
            return Err(Violation::unsupported(format!(
                "a write to {address:#x} of the ARC tile, which its firmware alone writes"
            )));
        }
        *held = value;
        let Some(&ArcDoorbell { bit, .. }) =
            table.doorbells.iter().find(|doorbell| doorbell.address == at)
        else {
            return Ok(());
        };
        if bit.is_some_and(|bit| value & bit == 0) {
            return Ok(());
        }
        *held = value & !bit.unwrap_or(0);
        match table.channel {
            ArcChannel::Registers { argument, status } => self.take_register(argument, status),
            ArcChannel::Queues { start, count, entries } => {
                let stride = QUEUE_HEADER + 2 * entries * QUEUE_ENTRY;
                (0..count).try_for_each(|queue| self.take_queue(start + queue * stride, entries))
            }
        }
    }

    /// Takes the message in the registers.
    fn take_register(&mut self, argument: u32, status: u32) -> Result<(), Violation> {
        let message = self.register(status).map_or(0, |(_, value)| *value);
        let given = self.register(argument).map_or(0, |(_, value)| *value);
        let (answer, end) = match self.answer(message & CODE, given)? {
            Some(answer) => (answer.unwrap_or(given), message & CODE),
            None => (given, UNKNOWN_IN_REGISTER),
        };
        for (address, value) in [(argument, answer), (status, end)] {
            if let Some((_, register)) = self.register(address) {
                *register = value;
            }
        }
        Ok(())
    }

    /// Takes every request of a queue.
    fn take_queue(&mut self, queue: u32, entries: u32) -> Result<(), Violation> {
        let turns = 2 * entries;
        let written = self.get(queue + REQUESTS_WRITTEN)?;
        let mut read = self.get(queue + REQUESTS_READ)?;
        let mut answered = self.get(queue + RESPONSES_WRITTEN)?;
        let waiting = written.wrapping_sub(read).checked_rem(turns).unwrap_or(0);
        if written >= turns || waiting > entries {
            return Err(Violation::undefined(format!(
                "a message queue of the ARC tile has {written} requests written and {read} read, and holds {entries}"
            )));
        }
        let slot = |entry: u32| queue + QUEUE_HEADER + entry * QUEUE_ENTRY;
        for _ in 0..waiting {
            let request = slot(read.checked_rem(entries).unwrap_or(0));
            let response = slot(entries + answered.checked_rem(entries).unwrap_or(0));
            let (code, argument) = (self.get(request)? & CODE, self.get(request + 4)?);
            let (status, value) = match self.answer(code, argument)? {
                Some(answer) => (0, answer.unwrap_or(0)),
                None => (UNKNOWN_IN_QUEUE, 0),
            };
            let mut words = [0; QUEUE_ENTRY as usize / 4];
            [words[0], words[1]] = [status, value];
            for (word, offset) in words.into_iter().zip((response..).step_by(4)) {
                self.put(offset, word)?;
            }
            let next = |turn: u32| (turn + 1).checked_rem(turns).unwrap_or(0);
            (read, answered) = (next(read), next(answered));
        }
        self.put(queue + REQUESTS_READ, read)?;
        self.put(queue + RESPONSES_WRITTEN, answered)
    }

    /// What firmware does on a message: nothing at all if it does not know it, otherwise its answer, if it gives one.
    fn answer(&mut self, code: u32, argument: u32) -> Result<Option<Option<u32>>, Violation> {
        let known = self.table.messages.iter().find(|(known, _)| u32::from(*known) == code);
        let Some(&(_, message)) = known else { return Ok(None) };
        Ok(Some(match message {
            ArcMessage::Nothing => None,
            ArcMessage::Word(word) => Some(word),
            ArcMessage::Increment => Some(argument.wrapping_add(1)),
            ArcMessage::HarvestedTensix => Some(self.harvested),
            ArcMessage::Clock => Some(self.clock),
            ArcMessage::SetClock(clock) => {
                self.clock = clock;
                self.publish()?;
                None
            }
        }))
    }
}

fn missing(address: u64) -> Violation {
    Violation::unimplemented(format!("{address:#x} of the ARC tile"))
}

fn check_word(address: u64, length: usize) -> Result<(), Violation> {
    if length == 4 && address.is_multiple_of(4) {
        return Ok(());
    }
    Err(Violation::unsupported(format!(
        "{length} bytes at {address:#x} of the ARC tile: its registers are words"
    )))
}
