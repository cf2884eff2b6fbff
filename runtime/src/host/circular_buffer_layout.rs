//! The addresses of a program's circular buffers and scratchpads, and their entries in a launch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hallmark_chip::LogicalCore;
use hallmark_device_code::CircularBufferSlot;
use hallmark_engine::launch::{CircularInBuffer, CircularMemory, TileLaunch};
use hallmark_schema::model::{CircularBufferId, CommandKind, Failure, ObjectKind, ProgramId};

use super::call_log::CallLog;
use super::live_buffers::Buffers;
use super::opened::Opened;
use super::programs::Programs;
use super::states::{CircularBufferLayout, ProgramState};
use crate::defects::{Defect, planted};
use crate::error::{CallError, HostError};

/// The addresses of a program's circular buffers; fails if circular buffers cannot lie there.
pub(super) fn lay_out_circular_buffers(
    opened: &Opened,
    buffers: &Buffers,
    programs: &mut Programs,
    calls: &mut CallLog,
    program: ProgramId,
    name: &str,
) -> Result<Arc<CircularBufferLayout>, CallError> {
    let fail = |failure| HostError::new(CommandKind::EnqueueProgram, failure).named(name);
    let state = programs.program(program).map_err(fail)?;
    let first = !state.compiled;
    let layout = match &state.layout {
        Some(layout) => Arc::clone(layout),
        None => Arc::new(place_circular_buffers(opened, programs, state).map_err(fail)?),
    };
    let members = if first { state.circular_buffers.clone() } else { Vec::new() };
    let state = programs.program_mut(program).map_err(fail)?;
    state.compiled = true;
    state.layout = Some(Arc::clone(&layout));
    for id in members {
        if let Some(address) = circular_buffer_address(programs, id, &layout) {
            calls.recorder().address(ObjectKind::CircularBuffer, id.0, address)?;
        }
    }
    check_layout(opened, buffers, programs, program, &layout)
        .map_err(|(failure, detail)| fail(failure).detail(detail))?;
    Ok(layout)
}

fn circular_buffer_address(
    programs: &Programs,
    id: CircularBufferId,
    layout: &CircularBufferLayout,
) -> Option<u64> {
    let state = programs.circular_buffer(id).ok()?;
    state.global.map(|place| place.address).or_else(|| layout.addresses.get(&id).copied())
}

/// Circular buffers grow from the base up, in the order of their creation, each at the same
/// address on all its cores and aligned as DRAM pages are. Scratchpads follow in the same way, kernel by kernel.
fn place_circular_buffers(
    opened: &Opened,
    programs: &Programs,
    state: &ProgramState,
) -> Result<CircularBufferLayout, Failure> {
    let description = opened.description();
    let alignment = if planted(Defect::CircularBuffersPacked) {
        description.l1_alignment
    } else {
        description.dram_alignment
    };
    let alignment = u64::from(alignment);
    let base = opened.l1().base;
    let mut layout = CircularBufferLayout::default();
    for &id in &state.circular_buffers {
        let buffer = programs.circular_buffer(id)?;
        if buffer.global.is_some() {
            continue;
        }
        let address = layout.place(&buffer.cores, buffer.total_size, base, alignment);
        layout.addresses.insert(id, address);
    }
    for &id in &state.kernels {
        let kernel = programs.kernel(id)?;
        for (index, size) in kernel.scratchpads() {
            let address = layout.place(&kernel.cores, size.into(), base, alignment);
            layout.scratchpads.insert((id, index), address);
        }
    }
    Ok(layout)
}

impl CircularBufferLayout {
    /// Takes the lowest memory that is free on all of some cores, and gives its address.
    fn place(
        &mut self,
        cores: &BTreeSet<LogicalCore>,
        size: u64,
        base: u64,
        alignment: u64,
    ) -> u64 {
        let above = cores.iter().filter_map(|core| self.ends.get(core).copied()).max();
        let above = above.unwrap_or(base);
        let address = above.saturating_add(alignment - 1) / alignment * alignment;
        let end = address.saturating_add(size);
        self.ends.extend(cores.iter().map(|&core| (core, end)));
        address
    }
}

fn check_layout(
    opened: &Opened,
    buffers: &Buffers,
    programs: &Programs,
    program: ProgramId,
    layout: &CircularBufferLayout,
) -> Result<(), (Failure, String)> {
    let l1_size = opened.description().l1_size;
    let lowest = buffers.lowest_in_l1();
    for (&core, &end) in &layout.ends {
        if end > l1_size {
            let failure = Failure::CircularBuffersBeyondL1 { program, core };
            let last = last_on(programs, layout, core, end);
            return Err((failure, format!("{last} ends at {end:#x}, but L1 has {l1_size:#x} B")));
        }
        if let Some(lowest) =
            lowest.filter(|&lowest| end > lowest && !planted(Defect::ClashIgnored))
        {
            let failure = Failure::CircularBuffersClash { program, core };
            let last = last_on(programs, layout, core, end);
            let buffer = buffers.named_at(lowest);
            let detail = format!("{last} ends at {end:#x}, but {buffer} lies at {lowest:#x}");
            return Err((failure, detail));
        }
    }
    Ok(())
}

/// The circular buffer or scratchpad of a core that ends at an address, with its size: "circular buffer `room` of
/// 524288 B".
fn last_on(
    programs: &Programs,
    layout: &CircularBufferLayout,
    core: LogicalCore,
    end: u64,
) -> String {
    let mut scratchpads = layout.scratchpads.iter().filter_map(|(&(id, argument), address)| {
        let kernel = programs.kernel(id).ok()?;
        let (_, size) = kernel.scratchpads().find(|(index, _)| *index == argument)?;
        let ends = address.saturating_add(size.into()) == end;
        (ends && kernel.cores.contains(&core)).then(|| {
            format!(
                "the scratchpad of {size} B that common argument {argument} of kernel `{}` makes",
                kernel.name
            )
        })
    });
    if let Some(scratchpad) = scratchpads.next_back() {
        return scratchpad;
    }
    let mut buffers = layout.addresses.iter().filter_map(|(&id, address)| {
        let buffer = programs.circular_buffer(id).ok()?;
        let ends = address.saturating_add(buffer.total_size) == end;
        (ends && buffer.cores.contains(&core)).then_some(buffer)
    });
    buffers.next_back().map_or_else(
        || "the last circular buffer".to_owned(),
        |buffer| format!("circular buffer `{}` of {} B", buffer.name, buffer.total_size),
    )
}

/// Puts circular buffers into a launch, as they are now.
pub(super) fn assemble_circular_buffers(
    opened: &Opened,
    programs: &Programs,
    state: &ProgramState,
    layout: &CircularBufferLayout,
    tiles: &mut BTreeMap<LogicalCore, TileLaunch>,
) -> Result<(), Failure> {
    for &id in &state.circular_buffers {
        let buffer = programs.circular_buffer(id)?;
        for index in &buffer.indices {
            opened.check_page_size(index.index, buffer.total_size, index.page_size)?;
        }
        let address = circular_buffer_address(programs, id, layout).unwrap_or(0);
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
