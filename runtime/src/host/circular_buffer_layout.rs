//! Where the circular buffers of a program lie, and what a launch of it holds of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::LogicalCore;
use hallmark_device_code::CircularBufferSlot;
use hallmark_engine::launch::{CircularInBuffer, CircularMemory, TileLaunch};
use hallmark_schema::model::{CircularBufferId, CommandKind, Failure, ObjectKind, ProgramId};

use super::Host;
use super::states::{CircularBufferLayout, ProgramState};
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};

impl Host {
    /// Where a program's circular buffers lie now; fails if they cannot lie there.
    pub(super) fn lay_out_circular_buffers(
        &mut self,
        program: ProgramId,
        name: &str,
    ) -> Result<Arc<CircularBufferLayout>, CallError> {
        let fail = |failure| HostError::new(CommandKind::EnqueueProgram, failure).named(name);
        let state = self.objects.programs.get(program.0).map_err(fail)?;
        let first = !state.compiled;
        let layout = match &state.layout {
            Some(layout) => Arc::clone(layout),
            None => Arc::new(self.place_circular_buffers(state).map_err(fail)?),
        };
        let members = if first { state.circular_buffers.clone() } else { Vec::new() };
        let state = self.objects.programs.get_mut(program.0).map_err(fail)?;
        state.compiled = true;
        state.layout = Some(Arc::clone(&layout));
        for id in members {
            if let Some(address) = self.circular_buffer_address(id, &layout) {
                self.recorder.address(ObjectKind::CircularBuffer, id.0, address)?;
            }
        }
        self.check_layout(program, &layout)
            .map_err(|(failure, detail)| fail(failure).detail(detail))?;
        Ok(layout)
    }

    fn circular_buffer_address(
        &self,
        id: CircularBufferId,
        layout: &CircularBufferLayout,
    ) -> Option<u64> {
        let state = self.objects.circular_buffers.get(id.0).ok()?;
        state.global.map(|place| place.address).or_else(|| layout.addresses.get(&id).copied())
    }

    /// Circular buffers grow from the base up, in the order of their creation, each at the same
    /// address on all its cores and aligned as DRAM pages are.
    fn place_circular_buffers(
        &self,
        state: &ProgramState,
    ) -> Result<CircularBufferLayout, Failure> {
        let description = self.description;
        let alignment = if planted(Defect::CircularBuffersPacked) {
            description.l1_alignment
        } else {
            description.dram_alignment
        };
        let alignment = u64::from(alignment);
        let base = self.l1_base;
        let mut layout = CircularBufferLayout::default();
        for &id in &state.circular_buffers {
            let buffer = self.objects.circular_buffers.get(id.0)?;
            if buffer.global.is_some() {
                continue;
            }
            let above = buffer
                .cores
                .iter()
                .filter_map(|core| layout.ends.get(core).copied())
                .max()
                .unwrap_or(base);
            let address = above.saturating_add(alignment - 1) / alignment * alignment;
            layout.addresses.insert(id, address);
            let end = address.saturating_add(buffer.total_size);
            layout.ends.extend(buffer.cores.iter().map(|&core| (core, end)));
        }
        Ok(layout)
    }

    fn check_layout(
        &self,
        program: ProgramId,
        layout: &CircularBufferLayout,
    ) -> Result<(), (Failure, String)> {
        let l1_size = self.description.l1_size;
        let lowest = self.lowest_l1_buffer();
        for (&core, &end) in &layout.ends {
            if end > l1_size {
                let failure = Failure::CircularBuffersBeyondL1 { program, core };
                return Err((
                    failure,
                    format!("the circular buffers end at {end:#x}, but L1 has {l1_size:#x} B"),
                ));
            }
            if let Some(lowest) =
                lowest.filter(|&lowest| end > lowest && !planted(Defect::ClashIgnored))
            {
                let failure = Failure::CircularBuffersClash { program, core };
                let detail = format!(
                    "the circular buffers end at {end:#x}, but the lowest L1 buffer lies at {lowest:#x}"
                );
                return Err((failure, detail));
            }
        }
        Ok(())
    }

    /// Puts circular buffers into a launch, as they are now.
    pub(super) fn assemble_circular_buffers(
        &self,
        state: &ProgramState,
        layout: &CircularBufferLayout,
        tiles: &mut BTreeMap<LogicalCore, TileLaunch>,
    ) -> Result<(), Failure> {
        for &id in &state.circular_buffers {
            let buffer = self.objects.circular_buffers.get(id.0)?;
            for index in &buffer.indices {
                self.check_page_size(index.index, buffer.total_size, index.page_size)?;
            }
            let address = self.circular_buffer_address(id, layout).unwrap_or(0);
            // Checked against L1 or its buffer before, so nothing is cut off.
            let (address, size) = (address as u32, buffer.total_size as u32);
            for core in &buffer.cores {
                let Some(tile) = tiles.get_mut(core) else { continue };
                if buffer.global.is_none() {
                    tile.circular_memory.push(CircularMemory { address, size });
                }
                for index in &buffer.indices {
                    let place = index.index as usize;
                    if let Some(global) = &buffer.global {
                        let (buffer, offset) = (global.buffer, global.offset);
                        let lies = CircularInBuffer { index: place, buffer, offset };
                        tile.circular_in_buffers.push(lies);
                    }
                    if tile.circular_buffers.len() <= place {
                        tile.circular_buffers.resize(place + 1, CircularBufferSlot::default());
                    }
                    if let Some(slot) = tile.circular_buffers.get_mut(place) {
                        *slot = CircularBufferSlot {
                            address,
                            size,
                            num_pages: size / index.page_size.max(1)
                                + u32::from(planted(Defect::OnePageTooMany)),
                            page_size: index.page_size,
                        };
                    }
                }
            }
        }
        Ok(())
    }
}
