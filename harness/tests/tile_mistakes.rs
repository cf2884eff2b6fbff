//! What a kernel that uses the compute API in a wrong way is told: a sentence, and the line of the call.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;
#[path = "common/linked_files.rs"]
mod linked_files;

use common::{command, repository, text};
use linked_files::link_files;

/// Each mistake with the beginning of its sentence, a remedy in it, and the line of the call.
const MISTAKES: &[(&str, &str, &str, &str)] = &[
    (
        "no_init",
        "copy_tile would compute something else here",
        "the last init was not copy_init(icb): call it first",
        "copy_tile(",
    ),
    (
        "init_of_another",
        "add_tiles would compute something else here",
        "the last init was not add_init(icb0, icb1): call it first",
        "add_tiles(",
    ),
    (
        "other_shape",
        "matmul_block would compute something else here",
        "with this ct_dim and rt_dim: call it first",
        "matmul_block(",
    ),
    (
        "beyond_dst",
        "this tile index is beyond Dst, which has 8 tiles",
        "twice as many with dst_full_sync_en",
        "copy_tile(",
    ),
    ("no_acquire", "MATH has no section of Dst here", "call tile_regs_acquire first", "copy_tile("),
    ("no_wait", "PACK has no section of Dst here", "call tile_regs_wait first", "pack_tile("),
    (
        "other_format_of_a",
        "the unpacker of SrcA is configured for another data_format",
        "call reconfig_data_format_srca with it before",
        "copy_tile(",
    ),
    (
        "other_format_of_b",
        "the unpacker of SrcB is configured for another data_format",
        "call reconfig_data_format_srcb with it before",
        "add_tiles(",
    ),
    (
        "other_format_of_result",
        "the packers are configured for another data_format",
        "call pack_reconfig_data_format with it before",
        "pack_tile(",
    ),
    (
        "no_such_buffer",
        "this index has no circular buffer with a data_format",
        "on the kernel's cores",
        "copy_tile(",
    ),
    (
        "released_twice",
        "tile_regs_release without tile_regs_wait",
        "PACK has no section of Dst to release",
        "tile_regs_release(",
    ),
    (
        "other_width_of_rows",
        "the unpacker is prepared for rows of another width or data_format",
        "call tilize_init(icb, block, ocb) with this block",
        "tilize_block(",
    ),
    (
        "no_tilize_uninit",
        "the unpacker reads rows of a matrix here",
        "call tilize_uninit(icb, ocb) behind the last tilize_block",
        "copy_tile(",
    ),
    (
        "no_reduce_uninit",
        "the packers would write zeros here",
        "call reduce_uninit() behind the last result",
        "pack_tile(",
    ),
    (
        "no_untilize_uninit",
        "the packers write rows of a matrix here",
        "call pack_untilize_uninit(ocb) behind the last block",
        "pack_tile(",
    ),
    (
        "no_untilize_init",
        "the packers write tiles here, and not rows of a matrix",
        "such as pack_untilize_dest_init",
        "pack_untilize_dest<1>(",
    ),
    (
        "unpackers_of_transposes",
        "binary_tiles_init without full_init leaves the unpackers",
        "call it with full_init",
        "binary_tiles_init<false, ",
    ),
    (
        "no_startup",
        "the units are not configured here",
        "call compute_kernel_hw_startup(icb0, icb1, ocb) first",
        "pack_tile(",
    ),
    (
        "other_rows_of_block",
        "matmul_block would compute something else here",
        "with this ct_dim and rt_dim: call it first",
        "matmul_block(",
    ),
    (
        "reduction_before",
        "the packers would write zeros here",
        "call reduce_uninit() behind the last result",
        "pack_tile(",
    ),
    (
        "not_released",
        "the kernel ends, and PACK has not released a section of Dst",
        "call tile_regs_wait and tile_regs_release after each tile_regs_commit",
        "void kernel_main() {",
    ),
    (
        "not_packed",
        "the kernel ends, and PACK has not released a section of Dst",
        "call tile_regs_wait and tile_regs_release after each tile_regs_commit",
        "void kernel_main() {",
    ),
];

/// A mistake that TT-Metalium takes note of on Blackhole alone.
const OF_BLACKHOLE: &[(&str, &str, &str, &str)] = &[(
    "other_transpose",
    "matmul_block would compute something else here",
    "had another transpose: call it with this transpose",
    "matmul_block(",
)];

/// Blocks that TT-Metalium hangs with on Wormhole alone.
const BLOCKS_ON_WORMHOLE: &[(&str, &str, &str, &str)] = &[
    (
        "left_of_16_rows",
        "matmul_block would hang under TT-Metalium on Wormhole",
        "call it with a ct_dim or an rt_dim of 1",
        "matmul_block(",
    ),
    (
        "right_of_16_rows",
        "matmul_block would hang under TT-Metalium on Wormhole",
        "call it with a ct_dim or an rt_dim of 1",
        "matmul_block(",
    ),
];

/// The same of mistakes in the choice of a circular buffer.
const BUFFERS: &[(&str, &str, &str, &str)] = &[
    (
        "dst_behind_source",
        "the unpacker writes to SrcA here, and tiles of this circular buffer go to Dst",
        "call the init of this operation with this circular buffer",
        "copy_tile(",
    ),
    (
        "source_behind_dst",
        "the unpacker writes to Dst here",
        "call the init of this operation with this circular buffer",
        "copy_tile(",
    ),
    (
        "part_of_an_init",
        "binary_tiles_init without full_init leaves the unpackers",
        "call it with full_init",
        "binary_tiles_init<false, ",
    ),
    ("other_shape", "the tiles of these circular buffers have different shapes", "", "add_tiles("),
    (
        "other_columns",
        "the tiles of these circular buffers have different shapes",
        "",
        "add_tiles(",
    ),
    (
        "shapes_without_product",
        "the matrix unit does not multiply tiles of these two shapes",
        "with 16 of them in1 has 32 columns",
        "matmul_tiles(",
    ),
    (
        "product_of_other_shapes",
        "the last init of products was for tiles of other shapes",
        "call matmul_init or matmul_block_init with these circular buffers before",
        "matmul_tiles(",
    ),
    (
        "small_scaling_tile",
        "the scaling tiles of a reduction are as large as the tiles that it reduces, or 32 by 32",
        "",
        "reduce_tile<",
    ),
    (
        "small_tile_with_row",
        "the tiles of these circular buffers have different shapes",
        "",
        "add_tiles_bcast_rows(",
    ),
    (
        "small_transposed_tile",
        "the last copy_init had transpose, and only tiles of 32 by 32 are transposed",
        "call copy_init(icb) without transpose",
        "copy_tile(",
    ),
    ("integers", "the unpackers and packers only copy integers", "", "add_tiles("),
    ("bytes_and_others", "int8 and uint8 are not combined with other formats", "", "add_tiles("),
    ("reduced_bytes", "this operation has no int8 and uint8", "", "reduce_tile<"),
    (
        "bytes_with_another_sign",
        "the unpacker of SrcA is configured for another data_format than this circular buffer has",
        "call reconfig_data_format_srca with it before",
        "copy_tile(",
    ),
    (
        "other_exponents",
        "the exponents of these circular buffers' formats have different widths",
        "",
        "add_tiles(",
    ),
    (
        "blocks_of_rows",
        "the rows of a matrix in this circular buffer's data_format cannot be read or written one by one",
        "",
        "tilize_block(",
    ),
    (
        "other_rows",
        "the unpacker is prepared for rows of another width or data_format",
        "call tilize_init(icb, block, ocb) with this block and circular buffer",
        "tilize_block(",
    ),
    (
        "dst_behind_reconfiguration",
        "the unpacker writes to SrcA here, and tiles of this circular buffer go to Dst",
        "reconfig_data_format_srca with it behind a reconfig_data_format_srca with another one",
        "copy_tile(",
    ),
    (
        "other_shape_of_result",
        "the packers are configured for tiles of another shape than this circular buffer has",
        "call pack_reconfig_data_format<true> with it before",
        "pack_tile(",
    ),
];

/// Tiles behind the end of a circular buffer.
const PLACES: &[(&str, &str, &str, &str)] = &[
    ("read", BEHIND_READ, "the index of a tile counts from the front", "copy_tile("),
    ("rows_read", BEHIND_READ, "", "tilize_block("),
    ("packed_out_of_order", BEHIND_PACKED, "it does not hold so many tiles", "pack_tile<true>("),
    ("packed_in_order", BEHIND_PACKED, "counted from the last cb_push_back on", "pack_tile("),
    ("packed_out_of_rows", BEHIND_PACKED, "", "tilize_block("),
    ("rows_packed", BEHIND_PACKED, "", "pack_untilize_dest<1>("),
];
const BEHIND_READ: &str = "the unpacker would read behind the end of this circular buffer";
const BEHIND_PACKED: &str = "the packers would write behind the end of this circular buffer";

/// A mistake in what the units are configured for.
const EXPONENTS: &[(&str, &str, &str, &str)] = &[(
    "other_exponents_in_b",
    "SrcA and SrcB are configured for exponents of different widths",
    "call reconfig_data_format for both before",
    // The kernel calls `square_tile` in a function of its own.
    "square<mistake>(",
)];

/// Runs tests of a suite of mistakes with another category where it expects a fault: each fault is then a surprise, which is
/// shown.
fn surprises(suite: &str, filter: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let suites = folder.path().join("suites");
    std::fs::create_dir_all(suites.join("group")).unwrap();
    link_files(&repository().join("suites/kernels"), &suites.join("kernels"));
    let suite = std::fs::read_to_string(repository().join(suite)).unwrap();
    let suite = suite.replace("category: KernelAssertion", "category: UndefinedBehavior");
    std::fs::write(suites.join("group/mistakes.yaml"), suite).unwrap();
    let mut run = command(folder.path());
    run.args(["run", "--arch", "wormhole_b0", "--arch", "blackhole", "--verbose"]);
    text(&run.args(["--filter", filter]).output().unwrap())
}

#[test]
fn a_wrong_use_of_the_compute_api_is_a_sentence_at_its_line() {
    let output = surprises("suites/faults/tile_mistakes.yaml", "::mistake=");
    let both: &[&str] = &["wormhole_b0", "blackhole"];
    let cases = [
        ("one", MISTAKES, "tiles_mistakes", both),
        ("one_of_blackhole", OF_BLACKHOLE, "tiles_mistakes", &["blackhole"]),
        ("blocks_on_wormhole", BLOCKS_ON_WORMHOLE, "tiles_block", &["wormhole_b0"]),
        ("buffers", BUFFERS, "tiles_mistakes_of_buffers", both),
        ("behind_the_end", PLACES, "tiles_places", both),
        ("exponents", EXPONENTS, "tiles_two_exponents", both),
    ];
    let of_chips = cases.iter().flat_map(|(case, mistakes, kernel, chips)| {
        chips.iter().map(move |chip| (chip, case, mistakes, kernel))
    });
    for (chip, case, mistakes, kernel) in of_chips {
        for (name, begin, remedy, call) in *mistakes {
            let test = format!("FAULT {chip}::group::mistakes::{case}::mistake={name}\n");
            let (_, fault) = output.split_once(&test).unwrap_or_else(|| panic!("{test}{output}"));
            let [reason, place] = fault.lines().take(2).collect::<Vec<_>>().try_into().unwrap();
            assert!(
                reason.trim_start().starts_with(&format!("KernelAssertion: {begin}")),
                "{reason}"
            );
            assert!(reason.contains(remedy), "{reason}");
            let (_, line) = place.split_once(&format!("{kernel}.cpp:")).unwrap();
            assert!(line.contains(&format!(": `{call}")), "{name}: {place}");
        }
    }
    let faults: usize =
        cases.iter().map(|(_, mistakes, _, chips)| mistakes.len() * chips.len()).sum();
    assert_eq!(output.matches("KernelAssertion: ").count(), faults);
}

/// Pairs of functions whose fault has a reason of its own: the first one continues from registers, or the second one leaves a
/// modifier that the first one does not expect.
const OF_REGISTERS: &[(&str, &str)] = &[
    (
        "running_sums_after_abs",
        "cumsum_tile with `first` false continues from the sums of the cumsum_tile before, which are no longer in the vector unit's registers: call no other function of the vector unit in between, or restore or clear them first",
    ),
    (
        "statistic_after_abs",
        "welford_update continues from the mean and sums of the call before, which are no longer in the vector unit's registers: call no other function of the vector unit in between, or restore or clear them first",
    ),
    (
        "abs_after_unclamped_exp",
        "the vector unit is not prepared: call the init of this function before, as exp_tile_init() before exp_tile(idst); behind an exp_tile with InputClamping::None, call it again",
    ),
];

/// Of each two functions of the kernel: their name, the init of the first one, and its call, without arguments.
fn functions_of_the_vector_unit(kernel: &str) -> Vec<(&str, &str, &str)> {
    let lines = kernel.lines().filter_map(|line| line.strip_prefix("TWO("));
    lines
        .map(|line| {
            // Of several calls the last one is that of the function.
            let mut parts = line.splitn(4, ", ").map(|part| {
                let call = part.rsplit("; ").next().unwrap();
                call.split_once(['(', '<']).map_or(call, |(function, _)| function)
            });
            (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap())
        })
        .collect()
}

#[test]
fn a_function_without_what_its_init_leaves_is_told_by_name() {
    let kernel = repository().join("suites/kernels/tiles_second_call.cpp");
    let kernel = std::fs::read_to_string(kernel).unwrap();
    let functions = functions_of_the_vector_unit(&kernel);
    let output = surprises("suites/faults/vector_inits.yaml", "::functions=");
    let mut faults = 0;
    for fault in output.split("FAULT ").skip(1) {
        let mut lines = fault.lines();
        let (_, two) = lines.next().unwrap().split_once("functions=").unwrap();
        let (_, init, call) = functions.iter().find(|(name, ..)| *name == two).unwrap();
        let of_registers = OF_REGISTERS.iter().find(|(name, _)| *name == two);
        let reason = format!(
            "{call} would compute something else under TT-Metalium: what {init} leaves in the vector unit is not there. Either {init} was not called with these template arguments, or another init or function has overwritten it. Call {init} right before {call}"
        );
        let reason = of_registers.map_or(reason.as_str(), |(_, reason)| reason);
        assert_eq!(lines.next().unwrap(), format!("  KernelAssertion: {reason}"));
        assert!(lines.next().unwrap().contains("FUNCTIONS::call("), "{fault}");
        assert!(lines.next().unwrap().contains(&format!("`TWO({two}, ")), "{fault}");
        faults += 1;
    }
    // 22 and those of registers on both chips, three on Wormhole and three on Blackhole.
    assert_eq!(faults, 2 * (22 + OF_REGISTERS.len()) + 3 + 3, "{output}");
}
