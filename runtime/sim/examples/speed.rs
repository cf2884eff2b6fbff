//! Measures the simulator: `cargo run --release -p hallmark-sim --example speed`.
//!
//! One core in an integer loop, the same with a register that holds what nobody wrote, 64 tiles with
//! one core each in the same loop, and 64 MiB through a window into DRAM and back, cold and warm.

#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use std::error::Error;
use std::time::Instant;

use hallmark_chip::{
    Architecture, Noc, NocCoordinate, PciDevice, TileAddress, WindowId, WindowOrder, WindowTarget,
};
use hallmark_sim::{SimulatedDevice, SimulatorOptions};

type Outcome = Result<(), Box<dyn Error>>;

/// t0 += t1; t1 ^= t0; t2 = t2 << 1 + t1; a load and a store; around again. 8 instructions.
const LOOP: [u32; 9] = [
    0x0000_2537, // lui a0, 2
    0x0062_82B3, // add t0, t0, t1
    0x0053_4333, // xor t1, t1, t0
    0x0013_9393, // slli t2, t2, 1
    0x0063_83B3, // add t2, t2, t1
    0x0005_2583, // lw a1, 0(a0)
    0x0055_2023, // sw t0, 0(a0)
    0x0012_8293, // addi t0, t0, 1
    0xFE5F_F06F, // jal zero, -28
];

fn aim(
    device: &mut SimulatedDevice,
    window: WindowId,
    end: NocCoordinate,
    address: u64,
) -> Outcome {
    let target = WindowTarget {
        end,
        multicast_start: None,
        noc: Noc::Noc0,
        address: TileAddress(address),
        order: WindowOrder::Default,
    };
    Ok(device.configure_window(window, &target)?)
}

/// s0 holds what nobody wrote, and nobody uses it.
const POISON: [u32; 2] = [
    0x0000_8437, // lui s0, 8
    0x0004_2403, // lw s0, 0(s0)
];

fn cores(tiles: u8, ticks: u64, before: &[u32]) -> Outcome {
    let mut device = SimulatedDevice::new(Architecture::WormholeB0, SimulatorOptions::default())?;
    let window = device.allocate_window(1 << 20)?;
    let program: Vec<u8> = before.iter().chain(&LOOP).flat_map(|word| word.to_le_bytes()).collect();
    for tile in 0..tiles {
        let at = NocCoordinate { x: 18 + tile % 8, y: 18 + tile / 8 };
        aim(&mut device, window, at, 0)?;
        device.window_write(window, 0, &program)?;
        aim(&mut device, window, at, 0xFFB0_0000)?;
        device.window_write(window, 0x1_21B0, &0x4_7000u32.to_le_bytes())?;
    }
    let start = Instant::now();
    device.advance(ticks)?;
    let seconds = start.elapsed().as_secs_f64();
    let rate = ticks as f64 * f64::from(tiles) / seconds / 1e6;
    let what = if before.is_empty() { "" } else { ", with poison in a register" };
    println!("{tiles:>3} cores on as many tiles{what}: {rate:.1} M instructions/s");
    Ok(())
}

fn bandwidth() -> Outcome {
    const SIZE: usize = 64 << 20;
    const WINDOW: usize = 16 << 20;
    let mut device = SimulatedDevice::new(Architecture::WormholeB0, SimulatorOptions::default())?;
    let window = device.allocate_window(WINDOW as u64)?;
    let dram = NocCoordinate { x: 0, y: 0 };
    let mut data: Vec<u8> = (0..SIZE).map(|byte| byte as u8).collect();
    for name in ["write, cold", "write, warm", "read"] {
        let start = Instant::now();
        for (index, part) in data.chunks_mut(WINDOW).enumerate() {
            aim(&mut device, window, dram, (index * WINDOW) as u64)?;
            if name == "read" {
                device.window_read(window, 0, part)?;
            } else {
                device.window_write(window, 0, part)?;
            }
        }
        println!("64 MiB DRAM {name}: {:.3} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}

fn main() -> Outcome {
    let start = Instant::now();
    SimulatedDevice::new(Architecture::WormholeB0, SimulatorOptions::default())?;
    println!("power on: {:.3} ms", start.elapsed().as_secs_f64() * 1e3);
    cores(1, 100_000_000, &[])?;
    cores(1, 100_000_000, &POISON)?;
    cores(64, 4_000_000, &[])?;
    bandwidth()
}
