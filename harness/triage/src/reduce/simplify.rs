//! Changes that simplify a candidate without removing a single call: fewer queues and cores, smaller buffers
//! and numbers, plainer data.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::LogicalCore;
use hallmark_schema::commands::Command;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, BufferLayout, CircularBufferId, CommandIndex, CoreRange,
    ObjectKind, ProgramId, SemaphoreId, TraceId,
};
use hallmark_schema_editing::{CommandSource, Edit, Edited, Fill, Unit};

/// The tried page sizes in bytes.
const PAGE_SIZES: [u64; 2] = [32, 64];
/// The number of argument words tried in one round.
const WORDS: usize = 256;

/// The kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Simplification {
    /// Queues, traces and waits.
    Schedule,
    /// Cores of programs.
    Cores,
    /// Sizes of buffers and circular buffers.
    Sizes,
    /// Arguments and initial values.
    Numbers,
    /// Written data.
    Data,
}

impl Simplification {
    /// The kinds in the order of the tries.
    pub(super) const ALL: [Self; 5] =
        [Self::Schedule, Self::Cores, Self::Sizes, Self::Numbers, Self::Data];

    /// Whether the kind changes results. Then only another executor can tell whether the result is right.
    pub(super) const fn changes_values(self) -> bool {
        match self {
            Self::Schedule | Self::Cores => false,
            Self::Sizes | Self::Numbers | Self::Data => true,
        }
    }

    /// Promising changes, each with its associated edits, the most promising first.
    pub(super) fn proposals(self, edited: &Edited) -> Vec<Vec<Edit>> {
        match self {
            Self::Schedule => schedule(edited),
            Self::Cores => cores(edited),
            Self::Sizes => sizes(edited),
            Self::Numbers => numbers(edited),
            Self::Data => data(edited),
        }
    }
}

/// The commands of a candidate that come from the capture, with their indices there.
fn original(edited: &Edited) -> impl Iterator<Item = (CommandIndex, &Command)> {
    let commands = edited.capture.program.commands.iter().map(|recorded| &recorded.command);
    edited.sources.iter().zip(commands).filter_map(|(source, command)| match source {
        CommandSource::Command(index) => Some((*index, command)),
        CommandSource::Unrolled { .. } | CommandSource::Inserted { .. } => None,
    })
}

/// The id of an object in the capture.
fn id(edited: &Edited, kind: ObjectKind, id: u32) -> u32 {
    edited.original_object(kind, id).unwrap_or(id)
}

fn schedule(edited: &Edited) -> Vec<Vec<Edit>> {
    let mut proposals = vec![vec![Edit::MergeQueues]];
    let mut before: Option<CommandIndex> = None;
    for (index, command) in original(edited) {
        match command {
            Command::BeginTraceCapture(call) => {
                let trace = TraceId(id(edited, ObjectKind::Trace, call.trace.0));
                proposals.push(vec![Edit::UnrollTrace { trace }]);
            }
            // A blocking call replaces the wait after it.
            Command::Finish(_) | Command::Synchronize(_) => {
                proposals.extend(before.map(|command| {
                    vec![Edit::MakeBlocking { command }, Edit::Remove(Unit::Command(index))]
                }));
            }
            _ => {}
        }
        let can_wait = matches!(
            command,
            Command::EnqueueProgram(_)
                | Command::EnqueueReadBuffer(_)
                | Command::EnqueueWriteBuffer(_)
                | Command::ReplayTrace(_)
        );
        before = can_wait.then_some(index);
    }
    proposals
}

fn cores(edited: &Edited) -> Vec<Vec<Edit>> {
    let mut of_programs: BTreeMap<ProgramId, Vec<CoreRange>> = BTreeMap::new();
    for (_, command) in original(edited) {
        if let Command::CreateKernel(call) = command {
            of_programs.entry(call.program).or_default().extend(&call.cores);
        }
    }
    let mut rectangles: BTreeSet<(ProgramId, CoreRange)> = BTreeSet::new();
    let mut proposals = Vec::new();
    for (program, ranges) in of_programs {
        let program = ProgramId(id(edited, ObjectKind::Program, program.0));
        let Some(all) = bounds(&ranges) else { continue };
        let (left, right) = halves(all.start.x, all.end.x);
        let (top, bottom) = halves(all.start.y, all.end.y);
        let columns = |(from, to)| CoreRange {
            start: LogicalCore { x: from, ..all.start },
            end: LogicalCore { x: to, ..all.end },
        };
        let rows = |(from, to)| CoreRange {
            start: LogicalCore { y: from, ..all.start },
            end: LogicalCore { y: to, ..all.end },
        };
        let single = ranges.iter().map(|range| CoreRange::single(range.start)).take(2);
        let smaller = single
            .chain([CoreRange::single(all.start), CoreRange::single(all.end)])
            .chain([columns(left), columns(right), rows(top), rows(bottom)]);
        for cores in smaller.filter(|cores| *cores != all) {
            if rectangles.insert((program, cores)) {
                proposals.push(vec![Edit::KeepCores { program, cores }]);
            }
        }
    }
    proposals
}

fn bounds(ranges: &[CoreRange]) -> Option<CoreRange> {
    ranges.iter().copied().reduce(|all, range| CoreRange {
        start: LogicalCore { x: all.start.x.min(range.start.x), y: all.start.y.min(range.start.y) },
        end: LogicalCore { x: all.end.x.max(range.end.x), y: all.end.y.max(range.end.y) },
    })
}

/// Both halves of a range of numbers, ends included.
fn halves(from: u32, to: u32) -> ((u32, u32), (u32, u32)) {
    let middle = from.midpoint(to);
    ((from, middle), (middle.saturating_add(1).min(to), to))
}

fn sizes(edited: &Edited) -> Vec<Vec<Edit>> {
    let mut groups: BTreeMap<(u64, u64), Vec<BufferId>> = BTreeMap::new();
    let mut proposals = Vec::new();
    for (_, command) in original(edited) {
        match command {
            Command::CreateBuffer(call) if call.layout == BufferLayout::Interleaved => {
                let buffer = BufferId(id(edited, ObjectKind::Buffer, call.buffer.0));
                groups.entry((call.size, call.page_size)).or_default().push(buffer);
            }
            Command::CreateCircularBuffer(call) => {
                let of = id(edited, ObjectKind::CircularBuffer, call.circular_buffer.0);
                let page_size = call.indices.first().map_or(0, |index| index.page_size);
                let pages = call.total_size.checked_div(page_size.into()).unwrap_or(0);
                let circular_buffer = CircularBufferId(of);
                proposals.extend(smaller(pages).into_iter().filter_map(|pages| {
                    let pages = u32::try_from(pages).ok()?;
                    Some(vec![Edit::ResizeCircularBuffer { circular_buffer, pages }])
                }));
            }
            _ => {}
        }
    }
    let mut of_buffers = Vec::new();
    for ((size, page_size), mut buffers) in groups {
        buffers.sort_unstable();
        let pages = size.checked_div(page_size).unwrap_or(0);
        let mut sizes: Vec<(u64, u64)> =
            smaller(pages).into_iter().map(|pages| (pages, page_size)).collect();
        let pages_sizes = PAGE_SIZES.into_iter().filter(|smaller| *smaller < page_size);
        sizes.extend(pages_sizes.map(|page_size| (pages, page_size)));
        // Buffers of one size are resized together, and then one by one.
        let single = buffers.iter().map(|buffer| vec![*buffer]).filter(|_| buffers.len() > 1);
        for buffers in [buffers.clone()].into_iter().chain(single) {
            of_buffers.extend(sizes.iter().map(|&(pages, page_size)| {
                vec![Edit::ResizeBuffers { buffers: buffers.clone(), pages, page_size }]
            }));
        }
    }
    of_buffers.extend(proposals);
    of_buffers
}

/// Smaller candidates for a number, without 0: 1, 2 and half of it.
fn smaller(number: u64) -> Vec<u64> {
    let mut smaller: Vec<u64> = [1, 2, number / 2].into_iter().filter(|it| *it > 0).collect();
    smaller.retain(|it| *it < number);
    smaller.dedup();
    smaller
}

/// A plain number of a candidate, and the edit that sets it.
struct PlainNumber {
    is: u32,
    set: Box<dyn Fn(u32) -> Edit>,
}

/// The numbers of a candidate that are above 0 and are not relocated.
fn plain_numbers(edited: &Edited) -> Vec<PlainNumber> {
    let mut numbers = Vec::new();
    for (command, call) in original(edited) {
        let sets: Vec<(&[u32], &[ArgumentRelocation])> = match call {
            Command::SetRuntimeArgs(call) => call
                .args
                .iter()
                .map(|set| (set.values.as_slice(), set.relocations.as_slice()))
                .collect(),
            Command::SetCommonRuntimeArgs(call) => vec![(&call.values, &call.relocations)],
            Command::UpdateCommonRuntimeArgs(call) => vec![(&call.values, &call.relocations)],
            Command::CreateSemaphore(call) if call.initial_value > 0 => {
                let semaphore = SemaphoreId(id(edited, ObjectKind::Semaphore, call.semaphore.0));
                let set = Box::new(move |value| Edit::SetInitialValue { semaphore, value });
                numbers.push(PlainNumber { is: call.initial_value, set });
                continue;
            }
            _ => continue,
        };
        for (set, (values, relocations)) in (0..).zip(sets) {
            for (index, &is) in (0..).zip(values) {
                let is_plain = relocations.iter().all(|relocation| relocation.index != index);
                if is_plain && is > 0 {
                    let set =
                        Box::new(move |value| Edit::SetArgument { command, set, index, value });
                    numbers.push(PlainNumber { is, set });
                }
            }
        }
    }
    numbers
}

/// For each number of a candidate, the edit that sets it to 0.
pub(super) fn cleared_numbers(edited: &Edited) -> Vec<Edit> {
    plain_numbers(edited).iter().map(|number| (number.set)(0)).collect()
}

fn numbers(edited: &Edited) -> Vec<Vec<Edit>> {
    let mut proposals = Vec::new();
    for PlainNumber { is, set } in plain_numbers(edited) {
        let mut smaller = vec![1, is / 2];
        smaller.retain(|it| *it > 0 && *it < is);
        smaller.dedup();
        proposals.extend(smaller.into_iter().map(|value| vec![set(value)]));
    }
    proposals.truncate(WORDS);
    proposals
}

fn data(edited: &Edited) -> Vec<Vec<Edit>> {
    let writes: Vec<CommandIndex> = original(edited)
        .filter(|(_, command)| matches!(command, Command::EnqueueWriteBuffer(_)))
        .map(|(index, _)| index)
        .collect();
    let all = |fill| -> Vec<Edit> {
        writes.iter().map(|&command| Edit::FillData { command, fill }).collect()
    };
    let single = writes.iter().flat_map(|&command| {
        [Fill::Ones, Fill::Sequence].map(|fill| vec![Edit::FillData { command, fill }])
    });
    [all(Fill::Ones), all(Fill::Sequence)].into_iter().chain(single).collect()
}

/// Adds edits to those of a candidate. They replace earlier edits of the same item.
pub(super) fn with(edits: &[Edit], added: &[Edit]) -> Vec<Edit> {
    let is_superseded = |edit: &&Edit| added.iter().any(|added| says_the_same_thing(edit, added));
    let mut result: Vec<Edit> = edits.iter().filter(|edit| !is_superseded(edit)).cloned().collect();
    result.extend(added.iter().cloned());
    result
}

/// Whether two edits set the same item, so that their order would matter.
fn says_the_same_thing(one: &Edit, other: &Edit) -> bool {
    match (one, other) {
        (
            Edit::SetArgument { command, set, index, value: _ },
            Edit::SetArgument { command: of, set: of_set, index: at, value: _ },
        ) => (command, set, index) == (of, of_set, at),
        (
            Edit::SetInitialValue { semaphore: one, .. },
            Edit::SetInitialValue { semaphore: other, .. },
        ) => one == other,
        (
            Edit::ResizeCircularBuffer { circular_buffer: one, .. },
            Edit::ResizeCircularBuffer { circular_buffer: other, .. },
        ) => one == other,
        (Edit::FillData { command: one, .. }, Edit::FillData { command: other, .. }) => {
            one == other
        }
        _ => false,
    }
}
