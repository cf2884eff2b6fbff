//! Launches as a device that checks programs is told of them.

use std::sync::Arc;

use hallmark_chip::{
    ArgumentMeaning, DescribedArguments, DescribedCircularBuffer, DescribedImage, DescribedKernel,
    DescribedScratchpad, DescribedSemaphore, LaunchDescription, PhysicalCoordinate, TileAddress,
};
use hallmark_device_code::SEMAPHORE_STRIDE;
use hallmark_schema::model::{ArgumentRelocation, RelocatedArgument};

use super::TileLayout;
use crate::chip::Chip;
use crate::launch::{CircularMemory, ProgramLaunch, ScratchpadLaunch, SemaphoreLaunch, TileLaunch};
use crate::stop::RawStop;

/// The description of a launch that was laid out on a tile.
pub(crate) fn description(
    chip: &Chip,
    program: &ProgramLaunch,
    launch: &TileLaunch,
    layout: &TileLayout,
) -> Arc<LaunchDescription> {
    let region = chip.firmware().memory().kernel_config.start;
    let semaphore = |&SemaphoreLaunch { number, .. }: &SemaphoreLaunch| DescribedSemaphore {
        number,
        address: region.saturating_add(number.saturating_mul(SEMAPHORE_STRIDE)),
    };
    let number = |buffer| program.buffers.get(&buffer).map(|buffer| buffer.number);
    let slots = (0..).zip(&launch.circular_buffers).filter(|(_, slot)| slot.size > 0);
    let circular_buffers = slots.map(|(index, slot)| {
        let place = usize::try_from(index).ok();
        let lies = launch.circular_in_buffers.iter().find(|lies| Some(lies.index) == place);
        DescribedCircularBuffer {
            index,
            address: slot.address,
            size: slot.size,
            page_size: slot.page_size,
            pages: slot.num_pages,
            buffer: lies.and_then(|lies| number(lies.buffer)),
        }
    });
    let mut buffers: Vec<_> = program.buffers.values().map(Arc::clone).collect();
    buffers.sort_by_key(|buffer| buffer.number);
    buffers.dedup_by_key(|buffer| buffer.number);
    Arc::new(LaunchDescription {
        version: LaunchDescription::VERSION,
        program: program.program.0,
        size: u32::try_from(layout.words.len()).unwrap_or(u32::MAX),
        kernels: kernels(program, launch, layout),
        circular_buffers: circular_buffers.collect(),
        semaphores: launch.semaphores.iter().map(semaphore).collect(),
        buffers,
        ends_by_return: false,
        arguments_until: None,
        reserved: Arc::clone(chip.reserved()),
    })
}

fn kernels(
    program: &ProgramLaunch,
    launch: &TileLaunch,
    layout: &TileLayout,
) -> Vec<DescribedKernel> {
    let mut bases = layout.bases.iter();
    let kernels = launch.kernels.iter().zip(layout.arguments.iter());
    kernels
        .map(|(kernel, &[unique, common])| {
            let [own_relocations, common_relocations] = &kernel.relocations;
            let images = kernel.images.iter().zip(&mut bases).map(|((processor, image), &base)| {
                let at = |offset: u32| base.saturating_add(offset);
                let after = image.after_kernel_main().unwrap_or_default();
                DescribedImage {
                    processor: *processor,
                    entry: at(image.entry()),
                    code: base..at(image.size()),
                    waits_after: after.iter().map(|it| at(it.start)..at(it.end)).collect(),
                    table: image.circular_buffer_table(*processor),
                }
            });
            DescribedKernel {
                name: Arc::clone(&kernel.name),
                noc: kernel.noc,
                numbers: Arc::clone(&kernel.numbers),
                unique_arguments: arguments(program, unique, &kernel.arguments, own_relocations),
                common_arguments: arguments(program, common, &kernel.common, common_relocations),
                scratchpads: kernel.scratchpads.iter().map(scratchpad).collect(),
                images: images.collect(),
            }
        })
        .collect()
}

fn scratchpad(it: &ScratchpadLaunch) -> DescribedScratchpad {
    let CircularMemory { address, size } = it.memory;
    DescribedScratchpad { argument: it.argument, address, size }
}

fn arguments(
    program: &ProgramLaunch,
    address: u32,
    words: &[u32],
    relocations: &[ArgumentRelocation],
) -> DescribedArguments {
    let meanings = relocations.iter().filter_map(|&ArgumentRelocation { index, argument }| {
        let meaning = match argument {
            RelocatedArgument::BufferAddress { buffer, .. }
            | RelocatedArgument::ShardBankPair { buffer, .. } => {
                ArgumentMeaning::Buffer(program.buffers.get(&buffer)?.number)
            }
            RelocatedArgument::SemaphoreAddress { .. } => ArgumentMeaning::Semaphore,
            RelocatedArgument::CoreNocX { .. } | RelocatedArgument::CoreNocY { .. } => {
                ArgumentMeaning::Coordinate
            }
            RelocatedArgument::ScratchpadAddress { .. } => ArgumentMeaning::Scratchpad,
        };
        Some((index, meaning))
    });
    let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
    DescribedArguments { address, count, meanings: meanings.collect() }
}

/// Describes the launches that begin on a tile from now on.
///
/// # Errors
/// The device's.
pub(crate) fn describe_launches(
    chip: &mut Chip,
    tile: PhysicalCoordinate,
    block: u32,
    launches: &[Arc<LaunchDescription>],
) -> Result<(), RawStop> {
    chip.access().describe_launches(tile, TileAddress(block.into()), launches)?;
    Ok(())
}
