//! The contents of buffers after the calls that wait for the device. A capture worker records them on request,
//! for comparisons between devices. They are no part of a capture.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Error, Write as _};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use hallmark_runtime::Device;
use hallmark_schema::commands::Wait;
use hallmark_schema::model::{Command, ContentHash, DispatchMode};
use serde::{Deserialize, Serialize};

use super::job_file::JobFile;
use super::problem::{WorkerFile, WorkerProblem};
use crate::whole_file;

const MEMORY: &str = "memory";
/// The largest recorded buffer, bytes.
const LARGEST: u64 = 4 << 20;
/// The largest number of bytes recorded during a run, and once more at its end.
const BUDGET: u64 = 32 << 20;
/// The largest accepted file: twice the budget plus headers, with a margin.
const FILE_LIMIT: u64 = 256 << 20;

/// The content of a buffer after a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferSnapshot {
    /// The index of the call.
    pub command: u32,
    /// The buffer's id.
    pub buffer: u32,
    /// The buffer's name in the test.
    pub name: String,
    /// The unwritten bytes; `None` if the device does not track them.
    pub unwritten: Option<Vec<UnwrittenRange>>,
    /// The bytes; `None` for a buffer that is too large.
    pub bytes: Option<Arc<[u8]>>,
}

/// The header of the bytes in the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    command: u32,
    buffer: u32,
    name: String,
    unwritten: Option<Vec<UnwrittenRange>>,
    content: Content,
}

/// Unwritten bytes of a buffer: a pair in the worker's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct UnwrittenRange {
    /// The offset of the first one.
    pub start: u64,
    /// The offset past the last one.
    pub end: u64,
}

impl From<(u64, u64)> for UnwrittenRange {
    fn from((start, end): (u64, u64)) -> Self {
        Self { start, end }
    }
}

impl From<Range<u64>> for UnwrittenRange {
    fn from(Range { start, end }: Range<u64>) -> Self {
        Self { start, end }
    }
}

impl From<UnwrittenRange> for (u64, u64) {
    fn from(UnwrittenRange { start, end }: UnwrittenRange) -> Self {
        (start, end)
    }
}

#[derive(Debug, Serialize, Deserialize)]
enum Content {
    /// This many bytes follow.
    Bytes(u64),
    /// The bytes are the same as in the previous snapshot.
    Same,
    LeftOut,
}

/// Records the contents of buffers.
#[derive(Debug)]
pub(super) struct MemoryLog {
    file: File,
    /// Whether to record during the run, too.
    during: bool,
    /// Whether something may have changed since the last snapshot.
    changed: bool,
    spent: u64,
    digests: BTreeMap<u32, ContentHash>,
}

impl MemoryLog {
    pub(super) fn create(job: &JobFile, dispatch: DispatchMode) -> Result<Self, WorkerProblem> {
        let file =
            File::create(job.path(MEMORY)).map_err(|error| WorkerFile::Memory.problem(&error))?;
        // With dispatchers the chip is never idle, and a strict one takes each snapshot for an access by the
        // host, which could race with a running program. A snapshot must have no effect.
        let during = dispatch == DispatchMode::Host;
        Ok(Self { file, during, changed: false, spent: 0, digests: BTreeMap::new() })
    }

    /// Called after a successful call.
    pub(super) fn after(&mut self, device: &mut Device, index: u32, command: &Command) {
        let changes = matches!(
            command,
            Command::EnqueueWriteBuffer(_) | Command::EnqueueProgram(_) | Command::ReplayTrace(_)
        );
        let waits = command.waits_for() != Wait::Nothing;
        self.changed |= changes;
        if self.during && waits && self.spent < BUDGET {
            self.look(device, index);
        }
    }

    /// Called after the last call, with its index.
    pub(super) fn at_end(&mut self, device: &mut Device, index: u32) {
        self.spent = 0;
        self.look(device, index);
    }

    /// A failed read or write shows up in the next call, or leaves buffers out.
    fn look(&mut self, device: &mut Device, index: u32) {
        if !self.changed || device.stop().is_some() || !device.is_settled() {
            return;
        }
        self.changed = false;
        self.note(device, index, |_| true);
    }

    /// Records the contents of some buffers.
    pub(super) fn note(&mut self, device: &mut Device, index: u32, of: impl Fn(u32) -> bool) {
        for live in device.live_buffers().into_iter().filter(|live| of(live.buffer.0)) {
            let mut header = Header {
                command: index,
                buffer: live.buffer.0,
                name: live.name,
                unwritten: None,
                content: Content::LeftOut,
            };
            let mut bytes = Vec::new();
            if live.size <= LARGEST && self.spent < BUDGET {
                self.spent = self.spent.saturating_add(live.size);
                let Ok(Some(read)) = device.inspect_buffer(live.buffer) else { return };
                header.unwritten = read
                    .unwritten
                    .map(|ranges| ranges.into_iter().map(UnwrittenRange::from).collect());
                let digest = ContentHash::of(&read.bytes);
                if self.digests.insert(live.buffer.0, digest) == Some(digest) {
                    header.content = Content::Same;
                } else {
                    header.content = Content::Bytes(live.size);
                    bytes = read.bytes;
                }
            }
            if self.write(&header, &bytes).is_err() {
                return;
            }
        }
    }

    fn write(&mut self, header: &Header, bytes: &[u8]) -> Result<(), Error> {
        let header = serde_json::to_vec(header)?;
        let length = u32::try_from(header.len()).map_err(Error::other)?;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.write_all(&header)?;
        self.file.write_all(bytes)
    }
}

/// The snapshots that a worker has recorded, as far as it came.
pub fn read(folder: &Path) -> Vec<BufferSnapshot> {
    let bytes = whole_file::read(&folder.join(MEMORY), FILE_LIMIT).unwrap_or_default();
    parse(&bytes)
}

fn parse(mut rest: &[u8]) -> Vec<BufferSnapshot> {
    let mut held = Vec::new();
    let mut last: BTreeMap<u32, Arc<[u8]>> = BTreeMap::new();
    while let Some((length, after)) = rest.split_first_chunk::<4>()
        && let Ok(length) = usize::try_from(u32::from_le_bytes(*length))
        && let Some((header, after)) = after.split_at_checked(length)
        && let Ok(header) = serde_json::from_slice::<Header>(header)
    {
        let Header { command, buffer, name, unwritten, content } = header;
        rest = after;
        let bytes = match content {
            Content::LeftOut => None,
            Content::Same => last.get(&buffer).cloned(),
            Content::Bytes(length) => {
                let split = usize::try_from(length).ok();
                let Some((bytes, after)) = split.and_then(|at| after.split_at_checked(at)) else {
                    break;
                };
                rest = after;
                let bytes: Arc<[u8]> = bytes.into();
                last.insert(buffer, Arc::clone(&bytes));
                Some(bytes)
            }
        };
        held.push(BufferSnapshot { command, buffer, name, unwritten, bytes });
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_far_as_it_came() {
        let folder = tempfile::tempdir().unwrap();
        let file = File::create(folder.path().join(MEMORY)).unwrap();
        let mut log =
            MemoryLog { file, during: true, changed: false, spent: 0, digests: BTreeMap::new() };
        let header = |command, content| Header {
            command,
            buffer: 3,
            name: "src".to_owned(),
            unwritten: Some(vec![UnwrittenRange { start: 1, end: 2 }]),
            content,
        };
        log.write(&header(5, Content::Bytes(2)), &[7, 8]).unwrap();
        log.write(&header(6, Content::Same), &[]).unwrap();
        log.write(&header(7, Content::LeftOut), &[]).unwrap();
        log.write(&header(8, Content::Bytes(4)), &[1, 2, 3]).unwrap();
        let held = read(folder.path());
        let bytes: Vec<_> = held.iter().map(|it| (it.command, it.bytes.as_deref())).collect();
        assert_eq!(bytes, [(5, Some([7, 8].as_slice())), (6, Some([7, 8].as_slice())), (7, None)]);
        let unwritten = vec![UnwrittenRange { start: 1, end: 2 }];
        assert_eq!(held.first().unwrap().unwritten, Some(unwritten));
        assert_eq!(parse(&[1, 0, 0, 0, b'x']), []);
    }
}
