//! The firmware and the kernels of the suites, run by a small host of their own: on the simulator, and on a
//! library with the simulator ABI.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test says what failed by panicking, and what it skips by printing"
)]

mod common;

use std::collections::BTreeMap;

use common::TestKernels;
use hallmark_chip::{
    Advance, Architecture, ChipDescription, DeviceError, HarvestingMask, LogicalCore, Meaning, Noc,
    NocCoordinate, PciDevice, Processor, TileAddress, WindowId, WindowOrder, WindowTarget,
};
use hallmark_runtime::device_code::{
    BankTables, BootStatus, CircularBufferSlot, FirmwareBundle, KernelImage, LaunchBlock, Mailbox,
    NocBank, ProcessorLaunch,
};
use hallmark_schema::model::{DataMovementProcessor, KernelConfig, MathFidelity, NocId};
use hallmark_sim::{SimulatedDevice, SimulatorOptions};

const ARCHITECTURE: Architecture = Architecture::WormholeB0;
/// L1 that the tests use as scratch, above the unreserved base.
const SCRATCH: u32 = 0x2_0000;

fn core(x: u32, y: u32) -> LogicalCore {
    LogicalCore { x, y }
}

/// One kernel of a launch.
struct Kernel {
    source: &'static str,
    core: LogicalCore,
    config: KernelConfig,
    compile_args: Vec<u32>,
    defines: BTreeMap<String, String>,
    args: Vec<u32>,
    common: Vec<u32>,
}

fn data_movement(source: &'static str, core: LogicalCore, number: u32, noc: NocId) -> Kernel {
    let processor = match number {
        0 => DataMovementProcessor::Riscv0,
        _ => DataMovementProcessor::Riscv1,
    };
    let config = KernelConfig::data_movement(processor, noc);
    Kernel {
        source,
        core,
        config,
        compile_args: Vec::new(),
        defines: BTreeMap::new(),
        args: Vec::new(),
        common: Vec::new(),
    }
}

fn compute(source: &'static str, core: LogicalCore) -> Kernel {
    let config = KernelConfig::compute(MathFidelity::HiFi4);
    Kernel { config, ..data_movement(source, core, 0, NocId::Noc0) }
}

impl Kernel {
    fn compile_args(mut self, args: &[u32]) -> Self {
        self.compile_args = args.to_vec();
        self
    }

    fn args(mut self, args: &[u32]) -> Self {
        self.args = args.to_vec();
        self
    }
}

struct Host {
    device: Box<dyn PciDevice>,
    chip: &'static ChipDescription,
    bundle: FirmwareBundle,
    window: WindowId,
    window_size: u64,
    booted: Vec<LogicalCore>,
    launches: u32,
    /// The base address of the last kernel.
    last_base: u32,
}

impl Host {
    fn new(mut device: Box<dyn PciDevice>, architecture: Architecture) -> Self {
        let window = device.allocate_window(1 << 24).unwrap();
        let window_size = device.window_size(window).unwrap();
        Self {
            device,
            chip: ChipDescription::of(architecture),
            bundle: FirmwareBundle::builtin(architecture).unwrap(),
            window,
            window_size,
            booted: Vec::new(),
            launches: 0,
            last_base: 0,
        }
    }

    fn point(&mut self, tile: NocCoordinate, address: u64) -> u64 {
        let target = WindowTarget {
            end: tile,
            multicast_start: None,
            noc: Noc::Noc0,
            address: TileAddress(address - address % self.window_size),
            order: WindowOrder::Strict,
        };
        self.device.configure_window(self.window, &target).unwrap();
        address % self.window_size
    }

    fn tile(&self, core: LogicalCore) -> NocCoordinate {
        self.chip.noc_coordinate(core).unwrap()
    }

    fn write(&mut self, core: LogicalCore, address: u32, bytes: &[u8]) {
        let tile = self.tile(core);
        let offset = self.point(tile, address.into());
        self.device.window_write(self.window, offset, bytes).unwrap();
    }

    fn write_words(&mut self, core: LogicalCore, address: u32, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write(core, address, &bytes);
    }

    fn read_words(&mut self, core: LogicalCore, address: u32, count: usize) -> Vec<u32> {
        let tile = self.tile(core);
        let offset = self.point(tile, address.into());
        let mut bytes = vec![0; 4 * count];
        self.device.window_read(self.window, offset, &mut bytes).unwrap();
        words_of(&bytes)
    }

    fn dram_write(&mut self, bank: usize, address: u64, words: &[u32]) {
        let place = self.chip.dram_banks[bank];
        let offset = self.point(place.tile, place.offset + address);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.device.window_write(self.window, offset, &bytes).unwrap();
    }

    fn dram_read(&mut self, bank: usize, address: u64, count: usize) -> Vec<u32> {
        let place = self.chip.dram_banks[bank];
        let offset = self.point(place.tile, place.offset + address);
        let mut bytes = vec![0; 4 * count];
        self.device.window_read(self.window, offset, &mut bytes).unwrap();
        words_of(&bytes)
    }

    fn bank_tables(&self) -> BankTables {
        let both = |tile| Noc::ALL.map(|noc| self.chip.on_noc(noc, tile));
        let (columns, rows) = self.chip.compute_grid();
        let l1 = (0..rows).flat_map(|y| (0..columns).map(move |x| core(x, y)));
        BankTables {
            dram: (self.chip.dram_banks.iter())
                .map(|bank| NocBank { tile: both(bank.tile), offset: bank.offset as u32 })
                .collect(),
            l1: l1.map(|core| NocBank { tile: both(self.tile(core)), offset: 0 }).collect(),
        }
    }

    fn banks(&self) -> u32 {
        self.chip.dram_banks.len() as u32
    }

    /// The place of page `page` of a DRAM buffer at `start`.
    fn page(&self, start: u32, page: u32, page_size: u32) -> (usize, u64) {
        let stride = page_size.next_multiple_of(self.chip.dram_alignment);
        ((page % self.banks()) as usize, (start + page / self.banks() * stride).into())
    }

    fn write_page(&mut self, start: u32, page: u32, words: &[u32]) {
        let (bank, address) = self.page(start, page, 4 * words.len() as u32);
        self.dram_write(bank, address, words);
    }

    fn read_page(&mut self, start: u32, page: u32, words: usize) -> Vec<u32> {
        let (bank, address) = self.page(start, page, 4 * words as u32);
        self.dram_read(bank, address, words)
    }

    /// Compile-time arguments of an interleaved DRAM buffer.
    fn dram(&self, page_size: u32) -> [u32; 2] {
        [2, page_size.next_multiple_of(self.chip.dram_alignment)]
    }

    fn annotate(&mut self, core: LogicalCore, start: u32, length: u32, meaning: Meaning) {
        let tile = self.chip.physical(core).unwrap();
        let start = TileAddress(start.into());
        self.device.annotate(tile, start, length.into(), meaning).unwrap();
    }

    fn boot(&mut self, core: LogicalCore) {
        if self.booted.contains(&core) {
            return;
        }
        let memory = *self.bundle.memory();
        let reset = self.chip.reset;
        let tile = self.tile(core);
        let held: u32 = reset.bits.iter().sum();
        let offset = self.point(tile, reset.soft_reset.0);
        self.device.window_write(self.window, offset, &held.to_le_bytes()).unwrap();
        for image in self.bundle.images().to_vec() {
            self.write(core, image.load_address, &image.bytes);
        }
        self.annotate(core, memory.mailbox.start, memory.mailbox.size(), Meaning::Mailbox);
        self.write(core, memory.mailbox.start, &vec![0; memory.mailbox.size() as usize]);
        for (processor, start) in Processor::ALL.into_iter().zip(reset.overrides) {
            let Some(start) = start.filter(|_| reset.overrides_reachable) else { continue };
            let entry = self.bundle.manifest().image(processor).entry;
            self.write_words(core, start.pc, &[entry]);
            let together = reset.overrides.iter().flatten().filter(|o| o.enable == start.enable);
            let enabled = together.fold(0, |bits, other| bits | other.enable_bit);
            self.write_words(core, start.enable, &[enabled]);
        }
        let tables = self.bank_tables().encode().unwrap();
        self.write(core, memory.bank_tables.start, &tables);
        self.device.order().unwrap();
        let released = held & !reset.bits[Processor::Brisc.index()];
        let offset = self.point(tile, reset.soft_reset.0);
        self.device.window_write(self.window, offset, &released.to_le_bytes()).unwrap();
        for _ in 0..100 {
            self.device.advance(1000).unwrap();
            let status = self.read_words(core, memory.mailbox.start + Mailbox::BOOT_STATUS, 1)[0];
            match BootStatus::from_word(status) {
                BootStatus::Ready => {
                    self.booted.push(core);
                    return;
                }
                BootStatus::Booting => {}
                BootStatus::Unknown(word) => panic!("boot status {word:#x}"),
            }
        }
        panic!("{core} does not boot");
    }

    fn image(&self, kernel: &Kernel, processor: Processor) -> KernelImage {
        let Kernel { source, config, compile_args, defines, .. } = kernel;
        let kernels = TestKernels::of("suites", self.chip.architecture);
        let builds = kernels.builds(source, config, compile_args, defines);
        let (_, kernel) = builds.iter().find(|(other, _)| *other == processor).unwrap();
        KernelImage::parse(&kernel.elf).unwrap()
    }

    /// Places and starts a program; semaphores start at 0.
    fn start(&mut self, kernels: &[Kernel], buffers: &[CircularBufferSlot]) -> Vec<LogicalCore> {
        let memory = *self.bundle.memory();
        self.launches += 1;
        let mut cores: Vec<LogicalCore> = kernels.iter().map(|kernel| kernel.core).collect();
        cores.sort();
        cores.dedup();
        for &core in &cores {
            self.boot(core);
            // Each launch takes another place: kernels must run anywhere.
            let mut place = memory.kernel_config.start + 16 * (self.launches % 7);
            let mut take = |size: u32| {
                let start = place;
                place += size.next_multiple_of(16);
                assert!(place <= memory.kernel_config.end);
                start
            };
            let semaphores = take(16 * 16);
            let table = take(64 * 16);
            let launch_block = take(LaunchBlock::SIZE);
            let mut block = LaunchBlock {
                processors: [None; 5],
                bank_tables: memory.bank_tables.start,
                semaphores,
                circular_buffers: table,
                circular_buffer_count: buffers.len() as u32,
                noc: Noc::ALL.map(|noc| self.chip.on_noc(noc, self.tile(core))),
                logical: core,
                atomic_return: memory.mailbox.start + Mailbox::ATOMIC_RETURN,
            };
            self.annotate(core, semaphores, 256, Meaning::Semaphore);
            self.write(core, semaphores, &[0; 256]);
            self.write(core, table, &CircularBufferSlot::encode_table(buffers));
            for kernel in kernels.iter().filter(|kernel| kernel.core == core) {
                let unique_args = take(4 * kernel.args.len() as u32);
                let common_args = take(4 * kernel.common.len() as u32);
                self.write_words(core, unique_args, &kernel.args);
                self.write_words(core, common_args, &kernel.common);
                for processor in kernel.config.processors().iter().copied() {
                    let image = self.image(kernel, processor);
                    let base = take(image.size());
                    self.last_base = base;
                    self.write(core, base, &image.relocate(base).unwrap());
                    block.processors[processor.index()] = Some(ProcessorLaunch {
                        entry: base + image.entry(),
                        unique_args,
                        common_args,
                    });
                }
            }
            self.write(core, launch_block, &block.encode());
            let mailbox = memory.mailbox.start;
            self.write_words(core, mailbox + Mailbox::LAUNCH_BLOCK, &[launch_block]);
        }
        self.device.order().unwrap();
        for &core in &cores {
            self.write_words(core, memory.mailbox.start + Mailbox::GO, &[self.launches]);
        }
        cores
    }

    fn run(&mut self, kernels: &[Kernel], buffers: &[CircularBufferSlot]) {
        let cores = self.start(kernels, buffers);
        self.finish(&cores);
    }

    fn finish(&mut self, cores: &[LogicalCore]) {
        let done = self.bundle.memory().mailbox.start + Mailbox::DONE;
        for _ in 0..10_000 {
            let advance = self.device.advance(1000).unwrap();
            let all = cores.iter().all(|&core| self.read_words(core, done, 1)[0] == self.launches);
            if all {
                return;
            }
            assert!(!matches!(advance, Advance::Quiescent(_)), "deadlock: {advance:?}");
        }
        panic!("launch {} does not end", self.launches);
    }
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// Words that differ everywhere from those of another seed.
fn pattern(seed: u32, count: usize) -> Vec<u32> {
    (0..count as u32)
        .map(|index| seed.wrapping_mul(0x9E37_79B9) ^ index.wrapping_mul(2_654_435_761))
        .collect()
}

fn simulator() -> Host {
    simulator_with_schedule(0)
}

fn simulator_with_schedule(seed: u64) -> Host {
    let options = SimulatorOptions::with_schedule_seed(seed);
    Host::new(Box::new(SimulatedDevice::new(ARCHITECTURE, options).unwrap()), ARCHITECTURE)
}

fn all_programs(host: &mut Host) {
    loopback_between_banks(host);
    loopback_of_pages(host);
    series_of_transfers(host);
    pipelines(host);
    compute_on_three_threads(host);
    arguments_arrive(host);
    semaphores_and_atomics(host);
    multicast(host);
    whole_grid(host);
    private_memory(host);
}

#[test]
fn every_program_runs_on_the_simulator() {
    all_programs(&mut simulator());
}

#[test]
fn every_program_runs_whatever_the_schedule() {
    for seed in 1..=6 {
        all_programs(&mut simulator_with_schedule(seed));
    }
}

mod with_ttsim {
    use super::*;

    #[test]
    #[ignore = "needs HALLMARK_TTSIM=path of a libttsim.so; run with: cargo nextest run --run-ignored only -E 'test(with_ttsim)'"]
    fn every_program_runs() {
        all_programs(&mut Host::new(common::ttsim(), ARCHITECTURE));
    }
}

mod on_blackhole {
    use super::*;

    #[test]
    #[ignore = "needs HALLMARK_TTSIM_BLACKHOLE=path of a Blackhole libttsim.so, and the cross compiler; run with: cargo nextest run --run-ignored only -E 'test(on_blackhole) + binary(blackhole)'"]
    fn every_program_runs() {
        let path = std::env::var_os("HALLMARK_TTSIM_BLACKHOLE")
            .expect("set HALLMARK_TTSIM_BLACKHOLE to the path of a libttsim.so for Blackhole");
        let device = hallmark_runtime::devices::ttsim::TtsimDevice::open(
            std::path::Path::new(&path),
            HarvestingMask::NONE,
        )
        .unwrap();
        all_programs(&mut Host::new(Box::new(device), Architecture::Blackhole));
    }
}

fn loopback_between_banks(host: &mut Host) {
    let choices = [(0, NocId::Noc0), (0, NocId::Noc1), (1, NocId::Noc0), (1, NocId::Noc1)];
    for (round, (processor, noc)) in choices.into_iter().enumerate() {
        for size in [32, 20_000] {
            let data = pattern(round as u32, size / 4);
            host.dram_write(3, 0x1000, &data);
            let kernel = data_movement("kernels/dram_loopback.cpp", core(1, 2), processor, noc);
            let args = [SCRATCH, 0x1000, 3, 0x40_0000, 10 % host.banks(), size as u32];
            host.run(&[kernel.args(&args)], &[]);
            assert_eq!(
                host.dram_read((10 % host.banks()) as usize, 0x40_0000, size / 4),
                data,
                "{processor} {noc:?}"
            );
        }
    }
}

fn loopback_of_pages(host: &mut Host) {
    let (pages, page_size) = (30, 96);
    for page in 0..pages {
        let data = pattern(page, page_size as usize / 4);
        host.write_page(0x2_0000, page, &data);
    }
    let args = |first, step| [0x2_0000, 0x3_0000, SCRATCH, page_size, first, pages, step];
    let buffer = host.dram(page_size);
    let compile_args = [buffer, buffer].concat();
    // Both data-movement cores of one tile share the work.
    let kernels = [0, 1].map(|processor| {
        let noc = [NocId::Noc0, NocId::Noc1][processor as usize];
        let mut args = args(processor, 2);
        args[2] += processor * 0x1000;
        data_movement("kernels/loopback.cpp", core(0, 0), processor, noc)
            .compile_args(&compile_args)
            .args(&args)
    });
    host.run(&kernels, &[]);
    let check = |host: &mut Host, start: u32| {
        for page in 0..pages {
            let data = pattern(page, page_size as usize / 4);
            assert_eq!(host.read_page(start, page, data.len()), data, "{page}");
        }
    };
    check(host, 0x3_0000);
    let addrgen = data_movement("kernels/loopback_addrgen.cpp", core(0, 0), 0, NocId::Noc1)
        .compile_args(&[1, 1])
        .args(&[0x3_0000, 0x5_0000, SCRATCH, page_size, pages]);
    host.run(&[addrgen], &[]);
    check(host, 0x5_0000);
    // Copies to the L1 banks and back.
    let there = data_movement("kernels/loopback.cpp", core(2, 1), 0, NocId::Noc0)
        .compile_args(&[buffer.as_slice(), &[0, page_size]].concat())
        .args(&[0x3_0000, 0x10_0000, SCRATCH, page_size, 0, pages, 1]);
    host.run(&[there], &[]);
    assert_eq!(host.read_words(core(4, 0), 0x10_0000, 24), pattern(4, 24));
    let back = data_movement("kernels/loopback.cpp", core(2, 1), 1, NocId::Noc1)
        .compile_args(&[&[0, page_size], buffer.as_slice()].concat())
        .args(&[0x10_0000, 0x7_0000, SCRATCH, page_size, 0, pages, 1]);
    host.run(&[back], &[]);
    check(host, 0x7_0000);
}

fn series_of_transfers(host: &mut Host) {
    let (size, pieces) = (4096, 6);
    let words = (size * pieces) as usize / 4;
    host.dram_write(1, 0x60_0000, &pattern(77, words));
    for (processor, noc) in [(0, NocId::Noc0), (1, NocId::Noc1)] {
        let (first, second) = (0x61_0000 + processor * 0x2_0000, 0x62_0000 + processor * 0x2_0000);
        let kernel = data_movement("kernels/series.cpp", core(5, 5), processor, noc);
        let args = [SCRATCH, 0x60_0000, 1, first, 7, size, pieces, second];
        host.run(&[kernel.args(&args)], &[]);
        assert_eq!(host.dram_read(7, first.into(), words), pattern(77, words));
        assert_eq!(host.dram_read(7, second.into(), words), pattern(77, words));
    }
}

fn slot(address: u32, num_pages: u32, page_size: u32) -> CircularBufferSlot {
    CircularBufferSlot { address, size: num_pages * page_size, num_pages, page_size }
}

fn pipelines(host: &mut Host) {
    let (pages, page_size) = (24, 128);
    let words = page_size as usize / 4;
    for page in 0..pages {
        host.write_page(0x10_0000, page, &pattern(page, words));
        host.write_page(0x11_0000, page, &pattern(!page, words));
    }
    let buffer = host.dram(page_size);
    let check = |host: &mut Host, start: u32, expect: &dyn Fn(u32) -> Vec<u32>| {
        for page in 0..pages {
            let found = host.read_page(start, page, words);
            assert_eq!(found, expect(page), "page {page}");
        }
    };
    let reader = |cb: u32, block| {
        data_movement("kernels/reader.cpp", core(3, 3), 1, NocId::Noc1)
            .compile_args(&[&[cb, block], buffer.as_slice()].concat())
            .args(&[0x10_0000, 0, pages])
    };
    let writer = |cb: u32, block, to| {
        data_movement("kernels/writer.cpp", core(3, 3), 0, NocId::Noc0)
            .compile_args(&[&[cb, block], buffer.as_slice()].concat())
            .args(&[to, 0, pages])
    };
    let none = CircularBufferSlot::default();
    // Producer and consumer take different steps: first directly, then with compute between them.
    host.run(&[reader(0, 2), writer(0, 3, 0x20_0000)], &[slot(SCRATCH, 6, page_size)]);
    check(host, 0x20_0000, &|page| pattern(page, words));
    let add_one =
        compute("kernels/compute_add_one.cpp", core(3, 3)).compile_args(&[0, 2]).args(&[pages, 7]);
    let buffers = [slot(SCRATCH, 2, page_size), none, slot(SCRATCH + 0x1000, 4, page_size)];
    host.run(&[reader(0, 1), add_one, writer(2, 2, 0x21_0000)], &buffers);
    check(host, 0x21_0000, &|page| {
        pattern(page, words).iter().map(|word| word.wrapping_add(7)).collect()
    });
    let reader_two = data_movement("kernels/reader_two.cpp", core(3, 3), 1, NocId::Noc1)
        .compile_args(&[&[0, 1], [buffer, buffer].concat().as_slice()].concat())
        .args(&[0x10_0000, 0x11_0000, 0, pages]);
    let add =
        compute("kernels/compute_add.cpp", core(3, 3)).compile_args(&[0, 1, 31]).args(&[pages]);
    let mut buffers = vec![none; 32];
    buffers[0] = slot(SCRATCH, 2, page_size);
    buffers[1] = slot(SCRATCH + 0x1000, 3, page_size);
    buffers[31] = slot(SCRATCH + 0x2000, 4, page_size);
    host.run(&[reader_two, add, writer(31, 1, 0x22_0000)], &buffers);
    check(host, 0x22_0000, &|page| {
        let (a, b) = (pattern(page, words), pattern(!page, words));
        a.iter().zip(b).map(|(a, b)| a.wrapping_add(b)).collect()
    });
}

fn compute_on_three_threads(host: &mut Host) {
    let threads =
        compute("kernels/compute_threads.cpp", core(0, 8)).compile_args(&[16, 4711]).args(&[21]);
    let writer = data_movement("kernels/writer.cpp", core(0, 8), 1, NocId::Noc0)
        .compile_args(&[&[16, 1], host.dram(64).as_slice()].concat())
        .args(&[0x30_0000, 5, 1]);
    let mut buffers = vec![CircularBufferSlot::default(); 17];
    buffers[16] = slot(SCRATCH, 1, 64);
    host.run(&[threads, writer], &buffers);
    assert_eq!(host.dram_read(5, 0x30_0000, 4), [42, 4711, 2, 0]);
}

fn arguments_arrive(host: &mut Host) {
    for (processor, flag) in [(0, false), (1, true)] {
        let mut kernel =
            data_movement("kernels/arguments_echo.cpp", core(7, 8), processor, NocId::Noc0)
                .compile_args(&[&host.dram(256), [0xFFFF_FFFF, 6].as_slice()].concat())
                .args(&[&[0x31_0000, SCRATCH, 1, 5], pattern(9, 5).as_slice()].concat());
        kernel.common = [&[2], pattern(8, 2).as_slice()].concat();
        kernel.defines.insert("ECHO_NUMBER".to_owned(), "(3 + 4) * 5".to_owned());
        kernel.defines.insert("ECHO_COMMON".to_owned(), String::new());
        if flag {
            kernel.defines.insert("ECHO_FLAG".to_owned(), String::new());
        }
        host.run(&[kernel], &[]);
        let expected =
            [pattern(9, 5), pattern(8, 2), vec![0xFFFF_FFFF, 6, 35, flag.into()]].concat();
        assert_eq!(host.dram_read(1, 0x31_0000, 11), expected);
    }
}

fn semaphores_and_atomics(host: &mut Host) {
    let (a, b) = (core(0, 0), core(5, 7));
    let player = |here: LogicalCore, other: NocCoordinate, begins: u32, number| {
        data_movement("kernels/semaphore_ping_pong.cpp", here, 0, NocId::Noc0)
            .compile_args(&host.dram(32))
            .args(&[1, other.x.into(), other.y.into(), 10, number, begins, SCRATCH, 0x32_0000])
    };
    let (tile_a, tile_b) = (host.tile(a), host.tile(b));
    host.run(&[player(a, tile_b, 1, 3), player(b, tile_a, 0, 100)], &[]);
    assert_eq!(host.dram_read(0, 0x32_0000, 1), [1030]);

    let collector = core(4, 4);
    let tile = host.tile(collector);
    let workers: Vec<LogicalCore> = (0..8).map(|x| core(x, 6)).collect();
    let mut kernels: Vec<Kernel> = (workers.iter().zip(0u32..))
        .map(|(&worker, rank)| {
            let (x, y) = (tile.x.into(), tile.y.into());
            data_movement("kernels/gather_worker.cpp", worker, rank % 2, NocId::Noc1).args(&[
                2,
                x,
                y,
                SCRATCH,
                rank,
                50 + rank * rank,
                SCRATCH + 0x1000,
            ])
        })
        .collect();
    kernels.push(
        data_movement("kernels/gather_collector.cpp", collector, 1, NocId::Noc0)
            .compile_args(&host.dram(128))
            .args(&[2, 8, SCRATCH, 0x33_0000]),
    );
    host.run(&kernels, &[]);
    let expected: Vec<u32> = (0..8).flat_map(|rank| [50 + rank * rank, 0, 0, 0]).collect();
    assert_eq!(host.dram_read(0, 0x33_0000, 32), expected);

    host.write_words(collector, SCRATCH + 0x40, &[0xFFFF_FFF0]);
    let adders: Vec<Kernel> = (workers.iter())
        .flat_map(|&worker| {
            [(0, NocId::Noc0), (1, NocId::Noc1)].map(|(processor, noc)| {
                data_movement("kernels/atomic_increment.cpp", worker, processor, noc).args(&[
                    tile.x.into(),
                    tile.y.into(),
                    SCRATCH + 0x40,
                    3,
                    20,
                ])
            })
        })
        .collect();
    host.run(&adders, &[]);
    let expected = 0xFFFF_FFF0_u32.wrapping_add(8 * 2 * 3 * 20);
    assert_eq!(host.read_words(collector, SCRATCH + 0x40, 1), [expected]);

    let inline = data_movement("kernels/inline_write.cpp", a, 1, NocId::Noc1)
        .compile_args(&host.dram(64))
        .args(&[0x34_0000, tile_b.x.into(), tile_b.y.into(), SCRATCH, 16, 5]);
    host.run(&[inline], &[]);
    let expected: Vec<u32> = (0..16).map(|index| 5 + 3 * index).collect();
    assert_eq!(host.dram_read(0, 0x34_0000, 16), expected);
}

fn multicast(host: &mut Host) {
    for (noc, loopback, page_size) in [(NocId::Noc0, false, 64), (NocId::Noc1, true, 10_240)] {
        let words = page_size as usize / 4;
        let data = pattern(page_size, words);
        host.dram_write(0, 0x40_0000, &data);
        let (first, last) = (core(2, 2), core(4, 3));
        let sender = if loopback { core(3, 2) } else { core(0, 2) };
        let (low, high) = (host.tile(first), host.tile(last));
        let (start, end) = if noc == NocId::Noc0 { (low, high) } else { (high, low) };
        let receivers: Vec<LogicalCore> =
            (2..=3).flat_map(|y| (2..=4).map(move |x| core(x, y))).collect();
        let tile = host.tile(sender);
        let mut kernels: Vec<Kernel> = (receivers.iter().zip(0u32..))
            .map(|(&receiver, page)| {
                let (x, y) = (tile.x.into(), tile.y.into());
                data_movement("kernels/multicast_receiver.cpp", receiver, 1, NocId::Noc0)
                    .compile_args(&host.dram(page_size))
                    .args(&[0x41_0000, page_size, SCRATCH, 0, 1, x, y, page])
            })
            .collect();
        let count = receivers.len() as u32;
        let corners = [start.x, start.y, end.x, end.y].map(u32::from);
        let args = [&[0x40_0000, page_size, SCRATCH, 0, 1], corners.as_slice(), &[count, count]];
        let mut kernel = data_movement("kernels/multicast_sender.cpp", sender, 0, noc)
            .compile_args(&host.dram(page_size))
            .args(&args.concat());
        if loopback {
            kernel.defines.insert("LOOPBACK".to_owned(), "1".to_owned());
        }
        kernels.push(kernel);
        host.run(&kernels, &[]);
        for page in 0..receivers.len() {
            assert_eq!(host.dram_read(page, 0x41_0000, words), data, "{noc:?} {page}");
        }
    }
}

fn whole_grid(host: &mut Host) {
    let (columns, rows) = host.chip.compute_grid();
    let cores: Vec<LogicalCore> =
        (0..rows).flat_map(|y| (0..columns).map(move |x| core(x, y))).collect();
    let kernels: Vec<Kernel> = (cores.iter().zip(0u32..))
        .map(|(&core, rank)| {
            data_movement("kernels/whole_grid.cpp", core, rank % 2, NocId::Noc0)
                .compile_args(&host.dram(32))
                .args(&[0x50_0000, SCRATCH, rank])
        })
        .collect();
    host.run(&kernels, &[]);
    for (core, rank) in cores.iter().zip(0u32..) {
        let [first, second] = Noc::ALL.map(|noc| host.chip.on_noc(noc, host.tile(*core)));
        let [x0, y0, x1, y1] = [first.x, first.y, second.x, second.y].map(u32::from);
        let expected = [core.x, core.y, x0, y0, rank, x1, y1, 0x600D];
        assert_eq!(host.read_page(0x50_0000, rank, 8), expected);
    }
}

fn private_memory(host: &mut Host) {
    for processor in [0, 1, 0] {
        for page in 0..2 {
            let kernel =
                data_movement("kernels/private_memory.cpp", core(6, 1), processor, NocId::Noc0)
                    .compile_args(&host.dram(32))
                    .args(&[0x51_0000, SCRATCH, page]);
            host.run(&[kernel], &[]);
            let constant = [1000, 2000, 3000, 4000];
            let mut expected: Vec<u32> = (0..4u32)
                .map(|index| {
                    11 * (index + 1) + page + index + constant[(index + page) as usize % 4]
                })
                .collect();
            let results = [1998, 333];
            expected.extend([results[page as usize], results[1 - page as usize], 3000]);
            expected.push(((1u64 << 32) / u64::from(page + 7)) as u32);
            assert_eq!(host.dram_read(page as usize, 0x51_0000, 8), expected, "page {page}");
        }
    }
}

#[test]
fn an_idle_or_stuck_tile_is_quiescent_and_names_what_it_waits_for() {
    let mut host = simulator();
    host.boot(core(0, 0));
    let Advance::Quiescent(waiting) = host.device.advance(10_000).unwrap() else {
        panic!("idle firmware is not parked");
    };
    assert_eq!(waiting.len(), 5);

    let page_size = 64;
    let consumer = data_movement("kernels/deadlock_consumer.cpp", core(0, 0), 0, NocId::Noc0)
        .compile_args(&[3])
        .args(&[5]);
    let producer = data_movement("kernels/deadlock_producer.cpp", core(0, 0), 1, NocId::Noc1)
        .compile_args(&[3])
        .args(&[4]);
    let mut buffers = vec![CircularBufferSlot::default(); 4];
    buffers[3] = slot(SCRATCH, 2, page_size);
    host.start(&[consumer, producer], &buffers);
    let waiting = quiet(&mut host);
    let brisc = waiting.iter().find(|one| one.processor == Processor::Brisc).unwrap();
    assert_eq!(brisc.address, TileAddress(0xFFB4_0000 + 3 * 0x1000 + 16));
    assert_eq!(brisc.value, 4);
}

fn quiet(host: &mut Host) -> Vec<hallmark_chip::Waiting> {
    let found = (0..100).find_map(|_| match host.device.advance(10_000).unwrap() {
        Advance::Quiescent(waiting) => Some(waiting),
        Advance::Ran => None,
    });
    found.unwrap()
}

#[test]
fn every_kind_of_waiting_is_quiet() {
    // No kernel posts the semaphore.
    let mut host = simulator();
    let kernel = data_movement("kernels/semaphore_never.cpp", core(2, 2), 1, NocId::Noc0);
    host.start(&[kernel.args(&[3, 1])], &[]);
    let waiting = quiet(&mut host);
    let ncrisc = waiting.iter().find(|one| one.processor == Processor::Ncrisc).unwrap();
    assert_eq!(ncrisc.value, 0);
    assert!(ncrisc.address.0 < 0x1_8000);
    // A consumer without a producer on UNPACK; PACK waits for UNPACK at a mailbox.
    let mut host = simulator();
    let kernel = compute("kernels/compute_add_one.cpp", core(2, 2)).compile_args(&[0, 1]);
    host.start(&[kernel.args(&[1, 1])], &[slot(SCRATCH, 2, 64), slot(SCRATCH + 0x1000, 2, 64)]);
    let waiting = quiet(&mut host);
    let unpack = waiting.iter().find(|one| one.processor == Processor::Trisc0).unwrap();
    assert_eq!(unpack.address, TileAddress(0xFFB4_0010));
    // A producer without a consumer: the buffer is full.
    let mut host = simulator();
    let kernel = data_movement("kernels/deadlock_producer.cpp", core(2, 2), 0, NocId::Noc0);
    host.start(&[kernel.compile_args(&[0]).args(&[3])], &[slot(SCRATCH, 2, 64)]);
    let waiting = quiet(&mut host);
    let brisc = waiting.iter().find(|one| one.processor == Processor::Brisc).unwrap();
    assert_eq!(brisc.address, TileAddress(0xFFB4_000C));
}

/// Page counts are compared modulo 2^16, in registers of 17 bits.
#[test]
fn page_counts_wrap() {
    let pages = 140_000;
    let mut host = simulator();
    let kernel = |source, processor, noc| {
        data_movement(source, core(0, 0), processor, noc).compile_args(&[0]).args(&[pages])
    };
    let kernels = [
        kernel("kernels/deadlock_consumer.cpp", 0, NocId::Noc0),
        kernel("kernels/deadlock_producer.cpp", 1, NocId::Noc1),
    ];
    host.run(&kernels, &[slot(SCRATCH, 3, 64)]);
    assert_eq!(host.read_words(core(0, 0), 0xFFB4_0010, 1)[0] & 0xFFFF, pages & 0xFFFF);
    assert_eq!(host.read_words(core(0, 0), 0xFFB4_000C, 1)[0] & 0xFFFF, pages & 0xFFFF);
}

#[test]
fn faults_have_a_category_and_a_place_inside_the_kernel() {
    use hallmark_chip::FaultCategory::{
        NonContractualBehavior, UndefinedBehavior, UnimplementedFunctionality,
        UnpredictableValueUsed,
    };
    // The categories of Tenstorrent's simulator, which does not notice the last fault.
    let kernels = [
        ("kernels/fault_misaligned_load.cpp", NonContractualBehavior),
        ("kernels/fault_unmapped_load.cpp", UnimplementedFunctionality),
        ("kernels/fault_illegal_instruction.cpp", UndefinedBehavior),
        ("kernels/fault_misaligned_read.cpp", UndefinedBehavior),
        ("kernels/fault_uninitialised_branch.cpp", UnpredictableValueUsed),
    ];
    for (source, category) in kernels {
        let mut host = simulator();
        let needs = source.contains("uninitialised");
        if needs && !host.device.capabilities().detects_uninitialised {
            eprintln!("{source} skipped: the device does not notice");
            continue;
        }
        host.dram_write(0, 0x1000, &[0; 64]);
        let kernel = data_movement(source, core(1, 1), 0, NocId::Noc0).args(&[SCRATCH, 0x1000]);
        let image = host.image(&kernel, Processor::Brisc);
        host.start(&[kernel], &[]);
        let error = (0..100).find_map(|_| host.device.advance(1000).err());
        let Some(DeviceError::Fault(fault)) = error else { panic!("{source}: {error:?}") };
        assert_eq!(fault.category, category, "{source}: {fault}");
        let place = fault.place.as_ref().unwrap();
        assert_eq!(place.processor, Some(Processor::Brisc));
        let function = image.symbol_at(host.last_base, place.pc.unwrap());
        assert_eq!(function.map(|(name, _)| name), Some("kernel_main"), "{source}: {fault}");
    }
}

#[test]
fn an_endless_loop_never_counts_as_waiting() {
    let mut host = simulator();
    host.start(&[data_movement("kernels/endless_loop.cpp", core(1, 1), 0, NocId::Noc0)], &[]);
    for _ in 0..100 {
        assert_eq!(host.device.advance(10_000).unwrap(), Advance::Ran);
    }
}
