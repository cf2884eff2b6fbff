//! Wrong use of the compute API that is known when a kernel is built: the compiler's message names the line and says what is wrong.
//! `suites/faults/tile_mistakes.yaml` has the same of numbers that are only known when the kernel runs.
#![allow(clippy::unwrap_used, reason = "a test says what failed by panicking")]

#[path = "common/compute_kernel.rs"]
mod compute_kernel;

use compute_kernel::compute_kernel;
use hallmark_chip::Processor;
use hallmark_device_code::{Compiler, KernelStore};
use hallmark_schema::model::KernelConfig;

/// Circular buffers with tiles of `float16_b`: 0 of 32 by 32, 1 of 16 by 32, 2 of 32 by 16, 3 of 8 by 32; 4 of `float16`, 5 of
/// `int32`, 6 of `uint16`, 7 of `bfp8_b`, 8 of `int8`, 10 of `lf8`.
const TILES: &str = "{0,5,2048,32,32},{1,5,1024,16,32},{2,5,1024,32,16},{3,5,512,8,32},{4,1,2048,32,32},{5,8,4096,32,32},\
    {6,9,2048,32,32},{7,6,1088,32,32},{8,14,1024,32,32},{10,10,1024,32,32}";

/// What the compiler says to a kernel with this call in line 8.
fn said(store: &KernelStore, call: &str) -> Result<(), String> {
    built(store, Processor::Trisc0, calling(call))
}

fn calling(call: &str) -> String {
    format!(
        "#include \"api/compute/bcast.h\"\n#include \"api/compute/eltwise_binary.h\"\n#include \"api/compute/matmul.h\"\n\
         #include \"api/compute/tile_move_copy.h\"\n#include \"api/compute/tilize.h\"\n#include \"api/compute/transpose.h\"\n\
         void kernel_main() {{\n    {call}\n}}\n"
    )
}

/// The same with `fp32_dest_acc_en`.
fn said_with_wide_dst(store: &KernelStore, call: &str) -> Result<(), String> {
    let mut request = compute_kernel(Processor::Trisc0, calling(call), Some(TILES));
    if let KernelConfig::Compute { fp32_dest_acc_en, .. } = &mut request.config {
        *fp32_dest_acc_en = true;
    }
    store.kernel(&request).map(|_| ()).map_err(|error| error.to_string())
}

fn built(store: &KernelStore, processor: Processor, text: String) -> Result<(), String> {
    let request = compute_kernel(processor, text, Some(TILES));
    store.kernel(&request).map(|_| ()).map_err(|error| error.to_string())
}

/// A call, and the beginning of what the compiler says.
const REFUSED: &[(&str, &str)] = &[
    ("copy_init(9);", "this index has no circular buffer with a data_format on the kernel's cores"),
    (
        "copy_init(64);",
        "this index has no circular buffer with a data_format on the kernel's cores",
    ),
    (
        "copy_init(3);",
        "the tiles of this circular buffer do not consist of whole faces of 16 by 16",
    ),
    (
        "copy_init(10);",
        "the compute API does not compute in the data_format of this circular buffer",
    ),
    (
        "copy_init(5);",
        "tiles of int32, uint32, int8 and uint8 need fp32_dest_acc_en, and those of uint16 a Dst of 16 bits",
    ),
    (
        "copy_init(8);",
        "tiles of int32, uint32, int8 and uint8 need fp32_dest_acc_en, and those of uint16 a Dst of 16 bits",
    ),
    ("matmul_init(0, 1);", "the matrix unit does not multiply tiles of these two shapes"),
    ("copy_init(1, 1);", "this operation works on tiles of 32 by 32"),
    ("add_init(0, 6);", "the unpackers and packers only copy integers"),
    (
        "tilize_init(7, 1, 0);",
        "the rows of a matrix in this circular buffer's data_format cannot be read or written",
    ),
    ("tilize_init(0, 1, 1);", "this operation works on tiles of 32 by 32"),
    ("add_init(1, 2);", "the tiles of these circular buffers have different shapes"),
    ("add_init(0, 4);", "the exponents of these circular buffers' formats have different widths"),
    (
        "compute_kernel_hw_startup(0, 4);",
        "the exponents of these circular buffers' formats have different widths",
    ),
    ("copy_tile(0, 0, 8);", "this tile index is beyond Dst"),
];

/// The same with `fp32_dest_acc_en`.
const REFUSED_WITH_WIDE_DST: &[(&str, &str)] = &[
    ("add_init(0, 8);", "int8 and uint8 are not combined with other formats"),
    ("unary_bcast_init<BroadcastType::ROW>(8);", "this operation has no int8 and uint8"),
    (
        "tilize_init(8, 1, 0);",
        "the rows of a matrix in this circular buffer's data_format cannot be read or written",
    ),
];

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn wrong_use_that_is_known_is_an_error_of_its_line_with_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let store = KernelStore::builder()
        .cache(folder.path())
        .compiler(Some(Compiler::find().unwrap()))
        .build();
    for (call, begin) in REFUSED {
        let said = said(&store, call).unwrap_err();
        assert!(said.contains("kernels/k.cpp:8:"), "{call}: {said}");
        assert!(said.contains(&format!("error: {begin}")), "{call}: {said}");
    }
    for (call, begin) in REFUSED_WITH_WIDE_DST {
        let said = said_with_wide_dst(&store, call).unwrap_err();
        assert!(said.contains(&format!("error: {begin}")), "{call}: {said}");
    }
    for call in ["copy_init(8);", "mul_init(8, 8);", "compute_kernel_hw_startup(0, 4);"] {
        assert_eq!(said_with_wide_dst(&store, call), Ok(()), "{call}");
    }
    for call in [
        "copy_init(0);",
        "add_init(1, 1);",
        "copy_init(6);",
        "copy_tile(2, 0, 7);",
        "tilize_init(0, 2, 0);",
    ] {
        assert_eq!(said(&store, call), Ok(()), "{call}");
    }
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn names_that_are_deprecated_are_built_with_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let store = KernelStore::builder()
        .cache(folder.path())
        .compiler(Some(Compiler::find().unwrap()))
        .build();
    let text = "#include \"api/compute/eltwise_unary/eltwise_unary.h\"\n#include \"api/compute/copy_dest_values.h\"\n\
                void kernel_main() { init_sfpu(0, 0); unary_op_init_common(0, 0); copy_dest_values(0, 1); }\n";
    for processor in [Processor::Trisc0, Processor::Trisc1, Processor::Trisc2] {
        assert_eq!(built(&store, processor, text.to_owned()), Ok(()));
    }
}

#[test]
#[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
fn headers_of_circular_buffers_may_come_first_with_compiler() {
    let store = KernelStore::builder().compiler(Some(Compiler::find().unwrap())).build();
    for header in ["api/dataflow/circular_buffer.h", "api/dataflow/dataflow_buffer.h"] {
        for processor in [Processor::Trisc0, Processor::Trisc1, Processor::Trisc2] {
            let text = format!(
                "#include \"{header}\"\n#include \"api/compute/tile_move_copy.h\"\n\
                 void kernel_main() {{ CircularBuffer(0).wait_front(1); copy_init(0); }}\n"
            );
            let text = text.replace(
                "dataflow_buffer.h\"\n",
                "dataflow_buffer.h\"\n#include \"api/dataflow/circular_buffer.h\"\n",
            );
            assert_eq!(built(&store, processor, text), Ok(()), "{header} for {processor:?}");
        }
    }
}
