//! The data of reads on its way from a dispatcher to the host: through a ring in pinned host memory.

use std::collections::VecDeque;
use std::sync::Arc;

use hallmark_chip::{DeviceError, TileAddress, Unwritten};
use hallmark_device_code::dispatch_abi::{COMPLETION_ALIGNMENT, COMPLETION_SPACE};
use hallmark_schema::model::{BufferId, CommandIndex, ContentHash};

use crate::InternalError;
use crate::addresses::{Bank, BufferExtent, HostPages};
use crate::observer::CompletedRead;
use crate::stop::RawStop;

/// A stretch of device memory that a read brings in one command.
#[derive(Debug)]
pub(super) struct ReadPiece {
    pub(super) bank: Bank,
    /// The tile's address of the first byte.
    pub(super) address: u32,
    pub(super) length: u32,
    /// The pages that it holds, one after the other.
    pub(super) pages: Vec<u64>,
}

/// A read whose data has not come in full.
#[derive(Debug)]
pub(crate) struct PendingRead {
    command: CommandIndex,
    buffer: BufferId,
    name: Arc<str>,
    output: String,
    exact: Option<ContentHash>,
    host: HostPages,
    /// The bytes that have come, by page.
    bytes: Vec<u8>,
    pieces: VecDeque<ReadPiece>,
    /// The bytes of the first piece that have come.
    arrived: Vec<u8>,
}

impl PendingRead {
    /// A read of which nothing has come.
    ///
    /// # Errors
    /// The extent is larger than the host's memory.
    pub(crate) fn new(
        command: CommandIndex,
        (buffer, name): (BufferId, Arc<str>),
        output: String,
        exact: Option<ContentHash>,
        extent: &BufferExtent,
    ) -> Result<Self, InternalError> {
        let size = usize::try_from(extent.size())
            .map_err(|_| InternalError::new("a buffer beyond the address space"))?;
        Ok(Self {
            command,
            buffer,
            name,
            output,
            exact,
            host: HostPages::of(extent),
            bytes: vec![0; size],
            pieces: VecDeque::new(),
            arrived: Vec::new(),
        })
    }

    /// The read brings this piece, too.
    pub(super) fn expect(&mut self, piece: ReadPiece) {
        self.pieces.push_back(piece);
    }

    /// The first piece has come in full: its pages go to their places.
    fn place_pages(&mut self) {
        let Some(piece) = self.pieces.pop_front() else { return };
        self.host.scatter(&piece.pages, &self.arrived, &mut self.bytes);
        self.arrived.clear();
    }
}

/// A dispatcher's completion space, and the reads whose data goes through it.
#[derive(Debug)]
pub(super) struct Completion {
    /// Bytes, a power of two.
    size: u32,
    /// Position up to which the dispatcher knows that data was taken. Positions wrap at 2^32.
    drained: u32,
    /// Position of the next byte of data.
    expected: u32,
    reads: VecDeque<PendingRead>,
}

/// Reads bytes of pinned memory at an offset, which a dispatcher has read from this address of the bank's tile. Gives the
/// first byte that nothing has written, if that is asked and the device knows it.
type Fetch<'a> =
    dyn FnMut(u64, &mut [u8], (&Bank, TileAddress)) -> Result<Option<Unwritten>, DeviceError> + 'a;

impl Completion {
    pub(super) const fn new(size: u32, first: u32) -> Self {
        Self { size, drained: first, expected: first, reads: VecDeque::new() }
    }

    /// A read's data comes behind that of the reads before it.
    pub(super) fn expect(&mut self, read: PendingRead) {
        self.reads.push_back(read);
    }

    /// Takes the data that has come, up to the position `produced`. Gives the position that the dispatcher must be told;
    /// nothing if nothing has come.
    ///
    /// # Errors
    /// The device's. A byte that nothing has written is a fault.
    pub(super) fn take(
        &mut self,
        produced: u32,
        fetch: &mut Fetch<'_>,
    ) -> Result<Option<u32>, RawStop> {
        let Self { size, expected, reads, .. } = self;
        for read in reads {
            while read.take_part(*size, expected, produced, fetch)? {}
            if !read.pieces.is_empty() {
                break;
            }
        }
        let told = std::mem::replace(&mut self.drained, self.expected);
        Ok((told != self.drained).then_some(self.drained))
    }

    /// The next read that has come in full, with the hash that its call expects.
    pub(super) fn next_completed(&mut self) -> Option<(CompletedRead, Option<ContentHash>)> {
        let read = self.reads.pop_front_if(|read| read.pieces.is_empty())?;
        let PendingRead { command, buffer, output, exact, bytes, .. } = read;
        Some((CompletedRead { command, buffer, output, bytes: bytes.into() }, exact))
    }
}

impl PendingRead {
    /// Takes the part of the first piece that has come and does not pass the end of the completion space; false if
    /// nothing has come.
    fn take_part(
        &mut self,
        size: u32,
        expected: &mut u32,
        produced: u32,
        fetch: &mut Fetch<'_>,
    ) -> Result<bool, RawStop> {
        let Some(piece) = self.pieces.front() else { return Ok(false) };
        if self.arrived.is_empty() {
            let start = start_of(*expected, piece.address);
            // Signed distance: positions wrap.
            if produced.wrapping_sub(start) as i32 <= 0 {
                return Ok(false);
            }
            *expected = start;
        }
        let there = produced.wrapping_sub(*expected);
        let place = *expected & (size - 1);
        let old = self.arrived.len();
        let missing = piece.length - old as u32;
        let part = there.min(missing).min(size - place);
        if part == 0 {
            return Ok(false);
        }
        self.arrived.resize(old + part as usize, 0);
        let target = self.arrived.get_mut(old..).unwrap_or_default();
        let from = (&piece.bank, TileAddress(u64::from(piece.address) + old as u64));
        if let Some(found) = fetch(u64::from(COMPLETION_SPACE + place), target, from)? {
            let found = Unwritten { offset: old as u64 + found.offset, ..found };
            return Err(self.host.unwritten(&self.name, &piece.pages, found).into());
        }
        *expected = expected.wrapping_add(part);
        if self.arrived.len() as u32 == piece.length {
            self.place_pages();
        }
        Ok(true)
    }
}

/// The position of a piece of data that starts at this address of its tile.
const fn start_of(expected: u32, address: u32) -> u32 {
    let aligned = expected.wrapping_add(COMPLETION_ALIGNMENT - 1) & !(COMPLETION_ALIGNMENT - 1);
    aligned.wrapping_add(address & (COMPLETION_ALIGNMENT - 1))
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{FaultMemory, NocCoordinate, PhysicalCoordinate};
    use hallmark_schema::model::BufferType;

    use super::*;
    use crate::addresses::Placement;
    use crate::addresses::page_mapping::PageMapping;

    const SIZE: u32 = 256;
    const PAGE: u32 = 96;

    /// A read of so many pages, each a piece of its own at this address.
    fn read(pages: u64, address: u32) -> PendingRead {
        let extent = BufferExtent {
            buffer_type: BufferType::Dram,
            page_size: PAGE.into(),
            placement: Placement { address: 0, page_stride: PAGE.into(), bank_size: 0 },
            mapping: PageMapping::Interleaved { banks: 1 },
            pages: 0..pages,
        };
        let (command, buffer) = (CommandIndex(7), BufferId(3));
        let mut read =
            PendingRead::new(command, (buffer, "dst".into()), "out".to_owned(), None, &extent)
                .unwrap();
        let tile = NocCoordinate { x: 3, y: 4 };
        let bank = Bank { tile, physical: PhysicalCoordinate { x: 1, y: 2 }, offset: 32 };
        for page in 0..pages {
            read.expect(ReadPiece { bank, address, length: PAGE, pages: vec![page] });
        }
        read
    }

    /// Memory in which each byte holds the lower byte of its position, as far as the space goes.
    fn space(
        offset: u64,
        bytes: &mut [u8],
        _: (&Bank, TileAddress),
    ) -> Result<Option<Unwritten>, DeviceError> {
        let place = offset - u64::from(COMPLETION_SPACE);
        assert!(place + bytes.len() as u64 <= u64::from(SIZE));
        for (byte, at) in bytes.iter_mut().zip(place..) {
            *byte = at as u8;
        }
        Ok(None)
    }

    fn page_at(position: u32) -> Vec<u8> {
        (0..PAGE).map(|byte| position.wrapping_add(byte) as u8).collect()
    }

    #[test]
    fn data_comes_in_parts_and_goes_round_the_space() {
        // The first page passes the end of the space, where positions wrap at 2^32.
        let first = u32::MAX - 63;
        let mut completion = Completion::new(SIZE, first);
        completion.expect(read(2, 0));
        assert_eq!(completion.take(first, &mut space).unwrap(), None);
        let part = first.wrapping_add(40);
        assert_eq!(completion.take(part, &mut space).unwrap(), Some(part));
        assert!(completion.next_completed().is_none());
        let second = start_of(first.wrapping_add(PAGE), 0);
        let end = second.wrapping_add(PAGE);
        assert!(end < first);
        assert_eq!(completion.take(end, &mut space).unwrap(), Some(end));
        let (read, exact) = completion.next_completed().unwrap();
        assert_eq!((read.command, exact), (CommandIndex(7), None));
        assert_eq!(&*read.bytes, [page_at(first), page_at(second)].concat());
        assert!(completion.next_completed().is_none());
    }

    #[test]
    fn a_piece_lies_as_its_address_is_aligned() {
        let mut completion = Completion::new(SIZE, 0);
        completion.expect(read(1, 20));
        let start = 20 % COMPLETION_ALIGNMENT;
        assert_eq!(completion.take(start, &mut space).unwrap(), None);
        assert_eq!(completion.take(start + PAGE, &mut space).unwrap(), Some(start + PAGE));
        let (read, _) = completion.next_completed().unwrap();
        assert_eq!(&*read.bytes, page_at(start));
    }

    #[test]
    fn a_byte_that_nothing_has_written_is_a_fault() {
        let mut completion = Completion::new(SIZE, 0);
        completion.expect(read(1, 20));
        let start = 20 % COMPLETION_ALIGNMENT;
        completion.take(start + 40, &mut space).unwrap();
        let tile = PhysicalCoordinate { x: 7, y: 8 };
        let memory = FaultMemory { tile, address: TileAddress(0x300), length: 1 };
        let stop = completion
            .take(start + PAGE, &mut |_, _, (bank, from)| {
                assert_eq!((bank.tile, from), (NocCoordinate { x: 3, y: 4 }, TileAddress(60)));
                Ok(Some(Unwritten {
                    tile,
                    offset: 5,
                    length: 1,
                    source: "a place".to_owned(),
                    memory: Some(memory),
                    carrier: None,
                }))
            })
            .unwrap_err();
        let RawStop::Device(DeviceError::Fault(fault)) = stop else { panic!("{stop:?}") };
        assert!(fault.reason.starts_with("byte 45 of page 0 "), "{}", fault.reason);
        assert_eq!(fault.memory.as_deref(), Some(&memory));
    }
}
