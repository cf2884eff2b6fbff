//! The elements of tensors as suites state them: row after row, without padding.

use hallmark_stitching::Tensor;
use hallmark_tensor::{DataType, HostTensor, Layout, TensorSpec};

use super::{CaseTensors, Made, ReadTensor, Stopped, known};
use crate::bind::Depth;
use crate::bind::data::BoundData;
use crate::bind::known_data::KnownData;
use crate::bind::values::ValueBinder;
use crate::language::{ExpectedValue, ValueForm};

/// The type in which suites state the elements of a tensor: a block format's elements are singles.
pub(super) const fn stated_type(data_type: DataType) -> DataType {
    match data_type.item_size() {
        Some(_) => data_type,
        None => DataType::Float32,
    }
}

/// Bytes of all elements as suites state them.
pub(super) fn stated_length(spec: &TensorSpec, data_type: DataType) -> u64 {
    let size = stated_type(data_type).item_size().unwrap_or(4);
    spec.shape().elements().saturating_mul(size.into())
}

/// The elements of a tensor as suites state them: row after row, without padding.
pub(super) fn stated(tensor: &HostTensor<'_>) -> Result<Vec<u8>, hallmark_tensor::Error> {
    let stated = stated_type(tensor.spec().data_type());
    Ok(tensor.to_data_type(stated)?.to_layout(Layout::RowMajor, 0.0)?.bytes().to_vec())
}

/// Notes what a tensor holds, as suites state it, for expectations.
pub(super) fn note_content(
    known_data: &mut KnownData,
    depth: Depth,
    tensors: &CaseTensors,
    name: &str,
    tensor: Tensor,
    command: u32,
) -> Made {
    let spec = tensors.stitching().spec(tensor)?;
    let data = match (depth, tensors.stitching().known_content(tensor)?) {
        (Depth::Full, Some(content)) => BoundData::of(stated(&content)?),
        (Depth::Full, None) => {
            known_data.forget(name, command);
            return Ok(());
        }
        (Depth::Check, _) => BoundData::unmade(stated_length(spec, spec.data_type())),
    };
    known_data.insert(name.to_owned(), command, Some(data));
    Ok(())
}

/// Notes what an output holds, as the suite says.
pub(super) fn give(
    values: &mut ValueBinder<'_, '_>,
    tensors: &mut CaseTensors,
    tensor: Tensor,
    value: &ExpectedValue,
    padding: f64,
) -> Made {
    let spec = tensors.stitching().spec(tensor)?.clone();
    let (given, data_type) = stated_value(values, tensors, value, &spec, spec.data_type())?;
    let rows = TensorSpec::new(spec.shape().clone(), data_type, Layout::RowMajor)?;
    let content = match &given.bytes {
        Some(bytes) => HostTensor::from_bytes(rows, &**bytes)?,
        // A suite is only checked.
        None => HostTensor::from_bytes(rows.clone(), vec![0; rows.bytes()])?,
    };
    Ok(tensors.stitching_mut().holds(tensor, &content, padding)?)
}

/// The elements of a tensor that a value states, and their type: that of a tensor that is named, or `data_type`.
pub(super) fn stated_value(
    values: &mut ValueBinder<'_, '_>,
    tensors: &CaseTensors,
    value: &ExpectedValue,
    spec: &TensorSpec,
    data_type: DataType,
) -> Made<(BoundData, DataType)> {
    let mut data_type = stated_type(data_type);
    if let ValueForm::Name(name) = &value.value
        && let Some(tensor) = tensors.find(values.scope(), name)
    {
        data_type = stated_type(tensors.stitching().spec(tensor)?.data_type());
    }
    let needed = stated_length(spec, data_type);
    let given = known(values.value(value, Some(needed)))?;
    if given.length == needed && given.hash.is_none() {
        return Ok((given, data_type));
    }
    known(values.evaluator().mistakes().add(
        format!(
            "the value has {} B, and {:?} elements of {data_type} take {needed} B",
            given.length,
            spec.shape().dimensions()
        ),
        value.span,
        "state each element once, row by row, without padding",
    ))
}

/// What a read of a tensor must bring, of the elements that an expectation states.
pub(in crate::bind) fn tensor_pages(
    values: &mut ValueBinder<'_, '_>,
    tensors: &CaseTensors,
    read: &ReadTensor,
    value: &ExpectedValue,
) -> Option<BoundData> {
    match expected_pages(values, tensors, read, value) {
        Ok(made) => Some(made),
        Err(Stopped::Mistaken) => None,
        Err(Stopped::Refused(error)) => {
            values.evaluator().mistakes().add(error.to_string(), value.span, "")
        }
    }
}

fn expected_pages(
    values: &mut ValueBinder<'_, '_>,
    tensors: &CaseTensors,
    read: &ReadTensor,
    value: &ExpectedValue,
) -> Made<BoundData> {
    let spec = read.pages.spec();
    let (given, data_type) = stated_value(values, tensors, value, spec, read.data_type)?;
    // What a tensor is said to hold covers its padding as well.
    if let (ValueForm::Name(name), Some(held)) = (&value.value, &read.held)
        && values.scope().frames().candidates(&name.text).contains(&read.source)
    {
        return Ok(BoundData::known(held.clone()));
    }
    let (Some(bytes), Depth::Full) = (&given.bytes, values.depth()) else {
        return Ok(BoundData::unmade(read.pages.bytes()));
    };
    let rows = TensorSpec::new(spec.shape().clone(), data_type, Layout::RowMajor)?;
    let content = HostTensor::from_bytes(rows, &**bytes)?;
    let made = content.to_spec(spec, 0.0)?;
    Ok(BoundData::of(read.pages.to_pages(made.bytes()).into_owned()))
}
