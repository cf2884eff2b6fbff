use std::collections::{BTreeMap, BTreeSet};

use hallmark_schema::model::{Capture, Command, CommandIndex, ContentHash, Outcome, Program};

use super::{DerivedDifference, ReplayMismatch, is_checked};

/// Every read that was not declared unchecked returned what it returned before.
pub(super) fn reads(
    capture: &Capture,
    returned: &[(CommandIndex, ContentHash)],
    mismatches: &mut Vec<ReplayMismatch>,
) {
    let captured: BTreeMap<CommandIndex, ContentHash> = capture
        .record
        .iter()
        .flat_map(|record| &record.reads)
        .map(|read| (read.command, read.hash))
        .collect();
    let returned: BTreeMap<CommandIndex, ContentHash> = returned.iter().copied().collect();
    // Whatever an unfinished last command would have completed is not known.
    let last = capture.program.commands.last();
    let ends_open = last.is_some_and(|last| last.outcome == Outcome::Unfinished);
    for (index, recorded) in (0u32..).zip(&capture.program.commands) {
        let Command::EnqueueReadBuffer { output, expectation, .. } = &recorded.command else {
            continue;
        };
        let command = CommandIndex(index);
        if !is_checked(expectation) {
            continue;
        }
        match (captured.get(&command), returned.get(&command)) {
            (Some(&captured), Some(&replayed)) if captured != replayed => {
                let output = output.clone();
                mismatches.push(ReplayMismatch::Read { command, output, captured, replayed });
            }
            (Some(_), None) => {
                let output = output.clone();
                mismatches.push(ReplayMismatch::ReadMissing { command, output, captured: true });
            }
            (None, Some(_)) if !ends_open => {
                let output = output.clone();
                mismatches.push(ReplayMismatch::ReadMissing { command, output, captured: false });
            }
            _ => {}
        }
    }
}

/// The replay's program part is the capture's, but for the outcome of an unfinished last command.
pub(super) fn programs(capture: &Capture, again: &Capture, mismatches: &mut Vec<ReplayMismatch>) {
    let mut expected = capture.program.clone();
    if let (Some(last), Some(now)) = (expected.commands.last_mut(), again.program.commands.last())
        && last.outcome == Outcome::Unfinished
    {
        last.outcome = now.outcome.clone();
        // A kernel that was being created may have left its sources out.
        if matches!(last.command, Command::CreateKernel { .. }) {
            expected.sources.clone_from(&again.program.sources);
        }
    }
    if expected == again.program {
        return;
    }
    let (captured, replayed) = (hash(&expected), hash(&again.program));
    mismatches.push(ReplayMismatch::ProgramBytes { captured, replayed });
}

/// Of the canonical bytes; zero if there are none because a rule is broken.
fn hash(program: &Program) -> ContentHash {
    hallmark_schema::program_hash(program).unwrap_or(ContentHash([0; 32]))
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
        if captured != replayed {
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
        if captured != replayed {
            differences.push(DerivedDifference::Elf { kernel, processor, captured, replayed });
        }
    }
    for fault in &before.faults {
        if !after.faults.contains(fault) {
            differences.push(DerivedDifference::FaultPlace { command: fault.command });
        }
    }
    if before.waits != after.waits {
        differences.push(DerivedDifference::Waits);
    }
    differences
}
