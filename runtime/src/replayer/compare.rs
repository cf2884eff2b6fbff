//! Compares the results of a replay with those of its capture.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::commands;
use hallmark_schema::model::{
    Capture, Command, CommandIndex, ContentHash, Expectation, Outcome, ProgramPart,
};

use super::checks::Check;
use super::{
    DerivedDifference, Moved, NewerFinding, Portability, ReadComparison, ReplayMismatch, is_checked,
};

/// Whether the bytes of a read are within the tolerance of its expectation. False if the expectation has no
/// tolerance, or the reference data is missing.
pub(super) fn is_near(capture: &Capture, command: CommandIndex, bytes: &[u8]) -> bool {
    let recorded = usize::try_from(command.0).ok().and_then(|at| capture.program.commands.get(at));
    let Some(Command::EnqueueReadBuffer(commands::EnqueueReadBuffer {
        expectation: Expectation::Reference { data, tolerance },
        ..
    })) = recorded.map(|recorded| &recorded.command)
    else {
        return false;
    };
    data.bytes(&capture.blobs).is_ok_and(|reference| {
        !Check::ReplayedReadNear.finds(tolerance.outside(&reference, bytes).is_some())
    })
}

/// Compares the bytes of every read with the captured bytes, unless the read is declared unchecked. Returns the
/// reads whose bytes differ within the tolerance of their expectation.
pub(super) fn reads(
    capture: &Capture,
    returned: &[ReadComparison],
    mismatches: &mut Vec<ReplayMismatch>,
) -> Vec<DerivedDifference> {
    let mut near = Vec::new();
    let captured: BTreeMap<CommandIndex, ContentHash> = capture
        .record
        .iter()
        .flat_map(|record| &record.reads)
        .map(|read| (read.command, read.hash))
        .collect();
    let returned: BTreeMap<CommandIndex, &ReadComparison> =
        returned.iter().map(|read| (read.command, read)).collect();
    // Whatever an unfinished last command would have completed is not known.
    let last = capture.program.commands.last();
    let ends_open = last.is_some_and(|last| last.outcome == Outcome::Unfinished);
    for (index, recorded) in (0u32..).zip(&capture.program.commands) {
        let Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, expectation, .. }) =
            &recorded.command
        else {
            continue;
        };
        let command = CommandIndex(index);
        if !is_checked(expectation) {
            continue;
        }
        match (captured.get(&command), returned.get(&command)) {
            (Some(captured), Some(now)) if *captured != now.hash => {
                let output = output.clone();
                if now.near {
                    near.push(DerivedDifference::NearRead { command, output });
                } else if Check::ReplayedRead.finds(true) {
                    let (captured, replayed) = (*captured, now.hash);
                    mismatches.push(ReplayMismatch::Read { command, output, captured, replayed });
                }
            }
            (Some(_), None) if Check::ReplayedReadMissing.finds(true) => {
                let output = output.clone();
                mismatches.push(ReplayMismatch::ReadMissing { command, output, captured: true });
            }
            (None, Some(_)) if Check::ReplayedReadAdded.finds(!ends_open) => {
                let output = output.clone();
                mismatches.push(ReplayMismatch::ReadMissing { command, output, captured: false });
            }
            _ => {}
        }
    }
    near
}

/// The replay's program part is the capture's, but for architecture and grid where the replay was adapted to
/// others, for the outcome of an unfinished last command, and for a fault whose kind is told more exactly now.
pub(super) fn programs(
    capture: &Capture,
    again: &Capture,
    portability: &Portability,
    newer: Option<&NewerFinding>,
    mismatches: &mut Vec<ReplayMismatch>,
) {
    let mut expected = capture.program.clone();
    if let Some(at) = newer.and_then(|finding| usize::try_from(finding.command?.0).ok())
        && let (Some(was), Some(is)) =
            (expected.commands.get_mut(at), again.program.commands.get(at))
    {
        was.outcome = is.outcome.clone();
    }
    if matches!(portability, Portability::Adapted { .. }) {
        (expected.architecture, expected.grid) = (again.program.architecture, again.program.grid);
    }
    if let (Some(last), Some(now)) = (expected.commands.last_mut(), again.program.commands.last())
        && last.outcome == Outcome::Unfinished
    {
        last.outcome = now.outcome.clone();
        // A kernel that was being created may have left its sources out.
        if matches!(last.command, Command::CreateKernel(_)) {
            expected.sources.clone_from(&again.program.sources);
        }
    }
    if !Check::ReplayedProgram.finds(expected != again.program) {
        return;
    }
    let (captured, replayed) = (hash(&expected), hash(&again.program));
    mismatches.push(ReplayMismatch::ProgramBytes { captured, replayed });
}

/// The hash of the canonical bytes; zero if the program breaks a rule and has none.
fn hash(program: &ProgramPart) -> ContentHash {
    hallmark_schema::program_hash(program).unwrap_or(ContentHash([0; 32]))
}

/// Whether an adapted replay was known to differ in this before it ran.
pub(super) fn was_foreseen(difference: &DerivedDifference, moved: &[Moved]) -> bool {
    moved.iter().any(|moved| match (difference, moved) {
        (
            DerivedDifference::Address { object, id, captured, replayed },
            Moved::Address { object: kind, id: number, captured: before, here, .. },
        ) => object == kind && id == number && captured == before && replayed == here,
        (DerivedDifference::Elf { .. }, Moved::Architecture { .. }) => true,
        _ => false,
    })
}

/// Derived fields that differ.
pub(super) fn derived(capture: &Capture, again: &Capture) -> Vec<DerivedDifference> {
    let (Some(before), Some(after)) = (&capture.record, &again.record) else {
        return Vec::new();
    };
    let mut differences = Vec::new();
    let place = |record: &hallmark_schema::model::Record| -> BTreeMap<_, _> {
        let addresses = record.addresses.iter();
        addresses.map(|assigned| ((assigned.object, assigned.id), assigned.address)).collect()
    };
    let (old, new) = (place(before), place(after));
    let keys: BTreeSet<_> = old.keys().chain(new.keys()).copied().collect();
    for (object, id) in keys {
        let captured = old.get(&(object, id)).copied();
        let replayed = new.get(&(object, id)).copied();
        if Check::ReplayedAddress.finds(captured != replayed) {
            differences.push(DerivedDifference::Address { object, id, captured, replayed });
        }
    }
    let elfs = |record: &hallmark_schema::model::Record| -> BTreeMap<_, _> {
        record.elfs.iter().map(|elf| ((elf.kernel, elf.processor), elf.hash)).collect()
    };
    let (old, new) = (elfs(before), elfs(after));
    let keys: BTreeSet<_> = old.keys().chain(new.keys()).copied().collect();
    for (kernel, processor) in keys {
        let captured = old.get(&(kernel, processor)).copied();
        let replayed = new.get(&(kernel, processor)).copied();
        if Check::ReplayedElf.finds(captured != replayed) {
            differences.push(DerivedDifference::Elf { kernel, processor, captured, replayed });
        }
    }
    for bytes in &before.collected {
        let mut again = after.collected.iter().filter(|again| again.command == bytes.command);
        let differs = again.next().is_some_and(|again| again.hash != bytes.hash);
        if Check::ReplayedTrace.finds(differs) {
            differences.push(DerivedDifference::CollectedTrace { command: bytes.command });
        }
    }
    for fault in &before.faults {
        let repeated = after.faults.iter().any(|again| fault.is_repeated_by(again));
        if Check::ReplayedFaultPlace.finds(!repeated) {
            differences.push(DerivedDifference::FaultPlace { command: fault.command() });
        }
    }
    let mut waits = before.waits.iter().zip(&after.waits);
    let same_number = before.waits.len() == after.waits.len();
    let repeated = same_number && waits.all(|(wait, again)| wait.is_repeated_by(again));
    if Check::ReplayedWaits.finds(!repeated) {
        differences.push(DerivedDifference::Waits);
    }
    differences
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;
    use hallmark_schema::model::{KernelId, ObjectKind};

    use super::*;

    fn difference(
        object: ObjectKind,
        id: u32,
        captured: Option<u64>,
        replayed: Option<u64>,
    ) -> DerivedDifference {
        DerivedDifference::Address { object, id, captured, replayed }
    }

    #[test]
    fn an_address_is_foreseen_that_the_assessment_names_in_every_respect() {
        let name = "buffer `b`".to_owned();
        let (object, captured, here) = (ObjectKind::Buffer, Some(64), Some(128));
        let moved = [Moved::Address { name, object, id: 3, captured, here }];
        assert!(was_foreseen(&difference(object, 3, captured, here), &moved));
        for other in [
            difference(ObjectKind::CircularBuffer, 3, captured, here),
            difference(object, 4, captured, here),
            difference(object, 3, Some(65), here),
            difference(object, 3, captured, Some(129)),
            difference(object, 3, None, here),
            DerivedDifference::Waits,
        ] {
            assert!(!was_foreseen(&other, &moved), "{other:?}");
        }
        assert!(!was_foreseen(&difference(object, 3, captured, here), &[]));
    }

    #[test]
    fn another_elf_is_foreseen_on_another_architecture() {
        let elf = DerivedDifference::Elf {
            kernel: KernelId(0),
            processor: 0,
            captured: None,
            replayed: None,
        };
        let (captured, here) = (Architecture::WormholeB0, Architecture::Blackhole);
        let architecture = [Moved::Architecture { captured, here, kernels: 1 }];
        assert!(was_foreseen(&elf, &architecture));
        assert!(!was_foreseen(&DerivedDifference::Waits, &architecture));
        let columns = |columns| hallmark_schema::model::Grid { columns, rows: 9 };
        let grid = [Moved::Grid { captured: columns(8), here: columns(7) }];
        assert!(!was_foreseen(&elf, &grid));
    }
}
