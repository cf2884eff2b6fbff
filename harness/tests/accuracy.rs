//! The errors of the vector unit's functions, over all numbers of bfloat16 on both chips and in both widths of Dst: suites/ACCURACY.md
//! has the worst ones. `HALLMARK_UPDATE_DOCUMENTS=1` renews its table; without the variable, the table must be what is measured.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use common::{command, repository, text};
use linked_files::link_files;

/// A function: its calls, the definition that includes its header, the largest argument, the exact value, and the steps that the
/// suite allows in bfloat16 and in float32.
struct Function {
    name: &'static str,
    calls: &'static str,
    include: &'static str,
    up_to: f64,
    exact: fn(f64) -> f64,
    allowed: [u32; 2],
}

const API: &str = "SFPU_OP_COMPUTE_KERNEL_API_INCLUDE";
const TRIGONOMETRY: &str = "SFPU_OP_TRIG_FAMILY_INCLUDE";

const fn of(
    name: &'static str,
    calls: &'static str,
    include: &'static str,
    exact: fn(f64) -> f64,
    allowed: [u32; 2],
) -> Function {
    Function { name, calls, include, up_to: f64::INFINITY, exact, allowed }
}
const fn of_angle(
    name: &'static str,
    calls: &'static str,
    exact: fn(f64) -> f64,
    allowed: [u32; 2],
) -> Function {
    Function { name, calls, include: TRIGONOMETRY, up_to: 1000.0, exact, allowed }
}

fn sigmoid(x: f64) -> f64 {
    let power = libm::exp(-x.abs());
    (if x < 0.0 { power } else { 1.0 }) / (1.0 + power)
}
fn limited(x: f64, value: f64) -> f64 {
    if x == f64::NEG_INFINITY { 0.0 } else { value }
}

const FUNCTIONS: &[Function] = &[
    of("exp", "exp_tile_init(); exp_tile(0)", "SFPU_OP_EXP_INCLUDE", libm::exp, [2, 2]),
    of("exp2", "exp2_tile_init(); exp2_tile(0)", API, libm::exp2, [2, 2]),
    of("expm1", "expm1_tile_init(); expm1_tile(0)", API, libm::expm1, [2, 2]),
    of("sigmoid", "sigmoid_tile_init(); sigmoid_tile(0)", API, sigmoid, [2, 3]),
    of("tanh", "tanh_tile_init(); tanh_tile(0)", API, libm::tanh, [2, 3]),
    of("silu", "silu_tile_init(); silu_tile(0)", API, |x| limited(x, x * sigmoid(x)), [2, 3]),
    of("recip", "recip_tile_init(); recip_tile(0)", "SFPU_OP_RECIP_INCLUDE", |x| 1.0 / x, [0, 2]),
    of("sqrt", "sqrt_tile_init(); sqrt_tile(0)", "SFPU_OP_SQRT_INCLUDE", libm::sqrt, [0, 2]),
    of(
        "rsqrt",
        "rsqrt_tile_init(); rsqrt_tile(0)",
        "SFPU_OP_RSQRT_INCLUDE",
        |x| 1.0 / libm::sqrt(x),
        [0, 2],
    ),
    of("log", "log_tile_init(); log_tile(0)", API, libm::log, [2, 2]),
    of("log1p", "log1p_tile_init(); log1p_tile(0)", "SFPU_OP_LOG1P_INCLUDE", libm::log1p, [2, 2]),
    of("erf", "erf_tile_init(); erf_tile(0)", "SFPU_OP_ERF_ERFC_INCLUDE", libm::erf, [2, 8]),
    of("erfc", "erfc_tile_init(); erfc_tile(0)", "SFPU_OP_ERF_ERFC_INCLUDE", libm::erfc, [2, 8]),
    of(
        "gelu",
        "gelu_tile_init(); gelu_tile(0)",
        "SFPU_OP_GELU_INCLUDE",
        |x| limited(x, 0.5 * x * libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2)),
        [2, 8],
    ),
    of_angle("sin", "sin_tile_init(); sin_tile(0)", libm::sin, [2, 3]),
    of_angle("cos", "cos_tile_init(); cos_tile(0)", libm::cos, [2, 3]),
    of_angle("tan", "tan_tile_init(); tan_tile(0)", libm::tan, [2, 3]),
    of(
        "elu",
        "elu_tile_init(); elu_tile(0, 0x3F800000)",
        "SFPU_OP_ELU_INCLUDE",
        |x| if x < 0.0 { libm::expm1(x) } else { x },
        [2, 10],
    ),
    of(
        "power 2.5",
        "power_tile_init(); power_tile(0, 0x40200000)",
        API,
        |x| libm::pow(x, 2.5),
        [2, 3],
    ),
];

const CHIPS: [&str; 2] = ["wormhole_b0", "blackhole"];

/// A width of Dst: the label, bits of the mantissa, bytes of a result.
const WIDTHS: [(&str, i32, usize); 2] = [("narrow", 7, 2), ("wide", 23, 4)];

const SMALLEST: f64 = f32::MIN_POSITIVE as f64;

/// `.ci/run` measures one of this many functions; `scripts/nightly` measures all.
const PART: usize = 4;

/// A suite with a case for each chosen function, over all patterns of 16 bits. Each case expects wrong numbers, so that the run
/// keeps the outputs.
fn suite(is_chosen: fn(usize) -> bool) -> String {
    let mut kernels = String::new();
    let mut cases = String::new();
    for (number, Function { calls, include, .. }) in chosen(is_chosen) {
        write!(
            kernels,
            "  f{number}:\n    source: kernels/tiles_functions.cpp\n    defines: {{ {include}: \"1\", FUNCTIONS: \"F({calls})\" }}\n"
        )
        .unwrap();
        write!(
            cases,
            "  f{number}:
    about: A function of all numbers.
    when: {{ architectures: [wormhole_b0, blackhole], needs: [tensix], reason: the coprocessor computes }}
    matrix:
      width: [{{ label: narrow, wide: false, format: float16_b, bytes: 2048 }}, {{ label: wide, wide: true, format: float32, bytes: 4096 }}]
    variables: {{ tiles: 64 }}
    steps:
      - create_buffer: {{ id: x, type: dram, size: tiles * 2048, page_size: 2048 }}
      - create_buffer: {{ id: y, type: dram, size: tiles * bytes, page_size: bytes }}
      - create_program: {{ id: program }}
      - create_circular_buffer: {{ id: in, program: program, cores: [1, 2], total_size: tiles * 2048, indices: [{{ index: 0, page_size: 2048, data_format: float16_b }}] }}
      - create_circular_buffer: {{ id: result, program: program, cores: [1, 2], total_size: 2 * bytes, indices: [{{ index: 16, page_size: bytes, data_format: =format }}] }}
      - create_kernel: {{ id: read, program: program, kernel: reader, cores: [1, 2], processor: riscv_1, compile_args: [0, 1, {{ accessor: x }}] }}
      - create_kernel: {{ id: compute, program: program, kernel: f{number}, cores: [1, 2], compute: {{ fp32_dest_acc_en: =wide }}, compile_args: [16, tiles, 1] }}
      - create_kernel: {{ id: write, program: program, kernel: writer, cores: [1, 2], processor: riscv_0, compile_args: [16, 1, {{ accessor: y }}] }}
      - set_runtime_args: {{ kernel: read, args: [{{ buffer: x }}, 0, tiles] }}
      - set_runtime_args: {{ kernel: write, args: [{{ buffer: y }}, 0, tiles] }}
      - enqueue_write_buffer: {{ buffer: x, data: {{ sequence: uint16 }} }}
      - enqueue_program: {{ program: program }}
      - enqueue_read_buffer: {{ buffer: y, as: out }}
      - finish: {{}}
    expect:
      - equal: [out, {{ constant: uint16, value: 12345, length: tiles * bytes }}]
"
        )
        .unwrap();
    }
    format!(
        "about: Functions of all numbers.\nkernels:\n  reader: {{ source: kernels/reader.cpp }}\n  writer: {{ source: kernels/writer.cpp }}\n{kernels}cases:\n{cases}"
    )
}

/// The worst error of a function's results, in units in the last place of the exact value.
fn worst(function: &Function, mantissa: i32, results: &[f64]) -> f64 {
    let largest = (2.0 - libm::exp2(f64::from(-mantissa))) * libm::exp2(127.0);
    let mut worst: f64 = 0.0;
    for (pattern, result) in (0u16..=u16::MAX).zip(results) {
        let x = f64::from(f32::from_bits(u32::from(pattern) << 16));
        // The units take numbers below the normal ones for 0.
        let x = if x.abs() < SMALLEST { 0.0 } else { x };
        let exact = (function.exact)(x);
        if x.is_nan() || exact.is_nan() || x.abs() > function.up_to {
            continue;
        }
        let place = || format!("{}({x}) is {result}, and exactly {exact}", function.name);
        if exact.abs() < SMALLEST {
            assert!(result.abs() <= SMALLEST, "{}", place());
        } else if exact.abs() > largest {
            assert!(result.abs() >= largest, "{}", place());
        } else {
            let unit = libm::exp2(libm::floor(libm::log2(exact.abs())) - f64::from(mantissa));
            let error = (result - exact).abs() / unit;
            assert!(error.is_finite(), "{}", place());
            worst = worst.max(error);
        }
    }
    worst
}

/// The results that a run has left.
fn results(
    folder: &Path,
    chip: &str,
    number: usize,
    (width, _, bytes): (&str, i32, usize),
) -> Vec<f64> {
    let place = format!(
        "target/hallmark/{chip}/computing/accuracy/f{number}/width={width}/outputs/out.actual.bin"
    );
    let output =
        std::fs::read(folder.join(&place)).unwrap_or_else(|error| panic!("{place}: {error}"));
    let number = |data: &[u8]| match *data {
        [low, high] => f32::from_bits(u32::from(u16::from_le_bytes([low, high])) << 16),
        [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
        _ => f32::NAN,
    };
    output.chunks_exact(bytes).map(|data| f64::from(number(data))).collect()
}

/// The functions of a part, with their numbers.
fn chosen(is_chosen: fn(usize) -> bool) -> impl Iterator<Item = (usize, &'static Function)> {
    FUNCTIONS.iter().enumerate().filter(move |(number, _)| is_chosen(*number))
}

/// The head of the page's table.
const HEAD: &str = "| function | bfloat16, Wormhole | bfloat16, Blackhole | allowed | float32, Wormhole | float32, Blackhole | allowed |\n|---|---|---|---|---|---|---|\n";

/// The table's rows of chosen functions.
fn rows(folder: &Path, is_chosen: fn(usize) -> bool) -> String {
    let mut table = String::new();
    for (number, function) in chosen(is_chosen) {
        let name = if function.up_to.is_finite() {
            format!("{} up to {}", function.name, function.up_to)
        } else {
            function.name.to_owned()
        };
        write!(table, "| {name}").unwrap();
        for (width, allowed) in WIDTHS.into_iter().zip(function.allowed) {
            for chip in CHIPS {
                let worst = worst(function, width.1, &results(folder, chip, number, width));
                // A step of the result more than the nearest one is at most half a unit further.
                assert!(worst <= f64::from(allowed) + 0.5, "{name} on {chip}: {worst}");
                write!(table, " | {worst:.2}").unwrap();
            }
            write!(table, " | {allowed}").unwrap();
        }
        table.push_str(" |\n");
    }
    table
}

/// Runs the chosen functions on both chips; gives their rows.
fn measured(is_chosen: fn(usize) -> bool) -> String {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("computing")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    std::fs::write(suites.join("computing/accuracy.yaml"), suite(is_chosen)).unwrap();
    let mut run = command(folder.path());
    let output = run.args(["run", "--arch", CHIPS[0], "--arch", CHIPS[1]]).output().unwrap();
    let said = text(&output);
    let tests = CHIPS.len() * WIDTHS.len() * chosen(is_chosen).count();
    assert!(said.contains(&format!("{tests} tests, {tests} did not pass")), "{said}");
    rows(folder.path(), is_chosen)
}

fn page() -> PathBuf {
    repository().join("suites/ACCURACY.md")
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn the_page_has_the_worst_errors_of_some_functions_with_compiler() {
    let page = std::fs::read_to_string(page()).unwrap();
    let rows = measured(|number| number.is_multiple_of(PART));
    assert_eq!(rows.lines().count(), FUNCTIONS.len().div_ceil(PART));
    for row in rows.lines() {
        assert!(page.lines().any(|line| line == row), "{row} is not on the page");
    }
}

#[test]
#[ignore = "minutes, and the cross compiler; scripts/nightly runs it"]
fn the_page_has_the_worst_errors_of_all_functions() {
    let before = std::fs::read_to_string(page()).unwrap();
    let start = before.find("| function |").unwrap();
    let end = before[start..].find("\n\n").map_or(before.len(), |length| start + length + 1);
    let rows = measured(|_| true);
    let after = format!("{}{HEAD}{rows}{}", &before[..start], &before[end..]);
    if std::env::var_os("HALLMARK_UPDATE_DOCUMENTS").is_some() {
        std::fs::write(page(), after).unwrap();
    } else {
        assert_eq!(before, after);
    }
}
