//! The data that calls bring, and what becomes of a write's bytes on their way to a device.

use hallmark_schema::model::{Generator, SharedBytes};

/// What comes with a command besides its arguments.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Nothing,
    /// The data of a write, of the recorded length and hash. It may be longer or shorter than the
    /// buffer, and is then never made.
    Data(Payload),
}

/// Bytes, or how to make them.
#[derive(Clone, Debug)]
pub(crate) enum Payload {
    Bytes(SharedBytes),
    Generated { generator: Generator, length: u64 },
}

impl Payload {
    /// The bytes, made where they are not there yet.
    pub(crate) fn materialize(self) -> SharedBytes {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Generated { generator, length } => generator.bytes(length).into(),
        }
    }
}
