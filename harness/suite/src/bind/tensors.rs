//! Steps of tensors: each becomes the calls that [`Stitching`](hallmark_stitching::Stitching) plans for it.

mod binaries;
mod calls;
mod case_tensors;
mod conversion;
mod specs;
mod stated;
mod submission;

use hallmark_runtime::{CommandQueue, Event};
use hallmark_schema::model::EventId;
use hallmark_stitching::{StitchingError, TensorRole};
use hallmark_tensor::{DataType, Shape, TensorPages};

pub(super) use self::binaries::free_tensors;
pub(super) use self::calls::{StepEnd, adopt, note_enqueue, step_end};
pub(super) use self::case_tensors::CaseTensors;
use self::conversion::convert_tensor;
use self::specs::{memory, tensor_spec};
use self::stated::note_content;
pub(super) use self::stated::tensor_pages;
use self::submission::submit;
use super::data::{DataMaker, limited};
use super::evaluator::Evaluator;
use super::known_data::KnownData;
use super::reads::Reads;
use super::scope::Scope;
use super::values::ValueBinder;
use crate::known_bytes::KnownBytes;
use crate::language::{AllocateBinaryTensor, AllocateTensor, CreateTensor, TensorCall};
use crate::read::{Name, Number};

/// A tensor of the device that a conversion reads to the host.
#[derive(Debug)]
pub(super) struct ReadTensor {
    /// The name that captures have for the tensor of the device.
    source: String,
    pages: TensorPages,
    /// The bytes of the pages, if they are known.
    held: Option<KnownBytes>,
    /// The type of the host's tensor, in which expectations state its elements.
    data_type: DataType,
}

impl ReadTensor {
    pub(super) const fn pages(&self) -> &TensorPages {
        &self.pages
    }
}

/// The reason for which a step makes no calls: mistakes are noted, or tensors are refused.
#[derive(Debug)]
pub(super) enum Stopped {
    Mistaken,
    Refused(StitchingError),
}

impl<E: Into<StitchingError>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// The result of planning a step's calls.
pub(super) type Made<T = ()> = Result<T, Stopped>;

/// A value that a mistake may keep from being known.
fn known<T>(value: Option<T>) -> Made<T> {
    value.ok_or(Stopped::Mistaken)
}

/// Plans the calls of a step of tensors; its binary, if it names one, has been bound.
pub(super) fn tensor_call(
    evaluator: &mut Evaluator<'_>,
    scope: &mut Scope,
    maker: &DataMaker<'_>,
    known_data: &mut KnownData,
    reads: &mut Reads,
    tensors: &mut CaseTensors,
    call: &TensorCall,
) -> Made {
    match call {
        TensorCall::Create(call) => {
            create_tensor(evaluator, scope, maker, known_data, tensors, call)
        }
        TensorCall::Allocate(call) => allocate_tensor(evaluator, scope, tensors, call),
        TensorCall::AllocateInput(call) => {
            allocate_binary_tensor(evaluator, scope, tensors, call, TensorRole::Input)
        }
        TensorCall::AllocateOutput(call) => {
            allocate_binary_tensor(evaluator, scope, tensors, call, TensorRole::Output)
        }
        TensorCall::Deallocate(call) => {
            let tensor = tensors.get(evaluator, scope, &call.tensor)?;
            Ok(tensors.stitching_mut().deallocate(tensor)?)
        }
        TensorCall::ToLayout(call) => {
            convert_tensor(evaluator, scope, maker.depth(), known_data, reads, tensors, call)
        }
        TensorCall::Submit(call) => submit(evaluator, scope, maker, known_data, tensors, call),
    }
}

fn create_tensor(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    maker: &DataMaker<'_>,
    known_data: &mut KnownData,
    tensors: &mut CaseTensors,
    call: &CreateTensor,
) -> Made {
    let shape = evaluator.dimensions(&call.shape);
    let data_type = evaluator.setting(&call.dtype);
    let stride = match &call.stride {
        Some(stride) => evaluator.dimensions(stride).map(Some),
        None => Some(None),
    };
    let item_size = match &call.itemsize {
        Some(size) => evaluator.u32(size, "the size of an item").map(Some),
        None => Some(None),
    };
    let (shape, data_type) = (known(shape)?, known(data_type)?);
    let (stride, item_size) = (known(stride)?, known(item_size)?);
    let size = item_size.or_else(|| data_type.item_size()).unwrap_or(1);
    let shape = Shape::new(&shape)?;
    let stride = stride.unwrap_or_else(|| shape.contiguous_stride());
    // As much data as the strides reach.
    let reach = shape.dimensions().iter().zip(&stride).fold(1_u64, |sum, (count, stride)| {
        let more = u64::from(count.saturating_sub(1)).saturating_mul((*stride).into());
        sum.saturating_add(more)
    });
    let reach = if shape.elements() == 0 { 0 } else { reach };
    let mut values = ValueBinder::new(evaluator, maker, known_data, scope);
    let data = values.value(&call.data, Some(reach.saturating_mul(size.into())));
    let data = known(data)?;
    if data.hash.is_some() {
        return known(evaluator.mistakes().add(
            "a tensor needs its data, and not their hash",
            call.data.span,
            "give the data",
        ));
    }
    // Strides of 0 make much of little data.
    known(limited(evaluator, shape.elements().saturating_mul(size.into()), call.id.span))?;
    let bytes = match &data.bytes {
        Some(bytes) => bytes.to_vec(),
        // A suite is only checked.
        None => vec![0; usize::try_from(data.length).unwrap_or_default()],
    };
    let name = scope.given(&call.id);
    let tensor =
        tensors.stitching_mut().create_tensor(&name, bytes, &shape, &stride, size, data_type)?;
    tensors.add(evaluator, scope, &call.id, tensor)?;
    // A read that comes next may be compared with it already.
    note_content(
        known_data,
        maker.depth(),
        tensors,
        &name,
        tensor,
        scope.commands().saturating_sub(1),
    )
}

fn allocate_tensor(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    tensors: &mut CaseTensors,
    call: &AllocateTensor,
) -> Made {
    let spec = tensor_spec(evaluator, call.entry())?;
    let memory = memory(evaluator, call.entry(), call.id.span)?;
    let name = scope.given(&call.id);
    let tensor = match memory {
        None => tensors.stitching_mut().allocate_host(&name, spec),
        Some(memory) => tensors.stitching_mut().allocate_device(&name, spec, &memory)?,
    };
    tensors.add(evaluator, scope, &call.id, tensor)
}

fn allocate_binary_tensor(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    tensors: &mut CaseTensors,
    call: &AllocateBinaryTensor,
    role: TensorRole,
) -> Made {
    let binary = tensors.binary(&call.binary)?;
    let index = known(evaluator.u32(&call.index, "the index"))?;
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    let name = scope.given(&call.id);
    let tensor = match role {
        TensorRole::Input => tensors.stitching_mut().allocate_input_tensor(&name, binary, index)?,
        TensorRole::Output => {
            tensors.stitching_mut().allocate_output_tensor(&name, binary, index)?
        }
    };
    tensors.add(evaluator, scope, &call.id, tensor)
}

/// The queue and the dependencies of a step.
fn order(
    evaluator: &mut Evaluator<'_>,
    scope: &Scope,
    queue: Option<&Number>,
    dependencies: Option<&[Name]>,
) -> Made<(CommandQueue, Vec<Event>)> {
    let queue = evaluator.queue(queue);
    let mut events = Some(Vec::new());
    for name in dependencies.unwrap_or_default() {
        let event = scope.events.get(name, evaluator.mistakes());
        let event = event.map(|(id, ())| Event::with_id(EventId(id)));
        match (&mut events, event) {
            (Some(events), Some(event)) => events.push(event),
            _ => events = None,
        }
    }
    Ok((known(queue)?.into(), known(events)?))
}
