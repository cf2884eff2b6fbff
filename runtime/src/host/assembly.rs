//! Launches of programs, assembled from kernels, arguments, semaphores and circular buffers.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use hallmark_chip::{DescribedBuffer, LogicalCore, Noc};
use hallmark_engine::launch::{
    CircularMemory, KernelLaunch, ProgramLaunch, ScratchpadLaunch, SemaphoreLaunch, TileLaunch,
};
use hallmark_schema::model::{
    ArgumentRelocation, BufferId, CommandKind, CoreArguments, Failure, NocId, ProgramId,
};

use super::circular_buffer_layout::assemble_circular_buffers;
use super::live_buffers::Buffers;
use super::opened::Opened;
use super::programs::Programs;
use super::resolution::Addresses;
use super::states::{Assembled, CircularBufferLayout, KernelState};
use crate::defects::{Defect, planted};
use crate::error::HostError;

/// A core's own arguments, and the relocations among them.
type OwnWords = (Arc<[u32]>, Arc<[ArgumentRelocation]>);

/// The launch of a program: the last one, unless something that it depends on has changed.
pub(super) fn assembled(
    opened: &Opened,
    buffers: &Buffers,
    programs: &mut Programs,
    program: ProgramId,
    layout: &CircularBufferLayout,
) -> Result<Arc<ProgramLaunch>, HostError> {
    let released = buffers.released();
    let state = programs.program(program).map_err(fail)?;
    let known = state.assembled.as_ref().filter(|known| known.released == released);
    if let Some(Assembled { launch, .. }) = known {
        return Ok(Arc::clone(launch));
    }
    let launch = Arc::new(assemble(opened, buffers, programs, program, layout)?);
    opened
        .check_kernel_config(&launch)
        .map_err(|(failure, detail)| fail(failure).detail(detail))?;
    let state = programs.program_mut(program).map_err(fail)?;
    state.assembled = Some(Assembled { launch: Arc::clone(&launch), released });
    Ok(launch)
}

fn fail(failure: Failure) -> HostError {
    HostError::new(CommandKind::EnqueueProgram, failure)
}

/// Everything that a launch needs, with addresses filled in: later calls do not change it.
fn assemble(
    opened: &Opened,
    buffers: &Buffers,
    programs: &Programs,
    program: ProgramId,
    layout: &CircularBufferLayout,
) -> Result<ProgramLaunch, HostError> {
    let addresses = Addresses::new(opened, buffers, programs);
    let state = programs.program(program).map_err(fail)?;
    let mut tiles: BTreeMap<LogicalCore, TileLaunch> = BTreeMap::new();
    for &id in &state.kernels {
        let kernel = programs.kernel(id).map_err(fail)?;
        let scratchpad = |index| layout.scratchpads.get(&(id, index)).copied();
        assemble_kernel(opened, addresses, program, kernel, &scratchpad, &mut tiles)?;
    }
    for &id in &state.semaphores {
        let semaphore = programs.semaphore(id).map_err(fail)?;
        for core in &semaphore.cores {
            if let Some(tile) = tiles.get_mut(core) {
                let (number, initial_value) = (semaphore.number, semaphore.initial_value);
                tile.semaphores.push(SemaphoreLaunch { number, initial_value });
            }
        }
    }
    assemble_circular_buffers(opened, programs, state, layout, &mut tiles).map_err(fail)?;
    let tiles: Vec<TileLaunch> = tiles.into_values().collect();
    let given = given_buffers(buffers, &tiles);
    Ok(ProgramLaunch::new(program, tiles).with_buffers(given))
}

/// The buffers that the arguments and circular buffers of tiles name, if they still have memory.
fn given_buffers(
    buffers: &Buffers,
    tiles: &[TileLaunch],
) -> BTreeMap<BufferId, Arc<DescribedBuffer>> {
    let mut given = BTreeMap::new();
    let mut last: Option<*const ArgumentRelocation> = None;
    let mut give = |buffer: BufferId| {
        if let Entry::Vacant(place) = given.entry(buffer)
            && let Some(described) = buffers.described(buffer)
        {
            place.insert(described);
        }
    };
    for tile in tiles {
        for relocations in tile.kernels.iter().flat_map(|kernel| &kernel.relocations) {
            // One vector is often shared by all cores.
            if last.replace(relocations.as_ptr()) == Some(relocations.as_ptr()) {
                continue;
            }
            relocations.iter().filter_map(|it| it.argument.buffer()).for_each(&mut give);
        }
        tile.circular_in_buffers.iter().for_each(|it| give(it.buffer));
    }
    given
}

/// Puts a kernel into the launches of its tiles.
fn assemble_kernel(
    opened: &Opened,
    addresses: Addresses<'_>,
    program: ProgramId,
    kernel: &KernelState,
    scratchpad: &dyn Fn(u32) -> Option<u64>,
    tiles: &mut BTreeMap<LogicalCore, TileLaunch>,
) -> Result<(), HostError> {
    let words = |kind: &str, values: &[u32], relocations: &[ArgumentRelocation]| {
        let resolved = addresses.resolve_arguments(program, values, relocations, scratchpad);
        resolved.map_err(|(failure, argument)| {
            let gone = matches!(failure, Failure::ReleasedObject { .. })
                .then(|| addresses.describe_gone(&kernel.name, kind, argument))
                .flatten();
            match gone {
                Some(gone) => fail(failure).detail(gone),
                None => fail(failure),
            }
        })
    };
    let common = &kernel.common_arguments;
    let common_relocations: Arc<[ArgumentRelocation]> = common.relocations.clone().into();
    let common: Arc<[u32]> = words("common ", &common.values, &common.relocations)?.into();
    let scratchpads = scratchpads_of(kernel, scratchpad);
    let none: Arc<[ArgumentRelocation]> = Arc::from([]);
    let name: Arc<str> = kernel.name.as_str().into();
    let noc = kernel.noc().map(|noc| match noc {
        NocId::Noc0 => Noc::Noc0,
        NocId::Noc1 => Noc::Noc1,
    });
    // One vector is often shared by all cores.
    let mut last: Option<(*const CoreArguments, OwnWords)> = None;
    for &core in &kernel.cores {
        let of_core = if planted(Defect::ArgumentsOfTheFirstCore) {
            kernel.arguments.values().next()
        } else {
            kernel.arguments.get(&core)
        };
        let (arguments, relocations): OwnWords = match of_core {
            None => (Arc::from([]), Arc::clone(&none)),
            Some(entry) => match &last {
                Some((same, words)) if *same == Arc::as_ptr(entry) => words.clone(),
                _ => {
                    let CoreArguments { values, relocations, .. } = &**entry;
                    let resolved = words("", values, relocations)?;
                    let words: OwnWords = (resolved.into(), relocations.clone().into());
                    last = Some((Arc::as_ptr(entry), words.clone()));
                    words
                }
            },
        };
        let tile = match tiles.entry(core) {
            Entry::Occupied(tile) => tile.into_mut(),
            Entry::Vacant(place) => {
                let noc = opened.noc_coordinate(core).map_err(fail)?;
                place.insert(TileLaunch::new(core, noc))
            }
        };
        let (images, common) = (kernel.images.clone(), Arc::clone(&common));
        let relocations = [relocations, Arc::clone(&common_relocations)];
        let (name, numbers) = (Arc::clone(&name), Arc::clone(&kernel.numbers));
        tile.circular_memory.extend(scratchpads.iter().map(|it| it.memory));
        tile.kernels.push(KernelLaunch {
            name,
            noc,
            numbers,
            images,
            arguments,
            common,
            relocations,
            scratchpads: Arc::clone(&scratchpads),
        });
    }
    Ok(())
}

/// The scratchpads of a kernel, which lie at the same place on all its cores.
fn scratchpads_of(
    kernel: &KernelState,
    address: &dyn Fn(u32) -> Option<u64>,
) -> Arc<[ScratchpadLaunch]> {
    let scratchpads = kernel.scratchpads().filter_map(|(argument, size)| {
        // The layout was checked against L1, so nothing is cut off.
        let memory = CircularMemory { address: address(argument)? as u32, size };
        Some(ScratchpadLaunch { argument, memory })
    });
    scratchpads.collect()
}
