//! Programs, and the kernels and semaphores that are added to them.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_chip::LogicalCore;
use hallmark_device_code::{BuiltKernel, promises};
use hallmark_schema::commands::{Command, CreateKernel, CreateProgram, CreateSemaphore};
use hallmark_schema::model::{
    CommandIndex, CommandKind, ContentHash, Failure, KernelConfig, KernelId, NocMode, ObjectKind,
    ProgramId,
};

use super::call::Perform;
use super::common_arguments::ArgumentWords;
use super::states::{KernelState, ProgramState, SemaphoreState, cores_of, semaphore_number};
use super::types::{Kernel, KernelDescription, Program, Semaphore, SemaphoreConfig};
use super::{Device, Host};
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::kernel_library::{KernelProblem, KernelRequest};
use crate::payload::Input;

impl Host {
    /// The program, if something may still be added to it.
    pub(super) fn open_program(
        &self,
        program: ProgramId,
        object: ObjectKind,
    ) -> Result<&ProgramState, Failure> {
        let state = self.objects.programs.get(program.0)?;
        if state.compiled {
            return Err(Failure::ProgramAlreadyCompiled { object, program });
        }
        Ok(state)
    }

    /// Two kernels of a program share a core only with different processors and NoCs.
    fn check_kernels(
        &self,
        kernel: KernelId,
        other: &KernelState,
        cores: &BTreeSet<LogicalCore>,
        config: &KernelConfig,
    ) -> Result<(), Failure> {
        let Some(&core) = cores.intersection(&other.cores).next() else {
            return Ok(());
        };
        let taken = other.config.processors();
        if let Some(&processor) =
            config.processors().iter().find(|processor| taken.contains(processor))
        {
            return Err(Failure::CoreOverlap { kernel, core, processor });
        }
        let noc = match config {
            KernelConfig::DataMovement { noc, .. } => Some(*noc),
            KernelConfig::Compute { .. } => None,
        };
        match noc {
            Some(noc) if other.noc() == Some(noc) => {
                Err(Failure::NocInUse { kernel, core, noc: noc as u32 })
            }
            _ => Ok(()),
        }
    }
}

impl Host {
    /// Checks what a configuration asks of the chip and its firmware.
    fn check_config(&self, config: &KernelConfig) -> Result<(), Failure> {
        match config {
            KernelConfig::DataMovement { noc_mode: NocMode::Dedicated, .. } => Ok(()),
            KernelConfig::DataMovement { noc_mode: NocMode::Dynamic, .. } => {
                Err(Failure::NocModeUnsupported {})
            }
            KernelConfig::Compute { unpack_to_dest_mode, .. } => {
                unpack_to_dest_mode.keys().try_for_each(|index| self.check_index(*index))
            }
        }
    }
}

impl Device {
    /// `CreateProgram`.
    ///
    /// # Errors
    /// None of the host program's making.
    pub fn create_program(&mut self, name: &str) -> Result<Program, CallError> {
        let program = self.next_program();
        let command =
            Command::CreateProgram(CreateProgram { program: program.id(), name: name.to_owned() });
        self.call(command, Input::Nothing)?;
        Ok(program)
    }

    /// `CreateKernel`: adds a kernel to a program and gets its ELFs from the kernel library.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ProgramAlreadyCompiled`], [`Failure::EmptyCoreRange`],
    /// [`Failure::CoreOutsideGrid`], [`Failure::CoreOverlap`], [`Failure::NocInUse`],
    /// [`Failure::DefineInvalid`], [`Failure::NamedCompileArgInvalid`], [`Failure::NocModeUnsupported`],
    /// [`Failure::CircularBufferIndexTooLarge`], [`Failure::KernelSourceNotFound`],
    /// [`Failure::KernelBuildFailed`].
    pub fn create_kernel(
        &mut self,
        program: Program,
        description: KernelDescription<'_>,
    ) -> Result<Kernel, CallError> {
        let kernel = self.next_kernel();
        // A capture does not state what is the default.
        let default = description.config.default_opt_level();
        let opt_level = description.opt_level.filter(|level| *level != default);
        let command = Command::CreateKernel(CreateKernel {
            kernel: kernel.id(),
            name: description.name.to_owned(),
            program: program.id(),
            source: description.source.to_owned(),
            cores: description.cores.to_vec(),
            config: description.config,
            compile_args: description.compile_args,
            defines: description.defines,
            named_compile_args: description.named_compile_args,
            opt_level,
        });
        self.call(command, Input::Nothing)?;
        Ok(kernel)
    }

    /// `CreateSemaphore`.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`], [`Failure::ProgramAlreadyCompiled`], [`Failure::EmptyCoreRange`],
    /// [`Failure::CoreOutsideGrid`], [`Failure::TooManySemaphores`].
    pub fn create_semaphore(
        &mut self,
        program: Program,
        config: &SemaphoreConfig<'_>,
    ) -> Result<Semaphore, CallError> {
        let semaphore = self.next_semaphore();
        let command = Command::CreateSemaphore(CreateSemaphore {
            semaphore: semaphore.id(),
            name: config.name.to_owned(),
            program: program.id(),
            cores: config.cores.to_vec(),
            initial_value: config.initial_value,
        });
        self.call(command, Input::Nothing)?;
        Ok(semaphore)
    }
}

impl Perform for CreateProgram {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { program, name } = self;
        let host = &mut device.host;
        host.objects.programs.reserve();
        host.objects.programs.fill(program.0, ProgramState { name, ..ProgramState::default() });
        Ok(())
    }
}

impl Perform for CreateKernel {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { kernel, name, program, source, cores: ranges, config, .. } = &self;
        let host = &mut device.host;
        host.objects.kernels.reserve();
        let fail = |failure| HostError::new(CommandKind::CreateKernel, failure).named(name);
        let state = host.open_program(*program, ObjectKind::Kernel).map_err(fail)?;
        let cores = cores_of(ranges, host.grid).map_err(fail)?;
        for &other_id in &state.kernels {
            let other = host.objects.kernels.get(other_id.0).map_err(fail)?;
            host.check_kernels(other_id, other, &cores, config).map_err(|failure| {
                fail(failure).detail(format!("kernel {other_id} is `{}`", other.name))
            })?;
        }
        check_defines(&self.defines).map_err(|(failure, detail)| fail(failure).detail(detail))?;
        let bad_name =
            self.named_compile_args.keys().find(|name| !hallmark_schema::is_argument_name(name));
        if let Some(name) = bad_name {
            let detail = format!("the argument `{}`", name.escape_debug());
            return Err(fail(Failure::NamedCompileArgInvalid {}).detail(detail).into());
        }
        host.check_config(config).map_err(fail)?;
        let request = KernelRequest::of(&self, host.description.architecture);
        let binaries = match host.library.kernel(&request) {
            Ok(binaries) => binaries,
            Err(KernelProblem::SourceNotFound(detail)) => {
                return Err(fail(Failure::KernelSourceNotFound {}).detail(detail).into());
            }
            Err(KernelProblem::BuildFailed(detail)) => {
                return Err(fail(Failure::KernelBuildFailed {}).detail(detail).into());
            }
            Err(KernelProblem::Unusable(reason)) => {
                return Err(CallError::KernelUnavailable { path: source.clone(), reason });
            }
        };
        let mut images = Vec::new();
        for &processor in config.processors() {
            let refuse = |what: String| fail(Failure::KernelBuildFailed {}).detail(what);
            let mut builds = binaries.builds.iter();
            let Some((_, build)) = builds.find(|(other, _)| *other == processor) else {
                return Err(refuse(format!("there is no ELF for {processor}")).into());
            };
            let BuiltKernel { elf, lines } = build;
            let hash = ContentHash::of(elf);
            let image = host
                .images
                .image(hash, build)
                .map_err(|error| refuse(format!("ELF for {processor}: {error}")))?;
            let private = host.firmware.manifest().image(processor).private.kernel;
            if let Some((start, end)) = image.private_memory()
                && (start < private.start || end > private.end)
            {
                let what = format!(
                    "its variables take {start:#x}..{end:#x} of {processor}'s private memory, \
                     firmware leaves kernels {private}"
                );
                return Err(refuse(what).into());
            }
            host.recorder.elf(*kernel, processor, hash, elf, lines.as_deref())?;
            images.push((processor, image));
        }
        for (path, bytes) in &binaries.sources {
            if planted(Defect::RecorderForgetsIncludes) && path != source {
                continue;
            }
            host.recorder.source(path, bytes)?;
        }
        let state = KernelState {
            name: name.clone(),
            program: *program,
            cores,
            config: config.clone(),
            images,
            arguments: BTreeMap::new(),
            common_arguments: ArgumentWords::default(),
        };
        host.objects.kernels.fill(kernel.0, state);
        let state = host.objects.programs.get_mut(program.0).map_err(fail)?;
        state.kernels.push(*kernel);
        Ok(())
    }
}

impl Perform for CreateSemaphore {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Self { semaphore, name, program, cores: ranges, initial_value } = self;
        let host = &mut device.host;
        host.objects.semaphores.reserve();
        let fail = |failure| HostError::new(CommandKind::CreateSemaphore, failure).named(&name);
        let state = host.open_program(program, ObjectKind::Semaphore).map_err(fail)?;
        let cores = cores_of(&ranges, host.grid).map_err(fail)?;
        let limit = promises::SEMAPHORES;
        let others = state.semaphores.iter().filter_map(|other| {
            let other = host.objects.semaphores.get(other.0).ok()?;
            Some((other.ranges.as_slice(), other.number))
        });
        let others = others.filter(|_| !planted(Defect::SemaphoresShareANumber));
        let number = semaphore_number(limit, &ranges, others)
            .ok_or_else(|| fail(Failure::TooManySemaphores { limit }))?;
        let address = host.semaphore_l1_address(number);
        host.recorder.address(ObjectKind::Semaphore, semaphore.0, u64::from(address))?;
        let state = SemaphoreState { program, ranges, cores, number, initial_value };
        host.objects.semaphores.fill(semaphore.0, state);
        if let Ok(state) = host.objects.programs.get_mut(program.0) {
            state.semaphores.push(semaphore);
        }
        Ok(())
    }
}

/// A define becomes one `-D` of the compiler.
fn check_defines(defines: &BTreeMap<String, String>) -> Result<(), (Failure, String)> {
    for (name, value) in defines {
        let mut bytes = name.bytes();
        let starts = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        let name_fits = starts && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let value_fits = !value.bytes().any(|byte| matches!(byte, 0 | b'\n' | b'\r'));
        if !(name_fits && value_fits) {
            return Err((
                Failure::DefineInvalid {},
                format!("the define `{}`", name.escape_debug()),
            ));
        }
    }
    Ok(())
}
