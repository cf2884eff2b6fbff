//! Steps that make kernels.

use std::collections::BTreeMap;
use std::path::Path;

use hallmark_schema::commands;
use hallmark_schema::is_argument_name;
use hallmark_schema::model::{
    Command, DataMovementProcessor, KernelBinding, KernelBindings, KernelConfig, KernelId,
    MathFidelity, NocId, NocMode, OptLevel, ProgramId, UnpackToDestMode,
};

use super::arguments::compile_arguments;
use super::evaluator::Evaluator;
use super::scope::{KernelFacts, Scope};
use crate::language::{CreateKernel, KernelSource, UnpackToDestEntry};
use crate::mistake::{Mistake, Mistakes, Span, suggest};
use crate::read::{ByText, DefineValue, Name, Named, Number};

/// The kernels that steps can name, and the folder that their files are in.
#[derive(Debug)]
pub(super) struct KernelSources<'a> {
    /// The folder `suites`.
    suites: &'a Path,
    of_suite: Option<&'a Named<KernelSource>>,
    /// The kernels of the file whose steps are bound.
    of_file: Option<&'a Named<KernelSource>>,
}

impl<'a> KernelSources<'a> {
    pub(super) const fn new(suites: &'a Path, of_suite: Option<&'a Named<KernelSource>>) -> Self {
        Self { suites, of_suite, of_file: of_suite }
    }

    /// Exchanges the kernels of the file whose steps are bound; returns those before.
    pub(super) const fn exchange(
        &mut self,
        of_file: Option<&'a Named<KernelSource>>,
    ) -> Option<&'a Named<KernelSource>> {
        std::mem::replace(&mut self.of_file, of_file)
    }

    /// Exchanges the kernels of the file for those of the suite; returns those before.
    pub(super) const fn exchange_for_suite(&mut self) -> Option<&'a Named<KernelSource>> {
        self.exchange(self.of_suite)
    }

    /// The source of a kernel: one of the file that the step stands in, or one that a fragment was given.
    pub(super) fn find(
        &self,
        scope: &Scope,
        name: &Name,
        mistakes: &mut Mistakes,
    ) -> Option<&'a KernelSource> {
        let (kernels, text) = match scope.frames().alias(&name.text) {
            Some(given) => (self.of_suite, given.to_owned()),
            None => (self.of_file, name.text.clone()),
        };
        if let Some(source) = kernels.and_then(|kernels| kernels.get(&text)) {
            return Some(source);
        }
        let help = kernels.map_or_else(
            || "this file has no `kernels`".to_owned(),
            |kernels| suggest(&text, kernels.names()),
        );
        let mistake = Mistake::new(format!("unknown kernel source `{text}`"), name.span, help);
        mistakes.add_unknown_name(&format!("kernel source {text}"), mistake)
    }

    /// The source of a kernel whose file exists.
    pub(super) fn find_file(
        &self,
        scope: &Scope,
        name: &Name,
        mistakes: &mut Mistakes,
    ) -> Option<&'a KernelSource> {
        let kernel = self.find(scope, name, mistakes)?;
        let path = &kernel.source.value;
        // A path that leads elsewhere is a mistake of its own.
        if !kernel.is_inside() || self.suites.join(path).is_file() {
            return Some(kernel);
        }
        mistakes.add(
            format!("kernel source file `{path}` does not exist"),
            kernel.source.span,
            "the path is relative to the folder `suites`",
        )
    }
}

/// Binds `create_kernel`; `source` is nothing where a mistake keeps it from being known.
pub(super) fn create_kernel(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    call: &CreateKernel,
    source: Option<&KernelSource>,
    fails: bool,
    span: Span,
) -> Option<Command> {
    let program = scope.programs.get(&call.program, evaluator.mistakes()).map(|(id, _)| id);
    let cores = evaluator.cores(&call.cores);
    let compile_args =
        compile_arguments(evaluator, scope, call.compile_args.as_deref().unwrap_or_default());
    let named_compile_args = named_arguments(evaluator, call, fails);
    let config = kernel_config(evaluator, call, span);
    let opt_level = opt_level(evaluator, call, config.as_ref());
    let bindings = bindings(evaluator, call, fails);
    let facts = KernelFacts { cores: cores.clone().unwrap_or_default() };
    let id = scope.kernels.add(&call.id, facts, evaluator.mistakes());
    let source = source?;
    let mut of_source = defines(evaluator, source.defines.as_ref());
    let of_call = defines(evaluator, call.defines.as_ref());
    if let (Some(defines), Some(more)) = (&mut of_source, of_call) {
        defines.extend(more);
    }
    Some(Command::CreateKernel(commands::CreateKernel {
        kernel: KernelId(id),
        name: scope.given(&call.id),
        program: ProgramId(program?),
        source: source.source.value.clone(),
        cores: cores?,
        config: config?,
        compile_args: compile_args?,
        defines: of_source?,
        named_compile_args: named_compile_args?,
        opt_level: opt_level?,
        bindings: bindings?,
    }))
}

fn defines(
    evaluator: &mut Evaluator<'_>,
    defines: Option<&ByText<DefineValue>>,
) -> Option<BTreeMap<String, String>> {
    let mut map = BTreeMap::new();
    for (name, DefineValue(text)) in defines.iter().flat_map(|defines| &defines.0) {
        map.insert(name.value.clone(), evaluator.text(text, name.span)?);
    }
    Some(map)
}

fn named_arguments(
    evaluator: &mut Evaluator<'_>,
    call: &CreateKernel,
    fails: bool,
) -> Option<BTreeMap<String, u32>> {
    let mut words = BTreeMap::new();
    let mut complete = true;
    let arguments = call.named_compile_args.as_ref();
    for (name, number) in arguments.iter().flat_map(|arguments| &arguments.0) {
        if !fails && !is_argument_name(&name.value) {
            complete = false;
            evaluator.mistakes().add::<()>(
                format!("`{}` cannot be the name of a compile-time argument", name.value),
                name.span,
                "a name is not empty and holds no quotation mark or backslash",
            );
        }
        match evaluator.word(number) {
            Some(word) => {
                words.insert(name.value.clone(), word);
            }
            None => complete = false,
        }
    }
    complete.then_some(words)
}

/// The level, where it is not the default of the kernel's kind.
fn opt_level(
    evaluator: &mut Evaluator<'_>,
    call: &CreateKernel,
    config: Option<&KernelConfig>,
) -> Option<Option<OptLevel>> {
    let Some(level) = &call.opt_level else { return Some(None) };
    let level = evaluator.setting(level)?;
    let default = config.map(KernelConfig::default_opt_level);
    Some(Some(level).filter(|level| default != Some(*level)))
}

/// The names whose definitions are generated.
fn bindings(
    evaluator: &mut Evaluator<'_>,
    call: &CreateKernel,
    fails: bool,
) -> Option<Option<KernelBindings>> {
    let Some(given) = &call.bindings else { return Some(None) };
    let mut names = Vec::new();
    for entry in &given.names {
        let values: Option<Vec<u32>> =
            entry.values.iter().map(|value| evaluator.word(value)).collect();
        let (kind, name) = (evaluator.setting(&entry.kind)?, entry.name.text.clone());
        names.push(KernelBinding { kind, name, values: values? });
    }
    let mut number = |number: &Option<Number>| match number {
        Some(number) => evaluator.word(number),
        None => Some(0),
    };
    let bindings = KernelBindings {
        names,
        first_vararg: number(&given.first_vararg)?,
        first_common_vararg: number(&given.first_common_vararg)?,
        compile_time_varargs: number(&given.compile_time_varargs)?,
    };
    if let Some((at, reason)) = bindings.problem().filter(|_| !fails) {
        let entry = given.names.get(at)?;
        evaluator.mistakes().add::<()>(
            format!("`{}` cannot be a generated name", entry.name.text),
            entry.name.span,
            reason,
        );
        return None;
    }
    Some(Some(bindings))
}

fn kernel_config(
    evaluator: &mut Evaluator<'_>,
    call: &CreateKernel,
    span: Span,
) -> Option<KernelConfig> {
    match (&call.compute, &call.processor) {
        (Some(compute), None) => {
            if let Some(_noc) = &call.noc {
                evaluator.mistakes().add::<()>("a compute kernel has no NoC", span, "remove `noc`");
            }
            if let Some(_mode) = &call.noc_mode {
                evaluator.mistakes().add::<()>(
                    "a compute kernel has no NoC",
                    span,
                    "remove `noc_mode`",
                );
            }
            let fidelity =
                evaluator.setting_or(compute.math_fidelity.as_ref(), MathFidelity::HiFi4);
            let fp32 = evaluator.setting_or(compute.fp32_dest_acc_en.as_ref(), false);
            let approximate = evaluator.setting_or(compute.math_approx_mode.as_ref(), false);
            let full_sync = evaluator.setting_or(compute.dst_full_sync_en.as_ref(), false);
            let precise = evaluator.setting_or(compute.bfp8_pack_precise.as_ref(), false);
            let modes =
                unpack_modes(evaluator, compute.unpack_to_dest_mode.as_deref().unwrap_or_default());
            Some(KernelConfig::Compute {
                math_fidelity: fidelity?,
                fp32_dest_acc_en: fp32?,
                math_approx_mode: approximate?,
                dst_full_sync_en: full_sync?,
                unpack_to_dest_mode: modes?,
                bfp8_pack_precise: precise?,
            })
        }
        (None, Some(processor)) => {
            let processor = evaluator.setting(processor)?;
            let default = match processor {
                DataMovementProcessor::Riscv0 => NocId::Noc0,
                DataMovementProcessor::Riscv1 => NocId::Noc1,
            };
            let noc = evaluator.setting_or(call.noc.as_ref(), default)?;
            let noc_mode = evaluator.setting_or(call.noc_mode.as_ref(), NocMode::Dedicated)?;
            Some(KernelConfig::DataMovement { processor, noc, noc_mode })
        }
        (Some(_), Some(_)) => evaluator.mistakes().add(
            "a kernel runs either on a data-movement processor or on the compute threads",
            span,
            "remove `processor` or `compute`",
        ),
        (None, None) => evaluator.mistakes().add(
            "`create_kernel` needs `processor` or `compute`",
            span,
            "add `processor: riscv_0`, `processor: riscv_1` or `compute: {}`",
        ),
    }
}

fn unpack_modes(
    evaluator: &mut Evaluator<'_>,
    entries: &[UnpackToDestEntry],
) -> Option<BTreeMap<u32, UnpackToDestMode>> {
    let mut modes = BTreeMap::new();
    let mut complete = true;
    for entry in entries {
        let index = evaluator.u32(&entry.index, "the index");
        let mode = evaluator.setting(&entry.mode);
        let (Some(index), Some(mode)) = (index, mode) else {
            complete = false;
            continue;
        };
        if modes.insert(index, mode).is_some() {
            complete = false;
            evaluator.mistakes().add::<()>(
                format!("duplicate index {index}"),
                entry.index.0.span(),
                "keep one of the entries",
            );
        }
    }
    complete.then_some(modes)
}
