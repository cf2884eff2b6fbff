//! The inputs that a use gives a fragment.

use std::collections::BTreeMap;

use super::evaluator::Evaluator;
use super::scope::Scope;
use crate::language::{Fragment, FragmentInput, ParameterValue, Use};
use crate::mistake::{Mistakes, Span, suggest};
use crate::node::Value;
use crate::read::{Name, Number, Read, is_name};

/// The values of a fragment's inputs, and the names that captures have for its inputs that may be objects.
#[expect(clippy::type_complexity, reason = "two maps of one thing")]
pub(super) fn given_to(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    fragment: &Fragment,
    call: &Use,
    span: Span,
) -> Option<(Vec<(String, ParameterValue)>, BTreeMap<String, String>)> {
    let before = evaluator.mistakes().len();
    let (mut values, mut names) = (Vec::new(), BTreeMap::new());
    let mut complete = true;
    for number in fragment.numbers.iter().flatten() {
        let given = given_as(evaluator.mistakes(), number, call, span);
        let read = given.and_then(|given| Number::read(&given.node, evaluator.mistakes()));
        match read.and_then(|read| evaluator.number(&read)) {
            Some(value) => values.push((number.text.clone(), ParameterValue::Number(value))),
            None => complete = false,
        }
    }
    for name in fragment.names.iter().flatten() {
        let given = given_as(evaluator.mistakes(), name, call, span);
        match given.and_then(|given| given_name(evaluator, given)) {
            Some(text) => {
                names.insert(name.text.clone(), scope.meant(&text));
                values.push((name.text.clone(), ParameterValue::Name(text)));
            }
            None => complete = false,
        }
    }
    let asked = || fragment.numbers.iter().chain(&fragment.names).flatten();
    for (key, _) in call.with.iter().flat_map(|with| &with.0) {
        if !asked().any(|name| name.text == key.value) {
            evaluator.mistakes().add::<()>(
                format!("fragment `{}` takes no `{}`", call.fragment.text, key.value),
                key.span,
                suggest(&key.value, asked().map(|name| name.text.as_str())),
            );
        }
    }
    (complete && evaluator.mistakes().len() == before).then_some((values, names))
}

fn given_as<'c>(
    mistakes: &mut Mistakes,
    name: &Name,
    call: &'c Use,
    span: Span,
) -> Option<&'c FragmentInput> {
    let given = call.with.as_ref().and_then(|with| with.get(&name.text));
    if given.is_none() {
        mistakes.add::<()>(
            format!("fragment `{}` needs `{}`", call.fragment.text, name.text),
            span,
            format!("add `{}: …` to `with`", name.text),
        );
    }
    given
}

/// A name, or the one that a parameter holds.
fn given_name(evaluator: &mut Evaluator<'_>, given: &FragmentInput) -> Option<String> {
    match &given.node.value {
        Value::Text(text) => match text.strip_prefix('=') {
            Some(name) => {
                let span = given.span().part(1, name.len());
                evaluator.parameter(&Name { text: name.to_owned(), span })
            }
            None if is_name(text) => Some(text.clone()),
            None => evaluator.mistakes().add(
                format!("`{text}` is not a name"),
                given.span(),
                "name an object, a kernel or a setting, or write `=parameter`",
            ),
        },
        Value::Bool(flag) => Some(flag.to_string()),
        _ => evaluator.mistakes().add(
            format!("expected a name, found {}", given.node.kind()),
            given.span(),
            "name an object, a kernel or a setting, or write `=parameter`",
        ),
    }
}
