//! A dispatcher's ring of commands as the host sees it.

use super::commands;

/// Commands that wait for room in the ring, in their order.
#[derive(Debug, Default)]
struct Outbox {
    bytes: Vec<u8>,
    /// The first so many bytes are in the ring.
    sent: usize,
}

impl Outbox {
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
    fn first_size(&self) -> Option<u32> {
        u32::try_from(self.size_at(0)?).ok()
    }

    /// As many whole commands as there is room for.
    fn fitting(&self, room: u32) -> &[u8] {
        let mut end = 0usize;
        while let Some(size) = self.size_at(end)
            && size > 0
            && end.saturating_add(size) <= room as usize
        {
            end = end.saturating_add(size);
        }
        self.waiting().get(..end).unwrap_or_default()
    }

    /// Marks the first so many bytes as sent.
    fn send(&mut self, size: usize) {
        self.sent = self.sent.saturating_add(size);
        if self.sent >= self.bytes.len() {
            self.bytes.clear();
            self.sent = 0;
        }
    }
}

/// A ring, and the commands that wait for room in it.
#[derive(Debug)]
pub(super) struct Ring {
    /// Bytes, a power of two.
    size: u32,
    /// Position up to which commands are in the ring. Positions wrap at 2^32.
    written: u32,
    /// Position up to which the dispatcher has carried them out.
    consumed: u32,
    outbox: Outbox,
}

/// The next bytes for the ring.
enum Next<'a> {
    Commands(&'a [u8]),
    /// A command that skips so many bytes, because no command passes the ring's end.
    Skip(u32),
}

impl Ring {
    /// An empty ring whose first command gets this position.
    pub(super) fn new(size: u32, first: u32) -> Self {
        Self { size, written: first, consumed: first, outbox: Outbox::default() }
    }

    /// The largest command that the ring is given.
    pub(super) const fn command_limit(&self) -> usize {
        self.size as usize / 4
    }

    /// Puts a command behind those that wait for room.
    pub(super) fn push(&mut self, command: &[u8]) {
        self.outbox.bytes.extend_from_slice(command);
    }

    /// Whether so much waits that it is time to fill the ring.
    pub(super) fn is_due(&self) -> bool {
        self.outbox.waiting().len() > self.size as usize / 2
    }

    /// Whether commands wait for room.
    pub(super) fn has_waiting(&self) -> bool {
        !self.outbox.bytes.is_empty()
    }

    /// The dispatcher has carried commands out up to a position.
    pub(super) const fn consume(&mut self, position: u32) {
        self.consumed = position;
    }

    /// Whether every command is carried out.
    pub(super) fn is_done(&self) -> bool {
        !self.has_waiting() && self.consumed == self.written
    }

    /// Whether there is room for the next command, or for the end of the ring to be skipped.
    pub(super) fn has_room(&self) -> bool {
        self.next().is_some()
    }

    fn next(&self) -> Option<Next<'_>> {
        let held = self.written.wrapping_sub(self.consumed);
        let free = self.size.saturating_sub(held);
        let left = self.size - self.offset();
        let commands = self.outbox.fitting(free.min(left));
        if !commands.is_empty() {
            return Some(Next::Commands(commands));
        }
        let first = self.outbox.first_size()?;
        (first > left && free >= left).then_some(Next::Skip(left))
    }

    /// Where in the ring the next byte lies.
    const fn offset(&self) -> u32 {
        self.written & (self.size - 1)
    }

    /// Fills the ring as far as there is room. `write` is given each stretch, with its offset in the ring. Gives the
    /// position that the dispatcher must be told; nothing if nothing was written.
    ///
    /// # Errors
    /// That of `write`.
    pub(super) fn fill<E>(
        &mut self,
        mut write: impl FnMut(u32, &[u8]) -> Result<(), E>,
    ) -> Result<Option<u32>, E> {
        let before = self.written;
        while let Some(next) = self.next() {
            let (size, sent) = match next {
                Next::Commands(bytes) => {
                    write(self.offset(), bytes)?;
                    (bytes.len() as u32, bytes.len())
                }
                Next::Skip(left) => {
                    write(self.offset(), &commands::skip(left))?;
                    (left, 0)
                }
            };
            self.written = self.written.wrapping_add(size);
            self.outbox.send(sent);
        }
        Ok((self.written != before).then_some(self.written))
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn only_whole_commands_leave() {
        let mut outbox = Outbox::default();
        assert_eq!((outbox.first_size(), outbox.waiting().len()), (None, 0));
        for number in 0..3 {
            outbox.bytes.extend(commands::record(number));
        }
        let size = commands::record(0).len();
        assert_eq!(outbox.first_size(), Some(size as u32));
        assert!(outbox.fitting(size as u32 - 1).is_empty());
        assert_eq!(outbox.fitting(2 * size as u32 + 1).len(), 2 * size);
        outbox.send(2 * size);
        assert_eq!(outbox.fitting(u32::MAX), commands::record(2));
        assert_eq!(outbox.waiting().len(), size);
        outbox.send(size);
        assert!(outbox.bytes.is_empty() && outbox.fitting(u32::MAX).is_empty());
    }

    /// A command of so many bytes.
    fn command(size: u32) -> Vec<u8> {
        let mut bytes = commands::skip(size);
        bytes.resize(size as usize, 0);
        bytes
    }

    /// Fills a ring; gives where it was written and how much, and the position to be told.
    fn fill(ring: &mut Ring) -> (Vec<(u32, usize)>, Option<u32>) {
        let mut writes = Vec::new();
        let told = ring.fill(|offset, bytes| {
            writes.push((offset, bytes.len()));
            Ok::<_, Infallible>(())
        });
        let Ok(told) = told;
        (writes, told)
    }

    #[test]
    fn a_full_ring_waits_until_commands_are_carried_out() {
        let mut ring = Ring::new(128, 0);
        ring.push(&command(64));
        ring.push(&command(64));
        ring.push(&command(16));
        assert_eq!(fill(&mut ring), (vec![(0, 128)], Some(128)));
        assert!(ring.has_waiting() && !ring.has_room() && !ring.is_done());
        assert_eq!(fill(&mut ring), (vec![], None));
        ring.consume(64);
        assert_eq!(fill(&mut ring), (vec![(0, 16)], Some(144)));
        assert!(!ring.has_waiting() && !ring.is_done());
        ring.consume(144);
        assert!(ring.is_done());
    }

    #[test]
    fn no_command_passes_the_end_of_the_ring() {
        let mut ring = Ring::new(128, 0);
        ring.push(&command(96));
        assert_eq!(fill(&mut ring), (vec![(0, 96)], Some(96)));
        ring.push(&command(48));
        // The rest of the ring is skipped at once; the command waits for room at its start.
        assert_eq!(fill(&mut ring), (vec![(96, 16)], Some(128)));
        assert!(ring.has_waiting());
        ring.consume(96);
        assert_eq!(fill(&mut ring), (vec![(0, 48)], Some(176)));
        // A command that ends where the ring ends needs no skip.
        ring.consume(176);
        ring.push(&command(80));
        assert_eq!(fill(&mut ring), (vec![(48, 80)], Some(256)));
    }

    #[test]
    fn positions_wrap() {
        let first = u32::MAX - 63;
        let mut ring = Ring::new(128, first);
        assert!(ring.is_done());
        ring.push(&command(48));
        ring.push(&command(32));
        // The ring ends 64 bytes behind the first position.
        let (writes, told) = fill(&mut ring);
        assert_eq!(writes, [(64, 48), (112, 16), (0, 32)]);
        assert_eq!(told, Some(32));
        ring.consume(0);
        assert!(!ring.is_done());
        ring.consume(32);
        assert!(ring.is_done());
    }

    #[test]
    fn a_ring_is_due_when_more_than_half_of_it_waits() {
        let mut ring = Ring::new(128, 16);
        ring.push(&command(64));
        assert!(!ring.is_due());
        ring.push(&command(16));
        assert!(ring.is_due());
    }
}
