//! The bytes of an entry, field by field.

use hallmark_schema::model::CoreRange;

use crate::selection::OperationError;

/// The content of an entry that does not match its kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// The content ends within a field.
    #[error("ends within a field")]
    TooShort,
    /// The number of bytes after the last field.
    #[error("has {0} B more than its kind has")]
    TooLong(usize),
    /// A number outside its enum.
    #[error("has {value} for {field}, which stands for nothing")]
    UnknownValue {
        /// The field.
        field: &'static str,
        /// The number.
        value: u64,
    },
    /// A text that is not a valid operation.
    #[error("has a text that names no operation: {0}")]
    Operation(OperationError),
    /// A text is not UTF-8.
    #[error("has a text that is not UTF-8")]
    NoText,
}

/// The content of an entry.
#[derive(Clone, Debug)]
pub(super) struct Content {
    /// The encoded fields.
    pub(super) payload: Vec<u8>,
    /// Bytes of the command's own memory.
    pub(super) data: Vec<u8>,
}

/// The unread fields.
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

    /// Reads bytes preceded by their length.
    pub(super) fn counted(&mut self) -> Result<Vec<u8>, ContentError> {
        let length = self.u32()? as usize;
        self.bytes(length).map(<[u8]>::to_vec)
    }

    pub(super) fn text(&mut self) -> Result<String, ContentError> {
        String::from_utf8(self.counted()?).map_err(|_| ContentError::NoText)
    }

    /// Reads a path; invalid UTF-8 is replaced.
    pub(super) fn path(&mut self) -> Result<String, ContentError> {
        self.counted().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads a list preceded by its length. Each item takes at least a byte, so the content bounds the list's
    /// length.
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

    /// Checks that no bytes are left.
    pub(super) fn end(&self) -> Result<(), ContentError> {
        match self.0.len() {
            0 => Ok(()),
            more => Err(ContentError::TooLong(more)),
        }
    }
}
