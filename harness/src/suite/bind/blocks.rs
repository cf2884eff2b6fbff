//! Steps within steps: rounds of a `repeat`, and fragments.

use std::collections::BTreeMap;

use super::frames::Frame;
use super::{Binder, BoundStep, STEPS, built_in_numbers};
use crate::suite::language::{
    Fragment, FragmentInput, ParameterValue, Repeat, StepOrHole, Steps, Use,
};
use crate::suite::mistake::{Mistake, Span, suggest};
use crate::suite::node::Value;
use crate::suite::read::{Name, Number, Read, is_name};

/// The number of the round in the expressions of a `repeat`.
pub(super) const ROUND: &str = "round";

impl<'a> Binder<'a> {
    /// Binds steps in their order; false if something is missing.
    pub(super) fn sequence(&mut self, steps: &'a Steps, bound: &mut Vec<BoundStep>) -> bool {
        let mut whole = true;
        for step in &steps.0 {
            match step {
                StepOrHole::Step(step) => {
                    if bound.len() >= STEPS {
                        self.mistakes.add::<()>(
                            "this makes too many steps",
                            step.span,
                            format!("a test has at most {STEPS}"),
                        );
                        return false;
                    }
                    let step = self.step(step);
                    if let (Some(tensors), Some(step)) = (&mut self.tensors, &step) {
                        let fails = step.failure.is_some();
                        tensors.stitching.calls().observe(&step.command, fails);
                    }
                    bound.extend(step);
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
                        Some(name) if is_name(&name.text) => self.scope.define_unknown(name),
                        Some(_) | None => self.scope.note_unknown_objects(),
                    }
                }
            }
        }
        whole
    }

    /// Binds the steps of every round; false if something is missing.
    fn repeat(&mut self, span: Span, repeat: &'a Repeat, steps: &mut Vec<BoundStep>) -> bool {
        let Some(times) = self.u64(&repeat.times, "the number of rounds") else {
            self.scope.note_unknown_objects();
            return false;
        };
        let total = usize::try_from(times)
            .ok()
            .and_then(|times| times.checked_mul(repeat.steps.0.len()))
            .and_then(|more| more.checked_add(steps.len()));
        if total.is_none_or(|total| total > STEPS) {
            self.mistakes.add::<()>(
                format!("{times} rounds make too many steps"),
                repeat.times.0.span(),
                format!("a test has at most {STEPS}"),
            );
            self.scope.note_unknown_objects();
            return false;
        }
        if self.numbers.contains_key(ROUND) {
            self.mistakes.add::<()>(
                format!("`{ROUND}` is a parameter or variable of this case"),
                span,
                "give it another name: here it counts the rounds",
            );
            self.scope.note_unknown_objects();
            return false;
        }
        let before = self.mistakes.len();
        let mut whole = true;
        for round in 0..times {
            self.numbers.insert(ROUND.to_owned(), i128::from(round));
            self.scope.enter(Frame::Round(round));
            whole &= self.sequence(&repeat.steps, steps);
            self.scope.leave();
            // The same mistakes would come in every round.
            if self.mistakes.len() > before {
                self.scope.note_unknown_objects();
                break;
            }
        }
        self.numbers.remove(ROUND);
        whole && self.mistakes.len() == before
    }

    /// Binds the steps of a fragment; false if something is missing.
    fn use_fragment(&mut self, span: Span, call: &'a Use, steps: &mut Vec<BoundStep>) -> bool {
        if self.scope.frames.in_fragment() {
            // A mistake of the file, noted where it was read.
            self.scope.note_unknown_objects();
            return false;
        }
        let fragments = self.context.fragments;
        let Some((file, fragment)) = fragments.find(&call.fragment.text) else {
            self.scope.note_unknown_objects();
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
            self.mistakes.add_unknown_name::<()>(&format!("fragment {name}"), mistake);
            return false;
        };
        let Some((values, given)) = self.given_to(fragment, call, span) else {
            self.scope.note_unknown_objects();
            return false;
        };
        let before = self.mistakes.len();
        let mut numbers = built_in_numbers(self.chip);
        for (name, value) in &values {
            if let ParameterValue::Number(number) = value {
                numbers.insert(name.clone(), *number);
            }
        }
        let prefix = call.r#as.as_ref().map(|name| name.text.clone());
        let outer_numbers = std::mem::replace(&mut self.numbers, numbers);
        let outer_values = std::mem::replace(&mut self.values, values);
        let outer_kernels = std::mem::replace(&mut self.kernels, file.content.kernels.as_ref());
        self.scope.enter(Frame::Fragment { prefix, given });
        let whole = self.sequence(&fragment.steps, steps);
        self.scope.leave();
        self.kernels = outer_kernels;
        self.values = outer_values;
        self.numbers = outer_numbers;
        // A fragment that is right for one user may be wrong for another.
        let user = format!(" (used in {})", self.place_with_file(span));
        self.mistakes.add_to_those_in(file.number, before, &user);
        whole && self.mistakes.len() == before
    }

    /// What a fragment's names stand for: their values, and those that may be objects.
    #[expect(clippy::type_complexity, reason = "two maps of one thing")]
    fn given_to(
        &mut self,
        fragment: &Fragment,
        call: &Use,
        span: Span,
    ) -> Option<(Vec<(String, ParameterValue)>, BTreeMap<String, String>)> {
        let before = self.mistakes.len();
        let (mut values, mut names) = (Vec::new(), BTreeMap::new());
        let mut complete = true;
        for number in fragment.numbers.iter().flatten() {
            let given = self.given_as(number, call, span);
            let read = given.and_then(|given| Number::read(&given.node, self.mistakes));
            match read.and_then(|read| self.number(&read)) {
                Some(value) => values.push((number.text.clone(), ParameterValue::Number(value))),
                None => complete = false,
            }
        }
        for name in fragment.names.iter().flatten() {
            let given = self.given_as(name, call, span);
            match given.and_then(|given| self.given_name(given)) {
                Some(text) => {
                    names.insert(name.text.clone(), self.scope.meant(&text));
                    values.push((name.text.clone(), ParameterValue::Name(text)));
                }
                None => complete = false,
            }
        }
        let asked = || fragment.numbers.iter().chain(&fragment.names).flatten();
        for (key, _) in call.with.iter().flat_map(|with| &with.0) {
            if !asked().any(|name| name.text == key.value) {
                self.mistakes.add::<()>(
                    format!("fragment `{}` takes no `{}`", call.fragment.text, key.value),
                    key.span,
                    suggest(&key.value, asked().map(|name| name.text.as_str())),
                );
            }
        }
        (complete && self.mistakes.len() == before).then_some((values, names))
    }

    fn given_as<'c>(
        &mut self,
        name: &Name,
        call: &'c Use,
        span: Span,
    ) -> Option<&'c FragmentInput> {
        let given = call.with.as_ref().and_then(|with| with.get(&name.text));
        if given.is_none() {
            self.mistakes.add::<()>(
                format!("fragment `{}` needs `{}`", call.fragment.text, name.text),
                span,
                format!("add `{}: …` to `with`", name.text),
            );
        }
        given
    }

    /// A name, or the one that a parameter holds.
    fn given_name(&mut self, given: &FragmentInput) -> Option<String> {
        match &given.node.value {
            Value::Text(text) => match text.strip_prefix('=') {
                Some(name) => {
                    let span = given.span().part(1, name.len());
                    self.parameter(&Name { text: name.to_owned(), span })
                }
                None if is_name(text) => Some(text.clone()),
                None => self.mistakes.add(
                    format!("`{text}` is not a name"),
                    given.span(),
                    "name an object, a kernel or a setting, or write `=parameter`",
                ),
            },
            Value::Bool(flag) => Some(flag.to_string()),
            _ => self.mistakes.add(
                format!("expected a name, found {}", given.node.kind()),
                given.span(),
                "name an object, a kernel or a setting, or write `=parameter`",
            ),
        }
    }
}
