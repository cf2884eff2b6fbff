//! The rules that a command keeps whatever became of it: names, limits, well-formed lists.
//!
//! A recorder refuses what breaks them before the call, because no capture could hold it.

use super::text;
use crate::commands;
use crate::error::{CaptureError, Part, Path, Problem, Rule};
use crate::limits;
use crate::model::{
    ArgumentRelocation, Command, CoreArguments, CoreRange, Data, Expectation, RelocationKind,
    Tolerance, TraceBuffer,
};

type Result = std::result::Result<(), CaptureError>;

impl Command {
    /// Checks the rules that hold for this command alone, whatever comes of it.
    ///
    /// # Errors
    /// The field, from the command down, and what is wrong with it.
    pub fn check_shape(&self) -> std::result::Result<(), (String, Problem)> {
        let root = Path::root(Part::Program);
        shape(self, &root).map_err(|error| match error.place {
            crate::Place::Field { path, .. } => (path, error.problem),
            place => (place.to_string(), error.problem),
        })
    }
}

pub(super) fn shape(command: &Command, path: &Path<'_>) -> Result {
    match command {
        Command::CreateBuffer(commands::CreateBuffer { name, shard_spec, .. }) => {
            text::object_name(name, &path.field("name"))?;
            let path = path.field("shard_spec");
            shard_spec.as_ref().map_or(Ok(()), |spec| cores(&spec.cores, &path.field("cores")))
        }
        Command::CreateBufferView(commands::CreateBufferView { name, .. })
        | Command::CreateProgram(commands::CreateProgram { name, .. })
        | Command::EnqueueRecordEvent(commands::EnqueueRecordEvent { name, .. })
        | Command::BeginTraceCapture(commands::BeginTraceCapture { name, .. }) => {
            text::object_name(name, &path.field("name"))
        }
        Command::CollectTrace(commands::CollectTrace { collected, .. }) => {
            text::name(collected, &path.field("collected"))
        }
        Command::LoadTrace(commands::LoadTrace { name, from, buffers, .. }) => {
            text::object_name(name, &path.field("name"))?;
            text::name(from, &path.field("from"))?;
            let path = path.field("buffers");
            path.at_most("buffers", buffers.len() as u64, limits::TRACE_BUFFERS)?;
            let mut before = None;
            for (index, TraceBuffer { recorded, .. }) in buffers.iter().enumerate() {
                if before.is_some_and(|before| before >= *recorded) {
                    return Err(path.index(index).error(Rule::NotAscending));
                }
                before = Some(*recorded);
            }
            Ok(())
        }
        Command::CreateKernel(commands::CreateKernel {
            name,
            source,
            cores,
            compile_args,
            defines,
            ..
        }) => {
            text::object_name(name, &path.field("name"))?;
            let place = path.field("source");
            place.at_most("bytes of a path", source.len() as u64, limits::PATH_BYTES as u64)?;
            self::cores(cores, &path.field("cores"))?;
            let place = path.field("compile_args");
            let count = compile_args.len() as u64;
            place.at_most("compile-time arguments", count, limits::COMPILE_ARGUMENTS)?;
            let place = path.field("defines");
            place.at_most("definitions", defines.len() as u64, limits::DEFINES)?;
            for (index, (name, value)) in defines.iter().enumerate() {
                let place = place.index(index);
                place.at_most("bytes of a name", name.len() as u64, limits::TEXT_BYTES as u64)?;
                let most = limits::DEFINE_BYTES as u64;
                place.at_most("bytes of a value", value.len() as u64, most)?;
            }
            Ok(())
        }
        Command::SetRuntimeArgs(commands::SetRuntimeArgs { args, .. }) => {
            let path = path.field("args");
            path.at_most("argument sets", args.len() as u64, limits::ARGUMENT_SETS)?;
            args.iter().enumerate().try_for_each(|(index, set)| arguments(set, &path.index(index)))
        }
        Command::CreateCircularBuffer(commands::CreateCircularBuffer {
            name,
            cores,
            indices,
            ..
        }) => {
            text::object_name(name, &path.field("name"))?;
            self::cores(cores, &path.field("cores"))?;
            let count = indices.len() as u64;
            path.field("indices").at_most("indices", count, limits::CIRCULAR_BUFFER_INDICES)
        }
        Command::CreateSemaphore(commands::CreateSemaphore { name, cores, .. }) => {
            text::object_name(name, &path.field("name"))?;
            self::cores(cores, &path.field("cores"))
        }
        Command::EnqueueWriteBuffer(commands::EnqueueWriteBuffer { data, .. }) => {
            self::data(data, &path.field("data"))
        }
        Command::EnqueueReadBuffer(commands::EnqueueReadBuffer { output, expectation, .. }) => {
            text::name(output, &path.field("output"))?;
            let path = path.field("expectation");
            match expectation {
                Expectation::AsCaptured | Expectation::Exact { .. } => Ok(()),
                Expectation::Reference { data, tolerance } => {
                    self::data(data, &path.field("data"))?;
                    self::tolerance(tolerance, &path.field("tolerance"))
                }
                Expectation::Unchecked { reason } => text::reason(reason, &path.field("reason")),
            }
        }
        Command::SetCommonRuntimeArgs(commands::SetCommonRuntimeArgs {
            values,
            relocations,
            ..
        })
        | Command::UpdateCommonRuntimeArgs(commands::UpdateCommonRuntimeArgs {
            values,
            relocations,
            ..
        }) => words(values, relocations, path),
        Command::DeallocateBuffer(_)
        | Command::EnqueueProgram(_)
        | Command::Finish(_)
        | Command::UpdateCircularBufferTotalSize(_)
        | Command::UpdateCircularBufferPageSize(_)
        | Command::UpdateDynamicCircularBufferAddress(_)
        | Command::UpdateDynamicCircularBufferAddressAndTotalSize(_)
        | Command::EnqueueWaitForEvent(_)
        | Command::EventSynchronize(_)
        | Command::EventQuery(_)
        | Command::EndTraceCapture(_)
        | Command::ReplayTrace(_)
        | Command::ReleaseTrace(_) => Ok(()),
    }
}

fn tolerance(tolerance: &Tolerance, path: &Path<'_>) -> Result {
    let (absolute, relative) = (tolerance.absolute.get(), tolerance.relative.get());
    if absolute < 0.0 || relative < 0.0 {
        return Err(path.error(Rule::Tolerance { reason: "a limit is negative" }));
    }
    if tolerance.ulp == 0 && absolute == 0.0 && relative == 0.0 {
        let reason = "it allows nothing; expect the exact bytes instead";
        return Err(path.error(Rule::Tolerance { reason }));
    }
    text::reason(&tolerance.reason, &path.field("reason"))
}

/// Cores of a list, counted once per range that holds them; none in a range that runs backwards.
pub(super) fn core_count(cores: &[CoreRange]) -> u64 {
    let side = |from: u32, to: u32| {
        u64::from(to).checked_sub(from.into()).map_or(0, |difference| difference + 1)
    };
    cores.iter().fold(0, |sum: u64, range| {
        let columns = side(range.start.x, range.end.x);
        sum.saturating_add(columns.saturating_mul(side(range.start.y, range.end.y)))
    })
}

fn cores(cores: &[CoreRange], path: &Path<'_>) -> Result {
    path.at_most("core ranges", cores.len() as u64, limits::RANGES)?;
    path.at_most("cores", core_count(cores), limits::CORES)
}

fn arguments(set: &CoreArguments, path: &Path<'_>) -> Result {
    cores(&set.cores, &path.field("cores"))?;
    words(&set.values, &set.relocations, path)
}

fn words(values: &[u32], relocations: &[ArgumentRelocation], path: &Path<'_>) -> Result {
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
        let is_coordinate =
            matches!(relocation.kind, RelocationKind::CoreNocX | RelocationKind::CoreNocY);
        if is_coordinate && relocation.offset != 0 {
            let rule = Rule::CoordinateOffset { offset: relocation.offset };
            return Err(path.field("offset").error(rule));
        }
    }
    Ok(())
}

/// What is wrong with a relocation's place among the arguments.
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

fn data(data: &Data, path: &Path<'_>) -> Result {
    path.field("length").at_most("bytes of data", data.length, limits::DATA_BYTES)?;
    match &data.generator {
        Some(generator) => generator
            .check(data.length)
            .map_err(|reason| path.field("generator").error(Rule::Generator { reason })),
        None => Ok(()),
    }
}
