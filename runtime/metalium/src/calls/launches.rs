//! States programs to a simulator that finds their launches: see [`StatedProgram`].

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CString;

use hallmark_chip::{
    LaunchMessages, LogicalCore, Noc, NocCoordinate, Processor, StatedGroup, StatedKernel,
    StatedProgram,
};
use hallmark_schema::commands;
use hallmark_schema::model::{
    CoreArguments, CoreRange, DataMovementProcessor, KernelConfig, KernelId, NocId, NocMode,
    ProgramId,
};

use super::{Metalium, Trouble};

/// A kernel, without its cores' own arguments.
#[derive(Clone, Debug)]
struct Kernel {
    cores: BTreeSet<LogicalCore>,
    stated: StatedKernel,
    /// The number of arguments of each core that has any.
    arguments: BTreeMap<LogicalCore, u32>,
}

/// A program.
#[derive(Clone, Debug, Default)]
struct Program {
    kernels: Vec<KernelId>,
    /// The number of each semaphore, with its cores.
    semaphores: Vec<(u32, Vec<CoreRange>)>,
    /// How many notes there were when its statement was last made.
    made_at: Option<u64>,
    /// The last statement.
    told: Option<String>,
    /// The statement that waits until no trace is being captured.
    pending: Option<String>,
}

/// The programs of a capture.
#[derive(Debug)]
pub(super) struct StatedPrograms {
    messages: LaunchMessages,
    programs: BTreeMap<ProgramId, Program>,
    kernels: BTreeMap<KernelId, Kernel>,
    /// How often something was noted: without a new note, no statement differs from the last one.
    notes: u64,
}

/// The number of a program in messages. Programs of upstream's own have 0.
const fn number(program: ProgramId) -> u32 {
    program.0.saturating_add(1)
}

fn cores(ranges: &[CoreRange]) -> impl Iterator<Item = LogicalCore> + '_ {
    ranges.iter().flat_map(|range| range.cores())
}

fn count(words: usize) -> u32 {
    u32::try_from(words).unwrap_or(u32::MAX)
}

impl StatedPrograms {
    pub(super) const fn new(messages: LaunchMessages) -> Self {
        Self { messages, programs: BTreeMap::new(), kernels: BTreeMap::new(), notes: 0 }
    }

    pub(super) fn add_kernel(&mut self, call: &commands::CreateKernel) {
        let (processors, noc) = match &call.config {
            KernelConfig::DataMovement { processor, noc, noc_mode } => {
                let processor = match processor {
                    DataMovementProcessor::Riscv0 => Processor::Brisc,
                    DataMovementProcessor::Riscv1 => Processor::Ncrisc,
                };
                let noc = match noc {
                    NocId::Noc0 => Noc::Noc0,
                    NocId::Noc1 => Noc::Noc1,
                };
                (vec![processor], (*noc_mode == NocMode::Dedicated).then_some(noc))
            }
            KernelConfig::Compute { .. } => {
                (vec![Processor::Trisc0, Processor::Trisc1, Processor::Trisc2], None)
            }
        };
        let name = call.name.clone();
        let stated = StatedKernel { name, processors, noc, arguments: 0, common_arguments: 0 };
        let kernel =
            Kernel { cores: cores(&call.cores).collect(), stated, arguments: BTreeMap::new() };
        self.kernels.insert(call.kernel, kernel);
        self.programs.entry(call.program).or_default().kernels.push(call.kernel);
    }

    pub(super) fn set_arguments(&mut self, kernel: KernelId, arguments: &CoreArguments) {
        if let Some(kernel) = self.kernels.get_mut(&kernel) {
            let words = count(arguments.values.len());
            kernel.arguments.extend(cores(&arguments.cores).map(|core| (core, words)));
        }
    }

    pub(super) fn set_common_arguments(&mut self, kernel: KernelId, words: usize) {
        if let Some(kernel) = self.kernels.get_mut(&kernel) {
            kernel.stated.common_arguments = count(words);
        }
    }

    pub(super) fn add_semaphore(&mut self, call: &commands::CreateSemaphore, number: u32) {
        let program = self.programs.entry(call.program).or_default();
        program.semaphores.push((number, call.cores.clone()));
    }

    /// The cores of a program, in groups that run the same.
    fn groups(
        &self,
        program: &Program,
    ) -> BTreeMap<(Vec<StatedKernel>, Vec<u32>), Vec<LogicalCore>> {
        let kernels = || program.kernels.iter().filter_map(|kernel| self.kernels.get(kernel));
        let mut groups: BTreeMap<_, Vec<LogicalCore>> = BTreeMap::new();
        let all: BTreeSet<LogicalCore> =
            kernels().flat_map(|kernel| kernel.cores.iter().copied()).collect();
        for core in all {
            let here = kernels().filter(|kernel| kernel.cores.contains(&core));
            let here = here.map(|kernel| {
                let arguments = kernel.arguments.get(&core).copied().unwrap_or(0);
                StatedKernel { arguments, ..kernel.stated.clone() }
            });
            let semaphores = program.semaphores.iter();
            let semaphores = semaphores
                .filter(|(_, cores)| cores.iter().any(|range| range.contains(core)))
                .map(|(number, _)| *number);
            groups.entry((here.collect(), semaphores.collect())).or_default().push(core);
        }
        groups
    }
}

impl Metalium<'_> {
    /// Keeps something of a program, if the simulator is told of programs.
    pub(super) fn note(&mut self, note: impl FnOnce(&mut StatedPrograms)) {
        if let Some(programs) = &mut self.programs {
            note(programs);
            programs.notes = programs.notes.wrapping_add(1);
        }
    }

    pub(super) fn create_program(&mut self, program: ProgramId) -> Result<(), Trouble> {
        self.interface.create_program(program.0)?;
        if self.programs.is_some() {
            self.interface.number_program(program.0, number(program))?;
        }
        Ok(())
    }

    /// Tells the simulator of a program that is about to be enqueued, if it does not know it yet.
    pub(super) fn state_program(&mut self, program: ProgramId) -> Result<(), Trouble> {
        if let Some(text) = self.statement(program)?
            && let Some(known) = self.programs.as_mut().and_then(|it| it.programs.get_mut(&program))
            && known.told.as_ref() != Some(&text)
        {
            known.pending = Some(text);
        }
        self.state_captured_programs()
    }

    /// Tells the simulator of the programs that it has not been told of while a trace was captured.
    pub(super) fn state_captured_programs(&mut self) -> Result<(), Trouble> {
        if self.is_capturing {
            return Ok(());
        }
        let programs = self.programs.iter_mut().flat_map(|programs| programs.programs.values_mut());
        let pending: Vec<String> = programs
            .filter_map(|program| {
                let text = program.pending.take()?;
                program.told = Some(text.clone());
                Some(text)
            })
            .collect();
        if pending.is_empty() {
            return Ok(());
        }
        // Upstream's threads must not be in the library meanwhile.
        self.finish_all()?;
        for text in pending {
            let text = CString::new(text)
                .map_err(|_| Trouble::Capture("a text holds a zero".to_owned()))?;
            self.interface.state_program(text.as_c_str().into())?;
        }
        Ok(())
    }

    /// The statement of a program, or `None` if the simulator takes no statements or nothing was noted since the last one.
    fn statement(&mut self, program: ProgramId) -> Result<Option<String>, Trouble> {
        let Some(programs) = &mut self.programs else { return Ok(None) };
        let notes = programs.notes;
        let Some(known) = programs.programs.get_mut(&program) else { return Ok(None) };
        if known.made_at.replace(notes) == Some(notes) {
            return Ok(None);
        }
        let Some(known) = programs.programs.get(&program) else { return Ok(None) };
        let (messages, groups) = (programs.messages, programs.groups(known));
        let mut stated = Vec::new();
        for ((kernels, semaphores), cores) in groups {
            let mut tiles = Vec::new();
            for core in cores {
                let [x, y] = self.worker_core(core.x, core.y)?;
                let tile = u8::try_from(x).ok().zip(u8::try_from(y).ok());
                let outside = || Trouble::Capture(format!("no tile is called ({x},{y})"));
                let (x, y) = tile.ok_or_else(outside)?;
                tiles.push(NocCoordinate { x, y });
            }
            stated.push(StatedGroup { tiles, kernels, semaphores });
        }
        let (version, program) = (StatedProgram::VERSION, number(program));
        let stated = StatedProgram { version, messages, program, groups: stated };
        let text = serde_json::to_string(&stated);
        Ok(Some(text.map_err(|error| Trouble::Capture(error.to_string()))?))
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;
    use hallmark_schema::model::SemaphoreId;

    use super::*;
    use crate::ReleaseDescription;

    fn core(x: u32, y: u32) -> LogicalCore {
        LogicalCore { x, y }
    }

    fn kernel(
        kernel: u32,
        name: &str,
        cores: CoreRange,
        config: KernelConfig,
    ) -> commands::CreateKernel {
        commands::CreateKernel {
            kernel: KernelId(kernel),
            name: name.to_owned(),
            program: ProgramId(4),
            source: String::new(),
            cores: vec![cores],
            config,
            compile_args: Vec::new(),
            defines: BTreeMap::new(),
            named_compile_args: BTreeMap::new(),
            opt_level: None,
            bindings: None,
        }
    }

    fn data_movement(processor: DataMovementProcessor, noc_mode: NocMode) -> KernelConfig {
        KernelConfig::DataMovement { processor, noc: NocId::Noc1, noc_mode }
    }

    #[test]
    fn cores_that_run_the_same_are_one_group() {
        let release = ReleaseDescription::of_version(ReleaseDescription::newest()).unwrap();
        let messages = release.launch_messages(Architecture::WormholeB0).unwrap();
        let mut programs = StatedPrograms::new(messages);
        let all = CoreRange { start: core(0, 0), end: core(2, 0) };
        let last = CoreRange::single(core(2, 0));
        let reader = data_movement(DataMovementProcessor::Riscv1, NocMode::Dedicated);
        let writer = data_movement(DataMovementProcessor::Riscv0, NocMode::Dynamic);
        programs.add_kernel(&kernel(7, "reader", all, reader));
        programs.add_kernel(&kernel(8, "writer", last, writer));
        programs.set_common_arguments(KernelId(8), 2);
        let arguments = |cores, count| CoreArguments {
            cores: vec![cores],
            values: vec![0; count],
            relocations: Vec::new(),
        };
        programs.set_arguments(KernelId(7), &arguments(all, 3));
        programs.set_arguments(KernelId(8), &arguments(last, 1));
        let semaphore = commands::CreateSemaphore {
            semaphore: SemaphoreId(0),
            name: "s".to_owned(),
            program: ProgramId(4),
            cores: vec![last],
            initial_value: 0,
        };
        programs.add_semaphore(&semaphore, 5);
        let stated = |name: &str, processor, noc, [arguments, common_arguments]: [u32; 2]| {
            let (name, processors) = (name.to_owned(), vec![processor]);
            StatedKernel { name, processors, noc, arguments, common_arguments }
        };
        let reader = stated("reader", Processor::Ncrisc, Some(Noc::Noc1), [3, 0]);
        // Kernels that share the NoCs are judged by none.
        let writer = stated("writer", Processor::Brisc, None, [1, 2]);
        let groups = programs.groups(&programs.programs[&ProgramId(4)]);
        let expected = [
            ((vec![reader.clone()], Vec::new()), vec![core(0, 0), core(1, 0)]),
            ((vec![reader, writer], vec![5]), vec![core(2, 0)]),
        ];
        assert_eq!(groups, expected.into());
    }
}
