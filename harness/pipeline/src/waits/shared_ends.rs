//! Kernels that wait for the same end of a circular buffer, which has one producer and one consumer. Most often the
//! arguments of one of them name its circular buffers in the wrong order.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::{PhysicalCoordinate, Processor, Waiting};
use hallmark_runtime::device_code::WaitedWord;

use crate::stopped_program::StoppedProgram;

/// An end of a circular buffer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// The end of the kernel that waits for pages.
    Consumer,
    /// The end of the kernel that waits for room.
    Producer,
}

/// A sentence for each end of a circular buffer that several kernels wait for.
pub(in super::super) fn lines(program: &StoppedProgram<'_>, waits: &[Waiting]) -> Vec<String> {
    let mut waiting: BTreeMap<(PhysicalCoordinate, u32, End), BTreeMap<Processor, &str>> =
        BTreeMap::new();
    for wait in waits {
        let (index, end) = match WaitedWord::at(program.capture.chip(), wait.address.0) {
            Some(WaitedWord::PagesReceived(index)) => (index, End::Consumer),
            Some(WaitedWord::PagesAcknowledged(index)) => (index, End::Producer),
            _ => continue,
        };
        if let Some((name, _)) = program.kernel_on(wait.tile, wait.processor) {
            waiting.entry((wait.tile, index, end)).or_default().insert(wait.processor, name);
        }
    }
    let mut said = BTreeSet::new();
    for ((tile, index, end), kernels) in waiting {
        let mut kernels = kernels.into_iter();
        let (Some((_, one)), Some((last, other))) = (kernels.next(), kernels.next_back()) else {
            continue;
        };
        if one == other {
            continue;
        }
        let name = program.circular_buffer(tile, index).map(|it| format!(" `{}`", it.name));
        let buffer = format!("circular buffer {index}{}", name.unwrap_or_default());
        let (what, role) = match end {
            End::Consumer => ("pages of", "consumer"),
            End::Producer => ("room in", "producer"),
        };
        // The data movement processors come first.
        let whose = match last {
            Processor::Brisc | Processor::Ncrisc => format!("`{one}` and `{other}`"),
            Processor::Trisc0 | Processor::Trisc1 | Processor::Trisc2 => format!("`{other}`"),
        };
        said.insert(format!(
            "`{one}` and `{other}` both wait for {what} {buffer}, and a circular buffer has one {role}: do the arguments of \
             {whose} name the right circular buffers, in the right order?"
        ));
    }
    said.into_iter().collect()
}
