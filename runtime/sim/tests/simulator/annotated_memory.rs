//! A chip whose client says what some of its memory is for, and runs somebody else's programs beside it: races count in
//! that memory alone.

use std::sync::Arc;

use hallmark_chip::*;
use hallmark_sim::{Chip, SimulatorOptions};

use crate::assembler::*;
use crate::coprocessor::{TRISC0, begin_to_copy_row, copy_row};
use crate::support::*;

const DATA: u32 = 0x4000;

/// Writes to a tile of a Wormhole through its first window of 16 MiB.
fn write(chip: &mut Chip, at: NocCoordinate, address: u64, bytes: &[u8]) {
    let bar0 = |offset| BarOffset { bar: Bar::Bar0, offset };
    let target = address >> 24 | u64::from(at.x) << 12 | u64::from(at.y) << 18;
    chip.bar_write(bar0(0x1FC0_0000 + 8 * 166), &target.to_le_bytes()).unwrap();
    chip.bar_write(bar0(0xB00_0000 + address % (1 << 24)), bytes).unwrap();
}

fn load(chip: &mut Chip, at: NocCoordinate, address: u64, program: &Assembler) {
    let bytes: Vec<u8> = program.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    write(chip, at, address, &bytes);
}

fn chip() -> Chip {
    let options = SimulatorOptions { allow_races: true, ..SimulatorOptions::default() };
    Chip::new(Architecture::WormholeB0, &options).unwrap()
}

fn buffer(chip: &mut Chip, at: NocCoordinate, start: u32) {
    let tile = chip.place(at).unwrap();
    chip.watch_annotated_memory();
    chip.annotate(tile, TileAddress(start.into()), 64, Meaning::Buffer);
}

/// Runs a program on BRISC and one on NCRISC of a tile.
fn run(chip: &mut Chip, at: NocCoordinate, first: &Assembler, second: &Assembler) -> Option<Fault> {
    load(chip, at, 0, first);
    load(chip, at, 0x1_2000, second);
    release(chip, at, BRISC | NCRISC)
}

/// Runs cores of a tile until all is idle.
fn release(chip: &mut Chip, at: NocCoordinate, cores: u32) -> Option<Fault> {
    write(chip, at, 0xFFB1_21B0, &(ALL_CORES & !cores).to_le_bytes());
    loop {
        match chip.advance(1000, &mut NoHost) {
            Ok(Advance::Quiescent(_)) => return None,
            Ok(Advance::Ran) => {}
            Err(fault) => return Some(fault),
        }
    }
}

fn stores(address: u32) -> Assembler {
    stores_value(address, 5)
}

fn stores_another(address: u32) -> Assembler {
    stores_value(address, 6)
}

fn stores_value(address: u32, value: u32) -> Assembler {
    let mut program = Assembler::new();
    program.poke(address, value).halt();
    program
}

/// Sends 64 bytes from the address on to another tile.
fn sends(address: u32) -> Assembler {
    let mut program = Assembler::new();
    let (source, target) = (end(1, 1, address.into()), end(2, 1, 0x9000));
    program.request((0, 0), WRITE, source, target, 64, 0);
    program.barrier(0, WRITE_ACKNOWLEDGEMENTS, 1).halt();
    program
}

#[test]
fn races_are_found_in_memory_whose_meaning_was_said_and_nowhere_else() {
    let at = tile(18, 18);
    for other in [stores_another, sends] {
        for (annotated, races) in [(Some(DATA), true), (Some(DATA + 64), false), (None, false)] {
            let mut chip = chip();
            if let Some(start) = annotated {
                buffer(&mut chip, at, start);
            }
            write(&mut chip, at, DATA.into(), &[1; 256]);
            let fault = run(&mut chip, at, &stores(DATA), &other(DATA));
            let category = fault.map(|fault| fault.category);
            assert_eq!(category, races.then_some(FaultCategory::DataRace), "{annotated:?}");
        }
    }
}

#[test]
fn a_transfer_out_of_memory_that_is_overlooked_is_watched_where_it_reaches_a_buffer() {
    let at = tile(18, 18);
    for (stored, races) in [(DATA + 28, false), (DATA + 32, true)] {
        let mut chip = chip();
        buffer(&mut chip, at, DATA + 32);
        write(&mut chip, at, DATA.into(), &[1; 256]);
        let fault = run(&mut chip, at, &stores(stored), &sends(DATA));
        assert_eq!(fault.is_some(), races, "{stored:#x}");
    }
}

#[test]
fn units_of_the_coprocessor_race_once_their_memory_has_a_meaning() {
    let at = tile(18, 18);
    let (mut waits, mut races) = (Assembler::new(), Assembler::new());
    copy_row(&mut waits, DATA, DATA + 256);
    begin_to_copy_row(&mut races, DATA, DATA + 256);
    for program in [&mut waits, &mut races] {
        program.poke(DATA + 256, 7).halt();
    }
    for (program, found) in [(&waits, None), (&races, Some(FaultCategory::DataRace))] {
        let mut chip = chip();
        write(&mut chip, at, DATA.into(), &[1; 512]);
        load(&mut chip, at, 0x6000, &races);
        assert!(release(&mut chip, at, TRISC0).is_none());
        write(&mut chip, at, 0xFFB1_21B0, &ALL_CORES.to_le_bytes());
        buffer(&mut chip, at, DATA + 256);
        write(&mut chip, at, u64::from(DATA) + 256, &[1; 64]);
        load(&mut chip, at, 0x6000, program);
        let fault = release(&mut chip, at, TRISC0);
        assert_eq!(fault.map(|fault| fault.category), found);
    }
}

#[test]
fn a_store_that_a_request_overtakes_is_found_in_a_buffer_alone() {
    let at = tile(18, 18);
    for (start, races) in [(DATA, true), (DATA + 64, false)] {
        let mut chip = chip();
        buffer(&mut chip, at, start);
        write(&mut chip, at, DATA.into(), &[1; 256]);
        let mut program = Assembler::new();
        let (source, target) = (end(1, 1, DATA.into()), end(2, 1, 0x9000));
        program.poke(0xFFB2_0000, 0).poke(DATA, 7);
        program.request((0, 0), WRITE, source, target, 64, 0);
        program.barrier(0, WRITE_ACKNOWLEDGEMENTS, 1).halt();
        let mut idle = Assembler::new();
        idle.halt();
        let fault = run(&mut chip, at, &program, &idle);
        assert_eq!(fault.is_some(), races, "{start:#x}");
    }
}

#[test]
fn what_becomes_a_buffer_holds_nothing_until_it_is_written() {
    let at = tile(18, 18);
    let mut branches = Assembler::new();
    branches.peek(A0, DATA).bne(A0, 0, 0).halt();
    let mut idle = Assembler::new();
    idle.halt();
    for (is_written_again, expected) in
        [(false, Some(FaultCategory::UnpredictableValueUsed)), (true, None)]
    {
        let mut chip = chip();
        write(&mut chip, at, DATA.into(), &[0; 64]);
        buffer(&mut chip, at, DATA);
        if is_written_again {
            write(&mut chip, at, DATA.into(), &[0; 64]);
        }
        let fault = run(&mut chip, at, &branches, &idle);
        assert_eq!(fault.map(|fault| fault.category), expected);
    }
}

#[test]
fn a_request_that_begins_in_a_buffer_ends_in_it() {
    let at = tile(18, 18);
    let there = PhysicalCoordinate { x: 2, y: 1 };
    let mut idle = Assembler::new();
    idle.halt();
    // The bytes of both buffers that lie where the request of 64 bytes begins.
    for (here, landing, crossed) in
        [(64, 64, None), (48, 64, Some("takes its data from")), (64, 63, Some("write writes"))]
    {
        let mut chip = chip();
        chip.annotate(chip.place(at).unwrap(), TileAddress(DATA.into()), here, Meaning::Buffer);
        chip.annotate(there, TileAddress(0x9000), landing, Meaning::Buffer);
        write(&mut chip, at, DATA.into(), &[1; 256]);
        let fault = run(&mut chip, at, &sends(DATA), &idle);
        assert_eq!(fault.is_some(), crossed.is_some(), "{fault:?}");
        if let (Some(fault), Some(crossed)) = (fault, crossed) {
            assert_eq!(fault.category, FaultCategory::MemoryNotGranted);
            assert!(fault.reason.contains(crossed), "{}", fault.reason);
        }
    }
}

#[test]
fn a_tile_is_found_by_the_name_that_requests_use() {
    let chip = chip();
    let at = |x, y| chip.place(NocCoordinate { x, y }).ok();
    assert_eq!(at(18, 18), Some(PhysicalCoordinate { x: 1, y: 1 }));
    assert_eq!(at(0, 11), Some(PhysicalCoordinate { x: 0, y: 11 }));
    assert_eq!(at(63, 0), None);
}

/// Kernels of a program with a circular buffer at [`DATA`], unless it has no bytes, by their processors' bits of the reset register.
struct Launched<'a> {
    program: u32,
    bytes: u32,
    kernels: &'a [(u32, &'a Assembler)],
}

impl Launched<'_> {
    /// Runs the program as another runtime's firmware does.
    fn run(&self, chip: &mut Chip, at: NocCoordinate) -> Option<Fault> {
        const BLOCK: u32 = 0x800;
        let mut kernels = Vec::new();
        let mut cores = 0;
        for &(core, code) in self.kernels {
            let (processor, start, entry) = match core {
                BRISC => (Processor::Brisc, 0, 0x1000),
                NCRISC => (Processor::Ncrisc, 0x1_2000, 0x1_3000),
                _ => (Processor::Trisc0, 0x6000, 0x7000),
            };
            cores |= core;
            let mut code = code.clone();
            code.emit(i(0x67, 0, RA, 0, ZERO));
            load(chip, at, entry.into(), &code);
            let mut firmware = Assembler::new();
            firmware.li(A0, BLOCK);
            firmware.emit(j(entry as i32 - start - firmware.place(), RA)).halt();
            load(chip, at, start as u64, &firmware);
            let image = DescribedImage {
                processor,
                entry,
                code: entry..entry + code.place() as u32,
                waits_after: Vec::new(),
                table: None,
            };
            kernels.push(DescribedKernel {
                name: "k".into(),
                noc: None,
                numbers: [].into(),
                unique_arguments: DescribedArguments::default(),
                common_arguments: DescribedArguments::default(),
                scratchpads: Vec::new(),
                images: vec![image],
            });
        }
        let circular = DescribedCircularBuffer {
            index: 0,
            address: DATA,
            size: self.bytes,
            page_size: self.bytes,
            pages: 1,
            buffer: None,
        };
        let circular = std::iter::once(circular).filter(|_| self.bytes > 0);
        let launch = LaunchDescription {
            version: LaunchDescription::VERSION,
            program: self.program,
            kernels,
            circular_buffers: circular.collect(),
            ends_by_return: true,
            ..LaunchDescription::default()
        };
        let place = chip.place(at).unwrap();
        chip.describe_launches(place, TileAddress(BLOCK.into()), &[Arc::new(launch)]);
        let fault = release(chip, at, cores);
        if fault.is_none() {
            write(chip, at, 0xFFB1_21B0, &ALL_CORES.to_le_bytes());
        }
        fault
    }
}

/// The word by which the first of two kernels tells the second one.
const FLAG: u32 = DATA + 0x400;

fn kernel(code: impl Fn(&mut Assembler)) -> Assembler {
    let mut program = Assembler::new();
    code(&mut program);
    program
}

/// Two kernels store to a word, one after the other if they are ordered.
fn two_stores(address: u32, ordered: bool) -> [Assembler; 2] {
    let first = kernel(|p| {
        p.poke(address, 5).poke(FLAG, 1);
    });
    let second = kernel(|p| {
        if ordered {
            p.wait_for(FLAG, 1);
        }
        p.poke(address, 6);
    });
    [first, second]
}

#[test]
fn each_programs_circular_buffer_is_watched_to_its_own_end() {
    let at = tile(18, 18);
    // The bytes of the programs' circular buffers, and whether the word in which the second program races lies in one.
    for (first, second, is_watched) in
        [(64, 128, true), (128, 128, true), (64, 64, false), (128, 64, false)]
    {
        for ordered in [false, true] {
            let mut chip = chip();
            chip.watch_annotated_memory();
            write(&mut chip, at, DATA.into(), &[0; 0x800]);
            for (program, bytes, address) in [(1, first, DATA), (2, second, DATA + 96)] {
                write(&mut chip, at, FLAG.into(), &[0; 4]);
                let [stores, other] = two_stores(address, ordered || program == 1);
                let kernels = [(BRISC, &stores), (NCRISC, &other)];
                let fault = Launched { program, bytes, kernels: &kernels }.run(&mut chip, at);
                let category = fault.map(|fault| fault.category);
                let races = program == 2 && is_watched && !ordered;
                assert_eq!(
                    category,
                    races.then_some(FaultCategory::DataRace),
                    "{first} {second} {ordered} {program}"
                );
                if races {
                    break;
                }
            }
        }
    }
}

/// Of memory in which no launch has a circular buffer any more, nothing is known again.
#[test]
fn memory_of_a_circular_buffer_that_has_ended_is_nobodys() {
    let at = tile(18, 18);
    let idle = kernel(|_| {});
    let [stores, other] = two_stores(DATA, true);
    let ordered = [(BRISC, &stores), (NCRISC, &other)];
    let [stores, other] = two_stores(DATA, false);
    let unordered = [(BRISC, &stores), (NCRISC, &other)];
    let computes = [(BRISC, &stores), (NCRISC, &other), (TRISC0, &idle)];
    // The second program: its number, the bytes of its circular buffer, its kernels, and whether it races in that one.
    for (program, bytes, kernels, races) in [
        (2, 0, &unordered[..], false),
        (1, 0, &unordered[..], false),
        (2, 64, &computes[..], false),
        (2, 64, &unordered[..], true),
        (2, 64, &ordered[..], false),
    ] {
        let mut chip = chip();
        chip.watch_annotated_memory();
        write(&mut chip, at, DATA.into(), &[0; 0x800]);
        let first = Launched { program: 1, bytes: 64, kernels: &ordered };
        assert!(first.run(&mut chip, at).is_none());
        write(&mut chip, at, FLAG.into(), &[0; 4]);
        let fault = Launched { program, bytes, kernels }.run(&mut chip, at);
        let category = fault.map(|fault| fault.category);
        assert_eq!(category, races.then_some(FaultCategory::DataRace), "{program} {bytes}");
    }
}

/// Messages that tell of launches, with the program's number, its circular buffers and the kernels of two cores.
const MESSAGES: LaunchMessages = LaunchMessages {
    first: 0x600,
    size: 0x80,
    count: 2,
    next: 0x5F0,
    base: 0,
    semaphores: 4,
    semaphore_distance: 16,
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

/// Runs a program whose kernels store to [`DATA`] on BRISC and NCRISC, as the message with a number tells. Its table of
/// circular buffers has one of 64 bytes at [`DATA`].
fn run_by_message(
    chip: &mut Chip,
    at: NocCoordinate,
    (number, program): (u32, u32),
    ordered: bool,
) -> Option<Fault> {
    const TABLE: u32 = 0x280;
    let word = |chip: &mut Chip, address: u32, word: u32| {
        write(chip, at, address.into(), &word.to_le_bytes());
    };
    let message = MESSAGES.message(number).unwrap().0;
    for (offset, value) in [
        (MESSAGES.base, 0),
        (MESSAGES.semaphores, TABLE << 16 | 0x300),
        (MESSAGES.circular_buffer_mask, 1),
        (MESSAGES.circular_buffer_mask + 4, 0),
        (MESSAGES.program, program),
        (MESSAGES.processors, 0b11),
    ] {
        word(chip, message + offset, value);
    }
    for (index, value) in (0..).zip([DATA, 64, 1, 64]) {
        word(chip, TABLE + 4 * index, value);
    }
    word(chip, FLAG, 0);
    let places = [(Processor::Brisc, 0, 0x1000), (Processor::Ncrisc, 0x1_2000, 0x1_3000)];
    for ((processor, start, first), mut code) in places.into_iter().zip(two_stores(DATA, ordered)) {
        let entry = first + 0x400 * number;
        code.emit(i(0x67, 0, RA, 0, ZERO));
        load(chip, at, entry.into(), &code);
        let mut firmware = Assembler::new();
        firmware.emit(j(entry as i32 - start, RA)).halt();
        load(chip, at, start as u64, &firmware);
        let of_core = 4 * processor.index() as u32;
        word(chip, message + MESSAGES.arguments + of_core, 0xFFF0_FFF0);
        word(chip, message + MESSAGES.code + of_core, entry);
        word(chip, message + MESSAGES.code_size + of_core, code.place() as u32);
    }
    word(chip, MESSAGES.next, number);
    let fault = release(chip, at, BRISC | NCRISC);
    if fault.is_none() {
        write(chip, at, 0xFFB1_21B0, &ALL_CORES.to_le_bytes());
    }
    fault
}

/// A program that was not stated may use the memory of an earlier program's circular buffer as it likes.
#[test]
fn circular_buffers_end_where_a_program_begins_that_nobody_has_stated() {
    let at = tile(18, 18);
    let kernel = |processor| StatedKernel {
        name: "k".to_owned(),
        processors: vec![processor],
        noc: Some(Noc::Noc0),
        arguments: 0,
        common_arguments: 0,
    };
    for (second, ordered, races) in
        [(7, false, true), (7, true, false), (9, false, false), (9, true, false)]
    {
        let mut chip = chip();
        chip.watch_annotated_memory();
        write(&mut chip, at, DATA.into(), &[0; 0x800]);
        let group = StatedGroup {
            tiles: vec![at],
            kernels: [Processor::Brisc, Processor::Ncrisc].map(kernel).into(),
            semaphores: Vec::new(),
        };
        let program = StatedProgram {
            version: StatedProgram::VERSION,
            messages: MESSAGES,
            program: 7,
            groups: vec![group],
        };
        chip.state_program(&program).unwrap();
        let first = run_by_message(&mut chip, at, (0, 7), true);
        assert_eq!(first.map(|fault| fault.reason), None);
        let fault = run_by_message(&mut chip, at, (1, second), ordered);
        let category = fault.map(|fault| fault.category);
        assert_eq!(category, races.then_some(FaultCategory::DataRace), "{second} {ordered}");
    }
}
