//! The runtime arguments of a kernel, and the calls that set them to their values at a launch.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::{Architecture, LogicalCore};
use hallmark_metalium::Numbers;
use hallmark_schema::commands::{SetCommonRuntimeArgs, SetRuntimeArgs, UpdateCommonRuntimeArgs};
use hallmark_schema::limits;
use hallmark_schema::model::{
    ArgumentRelocation, Command, CoreArguments, KernelId, RelocatedArgument,
};

use super::buffers::Buffers;
use super::calls::Calls;
use super::core_ranges::core_ranges;
use super::missing::Inconvertible;
use super::relocations::{Argument, RelocationStatistics, WordLocation, argument};
use super::second::{Difference, SecondAddresses};
use crate::event::{KernelArguments, Scratchpad};

/// A word at the last launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Word {
    value: u32,
    argument: Argument,
}

/// A kernel's arguments at its last launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    common: Vec<Word>,
    cores: BTreeMap<(u32, u32), Vec<Word>>,
    scratchpads: Vec<Scratchpad>,
}

/// The context in which the words of a launch are interpreted, and the notes about them.
pub(super) struct WordContext<'c> {
    pub(super) numbers: &'static Numbers,
    pub(super) architecture: Architecture,
    pub(super) buffers: &'c Buffers,
    /// The addresses of a second recording.
    pub(super) second: Option<&'c SecondAddresses>,
    pub(super) statistics: &'c mut RelocationStatistics,
    /// Words that hold a placement as a plain number.
    pub(super) bound: &'c mut Vec<WordLocation>,
    /// Whether a word differs in the second recording in a way that addresses do not explain.
    pub(super) differs: bool,
    pub(super) differences: &'c mut Vec<Difference>,
}

impl WordContext<'_> {
    /// The interpreted words of a vector. `moved` is the same vector of the second recording.
    fn words(&mut self, values: &[u32], before: &[Word], moved: Option<&[u32]>) -> Vec<Word> {
        let second = self.second;
        let moved = moved.filter(|moved| moved.len() == values.len());
        let mut words = Vec::with_capacity(values.len());
        for (at, &value) in values.iter().enumerate() {
            let moved = moved.and_then(|moved| moved.get(at).copied()).zip(second);
            let mut argument =
                argument(value, self.buffers, moved, self.statistics, &mut self.differs);
            // An unchanged word keeps its meaning, even if its buffer was freed.
            if let Some(before) = before.get(at)
                && before.value == value
                && matches!(argument, Argument::Number(_))
            {
                argument = before.argument;
            }
            words.push(Word { value, argument });
        }
        words
    }

    /// The word in a form that a call can set now: the address of a freed buffer becomes a number.
    fn settled(&self, word: Word) -> Argument {
        let Argument::Relocated(relocated) = word.argument else { return word.argument };
        let is_live = relocated
            .buffer()
            .is_none_or(|buffer| self.buffers.live().placed_in(buffer).next().is_some());
        if is_live { word.argument } else { Argument::Number(word.value) }
    }

    fn settle(&self, words: &[Word]) -> Vec<Argument> {
        words.iter().map(|word| self.settled(*word)).collect()
    }
}

/// Values and relocations of words.
fn split(words: &[Argument]) -> (Vec<u32>, Vec<ArgumentRelocation>) {
    let mut relocations = Vec::new();
    let mut values = Vec::with_capacity(words.len());
    for (index, word) in (0..).zip(words) {
        values.push(match *word {
            Argument::Number(value) | Argument::Bound(value) => value,
            Argument::Relocated(argument) => {
                relocations.push(ArgumentRelocation { index, argument });
                0
            }
        });
    }
    (values, relocations)
}

/// Indices of the words that hold a placement as a plain number.
fn bound(words: &[Argument]) -> impl Iterator<Item = u32> {
    let words = (0..).zip(words);
    words.filter(|(_, word)| matches!(word, Argument::Bound(_))).map(|(index, _)| index)
}

impl Arguments {
    /// The arguments of a kernel with these scratchpads, before its first launch.
    pub(super) fn new(scratchpads: &[Scratchpad]) -> Self {
        Self { scratchpads: scratchpads.to_vec(), ..Self::default() }
    }

    /// Says which words are addresses of scratchpads. Upstream puts them in at the first launch, perhaps after it was
    /// recorded.
    fn name_scratchpads(&self, common: &mut [Word]) {
        for &Scratchpad { argument, size } in &self.scratchpads {
            let word = usize::try_from(argument).ok().and_then(|at| common.get_mut(at));
            if let Some(word) = word {
                let argument = Argument::Relocated(RelocatedArgument::ScratchpadAddress { size });
                *word = Word { value: 0, argument };
            }
        }
    }

    /// Makes the calls that change the arguments to those of a launch. `number` is the kernel's handle, `moved`
    /// the same launch of a second recording.
    pub(super) fn launch(
        &mut self,
        kernel: KernelId,
        number: usize,
        now: &KernelArguments,
        moved: Option<&KernelArguments>,
        context: &mut WordContext<'_>,
        calls: &mut Calls,
    ) -> Result<(), Inconvertible> {
        let moved_common = moved.map(|moved| moved.common.as_slice());
        let mut common = context.words(&now.common, &self.common, moved_common);
        self.name_scratchpads(&mut common);
        if !self.common.is_empty() && self.common.len() != common.len() {
            return Err(Inconvertible::CommonArguments { kernel: number });
        }
        self.change_common(kernel, &common, context, calls);
        self.common = common;
        let mut changed: BTreeMap<(u32, u32), Vec<Argument>> = BTreeMap::new();
        for at in &now.cores {
            let moved =
                moved.and_then(|moved| moved.cores.iter().find(|other| other.core == at.core));
            let before = self.cores.get(&at.core).map(Vec::as_slice).unwrap_or_default();
            let words = context.words(&at.words, before, moved.map(|it| it.words.as_slice()));
            if words.as_slice() != before {
                changed.insert(at.core, context.settle(&words));
                self.cores.insert(at.core, words);
            }
        }
        set(kernel, changed, context, calls);
        Ok(())
    }

    fn change_common(
        &self,
        kernel: KernelId,
        common: &[Word],
        context: &mut WordContext<'_>,
        calls: &mut Calls,
    ) {
        if self.common.is_empty() {
            if common.is_empty() {
                return;
            }
            let words = context.settle(common);
            let (values, relocations) = split(&words);
            let call = SetCommonRuntimeArgs { kernel, values, relocations };
            let command = calls.push(Command::SetCommonRuntimeArgs(call));
            let bound =
                bound(&words).map(|index| WordLocation { command, core: None, index, kernel });
            context.bound.extend(bound);
            return;
        }
        // Adjacent changed words become one call.
        let mut run: Vec<Word> = Vec::new();
        let mut first = 0;
        for (at, word) in (0_u32..).zip(common) {
            let before = usize::try_from(at).ok().and_then(|at| self.common.get(at));
            if before != Some(word) {
                if run.is_empty() {
                    first = at;
                }
                run.push(*word);
            } else if !run.is_empty() {
                update(kernel, first, &std::mem::take(&mut run), context, calls);
            }
        }
        if !run.is_empty() {
            update(kernel, first, &run, context, calls);
        }
    }
}

fn update(
    kernel: KernelId,
    first: u32,
    words: &[Word],
    context: &mut WordContext<'_>,
    calls: &mut Calls,
) {
    let words = context.settle(words);
    let (values, relocations) = split(&words);
    let call = UpdateCommonRuntimeArgs { kernel, first, values, relocations };
    let command = calls.push(Command::UpdateCommonRuntimeArgs(call));
    let bound = bound(&words).map(|index| WordLocation { command, core: None, index, kernel });
    context.bound.extend(bound);
}

/// Logical cores, as x and y.
type Cores = BTreeSet<(u32, u32)>;

/// Sets the arguments of cores; cores with equal words share an entry.
fn set(
    kernel: KernelId,
    changed: BTreeMap<(u32, u32), Vec<Argument>>,
    context: &mut WordContext<'_>,
    calls: &mut Calls,
) {
    let mut sets: Vec<(Vec<Argument>, Cores)> = Vec::new();
    let mut known: BTreeMap<Vec<Argument>, usize> = BTreeMap::new();
    // Row by row, the usual order of cores.
    let mut changed: Vec<((u32, u32), Vec<Argument>)> = changed.into_iter().collect();
    changed.sort_by_key(|((x, y), _)| (*y, *x));
    for (core, words) in changed {
        let at = *known.entry(words).or_insert_with_key(|words| {
            sets.push((words.clone(), Cores::new()));
            sets.len() - 1
        });
        if let Some((_, cores)) = sets.get_mut(at) {
            cores.insert(core);
        }
    }
    let most = usize::try_from(limits::ARGUMENT_SETS).unwrap_or(usize::MAX);
    for sets in sets.chunks(most) {
        let args = sets.iter().map(|(words, cores)| {
            let (values, relocations) = split(words);
            CoreArguments { cores: core_ranges(cores), values, relocations }
        });
        let call = SetRuntimeArgs { kernel, args: args.collect() };
        let command = calls.push(Command::SetRuntimeArgs(call));
        for (words, cores) in sets {
            for &(x, y) in cores {
                let core = Some(LogicalCore { x, y });
                let bound = bound(words).map(|index| WordLocation { command, core, index, kernel });
                context.bound.extend(bound);
            }
        }
    }
    context.bound.sort_unstable();
}
