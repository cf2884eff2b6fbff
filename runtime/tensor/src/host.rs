//! Host tensors: created from strided data, converted to other layouts and types, and read by element.

use std::borrow::Cow;

use hallmark_schema::model;

use crate::block_float::{pack_tiles, unpack_tiles};
use crate::data_type::{BlockFormat, Encoding};
use crate::defects::{Defect, planted};
use crate::numbers::{OutOfRange, convert};
use crate::tiles::{tilize, untilize};
use crate::{DataType, Error, Layout, Shape, TensorSpec};

/// A tensor in the host's memory, its bytes borrowed or owned.
#[derive(Clone, Debug, PartialEq)]
pub struct HostTensor<'a> {
    spec: TensorSpec,
    bytes: Cow<'a, [u8]>,
}

impl<'a> HostTensor<'a> {
    /// A row-major tensor of data whose elements lie `stride` elements apart in each dimension. Contiguous data
    /// are kept, borrowed or owned; other data are gathered.
    ///
    /// # Errors
    /// `item_size` is not that of the type; the numbers of strides and dimensions differ; the data end before
    /// the last element.
    pub fn create(
        data: impl Into<Cow<'a, [u8]>>,
        shape: &Shape,
        stride: &[u32],
        item_size: u32,
        data_type: DataType,
    ) -> Result<Self, Error> {
        let data = data.into();
        let Some(size) = data_type.item_size().filter(|size| *size == item_size) else {
            return Err(Error::ItemSize { given: item_size, data_type });
        };
        let dimensions = shape.dimensions().len();
        if stride.len() != dimensions {
            return Err(Error::StridesOfAnotherShape { strides: stride.len(), dimensions });
        }
        let spec = TensorSpec::new(shape.clone(), data_type, Layout::RowMajor)?;
        let strides = crate::Strides(stride.iter().map(|stride| u64::from(*stride)).collect());
        let needed = strides.end(shape)?.checked_mul(size.into()).ok_or(Error::TooLarge)?;
        let given = data.len() as u64;
        if given < needed {
            return Err(Error::DataTooShort { given, needed });
        }
        // The stride of a dimension of 1 has no meaning.
        let contiguous = shape.contiguous();
        let in_order = shape.dimensions().iter().zip(&strides.0).zip(&contiguous.0);
        let in_order =
            in_order.clone().all(|((size, given), needed)| *size == 1 || given == needed);
        if in_order || shape.elements() == 0 {
            let bytes = match data {
                Cow::Borrowed(data) => Cow::Borrowed(data.get(..spec.bytes()).unwrap_or(data)),
                Cow::Owned(mut data) => {
                    data.truncate(spec.bytes());
                    Cow::Owned(data)
                }
            };
            return Ok(Self { spec, bytes });
        }
        let mut bytes = Vec::with_capacity(spec.bytes());
        gather(&data, shape.dimensions(), &strides.0, 0, size as usize, &mut bytes);
        Ok(Self { spec, bytes: Cow::Owned(bytes) })
    }

    /// A tensor of bytes that already have its layout, such as those read from a device.
    ///
    /// # Errors
    /// The number of bytes is not that of the tensor.
    pub fn from_bytes(spec: TensorSpec, bytes: impl Into<Cow<'a, [u8]>>) -> Result<Self, Error> {
        let bytes = bytes.into();
        if bytes.len() != spec.bytes() {
            let (given, needed) = (bytes.len() as u64, spec.bytes() as u64);
            return Err(Error::OtherSize { given, needed, layout: spec.layout() });
        }
        Ok(Self { spec, bytes })
    }

    /// The tensor's specification.
    pub fn spec(&self) -> &TensorSpec {
        &self.spec
    }

    /// Its bytes, padding included.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its bytes, copied if they are borrowed.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes.into_owned()
    }

    /// The number that an element represents.
    ///
    /// # Errors
    /// The shape does not contain the element.
    pub fn value(&self, index: &[u32]) -> Result<f64, Error> {
        let place = self.spec.place(index)?;
        let missing = || Error::NoSuchElement {
            index: index.to_vec(),
            shape: self.spec.shape().dimensions().to_vec(),
        };
        let at = |byte: u64| usize::try_from(byte).ok().and_then(|byte| self.bytes.get(byte..));
        let bytes = at(place.byte).ok_or_else(missing)?;
        match self.spec.data_type().encoding() {
            Encoding::Scalar(scalar) => {
                let element = scalar.elements(bytes).next().ok_or_else(missing)?;
                Ok(scalar.number(element))
            }
            Encoding::Block(format) => {
                let byte = *bytes.first().ok_or_else(missing)?;
                let element = match format {
                    BlockFormat::Eight => byte,
                    BlockFormat::Four if place.upper_half => byte >> 4,
                    BlockFormat::Four => byte & 0xf,
                };
                let exponent = place.tile.and_then(|tile| tile.exponent);
                let shared = exponent.and_then(at).and_then(|bytes| bytes.first());
                let single = format.unpack(element, *shared.ok_or_else(missing)?);
                Ok(f64::from(f32::from_bits(single)))
            }
        }
    }

    /// The same tensor in another layout. The padding of tiles is `padding`.
    ///
    /// # Errors
    /// A block format that would not be in full tiles; a padding value out of range; a tensor that is too
    /// large.
    pub fn to_layout(&self, layout: Layout, padding: f64) -> Result<HostTensor<'_>, Error> {
        let data_type = self.spec.data_type();
        if layout == self.spec.layout() {
            return Ok(self.borrowed());
        }
        let spec = TensorSpec::new(self.spec.shape().clone(), data_type, layout)?;
        let Encoding::Scalar(scalar) = data_type.encoding() else {
            // Other faces have other shared exponents.
            let singles = self.to_data_type(DataType::Float32)?;
            let moved = singles.to_layout(layout, padding)?.to_data_type(data_type)?.into_bytes();
            return Ok(HostTensor { spec, bytes: Cow::Owned(moved) });
        };
        let fill = scalar.nearest(padding);
        if !scalar.is_float() && scalar.number(fill) != padding {
            return Err(Error::Padding { value: padding, data_type });
        }
        let fill = fill.to_le_bytes();
        let fill = fill.get(..scalar.size()).unwrap_or(&fill);
        let rows = match self.spec.layout() {
            Layout::RowMajor => Cow::Borrowed(self.bytes.as_ref()),
            Layout::Tile(tile) => {
                Cow::Owned(untilize(&self.bytes, &self.spec, tile, scalar.size()))
            }
        };
        let bytes = match layout {
            Layout::RowMajor => rows,
            Layout::Tile(tile) => Cow::Owned(tilize(&rows, &spec, tile, fill)),
        };
        Ok(HostTensor { spec, bytes })
    }

    /// The same tensor in the layout and with the type of another specification. The padding of tiles is
    /// `padding`. If either type is a block format, the type is converted in tiles.
    ///
    /// # Errors
    /// The shapes differ; the errors of [`Self::to_layout`] and [`Self::to_data_type`].
    pub fn to_spec(&self, spec: &TensorSpec, padding: f64) -> Result<HostTensor<'_>, Error> {
        self.spec.converts_to(spec)?;
        let (data_type, target) = (self.spec.data_type(), spec.data_type());
        if data_type == target {
            return self.to_layout(spec.layout(), padding);
        }
        if self.spec.layout() == spec.layout() {
            return self.to_data_type(target);
        }
        let converted = match (data_type.encoding(), target.encoding()) {
            (Encoding::Block(_), Encoding::Block(_)) => {
                // The values of the blocks are laid out anew, and rounded once.
                let singles = self.to_data_type(DataType::Float32)?;
                singles.to_layout(spec.layout(), padding)?.to_data_type(target)?.into_owned()
            }
            (Encoding::Scalar(_), Encoding::Block(_)) => {
                self.to_layout(spec.layout(), padding)?.to_data_type(target)?.into_owned()
            }
            (_, Encoding::Scalar(_)) => {
                self.to_data_type(target)?.to_layout(spec.layout(), padding)?.into_owned()
            }
        };
        Ok(converted)
    }

    /// The same tensor with borrowed bytes.
    fn borrowed(&self) -> HostTensor<'_> {
        HostTensor { spec: self.spec.clone(), bytes: Cow::Borrowed(&self.bytes) }
    }

    /// The same tensor, its bytes copied if they are borrowed.
    pub fn into_owned(self) -> HostTensor<'static> {
        HostTensor { spec: self.spec, bytes: Cow::Owned(self.bytes.into_owned()) }
    }

    /// The same tensor with elements of another type; padding is converted as well. A conversion to an integer
    /// drops the fraction; a conversion to a shorter integer keeps the low bits.
    ///
    /// # Errors
    /// A number out of range of an integer type, for which TT-Metalium's result is undefined; a block format in
    /// row-major layout.
    pub fn to_data_type(&self, data_type: DataType) -> Result<HostTensor<'_>, Error> {
        if data_type == self.spec.data_type() {
            return Ok(self.borrowed());
        }
        let spec = TensorSpec::new(self.spec.shape().clone(), data_type, self.spec.layout())?;
        let out_of_range = |bad: OutOfRange| Error::OutOfRange {
            element: bad.element as u64,
            value: bad.value.into(),
            data_type,
        };
        let bytes = match (self.spec.data_type().encoding(), data_type.encoding(), spec.layout()) {
            (Encoding::Scalar(from), Encoding::Scalar(to), _) => {
                convert(from, to, &self.bytes).map_err(out_of_range)?
            }
            (Encoding::Scalar(from), Encoding::Block(to), Layout::Tile(tile)) => {
                let singles = convert(from, model::DataType::Float32, &self.bytes);
                pack_tiles(to, tile, &singles.map_err(out_of_range)?)
            }
            (Encoding::Block(from), to, Layout::Tile(tile)) => {
                let singles = unpack_tiles(from, tile, &self.bytes);
                match to {
                    Encoding::Scalar(to) => {
                        convert(model::DataType::Float32, to, &singles).map_err(out_of_range)?
                    }
                    Encoding::Block(to) => pack_tiles(to, tile, &singles),
                }
            }
            (_, _, Layout::RowMajor) => return Err(Error::BlockFormatInRows { data_type }),
        };
        Ok(HostTensor { spec, bytes: Cow::Owned(bytes) })
    }
}

/// Appends the elements of all dimensions from the first of `dimensions` on, starting at an element of the
/// data.
fn gather(
    data: &[u8],
    dimensions: &[u32],
    strides: &[u64],
    at: u64,
    size: usize,
    into: &mut Vec<u8>,
) {
    let (Some((length, inner)), Some((stride, inner_strides))) =
        (dimensions.split_first(), strides.split_first())
    else {
        let start = usize::try_from(at).map_or(usize::MAX, |at| at.saturating_mul(size));
        into.extend(data.get(start..).and_then(|data| data.get(..size)).unwrap_or_default());
        return;
    };
    let is_ignored = inner.is_empty() && planted(Defect::InnermostStrideIgnored);
    let stride = if is_ignored { 1 } else { *stride };
    for place in 0..u64::from(*length) {
        gather(data, inner, inner_strides, at + place * stride, size, into);
    }
}
