//! Encodes and decodes the requirements on a device.

use flatbuffers::WIPOffset;

use super::read::check_fields;
use super::table::Builder;
use crate::error::{CaptureError, Path};
use crate::generated::capture as fb;
use crate::model::{DeviceRequirements, DispatchSettings};

/// `None` for no requirements.
pub(crate) fn encode_device_requirements<'b>(
    builder: &mut Builder<'b>,
    asked: &DeviceRequirements,
) -> Option<WIPOffset<fb::DeviceRequirements<'b>>> {
    if asked.is_none() {
        return None;
    }
    let DeviceRequirements { budget, dispatch } = asked;
    let DispatchSettings { ring_size, completion_size, first_position, first_count, overlap } =
        *dispatch;
    let args = fb::DeviceRequirementsArgs {
        tick_budget: budget.unwrap_or_default(),
        ring_size,
        completion_size,
        first_position,
        first_count,
        overlap,
    };
    Some(fb::DeviceRequirements::create(builder, &args))
}

pub(crate) fn decode_device_requirements(
    form: Option<fb::DeviceRequirements<'_>>,
    path: &Path<'_>,
) -> Result<DeviceRequirements, CaptureError> {
    let Some(form) = form else { return Ok(DeviceRequirements::default()) };
    check_fields(&form, path)?;
    let dispatch = DispatchSettings {
        ring_size: form.ring_size(),
        completion_size: form.completion_size(),
        first_position: form.first_position(),
        first_count: form.first_count(),
        overlap: form.overlap(),
    };
    let budget = (form.tick_budget() != 0).then_some(form.tick_budget());
    Ok(DeviceRequirements { budget, dispatch })
}
