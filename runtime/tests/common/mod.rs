//! A simulated device with the built-in firmware and the kernels of `tests/kernels`.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests; each uses a part"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use hallmark_chip::{Architecture, LogicalCore, PciDevice};
use hallmark_runtime::device_code::FirmwareBundle;
use hallmark_runtime::{
    BufferConfig, CircularBufferConfig, Device, DeviceOptions, DeviceSettings, DeviceSpec,
    KernelDescription, Program, open_device,
};
use hallmark_schema::model::{
    BufferType, CircularBufferIndex, CoreRange, DataFormat, DataMovementProcessor, KernelConfig,
    NocId,
};

pub mod counting;
mod kernels;

pub use self::kernels::TestKernels;

pub const RISCV_0: KernelConfig =
    KernelConfig::data_movement(DataMovementProcessor::Riscv0, NocId::Noc0);
pub const RISCV_1: KernelConfig =
    KernelConfig::data_movement(DataMovementProcessor::Riscv1, NocId::Noc1);

pub fn options() -> DeviceOptions {
    options_in("runtime/tests")
}

/// Options with the kernels of a folder of this repository.
pub fn options_in(folder: &'static str) -> DeviceOptions {
    let firmware = FirmwareBundle::builtin(Architecture::WormholeB0).unwrap();
    DeviceOptions::new(Arc::new(firmware), Box::new(TestKernels::new(folder)))
}

/// The library at `HALLMARK_TTSIM`. Tests that need it are ignored by default.
pub fn ttsim() -> Box<dyn PciDevice> {
    let path = std::env::var_os("HALLMARK_TTSIM")
        .expect("set HALLMARK_TTSIM to the path of a libttsim.so for Wormhole");
    open_device(
        &DeviceSpec::Ttsim(std::path::PathBuf::from(path).into()),
        DeviceSettings::default(),
    )
    .unwrap()
}

pub fn open() -> Device {
    Device::open(simulator(), options()).unwrap()
}

pub fn simulator() -> Box<dyn PciDevice> {
    let spec = DeviceSpec::simulator(Architecture::WormholeB0);
    open_device(&spec, DeviceSettings::default()).unwrap()
}

pub fn core(x: u32, y: u32) -> LogicalCore {
    LogicalCore { x, y }
}

pub fn at(x: u32, y: u32) -> Vec<CoreRange> {
    vec![CoreRange::single(core(x, y))]
}

pub fn buffer(name: &str, buffer_type: BufferType, size: u64, page_size: u64) -> BufferConfig<'_> {
    BufferConfig::interleaved(name, buffer_type, size, page_size)
}

/// Gives a program the first bytes of its cores' free L1: a circular buffer that is used as memory alone.
pub fn give_first_bytes(device: &mut Device, program: Program, cores: &[CoreRange]) -> u32 {
    let indices = [CircularBufferIndex {
        index: 0,
        data_format: DataFormat::UInt32,
        page_size: 16,
        tile: None,
    }];
    let config = CircularBufferConfig {
        name: "words",
        cores,
        total_size: 16,
        indices: &indices,
        globally_allocated_address: None,
    };
    device.create_circular_buffer(program, &config).unwrap();
    device.firmware().memory().unreserved_base
}

pub fn kernel<'a>(
    source: &'a str,
    cores: &'a [CoreRange],
    config: KernelConfig,
    compile_args: Vec<u32>,
) -> KernelDescription<'a> {
    KernelDescription {
        name: "k",
        source,
        cores,
        config,
        compile_args,
        defines: BTreeMap::new(),
        named_compile_args: BTreeMap::new(),
        opt_level: None,
        bindings: None,
    }
}

/// Bytes that depend on their position.
pub fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + at / 251) as u8).collect()
}
