//! Parts of a recording that are not wanted: their calls are left out, and what buffers held behind them is written.

use hallmark_schema::commands::EnqueueWriteBuffer;
use hallmark_schema::model::{Command, QueueId};

use super::Converter;
use super::data::data;
use super::missing::Missing;
use crate::event::{Event, ObservedBuffer, ProgramEnqueued};

/// What was left out so far.
#[derive(Debug, Default)]
pub(super) struct Cuts {
    /// Whether the current entry is left out.
    pub(super) is_open: bool,
    launches: u32,
    buffers: u32,
}

impl Cuts {
    /// What is missing for that reason.
    pub(super) fn missing(&self) -> Option<Missing> {
        let Self { launches, buffers, .. } = *self;
        (launches > 0).then_some(Missing::Cut { launches, buffers })
    }
}

/// Whether a call is left out inside of a cut: those that put work on a queue or wait for it. Objects stay.
const fn is_cut(event: &Event) -> bool {
    event.is_begun_call()
        || matches!(
            event,
            Event::EventRecorded { .. }
                | Event::EventQueried { .. }
                | Event::TraceBegun { .. }
                | Event::CallThrew { .. }
        )
}

impl Converter<'_> {
    /// Whether the current entry is left out, which is counted.
    pub(super) fn cuts_out(&mut self, event: &Event) -> bool {
        let is_out = self.cuts.is_open && is_cut(event);
        if let (true, Event::ProgramEnqueued(_)) = (is_out, event) {
            self.cuts.launches = self.cuts.launches.saturating_add(1);
        }
        is_out
    }

    /// Writes what a buffer held, if anything behind needs it.
    pub(super) fn write_contents(&mut self, buffer: ObservedBuffer, contents: &[u8]) {
        let Some(live) = self.buffers.get(buffer) else { return };
        let Some(id) = live.id.filter(|_| live.is_whole) else { return };
        if contents.len() as u64 != live.made.size || !self.is_needed(buffer) {
            return;
        }
        let (data, is_same) = data(contents, self.options.data, self.written, &mut self.blobs);
        self.has_other_data |= !is_same;
        let queue = QueueId(0);
        let call = EnqueueWriteBuffer { queue, buffer: id, data, blocking: true, region: None };
        self.calls.push(Command::EnqueueWriteBuffer(call));
        self.cuts.buffers = self.cuts.buffers.saturating_add(1);
    }

    /// Whether an entry behind the current one may read a buffer before all of it is written.
    fn is_needed(&self, buffer: ObservedBuffer) -> bool {
        let Some(live) = self.buffers.get(buffer) else { return false };
        let holds = |word: u32| live.contains(word.into());
        let names = |launch: &ProgramEnqueued| {
            let arguments = launch.arguments.iter().any(|kernel| {
                let own = kernel.cores.iter().flat_map(|core| &core.words);
                kernel.common.iter().chain(own).any(|word| holds(*word))
            });
            let mut placed = launch.circular_buffers.iter().filter_map(|it| it.given_address);
            arguments || placed.any(holds)
        };
        let shows = |other: ObservedBuffer| {
            let other = self.buffers.get(other);
            let shown = other.and_then(|other| other.place).map(|(id, _)| id);
            shown.is_some() && shown == live.id
        };
        let later = self.entries.get(self.entry.saturating_add(1)..).unwrap_or_default();
        let mut is_open = false;
        for event in later.iter().map(|entry| &entry.event) {
            if let Event::CutBegun | Event::CutEnded = event {
                is_open = matches!(event, Event::CutBegun);
            } else if let Event::BufferFreed { buffer: gone } = event
                && *gone == buffer
            {
                return false;
            } else if is_open {
                continue;
            } else if let Event::Written { transfer, .. } = event
                && transfer.buffer == buffer
                && transfer.size == live.made.size
            {
                return false;
            } else if let Event::ReadBegun { transfer, .. } = event
                && (transfer.buffer == buffer || shows(transfer.buffer))
            {
                return true;
            } else if let Event::ProgramEnqueued(launch) = event
                && names(launch)
            {
                return true;
            } else if let Event::TraceReplayed { .. } = event {
                // What a trace reads was decided when it was made.
                return true;
            }
        }
        false
    }
}
