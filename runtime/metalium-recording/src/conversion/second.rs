//! A second recording of the same command, whose buffers lie elsewhere.

use crate::event::{BufferAllocated, Entry, Event, ProgramEnqueued};

/// How the addresses of a second recording differ from those of the first.
#[derive(Debug, Default)]
pub(super) struct SecondAddresses {
    /// For each buffer, in the order in which they were made, what is added to its address, modulo 2^32. Nothing for
    /// one that is another buffer in the second recording.
    shifts: Vec<Option<u32>>,
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
        Self { shifts: shifts.collect() }
    }

    /// What is added to the address of a buffer.
    pub(super) fn shift(&self, buffer: usize) -> Option<u32> {
        self.shifts.get(buffer).copied().flatten()
    }

    /// Whether any buffer moved by so much.
    pub(super) fn is_a_shift(&self, shift: u32) -> bool {
        shift != 0 && self.shifts.contains(&Some(shift))
    }
}

fn made(entries: &[Entry]) -> impl Iterator<Item = &BufferAllocated> {
    entries.iter().filter_map(|entry| {
        let Event::BufferAllocated(made) = &entry.event else { return None };
        Some(made)
    })
}

/// What of the second recording the words of the first are compared with.
#[derive(Debug)]
pub(super) struct SecondRecording<'e> {
    pub(super) addresses: SecondAddresses,
    enqueues: Vec<&'e ProgramEnqueued>,
}

impl<'e> SecondRecording<'e> {
    pub(super) fn new(first: &[Entry], second: &'e [Entry]) -> Self {
        let enqueues = second.iter().filter_map(|entry| {
            let Event::ProgramEnqueued(enqueued) = &entry.event else { return None };
            Some(enqueued)
        });
        Self { addresses: SecondAddresses::of(first, second), enqueues: enqueues.collect() }
    }

    /// The launch with a number.
    pub(super) fn enqueue(&self, number: usize) -> Option<&'e ProgramEnqueued> {
        self.enqueues.get(number).copied()
    }
}
