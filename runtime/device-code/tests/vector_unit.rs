//! Kernels with vector code of their own: the thread MATH is built with the registers of the vector unit.
#![allow(clippy::unwrap_used, reason = "a test says what failed by panicking")]

#[path = "common/compute_kernel.rs"]
mod compute_kernel;

use compute_kernel::compute_kernel;
use hallmark_chip::Processor;
use hallmark_device_code::{Compiler, KernelBuildRequest, KernelStore};

/// The build of a kernel whose thread MATH has this code in line 5.
fn request(processor: Processor, code: &str) -> KernelBuildRequest {
    let text = format!(
        "#include \"sfpi.h\"\n\nvoid kernel_main() {{\n#ifdef UCK_CHLKC_MATH\n    {code}\n#endif\n}}\n"
    );
    compute_kernel(processor, text, None)
}

/// What the compiler says to such a kernel for MATH.
fn built(compiler: &Compiler, code: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    let store =
        KernelStore::builder().cache(folder.path()).compiler(Some(compiler.clone())).build();
    store.kernel(&request(Processor::Trisc1, code)).map(|_| ()).map_err(|error| error.to_string())
}

/// Code that holds so many vectors at a time.
fn sum(vectors: usize) -> String {
    let loads: String =
        (0..vectors).map(|row| format!("sfpi::vFloat x{row} = sfpi::dst_reg[{row}]; ")).collect();
    let stores: String = (0..vectors)
        .map(|row| format!("sfpi::dst_reg[{row}] = x{}; ", vectors - 1 - row))
        .collect();
    format!("{loads}{stores}")
}

/// Code with a condition whose end the compiler loses sight of: it is built without following conditions.
const LOST_CONDITION: &str = "sfpi::vFloat x = sfpi::dst_reg[0]; v_if (x < 0.0F) { __asm__ volatile(\"\" ::: \"memory\"); x = 1.0F; } \
        v_endif; sfpi::dst_reg[0] = x;";

#[test]
fn the_threads_of_a_kernel_have_keys_of_their_own() {
    let key = |processor| request(processor, "").key("gcc");
    let [unpack, math, pack] = [Processor::Trisc0, Processor::Trisc1, Processor::Trisc2].map(key);
    assert!(unpack != math && math != pack && pack != unpack);
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn too_many_vectors_are_an_error_of_the_kernels_line_with_compiler() {
    let compiler = Compiler::find().unwrap();
    // A system that cannot confine the compiler withholds the assembler's messages, but not this one.
    for compiler in [&compiler, &compiler.unconfined()] {
        assert_eq!(built(compiler, &sum(8)), Ok(()));
        let said = built(compiler, &sum(9)).unwrap_err();
        assert!(
            said.contains("kernels/k.cpp:5: error: vector code has more vectors at a time"),
            "{said}"
        );
    }
    // Other errors are the compiler's.
    let said = built(&compiler, "sfpi::dst_reg[0] = nothing;").unwrap_err();
    assert!(said.contains("kernels/k.cpp:5:") && said.contains("nothing"), "{said}");
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn dropout_is_refused_by_name_with_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let store = KernelStore::builder()
        .cache(folder.path())
        .compiler(Some(Compiler::find().unwrap()))
        .build();
    for call in ["dropout_kernel_init(7);", "dropout_tile(0, 5, 6);"] {
        let text = format!(
            "#include \"api/compute/common.h\"\n#include \"api/compute/eltwise_unary/dropout.h\"\nvoid kernel_main() {{ {call} }}\n"
        );
        let request = compute_kernel(Processor::Trisc1, text, Some("{0,5,2048,32,32}"));
        let said = store.kernel(&request).map(|_| ()).unwrap_err().to_string();
        assert!(said.contains("kernels/k.cpp:3:"), "{said}");
        assert!(
            said.contains("dropout needs random bits that are the same on every device"),
            "{said}"
        );
    }
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn a_condition_that_the_compiler_does_not_follow_is_built_with_compiler() {
    assert_eq!(built(&Compiler::find().unwrap(), LOST_CONDITION), Ok(()));
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn too_many_vectors_behind_such_a_condition_are_an_error_of_the_line_with_compiler() {
    let code = format!("{LOST_CONDITION} {}", sum(9).replace(" x", " y"));
    let said = built(&Compiler::find().unwrap(), &code).unwrap_err();
    assert!(
        said.contains("kernels/k.cpp:5: error: vector code has more vectors at a time"),
        "{said}"
    );
}
