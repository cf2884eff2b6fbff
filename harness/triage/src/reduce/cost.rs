//! The cost of a candidate. A reduction never accepts a larger one.

use hallmark_schema::commands::{Command, CreateKernel};
use hallmark_schema::model::{Capture, CoreRange, Data, Generator};

use hallmark_suite::bound::BoundTest;

/// The cost of a candidate. Costs are compared by their first differing field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// Commands.
    pub commands: usize,
    /// Objects that they make.
    pub objects: usize,
    /// Command queues.
    pub queues: u8,
    /// Cores that kernels run on, those of each kernel counted.
    pub cores: u64,
    /// Bytes of buffers.
    pub bytes: u64,
    /// Bits of the kernels' plain arguments, and of semaphores' initial values.
    pub number_bits: u64,
    /// The distance of written data from a constant.
    pub data: u64,
}

impl Cost {
    /// The cost of a capture.
    pub fn of(capture: &Capture) -> Self {
        let commands = capture.program.commands.iter().map(|recorded| &recorded.command);
        Self::of_calls(capture.program.num_command_queues, commands)
    }

    /// The cost of a test.
    pub fn of_test(test: &BoundTest) -> Self {
        let commands = test.case.steps.iter().map(|step| &step.command);
        Self::of_calls(test.case.num_command_queues, commands)
    }

    fn of_calls<'c>(queues: u8, commands: impl Iterator<Item = &'c Command>) -> Self {
        let mut cost = Self { queues, ..Self::default() };
        for command in commands {
            cost.commands = cost.commands.saturating_add(1);
            if command.created().is_some() {
                cost.objects = cost.objects.saturating_add(1);
            }
            match command {
                Command::CreateBuffer(call) => cost.bytes = cost.bytes.saturating_add(call.size),
                Command::CreateCircularBuffer(call) => {
                    cost.bytes = cost.bytes.saturating_add(call.total_size);
                }
                Command::CreateKernel(CreateKernel { cores, .. }) => {
                    cost.cores = cost.cores.saturating_add(count(cores));
                }
                Command::CreateSemaphore(call) => cost.add_numbers(&[call.initial_value]),
                Command::SetRuntimeArgs(call) => {
                    call.args.iter().for_each(|set| cost.add_numbers(&set.values));
                }
                Command::SetCommonRuntimeArgs(call) => cost.add_numbers(&call.values),
                Command::UpdateCommonRuntimeArgs(call) => cost.add_numbers(&call.values),
                Command::EnqueueWriteBuffer(call) => {
                    cost.data = cost.data.saturating_add(distance(&call.data));
                }
                _ => {}
            }
        }
        cost
    }

    fn add_numbers(&mut self, words: &[u32]) {
        let bits = words.iter().map(|word| u64::from(u32::BITS - word.leading_zeros()));
        self.number_bits = bits.fold(self.number_bits, u64::saturating_add);
    }
}

/// The number of cores in ranges.
fn count(ranges: &[CoreRange]) -> u64 {
    ranges.iter().fold(0, |sum: u64, range| {
        let side = |from: u32, to: u32| u64::from(to).saturating_sub(from.into()).saturating_add(1);
        let columns = side(range.start.x, range.end.x);
        sum.saturating_add(columns.saturating_mul(side(range.start.y, range.end.y)))
    })
}

const fn distance(data: &Data) -> u64 {
    match data.generator {
        Some(Generator::Constant { .. }) => 0,
        Some(Generator::Sequence { .. }) => 1,
        Some(
            Generator::Uniform { .. } | Generator::UniformBetween { .. } | Generator::Normal { .. },
        ) => 2,
        None => 3,
    }
}
