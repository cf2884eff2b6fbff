//! Programs, and the kernels and semaphores that are added to them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::{LogicalCore, Processor};
use hallmark_device_code::{BuiltKernel, FirmwareBundle, KernelImage, promises};
use hallmark_schema::commands::{Command, CreateKernel, CreateProgram, CreateSemaphore};
use hallmark_schema::model::{
    CommandIndex, CommandKind, ContentHash, Failure, KernelBindings, KernelConfig, KernelId,
    NocMode, ObjectKind,
};

use super::argument_words::ArgumentWords;
use super::call::Perform;
use super::call_log::CallLog;
use super::device::{Device, Host};
use super::kernel_builds::KernelBuilds;
use super::opened::Opened;
use super::programs::Programs;
use super::states::{KernelState, ProgramState, SemaphoreState, cores_of, semaphore_number};
use super::types::{Kernel, KernelDescription, Program, Semaphore, SemaphoreConfig};
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};
use crate::kernel_library::{KernelProblem, KernelRequest};
use crate::payload::Input;

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
        // A capture does not state the default.
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
            bindings: description.bindings,
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
        let state = ProgramState { name, ..ProgramState::default() };
        device.host.programs.add_program(program, state);
        Ok(())
    }
}

impl Perform for CreateKernel {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Host { opened, programs, builds, calls, .. } = &mut device.host;
        create_kernel(&self, opened, programs, builds, calls)
    }
}

impl Perform for CreateSemaphore {
    fn perform(self, device: &mut Device, _: CommandIndex, _: Input) -> Result<(), CallError> {
        let Host { opened, programs, calls, .. } = &mut device.host;
        create_semaphore(self, opened, programs, calls)
    }
}

fn create_kernel(
    call: &CreateKernel,
    opened: &Opened,
    programs: &mut Programs,
    builds: &mut KernelBuilds,
    calls: &mut CallLog,
) -> Result<(), CallError> {
    programs.reserve_kernel();
    let fail = |error: HostError| error.named(&call.name);
    let cores = check_kernel(call, opened, programs).map_err(fail)?;
    let request = KernelRequest::of(call, opened.description().architecture);
    let refuse =
        |failure, detail| fail(HostError::new(CommandKind::CreateKernel, failure).detail(detail));
    let binaries = match builds.build(&request) {
        Ok(binaries) => binaries,
        Err(KernelProblem::SourceNotFound(detail)) => {
            return Err(refuse(Failure::KernelSourceNotFound {}, detail).into());
        }
        Err(KernelProblem::BuildFailed(detail)) => {
            return Err(refuse(Failure::KernelBuildFailed {}, detail).into());
        }
        Err(
            problem @ (KernelProblem::Machine(_)
            | KernelProblem::Unusable(_)
            | KernelProblem::LackedHeader { .. }),
        ) => {
            let reason = problem.to_string();
            return Err(CallError::KernelUnavailable { path: call.source.clone(), reason });
        }
    };
    let mut images = Vec::new();
    for &processor in call.config.processors() {
        let refuse = |detail| refuse(Failure::KernelBuildFailed {}, detail);
        let mut all = binaries.builds.iter();
        let Some((_, build)) = all.find(|(other, _)| *other == processor) else {
            return Err(refuse(format!("there is no ELF for {processor}")).into());
        };
        let BuiltKernel { elf, lines } = build;
        let hash = ContentHash::of(elf);
        let image = builds
            .image(hash, build)
            .map_err(|error| refuse(format!("ELF for {processor}: {error}")))?;
        check_private_memory(opened.firmware(), processor, &image).map_err(refuse)?;
        calls.recorder().elf(call.kernel, processor, hash, elf, lines.as_deref())?;
        images.push((processor, image));
    }
    for (path, bytes) in &binaries.sources {
        if planted(Defect::RecorderForgetsIncludes) && *path != call.source {
            continue;
        }
        calls.recorder().source(path, bytes)?;
    }
    let state = KernelState {
        name: call.name.clone(),
        program: call.program,
        cores,
        config: call.config.clone(),
        images,
        numbers: numbers_of(call),
        arguments: BTreeMap::new(),
        common_arguments: ArgumentWords::default(),
    };
    programs.add_kernel(call.kernel, state);
    Ok(())
}

/// Checks everything about a kernel that its call states; gives its cores.
fn check_kernel(
    call: &CreateKernel,
    opened: &Opened,
    programs: &Programs,
) -> Result<BTreeSet<LogicalCore>, HostError> {
    let CreateKernel { program, cores: ranges, config, .. } = call;
    let fail = |failure| HostError::new(CommandKind::CreateKernel, failure);
    let state = programs.open_program(*program, ObjectKind::Kernel).map_err(fail)?;
    let cores = cores_of(ranges, opened.grid()).map_err(fail)?;
    for &other_id in &state.kernels {
        let other = programs.kernel(other_id).map_err(fail)?;
        check_kernels(other_id, other, &cores, config).map_err(|failure| {
            fail(failure).detail(format!("kernel {other_id} is `{}`", other.name))
        })?;
    }
    check_defines(&call.defines).map_err(|(failure, detail)| fail(failure).detail(detail))?;
    let bad_name =
        call.named_compile_args.keys().find(|name| !hallmark_schema::is_argument_name(name));
    if let Some(name) = bad_name {
        let detail = format!("the argument `{}`", name.escape_debug());
        return Err(fail(Failure::NamedCompileArgInvalid {}).detail(detail));
    }
    let problem = call.bindings.as_ref().and_then(KernelBindings::problem);
    if let Some((at, reason)) = problem {
        let detail = format!("binding {at}: {reason}");
        return Err(fail(Failure::NamedCompileArgInvalid {}).detail(detail));
    }
    check_config(opened, config).map_err(fail)?;
    Ok(cores)
}

/// Two kernels of a program share a core only with different processors and NoCs.
fn check_kernels(
    kernel: KernelId,
    other: &KernelState,
    cores: &BTreeSet<LogicalCore>,
    config: &KernelConfig,
) -> Result<(), Failure> {
    let Some(&core) = cores.intersection(&other.cores).next() else {
        return Ok(());
    };
    let taken = other.config.processors();
    if let Some(&processor) = config.processors().iter().find(|processor| taken.contains(processor))
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

/// Checks a configuration against the chip and its firmware.
fn check_config(opened: &Opened, config: &KernelConfig) -> Result<(), Failure> {
    match config {
        KernelConfig::DataMovement { noc_mode: NocMode::Dedicated, .. } => Ok(()),
        KernelConfig::DataMovement { noc_mode: NocMode::Dynamic, .. } => {
            Err(Failure::NocModeUnsupported {})
        }
        KernelConfig::Compute { unpack_to_dest_mode, .. } => {
            unpack_to_dest_mode.keys().try_for_each(|index| opened.check_index(*index))
        }
    }
}

/// Checks that a kernel's variables fit into the private memory that firmware leaves; the error is a detail.
fn check_private_memory(
    firmware: &FirmwareBundle,
    processor: Processor,
    image: &KernelImage,
) -> Result<(), String> {
    let private = firmware.manifest().image(processor).private.kernel;
    match image.private_memory() {
        Some((start, end)) if start < private.start || end > private.end => Err(format!(
            "its variables take {start:#x}..{end:#x} of {processor}'s private memory, \
             firmware leaves kernels {private}"
        )),
        _ => Ok(()),
    }
}

fn create_semaphore(
    call: CreateSemaphore,
    opened: &Opened,
    programs: &mut Programs,
    calls: &mut CallLog,
) -> Result<(), CallError> {
    let CreateSemaphore { semaphore, name, program, cores: ranges, initial_value } = call;
    programs.reserve_semaphore();
    let fail = |failure| HostError::new(CommandKind::CreateSemaphore, failure).named(&name);
    let state = programs.open_program(program, ObjectKind::Semaphore).map_err(fail)?;
    let cores = cores_of(&ranges, opened.grid()).map_err(fail)?;
    let limit = promises::SEMAPHORES;
    let others = state.semaphores.iter().filter_map(|other| {
        let other = programs.semaphore(*other).ok()?;
        Some((other.ranges.as_slice(), other.number))
    });
    let others = others.filter(|_| !planted(Defect::SemaphoresShareANumber));
    let number = semaphore_number(limit, &ranges, others)
        .ok_or_else(|| fail(Failure::TooManySemaphores { limit }))?;
    let address = opened.semaphore_l1_address(number);
    calls.recorder().address(ObjectKind::Semaphore, semaphore.0, u64::from(address))?;
    let state = SemaphoreState { program, ranges, cores, number, initial_value };
    programs.add_semaphore(semaphore, state);
    Ok(())
}

/// The numbers that a kernel is built with: an address among them gives the kernel the memory there.
fn numbers_of(call: &CreateKernel) -> Arc<[u32]> {
    let defined = call.defines.values().filter_map(|value| {
        let value = value.trim().trim_matches(['(', ')']).trim_end_matches(['u', 'U', 'l', 'L']);
        match value.strip_prefix("0x").or_else(|| value.strip_prefix("0X")) {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => value.parse().ok(),
        }
    });
    let named = call.named_compile_args.values().copied();
    call.compile_args.iter().copied().chain(named).chain(defined).collect()
}

/// A define becomes one `-D` of the compiler.
fn check_defines(defines: &BTreeMap<String, String>) -> Result<(), (Failure, String)> {
    for (name, value) in defines {
        if !hallmark_schema::is_definition(name, value) {
            return Err((
                Failure::DefineInvalid {},
                format!("the define `{}`", name.escape_debug()),
            ));
        }
    }
    Ok(())
}
