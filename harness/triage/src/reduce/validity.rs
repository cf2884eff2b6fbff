//! Whether a candidate reads bytes that it never wrote. Their values are arbitrary, so two devices may differ
//! in them without being wrong.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands::Command;
use hallmark_schema::model::{
    BufferId, BufferRegion, CircularBufferId, CommandIndex, KernelId, Outcome, ProgramId,
    ProgramPart,
};

use crate::defects::{Defect, planted};

/// Whether every read byte was written before: by the host, or by a program that got the buffer's address and
/// may have written all of it.
pub fn reads_what_was_written(program: &ProgramPart) -> bool {
    unwritten_read(program).is_none()
}

/// The first read of bytes that were not written before, as far as the calls show: the bytes that a program
/// writes are unknown without running it.
pub(super) fn unwritten_read(program: &ProgramPart) -> Option<CommandIndex> {
    let mut written = Written::default();
    let mut calls = (0..).map(CommandIndex).zip(&program.commands);
    let found = calls.find(|(_, recorded)| match &recorded.outcome {
        Outcome::Done | Outcome::Unfinished => !written.follow(&recorded.command),
        Outcome::Failed(_) => false,
    });
    found.map(|(at, _)| at)
}

/// A buffer or a view.
#[derive(Clone, Copy, Debug)]
struct Extent {
    root: BufferId,
    offset: u64,
    size: u64,
}

#[derive(Default)]
struct Written {
    extents: BTreeMap<BufferId, Extent>,
    /// The host-written ranges of each buffer, by start and end.
    pieces: BTreeMap<BufferId, BTreeMap<u64, u64>>,
    /// Buffers that were passed to a program.
    by_programs: BTreeSet<BufferId>,
    programs: BTreeMap<KernelId, ProgramId>,
    programs_of_circular_buffers: BTreeMap<CircularBufferId, ProgramId>,
    /// The buffers passed to each program.
    given: BTreeMap<ProgramId, BTreeSet<BufferId>>,
}

impl Written {
    /// Applies a call; returns whether it reads only written bytes.
    fn follow(&mut self, command: &Command) -> bool {
        match command {
            Command::CreateBuffer(call) => {
                let extent = Extent { root: call.buffer, offset: 0, size: call.size };
                self.extents.insert(call.buffer, extent);
            }
            Command::CreateBufferView(call) => {
                if let Some(parent) = self.extents.get(&call.parent).copied() {
                    let offset = parent.offset.saturating_add(call.region.offset);
                    let extent = Extent { offset, size: call.region.size, ..parent };
                    self.extents.insert(call.buffer, extent);
                }
            }
            Command::CreateKernel(call) => {
                self.programs.insert(call.kernel, call.program);
            }
            Command::CreateCircularBuffer(call) => {
                self.programs_of_circular_buffers.insert(call.circular_buffer, call.program);
                let inside = call.globally_allocated_address.map(|inside| inside.buffer);
                self.give(Some(call.program), inside);
            }
            Command::UpdateDynamicCircularBufferAddress(call) => {
                let of = self.programs_of_circular_buffers.get(&call.circular_buffer).copied();
                self.give(of, Some(call.buffer));
            }
            Command::UpdateDynamicCircularBufferAddressAndTotalSize(call) => {
                let of = self.programs_of_circular_buffers.get(&call.circular_buffer).copied();
                self.give(of, Some(call.buffer));
            }
            Command::SetRuntimeArgs(call) => {
                let words = call.args.iter().flat_map(|set| &set.relocations);
                let buffers: Vec<BufferId> =
                    words.filter_map(|word| word.argument.buffer()).collect();
                self.give(self.programs.get(&call.kernel).copied(), buffers);
            }
            Command::SetCommonRuntimeArgs(call) => {
                let buffers = call.relocations.iter().filter_map(|word| word.argument.buffer());
                self.give(self.programs.get(&call.kernel).copied(), buffers.collect::<Vec<_>>());
            }
            Command::UpdateCommonRuntimeArgs(call) => {
                let buffers = call.relocations.iter().filter_map(|word| word.argument.buffer());
                self.give(self.programs.get(&call.kernel).copied(), buffers.collect::<Vec<_>>());
            }
            Command::EnqueueProgram(call) => {
                self.by_programs.extend(self.given.get(&call.program).into_iter().flatten());
            }
            Command::EnqueueWriteBuffer(call) => {
                if let Some((root, start, end)) = self.bytes(call.buffer, call.region) {
                    add(self.pieces.entry(root).or_default(), start, end);
                }
            }
            Command::EnqueueReadBuffer(call) => {
                let Some((root, start, end)) = self.bytes(call.buffer, call.region) else {
                    return true;
                };
                let pieces = self.pieces.get(&root);
                let piece = pieces.and_then(|pieces| pieces.range(..=start).next_back());
                return self.by_programs.contains(&root)
                    || piece.is_some_and(|it| *it.1 >= end)
                    || planted(Defect::UnwrittenBytesRead);
            }
            _ => {}
        }
        true
    }

    fn give(&mut self, program: Option<ProgramId>, buffers: impl IntoIterator<Item = BufferId>) {
        let roots: Vec<BufferId> = buffers
            .into_iter()
            .map(|buffer| self.extents.get(&buffer).map_or(buffer, |extent| extent.root))
            .collect();
        if let Some(program) = program {
            self.given.entry(program).or_default().extend(roots);
        }
    }

    /// The buffer that owns the memory, and a region's first byte and end in it.
    fn bytes(
        &self,
        buffer: BufferId,
        region: Option<BufferRegion>,
    ) -> Option<(BufferId, u64, u64)> {
        let extent = self.extents.get(&buffer)?;
        let region = region.unwrap_or(BufferRegion::whole(extent.size));
        let start = extent.offset.saturating_add(region.offset);
        Some((extent.root, start, start.saturating_add(region.size)))
    }
}

/// Adds a range, joined with those that it touches.
fn add(pieces: &mut BTreeMap<u64, u64>, mut start: u64, mut end: u64) {
    while let Some((&other, &until)) = pieces.range(..=end).next_back()
        && until >= start
    {
        pieces.remove(&other);
        start = start.min(other);
        end = end.max(until);
    }
    pieces.insert(start, end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_that_touch_become_one() {
        let mut pieces = BTreeMap::new();
        add(&mut pieces, 64, 128);
        add(&mut pieces, 256, 320);
        assert_eq!(pieces, BTreeMap::from([(64, 128), (256, 320)]));
        add(&mut pieces, 0, 64);
        assert_eq!(pieces, BTreeMap::from([(0, 128), (256, 320)]));
        add(&mut pieces, 100, 260);
        assert_eq!(pieces, BTreeMap::from([(0, 320)]));
        add(&mut pieces, 10, 20);
        assert_eq!(pieces, BTreeMap::from([(0, 320)]));
    }
}
