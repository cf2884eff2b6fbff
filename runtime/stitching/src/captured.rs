//! Conversions between binaries and captures: a compiler writes such a capture, a runtime reads it.

use std::collections::BTreeMap;

use hallmark_runtime::{CallError, CaptureOptions, Device};
use hallmark_schema::commands::{Command, CommandKind, CreateBuffer};
use hallmark_schema::model::{
    Blobs, BufferId, BufferLayout, Capture, CommandIndex, ContentHash, DataFormat, FreeTensor,
    Outcome, Shape2D, ShardSpec, TensorRole,
};
use hallmark_tensor::{
    DataType, Layout, MemoryConfig, Shape, ShardStrategy, TensorPages, TensorSharding, TensorSpec,
    TileShape,
};

use crate::binary::{Binary, BinaryProblem, BinaryTensor};

/// Why a capture is no binary, or why a binary cannot become a capture.
#[derive(Debug, thiserror::Error)]
pub enum BinaryError {
    /// The capture is that of a test or a program, and declares no tensors.
    #[error(
        "the capture declares no inputs and outputs, so that nothing can be given to it; replay it, or declare its tensors"
    )]
    NoTensors,
    /// A call of the capture failed or is unfinished.
    #[error(
        "command {place}, {}, was not done when the binary was made; take it out, or mend what failed",
        call.name()
    )]
    NotDone {
        /// The index of the call in the capture.
        place: CommandIndex,
        /// The call.
        call: CommandKind,
    },
    /// The calls hold an address or coordinate as a plain number.
    #[error(
        "an address or coordinate was turned into a plain number, which is wrong for other tensors; give kernels relocated arguments"
    )]
    PlacementBound,
    /// An input or output has an element format that tensors do not support.
    #[error(
        "{} `{tensor}` has elements of {format:?}, of which there are no tensors; the formats of tensors are {}",
        role.name(),
        tensor_formats()
    )]
    Format {
        /// Whether it is an input or an output.
        role: TensorRole,
        /// Its name.
        tensor: String,
        /// The format of its elements.
        format: DataFormat,
    },
    /// The shape, tile or shards of an input or output do not match.
    #[error("{} `{tensor}`: {problem}", role.name())]
    Tensor {
        /// Whether it is an input or an output.
        role: TensorRole,
        /// Its name.
        tensor: String,
        /// The mismatch.
        #[source]
        problem: hallmark_tensor::Error,
    },
    /// The bytes of a constant are missing.
    #[error("command {place} writes {hash}, which the capture does not embed; embed it")]
    BlobMissing {
        /// The index of the write in the capture.
        place: CommandIndex,
        /// The hash of the bytes.
        hash: ContentHash,
    },
    /// The calls form no binary.
    #[error(transparent)]
    Calls(#[from] BinaryProblem),
    /// The capture with its declared tensors breaks a rule of the format.
    #[error(transparent)]
    Capture(#[from] hallmark_schema::CaptureError),
    /// A call failed while the binary was recorded.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The binary's calls cannot be recorded.
    #[error(transparent)]
    Recording(#[from] hallmark_runtime::CaptureError),
}

/// The name in captures of each type of elements.
const fn format_of(data_type: DataType) -> DataFormat {
    match data_type {
        DataType::Float32 => DataFormat::Float32,
        DataType::Bfloat16 => DataFormat::Float16B,
        DataType::Uint32 => DataFormat::UInt32,
        DataType::Int32 => DataFormat::Int32,
        DataType::Uint16 => DataFormat::UInt16,
        DataType::Uint8 => DataFormat::UInt8,
        DataType::Bfp8B => DataFormat::Bfp8B,
        DataType::Bfp4B => DataFormat::Bfp4B,
    }
}

fn data_type_of(format: DataFormat) -> Option<DataType> {
    DataType::ALL.into_iter().find(|data_type| format_of(*data_type) == format)
}

fn tensor_formats() -> String {
    DataType::ALL.map(|data_type| format!("{:?}", format_of(data_type))).join(", ")
}

impl Binary {
    /// The binary of a validated capture: its calls, the constants that it embeds, and the inputs and outputs
    /// that it declares, in the memory of their buffers. `name` appears in messages and in the names of the
    /// objects that the binary makes.
    ///
    /// The device that submits the binary needs its kernels; see
    /// [`CapturedKernels`](hallmark_runtime::CapturedKernels).
    ///
    /// # Errors
    /// See [`BinaryError`].
    pub fn from_capture(name: &str, capture: &Capture) -> Result<Self, BinaryError> {
        let program = &capture.program;
        if !program.is_binary() {
            return Err(BinaryError::NoTensors);
        }
        if program.placement_bound {
            return Err(BinaryError::PlacementBound);
        }
        let mut commands = Vec::new();
        let mut constants = Blobs::new();
        let mut made: BTreeMap<BufferId, &CreateBuffer> = BTreeMap::new();
        for (place, recorded) in (0..).map(CommandIndex).zip(&program.commands) {
            let command = &recorded.command;
            if recorded.outcome != Outcome::Done {
                return Err(BinaryError::NotDone { place, call: command.kind() });
            }
            match command {
                Command::CreateBuffer(call) => {
                    made.insert(call.buffer, call);
                }
                Command::EnqueueWriteBuffer(call) if call.data.generator.is_none() => {
                    let hash = call.data.hash;
                    let Some(bytes) = capture.blobs.get(&hash) else {
                        return Err(BinaryError::BlobMissing { place, hash });
                    };
                    constants.insert(hash, bytes.clone());
                }
                _ => {}
            }
            commands.push(command.clone());
        }
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for tensor in &program.free_tensors {
            let role = tensor.role;
            let (name, buffer) = (tensor.name.clone(), tensor.buffer);
            let Some(call) = made.get(&buffer) else {
                return Err(BinaryProblem::NoBuffer { role, tensor: name, buffer }.into());
            };
            let pages = pages(tensor, call)?;
            match role {
                TensorRole::Input => inputs.push(BinaryTensor { name, buffer, pages }),
                TensorRole::Output => outputs.push(BinaryTensor { name, buffer, pages }),
            }
        }
        Ok(Self::new(name, commands, constants, inputs, outputs)?)
    }

    /// Declares inputs and outputs on a capture of a binary's calls, so that the capture becomes a binary.
    ///
    /// # Errors
    /// See [`BinaryError`]: tensors that break a rule of the format, and the errors of [`Self::from_capture`].
    pub fn declare(
        mut capture: Capture,
        inputs: &[BinaryTensor],
        outputs: &[BinaryTensor],
    ) -> Result<Capture, BinaryError> {
        let inputs = inputs.iter().map(|tensor| tensor.free(TensorRole::Input));
        let outputs = outputs.iter().map(|tensor| tensor.free(TensorRole::Output));
        capture.program.free_tensors = inputs.chain(outputs).collect();
        capture.validate()?;
        Self::from_capture("binary", &capture)?;
        Ok(capture)
    }

    /// Records the binary's calls, with its kernels and constants, and declares its tensors. The device must
    /// not have made a call; [`Device::modelled`] suffices, and runs nothing.
    ///
    /// # Errors
    /// See [`BinaryError`].
    pub fn to_capture(&self, device: &mut Device) -> Result<Capture, BinaryError> {
        let mut recording = device.capture(&CaptureOptions::default())?;
        for command in self.commands() {
            recording.make_call(command.clone(), self.blobs())?;
        }
        Self::declare(recording.end()?, self.inputs(), self.outputs())
    }
}

impl BinaryTensor {
    /// The tensor's declaration in a capture.
    fn free(&self, role: TensorRole) -> FreeTensor {
        let spec = self.pages.spec();
        let tile = match spec.layout() {
            Layout::RowMajor => None,
            Layout::Tile(tile) => Some(Shape2D { height: tile.height(), width: tile.width() }),
        };
        FreeTensor {
            role,
            name: self.name.clone(),
            buffer: self.buffer,
            shape: spec.shape().dimensions().to_vec(),
            data_format: format_of(spec.data_type()),
            tile,
        }
    }
}

/// The pages of a tensor in the memory and shards of its buffer.
fn pages(tensor: &FreeTensor, buffer: &CreateBuffer) -> Result<TensorPages, BinaryError> {
    let FreeTensor { role, name, shape, data_format, tile, .. } = tensor;
    let Some(data_type) = data_type_of(*data_format) else {
        let (role, tensor, format) = (*role, name.clone(), *data_format);
        return Err(BinaryError::Format { role, tensor, format });
    };
    let made = || {
        let layout = match tile {
            None => Layout::RowMajor,
            Some(tile) => Layout::Tile(TileShape::new(tile.height, tile.width)?),
        };
        let spec = TensorSpec::new(Shape::new(shape)?, data_type, layout)?;
        let sharding = buffer.shard_spec.as_ref().and_then(|spec| sharding(buffer.layout, spec));
        TensorPages::new(spec, &MemoryConfig { buffer_type: buffer.buffer_type, sharding })
    };
    made().map_err(|problem| BinaryError::Tensor { role: *role, tensor: name.clone(), problem })
}

/// The sharding of a tensor whose buffer has this shard specification.
fn sharding(layout: BufferLayout, spec: &ShardSpec) -> Option<TensorSharding> {
    let strategy = match layout {
        BufferLayout::Interleaved => return None,
        BufferLayout::HeightSharded => ShardStrategy::Height,
        BufferLayout::WidthSharded => ShardStrategy::Width,
        BufferLayout::BlockSharded => ShardStrategy::Block,
    };
    let ShardSpec { cores, shape, orientation, .. } = spec;
    let (cores, shape, orientation) = (cores.clone(), *shape, *orientation);
    Some(TensorSharding { strategy, cores, shape, orientation })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_a_format_of_its_own() {
        for data_type in DataType::ALL {
            let format = format_of(data_type);
            assert_eq!(data_type_of(format), Some(data_type));
            if let Some(size) = data_type.item_size() {
                assert_eq!(format.bits(), 8 * size, "{data_type}");
            }
        }
        let formats = DataFormat::ALL.into_iter().filter(|format| data_type_of(*format).is_some());
        assert_eq!(formats.count(), DataType::ALL.len());
    }
}
