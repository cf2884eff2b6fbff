//! The parts of a case that is bound, and the order of its steps: rounds of a `repeat`, fragments, binaries.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_schema::model::ContentHash;
use hallmark_stitching::Binary;

use super::case_settings::{Opened, device};
use super::case_values::CaseValues;
use super::data::DataMaker;
use super::evaluator::{Evaluator, NamedValues};
use super::failure::{ends_the_device, expected_error, expected_fault};
use super::fragment_inputs::given_to;
use super::frames::Frame;
use super::kernels::KernelSources;
use super::known_data::KnownData;
use super::outputs::{check_completion, output, set_expectation};
use super::reads::Reads;
use super::scope::Scope;
use super::source_files::SourceFiles;
use super::steps::{StepCalls, calls};
use super::tensors::{
    CaseTensors, StepEnd, adopt, free_tensors, note_enqueue, step_end, tensor_call,
};
use super::tiles::state_tiles;
use super::{CaseContext, STEPS};
use crate::bound::{AtEnd, BoundEnd, BoundStep, ExpectedOutput};
use crate::language::{
    BinaryEntry, ExpectTensorError, Repeat, Step, StepOrHole, Steps, TensorCall, TensorStep, Use,
};
use crate::mistake::{Mistake, Span, suggest};
use crate::read::{Name, is_name};

/// Binds the steps of a case in their order; each step is bound by a function over the parts that it needs.
#[derive(Debug)]
pub(super) struct Binder<'a> {
    context: CaseContext<'a>,
    evaluator: Evaluator<'a>,
    sources: SourceFiles<'a>,
    kernels: KernelSources<'a>,
    maker: DataMaker<'a>,
    so_far: StepsSoFar,
    /// The step that ends the device, until a later step is refused for that.
    ended: Option<Span>,
    tensor_steps: TensorStepCounts,
    /// Whether the steps of a binary are bound.
    in_binary: bool,
}

/// Everything that the steps so far have made; a binary's steps begin with nothing.
#[derive(Debug, Default)]
struct StepsSoFar {
    scope: Scope,
    known_data: KnownData,
    reads: Reads,
    /// The tensors, from the first step of tensors on.
    tensors: Option<Box<CaseTensors>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct TensorStepCounts {
    /// All steps of tensors: some make no call.
    all: usize,
    /// Steps that were refused as expected.
    refused: usize,
}

impl<'a> Binder<'a> {
    pub(super) fn new(
        context: CaseContext<'a>,
        evaluator: Evaluator<'a>,
        maker: DataMaker<'a>,
    ) -> Self {
        Self {
            context,
            evaluator,
            sources: SourceFiles::new(context.source, context.fragments),
            kernels: KernelSources::new(context.suites, context.kernels),
            maker,
            so_far: StepsSoFar::default(),
            ended: None,
            tensor_steps: TensorStepCounts::default(),
            in_binary: false,
        }
    }

    /// The settings of the case's device.
    pub(super) fn device(&mut self) -> Option<Opened> {
        device(&mut self.evaluator, self.context.case)
    }

    pub(super) const fn evaluator(&mut self) -> &mut Evaluator<'a> {
        &mut self.evaluator
    }

    /// The data that commands refer to, and the binaries that steps use.
    pub(super) fn finish(self) -> (BTreeMap<ContentHash, Arc<[u8]>>, Vec<Binary>) {
        let tensors = self.so_far.tensors.as_ref();
        let binaries = tensors.map(|tensors| tensors.bound_binaries()).unwrap_or_default();
        (self.maker.into_blobs(), binaries)
    }

    /// Binds steps in their order; false if something is missing.
    pub(super) fn sequence(&mut self, steps: &'a Steps, bound: &mut Vec<BoundStep>) -> bool {
        let mut whole = true;
        for step in &steps.0 {
            match step {
                StepOrHole::Step(step) => {
                    if bound.len() >= STEPS {
                        self.refuse_steps(step.span);
                        return false;
                    }
                    let calls = self.step(step);
                    if let Some(tensors) = &mut self.so_far.tensors {
                        for call in &calls {
                            tensors.observe(&call.command, call.failure.is_some());
                        }
                    }
                    bound.extend(calls);
                }
                StepOrHole::Tensor(step) => {
                    let made = self.tensor_step(step, bound.len());
                    whole &= made.is_some();
                    bound.extend(made.into_iter().flatten());
                }
                StepOrHole::Repeat(span, repeat) => whole &= self.repeat(*span, repeat, bound),
                StepOrHole::Use(span, call) => whole &= self.use_fragment(*span, call, bound),
                StepOrHole::Hole(name) => {
                    whole = false;
                    match name {
                        Some(name) if is_name(&name.text) => self.so_far.scope.define_unknown(name),
                        Some(_) | None => self.so_far.scope.note_unknown_objects(),
                    }
                }
            }
        }
        whole
    }

    fn refuse_steps(&mut self, span: Span) {
        self.evaluator.mistakes().add::<()>(
            "this makes too many steps",
            span,
            format!("a test has at most {STEPS}"),
        );
    }

    /// Notes a mistake where an earlier step ends the device.
    fn check_device_lives(&mut self, span: Span) {
        if let Some(end) = self.ended.take() {
            self.evaluator.mistakes().add::<()>(
                "no step can follow the one that ends the device",
                span,
                format!("the step in {} ends it", self.sources.place(end)),
            );
        }
    }

    /// The calls of a step; none where a mistake keeps them from being known.
    fn step(&mut self, step: &Step) -> Vec<BoundStep> {
        self.check_device_lives(step.span);
        let StepsSoFar { scope, known_data, reads, .. } = &mut self.so_far;
        let evaluator = &mut self.evaluator;
        // An id is given out by the call, so `expect_error` may name the object that it fails to make.
        let calls =
            calls(evaluator, scope, &self.kernels, &mut self.maker, known_data, reads, step);
        let mut place = None;
        let failure = match (&step.expect_error, &step.expect_fault) {
            (Some(error), _) => Some(expected_error(evaluator, scope, error)),
            (None, Some(fault)) => {
                let expected = expected_fault(evaluator, scope, fault, step.span);
                Some(expected.map(|(failure, at)| {
                    place = Some(at);
                    failure
                }))
            }
            (None, None) => None,
        };
        if let Some(Some(failure)) = &failure
            && ends_the_device(failure.code())
        {
            self.ended = Some(step.span);
        }
        let count = calls.as_ref().map_or(1, |calls| calls.commands.len());
        for _ in 0..count {
            scope.count_command();
        }
        let (Some(StepCalls { commands, failing }), None | Some(Some(_))) = (calls, &failure)
        else {
            return Vec::new();
        };
        let mut failure = failure.flatten();
        let file = self.sources.imported(step.span);
        let line = self.sources.line_of_step(step.span);
        let mut bound = Vec::new();
        for (index, command) in commands.into_iter().enumerate() {
            let fails = index == failing;
            let (failure, place) =
                if fails { (failure.take(), place.take()) } else { (None, None) };
            bound.push(BoundStep { line, file: file.clone(), command, failure, place });
        }
        bound
    }

    /// How the queues must end after the last step; `None` where a mistake keeps it from being known.
    pub(super) fn at_end(&mut self) -> Option<AtEnd> {
        let Some(expected) = &self.context.case.expect_at_end else { return Some(AtEnd::Good) };
        let span = expected.span;
        if let Some(end) = self.ended {
            let place = self.sources.place(end);
            return self.evaluator.mistakes().add(
                "no queue runs after the step that ends the device",
                span,
                format!("the step in {place} ends it; remove `expect_at_end`"),
            );
        }
        let (evaluator, scope) = (&mut self.evaluator, &self.so_far.scope);
        match (&expected.value.expect_error, &expected.value.expect_fault) {
            (Some(error), None) if error.code.ends_the_run() => {
                let failure = expected_error(evaluator, scope, error)?;
                Some(AtEnd::Fails(BoundEnd { failure, place: None }))
            }
            (Some(error), None) => evaluator.mistakes().add(
                format!("the queues cannot end with {}", error.code.name()),
                error.span,
                "a call returns this error: expect it with `expect_error` beside the call",
            ),
            (None, Some(fault)) => {
                let (failure, place) = expected_fault(evaluator, scope, fault, span)?;
                Some(AtEnd::Fails(BoundEnd { failure, place: Some(place) }))
            }
            (Some(_), Some(_)) | (None, None) => evaluator.mistakes().add(
                "`expect_at_end` needs one failure",
                span,
                "give either `expect_error` or `expect_fault`",
            ),
        }
    }

    /// The calls of a step of tensors, behind `before` calls; nothing where a mistake keeps them from being known.
    fn tensor_step(&mut self, step: &'a TensorStep, before: usize) -> Option<Vec<BoundStep>> {
        self.check_device_lives(step.span);
        if self.in_binary {
            return self.evaluator.mistakes().add(
                "a binary has no steps of tensors",
                step.span,
                "its inputs and outputs are buffers to its steps",
            );
        }
        let chip = self.evaluator.chip();
        let StepsSoFar { scope, tensors, .. } = &mut self.so_far;
        tensors.get_or_insert_with(|| Box::new(CaseTensors::new(chip, scope)));
        if let Some(name) = binary_of(&step.call) {
            self.need_binary(name);
        }
        let StepsSoFar { scope, known_data, reads, tensors } = &mut self.so_far;
        let tensors = tensors.as_mut()?;
        let evaluator = &mut self.evaluator;
        let made =
            tensor_call(evaluator, scope, &self.maker, known_data, reads, tensors, &step.call);
        let (commands, blobs) = tensors.take_calls();
        for (hash, bytes) in blobs {
            self.maker.add_blob(hash, (&*bytes).into());
        }
        let was_complete = !tensors.is_incomplete();
        let is_expected = matches!(step.expect_error, Some(ExpectTensorError::Refusal(..)));
        if made.is_err() && !is_expected {
            tensors.note_unknown();
        }
        self.tensor_steps.all = self.tensor_steps.all.saturating_add(1);
        if before.saturating_add(commands.len()).max(self.tensor_steps.all) > STEPS {
            self.refuse_steps(step.span);
            return None;
        }
        let end = step_end(evaluator.mistakes(), step, made, commands.len(), was_complete);
        let failure = match end {
            StepEnd::Calls(failure) => failure,
            StepEnd::RefusedAsExpected => {
                self.tensor_steps.refused = self.tensor_steps.refused.saturating_add(1);
                return Some(Vec::new());
            }
            StepEnd::Stopped => {
                scope.note_unknown_objects();
                return None;
            }
            StepEnd::Mistaken => return None,
        };
        let file = self.sources.imported(step.span);
        let line = self.sources.line_of_step(step.span);
        let mut bound = Vec::new();
        for command in commands {
            adopt(evaluator.mistakes(), scope, &command, step.span, failure.is_some());
            note_enqueue(scope, &command);
            scope.count_command();
            let failure = None;
            bound.push(BoundStep { line, file: file.clone(), command, failure, place: None });
        }
        if let (Some(error), Some(step)) = (failure, bound.last_mut()) {
            step.failure = Some(expected_error(evaluator, scope, error)?);
        }
        Some(bound)
    }

    /// Binds the steps of every round; false if something is missing.
    fn repeat(&mut self, span: Span, repeat: &'a Repeat, steps: &mut Vec<BoundStep>) -> bool {
        let times = self.rounds(span, repeat, steps.len());
        let Some(times) = times else {
            self.so_far.scope.note_unknown_objects();
            return false;
        };
        let before = self.evaluator.mistakes().len();
        let mut whole = true;
        for round in 0..times {
            self.evaluator.set_round(Some(i128::from(round)));
            self.so_far.scope.enter(Frame::Round(round));
            whole &= self.sequence(&repeat.steps, steps);
            self.so_far.scope.leave();
            // The same mistakes would come in every round.
            if self.evaluator.mistakes().len() > before {
                self.so_far.scope.note_unknown_objects();
                break;
            }
        }
        self.evaluator.set_round(None);
        whole && self.evaluator.mistakes().len() == before
    }

    /// The number of rounds of a `repeat`, behind `before` calls.
    fn rounds(&mut self, span: Span, repeat: &Repeat, before: usize) -> Option<u64> {
        let times = self.evaluator.u64(&repeat.times, "the number of rounds")?;
        let total = usize::try_from(times)
            .ok()
            .and_then(|times| times.checked_mul(repeat.steps.0.len()))
            .and_then(|more| more.checked_add(before));
        if total.is_none_or(|total| total > STEPS) {
            return self.evaluator.mistakes().add(
                format!("{times} rounds make too many steps"),
                repeat.times.0.span(),
                format!("a test has at most {STEPS}"),
            );
        }
        self.evaluator.check_round_is_free(span)?;
        Some(times)
    }

    /// Binds the steps of a fragment; false if something is missing.
    fn use_fragment(&mut self, span: Span, call: &'a Use, steps: &mut Vec<BoundStep>) -> bool {
        if self.so_far.scope.frames().in_fragment() {
            // A mistake of the file, noted where it was read.
            self.so_far.scope.note_unknown_objects();
            return false;
        }
        let fragments = self.context.fragments;
        let Some((file, fragment)) = fragments.find(&call.fragment.text) else {
            self.so_far.scope.note_unknown_objects();
            if fragments.is_incomplete() {
                return false;
            }
            let help = match fragments.is_empty() {
                true => "this suite imports no fragments: `import: [fragments/….yaml]`".to_owned(),
                false => suggest(&call.fragment.text, fragments.names()),
            };
            let name = &call.fragment.text;
            let mistake =
                Mistake::new(format!("unknown fragment `{name}`"), call.fragment.span, help);
            let what = format!("fragment {name}");
            self.evaluator.mistakes().add_unknown_name::<()>(&what, mistake);
            return false;
        };
        let given = given_to(&mut self.evaluator, &self.so_far.scope, fragment, call, span);
        let Some((values, names)) = given else {
            self.so_far.scope.note_unknown_objects();
            return false;
        };
        let before = self.evaluator.mistakes().len();
        let prefix = call.r#as.as_ref().map(|name| name.text.clone());
        let values = NamedValues::new(self.evaluator.chip(), values);
        let outer_names = self.evaluator.exchange_names(values);
        let outer_kernels = self.kernels.exchange(file.content.kernels.as_ref());
        self.so_far.scope.enter(Frame::Fragment { prefix, given: names });
        let whole = self.sequence(&fragment.steps, steps);
        self.so_far.scope.leave();
        self.kernels.exchange(outer_kernels);
        self.evaluator.exchange_names(outer_names);
        // A fragment that is right for one user may be wrong for another.
        let user = format!(" (used in {})", self.sources.place_with_file(span));
        self.evaluator.mistakes().add_to_those_in(file.number, before, &user);
        whole && self.evaluator.mistakes().len() == before
    }

    /// Binds a binary at its first use, in a scope of its own.
    fn need_binary(&mut self, name: &Name) {
        let tensors = self.so_far.tensors.as_ref();
        if tensors.is_none_or(|tensors| tensors.has_binary(&name.text)) {
            return;
        }
        let binaries = self.context.binaries;
        let Some(entry) = binaries.and_then(|binaries| binaries.get(&name.text)) else {
            let help = binaries.map_or_else(
                || "this suite has no `binaries`".to_owned(),
                |binaries| suggest(&name.text, binaries.names()),
            );
            let message = format!("unknown binary `{}`", name.text);
            let mistake = Mistake::new(message, name.span, help);
            let what = format!("binary {}", name.text);
            self.evaluator.mistakes().add_unknown_name::<()>(&what, mistake);
            return;
        };
        if self.so_far.scope.frames().in_fragment() {
            // A fragment does not know the parameters of the case, which the binary's steps may need.
            self.evaluator.mistakes().add::<()>(
                format!("a fragment cannot be the first to use binary `{}`", name.text),
                name.span,
                "allocate one of its tensors in the case, in front of `use`",
            );
            return;
        }
        // The binary's steps name nothing that the case's steps have made.
        let outer = std::mem::take(&mut self.so_far);
        let outer_kernels = self.kernels.exchange_for_suite();
        let round = self.evaluator.set_round(None);
        self.in_binary = true;
        let binary = self.binary(name, entry);
        self.in_binary = false;
        self.evaluator.set_round(round);
        self.kernels.exchange(outer_kernels);
        self.so_far = outer;
        if let Some(tensors) = &mut self.so_far.tensors {
            tensors.add_binary(&name.text, binary);
        }
    }

    /// Binds the steps of a binary.
    fn binary(&mut self, name: &Name, entry: &'a BinaryEntry) -> Option<Binary> {
        let mut steps = Vec::new();
        let (evaluator, scope) = (&mut self.evaluator, &mut self.so_far.scope);
        let sources = &mut self.sources;
        let inputs = free_tensors(evaluator, scope, sources, &entry.inputs, &mut steps);
        let outputs = free_tensors(evaluator, scope, sources, &entry.outputs, &mut steps);
        let whole = self.sequence(&entry.steps, &mut steps);
        let (inputs, outputs) = (inputs?, outputs?);
        whole.then_some(())?;
        state_tiles(self.context.suites, self.context.tile_questions, &mut steps);
        let mut commands = Vec::new();
        for step in steps {
            if step.failure.is_some() {
                return self.evaluator.mistakes().add(
                    format!("line {}: no call of a binary may fail", step.line),
                    name.span,
                    "expect the failure in a case",
                );
            }
            commands.push(step.command);
        }
        let blobs = self.maker.blobs().iter().map(|(hash, bytes)| (*hash, bytes.into())).collect();
        match Binary::new(&name.text, commands, blobs, inputs, outputs) {
            Ok(binary) => Some(binary),
            Err(problem) => self.evaluator.mistakes().add(
                format!("`{}` is no binary: {problem}", name.text),
                name.span,
                "",
            ),
        }
    }

    /// Gives each read of a test its expectation; `steps` are all steps of the case.
    pub(super) fn outputs(&mut self, steps: &mut [BoundStep]) -> Option<Vec<ExpectedOutput>> {
        let StepsSoFar { scope, known_data, reads, tensors } = &mut self.so_far;
        let evaluator = &mut self.evaluator;
        let mut outputs: Vec<ExpectedOutput> = Vec::new();
        let by_output = reads.by_output();
        let mut named: BTreeSet<&str> = BTreeSet::new();
        let case_values = self.context.case.values.as_ref();
        let mut case_values =
            CaseValues::new(case_values, evaluator, scope, known_data, &by_output);
        for expect in self.context.case.expect.iter().flatten() {
            let name = expect.output();
            if !named.insert(&name.text) {
                evaluator.mistakes().add::<()>(
                    format!("duplicate expectation of `{}`", name.text),
                    name.span,
                    "give one for each output",
                );
                continue;
            }
            let tensors = tensors.as_deref();
            let (maker, known) = (&mut self.maker, &*known_data);
            let values = &mut case_values;
            let output =
                output(evaluator, scope, maker, known, tensors, values, expect, &by_output);
            let Some((expectation, output)) = output else { continue };
            set_expectation(steps, output.command, expectation);
            outputs.push(output);
        }
        // An expectation with a mistake may leave values unused.
        if evaluator.mistakes().is_empty() {
            case_values.check_uses(evaluator.mistakes());
        }
        // Where a step is wrong, it is not known which calls wait for which.
        if u32::try_from(steps.len()) == Ok(scope.commands()) {
            check_completion(evaluator.mistakes(), steps, &by_output);
        }
        for read in reads.iter() {
            if !named.contains(read.output.as_str()) {
                evaluator.mistakes().add::<()>(
                    format!("output `{}` has no expectation", read.output),
                    read.span,
                    "add `- equal: [output, value]` to `expect`, or `- unchecked: output` with a reason",
                );
            }
        }
        outputs.extend(tensors.iter_mut().flat_map(|tensors| tensors.take_outputs()));
        let checks = !outputs.is_empty()
            || self.tensor_steps.refused > 0
            || steps.iter().any(|step| step.failure.is_some())
            || self.context.case.expect_at_end.is_some();
        if !checks && evaluator.mistakes().is_empty() {
            evaluator.mistakes().add::<()>(
                "this case checks nothing",
                self.context.span,
                "read a buffer and say what must come back, or expect an error",
            );
        }
        outputs.sort_by_key(|output| output.command);
        Some(outputs)
    }
}

/// The binary that a step of tensors names.
const fn binary_of(call: &TensorCall) -> Option<&Name> {
    match call {
        TensorCall::AllocateInput(call) | TensorCall::AllocateOutput(call) => Some(&call.binary),
        TensorCall::Submit(call) => Some(&call.binary),
        TensorCall::Create(_)
        | TensorCall::Allocate(_)
        | TensorCall::Deallocate(_)
        | TensorCall::ToLayout(_) => None,
    }
}
