//! The launches of a tile: those that the host has described, and those in which its cores run kernels.
//!
//! Firmware calls a kernel with the address of its launch block. The tile's memory stops cores before the first
//! instruction of each kernel that was described, and before the instruction to which the kernel returns
//! ([`TileMemory::tell_at`]); nothing is asked at any other instruction.
//!
//! Firmware of another runtime calls kernels without an argument. Of its launches the host states names and counts, and a
//! message in L1 says which launch it is ([`stated`]).
//!
//! All cores of a tile have ended a launch before the next one begins. So a core whose kernel has not begun yet belongs
//! to the launch that runs, and a core whose kernel has begun belongs to the next one.

mod stated;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hallmark_chip::{LaunchDescription, LaunchMessages, Processor, StatedKernel};

use crate::machine::memory::TileMemory;

pub(crate) use self::stated::Caller;
use self::stated::{Beginning, StatedTile};

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

/// A kernel that begins by a message.
#[derive(Debug)]
pub(crate) enum ByMessage {
    /// Its program was stated. With the message's address if the kernel is the first of its launch on the tile.
    Stated(Arc<LaunchDescription>, Option<u32>),
    /// Nobody has stated its program.
    Unknown,
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
    /// What the host has stated of programs that firmware of its own launches.
    stated: Option<Box<StatedTile>>,
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
        self.runs(processor, &launch, returns_to, memory);
        Some(launch)
    }

    fn runs(
        &mut self,
        processor: Processor,
        launch: &Arc<LaunchDescription>,
        returns_to: u32,
        memory: &mut TileMemory,
    ) {
        if let Some(slot) = self.running.get_mut(processor.index()) {
            *slot = Some(Running { launch: Arc::clone(launch), returns_to });
        }
        self.tell_of_return(returns_to, memory);
    }

    fn tell_of_return(&mut self, returns_to: u32, memory: &mut TileMemory) {
        if let Err(place) = self.returns.binary_search(&returns_to) {
            self.returns.insert(place, returns_to);
            self.tell(memory);
        }
    }

    /// The host states the kernels of a program on the tile, and its semaphores there.
    pub(crate) fn state(
        &mut self,
        messages: LaunchMessages,
        program: u32,
        (kernels, semaphores): (&[StatedKernel], &[u32]),
        memory: &mut TileMemory,
    ) {
        let stated = self.stated.get_or_insert_with(|| Box::new(StatedTile::new(messages)));
        stated.state(messages, program, kernels, semaphores);
        memory.tell_of_messages(messages);
    }

    /// A core is about to execute an instruction, in a tile whose messages tell of launches. Gives the kernel that begins
    /// there.
    pub(crate) fn begins_by_message(
        &mut self,
        caller: Caller<'_>,
        memory: &mut TileMemory,
    ) -> Option<ByMessage> {
        let stated = self.stated.as_ref()?;
        let processor = caller.processor();
        let beginning = stated.begins(&caller, memory)?;
        let Beginning { message: block, program, entry, returns_to, .. } = beginning;
        if !beginning.is_stated {
            // So that the core tells of the next kernel that begins here.
            self.tell_of_return(returns_to, memory);
            self.begun = None;
            self.forget(processor);
            return Some(ByMessage::Unknown);
        }
        let bit = 1 << processor.index();
        let joins = self.begun.as_mut().filter(|Begun { block: of, launch, processors }| {
            let is_its = launch.on(processor).is_some_and(|(_, image)| image.entry == entry);
            *of == block && *processors & bit == 0 && launch.program == program && is_its
        });
        let (launch, first) = if let Some(begun) = joins {
            begun.processors |= bit;
            (Arc::clone(&begun.launch), None)
        } else {
            let launch = Arc::new(stated.launch(memory)?);
            self.begun = Some(Begun { block, launch: Arc::clone(&launch), processors: bit });
            (launch, Some(block))
        };
        self.runs(processor, &launch, returns_to, memory);
        Some(ByMessage::Stated(launch, first))
    }

    /// A core is about to execute an instruction. Gives its launch if the kernel has returned to there.
    pub(crate) fn ends(&mut self, processor: Processor, pc: u32) -> Option<Arc<LaunchDescription>> {
        let slot = self.running.get_mut(processor.index())?;
        slot.take_if(|running| running.returns_to == pc).map(|running| running.launch)
    }

    /// A core is held in reset, or runs another kernel: its kernel runs no more.
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
        NocCoordinate, PhysicalCoordinate, StatedGroup, StatedProgram, Tick,
    };

    use super::*;
    use crate::machine::fault::{Origin, Violation};
    use crate::machine::observer::{CoreAt, InstructionObserver, Observer, Scene};
    use crate::machine::{HostMemory, Machine};

    /// Notes the launches that it is told of, by program, with the tick.
    #[derive(Debug, Default)]
    struct Noted {
        described: Vec<u32>,
        last: Option<Arc<LaunchDescription>>,
        begun: Vec<(Processor, u32, u64)>,
        ended: Vec<(Processor, u32, u64)>,
        /// How many had begun at each beginning of an unknown one.
        unknown: Vec<usize>,
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
            self.last = Some(Arc::clone(launch));
        }

        fn unknown_launch_begins(&mut self, _: CoreAt) {
            self.unknown.push(self.begun.len());
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

    const MESSAGES: LaunchMessages = LaunchMessages {
        first: 0x600,
        size: 0x80,
        count: 3,
        next: 0x5F0,
        base: 0,
        semaphores: 4,
        semaphore_distance: 32,
        circular_buffers: 6,
        circular_buffer_mask: 8,
        arguments: 0x10,
        no_arguments: 0xFFF0,
        code: 0x24,
        code_size: 0x38,
        program: 0x4C,
        processors: 0x50,
        stack_of_ncrisc: None,
    };

    /// `sw t0, offset(zero)`.
    fn store(offset: u32) -> u32 {
        (offset >> 5) << 25 | 5 << 20 | 2 << 12 | (offset & 31) << 7 | 0x23
    }

    /// BRISC calls kernels, each without an argument, after it has taken the message with this number. The messages are of
    /// the programs 7, of [`KERNEL`], and 8 and 9, of [`OTHER_KERNEL`].
    fn run_by_messages(stated: &[u32], calls: &[(u32, u32)]) -> Noted {
        let description = ChipDescription::of(Architecture::WormholeB0);
        let mut machine = Machine::new(description, 0, |_| Noted::default());
        let name = NocCoordinate { x: 18, y: 18 };
        let at = machine.coordinates.resolve(Noc::Noc0, name).unwrap();
        let write = |machine: &mut Machine<Noted>, address: u32, word: u32| {
            let bytes = word.to_le_bytes();
            machine.write_tile(at, address.into(), &bytes, Origin::Host, None).unwrap();
        };
        let kernel = |name: &str, processor| StatedKernel {
            name: name.to_owned(),
            processors: vec![processor],
            noc: Some(Noc::Noc1),
            arguments: 3,
            common_arguments: 2,
        };
        for &program in stated {
            let group = StatedGroup {
                tiles: vec![name],
                kernels: vec![kernel("k", Processor::Brisc), kernel("w", Processor::Ncrisc)],
                semaphores: vec![2],
            };
            let (version, messages) = (StatedProgram::VERSION, MESSAGES);
            let groups = vec![group];
            let program = StatedProgram { version, messages, program, groups };
            machine.state_program(&[at], &program, &program.groups[0]);
        }
        let mut pc = 0;
        let mut put = |machine: &mut Machine<Noted>, word| {
            write(machine, pc, word);
            pc += 4;
        };
        for (place, (message, kernel)) in (0..).zip(calls) {
            put(&mut machine, message << 20 | 0x293); // addi t0, zero, message
            put(&mut machine, store(MESSAGES.next));
            put(&mut machine, call(kernel - 12 * place - 8));
        }
        put(&mut machine, 0x6F); // jal zero, 0
        for (number, kernel) in [(0, KERNEL), (1, OTHER_KERNEL), (2, OTHER_KERNEL)] {
            write(&mut machine, kernel, 0x13); // nop
            write(&mut machine, kernel + 4, 0x8067); // ret
            let message = MESSAGES.message(number).unwrap().0;
            for (offset, word) in [
                (MESSAGES.base, 0x80),
                (MESSAGES.semaphores, 0x200 << 16 | 0x100),
                (MESSAGES.circular_buffer_mask, 0b10),
                (MESSAGES.circular_buffer_mask + 4, 0),
                (MESSAGES.arguments, 0xFFF0 << 16 | 0x300),
                (MESSAGES.code, kernel - 0x80),
                (MESSAGES.code_size, 8),
                (MESSAGES.program, 7 + number),
                (MESSAGES.processors, 1),
            ] {
                write(&mut machine, message + offset, word);
            }
        }
        for (index, word) in (0..).zip([0x4000, 0x800, 4, 0x200]) {
            write(&mut machine, 0x280 + 16 + 4 * index, word);
        }
        let reset = description.reset;
        write(&mut machine, reset.soft_reset.0 as u32, reset.all() & !reset.bits[0]);
        machine.advance(1000, &mut NoHost).unwrap();
        std::mem::take(&mut machine.observers)
    }

    #[test]
    fn messages_tell_of_launches() {
        let calls = [(0, KERNEL), (1, OTHER_KERNEL), (0, KERNEL)];
        let noted = run_by_messages(&[7, 8], &calls);
        assert_eq!(noted.described, [7, 8, 7]);
        assert_eq!(
            (programs(&noted.begun), programs(&noted.ended)),
            (vec![7, 8, 7], vec![7, 8, 7])
        );
        let launch = noted.last.unwrap();
        assert!(launch.ends_by_return);
        // The tables lie behind the kernels here, and this kernel has fewer instructions than kernels begin with elsewhere.
        assert_eq!(launch.arguments_until, Some(KERNEL + 8));
        // The message says that NCRISC runs nothing.
        let (kernel, image) = launch.on(Processor::Brisc).unwrap();
        assert!(launch.on(Processor::Ncrisc).is_none());
        assert_eq!((&*kernel.name, kernel.noc), ("k", Some(Noc::Noc1)));
        assert_eq!((image.entry, image.code.clone()), (KERNEL, KERNEL..KERNEL + 8));
        let own = &kernel.unique_arguments;
        assert_eq!((own.address, own.count, kernel.common_arguments.count), (0x380, 3, 0));
        let [semaphore] = &*launch.semaphores else { panic!("{launch:?}") };
        assert_eq!((semaphore.number, semaphore.address), (2, 0x180 + 2 * 32));
        let [buffer] = &*launch.circular_buffers else { panic!("{launch:?}") };
        assert_eq!((buffer.index, buffer.address, buffer.size), (1, 0x4000, 0x800));
        assert_eq!((buffer.pages, buffer.page_size), (4, 0x200));
    }

    #[test]
    fn a_kernel_of_no_message_or_of_a_program_that_was_not_stated_is_no_launch() {
        let of_other_messages = [(0, OTHER_KERNEL), (0, KERNEL), (1, KERNEL), (1, OTHER_KERNEL)];
        for (stated, expected, unknown) in [
            (&[7, 8][..], &[7, 8][..], &[][..]),
            (&[7], &[7], &[1]),
            (&[8], &[8], &[0]),
            (&[5], &[], &[0, 0]),
        ] {
            let noted = run_by_messages(stated, &of_other_messages);
            assert_eq!((&*programs(&noted.begun), &*noted.unknown), (expected, unknown));
        }
        // A stated program comes between two launches of another one with its kernel at the same place.
        let calls = [(2, OTHER_KERNEL), (1, OTHER_KERNEL), (2, OTHER_KERNEL)];
        let noted = run_by_messages(&[8], &calls);
        assert_eq!((programs(&noted.begun), noted.unknown), (vec![8], vec![0, 1]));
        let noted = run_by_messages(&[], &calls);
        assert!(noted.begun.is_empty() && noted.unknown.is_empty());
    }
}
