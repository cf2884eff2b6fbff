//! The writers of a byte in a replay. A replay worker records them on request, as far as its device supports
//! that. They are no part of a capture.
//!
//! The file exists if the device supports it, and has a line of JSON for each write.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hallmark_chip::{PhysicalCoordinate, TileAddress};
use hallmark_runtime::{Device, LastWrite};
use hallmark_schema::model::{BufferId, Capture, Command, CommandIndex, Outcome};
use serde::{Deserialize, Serialize};

use super::job_file::JobFile;
use crate::whole_file;

/// The version of the notes. Every change of the notes takes the next one.
pub const WRITES_VERSION: u32 = 1;

const WRITES: &str = "writes.jsonl";
/// The largest accepted notes, bytes.
const FILE_LIMIT: u64 = 64 << 20;

/// A byte whose writers are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WatchedByte {
    /// The place of the byte.
    pub memory: WatchedMemory,
    /// The last call whose writes are recorded.
    pub until: u32,
}

/// The place of a watched byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum WatchedMemory {
    /// A byte of a buffer with its own memory, from the buffer's creation on.
    Buffer {
        /// The buffer's id.
        buffer: u32,
        /// The offset of the byte in the buffer.
        byte: u64,
    },
    /// A byte of a tile's memory, from the first call on.
    Tile {
        /// The tile on the die.
        tile: PhysicalCoordinate,
        /// The address of the byte in the tile.
        address: TileAddress,
    },
}

/// Records the writers of a byte.
pub(super) struct WriteLog {
    byte: WatchedByte,
    /// The call from which on the byte is watched.
    from: Option<CommandIndex>,
    path: PathBuf,
    /// The file; `None` until the byte is watched.
    file: Option<File>,
}

impl WriteLog {
    pub(super) fn new(file: &JobFile, byte: WatchedByte, capture: &Capture) -> Self {
        let from = match byte.memory {
            WatchedMemory::Buffer { buffer, .. } => made_by(capture, BufferId(buffer)),
            WatchedMemory::Tile { .. } => Some(CommandIndex(0)),
        };
        Self { byte, from, path: file.path(WRITES), file: None }
    }

    /// Called after a call. A failed write leaves the note out.
    pub(super) fn after(&mut self, device: &mut Device, at: CommandIndex) {
        if self.from == Some(at) {
            let knows = match self.byte.memory {
                WatchedMemory::Buffer { buffer, byte } => device.watch_byte(BufferId(buffer), byte),
                WatchedMemory::Tile { tile, address } => device.watch_memory(tile, address),
            };
            self.file = knows.then(|| File::create(&self.path).ok()).flatten();
        }
        let Some(file) = self.file.as_mut().filter(|_| at.0 <= self.byte.until) else { return };
        for write in device.take_writes() {
            let Ok(mut line) = serde_json::to_vec(&write) else { continue };
            line.push(b'\n');
            if file.write_all(&line).is_err() {
                self.file = None;
                return;
            }
        }
    }
}

/// The call that makes a buffer.
fn made_by(capture: &Capture, buffer: BufferId) -> Option<CommandIndex> {
    let mut calls = (0..).map(CommandIndex).zip(&capture.program.commands);
    let made = calls.find(|(_, made)| match &made.command {
        Command::CreateBuffer(call) => call.buffer == buffer && made.outcome == Outcome::Done,
        _ => false,
    });
    made.map(|(at, _)| at)
}

/// The recorded writes of a worker, in order; `None` if its device does not support it, or it was not
/// requested.
pub fn read(folder: &Path) -> Option<Vec<LastWrite>> {
    let bytes = whole_file::read(&folder.join(WRITES), FILE_LIMIT).ok()?;
    // The last line of a killed worker may be incomplete.
    let lines = bytes.split(|byte| *byte == b'\n');
    Some(lines.map_while(|line| serde_json::from_slice(line).ok()).collect())
}
