//! Addresses are named after their owner, and only after it.

use hallmark_chip::LogicalCore;
use hallmark_schema::model::{
    AssignedAddress, BufferLayout, BufferType, CircularBufferId, ObjectKind, RecordedCommand,
    SharedBytes,
};

use super::*;

/// Program `pipe`, enqueued by command 14, with circular buffers on core (0,0): 0 `in` is in buffer `through`,
/// 16 `result` at 0x18000 has two pages of 128 bytes. Buffers `src` and `dst` have three pages of 128 bytes in
/// DRAM.
fn capture() -> Capture {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/released/1.0/captures");
    let bytes: SharedBytes =
        std::fs::read(format!("{folder}/circular_buffers.lmb")).unwrap().into();
    Capture::from_bytes(&bytes).unwrap()
}

const RESULT: u64 = 0x1_8000;
const THROUGH: u64 = 0x16_de00;

/// The capture with other commands in place of the two writes before the enqueue.
fn with(commands: [Command; 2]) -> Capture {
    let mut capture = capture();
    for (place, command) in [12, 13].into_iter().zip(commands) {
        capture.program.commands[place] = RecordedCommand { command, outcome: Outcome::Done };
    }
    capture
}

fn in_l1(capture: &Capture, core: (u32, u32), address: u64) -> FaultMemory {
    let tile = capture.chip().physical(LogicalCore { x: core.0, y: core.1 }).unwrap();
    FaultMemory { tile, address: TileAddress(address), length: 4 }
}

/// An address in `src`, this many bytes after its first byte.
fn in_source(capture: &Capture, further: u64) -> FaultMemory {
    let bank = capture.chip().dram_banks[0];
    let address = TileAddress(bank.offset + 0x40 + further);
    FaultMemory { tile: bank.place, address, length: 1 }
}

fn named(capture: &Capture, memory: &FaultMemory) -> Option<String> {
    sentence(&StoppedProgram::new(capture, CommandIndex(14)), CommandIndex(15), memory)
}

const RELEASE: Command =
    Command::DeallocateBuffer(commands::DeallocateBuffer { buffer: BufferId(0) });

fn another_buffer() -> Command {
    Command::CreateBuffer(commands::CreateBuffer {
        buffer: BufferId(3),
        name: "later".to_owned(),
        size: 128,
        page_size: 64,
        buffer_type: BufferType::Dram,
        layout: BufferLayout::Interleaved,
        shard_spec: None,
        bottom_up: None,
    })
}

#[test]
fn pages_of_buffers_and_of_circular_buffers_have_names() {
    let capture = capture();
    let said = named(&capture, &in_source(&capture, 4)).unwrap();
    assert!(said.ends_with(" is byte 4 of page 0 of buffer `src`"), "{said}");
    let said = named(&capture, &in_l1(&capture, (0, 0), RESULT + 132)).unwrap();
    let expected = "0x18084 of tile (1,1) is byte 4 of page 1 of circular buffer 16 `result` of program `pipe`";
    assert_eq!(said, expected);
    let said = named(&capture, &in_l1(&capture, (0, 0), THROUGH)).unwrap();
    assert!(said.ends_with("is byte 0 of page 0 of circular buffer 0 `in` of program `pipe`"));
    // Its only page is in the bank of (0,0), and the same range is allocated in all banks.
    let said = named(&capture, &in_l1(&capture, (1, 0), THROUGH + 8)).unwrap();
    assert!(
        said.ends_with(" is byte 8 of the share that buffer `through` has of this bank"),
        "{said}"
    );
    // A semaphore is only on its own cores, and in its own program.
    let mut with_semaphore = with([
        Command::CreateSemaphore(commands::CreateSemaphore {
            semaphore: hallmark_schema::model::SemaphoreId(0),
            name: "turn".to_owned(),
            program: hallmark_schema::model::ProgramId(0),
            cores: vec![hallmark_schema::model::CoreRange {
                start: LogicalCore { x: 0, y: 0 },
                end: LogicalCore { x: 0, y: 0 },
            }],
            initial_value: 0,
        }),
        another_buffer(),
    ]);
    with_semaphore.record.as_mut().unwrap().addresses.push(AssignedAddress {
        object: ObjectKind::Semaphore,
        id: 0,
        address: 0x3200,
    });
    let said = named(&with_semaphore, &in_l1(&with_semaphore, (0, 0), 0x3202)).unwrap();
    assert!(said.ends_with(" is part of semaphore `turn` of program `pipe`"), "{said}");
    assert_eq!(named(&with_semaphore, &in_l1(&with_semaphore, (1, 0), 0x3202)), None);
}

#[test]
fn what_is_nobodys_has_no_name() {
    let capture = capture();
    for (what, memory) in [
        ("behind a circular buffer", in_l1(&capture, (0, 0), RESULT + 256)),
        ("a core without circular buffers", in_l1(&capture, (1, 0), RESULT)),
        ("behind a buffer's share", in_l1(&capture, (1, 0), THROUGH + 512)),
        ("before the first buffer", in_l1(&capture, (0, 0), 0x40)),
        ("an address that no memory has", in_l1(&capture, (0, 0), u64::MAX)),
    ] {
        assert_eq!(named(&capture, &memory), None, "{what}");
    }
    let program = StoppedProgram::new(&capture, CommandIndex(14));
    let before = sentence(&program, CommandIndex(0), &in_source(&capture, 0));
    assert_eq!(before, None, "the buffer is made later");
    let mut without = capture.clone();
    without.record = None;
    assert_eq!(named(&without, &in_source(&without, 0)), None, "nobody knows addresses");
}

/// Puts buffer 3 where buffer `src` was.
fn assign_buffer_3(capture: &mut Capture) {
    let addresses = &mut capture.record.as_mut().unwrap().addresses;
    addresses.push(AssignedAddress { object: ObjectKind::Buffer, id: 3, address: 0x40 });
    addresses.sort_by_key(|assigned| (assigned.object, assigned.id));
}

#[test]
fn released_memory_is_its_next_owners() {
    let resize = |total_size| {
        Command::UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize {
            circular_buffer: CircularBufferId(1),
            total_size,
        })
    };
    let released = with([RELEASE, resize(128)]);
    let said = named(&released, &in_source(&released, 1)).unwrap();
    assert!(
        said.ends_with(" was byte 1 of page 0 of buffer `src`, which command 12 released"),
        "{said}"
    );
    let mut reused = with([RELEASE, another_buffer()]);
    assign_buffer_3(&mut reused);
    let said = named(&reused, &in_source(&reused, 1)).unwrap();
    assert!(said.ends_with(" is byte 1 of page 0 of buffer `later`"), "{said}");

    // The address of a resized circular buffer is unknown; other objects at the address are still known.
    assert_eq!(named(&released, &in_l1(&released, (0, 0), RESULT)), None);
    let said = named(&released, &in_l1(&released, (0, 0), THROUGH)).unwrap();
    assert!(said.ends_with(" is byte 0 of page 0 of buffer `through`"), "{said}");
}

#[test]
fn of_owners_that_released_memory_the_last_one_is_named() {
    let second = Command::DeallocateBuffer(commands::DeallocateBuffer { buffer: BufferId(3) });
    let mut capture = with([RELEASE, another_buffer()]);
    assign_buffer_3(&mut capture);
    // The command replaces the enqueue: the next call would enqueue the program.
    capture.program.commands[14] = RecordedCommand { command: second, outcome: Outcome::Done };
    let program = StoppedProgram::new(&capture, CommandIndex(15));
    let said = sentence(&program, CommandIndex(16), &in_source(&capture, 1)).unwrap();
    assert!(said.ends_with(" of buffer `later`, which command 14 released"), "{said}");
}

#[test]
fn the_room_of_a_circular_buffer_follows_its_updates() {
    let capture = with([
        Command::UpdateCircularBufferTotalSize(commands::UpdateCircularBufferTotalSize {
            circular_buffer: CircularBufferId(1),
            total_size: 1024,
        }),
        Command::UpdateCircularBufferPageSize(commands::UpdateCircularBufferPageSize {
            circular_buffer: CircularBufferId(1),
            index: 16,
            page_size: 64,
        }),
    ]);
    let tile = in_l1(&capture, (0, 0), 0).tile;
    let pages = |enqueue| {
        let program = StoppedProgram::new(&capture, CommandIndex(enqueue));
        program.circular_buffer(tile, 16).and_then(|buffer| buffer.pages(16))
    };
    assert_eq!(pages(14), Some(16));
    let moved = commands::UpdateDynamicCircularBufferAddressAndTotalSize {
        circular_buffer: CircularBufferId(1),
        buffer: BufferId(2),
        total_size: 512,
    };
    let moved = Command::UpdateDynamicCircularBufferAddressAndTotalSize(moved);
    let capture = with([another_buffer(), moved]);
    let program = StoppedProgram::new(&capture, CommandIndex(14));
    assert_eq!(program.circular_buffer(tile, 16).and_then(|it| it.pages(16)), Some(4));
}

#[test]
fn a_program_is_told_to_be_in_the_trace_of_its_own_queue() {
    use hallmark_schema::model::{QueueId, TraceId};
    let begin = |queue, trace: &str| {
        Command::BeginTraceCapture(commands::BeginTraceCapture {
            queue: QueueId(queue),
            trace: TraceId(queue.into()),
            name: trace.to_owned(),
        })
    };
    let end = |queue| {
        let (queue, trace) = (QueueId(queue), TraceId(queue.into()));
        Command::EndTraceCapture(commands::EndTraceCapture { queue, trace })
    };
    let title = |commands| StoppedProgram::new(&with(commands), CommandIndex(14)).title();
    let plain = "program `pipe` (enqueued by command 14)";
    assert_eq!(title([begin(0, "own"), begin(1, "other")]), format!("{plain} in trace `own`"));
    assert_eq!(title([begin(0, "own"), end(1)]), format!("{plain} in trace `own`"));
    assert_eq!(title([begin(0, "own"), end(0)]), plain);
    assert_eq!(title([begin(1, "other"), another_buffer()]), plain);
}
