//! `submit`: a binary runs over tensors.

use hallmark_schema::plural::counted;
use hallmark_stitching::{Order, StitchingError, TensorRole};

use super::stated::{give, note_content};
use super::{CaseTensors, Made, known, order};
use crate::bind::data::DataMaker;
use crate::bind::evaluator::Evaluator;
use crate::bind::known_data::KnownData;
use crate::bind::scope::Scope;
use crate::bind::values::ValueBinder;
use crate::language::Submit;

pub(super) fn submit(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    maker: &DataMaker<'_>,
    known_data: &mut KnownData,
    tensors: &mut CaseTensors,
    call: &Submit,
) -> Made {
    let binary = tensors.binary(&call.binary)?;
    let inputs: Vec<_> =
        call.inputs.iter().map(|name| tensors.get(evaluator, scope, name)).collect();
    let inputs = inputs.into_iter().collect::<Made<Vec<_>>>()?;
    let order = order(evaluator, scope, call.queue.as_ref(), call.dependencies.as_deref());
    let (queue, dependencies) = order?;
    let called = tensors.stitching_mut().binary(binary)?;
    let (needed, given) = (called.outputs().len(), call.outputs.len());
    if needed != given {
        let binary = called.name().to_owned();
        let role = TensorRole::Output;
        return Err(StitchingError::OtherNumberOfTensors { binary, role, needed, given }.into());
    }
    // What is refused allocates nothing.
    tensors.stitching_mut().check_inputs(binary, &inputs)?;
    let mut outputs = Vec::new();
    let mut made = Vec::new();
    for (index, name) in call.outputs.iter().enumerate() {
        outputs.push(match tensors.find(scope, name) {
            Some(tensor) => tensor,
            None => {
                let full = scope.given(name);
                let allocated =
                    tensors.stitching_mut().allocate_output_tensor(&full, binary, index)?;
                made.push((name, allocated));
                allocated
            }
        });
    }
    if let (Some(padding), None) = (&call.padding, &call.gives) {
        return known(evaluator.mistakes().add(
            "`padding` says nothing without `gives`",
            padding.0.span(),
            "add `gives`, or remove `padding`",
        ));
    }
    if let Some(given) = &call.gives
        && given.len() != call.outputs.len()
    {
        let message = format!(
            "{} and {}",
            counted(call.outputs.len(), "output", "outputs"),
            counted(given.len(), "value", "values")
        );
        let span = given.first().map_or(call.binary.span, |value| value.span);
        return known(evaluator.mistakes().add(
            message,
            span,
            "`gives` has a value for each output",
        ));
    }
    let name = format!("{}_{}", call.binary.text, scope.commands());
    let order = Order::on(queue).after(&dependencies).named(&name);
    tensors.stitching_mut().submit_into(binary, &inputs, &outputs, order)?;
    tensors.name_event(scope, call.event.as_ref());
    for (name, tensor) in made {
        tensors.add(evaluator, scope, name, tensor)?;
    }
    let padding = match &call.padding {
        Some(padding) => known(evaluator.real(padding))?.get(),
        None => 0.0,
    };
    for (place, tensor) in outputs.iter().enumerate() {
        let name = tensors.name(*tensor).unwrap_or_default().to_owned();
        if let Some(value) = call.gives.as_ref().and_then(|given| given.get(place)) {
            let mut values = ValueBinder::new(evaluator, maker, known_data, scope);
            give(&mut values, tensors, *tensor, value, padding)?;
        }
        note_content(known_data, maker.depth(), tensors, &name, *tensor, scope.commands())?;
    }
    Ok(())
}
