//! The addresses of buffers: histories of allocation, release and reuse beside a model of TT-Metalium's rules.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failing helper fails its test")]

mod model;

use std::cell::RefCell;
use std::sync::Arc;

use hallmark_chip::{Architecture, LogicalCore};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    Buffer, BufferConfig, CallError, Device, DeviceOptions, DeviceSettings, DeviceSpec, NoKernels,
    open_device,
};
use hallmark_schema::model::{
    BufferLayout, BufferType, CoreRange, Failure, Shape2D, ShardOrientation, ShardSpec,
};
use model::{Live, Memory, Spread};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

const TRACE_REGION: u64 = 1_000_000;
/// Bytes of each L1 for L1_SMALL. The region ends with a partial block.
const L1_SMALL: u64 = (96 << 10) + 16;
/// The number of histories for each memory of each chip.
const HISTORIES: u32 = 40;

/// A step of a history.
#[derive(Clone, Debug)]
enum Action {
    Allocate(Request),
    /// Releases a live buffer.
    Release(Index),
    /// Releases a live buffer and creates an equal one.
    Renew(Index),
}

/// A request for a buffer, with sizes in proportion to the memory.
#[derive(Clone, Copy, Debug)]
struct Request {
    spread: Spread,
    page_size: u64,
    bottom_up: Option<bool>,
    /// The page whose place is compared.
    looked_at: u64,
}

fn requests(memory: Memory) -> impl Strategy<Value = Request> {
    let (columns, rows) = memory.grid;
    // A dozen of the largest buffers fill a bank.
    let largest_rounds = match memory.buffer_type {
        BufferType::Dram => 8192u64,
        BufferType::L1 => 40,
        BufferType::L1Small => 4,
    };
    let rounds = prop_oneof![Just(0), 0..3u64, 0..largest_rounds];
    let banks = memory.banks();
    let interleaved = (rounds, 1..=banks)
        .prop_map(move |(rounds, rest)| Spread::Interleaved { pages: rounds * banks + rest });
    let rectangle = move || (1..=columns, 1..=rows);
    let height =
        (rectangle(), 1..=20u64, any::<Index>()).prop_map(|(rectangle, on_a_core, used)| {
            let pages = 1 + used.index((rectangle.0 * rectangle.1 * on_a_core) as usize) as u64;
            Spread::Height { pages, on_a_core, rectangle }
        });
    let block = (rectangle(), 1..=5u64, 1..=5u64, any::<Index>(), any::<Index>()).prop_map(
        |(rectangle, height, width, rows, columns)| {
            let rows = 1 + rows.index((rectangle.1 * height) as usize) as u64;
            // The rectangle has as many columns of cores as the tensor has columns of shards.
            let columns = rectangle.0 * width - columns.index(width as usize) as u64;
            Spread::Block { pages: (rows, columns), on_a_core: (height, width), rectangle }
        },
    );
    let spread = match memory.buffer_type {
        BufferType::Dram | BufferType::L1 => {
            prop_oneof![3 => interleaved, 1 => height, 1 => block].boxed()
        }
        // Buffers in L1_SMALL must be sharded.
        BufferType::L1Small => prop_oneof![height, block].boxed(),
    };
    let words = prop_oneof![1..20u64, 1..1024u64, Just(8192)];
    (spread, words, any::<Option<bool>>(), any::<Index>()).prop_map(
        |(spread, words, bottom_up, page)| {
            let looked_at = page.index(spread.pages() as usize) as u64;
            Request { spread, page_size: 4 * words, bottom_up, looked_at }
        },
    )
}

fn histories(memory: Memory) -> impl Strategy<Value = Vec<Action>> {
    let action = prop_oneof![
        5 => requests(memory).prop_map(Action::Allocate),
        2 => any::<Index>().prop_map(Action::Release),
        1 => any::<Index>().prop_map(Action::Renew),
    ];
    prop::collection::vec(action, 1..60)
}

const fn shape((height, width): (u64, u64)) -> Shape2D {
    Shape2D { height: height as u32, width: width as u32 }
}

/// The layout and the shards of a request.
fn shards(spread: &Spread) -> (BufferLayout, Option<ShardSpec>) {
    let (layout, rectangle, shard, tensor) = match *spread {
        Spread::Interleaved { .. } => return (BufferLayout::Interleaved, None),
        Spread::Height { pages, on_a_core, rectangle } => {
            (BufferLayout::HeightSharded, rectangle, (on_a_core, 1), (pages, 1))
        }
        Spread::Block { pages, on_a_core, rectangle } => {
            (BufferLayout::BlockSharded, rectangle, on_a_core, pages)
        }
    };
    let end = LogicalCore { x: rectangle.0 as u32 - 1, y: rectangle.1 as u32 - 1 };
    let spec = ShardSpec {
        cores: vec![CoreRange { start: LogicalCore { x: 0, y: 0 }, end }],
        shape: shape(shard),
        orientation: ShardOrientation::RowMajor,
        page_shape: shape((1, 1)),
        tensor2d_shape_in_pages: shape(tensor),
    };
    (layout, Some(spec))
}

/// Creates a buffer of the device, if the memory has room.
fn create(device: &mut Device, memory: &Memory, request: &Request) -> Option<Buffer> {
    let (layout, spec) = shards(&request.spread);
    let size = request.spread.pages() * request.page_size;
    let config = BufferConfig {
        name: "b",
        size,
        page_size: request.page_size,
        buffer_type: memory.buffer_type,
        layout,
        shard_spec: spec.as_ref(),
        bottom_up: request.bottom_up,
    };
    match device.create_buffer(&config) {
        Ok(buffer) => Some(buffer),
        Err(CallError::Host(error)) => {
            let expected = |failure: &Failure| {
                matches!(failure, Failure::OutOfMemory { buffer_type, size: asked, .. }
                    if *buffer_type == memory.buffer_type && *asked == size)
            };
            assert!(expected(&error.failure), "{request:?}: {error}");
            None
        }
        Err(error) => panic!("{request:?}: {error}"),
    }
}

/// The place of a page: its core, counted row by row, or its DRAM bank, and the address of its first byte on
/// the tile.
type PagePlace = Option<(u64, u64)>;

fn shown(place: PagePlace) -> String {
    place.map_or_else(
        || "nowhere, for want of room".to_owned(),
        |(number, address)| format!("at {address:#x} of core or DRAM bank {number}"),
    )
}

/// The buffers of a device beside those of the model.
struct Comparison<'a> {
    memory: &'a Memory,
    device: &'a mut Device,
    model: Live,
    alive: Vec<(Request, Buffer, u64)>,
    allocations: u32,
}

impl<'a> Comparison<'a> {
    fn new(memory: &'a Memory, device: &'a mut Device) -> Self {
        Self { memory, device, model: Live::default(), alive: Vec::new(), allocations: 0 }
    }

    fn allocate(&mut self, request: Request) -> Result<(), TestCaseError> {
        let Self { memory, device, model, alive, allocations } = self;
        let Request { spread, page_size, bottom_up, looked_at } = request;
        let upwards = bottom_up.unwrap_or(memory.buffer_type == BufferType::Dram);
        let size = spread.bank_size(memory, page_size);
        let address = model.take(memory, size, upwards);
        let expected = address.map(|address| {
            let (number, before) = spread.place(memory, looked_at);
            let in_bank = address + before * memory.stride(page_size);
            (number, memory.bank_offset(number) + in_bank)
        });
        let buffer = create(device, memory, &request);
        let found = buffer.map(|buffer| {
            let byte = device.locate(buffer, looked_at * page_size).unwrap().unwrap();
            let number = match memory.buffer_type {
                BufferType::Dram => byte.bank,
                BufferType::L1 | BufferType::L1Small => {
                    let core = device.description().logical(byte.tile).unwrap();
                    u64::from(core.y) * memory.grid.0 + u64::from(core.x)
                }
            };
            (number, byte.address)
        });
        let number = *allocations;
        *allocations += 1;
        if found != expected {
            return Err(TestCaseError::fail(format!(
                "ADDRESSES differ on {} in {}: page {looked_at} of allocation {number} ({spread:?}, pages of \
                 {page_size} B, {}) lies {}, expected {}; {} buffers were alive",
                memory.architecture,
                memory.buffer_type,
                if upwards { "bottom up" } else { "top down" },
                shown(found),
                shown(expected),
                alive.len(),
            )));
        }
        alive.extend(buffer.zip(address).map(|(buffer, address)| (request, buffer, address)));
        Ok(())
    }

    fn release(&mut self, which: usize) -> Request {
        let (request, buffer, address) = self.alive.swap_remove(which);
        self.device.deallocate_buffer(buffer).unwrap();
        self.model.give_back(address);
        request
    }

    fn act(&mut self, action: &Action) -> Result<(), TestCaseError> {
        match action {
            Action::Allocate(request) => self.allocate(*request),
            Action::Release(_) | Action::Renew(_) if self.alive.is_empty() => Ok(()),
            Action::Release(which) => {
                self.release(which.index(self.alive.len()));
                Ok(())
            }
            Action::Renew(which) => {
                let request = self.release(which.index(self.alive.len()));
                self.allocate(request)
            }
        }
    }
}

fn open(architecture: Architecture) -> Device {
    let firmware = FirmwareBundle::builtin(architecture).unwrap();
    let mut options = DeviceOptions::new(Arc::new(firmware), Box::new(NoKernels));
    options.trace_region_size = TRACE_REGION;
    options.l1_small_size = L1_SMALL;
    let spec = DeviceSpec::simulator(architecture);
    Device::open(open_device(&spec, DeviceSettings::default()).unwrap(), options).unwrap()
}

/// Every buffer of every history lies where the model puts it, in each memory of each chip.
#[test]
fn buffers_lie_where_the_rules_put_them() {
    for architecture in Architecture::ALL {
        for buffer_type in [BufferType::Dram, BufferType::L1, BufferType::L1Small] {
            let device = RefCell::new(open(architecture));
            let l1_base = device.borrow().firmware().memory().unreserved_base.into();
            let memory = Memory::new(architecture, buffer_type, l1_base, TRACE_REGION, L1_SMALL);
            let config = ProptestConfig {
                cases: HISTORIES,
                failure_persistence: None,
                ..ProptestConfig::default()
            };
            // Every run uses the same histories.
            let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
            let mut runner = TestRunner::new_with_rng(config, random);
            let outcome = runner.run(&histories(memory), |history| {
                let mut device = device.borrow_mut();
                let mut comparison = Comparison::new(&memory, &mut device);
                let outcome = history.iter().try_for_each(|action| comparison.act(action));
                // The next history finds all memory free. The allocator must have joined the free blocks.
                while !comparison.alive.is_empty() {
                    comparison.release(0);
                }
                if outcome.is_err() {
                    *device = open(architecture);
                }
                outcome
            });
            match outcome {
                Ok(()) => {}
                Err(TestError::Fail(reason, history)) => panic!("{reason}\nafter {history:#?}"),
                Err(TestError::Abort(reason)) => panic!("{reason}"),
            }
        }
    }
}

/// A defect of the allocator shows as differing addresses, not as misplaced data.
#[test]
#[cfg(feature = "sabotage")]
fn defects_of_the_allocator_are_told_by_addresses() {
    let defects = [
        "PagesUnaligned",
        "MemoryGivenTwice",
        "FreedMemoryLost",
        "FreeNeighboursApart",
        "LastRoundForgotten",
        "TraceRegionNotSetAside",
    ];
    for defect in defects {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "buffers_lie_where_the_rules_put_them"]);
        let output = command.env(hallmark_chip::sabotage::VARIABLE, defect).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let line = text.lines().find(|line| line.starts_with("ADDRESSES differ"));
        println!("{defect:<24} {}", line.unwrap_or("MISSED"));
        assert!(!output.status.success() && line.is_some(), "{defect}: {text}");
    }
}
