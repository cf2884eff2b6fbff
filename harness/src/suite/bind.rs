//! From a case and one point of its matrix to calls with every number, name and object resolved.
//!
//! The same code checks a suite before anything runs: then data is only measured, not made.

mod arguments;
mod blocks;
mod buffers;
mod compute;
mod data;
mod failure;
mod frames;
mod outputs;
mod plain;
mod scope;
mod steps;
mod tensors;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use hallmark_chip::{Architecture, ChipDescription};
use hallmark_runtime::{DispatchSettings, usable_dispatch_settings};
use hallmark_schema::limits::{COMMAND_QUEUES, TRACE_REGION_BYTES};
use hallmark_schema::model::{ContentHash, DeviceRequirements, Real};

use self::data::KnownData;
use self::scope::Scope;
use self::tensors::{CaseTensors, ReadTensor};
use super::bound::{
    BoundCase, BoundExpectedFailure, BoundStep, BoundTest, ExpectedOutput, KernelOrigin,
};
use super::built_in::BUILT_IN;
use super::expression::{EvaluationError, EvaluationReason, Names};
use super::fragments::Fragments;
use super::language::{
    BinaryEntry, Case, Cores, CoresForm, DispatchEntry, KernelSource, LabelledValue, ParameterValue,
};
use super::mistake::{Mistake, Mistakes, SourceText, Span, suggest};
use super::name::TestName;
use super::read::{At, Choice, Name, Named, Number, Setting};
use hallmark_schema::model::CoreRange;

/// Seconds that each of the two runs of a test may take unless its case says otherwise.
pub const DEFAULT_TIMEOUT_SECONDS: u64 = 60;
/// A longer timeout is refused: a test that needs it belongs into a nightly suite of smaller ones.
const TIMEOUT_LIMIT_SECONDS: u64 = 3600;

/// Ticks that a case may give a program: fewer stop good programs, more outlast every timeout.
const BUDGETS: RangeInclusive<u64> = 1_000..=1_000_000_000_000;

/// Steps of a test with every `repeat` written out; a mistake in `times` must not fill the memory.
const STEPS: usize = 120_000;

/// A value for every parameter of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// Parameters and the labels of their values, in declared order: what stands in a test's name.
    pub labels: Vec<(String, String)>,
    /// What the values set.
    pub values: Vec<(String, ParameterValue)>,
}

impl Point {
    /// With a value for one more parameter.
    pub fn push(&mut self, parameter: &str, value: &LabelledValue) {
        self.labels.push((parameter.to_owned(), value.label.clone()));
        self.values.extend(value.values.iter().cloned());
    }
}

/// How much of a test is worked out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Names, numbers, lengths.
    Check,
    /// Everything, data that the host writes included.
    Full,
}

/// What a case needs to know of its suite.
#[derive(Clone, Copy, Debug)]
pub struct CaseContext<'a> {
    /// The chip that built-in names tell of.
    pub chip: &'static ChipDescription,
    /// The folder `suites`.
    pub suites: &'a Path,
    /// The suite's text, for line numbers.
    pub source: &'a SourceText,
    /// What the suite imports.
    pub fragments: &'a Fragments,
    /// Kernels by name.
    pub kernels: Option<&'a Named<KernelSource>>,
    /// Binaries by name.
    pub binaries: Option<&'a Named<BinaryEntry>>,
    /// The case whose steps are bound.
    pub case: &'a Case,
    /// Where the case's name stands.
    pub span: Span,
    /// What the seeds of generators are combined with by exclusive or; 0 leaves them as they are.
    pub seed_shift: u64,
}

/// Binds a case at a point, or notes what is wrong.
pub fn bind(
    context: CaseContext<'_>,
    test: &TestName,
    point: &Point,
    depth: Depth,
    mistakes: &mut Mistakes,
) -> Option<BoundTest> {
    let before = mistakes.len();
    let chip = context.chip;
    let (columns, rows) = chip.compute_grid();
    let mut binder = Binder {
        context,
        chip,
        grid: (columns, rows),
        values: point.values.clone(),
        kernels: context.kernels,
        numbers: built_in_numbers(chip),
        scope: Scope::default(),
        depth,
        mistakes,
        blobs: BTreeMap::new(),
        known: KnownData::default(),
        reads: Vec::new(),
        outputs_read: BTreeSet::new(),
        ended: None,
        line_ends: BTreeMap::new(),
        tensors: None,
        refusals: 0,
        tensor_steps: 0,
        in_binary: false,
    };
    binder.define_numbers(test.architecture);
    let device = binder.device();
    let mut steps = Vec::new();
    let whole = binder.sequence(&context.case.steps, &mut steps);
    // Without all steps, nobody can say what comes back.
    let outputs = if whole { binder.outputs(&mut steps) } else { None };
    let expected_failures = binder.expected_failures();
    let timeout = binder.timeout();
    let budget = binder.budget();
    let blobs = std::mem::take(&mut binder.blobs);
    let binaries = binder.bound_binaries();
    if mistakes.len() != before {
        return None;
    }
    let Opened { num_command_queues, trace_region_size, l1_small_size, worker_l1_size, dispatch } =
        device?;
    Some(BoundTest {
        case: BoundCase {
            test: test.to_string(),
            architecture: test.architecture.name().to_owned(),
            num_command_queues,
            trace_region_size,
            l1_small_size,
            worker_l1_size,
            steps,
        },
        about: context.case.about.clone(),
        blobs,
        outputs: outputs?,
        expected_failures,
        timeout: Duration::from_secs(timeout),
        asked: DeviceRequirements { budget, dispatch },
        digest_golden: context.case.golden.is_some(),
        kernels: KernelOrigin::Suites,
        binaries,
    })
}

/// What a test's device is opened with.
#[derive(Clone, Copy, Debug)]
struct Opened {
    num_command_queues: u8,
    trace_region_size: u64,
    l1_small_size: u64,
    worker_l1_size: u64,
    dispatch: DispatchSettings,
}

impl Default for Opened {
    fn default() -> Self {
        let dispatch = DispatchSettings::default();
        Self {
            num_command_queues: 1,
            trace_region_size: 0,
            l1_small_size: 0,
            worker_l1_size: 0,
            dispatch,
        }
    }
}

/// A read of the case so far.
#[derive(Clone, Debug)]
struct ReadSoFar {
    output: String,
    span: Span,
    command: u32,
    /// Bytes, unless a mistake keeps them from being known.
    length: Option<u64>,
    /// Whether the call returns with the bytes.
    blocking: bool,
    /// What the bytes are, of a tensor.
    tensor: Option<Rc<ReadTensor>>,
}

/// Numbers that every suite knows.
fn built_in_numbers(chip: &ChipDescription) -> Names {
    BUILT_IN.iter().map(|built_in| (built_in.name.to_owned(), built_in.value(chip))).collect()
}

struct Binder<'a> {
    context: CaseContext<'a>,
    chip: &'static ChipDescription,
    grid: (u32, u32),
    /// What parameters, or what a fragment was given, hold.
    values: Vec<(String, ParameterValue)>,
    /// Those of the file whose steps are bound.
    kernels: Option<&'a Named<KernelSource>>,
    numbers: Names,
    scope: Scope,
    depth: Depth,
    mistakes: &'a mut Mistakes,
    blobs: BTreeMap<ContentHash, Arc<[u8]>>,
    known: KnownData,
    reads: Vec<ReadSoFar>,
    /// The names of the outputs that reads have given so far.
    outputs_read: BTreeSet<String>,
    /// Where a fault ends the run.
    ended: Option<Span>,
    /// Where lines end, by file, of the files that hold steps.
    line_ends: BTreeMap<u16, Vec<usize>>,
    /// The tensors of the steps so far, from the first step of tensors on.
    tensors: Option<Box<CaseTensors>>,
    /// How many steps of tensors were refused as expected.
    refusals: u32,
    /// How many steps of tensors there were: some make no call.
    tensor_steps: usize,
    /// Whether the steps of a binary are bound.
    in_binary: bool,
}

/// The value of an expression, or a mistake; `names` are those that it may use.
fn noted<T>(
    result: Result<T, EvaluationError>,
    names: &Names,
    mistakes: &mut Mistakes,
) -> Option<T> {
    let error = match result {
        Ok(value) => return Some(value),
        Err(error) => error,
    };
    let unknown = match &error.reason {
        EvaluationReason::UnknownName(name) => Some(name.clone()),
        EvaluationReason::Fraction(_) | EvaluationReason::Operation { .. } => None,
    };
    let mistake = error.into_mistake(names);
    match unknown {
        Some(name) => mistakes.add_unknown_name(&name, mistake),
        None => {
            mistakes.push(mistake);
            None
        }
    }
}

impl Binder<'_> {
    fn define_numbers(&mut self, architecture: Architecture) {
        for (name, value) in &self.values {
            if let ParameterValue::Number(number) = value {
                self.numbers.insert(name.clone(), *number);
            }
        }
        if let Some(variables) = &self.context.case.variables {
            for (name, variable) in &variables.0 {
                let taken = self.values.iter().any(|(known, _)| *known == name.value)
                    || self.numbers.contains_key(&name.value);
                if taken {
                    self.mistakes.add::<()>(
                        format!("`{}` is already a parameter or a built-in number", name.value),
                        name.span,
                        "choose another name",
                    );
                    continue;
                }
                let Some(number) = variable.on(architecture) else {
                    self.mistakes.add::<()>(
                        format!("`{}` has no value for {architecture}", name.value),
                        name.span,
                        "add one, or exclude the architecture with `when`",
                    );
                    self.mistakes.note_wrong_name(&name.value, name.span);
                    continue;
                };
                match self.number(number) {
                    Some(value) => {
                        self.numbers.insert(name.value.clone(), value);
                    }
                    None => {
                        self.mistakes.note_wrong_name(&name.value, name.span);
                    }
                }
            }
        }
    }

    /// What the device is opened with.
    fn device(&mut self) -> Option<Opened> {
        let case = self.context.case;
        let Some(device) = &case.device else { return Some(Opened::default()) };
        let queues = device.num_command_queues.as_ref();
        let queues = match queues.map(|queues| (queues, self.number(queues))) {
            None => Some(1),
            Some((_, None)) => None,
            Some((queues, Some(value))) => match u8::try_from(value) {
                Ok(value) if (1..=COMMAND_QUEUES).contains(&value) => Some(value),
                _ => {
                    let what = format!("a device cannot have {value} command queues");
                    self.mistakes.add(what, queues.0.span(), "give 1 or 2")
                }
            },
        };
        let most = self.chip.dram_bank_size.min(TRACE_REGION_BYTES) / 2;
        let region = match &device.trace_region_size {
            None => Some(0),
            Some(size) => match self.u64(size, "the trace region") {
                Some(value) if value > most => self.mistakes.add(
                    format!("a trace region of {value} B is too large"),
                    size.0.span(),
                    format!("at most half a bank, {most} B"),
                ),
                other => other,
            },
        };
        let l1_small_size = self.part_of_l1(device.l1_small_size.as_ref(), "the L1_SMALL region");
        let worker_l1_size = self.part_of_l1(device.worker_l1_size.as_ref(), "the worker L1");
        let dispatch = match &device.dispatch {
            None => Some(DispatchSettings::default()),
            Some(entry) => self.dispatch(entry),
        };
        Some(Opened {
            num_command_queues: queues?,
            trace_region_size: region?,
            l1_small_size: l1_small_size?,
            worker_l1_size: worker_l1_size?,
            dispatch: dispatch?,
        })
    }

    /// Bytes of each core's L1; 0 where nothing is said.
    fn part_of_l1(&mut self, size: Option<&Number>, what: &str) -> Option<u64> {
        let Some(size) = size else { return Some(0) };
        let most = self.chip.l1_size;
        match self.u64(size, what) {
            Some(value) if value > most => self.mistakes.add(
                format!("{what} of {value} B is too large"),
                size.0.span(),
                format!("a core has {most} B of L1"),
            ),
            other => other,
        }
    }

    /// Sizes and counts that a dispatcher can use as they are.
    fn dispatch(&mut self, entry: &DispatchEntry) -> Option<DispatchSettings> {
        let default = DispatchSettings::default();
        let mut asked = default;
        let numbers = [
            (&entry.ring_size, &mut asked.ring_size),
            (&entry.completion_size, &mut asked.completion_size),
            (&entry.first_position, &mut asked.first_position),
            (&entry.first_count, &mut asked.first_count),
        ];
        let mut first = None;
        for (number, place) in numbers {
            let Some(number) = number else { continue };
            first.get_or_insert(number.0.span());
            *place = self.u32(number, "the number")?;
        }
        asked.overlap = self.setting_or(entry.overlap.as_ref(), default.overlap)?;
        let usable = usable_dispatch_settings(asked);
        if usable == asked {
            return Some(asked);
        }
        let span = first?;
        self.mistakes.add(
            "no dispatcher can use these numbers",
            span,
            format!("the nearest are a ring of {} B and a completion space of {} B, counted from {:#x} and {:#x}",
                usable.ring_size, usable.completion_size, usable.first_position, usable.first_count),
        )
    }

    fn number(&mut self, number: &Number) -> Option<i128> {
        noted(number.0.evaluate(&self.numbers), &self.numbers, self.mistakes)
    }

    /// A number that may have a fraction.
    fn real(&mut self, number: &Number) -> Option<Real> {
        let value = noted(number.0.evaluate_real(&self.numbers), &self.numbers, self.mistakes)?;
        match Real::new(value) {
            Some(value) => Some(value),
            None => self.mistakes.add("this number is not finite", number.0.span(), ""),
        }
    }

    /// A number of some unsigned type, with the range in the message.
    fn ranged<T: TryFrom<i128>>(&mut self, number: &Number, what: &str, range: &str) -> Option<T> {
        let value = self.number(number)?;
        match T::try_from(value) {
            Ok(value) => Some(value),
            Err(_) => self.mistakes.add(
                format!("{what} is {value}, which is out of range"),
                number.0.span(),
                range,
            ),
        }
    }

    fn u64(&mut self, number: &Number, what: &str) -> Option<u64> {
        self.ranged(number, what, "0 to 2^64 - 1")
    }

    fn u32(&mut self, number: &Number, what: &str) -> Option<u32> {
        self.ranged(number, what, "0 to 2^32 - 1")
    }

    /// An argument word: negative numbers stand for their two's complement.
    fn word(&mut self, number: &Number) -> Option<u32> {
        let value = self.number(number)?;
        let word =
            u32::try_from(value).ok().or_else(|| i32::try_from(value).ok().map(i32::cast_unsigned));
        match word {
            Some(word) => Some(word),
            None => self.mistakes.add(
                format!("{value} does not fit into a 32-bit word"),
                number.0.span(),
                "-2^31 to 2^32 - 1",
            ),
        }
    }

    fn setting<T: Choice>(&mut self, setting: &Setting<T>) -> Option<T> {
        match setting {
            Setting::Fixed(value) => Some(*value),
            Setting::Parameter(name) => {
                let text = self.parameter(name)?;
                match T::from_name(&text) {
                    Some(value) => Some(value),
                    None => self.mistakes.add(
                        format!("unknown {} `{text}`, a value of `{}`", T::WHAT, name.text),
                        name.span,
                        super::read::choice_help::<T>(&text),
                    ),
                }
            }
        }
    }

    fn setting_or<T: Choice>(&mut self, setting: Option<&Setting<T>>, default: T) -> Option<T> {
        setting.map_or(Some(default), |setting| self.setting(setting))
    }

    fn parameter(&mut self, name: &Name) -> Option<String> {
        if let Some((_, value)) = self.values.iter().find(|(known, _)| *known == name.text) {
            return Some(value.to_string());
        }
        let help = suggest(&name.text, self.values.iter().map(|(name, _)| name.as_str()));
        let message = format!("unknown parameter `{}`", name.text);
        let mistake = Mistake::new(message, name.span, help);
        self.mistakes.add_unknown_name(&format!("={}", name.text), mistake)
    }

    /// A text that may be `=parameter`.
    fn text(&mut self, text: &str, span: Span) -> Option<String> {
        match text.strip_prefix('=') {
            Some(name) => self.parameter(&Name { text: name.to_owned(), span }),
            None => Some(text.to_owned()),
        }
    }

    fn cores(&mut self, cores: &Cores) -> Option<Vec<CoreRange>> {
        match &cores.form {
            CoresForm::All => Some(vec![CoreRange {
                start: hallmark_chip::LogicalCore { x: 0, y: 0 },
                end: hallmark_chip::LogicalCore {
                    x: self.grid.0.saturating_sub(1),
                    y: self.grid.1.saturating_sub(1),
                },
            }]),
            CoresForm::Ranges(ranges) => ranges
                .iter()
                .map(|range| {
                    let (start, end) = (self.core(&range.start), self.core(&range.end));
                    Some(CoreRange { start: start?, end: end? })
                })
                .collect(),
        }
    }

    fn core(&mut self, [x, y]: &[Number; 2]) -> Option<hallmark_chip::LogicalCore> {
        let (x, y) = (self.u32(x, "x"), self.u32(y, "y"));
        Some(hallmark_chip::LogicalCore { x: x?, y: y? })
    }

    fn source_of(&self, span: Span) -> &SourceText {
        self.context.fragments.file(span.file).unwrap_or(self.context.source)
    }

    /// The file of a place that lies in another file than the suite.
    fn imported(&self, span: Span) -> Option<String> {
        self.context.fragments.file(span.file).map(|file| file.path.clone())
    }

    /// `line 5`, or `line 5 of suites/fragments/x.yaml`.
    fn place(&self, span: Span) -> String {
        match self.imported(span) {
            Some(_) => self.place_with_file(span),
            None => format!("line {}", self.line(span)),
        }
    }

    fn place_with_file(&self, span: Span) -> String {
        format!("line {} of {}", self.line(span), self.source_of(span).path)
    }

    /// The same for every step of a case: a file is gone through once.
    fn line_of_step(&mut self, span: Span) -> u32 {
        let text = Arc::clone(&self.source_of(span).text);
        let ends = self.line_ends.entry(span.file).or_insert_with(|| {
            let ends = text.match_indices('\n');
            ends.map(|(at, _)| at).collect()
        });
        let line = ends.partition_point(|&end| end < span.start).saturating_add(1);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    fn line(&self, span: Span) -> u32 {
        let before = self.source_of(span).text.get(..span.start).unwrap_or_default();
        let line = before.bytes().filter(|&byte| byte == b'\n').count().saturating_add(1);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    fn expected_failures(&mut self) -> Vec<BoundExpectedFailure> {
        self.context
            .case
            .expected_failure
            .iter()
            .flatten()
            .map(|failure| BoundExpectedFailure {
                device: failure.device.0,
                failure: failure.category.0,
                reason: failure.reason.clone(),
            })
            .collect()
    }

    fn timeout(&mut self) -> u64 {
        let given = self.context.case.timeout.as_ref();
        self.plain(given, "timeout", 1..=TIMEOUT_LIMIT_SECONDS, "seconds")
            .unwrap_or(DEFAULT_TIMEOUT_SECONDS)
    }

    fn budget(&mut self) -> Option<u64> {
        self.plain(self.context.case.budget.as_ref(), "budget", BUDGETS, "ticks")
    }

    /// A plain number of a case, within limits.
    fn plain(
        &mut self,
        given: Option<&At<u64>>,
        what: &str,
        limits: RangeInclusive<u64>,
        unit: &str,
    ) -> Option<u64> {
        let At { value, span } = given?;
        if limits.contains(value) {
            return Some(*value);
        }
        self.mistakes.add(
            format!("this {what} is out of range"),
            *span,
            format!("{} to {} {unit}", limits.start(), limits.end()),
        )
    }
}
