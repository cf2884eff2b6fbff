//! A profile as text: operations by duration, and the cause of the longest wait.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::{PhysicalCoordinate, Processor, Transfers};
use hallmark_pipeline::source_lines::with_text;
use hallmark_pipeline::waits::awaited_object;
use hallmark_runtime::WaitProfile;
use hallmark_runtime::device_code::{NocCounter, WaitedWord};
use hallmark_schema::plural::{counted, grouped};

use super::operation::{Ended, Operation};
use super::own_lines::{OwnLine, OwnLines};

/// The largest number of shown operations.
const SHOWN: usize = 20;
/// A wait is mentioned if it takes at least one part in this many of its kernels' time: a tenth.
const WORTH_SAYING: u64 = 10;

/// A common wait of several cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommonWait {
    pub(super) kernel: String,
    /// The kernel's line that waits.
    pub(super) place: String,
    /// The object that it waits for, if it has a name.
    object: Option<String>,
    /// The memory that its cores transferred, if it waits for that.
    memory: Option<String>,
    pub(super) cores: usize,
    pub(super) ticks: u64,
    pub(super) of: u64,
}

impl CommonWait {
    /// The cause, if it has a name, and the place: "for circular buffer 0 `in` to be filled, at reader.cpp:12:
    /// `…`".
    pub(super) fn what(&self) -> String {
        let memory = self.memory.as_ref().map(|memory| format!(", {memory}")).unwrap_or_default();
        match &self.object {
            Some(object) => format!("for {object}{memory}, at {}", self.place),
            None => format!("at {}", self.place),
        }
    }
}

/// The lines of the table, and the sentence below it. An operation has the number of its call, as in a dump.
pub fn lines(operations: &[Operation<'_>]) -> Vec<String> {
    if operations.is_empty() {
        return Vec::new();
    }
    let mut shown: Vec<(usize, &Operation<'_>, u64)> = operations
        .iter()
        .enumerate()
        .map(|(at, it)| (at, it, it.firmware().map_or(0, |it| it.ticks())))
        .collect();
    let all: u64 = shown.iter().map(|(_, _, ticks)| ticks).sum();
    shown.sort_by_key(|(at, _, ticks)| (std::cmp::Reverse(*ticks), *at));
    let subjects: BTreeSet<&str> = operations.iter().map(|it| it.subject).collect();
    let name = |it: &Operation<'_>| match subjects.len() {
        0 | 1 => it.name.to_owned(),
        _ => format!("{} of {}", it.name, it.subject),
    };
    let names = shown.iter().take(SHOWN).map(|(_, it, _)| name(it).chars().count());
    let width = names.max().unwrap_or(0).max(7);
    let mut lines = vec![format!(
        "{:>4}  {:width$}  {:>12}  {:>5}  {:>6}  {:>5}  longest wait",
        "call", "program", "ticks", "share", "cores", "waits"
    )];
    for (_, operation, ticks) in shown.iter().take(SHOWN) {
        let wait = longest_wait(operation);
        let said = wait.as_ref().map(|wait| wait.what()).unwrap_or_default();
        let waits = wait.as_ref().map(|wait| percent(wait.ticks, wait.of)).unwrap_or_default();
        let (taken, share, said) = match operation.ended() {
            Ended::Yes => (grouped(*ticks), percent(*ticks, all), said),
            Ended::No => (String::new(), String::new(), "did not come to its end".to_owned()),
            Ended::Unknown => (String::new(), String::new(), String::new()),
        };
        let cores = operation.cores().map(|cores| cores.to_string()).unwrap_or_default();
        let line = format!(
            "{:>4}  {:width$}  {taken:>12}  {share:>5}  {cores:>6}  {waits:>5}  {said}",
            operation.call.0,
            name(operation),
        );
        lines.push(line.trim_end().to_owned());
    }
    if let Some(more) = shown.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        lines.push(format!("      and {}", counted(more, "more operation", "more operations")));
    }
    if let Some(sentence) = shown.first().and_then(|(_, operation, _)| sentence(operation)) {
        lines.push(sentence);
    }
    lines
}

/// Why some operations have no duration on a device that reports durations of others. `by_dispatchers` states
/// whether dispatchers launch them.
pub fn untold(operations: &[Operation<'_>], by_dispatchers: bool) -> Vec<String> {
    let untold = operations.iter().filter(|it| it.ended() == Ended::Unknown);
    let launches = || operations.iter().filter_map(|it| it.launch);
    let has_markers = launches().any(|it| it.lost_markers.is_some());
    let stopped = launches().any(|it| !it.completed);
    let (traced, others): (Vec<_>, Vec<_>) =
        untold.partition(|it| it.replay.is_some() && by_dispatchers && !has_markers && !stopped);
    let mut lines = Vec::new();
    if !traced.is_empty() {
        lines.push(format!(
            "a dispatcher launched {} with a trace; `--markers FILE` lets firmware and kernels tell what that took",
            counted(traced.len(), "operation", "operations")
        ));
    }
    if !others.is_empty() {
        lines.push(format!(
            "{} not launched, or the device ended before it told what that took",
            counted(others.len(), "operation was", "operations were")
        ));
    }
    lines
}

/// The main loss of an operation's time, or its main use if no wait is worth mentioning.
pub(super) fn sentence(operation: &Operation<'_>) -> Option<String> {
    let cores = counted(operation.by_tile().len(), "core", "cores");
    if let Some(wait) = longest_wait(operation) {
        return Some(format!(
            "`{}` on {} of {cores} waits {} of its time {}",
            wait.kernel,
            wait.cores,
            percent(wait.ticks, wait.of),
            wait.what()
        ));
    }
    let OwnLines { lines, instructions } = OwnLines::of(operation);
    let OwnLine { kernel, place, instructions: most } = lines.first()?;
    let share = percent(*most, instructions);
    Some(format!("`{kernel}` on {cores} executes {share} of all instructions at {place}"))
}

/// The longest wait of an operation, if it is worth mentioning.
fn longest_wait(operation: &Operation<'_>) -> Option<CommonWait> {
    let longest = waits(operation).into_iter().next()?;
    (longest.ticks.saturating_mul(WORTH_SAYING) >= longest.of).then_some(longest)
}

/// The common waits of an operation's cores, the longest first.
pub(super) fn waits(operation: &Operation<'_>) -> Vec<CommonWait> {
    /// Kernel, processor, place, word and object: two cores may use one number for different circular buffers.
    type Key = (String, Processor, String, Option<WaitedWord>, Option<String>);
    let chip = operation.capture.chip();
    let mut waits: BTreeMap<Key, CommonWait> = BTreeMap::new();
    let mut moved: BTreeMap<Key, Vec<&Transfers>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut objects: BTreeMap<(PhysicalCoordinate, u64), Option<String>> = BTreeMap::new();
    for (it, kernel) in operation.kernels_run() {
        for wait in &it.waits {
            let name = operation.kernel_name(it);
            let place = place(operation, wait);
            let word = WaitedWord::at(chip, wait.address);
            let object = objects.entry((it.tile, wait.address)).or_insert_with(|| {
                let enqueue = operation.launch?.command;
                awaited_object(operation.capture, enqueue, it.tile, wait.address)
            });
            let key = (name.clone(), it.processor, place.clone(), word, object.clone());
            let common = waits.entry(key.clone()).or_insert_with(|| CommonWait {
                kernel: name,
                place,
                object: object.clone(),
                memory: None,
                cores: 0,
                ticks: 0,
                of: 0,
            });
            common.ticks += wait.ticks;
            // A kernel may wait for several words at one place.
            if seen.insert((it.tile, key.clone())) {
                common.cores += 1;
                common.of += kernel.ticks();
                let of_wait = it.transfers.iter().filter(|moved| awaits(word, moved));
                moved.entry(key).or_default().extend(of_wait);
            }
        }
    }
    for (key, wait) in &mut waits {
        let moved = moved.get(key).map(Vec::as_slice).unwrap_or_default();
        wait.memory = memory(operation, moved);
    }
    let mut waits: Vec<CommonWait> = waits.into_values().collect();
    waits.sort_by_key(|wait| std::cmp::Reverse(wait.ticks));
    waits
}

/// Whether a wait may be for these transfers.
fn awaits(word: Option<WaitedWord>, moved: &Transfers) -> bool {
    match word {
        Some(WaitedWord::NocCounter(_, counter)) => match counter {
            NocCounter::ReadResponses => !moved.writes,
            NocCounter::WriteAcknowledgements
            | NocCounter::WritesSent
            | NocCounter::PostedWritesSent => moved.writes,
            NocCounter::AtomicResponses => false,
        },
        Some(
            WaitedWord::PagesReceived(_)
            | WaitedWord::PagesAcknowledged(_)
            | WaitedWord::Coprocessor(_),
        )
        | None => false,
    }
}

/// The owner of the transferred memory: "of buffer `src` in DRAM bank 3". Several buffers, or several banks,
/// are not named.
fn memory(operation: &Operation<'_>, moved: &[&Transfers]) -> Option<String> {
    let launch = operation.launch?;
    let touched = operation.buffers.touched(launch.replay.unwrap_or(launch.command), moved);
    let buffer = match touched.as_slice() {
        [only] => Some(format!("of buffer `{}`", only.name)),
        _ => None,
    };
    let bank = operation.buffers.only_bank(moved).map(|bank| format!("in {bank}"));
    let said: Vec<String> = buffer.into_iter().chain(bank).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// The kernel's own line that waits, or that called the waiting function.
pub(super) fn place(operation: &Operation<'_>, wait: &WaitProfile) -> String {
    match wait.frames.iter().rfind(|frame| operation.is_of_kernel(frame)) {
        Some(own) => with_text(operation.capture, own),
        None => format!("a loop on the word at {:#x}", wait.address),
    }
}

fn percent(part: u64, all: u64) -> String {
    let percent = part.saturating_mul(100).checked_div(all);
    percent.map(|percent| format!("{percent} %")).unwrap_or_default()
}
