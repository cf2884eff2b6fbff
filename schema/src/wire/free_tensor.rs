//! Encodes and decodes the inputs and outputs of a binary.

use flatbuffers::WIPOffset;

use super::Wire;
use super::read::{check_fields, text, words};
use super::table::{Builder, string, vector};
use crate::error::{CaptureError, Path};
use crate::generated::capture as fb;
use crate::model::{BufferId, DataFormat, FreeTensor, Shape2D, TensorRole};

pub(crate) fn encode_free_tensor<'b>(
    builder: &mut Builder<'b>,
    tensor: &FreeTensor,
) -> WIPOffset<fb::FreeTensor<'b>> {
    let FreeTensor { role, name, buffer, shape, data_format, tile } = tensor;
    let name = string(builder, name);
    let shape = vector(builder, shape);
    let tile = tile.as_ref().map(Wire::to_wire);
    let args = fb::FreeTensorArgs {
        role: role.to_wire(),
        name,
        buffer: buffer.0,
        shape,
        data_format: data_format.to_wire(),
        tile: tile.as_ref(),
    };
    fb::FreeTensor::create(builder, &args)
}

pub(crate) fn decode_free_tensor(
    form: fb::FreeTensor<'_>,
    path: &Path<'_>,
) -> Result<FreeTensor, CaptureError> {
    check_fields(&form, path)?;
    let tile = form.tile().map(|tile| Shape2D::from_wire(*tile, &path.field("tile")));
    Ok(FreeTensor {
        role: TensorRole::from_wire(form.role(), &path.field("role"))?,
        name: text(form.name()),
        buffer: BufferId(form.buffer()),
        shape: words(form.shape()),
        data_format: DataFormat::from_wire(form.data_format(), &path.field("data_format"))?,
        tile: tile.transpose()?,
    })
}
