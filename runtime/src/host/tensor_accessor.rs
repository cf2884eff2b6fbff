//! The arguments through which a kernel finds the pages of a buffer.

use hallmark_chip::ChipDescription;
use hallmark_schema::model::{BufferType, Failure, Sharding};

use super::allocator::page_stride;
use super::argument_vectors::Argument;
use super::device::Device;
use super::types::Buffer;

/// The words that a kernel's `TensorAccessorArgs` reads for a buffer (tt-metal `tensor_accessor_args.cpp`): a word
/// of flags, then the aligned page size, then for a sharded buffer its rank, its number of banks and the
/// sides of tensor and shard in pages.
///
/// The coordinates of a sharded buffer's banks are common runtime arguments, filled in by the runtime
/// (`ArgConfig::RuntimeBankCoords`): as compile-time arguments they would bind a capture to the place of
/// the cores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorAccessorArgs {
    compile_args: Vec<u32>,
    /// Numbers in front of the banks' coordinates that are common runtime arguments.
    common: Vec<u32>,
    /// Words of the banks' coordinates.
    pairs: u32,
}

/// `ArgConfig` of tt-metal's `tensor_accessor/arg_config.hpp`.
const SHARDED: u32 = 1 << 0;
const IS_DRAM: u32 = 1 << 1;
const RUNTIME_RANK: u32 = 1 << 2;
const RUNTIME_NUM_BANKS: u32 = 1 << 3;
const RUNTIME_TENSOR_SHAPE: u32 = 1 << 4;
const RUNTIME_SHARD_SHAPE: u32 = 1 << 5;
const RUNTIME_BANK_COORDS: u32 = 1 << 6;

impl TensorAccessorArgs {
    /// The arguments for a buffer.
    ///
    /// # Errors
    /// [`Failure::UnknownObject`] or [`Failure::ReleasedObject`].
    pub fn new(device: &Device, buffer: Buffer) -> Result<Self, Failure> {
        let extent = &device.host.buffers.get(buffer.id())?.extent;
        let (chip, buffer_type) = (device.description(), extent.buffer_type);
        Ok(match extent.mapping.sharding() {
            Some((sharding, _)) => Self::sharded(chip, buffer_type, extent.page_size, sharding),
            None => Self::interleaved(chip, buffer_type, extent.page_size),
        })
    }

    /// The arguments for an interleaved buffer on a chip, known before there is one.
    pub fn interleaved(chip: &ChipDescription, buffer_type: BufferType, page_size: u64) -> Self {
        let compile_args = vec![flags(buffer_type), aligned(chip, buffer_type, page_size)];
        Self { compile_args, common: Vec::new(), pairs: 0 }
    }

    /// The arguments for a sharded buffer on a chip, known before there is one.
    pub fn sharded(
        chip: &ChipDescription,
        buffer_type: BufferType,
        page_size: u64,
        sharding: &Sharding,
    ) -> Self {
        let (tensor, shard) = sharding.accessor_shapes();
        let word = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let mut compile_args = vec![
            flags(buffer_type) | SHARDED | RUNTIME_BANK_COORDS,
            aligned(chip, buffer_type, page_size),
            word(tensor.len() as u64),
            word(sharding.shards()),
        ];
        compile_args.extend(tensor);
        compile_args.extend(shard);
        let pairs = word(sharding.shards().div_ceil(2));
        Self { compile_args, common: Vec::new(), pairs }
    }

    /// The arguments for a buffer in that memory, sharded like that if at all, with the fewest compile-time arguments:
    /// all buffers of a kind share a build. The kernel gives its accessor the distance from page to page.
    pub fn at_run_time(buffer_type: BufferType, sharding: Option<&Sharding>) -> Self {
        // In the place of the page size, which a sharded buffer has among its compile-time arguments in any case.
        const NO_PAGE_SIZE: u32 = 0;
        let Some(sharding) = sharding else {
            let compile_args = vec![flags(buffer_type), NO_PAGE_SIZE];
            return Self { compile_args, common: Vec::new(), pairs: 0 };
        };
        let (tensor, shard) = sharding.accessor_shapes();
        let word = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let mut common = vec![word(tensor.len() as u64), word(sharding.shards())];
        common.extend(tensor);
        common.extend(shard);
        let shapes = RUNTIME_RANK | RUNTIME_NUM_BANKS | RUNTIME_TENSOR_SHAPE | RUNTIME_SHARD_SHAPE;
        let flags = flags(buffer_type) | SHARDED | shapes | RUNTIME_BANK_COORDS;
        let pairs = word(sharding.shards().div_ceil(2));
        Self { compile_args: vec![flags, NO_PAGE_SIZE], common, pairs }
    }

    /// The words to append to a kernel's compile-time arguments.
    pub fn compile_args(&self) -> &[u32] {
        &self.compile_args
    }

    /// The number of common runtime arguments that the accessor takes.
    pub fn common_runtime_arg_count(&self) -> u32 {
        (self.common.len() as u32).saturating_add(self.pairs)
    }

    /// The words to append to a kernel's common runtime arguments.
    pub fn common_runtime_args(&self, buffer: Buffer) -> impl Iterator<Item = Argument> + use<> {
        let pairs = (0..self.pairs).map(move |pair| Argument::ShardBankPair { buffer, pair });
        self.common.clone().into_iter().map(Argument::Value).chain(pairs)
    }

    /// The first of these, which are plain numbers.
    pub fn common_numbers(&self) -> &[u32] {
        &self.common
    }

    /// The number of pairs of banks behind the numbers.
    pub const fn bank_pairs(&self) -> u32 {
        self.pairs
    }
}

const fn flags(buffer_type: BufferType) -> u32 {
    match buffer_type {
        BufferType::Dram => IS_DRAM,
        BufferType::L1 | BufferType::L1Small => 0,
    }
}

/// Pages lie in 32-bit memories: a larger one cannot be allocated.
fn aligned(chip: &ChipDescription, buffer_type: BufferType, page_size: u64) -> u32 {
    let stride = page_stride(chip, buffer_type, page_size);
    stride.and_then(|stride| u32::try_from(stride).ok()).unwrap_or(u32::MAX)
}
