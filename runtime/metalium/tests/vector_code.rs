//! The stand-in's header of vector code: headers with vector code can be read, and a use of it ends the build.

#![expect(clippy::expect_used, reason = "a failing helper fails its test")]

use std::path::Path;
use std::process::Command;

/// Functions as headers of vector code have them, which no kernel of these tests calls unless it says so.
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

/// What the compiler says to a kernel behind the vector code: whether it builds it, and its messages.
fn built(kernel: &str) -> (bool, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("kernel.cpp");
    std::fs::write(&source, format!("{VECTOR_CODE}\n{kernel}\n")).expect("a source");
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("stand_in/include");
    let output = Command::new("c++")
        // The host's own standard library: the header needs nothing else.
        .args(["-std=c++20", "-O2", "-c", "-o", "/dev/null", "-idirafter"])
        .arg(&headers)
        .arg("-iquote")
        .arg(&headers)
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
fn a_use_of_vectors_names_what_it_needs() {
    for kernel in [
        "void kernel_main() { clipped<true, 8>(7); }",
        "void kernel_main() { sfpi::vConstFloatPrgm1 = 0.5F; }",
        "void kernel_main() { sfpi::dst_reg[2] = sfpi::dst_reg[1]; }",
    ] {
        let (success, messages) = built(kernel);
        assert!(!success, "{kernel}");
        assert!(
            messages.contains("vector code of the SFPU needs the vendor's compiler"),
            "{kernel}: {messages}"
        );
    }
}
