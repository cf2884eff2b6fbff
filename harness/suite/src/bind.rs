//! From a case and one point of its matrix to calls with every number, name and object resolved.
//!
//! The same code checks a suite before anything runs: then data is only measured, not made.

mod arguments;
mod binder;
mod buffers;
mod case_settings;
mod case_values;
mod circular_buffers;
mod compute;
mod data;
mod evaluator;
mod failure;
mod fragment_inputs;
mod frames;
mod global_semaphores;
mod kernels;
mod known_data;
mod matrix;
mod outputs;
mod plain;
mod reads;
mod scope;
mod source_files;
mod steps;
mod tensors;
mod tiles;
mod tolerance;
mod traces;
mod values;

use std::path::Path;
use std::time::Duration;

use hallmark_chip::ChipDescription;
use hallmark_schema::model::DeviceRequirements;

use self::binder::Binder;
pub use self::case_settings::{DEFAULT_TIMEOUT_SECONDS, TIMEOUT_LIMIT_SECONDS};
use self::case_settings::{Opened, budget, define_variables, expected_failures, timeout};
use self::data::DataMaker;
use self::evaluator::{Evaluator, NamedValues};
pub use self::tiles::TileQuestions;
use self::tiles::state_tiles;
pub use self::tolerance::{ReadTolerance, tolerance_of_option};
use super::bound::{BoundCase, BoundTest, KernelOrigin};
use super::fragments::Fragments;
use super::language::{BinaryEntry, Case, KernelSource, LabelledValue, ParameterValue};
use super::mistake::{Mistakes, SourceText, Span};
use super::name::TestName;
use super::read::Named;

/// Steps of a test with every `repeat` written out; a mistake in `times` must not fill the memory.
const STEPS: usize = 120_000;

/// A value for every parameter of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// Parameters and the labels of their values, in declared order: a test's name holds them.
    pub labels: Vec<(String, String)>,
    /// The parameters that the values set.
    pub values: Vec<(String, ParameterValue)>,
}

impl Point {
    /// With a value for one more parameter.
    pub fn push(&mut self, parameter: &str, value: &LabelledValue) {
        self.labels.push((parameter.to_owned(), value.label.clone()));
        self.values.extend(value.values.iter().cloned());
    }
}

/// The depth to which a test is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Names, numbers, lengths.
    Check,
    /// Everything, data that the host writes included.
    Full,
}

/// The facts of a suite that a case needs.
#[derive(Clone, Copy, Debug)]
pub struct CaseContext<'a> {
    /// The chip of the built-in numbers.
    pub chip: &'static ChipDescription,
    /// The folder `suites`.
    pub suites: &'a Path,
    /// The suite's text, for line numbers.
    pub source: &'a SourceText,
    /// The fragments that the suite imports.
    pub fragments: &'a Fragments,
    /// Which kernels ask for tiles.
    pub tile_questions: &'a TileQuestions,
    /// Kernels by name.
    pub kernels: Option<&'a Named<KernelSource>>,
    /// Binaries by name.
    pub binaries: Option<&'a Named<BinaryEntry>>,
    /// The case whose steps are bound.
    pub case: &'a Case,
    /// The place of the case's name.
    pub span: Span,
    /// The number that the seeds of generators are combined with by exclusive or; 0 leaves the seeds unchanged.
    pub seed_shift: u64,
}

/// Binds a case at a point, or notes its mistakes.
pub fn bind(
    context: CaseContext<'_>,
    test: &TestName,
    point: &Point,
    depth: Depth,
    mistakes: &mut Mistakes,
) -> Option<BoundTest> {
    let before = mistakes.len();
    let (chip, case) = (context.chip, context.case);
    let names = NamedValues::new(chip, point.values.clone());
    let mut evaluator = Evaluator::new(chip, names, mistakes);
    define_variables(&mut evaluator, case, test.architecture);
    let maker = DataMaker::new(context.suites, context.seed_shift, depth);
    let mut binder = Binder::new(context, evaluator, maker);
    let device = binder.device();
    let mut steps = Vec::new();
    let whole = binder.sequence(&case.steps, &mut steps);
    state_tiles(context.suites, context.tile_questions, &mut steps);
    // Without all steps, the outputs are not known.
    let outputs = if whole { binder.outputs(&mut steps) } else { None };
    let at_end = if whole { binder.at_end() } else { None };
    let timeout = timeout(binder.evaluator().mistakes(), case);
    let budget = budget(binder.evaluator().mistakes(), case);
    let (blobs, binaries) = binder.finish();
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
            at_end: at_end?,
        },
        about: case.about.clone(),
        blobs,
        outputs: outputs?,
        expected_failures: expected_failures(case),
        timeout: Duration::from_secs(timeout),
        asked: DeviceRequirements { budget, dispatch },
        digest_golden: case.golden.is_some(),
        kernels: KernelOrigin::Suites,
        binaries,
    })
}
