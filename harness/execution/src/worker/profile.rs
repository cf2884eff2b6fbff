//! Measurements of the launches of a replay. A replay worker records them on request, as far as its device
//! supports them. They are no part of a capture.
//!
//! The first line of the file states its version; then it has a line of JSON for each call. A line is written
//! as soon as it is known, so that a worker's notes survive however it ends.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use hallmark_runtime::{Device, LaunchProfile, QueuesProfile, ReplayObserver};
use hallmark_schema::model::CommandIndex;
use serde::{Deserialize, Serialize};

use super::job_file::JobFile;
use super::own_memory;
use crate::whole_file;

/// The version of the notes. Every change of the notes takes the next one.
pub const PROFILE_VERSION: u32 = 10;

/// The file's name.
pub const PROFILE: &str = "profile.jsonl";
/// An empty file beside the notes, which marks that they were cut off for lack of room: it takes no room
/// itself.
pub const CUT_OFF: &str = "profile.cut-off";
/// The largest accepted notes, bytes.
const FILE_LIMIT: u64 = 1 << 30;

/// The measurements of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileNote {
    /// The index of the call.
    pub command: u32,
    /// The time at which the host began the call, in nanoseconds since its first call.
    pub from: u64,
    /// The time at which the call returned, in nanoseconds.
    pub until: u64,
    /// The launches that ended by then and were not noted before.
    pub launches: Vec<LaunchProfile>,
    /// The dispatchers' activity and work that were not noted before.
    pub queues: QueuesProfile,
}

/// The notes of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileNotes {
    /// Whether the device can measure launches.
    pub knows_launches: bool,
    /// The calls, in their order.
    pub calls: Vec<ProfileNote>,
    /// Whether later calls are missing because the notes could not be written.
    pub is_cut_off: bool,
}

/// The first line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    profile: u32,
    knows_launches: bool,
}

/// Notes the measurements of calls and launches.
pub(super) struct ProfileLog {
    path: std::path::PathBuf,
    cut_off: std::path::PathBuf,
    file: Option<File>,
    start: Instant,
    began: u64,
    is_first: bool,
}

impl ProfileLog {
    pub(super) fn new(file: &JobFile) -> Self {
        let (path, cut_off) = (file.path(PROFILE), file.path(CUT_OFF));
        Self { path, cut_off, file: None, start: Instant::now(), began: 0, is_first: true }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Writes a line. If that fails, all later lines are left out, and their absence is marked.
    fn write(&mut self, line: &impl Serialize) {
        let Some(file) = &mut self.file else { return };
        let written =
            serde_json::to_vec(line).map_err(std::io::Error::from).and_then(|mut line| {
                line.push(b'\n');
                file.write_all(&line)
            });
        if written.is_err() {
            self.file = None;
            drop(File::create(&self.cut_off));
        }
    }
}

impl ReplayObserver for ProfileLog {
    fn before(&mut self, device: &mut Device, _: CommandIndex) {
        if std::mem::take(&mut self.is_first) {
            let knows_launches = device.profile();
            self.file = File::create(&self.path).ok();
            self.write(&Header { profile: PROFILE_VERSION, knows_launches });
            self.start = Instant::now();
        }
        self.began = self.now();
    }

    fn after(&mut self, device: &mut Device, command: CommandIndex) {
        let (from, until) = (self.began, self.now());
        let launches = device.take_launches();
        let queues = device.take_queues_profile();
        self.write(&ProfileNote { command: command.0, from, until, launches, queues });
    }

    fn at_end(&mut self) {
        own_memory::wait_if_over();
    }
}

/// The notes of a worker; `None` if there are none, or if they have another version.
pub fn read(folder: &Path) -> Option<ProfileNotes> {
    let bytes = whole_file::read(&folder.join(PROFILE), FILE_LIMIT).ok()?;
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let header: Header = serde_json::from_slice(lines.next()?).ok()?;
    if header.profile != PROFILE_VERSION {
        return None;
    }
    // The last line of a killed worker may be incomplete.
    let calls = lines.map_while(|line| serde_json::from_slice(line).ok()).collect();
    let is_cut_off = folder.join(CUT_OFF).exists();
    Some(ProfileNotes { knows_launches: header.knows_launches, calls, is_cut_off })
}
