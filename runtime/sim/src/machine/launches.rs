//! The launches of a tile: those that the host has described, and those in which its cores run kernels.
//!
//! Firmware calls a kernel with the address of its launch block. The tile's memory stops cores before the first
//! instruction of each kernel that was described, and before the instruction to which the kernel returns
//! ([`TileMemory::tell_at`]); nothing is asked at any other instruction.
//!
//! All cores of a tile have ended a launch before the next one begins. So a core whose kernel has not begun yet belongs
//! to the launch that runs, and a core whose kernel has begun belongs to the next one.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hallmark_chip::{LaunchDescription, Processor};

use crate::machine::memory::TileMemory;

/// A launch that has begun on one core at least.
#[derive(Clone, Debug)]
struct Begun {
    block: u32,
    launch: Arc<LaunchDescription>,
    /// Processors, by bit, whose kernels have begun.
    processors: u8,
}

/// A core that runs a kernel.
#[derive(Clone, Debug)]
struct Running {
    launch: Arc<LaunchDescription>,
    returns_to: u32,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Launches {
    /// Those that have not begun, by launch block.
    next: BTreeMap<u32, VecDeque<Arc<LaunchDescription>>>,
    begun: Option<Begun>,
    running: [Option<Running>; 5],
    /// Where kernels return to, ascending.
    returns: Vec<u32>,
}

impl Launches {
    /// These launches begin from now on through a block, and none that were described before.
    pub(crate) fn describe(
        &mut self,
        block: u32,
        launches: &[Arc<LaunchDescription>],
        memory: &mut TileMemory,
    ) {
        self.next.insert(block, launches.iter().cloned().collect());
        if self.begun.as_ref().is_some_and(|begun| begun.block == block) {
            self.begun = None;
        }
        self.tell(memory);
    }

    /// Has cores stop where a launch may begin or end.
    fn tell(&self, memory: &mut TileMemory) {
        let described =
            self.next.values().flatten().chain(self.begun.iter().map(|begun| &begun.launch));
        let kernels = described.flat_map(|launch| &launch.kernels);
        let entries = kernels.flat_map(|kernel| &kernel.images).map(|image| image.entry);
        let mut pcs: Vec<u32> = entries.chain(self.returns.iter().copied()).collect();
        pcs.sort_unstable();
        pcs.dedup();
        memory.tell_at(&pcs);
    }

    /// A core is about to execute an instruction, with these values as block and return address if a kernel begins
    /// there. Gives the launch if one does.
    pub(crate) fn begins(
        &mut self,
        processor: Processor,
        pc: u32,
        block: u32,
        returns_to: u32,
        memory: &mut TileMemory,
    ) -> Option<Arc<LaunchDescription>> {
        let bit = 1 << processor.index();
        let here = |launch: &LaunchDescription| {
            launch.on(processor).is_some_and(|(_, image)| image.entry == pc)
        };
        let joins = self.begun.as_mut().filter(|begun| {
            begun.block == block && begun.processors & bit == 0 && here(&begun.launch)
        });
        let launch = if let Some(begun) = joins {
            begun.processors |= bit;
            Arc::clone(&begun.launch)
        } else {
            let next = self.next.get_mut(&block)?;
            if !next.front().is_some_and(|launch| here(launch)) {
                return None;
            }
            let launch = next.pop_front()?;
            self.begun = Some(Begun { block, launch: Arc::clone(&launch), processors: bit });
            launch
        };
        if let Some(slot) = self.running.get_mut(processor.index()) {
            *slot = Some(Running { launch: Arc::clone(&launch), returns_to });
        }
        if let Err(place) = self.returns.binary_search(&returns_to) {
            self.returns.insert(place, returns_to);
            self.tell(memory);
        }
        Some(launch)
    }

    /// A core is about to execute an instruction. Gives its launch if the kernel has returned to there.
    pub(crate) fn ends(&mut self, processor: Processor, pc: u32) -> Option<Arc<LaunchDescription>> {
        let slot = self.running.get_mut(processor.index())?;
        slot.take_if(|running| running.returns_to == pc).map(|running| running.launch)
    }

    /// A core is held in reset: its kernel runs no more.
    pub(crate) fn forget(&mut self, processor: Processor) {
        if let Some(slot) = self.running.get_mut(processor.index()) {
            *slot = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{
        Architecture, ChipDescription, DescribedArguments, DescribedImage, DescribedKernel, Noc,
        NocCoordinate, PhysicalCoordinate, Tick,
    };

    use super::*;
    use crate::machine::fault::{Origin, Violation};
    use crate::machine::observer::{CoreAt, InstructionObserver, Observer, Scene};
    use crate::machine::{HostMemory, Machine};

    /// Notes the launches that it is told of, by program, with the tick.
    #[derive(Debug, Default)]
    struct Noted {
        described: Vec<u32>,
        begun: Vec<(Processor, u32, u64)>,
        ended: Vec<(Processor, u32, u64)>,
    }

    impl Observer for Noted {
        fn launch_described(
            &mut self,
            _: u16,
            _: PhysicalCoordinate,
            _: u32,
            launches: &[Arc<LaunchDescription>],
        ) {
            self.described.extend(launches.iter().map(|launch| launch.program));
        }

        fn launch_begins(&mut self, core: CoreAt, launch: &Arc<LaunchDescription>, now: Tick) {
            self.begun.push((core.processor, launch.program, now.0));
        }

        fn launch_ends(
            &mut self,
            core: CoreAt,
            launch: &Arc<LaunchDescription>,
            now: Tick,
        ) -> Result<(), Violation> {
            self.ended.push((core.processor, launch.program, now.0));
            Ok(())
        }
    }

    impl InstructionObserver for Noted {
        type Session<'a> = ();

        fn session(&mut self, _: CoreAt) -> Option<()> {
            Some(())
        }

        fn resolve(&mut self, _: CoreAt, _: &mut Scene<'_>) -> Result<(), Violation> {
            Ok(())
        }

        fn ask_again(&mut self, _: CoreAt, _: u32) {}
    }

    struct NoHost;

    impl HostMemory for NoHost {
        fn read(&mut self, _: u64, _: &mut [u8]) -> bool {
            false
        }

        fn write(&mut self, _: u64, _: &[u8]) -> bool {
            false
        }
    }

    const BLOCK: u32 = 0x400;
    const KERNEL: u32 = 0x100;
    const OTHER_KERNEL: u32 = 0x180;

    fn described(program: u32, entry: u32, version: u32) -> Arc<LaunchDescription> {
        let image = DescribedImage {
            processor: Processor::Brisc,
            entry,
            code: entry..entry + 0x20,
            waits_after: Vec::new(),
            table: None,
        };
        let kernel = DescribedKernel {
            name: "k".into(),
            noc: Some(Noc::Noc1),
            numbers: [].into(),
            unique_arguments: DescribedArguments::default(),
            common_arguments: DescribedArguments::default(),
            scratchpads: Vec::new(),
            images: vec![image],
        };
        Arc::new(LaunchDescription {
            version,
            program,
            kernels: vec![kernel],
            ..LaunchDescription::default()
        })
    }

    /// `jal ra, offset`.
    fn call(offset: u32) -> u32 {
        (offset & 0x7FE) << 20 | 0xEF
    }

    /// BRISC calls the kernels at these addresses, each with the block as its argument, and then waits for ever.
    fn run(launches: &[Arc<LaunchDescription>], calls: &[u32]) -> Noted {
        let description = ChipDescription::of(Architecture::WormholeB0);
        let mut machine = Machine::new(description, 0, |_| Noted::default());
        let at = machine.coordinates.resolve(Noc::Noc0, NocCoordinate { x: 18, y: 18 }).unwrap();
        let write = |machine: &mut Machine<Noted>, address: u32, word: u32| {
            let bytes = word.to_le_bytes();
            machine.write_tile(at, address.into(), &bytes, Origin::Host, None).unwrap();
        };
        let mut pc = 0;
        let mut put = |machine: &mut Machine<Noted>, word| {
            write(machine, pc, word);
            pc += 4;
        };
        for kernel in calls {
            let place = 8 * (calls.iter().position(|it| std::ptr::eq(it, kernel)).unwrap() as u32);
            put(&mut machine, BLOCK << 20 | 0x513); // addi a0, zero, BLOCK
            put(&mut machine, call(kernel - place - 4));
        }
        put(&mut machine, 0x6F); // jal zero, 0
        for kernel in [KERNEL, OTHER_KERNEL] {
            write(&mut machine, kernel, 0x13); // nop
            write(&mut machine, kernel + 4, 0x8067); // ret
        }
        machine.describe_launches(at, BLOCK, launches);
        let reset = description.reset;
        write(&mut machine, reset.soft_reset.0 as u32, reset.all() & !reset.bits[0]);
        machine.advance(1000, &mut NoHost).unwrap();
        std::mem::take(&mut machine.observers)
    }

    fn programs(told: &[(Processor, u32, u64)]) -> Vec<u32> {
        told.iter().map(|(_, program, _)| *program).collect()
    }

    #[test]
    fn launches_begin_in_the_order_of_their_descriptions() {
        const VERSION: u32 = LaunchDescription::VERSION;
        let launches = [
            described(5, KERNEL, VERSION),
            described(6, OTHER_KERNEL, VERSION),
            described(7, KERNEL, VERSION),
        ];
        let noted = run(&launches, &[KERNEL, OTHER_KERNEL, KERNEL]);
        assert_eq!(noted.described, [5, 6, 7]);
        assert_eq!(
            (programs(&noted.begun), programs(&noted.ended)),
            (vec![5, 6, 7], vec![5, 6, 7])
        );
        let mut all = noted.begun.iter().zip(&noted.ended);
        assert!(all.all(|(begun, ended)| begun.0 == Processor::Brisc && begun.2 <= ended.2));
    }

    #[test]
    fn a_kernel_that_was_not_described_is_no_launch() {
        const VERSION: u32 = LaunchDescription::VERSION;
        let noted = run(&[described(5, KERNEL, VERSION)], &[OTHER_KERNEL, KERNEL, KERNEL]);
        assert_eq!((programs(&noted.begun), programs(&noted.ended)), (vec![5], vec![5]));
        // Behind a launch of an unknown version, nothing is known.
        let launches = [described(5, KERNEL, VERSION), described(6, KERNEL, VERSION + 1)];
        let noted = run(&launches, &[KERNEL, KERNEL]);
        assert_eq!((noted.described, programs(&noted.begun)), (vec![5], vec![5]));
        assert!(run(&[], &[KERNEL]).begun.is_empty());
    }
}
