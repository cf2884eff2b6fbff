//! Dimensions and strides.

use crate::Error;

/// The dimensions of a tensor, the outermost first. An empty list means one element; a dimension of 0 means
/// none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape(Vec<u32>);

impl Shape {
    /// The largest number of dimensions.
    pub const DIMENSIONS: usize = 8;

    /// A shape of these dimensions.
    ///
    /// # Errors
    /// More than [`Self::DIMENSIONS`] dimensions; more elements than a `u64` counts.
    pub fn new(dimensions: &[u32]) -> Result<Self, Error> {
        if dimensions.len() > Self::DIMENSIONS {
            return Err(Error::TooManyDimensions { given: dimensions.len() });
        }
        product(dimensions)?;
        Ok(Self(dimensions.to_vec()))
    }

    /// The dimensions, the outermost first.
    pub fn dimensions(&self) -> &[u32] {
        &self.0
    }

    /// The number of elements.
    pub fn elements(&self) -> u64 {
        self.0.iter().map(|size| u64::from(*size)).product()
    }

    /// The strides of contiguous elements in each dimension, in elements; saturates at `u32::MAX`.
    pub fn contiguous_stride(&self) -> Vec<u32> {
        let strides = self.contiguous().0;
        strides.into_iter().map(|stride| u32::try_from(stride).unwrap_or(u32::MAX)).collect()
    }

    /// The last dimension: the elements of a row.
    pub fn width(&self) -> u32 {
        self.0.last().copied().unwrap_or(1)
    }

    /// The last dimension but one: the rows of a matrix.
    pub fn height(&self) -> u32 {
        self.0.len().checked_sub(2).and_then(|place| self.0.get(place)).copied().unwrap_or(1)
    }

    /// The number of matrices: the product of all dimensions except the last two.
    pub fn matrices(&self) -> u64 {
        let outer = self.0.len().saturating_sub(2);
        self.0.iter().take(outer).map(|size| u64::from(*size)).product()
    }

    /// The matrix, row and column of an index.
    pub(crate) fn locate(&self, index: &[u32]) -> Result<(u64, u32, u32), Error> {
        let inside = index.len() == self.0.len()
            && index.iter().zip(&self.0).all(|(place, size)| place < size);
        if !inside {
            return Err(Error::NoSuchElement { index: index.to_vec(), shape: self.0.clone() });
        }
        let (outer, inner) = index.split_at(index.len().saturating_sub(2));
        let matrix = outer
            .iter()
            .zip(&self.0)
            .fold(0, |matrix, (place, size)| matrix * u64::from(*size) + u64::from(*place));
        Ok(match inner {
            [row, column] => (matrix, *row, *column),
            [column] => (matrix, 0, *column),
            _ => (matrix, 0, 0),
        })
    }

    /// The strides of a contiguous tensor.
    pub fn contiguous(&self) -> Strides {
        let mut strides = vec![0; self.0.len()];
        let mut stride = 1_u64;
        for (place, size) in strides.iter_mut().zip(&self.0).rev() {
            *place = stride;
            stride = stride.saturating_mul(u64::from((*size).max(1)));
        }
        Strides(strides)
    }
}

/// The distance between neighbours in each dimension, in elements. 0 repeats an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strides(pub(crate) Vec<u64>);

impl Strides {
    /// One past the last element of the data that a shape reaches; 0 for an empty shape.
    pub(crate) fn end(&self, shape: &Shape) -> Result<u64, Error> {
        if shape.elements() == 0 {
            return Ok(0);
        }
        let mut last = 0_u64;
        for (stride, size) in self.0.iter().zip(shape.dimensions()) {
            let reach = stride.checked_mul(u64::from(*size) - 1).ok_or(Error::TooLarge)?;
            last = last.checked_add(reach).ok_or(Error::TooLarge)?;
        }
        last.checked_add(1).ok_or(Error::TooLarge)
    }
}

/// The product of dimensions, with 0 counted as 1 so that it cannot hide an overflow of the others.
fn product(dimensions: &[u32]) -> Result<u64, Error> {
    dimensions
        .iter()
        .try_fold(1_u64, |product, size| product.checked_mul(u64::from((*size).max(1))))
        .ok_or(Error::TooLarge)
}
