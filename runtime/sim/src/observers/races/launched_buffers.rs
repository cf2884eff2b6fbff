//! Circular buffers of launches that messages tell of: memory that no host has annotated.
//!
//! A launch's circular buffers are known while its kernels run, and as long afterwards as another tile of the program
//! may still write there: until another launch begins on the tile, or another program begins after all kernels of this
//! one. A program that was not stated counts as another one.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use hallmark_chip::{LaunchDescription, PhysicalCoordinate, Processor};

use crate::machine::observer::CoreAt;

/// The last launch of a tile.
#[derive(Debug)]
struct Launched {
    launch: Arc<LaunchDescription>,
    /// Processors, by bit, whose kernels have not ended.
    running: u8,
    /// Ascending by the first byte.
    buffers: Vec<Range<u64>>,
}

/// By tile.
#[derive(Debug, Default)]
pub(super) struct LaunchedBuffers(BTreeMap<PhysicalCoordinate, Launched>);

const fn bit(processor: Processor) -> u8 {
    1 << processor.index()
}

/// Whether all kernels of a launch move data. The coprocessor's accesses for another runtime's kernels are not checked in memory
/// that the host has not stated.
fn moves_data(launch: &LaunchDescription) -> bool {
    let mut images = launch.kernels.iter().flat_map(|kernel| &kernel.images);
    images.all(|image| image.processor.is_data_movement())
}

impl Launched {
    fn new(launch: &Arc<LaunchDescription>) -> Self {
        let images = launch.kernels.iter().flat_map(|kernel| &kernel.images);
        let running = images.fold(0, |running, image| running | bit(image.processor));
        let known = launch.circular_buffers.iter().filter(|_| moves_data(launch));
        let range = |address, size| u64::from(address)..u64::from(address) + u64::from(size);
        let mut buffers: Vec<_> = known.map(|it| range(it.address, it.size)).collect();
        buffers.sort_unstable_by_key(|range| range.start);
        Self { launch: Arc::clone(launch), running, buffers }
    }
}

impl LaunchedBuffers {
    /// A kernel of a launch begins on a core.
    pub(super) fn begin(&mut self, core: CoreAt, launch: &Arc<LaunchDescription>) {
        let is_it = |last: &Launched| Arc::ptr_eq(&last.launch, launch);
        if !launch.ends_by_return || self.0.get(&core.at).is_some_and(is_it) {
            return;
        }
        self.forget_before(core.at, Some(launch.program));
        self.0.insert(core.at, Launched::new(launch));
    }

    /// A kernel whose program was not stated begins on a core: the program may have other memory there.
    pub(super) fn begin_unknown(&mut self, core: CoreAt) {
        self.forget_before(core.at, None);
    }

    /// A program begins on a tile.
    fn forget_before(&mut self, tile: PhysicalCoordinate, program: Option<u32>) {
        self.0.remove(&tile);
        let running = self.0.values().filter(|last| last.running != 0);
        let programs: Vec<u32> = running.map(|last| last.launch.program).chain(program).collect();
        self.0.retain(|_, last| programs.contains(&last.launch.program));
    }

    /// The kernel of a core has ended, or is held in reset.
    pub(super) fn end(&mut self, core: CoreAt) {
        if let Some(last) = self.0.get_mut(&core.at) {
            last.running &= !bit(core.processor);
        }
    }

    /// Whether a byte lies in a circular buffer of a tile.
    pub(super) fn hold(&self, tile: PhysicalCoordinate, address: u64) -> bool {
        self.of(tile).any(|range| range.contains(&address))
    }

    /// The start of the first circular buffer at or behind an address.
    pub(super) fn next(&self, tile: PhysicalCoordinate, address: u64) -> Option<u64> {
        self.of(tile).map(|range| range.start).find(|start| *start >= address)
    }

    fn of(&self, tile: PhysicalCoordinate) -> impl Iterator<Item = &Range<u64>> {
        self.0.get(&tile).into_iter().flat_map(|last| &last.buffers)
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{
        DescribedArguments, DescribedCircularBuffer, DescribedImage, DescribedKernel,
    };

    use super::*;

    const TILE: PhysicalCoordinate = PhysicalCoordinate { x: 1, y: 1 };
    const OTHER: PhysicalCoordinate = PhysicalCoordinate { x: 2, y: 1 };

    fn launch(
        program: u32,
        processors: &[Processor],
        buffers: &[(u32, u32)],
    ) -> Arc<LaunchDescription> {
        let image = |&processor: &Processor| DescribedImage {
            processor,
            entry: 0x1000,
            code: 0x1000..0x1040,
            waits_after: Vec::new(),
            table: None,
        };
        let kernel = DescribedKernel {
            name: "k".into(),
            noc: None,
            numbers: [].into(),
            unique_arguments: DescribedArguments::default(),
            common_arguments: DescribedArguments::default(),
            scratchpads: Vec::new(),
            images: processors.iter().map(image).collect(),
        };
        let buffers = buffers.iter().map(|&(address, size)| DescribedCircularBuffer {
            index: 0,
            address,
            size,
            page_size: 16,
            pages: size / 16,
            buffer: None,
        });
        Arc::new(LaunchDescription {
            program,
            kernels: vec![kernel],
            circular_buffers: buffers.collect(),
            ends_by_return: true,
            ..LaunchDescription::default()
        })
    }

    fn core(at: PhysicalCoordinate, processor: Processor) -> CoreAt {
        CoreAt { tile: 0, at, processor }
    }

    const BOTH: [Processor; 2] = [Processor::Brisc, Processor::Ncrisc];

    #[test]
    fn another_launch_on_the_tile_has_buffers_of_its_own() {
        let mut buffers = LaunchedBuffers::default();
        buffers.begin(core(TILE, Processor::Brisc), &launch(1, &BOTH, &[(0x200, 64), (0x100, 32)]));
        let held = |buffers: &LaunchedBuffers, addresses: &[u64]| -> Vec<bool> {
            addresses.iter().map(|address| buffers.hold(TILE, *address)).collect()
        };
        assert_eq!(held(&buffers, &[0xFF, 0x100, 0x11F]), [false, true, true]);
        assert_eq!(held(&buffers, &[0x120, 0x200, 0x240]), [false, true, false]);
        let next = |address| buffers.next(TILE, address);
        assert_eq!(
            [0, 0x100, 0x101, 0x201].map(next),
            [Some(0x100), Some(0x100), Some(0x200), None]
        );
        assert!(!buffers.hold(OTHER, 0x100) && buffers.next(OTHER, 0).is_none());
        // A larger one at the same place, and none at the other.
        buffers.begin(core(TILE, Processor::Brisc), &launch(2, &BOTH, &[(0x100, 64)]));
        assert_eq!(held(&buffers, &[0x120, 0x13F, 0x140, 0x200]), [true, true, false, false]);
    }

    #[test]
    fn a_coprocessors_buffers_are_not_known() {
        let mut buffers = LaunchedBuffers::default();
        buffers.begin(core(TILE, Processor::Brisc), &launch(1, &BOTH, &[(0x100, 64)]));
        let computes = [Processor::Brisc, Processor::Trisc0];
        buffers.begin(core(TILE, Processor::Brisc), &launch(2, &computes, &[(0x100, 64)]));
        assert!(!buffers.hold(TILE, 0x100));
    }

    #[test]
    fn buffers_last_until_another_program_begins_after_all_kernels() {
        let first = launch(1, &BOTH, &[(0x100, 64)]);
        let other = launch(2, &BOTH, &[(0x100, 64)]);
        let all = [&BOTH[..], &BOTH[..1], &[]];
        for (ended, is_stated) in all.into_iter().flat_map(|it| [(it, true), (it, false)]) {
            let mut buffers = LaunchedBuffers::default();
            for processor in BOTH {
                buffers.begin(core(TILE, processor), &first);
            }
            for processor in ended {
                buffers.end(core(TILE, *processor));
            }
            assert!(buffers.hold(TILE, 0x100));
            // The same program on another tile says nothing.
            buffers.begin(core(OTHER, Processor::Brisc), &launch(1, &BOTH, &[(0x100, 64)]));
            assert!(buffers.hold(TILE, 0x100));
            if is_stated {
                buffers.begin(core(OTHER, Processor::Brisc), &other);
            } else {
                buffers.begin_unknown(core(OTHER, Processor::Brisc));
            }
            assert_eq!(buffers.hold(TILE, 0x100), ended.len() < 2, "{ended:?}");
            assert_eq!(buffers.hold(OTHER, 0x100), is_stated);
            buffers.begin_unknown(core(TILE, Processor::Ncrisc));
            assert!(!buffers.hold(TILE, 0x100));
        }
    }

    /// A kernel on one tile may still write to the circular buffer of a tile whose kernels have ended.
    #[test]
    fn buffers_last_while_a_kernel_of_their_program_runs_on_another_tile() {
        let third = PhysicalCoordinate { x: 3, y: 1 };
        let (first, other) = (launch(1, &BOTH, &[(0x100, 64)]), launch(2, &BOTH, &[(0x100, 64)]));
        let mut buffers = LaunchedBuffers::default();
        for tile in [TILE, OTHER] {
            buffers.begin(core(tile, Processor::Brisc), &first);
        }
        let end = |buffers: &mut LaunchedBuffers, tile| {
            for processor in BOTH {
                buffers.end(core(tile, processor));
            }
        };
        end(&mut buffers, TILE);
        buffers.begin(core(third, Processor::Brisc), &other);
        assert!(buffers.hold(TILE, 0x100), "a kernel on the other tile runs");
        end(&mut buffers, OTHER);
        end(&mut buffers, third);
        buffers.begin(core(third, Processor::Brisc), &launch(3, &BOTH, &[(0x100, 64)]));
        assert!(!buffers.hold(TILE, 0x100) && !buffers.hold(OTHER, 0x100));
    }

    #[test]
    fn a_launch_that_the_runtime_describes_is_annotated() {
        let mut buffers = LaunchedBuffers::default();
        let launch = Arc::unwrap_or_clone(launch(1, &BOTH, &[(0x100, 64)]));
        let launch = Arc::new(LaunchDescription { ends_by_return: false, ..launch });
        buffers.begin(core(TILE, Processor::Brisc), &launch);
        assert!(!buffers.hold(TILE, 0x100));
    }
}
