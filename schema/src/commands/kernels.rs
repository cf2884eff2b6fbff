//! Calls that add kernels to programs and give them arguments.

use std::collections::BTreeMap;

use hallmark_chip::ChipDescription;
use serde::{Deserialize, Serialize};

use std::fmt::Write as _;

use crate::commands::{Call, References, Role, Visit, VisitMut};
use crate::error::{CaptureError, Path, Rule};
use crate::limits;
use crate::model::{
    ArgumentRelocation, CoreArguments, CoreRange, KernelBindings, KernelConfig, KernelId, NocMode,
    ObjectKind, OptLevel, ProgramId, RelocatedArgument,
};
use crate::validate::{
    Buffer, Checker, check_argument_name, check_core_count, check_define, check_inside,
};
use crate::wording::{self, Wording};

/// `CreateKernel`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateKernel {
    /// Its id: the number of kernels created before it, failed creations included.
    pub kernel: KernelId,
    /// Its name in the suite.
    pub name: String,
    /// The program that owns it.
    pub program: ProgramId,
    /// The path of its source, relative to the suites, with `/` as separator; one of the program part's
    /// sources.
    pub source: String,
    /// The cores on which it runs.
    pub cores: Vec<CoreRange>,
    /// The processors on which it runs, and its compile configuration.
    pub config: KernelConfig,
    /// Compile-time arguments.
    pub compile_args: Vec<u32>,
    /// The values of preprocessor definitions, by name.
    #[serde(deserialize_with = "unique_names")]
    pub defines: BTreeMap<String, String>,
    /// Compile-time arguments that kernels read by name.
    #[serde(
        default,
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "unique_names"
    )]
    pub named_compile_args: BTreeMap<String, u32>,
    /// The optimization level; `None` for the default of the kernel's kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opt_level: Option<OptLevel>,
    /// The names of the source whose definitions TT-Metalium generates; `None` for a kernel without such names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bindings: Option<KernelBindings>,
}

impl Call for CreateKernel {
    fn check_shape(&self, path: &Path<'_>) -> Result<(), CaptureError> {
        let place = path.field("source");
        let length = self.source.len() as u64;
        place.at_most("bytes of a path", length, limits::PATH_BYTES as u64)?;
        check_core_count(&self.cores, &path.field("cores"))?;
        let place = path.field("compile_args");
        let count = self.compile_args.len() as u64;
        place.at_most("compile-time arguments", count, limits::COMPILE_ARGUMENTS)?;
        let place = path.field("defines");
        place.at_most("definitions", self.defines.len() as u64, limits::DEFINES)?;
        for (index, (name, value)) in self.defines.iter().enumerate() {
            let place = place.index(index);
            place.at_most("bytes of a name", name.len() as u64, limits::TEXT_BYTES as u64)?;
            let most = limits::DEFINE_BYTES as u64;
            place.at_most("bytes of a value", value.len() as u64, most)?;
        }
        let place = path.field("named_compile_args");
        let count = self.named_compile_args.len() as u64;
        place.at_most("named compile-time arguments", count, limits::NAMED_COMPILE_ARGUMENTS)?;
        for (index, name) in self.named_compile_args.keys().enumerate() {
            let most = limits::TEXT_BYTES as u64;
            place.index(index).at_most("bytes of a name", name.len() as u64, most)?;
        }
        if let Some(bindings) = &self.bindings {
            let place = path.field("bindings");
            let place = place.field("names");
            let most = limits::KERNEL_BINDINGS;
            place.at_most("names", bindings.names.len() as u64, most)?;
            for (index, binding) in bindings.names.iter().enumerate() {
                let place = place.index(index);
                let length = binding.name.len() as u64;
                place.at_most("bytes of a name", length, limits::TEXT_BYTES as u64)?;
                place.at_most("values", binding.values.len() as u64, most)?;
            }
        }
        match &self.config {
            KernelConfig::DataMovement { .. } => Ok(()),
            KernelConfig::Compute { unpack_to_dest_mode, .. } => {
                let count = unpack_to_dest_mode.len() as u64;
                let place = path.field("config");
                let place = place.field("unpack_to_dest_mode");
                place.at_most("indices", count, limits::CIRCULAR_BUFFER_INDICES)
            }
        }
    }

    fn check(
        &self,
        checker: &mut Checker<'_>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        let place = path.field("source");
        let sources = &checker.program.sources;
        let known = sources.binary_search_by(|known| known.path.as_str().cmp(&self.source));
        if done && known.is_err() {
            return Err(place.error(Rule::SourceNotListed { path: self.source.clone() }));
        }
        checker.weigh(self.source.len(), &place)?;
        checker.cores(&self.cores, done, &path.field("cores"))?;
        let place = path.field("compile_args");
        checker.weigh(self.compile_args.len().saturating_mul(4), &place)?;
        let place = path.field("defines");
        for (index, (name, value)) in self.defines.iter().enumerate() {
            let place = place.index(index);
            checker.weigh(name.len().saturating_add(value.len()), &place)?;
            if done {
                check_define(name, value, &place)?;
            }
        }
        let place = path.field("named_compile_args");
        for (index, name) in self.named_compile_args.keys().enumerate() {
            let place = place.index(index);
            checker.weigh(name.len().saturating_add(4), &place)?;
            if done {
                check_argument_name(name, &place)?;
            }
        }
        if let Some(bindings) = &self.bindings {
            let place = path.field("bindings");
            let place = place.field("names");
            for (index, binding) in bindings.names.iter().enumerate() {
                let values = binding.values.len().saturating_mul(4);
                checker.weigh(binding.name.len().saturating_add(values), &place.index(index))?;
            }
            if let Some((index, reason)) = bindings.problem().filter(|_| done) {
                return Err(place.index(index).error(Rule::KernelBinding { reason }));
            }
        }
        if done {
            self.check_config(checker, path)?;
        }
        Ok(())
    }

    fn sentence(&self, wording: &Wording<'_>) -> String {
        let file = wording::plain(self.source.rsplit('/').next().unwrap_or_default());
        let (on, extra) = match &self.config {
            KernelConfig::DataMovement { processor, noc, noc_mode } => {
                let mode = match noc_mode {
                    NocMode::Dedicated => "",
                    NocMode::Dynamic => ", dynamic NoC",
                };
                (wording::word(processor), format!(", {}{mode}", wording::word(noc)))
            }
            KernelConfig::Compute {
                math_fidelity,
                fp32_dest_acc_en,
                math_approx_mode,
                dst_full_sync_en,
                unpack_to_dest_mode,
                bfp8_pack_precise,
            } => {
                let mut text = format!(", {}", wording::word(math_fidelity));
                for (is_on, name) in [
                    (fp32_dest_acc_en, ", fp32_dest_acc_en"),
                    (math_approx_mode, ", math_approx_mode"),
                    (dst_full_sync_en, ", dst_full_sync_en"),
                    (bfp8_pack_precise, ", bfp8_pack_precise"),
                ] {
                    text.push_str(if *is_on { name } else { "" });
                }
                // TT-Metalium states a mode for each index, and most indices have the same one.
                let entries: Vec<_> = unpack_to_dest_mode.iter().collect();
                let follows = |(one, mode): &(&u32, _), (other, next): &(&u32, _)| {
                    one.checked_add(1) == Some(**other) && mode == next
                };
                for run in entries.chunk_by(follows) {
                    let (Some((first, mode)), Some((last, _))) = (run.first(), run.last()) else {
                        continue;
                    };
                    let _ = match first == last {
                        true => write!(text, ", index {first} {}", wording::word(*mode)),
                        false => {
                            write!(text, ", indices {first} to {last} {}", wording::word(*mode))
                        }
                    };
                }
                ("compute".to_owned(), text)
            }
        };
        let program = wording.names.show(ObjectKind::Program, self.program.0);
        let cores = wording::ranges(&self.cores);
        let mut text = format!("{program}, {file} on {on} at {cores}{extra}");
        // Writing to a `String` cannot fail.
        if !self.compile_args.is_empty() {
            let arguments = wording::list(self.compile_args.iter());
            let _ = write!(text, ", compile arguments {arguments}");
        }
        let mut between = ", defines ";
        for (name, value) in &self.defines {
            let _ = write!(text, "{between}{}={}", wording::plain(name), wording::plain(value));
            between = ", ";
        }
        let mut between = ", named compile arguments ";
        for (name, value) in &self.named_compile_args {
            let _ = write!(text, "{between}{}={value}", wording::plain(name));
            between = ", ";
        }
        if let Some(level) = &self.opt_level {
            let _ = write!(text, ", {}", level.option());
        }
        if let Some(bindings) = &self.bindings {
            let mut between = ", generated names ";
            for binding in &bindings.names {
                let space = bindings.namespace(binding).unwrap_or_default();
                let name = wording::plain(&binding.name);
                let values = match binding.values.as_slice() {
                    [value] => value.to_string(),
                    values => format!("({})", wording::list(values.iter())),
                };
                let _ = write!(text, "{between}{space}::{name}={values}");
                between = ", ";
            }
        }
        text
    }
}

impl CreateKernel {
    /// Checks the configuration against the chip and the build.
    fn check_config(&self, checker: &Checker<'_>, path: &Path<'_>) -> Result<(), CaptureError> {
        if self.opt_level == Some(self.config.default_opt_level()) {
            return Err(path.field("opt_level").error(Rule::DefaultOptLevel));
        }
        let KernelConfig::Compute { unpack_to_dest_mode, .. } = &self.config else { return Ok(()) };
        let limit = ChipDescription::of(checker.program.architecture).circular_buffers;
        match unpack_to_dest_mode.last_key_value() {
            Some((&index, _)) if index >= limit => {
                let place = path.field("config");
                let place = place.field("unpack_to_dest_mode");
                Err(place.error(Rule::CircularBufferIndex { index, limit }))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// `SetRuntimeArgs`, in its form for one core range set (one entry) or for a vector of cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetRuntimeArgs {
    /// The kernel whose arguments are set.
    pub kernel: KernelId,
    /// Arguments per set of cores.
    pub args: Vec<CoreArguments>,
}

impl Call for SetRuntimeArgs {
    fn check_shape(&self, path: &Path<'_>) -> Result<(), CaptureError> {
        let path = path.field("args");
        path.at_most("argument sets", self.args.len() as u64, limits::ARGUMENT_SETS)?;
        self.args.iter().enumerate().try_for_each(|(index, set)| {
            let path = path.index(index);
            check_core_count(&set.cores, &path.field("cores"))?;
            check_words(&set.values, &set.relocations, &path)
        })
    }

    fn check(
        &self,
        checker: &mut Checker<'_>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        let path = path.field("args");
        for (index, set) in self.args.iter().enumerate() {
            let path = path.index(index);
            checker.cores(&set.cores, done, &path.field("cores"))?;
            if done {
                let counts = checker.objects.arguments(self.kernel.0);
                counts.unique = counts.unique.max(set.values.len() as u64);
                counts.within_limit(&path.field("values"))?;
            }
            checker.words(&set.values, &set.relocations, done, &path)?;
        }
        Ok(())
    }

    fn sentence(&self, wording: &Wording<'_>) -> String {
        let sets = self.args.iter().map(|set| {
            let words = wording.words(&set.values, &set.relocations);
            format!("{}: {words}", wording::ranges(&set.cores))
        });
        sets.collect::<Vec<_>>().join("; ")
    }
}

/// `SetCommonRuntimeArgs`: words that all cores of a kernel share. A kernel gets them at most once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetCommonRuntimeArgs {
    /// The kernel whose arguments are set.
    pub kernel: KernelId,
    /// A word for each argument; 0 where the runtime fills it in.
    pub values: Vec<u32>,
    /// The words that are not plain numbers, ascending by index.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<ArgumentRelocation>,
}

impl Call for SetCommonRuntimeArgs {
    fn check_shape(&self, path: &Path<'_>) -> Result<(), CaptureError> {
        check_words(&self.values, &self.relocations, path)
    }

    fn check(
        &self,
        checker: &mut Checker<'_>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        checker.words(&self.values, &self.relocations, done, path)?;
        let counts = checker.objects.arguments(self.kernel.0);
        if !done || self.values.is_empty() {
            return Ok(());
        }
        let path = path.field("values");
        if counts.common > 0 {
            return Err(path.error(Rule::CommonArgumentsTwice));
        }
        counts.common = self.values.len() as u64;
        counts.within_limit(&path)
    }

    fn sentence(&self, wording: &Wording<'_>) -> String {
        wording.words(&self.values, &self.relocations)
    }
}

/// `GetCommonRuntimeArgs` and writes to the returned words: changes words from the next launch on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpdateCommonRuntimeArgs {
    /// The kernel whose arguments change.
    pub kernel: KernelId,
    /// The index of the first word that changes.
    pub first: u32,
    /// The new words from `first` on; 0 where the runtime fills one in.
    pub values: Vec<u32>,
    /// The new words that are not plain numbers, ascending by index, counted from `first`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relocations: Vec<ArgumentRelocation>,
}

impl Call for UpdateCommonRuntimeArgs {
    fn check_shape(&self, path: &Path<'_>) -> Result<(), CaptureError> {
        check_words(&self.values, &self.relocations, path)
    }

    fn check(
        &self,
        checker: &mut Checker<'_>,
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        checker.words(&self.values, &self.relocations, done, path)?;
        let common = checker.objects.arguments(self.kernel.0).common;
        let end = u64::from(self.first).saturating_add(self.values.len() as u64);
        if done && end > common {
            let rule = Rule::CommonArgumentOutOfRange { end, values: common };
            return Err(path.field("values").error(rule));
        }
        Ok(())
    }

    fn sentence(&self, wording: &Wording<'_>) -> String {
        format!("from {}: {}", self.first, wording.words(&self.values, &self.relocations))
    }
}

/// A relocation refers to the object whose address replaces the word, if there is one.
impl References for ArgumentRelocation {
    fn references(&self, path: &Path<'_>, visit: Visit<'_>) -> Result<(), CaptureError> {
        match self.argument.object() {
            Some((kind, id)) => visit(Role::Uses, kind, id, &path.field("object")),
            None => Ok(()),
        }
    }

    fn references_mut(&mut self, visit: VisitMut<'_>) {
        match &mut self.argument {
            RelocatedArgument::BufferAddress { buffer, .. }
            | RelocatedArgument::ShardBankPair { buffer, .. } => {
                visit(Role::Uses, ObjectKind::Buffer, &mut buffer.0);
            }
            RelocatedArgument::SemaphoreAddress { semaphore, .. } => {
                visit(Role::Uses, ObjectKind::Semaphore, &mut semaphore.0);
            }
            RelocatedArgument::CoreNocX { .. }
            | RelocatedArgument::CoreNocY { .. }
            | RelocatedArgument::ScratchpadAddress { .. } => {}
        }
    }
}

/// Checks a vector of argument words: its length; and that relocated words ascend, lie within it and are 0.
fn check_words(
    values: &[u32],
    relocations: &[ArgumentRelocation],
    path: &Path<'_>,
) -> Result<(), CaptureError> {
    let count = values.len() as u64;
    path.field("values").at_most("argument words", count, limits::ARGUMENT_WORDS)?;
    let path = path.field("relocations");
    path.at_most("relocations", relocations.len() as u64, limits::ARGUMENT_WORDS)?;
    let mut before = None;
    for (at, relocation) in relocations.iter().enumerate() {
        let path = path.index(at);
        if let Some(rule) = misplaced(before, relocation, values) {
            return Err(path.error(rule));
        }
        before = Some(relocation.index);
    }
    Ok(())
}

/// The problem of a relocation's position among the arguments, if it has one.
fn misplaced(before: Option<u32>, relocation: &ArgumentRelocation, values: &[u32]) -> Option<Rule> {
    let index = relocation.index;
    if before.is_some_and(|before| before >= index) {
        return Some(Rule::NotAscending);
    }
    match usize::try_from(index).ok().and_then(|at| values.get(at)) {
        None => Some(Rule::RelocationOutOfRange { index, values: values.len() as u64 }),
        Some(0) => None,
        Some(&value) => Some(Rule::RelocatedWordNotZero { index, value }),
    }
}

impl Checker<'_> {
    /// Checks argument words against the shards and the grid that they refer to.
    fn words(
        &mut self,
        values: &[u32],
        relocations: &[ArgumentRelocation],
        done: bool,
        path: &Path<'_>,
    ) -> Result<(), CaptureError> {
        self.weigh(values.len().saturating_mul(4), path)?;
        let path = path.field("relocations");
        self.weigh(relocations.len().saturating_mul(16), &path)?;
        if !done {
            return Ok(());
        }
        let mut relocations = relocations.iter().enumerate();
        relocations.try_for_each(|(at, relocation)| {
            self.relocated(relocation.argument, &path.index(at).field("object"))
        })
    }

    fn relocated(&self, argument: RelocatedArgument, path: &Path<'_>) -> Result<(), CaptureError> {
        match argument {
            RelocatedArgument::BufferAddress { .. }
            | RelocatedArgument::SemaphoreAddress { .. }
            | RelocatedArgument::ScratchpadAddress { .. } => Ok(()),
            RelocatedArgument::ShardBankPair { buffer, pair } => {
                let Buffer { shards, .. } = self.objects.buffer(buffer.0);
                if u64::from(pair) >= shards.div_ceil(2) {
                    let shard = u64::from(pair) * 2;
                    return Err(path.error(Rule::NoShard { shard, shards }));
                }
                Ok(())
            }
            RelocatedArgument::CoreNocX { x, y } | RelocatedArgument::CoreNocY { x, y } => {
                check_inside(self.program.grid, x.into(), y.into(), path)
            }
        }
    }
}

/// Deserializes a map and refuses a key that occurs twice, because neither of its values is the right one.
fn unique_names<'de, D: serde::Deserializer<'de>, V: Deserialize<'de>>(
    from: D,
) -> Result<BTreeMap<String, V>, D::Error> {
    struct Visitor<V>(std::marker::PhantomData<V>);
    impl<'de, V: Deserialize<'de>> serde::de::Visitor<'de> for Visitor<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("values by their names")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(
            self,
            mut map: A,
        ) -> Result<Self::Value, A::Error> {
            let mut values = BTreeMap::new();
            while let Some((name, value)) = map.next_entry::<String, V>()? {
                if values.contains_key(&name) {
                    let twice = format!("`{name}` is defined twice; keep one definition");
                    return Err(serde::de::Error::custom(twice));
                }
                values.insert(name, value);
            }
            Ok(values)
        }
    }
    from.deserialize_map(Visitor(std::marker::PhantomData))
}
