//! Kernels, their arguments, and circular buffers.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::PathBuf;

use hallmark_chip::ChipDescription;
use hallmark_device_code::bindings::generated_main;
use hallmark_schema::commands;
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, BufferType, ContentHash, DataMovementProcessor, KernelBindings,
    KernelConfig, NocId, NocMode, RelocatedArgument, TileShape, UnpackToDestMode,
};

use super::numbers::{narrow, ranges};
use super::{Metalium, Trouble};
use crate::interface::{
    CText, CircularBuffer, CircularBufferIndex, Kernel, NamedCompileArg, Scratchpad,
};
use crate::release::UnpackToDestModes;

/// The scratchpads that common arguments make.
pub(super) fn scratchpads(relocations: &[ArgumentRelocation]) -> Vec<Scratchpad> {
    let made = relocations.iter().filter_map(ArgumentRelocation::scratchpad);
    made.map(|(argument, size)| Scratchpad { argument, size }).collect()
}

impl Metalium<'_> {
    pub(super) fn create_kernel(&mut self, call: &commands::CreateKernel) -> Result<(), Trouble> {
        let text = |text: &str| {
            CString::new(text).map_err(|_| Trouble::Capture("a text holds a zero".to_owned()))
        };
        let file = match &call.bindings {
            None => self.sources.join(&call.source),
            Some(bindings) => self.with_bindings(&call.source, bindings)?,
        };
        let path = text(&file.display().to_string())?;
        let cores = ranges(&call.cores);
        let mut defines = Vec::new();
        for (name, value) in &call.defines {
            defines.push([text(name)?, text(value)?]);
        }
        let borrowed: Vec<[CText<'_>; 2]> = defines
            .iter()
            .map(|[name, value]| [name.as_c_str().into(), value.as_c_str().into()])
            .collect();
        let mut names = Vec::new();
        for (name, value) in &call.named_compile_args {
            names.push((text(name)?, *value));
        }
        let named: Vec<NamedCompileArg<'_>> = names
            .iter()
            .map(|(name, value)| NamedCompileArg { name: name.as_c_str().into(), value: *value })
            .collect();
        // A recorded program's own includes take precedence over installed ones.
        let is_recorded =
            self.capture.record.as_ref().is_some_and(|record| record.origin.is_some());
        let sources = if is_recorded { self.sources.display().to_string() } else { String::new() };
        let include_path = text(&sources)?;
        let (cores, compile_args) = (cores.as_slice().into(), call.compile_args.as_slice().into());
        let numbers = self.release.numbers();
        let opt_level = call.opt_level.map(|level| numbers.opt_level.number(level));
        let kernel = Kernel {
            // -1 is upstream's default.
            opt_level: opt_level.and_then(|level| i32::try_from(level).ok()).unwrap_or(-1),
            ..Kernel::new(
                path.as_c_str().into(),
                cores,
                compile_args,
                borrowed.as_slice().into(),
                named.as_slice().into(),
                include_path.as_c_str().into(),
            )
        };
        let modes;
        let kernel = match &call.config {
            KernelConfig::DataMovement { processor, noc, noc_mode } => Kernel {
                processor: u32::from(*processor == DataMovementProcessor::Riscv1),
                noc: u32::from(*noc == NocId::Noc1),
                noc_mode: u32::from(*noc_mode == NocMode::Dynamic),
                ..kernel
            },
            KernelConfig::Compute {
                math_fidelity: passes,
                fp32_dest_acc_en,
                math_approx_mode,
                dst_full_sync_en,
                unpack_to_dest_mode,
                bfp8_pack_precise,
            } => {
                modes = self.unpack_modes(unpack_to_dest_mode);
                Kernel {
                    is_compute: 1,
                    math_fidelity: numbers.math_fidelity.number(*passes),
                    fp32_dest_acc_en: u32::from(*fp32_dest_acc_en),
                    math_approx_mode: u32::from(*math_approx_mode),
                    dst_full_sync_en: u32::from(*dst_full_sync_en),
                    bfp8_pack_precise: u32::from(*bfp8_pack_precise),
                    unpack_to_dest_mode: modes.as_slice().into(),
                    ..kernel
                }
            }
        };
        self.interface.create_kernel(call.kernel.0, call.program.0, &kernel)?;
        self.note(|programs| programs.add_kernel(call));
        Ok(())
    }

    /// Writes a file beside a source that includes it between the release's definitions of its generated names and the
    /// `kernel_main` of its entry. Upstream generates both for a `ProgramSpec` alone.
    fn with_bindings(&self, source: &str, bindings: &KernelBindings) -> Result<PathBuf, Trouble> {
        let definitions = self.release.bindings().headers(bindings);
        let definitions = definitions.map_err(|error| Trouble::Capture(error.to_string()))?;
        let path = self.sources.join(source);
        let unusable = |error: std::io::Error| {
            Trouble::Capture(format!("the source {source} cannot be used: {error}"))
        };
        let main = generated_main(&std::fs::read(&path).map_err(unusable)?).unwrap_or_default();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = format!("{definitions}#include \"{name}\"\n{main}");
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{stem}-{}.cpp", ContentHash::of(text.as_bytes()).short());
        let place = path.with_file_name(name);
        std::fs::write(&place, text).map_err(unusable)?;
        Ok(place)
    }

    fn unpack_modes(&self, modes: &BTreeMap<u32, UnpackToDestMode>) -> Vec<u8> {
        let count = ChipDescription::of(self.capture.program.architecture).circular_buffers;
        unpack_modes(modes, count, &self.release.numbers().unpack_to_dest_mode)
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
            self.note(|programs| programs.set_arguments(call.kernel, arguments));
        }
        Ok(())
    }

    pub(super) fn create_circular_buffer(
        &mut self,
        call: &commands::CreateCircularBuffer,
    ) -> Result<(), Trouble> {
        let cores = ranges(&call.cores);
        let formats = self.release.numbers().data_format;
        let indices: Vec<CircularBufferIndex> = call
            .indices
            .iter()
            .map(|index| CircularBufferIndex {
                index: index.index,
                page_size: index.page_size,
                data_format: formats.number(index.data_format),
                has_tile: u32::from(index.tile.is_some()),
                tile: index.tile.map_or([0; 4], |TileShape { shape, face_shape, .. }| {
                    [shape.height, shape.width, face_shape.height, face_shape.width]
                }),
                transposes_tile: u32::from(index.tile.is_some_and(|tile| tile.transpose)),
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

    /// Arguments with every relocated word filled in.
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
            // Upstream fills it in.
            RelocatedArgument::ScratchpadAddress { .. } => Ok(0),
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

    /// The bank of a shard in the form that `TensorAccessor` reads.
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
            BufferType::L1 | BufferType::L1Small => {
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

/// A mode for each circular buffer of a core; empty if all have the default.
fn unpack_modes(
    modes: &BTreeMap<u32, UnpackToDestMode>,
    count: u32,
    known: &UnpackToDestModes,
) -> Vec<u8> {
    if modes.is_empty() {
        return Vec::new();
    }
    let number = |mode: &UnpackToDestMode| known.number(*mode);
    let numbers = (0..count).map(|index| modes.get(&index).map_or(known.default_mode, number));
    numbers.map(|number| u8::try_from(number).unwrap_or(u8::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReleaseDescription;

    /// `base_types.hpp`: `enum class UnpackToDestMode : uint8_t { UnpackToDestFp32, Default }`.
    #[test]
    fn a_circular_buffer_that_is_not_named_has_the_default_mode() {
        for release in ["0.78.0", "0.79.0", "0.80.0", "0.81.1"] {
            let known = ReleaseDescription::of_version(release).unwrap().numbers();
            let of = |modes: &[(u32, UnpackToDestMode)]| {
                unpack_modes(&modes.iter().copied().collect(), 4, &known.unpack_to_dest_mode)
            };
            assert_eq!(of(&[(1, UnpackToDestMode::UnpackToDestFp32)]), [1, 0, 1, 1], "{release}");
            assert_eq!(of(&[]), Vec::<u8>::new(), "{release}");
        }
    }
}
