//! Suites and cases.

use std::borrow::Cow;
use std::collections::BTreeSet;

use hallmark_chip::{Architecture, FaultCategory};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::excuse::Excuses;
use super::expectation::{Expect, ExpectedValue};
use super::step::{ExpectError, ExpectFault, StepKind, StepOrHole, Steps};
use super::tensor::BinaryEntry;
use crate::mistake::{Mistakes, Span, quoted_list};
use crate::node::{Entry, Node, Value};
use crate::read::{
    At, ByText, Choice, DefineValue, Name, Named, Number, OneOf, Read, Setting, choice_help,
    choices, entries, is_name, map_type,
};

map_type! {
    /// A suite: what it tests, the kernels that it uses, and its cases.
    Suite, "a suite" {
        /// What is tested, in a sentence.
        about: String,
        /// Files whose fragments the cases use: `fragments/<name>.yaml`.
        import: Option<Vec<At<String>>>,
        /// Kernels by name.
        kernels: Option<Named<KernelSource>>,
        /// Binaries by name: programs that cases submit with tensors.
        binaries: Option<Named<BinaryEntry>>,
        /// Checks whose findings are excused in every case.
        excuse: Option<Excuses>,
        /// Cases by name.
        cases: Named<Case>,
    }
}

map_type! {
    /// A kernel's source.
    KernelSource, "a kernel" {
        /// The path of the source, relative to the folder `suites`.
        source: At<String>,
        /// Preprocessor definitions for every use of the kernel.
        defines: Option<ByText<DefineValue>>,
    }
}

impl KernelSource {
    /// Whether its path stays in the folder `suites`.
    pub fn is_inside(&self) -> bool {
        let path = &self.source.value;
        !path.starts_with('/') && path.split('/').all(|part| part != "..")
    }
}

choices! {
    Architecture, "architecture":
        "grayskull" => Self::Grayskull, "wormhole_b0" => Self::WormholeB0,
        "blackhole" => Self::Blackhole;
}

/// What a device can do beyond running programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Capability {
    /// Reports the use of memory that nothing has written.
    DetectsUninitialised,
    /// Reports two accesses without an order between them.
    DetectsRaces,
    /// A breach of a rule of the host API or the kernel API is a fault.
    DetectsMisuse,
    /// Reports that every running core waits for another.
    DetectsDeadlock,
    /// Reports a broken rule with its category.
    DetectsFaults,
    /// Says where a fault happened.
    ReportsPlaces,
    /// A kernel's assertion that does not hold is a fault.
    Asserts,
    /// Reorders what the NoC may reorder.
    ReordersNoc,
    /// Has the data cache of the chip, as incoherent as that is.
    DataCache,
    /// NoC requests name each core as on a whole chip.
    FixedCoordinates,
    /// Has the Tensix coprocessor.
    Tensix,
}

choices! {
    Capability, "capability":
        "detects_uninitialised" => Self::DetectsUninitialised,
        "detects_races" => Self::DetectsRaces,
        "detects_misuse" => Self::DetectsMisuse,
        "detects_deadlock" => Self::DetectsDeadlock,
        "detects_faults" => Self::DetectsFaults,
        "reports_places" => Self::ReportsPlaces,
        "asserts" => Self::Asserts,
        "reorders_noc" => Self::ReordersNoc,
        "data_cache" => Self::DataCache,
        "fixed_coordinates" => Self::FixedCoordinates,
        "tensix" => Self::Tensix;
}

/// A kind of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// Hallmark's simulator.
    Sim,
    /// A `libttsim.so`.
    Ttsim,
    /// Silicon behind PCIe.
    Pci,
}

choices! {
    DeviceKind, "kind of device": "sim" => Self::Sim, "ttsim" => Self::Ttsim, "pci" => Self::Pci;
}

map_type! {
    /// Where a case applies. Elsewhere its tests are skipped, and `hallmark list --skipped` gives the reason.
    Conditions, "`when`" {
        /// The architectures on which the case applies.
        architectures: Option<Vec<OneOf<Architecture>>>,
        /// The kinds of device on which the case applies.
        devices: Option<Vec<OneOf<DeviceKind>>>,
        /// What the device must be able to do.
        needs: Option<Vec<OneOf<Capability>>>,
        /// Why the case does not apply elsewhere; shown with each skipped test.
        reason: String,
    }
}

impl Conditions {
    /// Whether the case makes sense on an architecture.
    pub fn admits(&self, architecture: Architecture) -> bool {
        let named = self.architectures.as_ref();
        named.is_none_or(|named| named.iter().any(|OneOf(one)| *one == architecture))
    }
}

/// What comes of a test that fails: a verdict, or a fault of one category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestFailure {
    /// A call or an output is not what the suite expects.
    Mismatch,
    /// The host API refuses a call that the suite expects to succeed.
    Refused,
    /// A kernel does not compile.
    NotBuilt,
    /// The replay differs from the capturing run.
    Unstable,
    /// The golden is another one.
    Changed,
    /// A fault of any category.
    Fault,
    /// Every running core waits for another.
    Deadlock,
    /// The run does not end in its time.
    Hang,
    /// The device or its process dies.
    Crash,
    /// The device does not implement what the test needs.
    Unsupported,
    /// A fault of this category.
    OfCategory(FaultCategory),
}

choices! {
    TestFailure, "verdict or fault category":
        "Mismatch" => Self::Mismatch,
        "Refused" => Self::Refused,
        "NotBuilt" => Self::NotBuilt,
        "Unstable" => Self::Unstable,
        "Changed" => Self::Changed,
        "Fault" => Self::Fault,
        "Deadlock" => Self::Deadlock,
        "Hang" => Self::Hang,
        "Crash" => Self::Crash,
        "Unsupported" => Self::Unsupported,
        "UndefinedBehavior" => Self::OfCategory(FaultCategory::UndefinedBehavior),
        "NonContractualBehavior" => Self::OfCategory(FaultCategory::NonContractualBehavior),
        "UnpredictableValueUsed" => Self::OfCategory(FaultCategory::UnpredictableValueUsed),
        "UnsupportedFunctionality" => Self::OfCategory(FaultCategory::UnsupportedFunctionality),
        "UnimplementedFunctionality" => Self::OfCategory(FaultCategory::UnimplementedFunctionality),
        "UntestedFunctionality" => Self::OfCategory(FaultCategory::UntestedFunctionality),
        "MissingSpecification" => Self::OfCategory(FaultCategory::MissingSpecification),
        "SystemError" => Self::OfCategory(FaultCategory::SystemError),
        "ConfigurationError" => Self::OfCategory(FaultCategory::ConfigurationError),
        "AssertionFailure" => Self::OfCategory(FaultCategory::AssertionFailure),
        "DataRace" => Self::OfCategory(FaultCategory::DataRace),
        "MemoryNotGranted" => Self::OfCategory(FaultCategory::MemoryNotGranted),
        "CircularBufferMisuse" => Self::OfCategory(FaultCategory::CircularBufferMisuse),
        "RequestsUnderWay" => Self::OfCategory(FaultCategory::RequestsUnderWay),
        "UnorderedSynchronization" => Self::OfCategory(FaultCategory::UnorderedSynchronization),
        "ArgumentOutOfRange" => Self::OfCategory(FaultCategory::ArgumentOutOfRange),
        "LinkedMulticast" => Self::OfCategory(FaultCategory::LinkedMulticast),
        "TransactionOverflow" => Self::OfCategory(FaultCategory::TransactionOverflow),
        "StaleCacheRead" => Self::OfCategory(FaultCategory::StaleCacheRead),
        "KernelAssertion" => Self::OfCategory(FaultCategory::KernelAssertion);
}

map_type! {
    /// A known failure that is excused. A test that passes nevertheless is reported as an unexpected pass.
    ExpectedFailure, "an expected failure" {
        /// The kind of device on which the test fails.
        device: OneOf<DeviceKind>,
        /// The fault's category, or the name of the verdict.
        category: OneOf<TestFailure>,
        /// Why the failure is excused, for reports.
        reason: String,
    }
}

map_type! {
    /// A golden that holds the hash of the program bytes instead of the bytes.
    GoldenForm, "`golden`" {
        /// Why the program part is large.
        digest: String,
    }
}

map_type! {
    /// The settings with which the device is opened.
    DeviceEntry, "`device`" {
        /// Command queues: 1 or 2. Default 1.
        num_command_queues: Option<Number>,
        /// Bytes at the top of every DRAM bank that are set aside for traces. Default 0: no trace fits.
        /// A trace takes 16 bytes, 64 for each launch, and 64 for each tile of a launch. Each tile adds 16
        /// for each processor, semaphore and index of a circular buffer, and the arguments, unique and
        /// common ones each rounded up to 16. The sum is rounded up to whole pages. A page is one
        /// `dram_banks`th of the sum, at least 1024 and at most 4096 bytes, rounded up to `dram_alignment`.
        trace_region_size: Option<Number>,
        /// Bytes at the top of each core's L1 that are set aside for buffers of the type `l1_small`. Default 0.
        l1_small_size: Option<Number>,
        /// Bytes of each core's L1 for buffers and circular buffers. Default 0: all that the firmware leaves.
        worker_l1_size: Option<Number>,
        /// Sizes of the dispatchers' rings and the first numbers of their counts, to test where rings and
        /// counts wrap.
        dispatch: Option<DispatchEntry>,
    }
}

map_type! {
    /// Sizes of rings, first numbers of counts and overlap, for dispatch on the device. No capture holds them.
    /// They apply to a test's capture and to its replay. Sizes and numbers have no effect where the host
    /// dispatches, and no program depends on them.
    DispatchEntry, "`dispatch`" {
        /// Bytes of each dispatcher's ring of commands: a power of two from 4096 to 524288.
        ring_size: Option<Number>,
        /// Bytes of the host memory through which reads return: a power of two from 4096 to 268435456.
        completion_size: Option<Number>,
        /// The first position in ring and completion space, counted modulo 2^32: a multiple of 64.
        first_position: Option<Number>,
        /// The first number by which launches, finished tiles and events are counted, modulo 2^32: an even
        /// number.
        first_count: Option<Number>,
        /// Whether programs of two queues run at the same time on every device, and a call waits for no more than
        /// what it asks for. Dispatchers launch the programs then, whatever `--dispatch` says. Default: `false`;
        /// a simulator that checks memory and races runs one program after the other.
        overlap: Option<Setting<bool>>,
    }
}

map_type! {
    /// The failure in which the queues must end. After the last step, everything runs that was enqueued and that no step
    /// has waited for.
    ExpectAtEnd, "`expect_at_end`" {
        /// The error, spelled as that of a step: a deadlock, a hang, or a race of two queues.
        expect_error: Option<ExpectError>,
        /// The fault, spelled as that of a step.
        expect_fault: Option<ExpectFault>,
    }
}

map_type! {
    /// A case: steps and what must come of them.
    Case, "a case" {
        /// What the case shows, in a sentence.
        about: String,
        /// Parameters: each a list of values. Every combination is a test.
        matrix: Option<Matrix>,
        /// Numbers computed from parameters and earlier variables.
        variables: Option<Named<Variable>>,
        /// The conditions under which the case applies. Default: everywhere.
        when: Option<Conditions>,
        /// The settings with which the device is opened.
        device: Option<DeviceEntry>,
        /// The calls, in order.
        steps: Steps,
        /// Values by name, which expectations and later values use instead of repeating them.
        values: Option<Named<ExpectedValue>>,
        /// What must come back: one entry for each output.
        expect: Option<Vec<Expect>>,
        /// The failure in which the queues must end once every step has been made. Default: none.
        expect_at_end: Option<At<ExpectAtEnd>>,
        /// Known failures that are excused, each on one kind of device.
        expected_failure: Option<Vec<ExpectedFailure>>,
        /// Checks whose findings are excused in this case, beside those of the suite.
        excuse: Option<Excuses>,
        /// Seconds of wall-clock time for each of the two runs. Default 60.
        timeout: Option<At<u64>>,
        /// Ticks that one enqueued program may take before it counts as hanging. A simulator lets each
        /// running core execute about one instruction in a tick. Default 200000000.
        budget: Option<At<u64>>,
        /// The form of the golden, for program parts over 64 KiB.
        golden: Option<GoldenForm>,
    }
}

impl Case {
    /// The kernels of the suite that its own steps use, by name.
    pub fn used_kernels(&self) -> BTreeSet<&str> {
        self.steps.used_kernels()
    }

    /// The binaries of the suite that its steps use, by name.
    pub fn used_binaries(&self) -> BTreeSet<&str> {
        let steps = self.steps.all().into_iter();
        let used = steps.filter_map(|step| match step {
            StepOrHole::Tensor(step) => step.call.binary(),
            StepOrHole::Step(_)
            | StepOrHole::Repeat(..)
            | StepOrHole::Use(..)
            | StepOrHole::Hole(_) => None,
        });
        used.map(|name| name.text.as_str()).collect()
    }

    /// The fragments that its steps use, by name.
    pub fn used_fragments(&self) -> BTreeSet<&str> {
        let steps = self.steps.all().into_iter();
        let used = steps.filter_map(|step| match step {
            StepOrHole::Use(_, call) => Some(call.fragment.text.as_str()),
            StepOrHole::Step(_)
            | StepOrHole::Repeat(..)
            | StepOrHole::Tensor(_)
            | StepOrHole::Hole(_) => None,
        });
        used.collect()
    }
}

impl Steps {
    /// The kernels of the suite that these steps use, by name.
    pub fn used_kernels(&self) -> BTreeSet<&str> {
        let mut used = BTreeSet::new();
        for step in self.all() {
            match step {
                StepOrHole::Step(step) => {
                    if let StepKind::CreateKernel(call) = &step.kind {
                        used.insert(call.kernel.text.as_str());
                    }
                }
                // A fragment may be given a kernel.
                StepOrHole::Use(_, call) => {
                    let given = call.with.iter().flat_map(|with| &with.0);
                    used.extend(given.filter_map(|(_, given)| given.text()));
                }
                StepOrHole::Repeat(..) | StepOrHole::Tensor(_) | StepOrHole::Hole(_) => {}
            }
        }
        used
    }
}

/// A number or an expression; or one for each architecture, where a suite states facts of its own.
#[derive(Clone, Debug)]
pub enum Variable {
    /// One value for all architectures.
    Everywhere(Number),
    /// A value for each architecture that is named.
    ByArchitecture(Vec<(Architecture, Number)>),
}

impl Variable {
    /// What it is on an architecture.
    pub fn on(&self, architecture: Architecture) -> Option<&Number> {
        match self {
            Self::Everywhere(number) => Some(number),
            Self::ByArchitecture(numbers) => {
                numbers.iter().find(|(known, _)| *known == architecture).map(|(_, number)| number)
            }
        }
    }
}

impl Read for Variable {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let Value::Map(numbers) = &node.value else {
            return Number::read(node, mistakes).map(Self::Everywhere);
        };
        let read = |entry: &Entry, mistakes: &mut Mistakes| {
            let architecture = Architecture::from_name(&entry.key);
            if architecture.is_none() {
                mistakes.add::<()>(
                    format!("unknown architecture `{}`", entry.key),
                    entry.key_span,
                    choice_help::<Architecture>(&entry.key),
                );
            }
            let number = Number::read(&entry.value, mistakes);
            Some((architecture?, number?))
        };
        // All of them are read before any failure is returned.
        let numbers: Vec<_> = numbers.iter().map(|entry| read(entry, mistakes)).collect();
        numbers.into_iter().collect::<Option<_>>().map(Self::ByArchitecture)
    }
}

impl JsonSchema for Variable {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Variable".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let number = generator.subschema_for::<Number>();
        let properties: serde_json::Map<String, serde_json::Value> = Architecture::CHOICES
            .iter()
            .map(|(name, _)| ((*name).to_owned(), number.clone().to_value()))
            .collect();
        json_schema!({
            "title": "a number or an expression, or a map from architectures to those",
            "anyOf": [
                number,
                {
                    "type": "object", "properties": properties,
                    "additionalProperties": false, "minProperties": 1,
                },
            ],
        })
    }
}

impl Read for u64 {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match node.value {
            Value::Integer(number) => match Self::try_from(number) {
                Ok(number) => Some(number),
                Err(_) => mistakes.add("this number is out of range", node.span, ""),
            },
            _ => mistakes.add(format!("expected a number, found {}", node.kind()), node.span, ""),
        }
    }
}

/// A parameter's value: a number or a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParameterValue {
    /// A number, usable in expressions.
    Number(i128),
    /// A name, which replaces `=parameter`.
    Name(String),
}

impl std::fmt::Display for ParameterValue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(formatter, "{number}"),
            Self::Name(name) => formatter.write_str(name),
        }
    }
}

impl Read for ParameterValue {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        match &node.value {
            Value::Integer(number) => Some(Self::Number(*number)),
            Value::Bool(flag) => Some(Self::Name(flag.to_string())),
            Value::Text(text) if is_name(text) => Some(Self::Name(text.clone())),
            _ => mistakes.add(
                format!("a parameter's value must be a number or a name, not {}", node.kind()),
                node.span,
                "a name has letters, digits, and any of _ . + -",
            ),
        }
    }
}

impl JsonSchema for ParameterValue {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "ParameterValue".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // YAML reads the names `true` and `false` as truth values.
        json_schema!({ "type": ["integer", "string", "boolean"], "title": "a number or a name" })
    }
}

/// A parameter and its values.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name by which expressions know it.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Its values, in the order of the file.
    pub values: Vec<At<LabelledValue>>,
}

/// A value of a parameter: a number or a name, which is also its label, or values with a label.
#[derive(Clone, Debug)]
pub struct LabelledValue {
    /// What stands in the names of tests.
    pub label: String,
    /// Values by the names that they have in expressions and after `=`.
    pub values: Vec<(String, ParameterValue)>,
}

impl LabelledValue {
    /// Reads a value of the parameter with this name.
    fn read(parameter: &str, node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        if !matches!(node.value, Value::Map(_)) {
            let value = ParameterValue::read(node, mistakes)?;
            return Some(Self {
                label: value.to_string(),
                values: vec![(parameter.to_owned(), value)],
            });
        }
        let before = mistakes.len();
        let (mut label, mut values) = (None, Vec::new());
        for entry in entries(node, "a value", mistakes)? {
            if entry.key == "label" {
                label = Name::read(&entry.value, mistakes).map(|name| name.text);
            } else if is_identifier(&entry.key, entry.key_span, mistakes)
                && let Some(value) = ParameterValue::read(&entry.value, mistakes)
            {
                values.push((entry.key.clone(), value));
            }
        }
        if mistakes.len() > before {
            return None;
        }
        let Some(label) = label else {
            return mistakes.add("these values have no label", node.span, "add `label: …`");
        };
        if values.is_empty() {
            return mistakes.add(
                "this label has no value",
                node.span,
                format!("add `{parameter}: …`"),
            );
        }
        if !values.iter().any(|(name, _)| name == parameter) {
            values.push((parameter.to_owned(), ParameterValue::Name(label.clone())));
        }
        Some(Self { label, values })
    }
}

/// Whether a text can be the name of a number in expressions, or a mistake.
fn is_identifier(text: &str, span: Span, mistakes: &mut Mistakes) -> bool {
    let identifier = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && text.chars().next().is_some_and(|c| !c.is_ascii_digit());
    if !identifier {
        mistakes.add::<()>(
            format!("`{text}` is not a valid name of a parameter"),
            span,
            "use letters, digits and _, and begin with no digit",
        );
    }
    identifier
}

/// The values of a parameter, each of which sets the same names.
fn labelled_values(
    parameter: &str,
    node: &Node,
    mistakes: &mut Mistakes,
) -> Option<Vec<At<LabelledValue>>> {
    let Value::List(nodes) = &node.value else {
        return mistakes.add(
            format!("expected a list, found {}", node.kind()),
            node.span,
            "write `[…]`, or begin a line with `-` for each entry",
        );
    };
    let mut values: Vec<At<LabelledValue>> = Vec::new();
    let mut complete = true;
    for node in nodes {
        let Some(value) = LabelledValue::read(parameter, node, mistakes) else {
            complete = false;
            continue;
        };
        if values.iter().any(|earlier| earlier.value.label == value.label) {
            mistakes.add::<()>(
                format!("duplicate value `{}` in `{parameter}`", value.label),
                node.span,
                "remove one of the two, or give it another label",
            );
        }
        let names = |value: &LabelledValue| {
            value.values.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>()
        };
        if let Some(first) = values.first()
            && names(&first.value) != names(&value)
        {
            let wanted: Vec<String> = names(&first.value).into_iter().collect();
            mistakes.add::<()>(
                format!("`{}` does not set what `{}` sets", value.label, first.value.label),
                node.span,
                format!("each value of `{parameter}` sets {}", quoted_list(&wanted)),
            );
        }
        values.push(At { value, span: node.span });
    }
    complete.then_some(values)
}

/// Combinations that are left out: those that have all these values.
#[derive(Clone, Debug)]
pub struct Exclusion {
    /// Where it stands.
    pub span: Span,
    /// The value of each parameter in the combination that is left out.
    pub values: Vec<(Name, At<ParameterValue>)>,
}

/// The parameters of a case, in declared order, and the combinations left out.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// The parameters, each with its values; a test is bound for each combination.
    pub parameters: Vec<Parameter>,
    /// Combinations left out.
    pub exclude: Vec<Exclusion>,
}

impl JsonSchema for Exclusion {
    fn schema_name() -> Cow<'static, str> {
        "Exclusion".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Combinations that are left out: a value, or the label of a value, for each parameter named here.",
            "type": "object",
            "minProperties": 1,
            "additionalProperties": generator.subschema_for::<ParameterValue>(),
        })
    }
}

impl Read for Exclusion {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let mut values = Vec::new();
        for entry in entries(node, "an entry of `exclude`", mistakes)? {
            let value = At::<ParameterValue>::read(&entry.value, mistakes)?;
            values.push((Name { text: entry.key.clone(), span: entry.key_span }, value));
        }
        if values.is_empty() {
            return mistakes.add(
                "this entry excludes every combination",
                node.span,
                "name a value of a parameter",
            );
        }
        Some(Self { span: node.span, values })
    }
}

impl Read for Matrix {
    fn read(node: &Node, mistakes: &mut Mistakes) -> Option<Self> {
        let mut matrix = Self::default();
        let before = mistakes.len();
        for entry in entries(node, "`matrix`", mistakes)? {
            if entry.key == "exclude" {
                matrix.exclude = Vec::read(&entry.value, mistakes).unwrap_or_default();
                continue;
            }
            if !is_identifier(&entry.key, entry.key_span, mistakes) {
                continue;
            }
            let Some(values) = labelled_values(&entry.key, &entry.value, mistakes) else {
                continue;
            };
            let set = |parameter: &Parameter, name: &str| {
                let first = parameter.values.first();
                first.is_some_and(|first| first.value.values.iter().any(|(it, _)| it == name))
            };
            for (name, _) in values.first().iter().flat_map(|value| &value.value.values) {
                if let Some(other) = matrix.parameters.iter().find(|it| set(it, name)) {
                    mistakes.add::<()>(
                        format!("`{name}` is also set by `{}`", other.name),
                        entry.key_span,
                        "rename one of them",
                    );
                }
            }
            if values.is_empty() {
                mistakes.add::<()>(
                    format!("`{}` has no value", entry.key),
                    entry.value.span,
                    "a parameter without values makes no test",
                );
            }
            matrix.parameters.push(Parameter {
                name: entry.key.clone(),
                span: entry.key_span,
                values,
            });
        }
        if matrix.parameters.is_empty() && mistakes.len() == before {
            return mistakes.add("this matrix is empty", node.span, "remove `matrix`");
        }
        (mistakes.len() == before).then_some(matrix)
    }
}

impl JsonSchema for Matrix {
    fn schema_name() -> Cow<'static, str> {
        "Matrix".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<ParameterValue>();
        let exclude = generator.subschema_for::<Vec<Exclusion>>();
        json_schema!({
            "description": "Parameters, each a list of values; every combination is a test, except those that `exclude` names by value or label. A value is a number or a name, or several of them with a label that becomes a part of the names of tests: `{ label: four_pages, size: 4096, page_size: 1024 }` sets `size` and `page_size`. Each value of a parameter sets the same names.",
            "type": "object",
            "properties": { "exclude": exclude },
            "additionalProperties": { "type": "array", "minItems": 1, "items": { "anyOf": [value, {
                "type": "object", "required": ["label"], "minProperties": 2,
                "properties": { "label": { "type": "string", "pattern": "^[A-Za-z0-9_.+-]+$" } },
                "additionalProperties": generator.subschema_for::<ParameterValue>(),
            }] } },
        })
    }
}
