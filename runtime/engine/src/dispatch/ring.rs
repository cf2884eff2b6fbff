//! How a dispatcher's ring is filled with commands.

use hallmark_chip::TileAddress;
use hallmark_device_code::dispatch_abi::{Control, DispatchTile};

use super::commands;
use super::dispatcher::NextInRing;
use crate::engine::Engine;
use crate::halt::Halt;
use crate::observer::Observer;

/// Commands that wait for room in the ring, in their order.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    bytes: Vec<u8>,
    /// Of these, what is in the ring already.
    sent: usize,
}

impl Outbox {
    pub(super) fn push(&mut self, command: &[u8]) {
        self.bytes.extend_from_slice(command);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Bytes that wait.
    pub(super) fn len(&self) -> usize {
        self.waiting().len()
    }

    fn waiting(&self) -> &[u8] {
        self.bytes.get(self.sent..).unwrap_or_default()
    }

    /// Bytes of the command that lies so far behind the first one: the header's second word. None behind
    /// the last one.
    fn size_at(&self, offset: usize) -> Option<usize> {
        let header = self.waiting().get(offset.checked_add(4)?..)?.first_chunk()?;
        Some(u32::from_le_bytes(*header) as usize)
    }

    /// Bytes of the first command.
    pub(super) fn first_size(&self) -> Option<u32> {
        u32::try_from(self.size_at(0)?).ok()
    }

    /// As many whole commands as there is room for.
    pub(super) fn fitting(&self, room: u32) -> &[u8] {
        let mut end = 0usize;
        while let Some(size) = self.size_at(end)
            && size > 0
            && end.saturating_add(size) <= room as usize
        {
            end = end.saturating_add(size);
        }
        self.waiting().get(..end).unwrap_or_default()
    }

    /// The first so many bytes are in the ring.
    pub(super) fn send(&mut self, size: usize) {
        self.sent = self.sent.saturating_add(size);
        if self.sent >= self.bytes.len() {
            self.bytes.clear();
            self.sent = 0;
        }
    }
}

impl Engine {
    /// Puts a command behind those that wait to be put into the ring.
    pub(super) fn enqueue_command(
        &mut self,
        command: &[u8],
        observer: &mut dyn Observer,
    ) -> Result<(), Halt> {
        let dispatcher = self.dispatcher()?;
        dispatcher.outbox.push(command);
        let held = dispatcher.outbox.len();
        if held > dispatcher.settings.ring_size as usize / 2 {
            self.ring_doorbell(observer)?;
        }
        Ok(())
    }

    /// Puts what waits into the ring and tells the dispatcher. Where launches overlap, nobody waits for room:
    /// what the dispatcher is busy with may need what the other one is given next.
    pub(super) fn ring_doorbell(&mut self, observer: &mut dyn Observer) -> Result<(), Halt> {
        self.fill_ring(self.serving)?;
        while !self.dispatcher()?.outbox.is_empty() && !self.overlaps() {
            self.wait_for_dispatcher(|dispatcher| dispatcher.next_in_ring().is_some(), observer)?;
            self.fill_ring(self.serving)?;
        }
        Ok(())
    }

    /// Puts as much of what waits as there is room for into a dispatcher's ring, and tells the dispatcher.
    pub(super) fn fill_ring(&mut self, queue: usize) -> Result<(), Halt> {
        let Self { chip, dispatchers, .. } = self;
        let Some(dispatcher) = dispatchers.get_mut(queue) else { return Ok(()) };
        let before = dispatcher.written;
        while let Some(next) = dispatcher.next_in_ring() {
            let address = TileAddress(dispatcher.ring_address());
            let (size, sent) = match next {
                NextInRing::Commands(bytes) => {
                    chip.write(dispatcher.noc, address, bytes)?;
                    (bytes.len() as u32, bytes.len())
                }
                NextInRing::Skip(left) => {
                    chip.write(dispatcher.noc, address, &commands::skip(left))?;
                    (left, 0)
                }
            };
            dispatcher.written = dispatcher.written.wrapping_add(size);
            dispatcher.outbox.send(sent);
        }
        if dispatcher.written != before {
            let doorbell = TileAddress(u64::from(DispatchTile::CONTROL.start + Control::WRITTEN));
            chip.order()?;
            chip.write_word(dispatcher.noc, doorbell, dispatcher.written)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::commands;
    use super::*;

    #[test]
    fn only_whole_commands_leave() {
        let mut outbox = Outbox::default();
        assert_eq!((outbox.first_size(), outbox.len()), (None, 0));
        for number in 0..3 {
            outbox.push(&commands::record(number));
        }
        let size = commands::record(0).len();
        assert_eq!(outbox.first_size(), Some(size as u32));
        assert!(outbox.fitting(size as u32 - 1).is_empty());
        assert_eq!(outbox.fitting(2 * size as u32 + 1).len(), 2 * size);
        outbox.send(2 * size);
        assert_eq!(outbox.fitting(u32::MAX), commands::record(2));
        assert_eq!(outbox.len(), size);
        outbox.send(size);
        assert!(outbox.is_empty() && outbox.fitting(u32::MAX).is_empty());
    }
}
