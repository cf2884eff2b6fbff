//! How many tiles a second the Tensix coprocessor of one core computes. A kernel keeps it busy; its result is that of the
//! vendor's simulator, and a device that gives another one is not measured.

use hallmark_schema::model::{KernelConfig, MathFidelity};

use crate::programs::{Bench, Setting};
use crate::scale::Scale;
use crate::{Outcome, Row};

/// What the kernel does in a turn (`speed_coprocessor.cpp`, compile-time argument 0).
struct Work {
    name: &'static str,
    /// Turns that end with a result.
    group: u32,
    turns: u32,
    /// The hash of the result.
    result: u64,
}

const WORKS: [Work; 4] = [
    Work { name: "matmul, four phases", group: 8, turns: 16_000, result: 0xC343_0867_F966_61CF },
    Work { name: "eltwise, sum", group: 1, turns: 40_000, result: 0xD536_3F26_87FA_3E50 },
    Work { name: "unpack and pack", group: 1, turns: 40_000, result: 0x8DEA_6AB8_5DE8_476D },
    Work {
        name: "SFPU, 16 instructions of 32 lanes",
        group: 1,
        turns: 20_000,
        result: 0x1683_0635_6CBD_5880,
    },
];

/// How many measurements there are.
pub const MEASUREMENTS: usize = WORKS.len();

/// Bytes of a tile of 1024 bfloat16.
const TILE: usize = 2048;
/// Two tiles and the result, behind a line in which the kernel says that it has ended.
const WORKING: usize = 16;
const RESULT: usize = WORKING + 2 * TILE;

/// L1 at first: numbers of both signs, whose exponents are so close that few terms of a sum are lost.
fn page() -> Vec<u8> {
    let mut state = 1_u32;
    let numbers = (0..2 * TILE / 2).flat_map(|_| {
        state = state.wrapping_mul(0x915F_77F5).wrapping_add(1);
        let exponent = 120 + (state >> 8 & 15) as u16;
        ((state >> 16 & 0x807F) as u16 | exponent << 7).to_le_bytes()
    });
    let mut page = vec![0; WORKING];
    page.extend(numbers);
    page.resize(RESULT + TILE, 0);
    page
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, step)
}

/// What a kind of work took.
pub struct Computed {
    name: &'static str,
    /// Tiles that were unpacked, or pairs of them.
    pub tiles: u64,
    seconds: f64,
}

/// Does one of them.
pub fn compute(device: &str, number: usize, scale: Scale) -> Outcome<Computed> {
    let Work { name, group, turns, result } = WORKS.get(number).ok_or("there is no such work")?;
    let turns = scale.of(turns / group) * group;
    let config = KernelConfig::compute(MathFidelity::HiFi4);
    let kernel = ("kernels/speed_coprocessor.cpp", config, vec![number as u32]);
    let page = page();
    let setting = Setting { kernel, side: 1, page: &page, working: WORKING as u32 };
    let mut bench = Bench::new(device, setting)?;
    bench.warm_up(*group)?;
    let (pages, seconds) = bench.run(turns)?;
    let computed = hash(pages.get(RESULT..RESULT + TILE).ok_or("the page is too short")?);
    if computed != *result {
        let text = format!("{name}: the result has the hash {computed:#018x} on {device}");
        return Err(text.into());
    }
    Ok(Computed { name, tiles: turns.into(), seconds })
}

/// One of the rows.
pub fn measure(device: &str, number: usize, scale: Scale) -> Outcome<Vec<Row>> {
    let Computed { name, tiles, seconds } = compute(device, number, scale)?;
    let rate = tiles as f64 / seconds / 1e3;
    Ok(vec![(name.to_owned(), format!("{rate:.1} k tiles/s"))])
}
