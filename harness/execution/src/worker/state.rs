//! What a device's memory holds between the calls of a replay, as digests by page: written down by a replay worker
//! that is asked to, so that two runs can be compared on whatever machines. No part of a capture.
//!
//! The file has a line of JSON for each look, after one that says its version. A line is written as soon as it is known:
//! what a worker has noted is there however it ends.

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
use super::problem::{WorkerFile, WorkerProblem};
use super::writers::{WatchedByte, WriteLog};
use crate::whole_file;

/// The version of the notes. Whatever changes them takes the next one.
pub const STATE_VERSION: u32 = 1;

/// Bytes that one look takes at most: hashing more of them counts against the time that a run has.
pub const LOOK_BUDGET: u64 = 256 << 20;

const STATE: &str = "state.jsonl";
/// More notes are not read.
const FILE_LIMIT: u64 = 512 << 20;

/// What a replay notes of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateJob {
    /// The calls after which memory is looked at, if the device rests then.
    pub after: Vec<u32>,
    /// Bytes that count for nothing, because the other side has not written them.
    #[serde(default)]
    pub masks: Vec<StateMask>,
    /// Buffers whose bytes are kept.
    #[serde(default)]
    pub bytes: Vec<BytesAt>,
    /// A byte of which it is noted who writes it, for workers that say that they note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched: Option<WatchedByte>,
}

/// Bytes of a buffer that count for nothing after a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateMask {
    /// The call.
    pub command: u32,
    /// The buffer's id.
    pub buffer: u32,
    /// Which bytes.
    pub unwritten: Vec<UnwrittenRange>,
}

/// A buffer whose bytes are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BytesAt {
    /// The call after which they are looked at.
    pub command: u32,
    /// The buffer's id.
    pub buffer: u32,
}

/// What memory held after a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateNote {
    /// The call's place.
    pub command: u32,
    /// Every buffer that was allocated and has memory of its own, by its id.
    pub buffers: BTreeMap<u32, BufferState>,
}

/// What a buffer held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BufferState {
    /// What the host program calls the buffer.
    pub name: String,
    /// Its bytes.
    pub size: u64,
    /// Bytes of each page.
    pub page_size: u64,
    /// The bytes that nothing had written; nothing if the device does not know.
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
    /// The state of each buffer; nothing of one that is as it was.
    buffers: BTreeMap<u32, Option<BufferState>>,
}

/// Notes what memory holds.
pub(super) struct StateLog<'j> {
    file: File,
    job: &'j StateJob,
    memory: MemoryLog,
    writes: Option<WriteLog>,
    /// Whether looks during the run are free.
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
            // With dispatchers the chip never rests, and a strict one takes each look for a host's access.
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

    /// What cannot be read or written here leaves the note out.
    fn look(&mut self, device: &mut Device, command: u32) -> Option<()> {
        let mut buffers = BTreeMap::new();
        for live in with_room(device.live_buffers(), |live| live.size) {
            let read = device.inspect_buffer(live.buffer).ok()?;
            // What is larger than the host's memory is left out on both sides.
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
}

/// The buffers that a look has room for, each that still fits: the same ones on both sides.
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

/// What a worker has noted, as far as it came; nothing if it noted nothing, or in another version.
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
    // The last line of a worker that was killed may be a part of one.
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
