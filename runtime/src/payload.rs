//! The data that calls bring, and the form of a write's bytes on their way to a device.

pub(crate) use hallmark_engine::work::Payload;

/// The input of a command besides its arguments.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Nothing,
    /// The data of a write, of the recorded length and hash. It may be longer or shorter than the
    /// buffer, and is then never made.
    Data(Payload),
}
