//! Numbers of the host-device ABI beside the answers of TT-Metalium itself.
//!
//! A C++ program queries the vendor's library, over a simulator's library, and prints the answers. The tests
//! need the folder of an unpacked ttnn wheel in `HALLMARK_METALIUM_SITE`, and the path of a simulator's library
//! for the chip in `HALLMARK_TTSIM_WORMHOLE_B0` or `HALLMARK_TTSIM_BLACKHOLE`; without them the tests stay
//! ignored. With Hallmark's own library, `HALLMARK_SIM_HARVESTING` selects the chip's fused-off part. The first
//! run builds the vendor's firmware within about a minute.
#![cfg(feature = "recorder")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failing helper fails its test"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use hallmark_chip::{Architecture, ChipDescription, HarvestingMask, LogicalCore};
use hallmark_metalium::{Installation, SimulatorLibrary, Site};
use hallmark_runtime::device_code::{FirmwareBundle, KernelStore};
use hallmark_runtime::devices::SimulatedChip;
use hallmark_runtime::{
    BankNumbers, BufferConfig, CaptureOptions, CircularBufferConfig, CommandQueue, Device,
    DeviceOptions, DeviceSettings, DeviceSpec, KernelDescription, SuiteKernels, open_device,
};
use hallmark_schema::limits;
use hallmark_schema::model::{
    BufferType, CircularBufferIndex, CoreRange, DataFormat, DataMovementProcessor, Grid,
    KernelConfig, NocId, ObjectKind,
};

/// TT-Metalium's answers: numbers by name.
struct Upstream(BTreeMap<String, Vec<u64>>);

impl Upstream {
    /// Queries the vendor's library over a simulator's.
    fn ask(architecture: Architecture, library: &str) -> Self {
        let variable = |name: &str| {
            PathBuf::from(std::env::var_os(name).unwrap_or_else(|| panic!("{name} is not set")))
        };
        let site = Site::open(&variable("HALLMARK_METALIUM_SITE").into()).unwrap();
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("metalium");
        let installation = Installation::prepare(&site, &cache).unwrap();
        let chip = SimulatorLibrary::link(&site, &cache, &variable(library), architecture).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let libraries = site.folder().join("ttnn/build/lib");
        let program = folder.path().join("constants");
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        std::fs::write(folder.path().join("release.hpp"), site.release().header()).unwrap();
        let built = Command::new("g++")
            .args(["-std=c++20", "-O1", "-I"])
            .arg(here.join("metalium/interface"))
            .arg("-I")
            .arg(folder.path())
            .arg(here.join("tests/constants_of_metalium/constants.cpp"))
            .arg(libraries.join("libtt_metal.so"))
            .arg(format!("-Wl,-rpath,{}", libraries.display()))
            .arg(format!(
                "-Wl,-rpath-link,{}:{}",
                libraries.display(),
                site.folder().join("ttnn.libs").display()
            ))
            .arg("-o")
            .arg(&program)
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let said = Command::new(&program)
            .current_dir(folder.path())
            .env("TT_METAL_SLOW_DISPATCH_MODE", "1")
            .env("HALLMARK_SIM_ARCH", architecture.name())
            .envs(installation.environment(&chip))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let told = format!("{text}\n{}", String::from_utf8_lossy(&said.stderr));
        assert!(said.status.success(), "{told}");
        let lines = text.lines().filter_map(|line| {
            let mut words = line.split(' ');
            let name = words.next()?.to_owned();
            let numbers: Result<Vec<u64>, _> = words.map(str::parse).collect();
            Some((name, numbers.ok()?))
        });
        Self(lines.collect())
    }

    fn all(&self, name: &str) -> &[u64] {
        self.0.get(name).unwrap_or_else(|| panic!("TT-Metalium said nothing of {name}"))
    }

    fn one(&self, name: &str) -> u64 {
        match self.all(name) {
            [number] => *number,
            numbers => panic!("{name} is {numbers:?}"),
        }
    }
}

fn open(architecture: Architecture, harvesting: HarvestingMask) -> Device {
    let firmware = FirmwareBundle::builtin(architecture).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../suites");
    let store = KernelStore::builder().prebuilt(root.join("kernels/prebuilt")).build();
    let kernels = SuiteKernels::new(root, Arc::new(store));
    let options = DeviceOptions::new(Arc::new(firmware), Box::new(kernels));
    let spec = DeviceSpec::Simulator(SimulatedChip { architecture, harvesting });
    Device::open(open_device(&spec, DeviceSettings::default()).unwrap(), options).unwrap()
}

/// The addresses of our buffers and circular buffers, created like those of the C++ program.
fn places(chip: &ChipDescription, kind: ObjectKind, buffer_type: BufferType) -> Vec<u64> {
    let mut device = open(chip.architecture, chip.harvesting);
    device.begin_capture(&CaptureOptions::default()).unwrap();
    for (pages, page_size) in [(1, 64), (7, 100), (200, 2048)] {
        let config = BufferConfig::interleaved("b", buffer_type, pages * page_size, page_size);
        device.create_buffer(&config).unwrap();
    }
    let program = device.create_program("p").unwrap();
    let cores = [CoreRange::single(LogicalCore { x: 0, y: 0 })];
    for (index, size) in (0..).zip([96_u32, 64, 16, 2048, 48]) {
        let config = CircularBufferConfig {
            name: "c",
            cores: &cores,
            total_size: u64::from(size),
            indices: &[CircularBufferIndex {
                index,
                page_size: size,
                data_format: DataFormat::UInt32,
                tile: None,
            }],
            globally_allocated_address: None,
        };
        device.create_circular_buffer(program, &config).unwrap();
    }
    // Enqueueing a program places its circular buffers, and the program needs a kernel.
    let kernel = KernelDescription {
        name: "k",
        source: "kernels/blank.cpp",
        cores: &cores,
        config: KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0),
        compile_args: Vec::new(),
        defines: BTreeMap::new(),
        named_compile_args: BTreeMap::new(),
        opt_level: None,
        bindings: None,
    };
    device.create_kernel(program, kernel).unwrap();
    device.enqueue_program(CommandQueue::FIRST, program, true).unwrap();
    let record = device.end_capture().unwrap().record.unwrap();
    let of_kind = record.addresses.iter().filter(|assigned| assigned.object == kind);
    of_kind.map(|assigned| assigned.address).collect()
}

fn pairs(numbers: &[u64]) -> Vec<(u64, u64)> {
    numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

fn differences(numbers: &[u64], from: u64) -> Vec<u64> {
    numbers.iter().map(|number| number.checked_sub(from).unwrap()).collect()
}

fn agree(architecture: Architecture, library: &str) {
    let upstream = Upstream::ask(architecture, library);
    // Hallmark's own library reads the mask too; a vendor's simulator has whole chips only.
    let mask = std::env::var("HALLMARK_SIM_HARVESTING").ok();
    let harvesting = mask.map_or(HarvestingMask::NONE, |mask| mask.parse().unwrap());
    let chip = ChipDescription::harvested(architecture, harvesting).unwrap();
    let firmware = FirmwareBundle::builtin(architecture).unwrap();

    // Cores, their names in NoC requests, and their banks.
    let (columns, rows) = chip.compute_grid();
    assert_eq!(upstream.all("grid"), [u64::from(columns), u64::from(rows)]);
    let cores = (0..rows).flat_map(|y| (0..columns).map(move |x| LogicalCore { x, y }));
    let tiles = cores.map(|core| {
        let tile = chip.noc_coordinate(core).unwrap();
        (u64::from(tile.x), u64::from(tile.y))
    });
    assert_eq!(pairs(upstream.all("tiles")), tiles.collect::<Vec<_>>());
    let grid = Grid { columns, rows };
    let numbers = BankNumbers::new(chip, BufferType::L1, grid, chip.l1_bank_order);
    let of_banks = numbers.cores().map(|core| (u64::from(core.x), u64::from(core.y)));
    assert_eq!(pairs(upstream.all("l1_cores")), of_banks.collect::<Vec<_>>());
    assert_eq!(upstream.one("l1_banks"), numbers.count());

    // Memories.
    let offsets: Vec<u64> = chip.dram_banks.iter().map(|bank| bank.offset).collect();
    assert_eq!(upstream.one("dram_banks"), offsets.len() as u64);
    assert_eq!(upstream.all("dram_offsets"), offsets);
    assert_eq!(upstream.one("dram_alignment"), u64::from(chip.dram_alignment));
    assert_eq!(upstream.one("l1_alignment"), u64::from(chip.l1_alignment));
    let (dram_base, l1_base) = (upstream.one("dram_base"), upstream.one("l1_base"));
    assert_eq!(dram_base + upstream.one("dram_bank_size"), chip.dram_bank_size);
    assert_eq!(l1_base + upstream.one("l1_bank_size"), chip.l1_size);
    assert_eq!(upstream.one("largest_packet"), u64::from(chip.noc_max_burst));

    // Limits.
    assert_eq!(upstream.one("circular_buffers"), u64::from(chip.circular_buffers));
    assert_eq!(upstream.one("semaphores"), u64::from(firmware.limits().semaphores));

    // Placement: downwards from the end of L1, upwards from the base of other memories.
    let l1 = places(chip, ObjectKind::Buffer, BufferType::L1);
    assert_eq!(upstream.all("l1_buffers"), l1);
    let dram = places(chip, ObjectKind::Buffer, BufferType::Dram);
    let our_dram_base = dram[0];
    assert_eq!(
        differences(upstream.all("dram_buffers"), dram_base),
        differences(&dram, our_dram_base)
    );
    let circular = places(chip, ObjectKind::CircularBuffer, BufferType::L1);
    let our_l1_base = u64::from(firmware.memory().unreserved_base);
    assert_eq!(
        differences(upstream.all("circular_buffer_places"), l1_base),
        differences(&circular, our_l1_base)
    );

    // Deviations and their reasons. An entry without a deviation must go.
    // Upstream's firmware is larger than ours, so L1 begins later.
    assert!(l1_base > our_l1_base, "{l1_base:#x}, {our_l1_base:#x}");
    // Upstream reserves the first mebibyte of each DRAM bank, ours only the barrier word. The difference shows
    // in addresses of captures, which any replay may change, and in programs that fill a bank.
    assert_eq!(dram_base, (1 << 20) + 2 * u64::from(chip.dram_alignment));
    assert_eq!(our_dram_base, 64);
    // Upstream 0.81.1 accepts any number of runtime arguments when they are set, and refuses an excess when the
    // program is enqueued. Our limit is that of the earlier releases, at the call that exceeds it.
    assert_eq!((upstream.one("runtime_arguments"), limits::RUNTIME_ARGUMENTS), (0, 341));
}

#[test]
#[ignore = "needs HALLMARK_METALIUM_SITE and HALLMARK_TTSIM_WORMHOLE_B0"]
fn wormhole_b0() {
    agree(Architecture::WormholeB0, "HALLMARK_TTSIM_WORMHOLE_B0");
}

#[test]
#[ignore = "needs HALLMARK_METALIUM_SITE and HALLMARK_TTSIM_BLACKHOLE"]
fn blackhole() {
    agree(Architecture::Blackhole, "HALLMARK_TTSIM_BLACKHOLE");
}
