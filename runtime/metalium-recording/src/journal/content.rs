//! The bytes of an entry, field by field.

use hallmark_schema::model::CoreRange;

use crate::selection::OperationError;

/// An entry's content does not have the form of its kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// The content ends within a field.
    #[error("ends within a field")]
    TooShort,
    /// Bytes are left over.
    #[error("has {0} B more than its kind has")]
    TooLong(usize),
    /// A number that stands for nothing.
    #[error("has {value} for {field}, which stands for nothing")]
    UnknownValue {
        /// What it is.
        field: &'static str,
        /// The number.
        value: u64,
    },
    /// A text names no operation.
    #[error("has a text that names no operation: {0}")]
    Operation(OperationError),
    /// A text is not UTF-8.
    #[error("has a text that is not UTF-8")]
    NoText,
}

/// What an entry holds.
#[derive(Clone, Debug)]
pub(super) struct Content {
    /// Fields.
    pub(super) payload: Vec<u8>,
    /// Bytes of the command's own memory.
    pub(super) data: Vec<u8>,
}

/// Fields that have not been read.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn bytes(&mut self, length: usize) -> Result<&'a [u8], ContentError> {
        let (bytes, rest) = self.0.split_at_checked(length).ok_or(ContentError::TooShort)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], ContentError> {
        let (bytes, rest) = self.0.split_first_chunk().ok_or(ContentError::TooShort)?;
        self.0 = rest;
        Ok(*bytes)
    }

    pub(super) fn u8(&mut self) -> Result<u8, ContentError> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, ContentError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, ContentError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn boolean(&mut self, field: &'static str) -> Result<bool, ContentError> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            value => Err(ContentError::UnknownValue { field, value: value.into() }),
        }
    }

    /// Bytes behind their length.
    pub(super) fn counted(&mut self) -> Result<Vec<u8>, ContentError> {
        let length = self.u32()? as usize;
        self.bytes(length).map(<[u8]>::to_vec)
    }

    pub(super) fn text(&mut self) -> Result<String, ContentError> {
        String::from_utf8(self.counted()?).map_err(|_| ContentError::NoText)
    }

    /// A path, whose bytes that are no UTF-8 are replaced.
    pub(super) fn path(&mut self) -> Result<String, ContentError> {
        self.counted().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A list behind its length. Each item takes at least a byte, so that a list is not longer than its content.
    pub(super) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, ContentError>,
    ) -> Result<Vec<T>, ContentError> {
        let length = self.u32()? as usize;
        if length > self.0.len() {
            return Err(ContentError::TooShort);
        }
        (0..length).map(|_| item(self)).collect()
    }

    pub(super) fn words(&mut self) -> Result<Vec<u32>, ContentError> {
        self.list(Self::u32)
    }

    pub(super) fn pair(&mut self) -> Result<(u32, u32), ContentError> {
        Ok((self.u32()?, self.u32()?))
    }

    pub(super) fn cores(&mut self) -> Result<Vec<CoreRange>, ContentError> {
        self.list(|fields| {
            Ok(CoreRange { start: fields.pair()?.into(), end: fields.pair()?.into() })
        })
    }

    /// Says that nothing may be left.
    pub(super) fn end(&self) -> Result<(), ContentError> {
        match self.0.len() {
            0 => Ok(()),
            more => Err(ContentError::TooLong(more)),
        }
    }
}
