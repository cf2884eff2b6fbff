//! Kernels, their arguments, and circular buffers.

use std::ffi::CString;

use hallmark_schema::commands;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, BufferType, DataMovementProcessor, KernelConfig, NocId,
    RelocatedArgument,
};

use super::numbers::{data_format, math_fidelity, narrow, ranges};
use super::{Metalium, Trouble};
use crate::interface::{CText, CircularBuffer, CircularBufferIndex, Kernel};

impl Metalium<'_> {
    pub(super) fn create_kernel(&mut self, call: &commands::CreateKernel) -> Result<(), Trouble> {
        let text = |text: &str| {
            CString::new(text).map_err(|_| Trouble::Capture("a text holds a zero".to_owned()))
        };
        let path = text(&self.sources.join(&call.source).display().to_string())?;
        let cores = ranges(&call.cores);
        let mut defines = Vec::new();
        for (name, value) in &call.defines {
            defines.push([text(name)?, text(value)?]);
        }
        let borrowed: Vec<[CText<'_>; 2]> = defines
            .iter()
            .map(|[name, value]| [name.as_c_str().into(), value.as_c_str().into()])
            .collect();
        let (cores, compile_args) = (cores.as_slice().into(), call.compile_args.as_slice().into());
        let defines = borrowed.as_slice().into();
        let kernel = Kernel::new(path.as_c_str().into(), cores, compile_args, defines);
        let kernel = match call.config {
            KernelConfig::DataMovement { processor, noc } => Kernel {
                processor: u32::from(processor == DataMovementProcessor::Riscv1),
                noc: u32::from(noc == NocId::Noc1),
                ..kernel
            },
            KernelConfig::Compute { math_fidelity: passes, fp32_dest_acc_en, math_approx_mode } => {
                Kernel {
                    is_compute: 1,
                    math_fidelity: math_fidelity(passes),
                    fp32_dest_acc_en: u32::from(fp32_dest_acc_en),
                    math_approx_mode: u32::from(math_approx_mode),
                    ..kernel
                }
            }
        };
        Ok(self.interface.create_kernel(call.kernel.0, call.program.0, &kernel)?)
    }

    pub(super) fn set_runtime_args(
        &mut self,
        call: &commands::SetRuntimeArgs,
    ) -> Result<(), Trouble> {
        for arguments in &call.args {
            let words = self.words(&arguments.values, &arguments.relocations)?;
            let cores = ranges(&arguments.cores);
            let (cores, words) = (cores.as_slice().into(), words.as_slice().into());
            self.interface.set_runtime_args(call.kernel.0, cores, words)?;
        }
        Ok(())
    }

    pub(super) fn create_circular_buffer(
        &mut self,
        call: &commands::CreateCircularBuffer,
    ) -> Result<(), Trouble> {
        let cores = ranges(&call.cores);
        let indices: Vec<CircularBufferIndex> = call
            .indices
            .iter()
            .map(|index| CircularBufferIndex {
                index: index.index,
                page_size: index.page_size,
                data_format: data_format(index.data_format),
            })
            .collect();
        let (buffer, address_offset) = match &call.globally_allocated_address {
            Some(address) => {
                (i64::from(self.buffer(address.buffer)?.whole.0), address.address_offset)
            }
            None => (-1, 0),
        };
        let made = CircularBuffer {
            cores: cores.as_slice().into(),
            total_size: narrow(call.total_size)?,
            indices: indices.as_slice().into(),
            buffer,
            address_offset,
        };
        let (id, program) = (call.circular_buffer.0, call.program.0);
        Ok(self.interface.create_circular_buffer(id, program, &made)?)
    }

    /// Arguments with everything filled in that the runtime fills in.
    pub(super) fn words(
        &mut self,
        values: &[u32],
        relocations: &[ArgumentRelocation],
    ) -> Result<Vec<u32>, Trouble> {
        let mut words = values.to_vec();
        for relocation in relocations {
            let value = self.word(relocation.argument)?;
            let word = usize::try_from(relocation.index).ok().and_then(|at| words.get_mut(at));
            let missing = || Trouble::Capture("a relocation lies behind the last word".to_owned());
            *word.ok_or_else(missing)? = value;
        }
        Ok(words)
    }

    pub(super) fn word(&mut self, argument: RelocatedArgument) -> Result<u32, Trouble> {
        match argument {
            RelocatedArgument::BufferAddress { buffer, offset } => {
                Ok(narrow(self.buffer(buffer)?.extent.address)?.wrapping_add(offset))
            }
            RelocatedArgument::SemaphoreAddress { .. } => {
                Err(Trouble::Capture("an argument holds a semaphore's address".to_owned()))
            }
            RelocatedArgument::CoreNocX { x, y } => Ok(self.worker_core(x.into(), y.into())?[0]),
            RelocatedArgument::CoreNocY { x, y } => Ok(self.worker_core(x.into(), y.into())?[1]),
            RelocatedArgument::ShardBankPair { buffer, pair } => {
                let first = u64::from(pair).saturating_mul(2);
                let low = self.shard_bank(buffer, first)?;
                let high = self.shard_bank(buffer, first.saturating_add(1))?;
                Ok(low | high << 16)
            }
        }
    }

    /// The bank of a shard as `TensorAccessor` reads it.
    pub(super) fn shard_bank(&mut self, buffer: BufferId, shard: u64) -> Result<u32, Trouble> {
        let state = self.buffer(buffer)?;
        let kind = state.extent.buffer_type;
        let Some(spec) = &state.shard_spec else {
            return Err(Trouble::Capture("a buffer without shards has no shard's bank".to_owned()));
        };
        let at = usize::try_from(shard).unwrap_or(usize::MAX);
        let Some(core) = spec.cores_in_order().nth(at) else { return Ok(0) };
        match kind {
            BufferType::Dram => Ok(core.x << 8),
            BufferType::L1 => {
                let [x, y] = self.worker_core(core.x, core.y)?;
                Ok(x << 8 | y)
            }
        }
    }

    pub(super) fn worker_core(&mut self, x: u32, y: u32) -> Result<[u32; 2], Trouble> {
        let mut core = [0; 2];
        self.interface.worker_core(x, y, &mut core)?;
        Ok(core)
    }
}
