//! Runtime and compile-time arguments.

use hallmark_chip::LogicalCore;
use hallmark_runtime::TensorAccessorArgs;
use hallmark_schema::limits;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, CoreArguments, CoreRange, RelocatedArgument, SemaphoreId,
};

use super::Binder;
use crate::suite::language::{
    Argument, CompileArgument, CoreArgs, PlacedArgument, PlacedCompileArgument, SequenceArgument,
};
use crate::suite::read::{Name, Number};

/// More cores than any chip has.
const CORE_LIMIT: usize = 4096;

impl Binder<'_> {
    pub(super) fn arguments(
        &mut self,
        arguments: &[Argument],
        cores: Vec<CoreRange>,
    ) -> Option<CoreArguments> {
        let (values, relocations) = self.argument_words(arguments)?;
        Some(CoreArguments { cores, values, relocations })
    }

    /// Argument words, and which of them the runtime fills in.
    pub(super) fn argument_words(
        &mut self,
        arguments: &[Argument],
    ) -> Option<(Vec<u32>, Vec<ArgumentRelocation>)> {
        let mut values = Vec::new();
        let mut relocations = Vec::new();
        let mut complete = true;
        for argument in arguments {
            let word = match argument {
                Argument::Number(number) => self.word(number),
                Argument::Placed(PlacedArgument::Semaphore(argument)) => {
                    self.semaphore_number(&argument.semaphore)
                }
                Argument::Placed(placed) => {
                    let index = u32::try_from(values.len()).unwrap_or(u32::MAX);
                    self.relocated(placed).map(|argument| {
                        relocations.push(ArgumentRelocation { index, argument });
                        0
                    })
                }
                Argument::Accessor(argument) => {
                    let accessor = self.accessor(&argument.accessor);
                    complete &= accessor.is_some();
                    let (buffer, pairs) = accessor
                        .map_or((0, 0), |(id, accessor)| (id, accessor.common_runtime_arg_count()));
                    let buffer = BufferId(buffer);
                    for pair in 0..pairs {
                        let index = u32::try_from(values.len()).unwrap_or(u32::MAX);
                        let argument = RelocatedArgument::ShardBankPair { buffer, pair };
                        relocations.push(ArgumentRelocation { index, argument });
                        values.push(0);
                    }
                    continue;
                }
                Argument::Sequence(sequence) => {
                    complete &= self.word_sequence(sequence, &mut values).is_some();
                    continue;
                }
            };
            complete &= word.is_some();
            values.extend(word);
        }
        complete.then_some((values, relocations))
    }

    fn word_sequence(&mut self, sequence: &SequenceArgument, values: &mut Vec<u32>) -> Option<()> {
        let count = self.u64(&sequence.sequence, "the number of words");
        let start = sequence.start.as_ref().map_or(Some(0), |start| self.word(start))?;
        let step = sequence.step.as_ref().map_or(Some(1), |step| self.word(step))?;
        let count = count?;
        if count.saturating_add(values.len() as u64) > limits::ARGUMENT_WORDS {
            return self.mistakes.add(
                format!("{count} words are too many"),
                sequence.sequence.0.span(),
                format!("a call has at most {} argument words", limits::ARGUMENT_WORDS),
            );
        }
        let mut word = start;
        for _ in 0..count {
            values.push(word);
            word = word.wrapping_add(step);
        }
        Some(())
    }

    /// One entry for each core, so that expressions may use the core's place.
    pub(super) fn per_core(&mut self, entries: &[CoreArgs]) -> Option<Vec<CoreArguments>> {
        let mut list = Vec::new();
        let mut complete = true;
        for entry in entries {
            let Some(ranges) = self.cores(&entry.cores) else {
                complete = false;
                continue;
            };
            let cores: Vec<LogicalCore> =
                ranges.iter().flat_map(|range| range.cores()).take(CORE_LIMIT).collect();
            for (index, core) in (0_i128..).zip(cores) {
                for (name, number) in [
                    ("core_x", i128::from(core.x)),
                    ("core_y", i128::from(core.y)),
                    ("core_index", index),
                ] {
                    self.numbers.insert(name.to_owned(), number);
                }
                match self.arguments(&entry.args, vec![CoreRange::single(core)]) {
                    Some(arguments) => list.push(arguments),
                    None => complete = false,
                }
            }
            for name in ["core_x", "core_y", "core_index"] {
                self.numbers.remove(name);
            }
        }
        complete.then_some(list)
    }

    fn relocated(&mut self, placed: &PlacedArgument) -> Option<RelocatedArgument> {
        match placed {
            PlacedArgument::Buffer(argument) => {
                let (id, _) = self.scope.buffers.get(&argument.buffer, self.mistakes)?;
                let offset = self.offset(argument.offset.as_ref())?;
                Some(RelocatedArgument::BufferAddress { buffer: BufferId(id), offset })
            }
            PlacedArgument::ShardBankPair(argument) => {
                let (id, _) = self.scope.buffers.get(&argument.shard_bank_pair, self.mistakes)?;
                let pair = self.u32(&argument.index, "the pair")?;
                Some(RelocatedArgument::ShardBankPair { buffer: BufferId(id), pair })
            }
            PlacedArgument::SemaphoreAddress(argument) => {
                let (id, _) =
                    self.scope.semaphores.get(&argument.semaphore_address, self.mistakes)?;
                let offset = self.offset(argument.offset.as_ref())?;
                Some(RelocatedArgument::SemaphoreAddress { semaphore: SemaphoreId(id), offset })
            }
            PlacedArgument::NocX(argument) => {
                let (x, y) = self.core_in_grid(&argument.noc_x)?;
                Some(RelocatedArgument::CoreNocX { x, y })
            }
            PlacedArgument::NocY(argument) => {
                let (x, y) = self.core_in_grid(&argument.noc_y)?;
                Some(RelocatedArgument::CoreNocY { x, y })
            }
            PlacedArgument::Semaphore(_) => None,
        }
    }

    fn offset(&mut self, offset: Option<&Number>) -> Option<u32> {
        offset.map_or(Some(0), |offset| self.u32(offset, "the offset"))
    }

    /// The x and y of a core that the test's grid has.
    fn core_in_grid(&mut self, core: &[Number; 2]) -> Option<(u16, u16)> {
        let place = core.first().map(|x| x.0.span()).unwrap_or_default();
        let core = self.core(core)?;
        let (columns, rows) = self.grid;
        match (u16::try_from(core.x), u16::try_from(core.y)) {
            (Ok(x), Ok(y)) if core.x < columns && core.y < rows => Some((x, y)),
            _ => self.mistakes.add(
                format!("core {core} is outside the compute grid"),
                place,
                format!("the grid has {columns} columns and {rows} rows"),
            ),
        }
    }

    fn semaphore_number(&mut self, name: &Name) -> Option<u32> {
        self.scope.semaphores.get(name, self.mistakes).map(|(_, facts)| facts.number)
    }

    pub(super) fn compile_arguments(&mut self, arguments: &[CompileArgument]) -> Option<Vec<u32>> {
        let mut words = Vec::new();
        let mut complete = true;
        for argument in arguments {
            match argument {
                CompileArgument::Number(number) => match self.word(number) {
                    Some(word) => words.push(word),
                    None => complete = false,
                },
                CompileArgument::Placed(PlacedCompileArgument::Semaphore(argument)) => {
                    match self.semaphore_number(&argument.semaphore) {
                        Some(number) => words.push(number),
                        None => complete = false,
                    }
                }
                CompileArgument::Placed(PlacedCompileArgument::Accessor(argument)) => {
                    match self.accessor(&argument.accessor) {
                        Some((_, accessor)) => words.extend(accessor.compile_args()),
                        None => complete = false,
                    }
                }
            }
        }
        complete.then_some(words)
    }

    /// The arguments of a `TensorAccessor` for a buffer, and the buffer's id.
    fn accessor(&mut self, name: &Name) -> Option<(u32, TensorAccessorArgs)> {
        let (id, facts) = self.scope.buffers.get(name, self.mistakes)?;
        let (chip, buffer_type, page_size) = (self.chip, facts.buffer_type?, facts.page_size?);
        let arguments = match &facts.sharding {
            Some(sharding) => TensorAccessorArgs::sharded(chip, buffer_type, page_size, sharding),
            None => TensorAccessorArgs::interleaved(chip, buffer_type, page_size),
        };
        Some((id, arguments))
    }
}
