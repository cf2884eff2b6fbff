//! Vector code through the stand-in's headers: code without a use of vectors builds as ever, a use of vectors becomes
//! instructions where the compiler has registers for them, and a vector without one ends the build by name.

#![expect(clippy::expect_used, reason = "a failing helper fails its test")]

use std::path::{Path, PathBuf};
use std::process::Command;

use hallmark_device_code::VECTOR_CODE_FLAGS;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

/// Functions as headers of vector code have them.
const VECTOR_CODE: &str = r#"
#include "sfpi.h"

sfpi_inline sfpi::vFloat scaled(sfpi::vFloat value, float factor) { return value * factor + sfpi::vConst1; }

template <bool APPROXIMATE, int ITERATIONS>
inline void clipped(unsigned limit) {
    sfpi::vInt bits = sfpi::as<sfpi::vInt>(sfpi::l_reg[sfpi::LRegs::LReg3]);
    for (int row = 0; row < ITERATIONS; row++) {
        sfpi::vFloat value = sfpi::dst_reg[0];
        v_if (value < 0.0F && sfpi::exexp(value, sfpi::ExponentMode::Biased) != 3) {
            value = sfpi::setsgn(value, 0);
        }
        v_elseif (sfpi::is_nan(value)) { bits ^= limit; }
        v_else { value = APPROXIMATE ? -value : sfpi::vFloat(sfpi::convert<sfpi::vFloat16b>(value)); }
        v_endif;
        sfpi::dst_reg[0] = scaled(value, 2.0F);
        sfpi::dst_reg++;
    }
}
"#;

/// The folder with the headers of the vector unit.
fn headers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware/vector_unit")
}
/// The folder with the stand-in.
fn stand_in() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("stand_in")
}

/// What the compiler says to a kernel behind the vector code: whether it builds it, and its messages.
fn built(kernel: &str) -> (bool, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("kernel.cpp");
    std::fs::write(&source, format!("{VECTOR_CODE}\n{kernel}\n")).expect("a source");
    let output = Command::new("c++")
        // The host's own standard library: the header needs nothing else.
        .args([
            "-std=c++20",
            "-O2",
            "-c",
            "-w",
            "-o",
            "/dev/null",
            "-D__riscv_xtttensixwh=1",
            "-idirafter",
        ])
        .arg(headers())
        .arg("-iquote")
        .arg(headers())
        .arg(&source)
        .output()
        .expect("a compiler");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_kernel_builds_that_uses_no_vectors() {
    let (success, messages) =
        built("unsigned kernel_main() { return sfpi::SFPIADD_MOD1_CC_GTE0; }");
    assert!(success, "{messages}");
}

#[test]
fn a_use_of_vectors_without_float_registers_is_named() {
    for kernel in [
        "void kernel_main() { clipped<true, 8>(7); }",
        "void kernel_main() { sfpi::vConstFloatPrgm1 = 0.5F; }",
        "void kernel_main() { sfpi::dst_reg[2] = sfpi::dst_reg[1]; }",
    ] {
        let (success, messages) = built(kernel);
        assert!(!success, "{kernel}");
        // The stand-in looks for these words before it gives the compiler float registers.
        assert!(messages.contains("vector code needs float registers"), "{kernel}: {messages}");
    }
}

/// A kernel in an object of the stand-in, by the chip's name in the vendor's option; or the messages.
fn object(chip: &str, kernel: &str) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let compiler = folder.path().join("compiler/bin");
    let include = folder.path().join("include");
    for made in [&compiler, &include] {
        std::fs::create_dir_all(made).expect("a folder");
    }
    std::fs::copy(stand_in().join("compiler.sh"), compiler.join("compiler.sh")).expect("a script");
    for from in [stand_in().join("include"), headers()] {
        for entry in std::fs::read_dir(from).expect("a folder") {
            let entry = entry.expect("an entry");
            std::os::unix::fs::symlink(entry.path(), include.join(entry.file_name()))
                .expect("a link");
        }
    }
    let toolchain = "compiler=riscv64-unknown-elf-g++\n\
        headers='-isystem /usr/include/c++/12 -isystem /usr/include/x86_64-linux-gnu/c++/12 \
        -isystem /usr/lib/picolibc/riscv64-unknown-elf/include'\n\
        libraries=\njump_table=0\nshadowed_kernel=none\n";
    let vector_flags = VECTOR_CODE_FLAGS.join(" ");
    let toolchain = format!("{toolchain}vector_flags='{vector_flags}'\n");
    std::fs::write(folder.path().join("toolchain"), toolchain).expect("settings");
    let source = folder.path().join("kernel.cpp");
    std::fs::write(&source, format!("{VECTOR_CODE}\n{kernel}\n")).expect("a source");
    let output = Command::new("sh")
        .arg(compiler.join("compiler.sh"))
        .arg(format!("-mcpu=tt-{chip}-tensix"))
        .args(["-O3", "-std=c++17", "-fno-exceptions", "-fno-rtti", "-c", "-o"])
        .arg(folder.path().join("kernel.o"))
        .arg(&source)
        .output()
        .expect("a shell");
    if output.status.success() {
        Ok(std::fs::read(folder.path().join("kernel.o")).expect("an object"))
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The vector unit's instructions of a kernel, in their order.
fn instructions(chip: &str, kernel: &str) -> Vec<u32> {
    let object = object(chip, kernel).expect("a kernel that builds");
    let file = object::File::parse(&*object).expect("an object");
    let code = file.section_by_name(".text").expect("code").data().expect("bytes");
    code.chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
        // Instructions of the coprocessor lie rotated by two bits, where the RISC-V side has compressed ones.
        .filter(|word| word & 3 != 3)
        .map(|word| word.rotate_right(2))
        .collect()
}

/// The instructions' opcodes.
fn opcodes(chip: &str, kernel: &str) -> Vec<u32> {
    instructions(chip, kernel).iter().map(|word| word >> 24).collect()
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn a_product_and_a_sum_are_one_instruction_with_compiler() {
    let kernel = "void kernel_main() { sfpi::vFloat x = sfpi::dst_reg[3]; \
        sfpi::dst_reg[5] = x * sfpi::vConstFloatPrgm1 + 1.0F; }";
    let words = instructions("bh", kernel);
    // SFPLOAD of row 6, SFPMAD with LReg13 and LReg10, SFPSTORE to row 10; address mode 7.
    assert_eq!(words, [0x7000_e006, 0x8400_da00, 0x7200_e00a], "{words:08x?}");
    let words = instructions("wh", kernel);
    // Address mode 3, in other bits, and an SFPNOP before the result is read.
    assert_eq!(words, [0x7000_c006, 0x8400_da00, 0x8f00_0000, 0x7200_c00a], "{words:08x?}");
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn conditions_need_no_registers_with_compiler() {
    // Load, push, SETCC, the changed lanes, complement, push, SETCC twice around a second entry, load, two pops and one
    // for the entry, store.
    let kernel = "void kernel_main() { sfpi::vFloat x = sfpi::dst_reg[0]; \
        v_if (x < 0.0F) { x = 0.0F; } v_elseif (x <= 0.0F) { x = 1.0F; } v_endif; sfpi::dst_reg[0] = x; }";
    let expected =
        [0x70, 0x87, 0x7b, 0x71, 0x8b, 0x87, 0x87, 0x7b, 0x7b, 0x8b, 0x71, 0x88, 0x88, 0x88, 0x72];
    for chip in ["wh", "bh"] {
        assert_eq!(opcodes(chip, kernel), expected, "{chip}");
    }
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn as_many_entries_are_popped_as_were_pushed_with_compiler() {
    for condition in [
        "!(x >= 1.0F && x < 9.0F && y >= 2.0F && y < 8.0F)",
        "x <= 0.0F || y < 8.0F",
        "!(x <= 0.0F) || !(y > 0.0F && x != 3.0F)",
        "(x < 1.0F || y < 1.0F) && (x > 2.0F || y <= 0.0F)",
    ] {
        let kernel = format!(
            "void kernel_main() {{ sfpi::vFloat x = sfpi::dst_reg[0], y = sfpi::dst_reg[1]; \
             v_if ({condition}) {{ x = y; }} v_else {{ x = 1.5F; }} v_endif; sfpi::dst_reg[0] = x; }}"
        );
        let opcodes = opcodes("wh", &kernel);
        let count = |opcode| opcodes.iter().filter(|other| **other == opcode).count();
        assert_eq!(count(0x87), count(0x88), "{condition}: {opcodes:02x?}");
    }
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn code_of_headers_builds_with_compiler() {
    for chip in ["wh", "bh"] {
        let words = opcodes(chip, "void kernel_main(unsigned limit) { clipped<false, 2>(limit); }");
        // Two rows, of which each is loaded and stored once.
        for opcode in [0x70, 0x72] {
            assert_eq!(
                words.iter().filter(|word| **word == opcode).count(),
                2,
                "{chip} {opcode:x}"
            );
        }
    }
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn eight_vectors_leave_one_for_a_result_with_compiler() {
    let loads: String =
        (0..8).map(|row| format!("sfpi::vFloat x{row} = sfpi::dst_reg[{row}];")).collect();
    let stores: String = (0..8).map(|row| format!("sfpi::dst_reg[{row}] = x{row};")).collect();
    let kernel = format!(
        "void kernel_main() {{ {loads} x3 = sfpi::abs(x3); v_if (x0 < 0.0F) {{ x1 = x2; }} v_endif; {stores} }}"
    );
    for chip in ["wh", "bh"] {
        let words = instructions(chip, &kernel);
        let absolute = words.iter().find(|word| **word >> 24 == 0x7d).expect("SFPABS");
        assert_eq!(absolute >> 4 & 15, absolute >> 8 & 15, "{chip}: {absolute:08x}");
        // In a condition, the other lanes keep what they have: an SFPMOV of enabled lanes.
        let moves: Vec<_> = words.iter().filter(|word| **word >> 24 == 0x7c).collect();
        assert_eq!(moves.iter().map(|word| **word & 15).collect::<Vec<_>>(), [0], "{chip}");
    }
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn a_variable_needs_no_copy_outside_of_conditions_with_compiler() {
    let rounded = "x = sfpi::convert<sfpi::vFloat16b>(x, sfpi::RoundMode::Nearest);";
    let kernel = |code: &str| {
        format!(
            "void kernel_main() {{ sfpi::vFloat x = sfpi::dst_reg[1] * sfpi::vFloat(sfpi::dst_reg[2]); \
             {code} sfpi::dst_reg[3] = x; }}"
        )
    };
    // Upstream's headers record such code for REPLAY, and count the instructions that the vendor's compiler makes of it.
    let whole = kernel(rounded);
    assert_eq!(opcodes("bh", &whole), [0x70, 0x70, 0x86, 0x8e, 0x72]);
    assert_eq!(opcodes("wh", &whole), [0x70, 0x70, 0x86, 0x8f, 0x8e, 0x72]);
    // In a condition, the other lanes keep what they have; so they do where the compiler loses sight of the condition.
    for code in [
        format!("v_if (x < 0.0F) {{ {rounded} }} v_endif;"),
        format!("v_if (x < 0.0F) {{ __asm__ volatile(\"\" ::: \"memory\"); {rounded} }} v_endif;"),
    ] {
        let words = opcodes("bh", &kernel(&code));
        assert_eq!(words, [0x70, 0x70, 0x86, 0x87, 0x7b, 0x8e, 0x7c, 0x88, 0x72], "{code}");
    }
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn numbers_of_16_bits_need_no_register_with_compiler() {
    let kernel = "void kernel_main() { sfpi::vFloat x = sfpi::dst_reg[0]; x *= 0.5F; x += 3.0F; x -= 0.1F; \
        sfpi::dst_reg[0] = x; }";
    let words = instructions("bh", kernel);
    // SFPMULI of 0x3f00, SFPADDI of 0x4040, and a load in two parts for the number of more bits.
    assert!(words.contains(&0x743f_0000) && words.contains(&0x7540_4000), "{words:08x?}");
    let loads = words.iter().filter(|word| **word >> 24 == 0x71).count();
    assert_eq!(loads, 2, "{words:08x?}");
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn more_vectors_than_registers_are_named_with_compiler() {
    let vectors: String =
        (0..9).map(|row| format!("sfpi::vFloat x{row} = sfpi::dst_reg[{row}];")).collect();
    let stores: String =
        (0..9).map(|row| format!("sfpi::dst_reg[{row}] = x{};", 8 - row)).collect();
    let nine = object("wh", &format!("void kernel_main() {{ {vectors} {stores} }}"));
    let messages = nine.expect_err("nine vectors at a time");
    assert!(messages.contains("more vectors than the 8 registers"), "{messages}");
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn code_without_an_instruction_for_it_does_not_build_with_compiler() {
    let kernel = |code: &str| format!("void kernel_main() {{ {code} }}");
    for (code, builds) in [
        ("sfpi::dst_reg += 7;", true),
        ("sfpi::dst_reg += 8;", false),
        ("sfpi::dst_reg += -1;", false),
        ("sfpi::dst_reg[1] = sfpi::convert<sfpi::vUInt8>(sfpi::vFloat(sfpi::dst_reg[0]));", true),
        ("sfpi::dst_reg[1] = sfpi::convert<sfpi::vInt>(sfpi::vFloat(sfpi::dst_reg[0]));", false),
    ] {
        assert_eq!(object("bh", &kernel(code)).is_ok(), builds, "{code}");
    }
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn scalar_floats_are_computed_by_the_support_library_with_compiler() {
    let kernel = "void kernel_main(float a, float b) { sfpi::dst_reg[0] = a * b; }";
    let object = object("bh", kernel).expect("a kernel that builds");
    let file = object::File::parse(&*object).expect("an object");
    let undefined: Vec<_> = file
        .symbols()
        .filter(|symbol| symbol.is_undefined())
        .filter_map(|symbol| symbol.name().ok())
        .collect();
    assert!(undefined.contains(&"__mulsf3"), "{undefined:?}");
}
