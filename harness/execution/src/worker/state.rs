//! The content of a device's memory between the calls of a replay, as digests by page. A replay worker records
//! it on request, so that two runs can be compared on any machines. It is no part of a capture.
//!
//! The first line of the file states its version; then it has a line of JSON for each snapshot. A line is
//! written as soon as it is known, so that a worker's notes survive however it ends.

mod digest;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Error, Write as _};
use std::path::Path;

use hallmark_runtime::{BufferBytes, Device, LiveBuffer, ReplayObserver};
use hallmark_schema::model::{Capture, CommandIndex, DispatchMode};
use serde::{Deserialize, Serialize};

pub use self::digest::{PageDigest, PageDigests, page_digests};
use super::job_file::JobFile;
use super::memory::{MemoryLog, UnwrittenRange};
use super::own_memory;
use super::problem::{WorkerFile, WorkerProblem};
use super::writers::{WatchedByte, WriteLog};
use crate::whole_file;

/// The version of the notes. Every change of the notes takes the next one.
pub const STATE_VERSION: u32 = 1;

/// The largest number of bytes in one snapshot: hashing more would take too much of a run's time limit.
pub const LOOK_BUDGET: u64 = 256 << 20;

const STATE: &str = "state.jsonl";
/// The largest accepted notes, bytes.
const FILE_LIMIT: u64 = 512 << 20;

/// The requested notes of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateJob {
    /// The calls after which memory is read, if the device is idle then.
    pub after: Vec<u32>,
    /// Bytes that are ignored, because the other side has not written them.
    #[serde(default)]
    pub masks: Vec<StateMask>,
    /// Buffers whose bytes are kept.
    #[serde(default)]
    pub bytes: Vec<BytesAt>,
    /// A byte whose writers are recorded, for workers that support that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<WatchedByte>,
}

/// Ignored bytes of a buffer after a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateMask {
    /// The call.
    pub command: u32,
    /// The buffer's id.
    pub buffer: u32,
    /// The ignored bytes.
    pub unwritten: Vec<UnwrittenRange>,
}

/// A buffer whose bytes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BytesAt {
    /// The call after which they are read.
    pub command: u32,
    /// The buffer's id.
    pub buffer: u32,
}

/// The content of memory after a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateNote {
    /// The index of the call.
    pub command: u32,
    /// Every allocated buffer with its own memory, by its id.
    pub buffers: BTreeMap<u32, BufferState>,
}

/// The content of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferState {
    /// The buffer's name in the host program.
    pub name: String,
    /// The size of the buffer, bytes.
    pub size: u64,
    /// The size of a page, bytes.
    pub page_size: u64,
    /// The unwritten bytes; `None` if the device does not track them.
    pub unwritten: Option<Vec<UnwrittenRange>>,
    /// The digests of its pages.
    pub pages: PageDigests,
}

#[derive(Serialize, Deserialize)]
struct Header {
    state: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    command: u32,
    /// The state of each buffer; `None` for an unchanged one.
    buffers: BTreeMap<u32, Option<BufferState>>,
}

/// Notes the content of memory.
pub(super) struct StateLog<'j> {
    file: File,
    job: &'j StateJob,
    memory: MemoryLog,
    writes: Option<WriteLog>,
    /// Whether snapshots during the run have no effect.
    during: bool,
    last: u32,
    masks: BTreeMap<(u32, u32), &'j [UnwrittenRange]>,
    known: BTreeMap<u32, BufferState>,
}

impl<'j> StateLog<'j> {
    pub(super) fn create(
        file: &JobFile,
        job: &'j StateJob,
        dispatch: DispatchMode,
        capture: &Capture,
    ) -> Result<Self, WorkerProblem> {
        let mut notes =
            File::create(file.path(STATE)).map_err(|error| WorkerFile::State.problem(&error))?;
        line(&mut notes, &Header { state: STATE_VERSION })
            .map_err(|error| WorkerFile::State.problem(&error))?;
        let last = capture.program.commands.len().saturating_sub(1);
        Ok(Self {
            file: notes,
            job,
            memory: MemoryLog::create(file, dispatch)?,
            writes: job.watched.map(|byte| WriteLog::new(file, byte, capture)),
            // With dispatchers the chip is never idle, and a strict one takes each snapshot for an access by
            // the host.
            during: dispatch == DispatchMode::Host,
            last: u32::try_from(last).unwrap_or(u32::MAX),
            masks: job
                .masks
                .iter()
                .map(|mask| ((mask.command, mask.buffer), mask.unwritten.as_slice()))
                .collect(),
            known: BTreeMap::new(),
        })
    }

    /// A failed read or write leaves the note out.
    fn look(&mut self, device: &mut Device, command: u32) -> Option<()> {
        let mut buffers = BTreeMap::new();
        for live in with_room(device.live_buffers(), |live| live.size) {
            let read = device.inspect_buffer(live.buffer).ok()?;
            // A buffer larger than the host's memory is left out on both sides.
            let Some(read) = read else { continue };
            let state = self.state(command, &live, read);
            let is_news = self.known.get(&live.buffer.0) != Some(&state);
            buffers.insert(live.buffer.0, is_news.then(|| state.clone()));
            self.known.insert(live.buffer.0, state);
        }
        line(&mut self.file, &Line { command, buffers }).ok()
    }

    fn state(&self, command: u32, live: &LiveBuffer, read: BufferBytes) -> BufferState {
        let mask = self.masks.get(&(command, live.buffer.0)).copied();
        let own: Option<Vec<UnwrittenRange>> =
            read.unwritten.map(|ranges| ranges.into_iter().map(UnwrittenRange::from).collect());
        let unwritten = own.as_deref().unwrap_or_default();
        let pages = page_digests(&read.bytes, live.page_size, unwritten, mask.unwrap_or(unwritten));
        BufferState {
            name: live.name.clone(),
            size: live.size,
            page_size: live.page_size,
            unwritten: own,
            pages,
        }
    }
}

impl ReplayObserver for StateLog<'_> {
    fn before(&mut self, _: &mut Device, _: CommandIndex) {}

    fn after(&mut self, device: &mut Device, CommandIndex(command): CommandIndex) {
        if let Some(writes) = &mut self.writes {
            writes.after(device, CommandIndex(command));
        }
        if device.stop().is_some() || !device.is_settled() || !(self.during || command == self.last)
        {
            return;
        }
        if self.job.after.contains(&command) && self.look(device, command).is_none() {
            return;
        }
        let kept: Vec<u32> =
            self.job.bytes.iter().filter(|at| at.command == command).map(|at| at.buffer).collect();
        if !kept.is_empty() {
            self.memory.note(device, command, |buffer| kept.contains(&buffer));
        }
    }

    fn at_end(&mut self) {
        own_memory::wait_if_over();
    }
}

/// The buffers within the budget of a snapshot, each that still fits: the same ones on both sides.
fn with_room<T>(buffers: Vec<T>, size: impl Fn(&T) -> u64) -> impl Iterator<Item = T> {
    let mut room = LOOK_BUDGET;
    buffers.into_iter().filter(move |buffer| {
        let left = room.checked_sub(size(buffer));
        room = left.unwrap_or(room);
        left.is_some()
    })
}

fn line(file: &mut File, content: &impl Serialize) -> Result<(), Error> {
    let mut text = serde_json::to_vec(content)?;
    text.push(b'\n');
    file.write_all(&text)
}

/// The notes of a worker, as far as it came; empty without notes, or if they have another version.
pub fn read(folder: &Path) -> Vec<StateNote> {
    let bytes = whole_file::read(&folder.join(STATE), FILE_LIMIT).unwrap_or_default();
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Vec<StateNote> {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let header = lines.next().and_then(|line| serde_json::from_slice::<Header>(line).ok());
    if header.is_none_or(|header| header.state != STATE_VERSION) {
        return Vec::new();
    }
    let mut known: BTreeMap<u32, BufferState> = BTreeMap::new();
    let mut notes = Vec::new();
    // The last line of a killed worker may be incomplete.
    for Line { command, buffers } in
        lines.map_while(|line| serde_json::from_slice::<Line>(line).ok())
    {
        let mut held = BTreeMap::new();
        for (buffer, state) in buffers {
            let Some(state) = state.or_else(|| known.get(&buffer).cloned()) else { continue };
            known.insert(buffer, state.clone());
            held.insert(buffer, state);
        }
        notes.push(StateNote { command, buffers: held });
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(bytes: &[u8]) -> BufferState {
        BufferState {
            name: "a".to_owned(),
            size: bytes.len() as u64,
            page_size: 4,
            unwritten: Some(Vec::new()),
            pages: page_digests(bytes, 4, &[], &[]),
        }
    }

    fn text(lines: &[Line]) -> Vec<u8> {
        let mut bytes = b"{\"state\":1}\n".to_vec();
        for line in lines {
            bytes.extend(serde_json::to_vec(line).unwrap());
            bytes.push(b'\n');
        }
        bytes
    }

    #[test]
    fn a_look_leaves_out_what_it_has_no_room_for_and_nothing_else() {
        let looked_at = |sizes: &[u64]| with_room(sizes.to_vec(), |size| *size).collect::<Vec<_>>();
        assert_eq!(looked_at(&[64, 1 << 30, 128]), [64, 128]);
        assert_eq!(looked_at(&[LOOK_BUDGET, 0]), [LOOK_BUDGET, 0]);
        assert_eq!(looked_at(&[LOOK_BUDGET, 1]), [LOOK_BUDGET]);
        assert_eq!(looked_at(&[LOOK_BUDGET + 1, 1]), [1]);
    }

    #[test]
    fn what_did_not_change_is_as_it_was_and_a_part_of_a_line_is_left_out() {
        let (one, two) = (state(&[1; 8]), state(&[2; 8]));
        let lines = [
            Line { command: 3, buffers: BTreeMap::from([(0, Some(one.clone()))]) },
            Line { command: 5, buffers: BTreeMap::from([(0, None), (1, Some(two.clone()))]) },
            Line { command: 9, buffers: BTreeMap::from([(1, None)]) },
        ];
        let bytes = text(&lines);
        let notes = parse(&bytes);
        let held: Vec<(u32, Vec<&BufferState>)> =
            notes.iter().map(|note| (note.command, note.buffers.values().collect())).collect();
        assert_eq!(held, [(3, vec![&one]), (5, vec![&one, &two]), (9, vec![&two])]);
        assert_eq!(parse(&bytes[..bytes.len() - 2]).len(), 2);
        for (wrong, length) in
            [("{\"state\":2}\n", 0), ("", 0), ("x", 0), ("{\"state\":1}\n7\n", 0)]
        {
            assert_eq!(parse(wrong.as_bytes()).len(), length, "{wrong}");
        }
    }
}
