//! The launches that a dispatcher keeps in its own L1, behind the kernels that traces copy. A program that
//! is launched again costs the host a command that names it, and the bytes that have changed since.
//!
//! Kept are commands: semaphores, launch blocks, tables and arguments of all tiles, and the launch. The
//! dispatcher writes them to workers at each launch, as a kernel may change its arguments, and other
//! programs use the same memory. Changes go through the ring, so that they wait for launches before them.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_schema::model::ProgramId;

use crate::defects::{Defect, planted};
use crate::launch::ProgramLaunch;

/// Changes are sent in units of this.
const LINE: usize = 16;
/// As many equal lines between two changes cost less than another command.
const WORTH_A_COMMAND: usize = 3;

/// Programs that are kept, and the memory for them.
#[derive(Debug)]
pub(super) struct ProgramStore {
    start: u32,
    end: u32,
    next: u32,
    programs: BTreeMap<ProgramId, ResidentLaunch>,
}

#[derive(Debug)]
struct ResidentLaunch {
    launch: Arc<ProgramLaunch>,
    /// The placing of binaries on which it rests.
    binaries_placed: u64,
    place: u32,
    /// The bytes that lie there.
    commands: Vec<u8>,
}

/// The bytes to be written, by address.
pub(super) type Changes = Vec<(u32, Vec<u8>)>;

/// Where a program's commands lie in a dispatcher's L1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredCommands {
    pub(super) address: u32,
    pub(super) length: u32,
}

impl ProgramStore {
    pub(super) fn new(start: u32, end: u32) -> Self {
        let start = start.next_multiple_of(LINE as u32);
        Self { start, end, next: start, programs: BTreeMap::new() }
    }

    /// The place of a launch that is kept unchanged.
    pub(super) fn find(
        &self,
        launch: &Arc<ProgramLaunch>,
        binaries_placed: u64,
    ) -> Option<StoredCommands> {
        let kept = self.programs.get(&launch.program)?;
        let same = Arc::ptr_eq(&kept.launch, launch) && kept.binaries_placed == binaries_placed;
        same.then(|| kept.place())
    }

    /// Keeps a launch; gives its place and the bytes to be written there. `None` if it is too long.
    pub(super) fn keep(
        &mut self,
        launch: &Arc<ProgramLaunch>,
        binaries_placed: u64,
        commands: Vec<u8>,
    ) -> Option<(StoredCommands, Changes)> {
        let length = u32::try_from(commands.len()).ok()?;
        if let Some(kept) = self.programs.get_mut(&launch.program)
            && kept.commands.len() == commands.len()
        {
            let mut changes = changes(kept.place, &kept.commands, &commands);
            if planted(Defect::KeptLaunchesNotChanged) {
                changes.clear();
            }
            let launch = Arc::clone(launch);
            *kept = ResidentLaunch { launch, binaries_placed, commands, ..*kept };
            return Some((kept.place(), changes));
        }
        let room = self.end.saturating_sub(self.start);
        if length > room {
            return None;
        }
        if length > self.end.saturating_sub(self.next) {
            self.programs.clear();
            self.next = self.start;
        }
        let place = self.next;
        self.next = place.saturating_add(length).next_multiple_of(LINE as u32);
        let changes = vec![(place, commands.clone())];
        let kept = ResidentLaunch { launch: Arc::clone(launch), binaries_placed, place, commands };
        let found = kept.place();
        self.programs.insert(launch.program, kept);
        Some((found, changes))
    }
}

impl ResidentLaunch {
    fn place(&self) -> StoredCommands {
        StoredCommands { address: self.place, length: self.commands.len() as u32 }
    }
}

/// The lines that differ, those that follow one another together.
fn changes(start: u32, old: &[u8], new: &[u8]) -> Changes {
    let mut changes = Changes::new();
    let mut equal: Vec<u8> = Vec::new();
    for (index, (before, after)) in old.chunks(LINE).zip(new.chunks(LINE)).enumerate() {
        if before == after {
            equal.extend(after);
            continue;
        }
        match changes.last_mut().filter(|_| equal.len() < WORTH_A_COMMAND * LINE) {
            Some((_, bytes)) => {
                bytes.append(&mut equal);
                bytes.extend(after);
            }
            None => changes.push((start.wrapping_add((index * LINE) as u32), after.to_vec())),
        }
        equal.clear();
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(program: u32) -> Arc<ProgramLaunch> {
        Arc::new(ProgramLaunch::new(ProgramId(program), Vec::new()))
    }

    fn write(memory: &mut [u8], changes: &[(u32, Vec<u8>)]) -> usize {
        for (address, bytes) in changes {
            memory[*address as usize..][..bytes.len()].copy_from_slice(bytes);
        }
        changes.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    #[test]
    fn what_is_written_makes_memory_hold_the_launch() {
        let mut memory = vec![0; 1024];
        let mut store = ProgramStore::new(0, 1024);
        let mut commands: Vec<u8> = (0..200).map(|byte| byte as u8).collect();
        let (first, placed) = (launch(1), 7);
        let (place, changes) = store.keep(&first, placed, commands.clone()).unwrap();
        assert_eq!(write(&mut memory, &changes), 200);
        assert_eq!(store.find(&first, placed), Some(place));
        assert_eq!(store.find(&first, placed + 1), None);
        for (changed, most) in [(vec![], 0), (vec![3], 16), (vec![17, 40], 32), (vec![0, 199], 24)]
        {
            for byte in changed {
                commands[byte] ^= 0xFF;
            }
            let other = launch(1);
            assert_eq!(store.find(&other, placed), None);
            let (again, changes) = store.keep(&other, placed, commands.clone()).unwrap();
            assert!(write(&mut memory, &changes) <= most);
            assert_eq!((again, &memory[place.address as usize..][..200]), (place, &commands[..]));
        }
    }

    #[test]
    fn when_it_is_full_programs_are_kept_anew() {
        let mut store = ProgramStore::new(0, 1024);
        let programs: Vec<_> = (0..4).map(launch).collect();
        for program in &programs {
            store.keep(program, 0, vec![0; 256]).unwrap();
        }
        assert!(programs.iter().all(|program| store.find(program, 0).is_some()));
        let (place, changes) = store.keep(&launch(4), 0, vec![1; 300]).unwrap();
        assert_eq!((place.address, changes), (0, vec![(0, vec![1; 300])]));
        assert!(programs.iter().all(|program| store.find(program, 0).is_none()));
        assert_eq!(store.keep(&launch(5), 0, vec![0; 1025]), None);
    }
}
