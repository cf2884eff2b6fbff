//! Compares a recording with a second one of the same command, whose buffers have other addresses.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::model::{CommandIndex, KernelId};

use crate::event::{
    BufferAllocated, Entry, Event, ObservedProgram, ProgramDescription, ProgramEnqueued,
};

/// A difference between two recordings of a command that addresses do not explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Difference {
    /// From some call on, the command acts differently.
    #[error(
        "the second run does something else from call {number} of the first on; nothing behind the call is checked"
    )]
    Course {
        /// The number of the call, counting those that put work on a queue or make objects.
        number: usize,
    },
    /// Runtime arguments.
    #[error(
        "command {command} launches with argument words that differ, and no address explains it"
    )]
    Arguments {
        /// The launch.
        command: CommandIndex,
    },
    /// The build inputs of a kernel.
    #[error(
        "command {command} makes kernel {kernel} with other compile-time arguments, definitions or text"
    )]
    Build {
        /// The call that makes the kernel.
        command: CommandIndex,
        /// The kernel.
        kernel: KernelId,
    },
    /// The data of a write.
    #[error("command {command} writes data of which {words} words differ")]
    Data {
        /// The write.
        command: CommandIndex,
        /// The number of differing 4-byte words.
        words: u64,
    },
    /// The data of a write contain addresses, which a capture cannot relocate.
    #[error(
        "command {command} writes data with {words} words that moved as buffers did, and data is not relocated"
    )]
    AddressesInData {
        /// The write.
        command: CommandIndex,
        /// The number of 4-byte words.
        words: u64,
    },
    /// The result of a read.
    #[error("command {command} read other bytes; the capture does not check the read")]
    Returned {
        /// The read.
        command: CommandIndex,
    },
}

impl Difference {
    /// The call that the difference concerns.
    pub(super) const fn command_mut(&mut self) -> Option<&mut CommandIndex> {
        match self {
            Self::Course { .. } => None,
            Self::Arguments { command }
            | Self::Build { command, .. }
            | Self::Data { command, .. }
            | Self::AddressesInData { command, .. }
            | Self::Returned { command } => Some(command),
        }
    }
}

/// The differences between the addresses of two recordings.
#[derive(Debug, Default)]
pub(super) struct SecondAddresses {
    /// The distance, modulo 2^32, between the two addresses of each buffer, in the order of creation. `None` if
    /// the second recording has a different buffer in its place.
    shifts: Vec<Option<u32>>,
    /// The distinct distances.
    distinct: BTreeSet<u32>,
}

impl SecondAddresses {
    fn of(first: &[Entry], second: &[Entry]) -> Self {
        let shifts = made(first).zip(made(second)).map(|(first, second)| {
            let shape = |it: &BufferAllocated| {
                (it.size, it.page_size, it.buffer_type, it.layout, it.is_at_given_address)
            };
            let shift = second.address.wrapping_sub(first.address);
            (shape(first) == shape(second)).then_some(shift as u32)
        });
        let shifts: Vec<Option<u32>> = shifts.collect();
        let distinct = shifts.iter().flatten().copied().collect();
        Self { shifts, distinct }
    }

    /// The distance between the two addresses of a buffer.
    pub(super) fn shift(&self, buffer: usize) -> Option<u32> {
        self.shifts.get(buffer).copied().flatten()
    }

    /// Whether any buffer moved by this distance.
    pub(super) fn is_a_shift(&self, shift: u32) -> bool {
        shift != 0 && self.distinct.contains(&shift)
    }

    /// For two texts of the same length, the number of differing 4-byte words that addresses explain, and of
    /// the others.
    pub(super) fn differing_words(&self, first: &[u8], second: &[u8]) -> (u64, u64) {
        let word = |bytes: &[u8]| {
            bytes.iter().rev().fold(0_u32, |word, byte| word << 8 | u32::from(*byte))
        };
        let pairs = first.chunks(4).zip(second.chunks(4));
        let shifts = pairs.map(|(first, second)| word(second).wrapping_sub(word(first)));
        shifts.filter(|shift| *shift != 0).fold((0, 0), |(moved, otherwise), shift| {
            if self.is_a_shift(shift) { (moved + 1, otherwise) } else { (moved, otherwise + 1) }
        })
    }
}

fn made(entries: &[Entry]) -> impl Iterator<Item = &BufferAllocated> {
    entries.iter().filter_map(|entry| {
        let Event::BufferAllocated(made) = &entry.event else { return None };
        Some(made)
    })
}

/// The parts of the second recording that the first is compared with.
#[derive(Debug)]
pub(super) struct SecondRecording<'e> {
    pub(super) addresses: SecondAddresses,
    /// The first call in which the recordings differ.
    pub(super) course: Option<usize>,
    enqueues: Vec<&'e ProgramEnqueued>,
    /// The descriptions of programs, by the first recording's ids.
    descriptions: BTreeMap<ObservedProgram, &'e ProgramDescription>,
    written: Vec<&'e [u8]>,
    /// The contents read back at cuts.
    contents: Vec<&'e [u8]>,
    /// The results of reads, in the order in which they began.
    returned: Vec<Option<&'e [u8]>>,
}

impl<'e> SecondRecording<'e> {
    pub(super) fn new(first: &[Entry], second: &'e [Entry]) -> Self {
        let (course, second) = common_course(first, second);
        let mut new = Self {
            addresses: SecondAddresses::of(first, second),
            course,
            enqueues: Vec::new(),
            descriptions: BTreeMap::new(),
            written: Vec::new(),
            contents: Vec::new(),
            returned: Vec::new(),
        };
        let mut described = first.iter().filter_map(|entry| {
            let Event::ProgramDescribed(description) = &entry.event else { return None };
            Some(description.program)
        });
        let mut begun = Vec::new();
        let mut completed: BTreeMap<u32, &[u8]> = BTreeMap::new();
        for entry in second {
            if let Event::ProgramEnqueued(enqueued) = &entry.event {
                new.enqueues.push(enqueued);
            } else if let Event::ProgramDescribed(description) = &entry.event {
                if let Some(program) = described.next() {
                    new.descriptions.insert(program, description);
                }
            } else if let Event::Written { data, .. } = &entry.event {
                new.written.push(data);
            } else if let Event::ContentsReadBack { data, .. } = &entry.event {
                new.contents.push(data);
            } else if let Event::ReadBegun { read, .. } = &entry.event {
                begun.push(*read);
            } else if let Event::ReadCompleted { read, data } = &entry.event {
                completed.insert(*read, data);
            }
        }
        new.returned = begun.iter().map(|read| completed.get(read).copied()).collect();
        new
    }

    /// The launch with this number.
    pub(super) fn enqueue(&self, number: usize) -> Option<&'e ProgramEnqueued> {
        self.enqueues.get(number).copied()
    }

    /// The description of a program of the first recording.
    pub(super) fn description(&self, program: ObservedProgram) -> Option<&'e ProgramDescription> {
        self.descriptions.get(&program).copied()
    }

    /// The data of the write with this number.
    pub(super) fn written(&self, number: usize) -> Option<&'e [u8]> {
        self.written.get(number).copied()
    }

    /// The content read back at a cut, counted over all buffers of all cuts.
    pub(super) fn contents(&self, number: usize) -> Option<&'e [u8]> {
        self.contents.get(number).copied()
    }

    /// The result of the read with this number.
    pub(super) fn returned(&self, number: usize) -> Option<&'e [u8]> {
        self.returned.get(number).copied().flatten()
    }
}

/// The index of the first call in which two recordings differ, and the common prefix of the second.
fn common_course<'e>(first: &[Entry], second: &'e [Entry]) -> (Option<usize>, &'e [Entry]) {
    let mut of_first = first.iter().filter_map(|entry| shape(&entry.event));
    let mut number = 0;
    for (at, entry) in second.iter().enumerate() {
        let Some(shape) = shape(&entry.event) else { continue };
        if of_first.next() != Some(shape) {
            return (Some(number), second.get(..at).unwrap_or_default());
        }
        number += 1;
    }
    (of_first.next().map(|_| number), second)
}

/// The part of an event that is the same in every run of a deterministic command; `None` for events whose time
/// varies.
fn shape(event: &Event) -> Option<(u8, [u64; 4])> {
    let on = |queue: u8| [u64::from(queue), 0, 0, 0];
    match event {
        Event::BufferAllocated(made) => {
            let kind = u64::from(made.buffer_type) << 32 | u64::from(made.layout);
            Some((0, [made.size, made.page_size, kind, made.is_at_given_address.into()]))
        }
        Event::Written { transfer, .. } => {
            Some((1, [transfer.offset, transfer.size, transfer.queue.into(), 0]))
        }
        Event::ReadBegun { transfer, .. } => {
            Some((2, [transfer.offset, transfer.size, transfer.queue.into(), 0]))
        }
        Event::ProgramDescribed(program) => {
            let counts = [
                program.kernels.len() as u64,
                program.dataflow_buffers.len() as u64,
                program.semaphores.len() as u64,
                0,
            ];
            Some((3, counts))
        }
        Event::ProgramEnqueued(enqueued) => Some((4, on(enqueued.queue))),
        Event::Finish { queue } => Some((5, on(*queue))),
        Event::EventRecorded { event, .. } => Some((6, on(event.queue))),
        Event::EventWaitedFor { queue, .. } => Some((7, on(*queue))),
        Event::EventSynchronized { .. } => Some((8, [0; 4])),
        Event::TraceBegun { queue, .. } => Some((9, on(*queue))),
        Event::TraceEnded { queue, .. } => Some((10, on(*queue))),
        Event::TraceReplayed { queue, .. } => Some((11, on(*queue))),
        Event::TraceReleased { .. } => Some((12, [0; 4])),
        Event::DeviceOpened(_) => Some((13, [0; 4])),
        Event::LibraryLoaded(_)
        | Event::DeviceClosed { .. }
        | Event::BufferFreed { .. }
        | Event::ReadCompleted { .. }
        | Event::BindingsGenerated { .. }
        | Event::ProgramDestroyed { .. }
        | Event::EventQueried { .. }
        | Event::CallThrew { .. }
        | Event::CutBegun
        | Event::CutEnded
        | Event::ContentsReadBack { .. }
        | Event::Unfollowed { .. }
        | Event::ProcessEnded => None,
    }
}
