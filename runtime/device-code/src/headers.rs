//! The kernel API's headers and the linker scripts, embedded in the library so that an installed `hallmark`
//! compiles kernels without this repository.

use std::borrow::Cow;
use std::sync::OnceLock;

use hallmark_chip::Architecture;
use hallmark_schema::model::ContentHash;

use super::defects;

macro_rules! embedded {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../firmware/", $path)))),*]
    };
}

/// Path relative to `runtime/firmware`, and text: the files of every kernel build.
static FILES: &[(&str, &str)] = embedded! {
    "architectures/blackhole/hallmark/chip.h",
    "architectures/blackhole/hallmark/noc_address.h",
    "architectures/grayskull/hallmark/chip.h",
    "architectures/grayskull/hallmark/noc_address.h",
    "architectures/wormhole_b0/hallmark/chip.h",
    "architectures/wormhole_b0/hallmark/noc_address.h",
    "include/api/compile_time_args.h",
    "include/api/compute/cb_api.h",
    "include/api/compute/common.h",
    "include/api/dataflow/dataflow_api.h",
    "include/api/tensor/page.h",
    "include/api/tensor/pages_address_iterator.h",
    "include/api/tensor/shard_pages_address_iterator.h",
    "include/api/tensor/tensor_accessor.h",
    "include/api/tensor/tensor_accessor_args.h",
    "include/cstddef",
    "include/cstdint",
    "include/hallmark/arguments.h",
    "include/hallmark/bound.h",
    "include/hallmark/earlier_dataflow_names.h",
    "include/hallmark/kernel_state.h",
    "include/hallmark/launch_abi.h",
    "include/hallmark/noc.h",
    "include/hallmark/noc_registers.h",
    "include/hallmark/plain_compute.h",
    "include/hallmark/refused.h",
    "include/hallmark/registers.h",
    "include/hallmark/sharded_spec.h",
    "include/hallmark/thread_mailbox.h",
    "include/hallmark/tile_tables.h",
    "include/hallmark/zeros.h",
    "include/hostdevcommon/common_values.hpp",
    "include/hostdevcommon/kernel_structs.h",
    "include/tensix_types.h",
    "kernel.ld",
    "kernel_start.cpp",
};

/// Additional files of kernels that name something of them. No other kernel's key depends on them, so no file of
/// [`FILES`] includes one.
static DEBUG_FILES: &[(&str, &str)] = embedded! {
    "debug/api/debug/assert.h",
    "debug/api/debug/device_print.h",
    "debug/api/debug/dprint.h",
    "debug/api/debug/dprint_pages.h",
    "debug/api/debug/dprint_tile.h",
    "debug/api/debug/pause.h",
    "debug/api/debug/ring_buffer.h",
    "debug/api/debug/status.h",
    "debug/api/debug/waypoint.h",
    "debug/hallmark/print.h",
    "debug/hallmark/print_format.h",
    "debug/hallmark/quoted.h",
    "debug/hallmark/stream_print.h",
    "debug/print.cpp",
};

/// Additional files of kernels that include one of them: the API of objects, and the parts of the C++ library that its
/// users expect. No other kernel's key depends on them, so no file of [`FILES`] includes one.
static OBJECT_API_FILES: &[(&str, &str)] = embedded! {
    "object_api/algorithm",
    "object_api/api/alignment.h",
    "object_api/api/core_local_mem.h",
    "object_api/api/dataflow/circular_buffer.h",
    "object_api/api/dataflow/dataflow_buffer.h",
    "object_api/api/dataflow/dfb_access.h",
    "object_api/api/dataflow/dfb_binding_token.h",
    "object_api/api/dataflow/endpoints.h",
    "object_api/api/dataflow/noc.h",
    "object_api/api/dataflow/noc_semaphore.h",
    "object_api/api/dataflow/prefetcher_pipe.h",
    "object_api/api/dataflow/prefetcher_pipe_binding_token.h",
    "object_api/api/dataflow/semaphore_binding_token.h",
    "object_api/api/lock.h",
    "object_api/api/numeric/bfloat16.h",
    "object_api/api/numeric/float32.h",
    "object_api/api/numeric/int32.h",
    "object_api/api/remote_circular_buffer.h",
    "object_api/api/scratchpad.h",
    "object_api/api/scratchpad_binding_token.h",
    "object_api/api/semaphore.h",
    "object_api/api/socket_api.h",
    "object_api/api/tensor/local_tensor_accessor.h",
    "object_api/api/tensor/noc_traits.h",
    "object_api/api/tensor/tensor_binding_token.h",
    "object_api/array",
    "object_api/bit",
    "object_api/ckernel.h",
    "object_api/ckernel_defs.h",
    "object_api/ckernel_trisc_common.h",
    "object_api/cfloat",
    "object_api/climits",
    "object_api/cmath",
    "object_api/cstdlib",
    "object_api/cstring",
    "object_api/debug/debug.h",
    "object_api/experimental/kernel_args.h",
    "object_api/functional",
    "object_api/hallmark/accessors.h",
    "object_api/hallmark/noc_transactions.h",
    "object_api/initializer_list",
    "object_api/internal/circular_buffer_interface.h",
    "object_api/internal/llk_metadata.h",
    "object_api/internal/mod_div_lib.h",
    "object_api/internal/risc_attribs.h",
    "object_api/internal/scoped_lock_cache_ops.h",
    "object_api/internal/template_string.h",
    "object_api/limits",
    "object_api/llk_defs.h",
    "object_api/noc/noc_parameters.h",
    "object_api/noc_parameters.h",
    "object_api/numeric",
    "object_api/optional",
    "object_api/span",
    "object_api/sys/types.h",
    "object_api/tt-metalium/buffer_types.hpp",
    "object_api/tt-metalium/constants.hpp",
    "object_api/tuple",
    "object_api/type_traits",
    "object_api/utility",
    "object_api/variant",
    "object_api/vector",
};

/// Additional files of compute kernels for the Tensix coprocessor. Some stand in the place of a file of every kernel. No
/// other kernel's key depends on them.
static COMPUTE_FILES: &[(&str, &str)] = embedded! {
    "compute/api/compute/bcast.h",
    "compute/api/compute/cb_api.h",
    "compute/api/compute/common.h",
    "compute/api/compute/common_globals.h",
    "compute/api/compute/compute_kernel_hw_startup.h",
    "compute/api/compute/eltwise_binary.h",
    "compute/api/compute/experimental/fast_untilize.h",
    "compute/api/compute/matmul.h",
    "compute/api/compute/pack.h",
    "compute/api/compute/pack_untilize.h",
    "compute/api/compute/reconfig_data_format.h",
    "compute/api/compute/reduce.h",
    "compute/api/compute/reg_api.h",
    "compute/api/compute/src_order.h",
    "compute/api/compute/thread.h",
    "compute/api/compute/tile_move_copy.h",
    "compute/api/compute/tilize.h",
    "compute/api/compute/transpose.h",
    "compute/api/compute/untilize.h",
    "compute/hallmark/coprocessor.h",
    "compute/hallmark/dst_sync.h",
    "compute/hallmark/earlier_names.h",
    "compute/hallmark/kernel_main.h",
    "compute/hallmark/math_reductions.h",
    "compute/hallmark/math_thread.h",
    "compute/hallmark/misuse.h",
    "compute/hallmark/operands.h",
    "compute/hallmark/pack_rows.h",
    "compute/hallmark/pack_thread.h",
    "compute/hallmark/prepared.h",
    "compute/hallmark/section_units.h",
    "compute/hallmark/unpack_rows.h",
    "compute/hallmark/unpack_thread.h",
    "compute/llk_defs.h",
};

/// Additional files of compute kernels for the vector unit. Some stand in the place of a file of every compute kernel. No
/// other kernel's key depends on them.
static VECTOR_UNIT_FILES: &[(&str, &str)] = embedded! {
    "vector_unit/api/compute/add_int_sfpu.h",
    "vector_unit/api/compute/atan2.h",
    "vector_unit/api/compute/binary_bitwise_sfpu.h",
    "vector_unit/api/compute/binary_comp.h",
    "vector_unit/api/compute/binary_fmod.h",
    "vector_unit/api/compute/binary_max_min.h",
    "vector_unit/api/compute/binary_remainder.h",
    "vector_unit/api/compute/binary_shift.h",
    "vector_unit/api/compute/compute_kernel_api.h",
    "vector_unit/api/compute/copy_dest_values.h",
    "vector_unit/api/compute/cumsum.h",
    "vector_unit/api/compute/div_int32_floor.h",
    "vector_unit/api/compute/div_int32_sfpu.h",
    "vector_unit/api/compute/eltwise_binary_sfpu.h",
    "vector_unit/api/compute/eltwise_unary/activations.h",
    "vector_unit/api/compute/eltwise_unary/addcdiv.h",
    "vector_unit/api/compute/eltwise_unary/addcmul.h",
    "vector_unit/api/compute/eltwise_unary/binop_with_scalar.h",
    "vector_unit/api/compute/eltwise_unary/bitwise.h",
    "vector_unit/api/compute/eltwise_unary/bitwise_not.h",
    "vector_unit/api/compute/eltwise_unary/cbrt.h",
    "vector_unit/api/compute/eltwise_unary/clamp.h",
    "vector_unit/api/compute/eltwise_unary/comp.h",
    "vector_unit/api/compute/eltwise_unary/digamma.h",
    "vector_unit/api/compute/eltwise_unary/dropout.h",
    "vector_unit/api/compute/eltwise_unary/eltwise_unary.h",
    "vector_unit/api/compute/eltwise_unary/elu.h",
    "vector_unit/api/compute/eltwise_unary/erf_erfc.h",
    "vector_unit/api/compute/eltwise_unary/erfinv.h",
    "vector_unit/api/compute/eltwise_unary/exp.h",
    "vector_unit/api/compute/eltwise_unary/fill.h",
    "vector_unit/api/compute/eltwise_unary/fmod.h",
    "vector_unit/api/compute/eltwise_unary/gelu.h",
    "vector_unit/api/compute/eltwise_unary/hardmish.h",
    "vector_unit/api/compute/eltwise_unary/hardtanh.h",
    "vector_unit/api/compute/eltwise_unary/i0.h",
    "vector_unit/api/compute/eltwise_unary/i1.h",
    "vector_unit/api/compute/eltwise_unary/identity.h",
    "vector_unit/api/compute/eltwise_unary/isinf_isnan.h",
    "vector_unit/api/compute/eltwise_unary/lerp.h",
    "vector_unit/api/compute/eltwise_unary/lgamma.h",
    "vector_unit/api/compute/eltwise_unary/log1p.h",
    "vector_unit/api/compute/eltwise_unary/logical_not.h",
    "vector_unit/api/compute/eltwise_unary/mac.h",
    "vector_unit/api/compute/eltwise_unary/mish.h",
    "vector_unit/api/compute/eltwise_unary/negative.h",
    "vector_unit/api/compute/eltwise_unary/polygamma.h",
    "vector_unit/api/compute/eltwise_unary/prelu.h",
    "vector_unit/api/compute/eltwise_unary/rand.h",
    "vector_unit/api/compute/eltwise_unary/rdiv.h",
    "vector_unit/api/compute/eltwise_unary/recip.h",
    "vector_unit/api/compute/eltwise_unary/relu.h",
    "vector_unit/api/compute/eltwise_unary/remainder.h",
    "vector_unit/api/compute/eltwise_unary/rounding.h",
    "vector_unit/api/compute/eltwise_unary/rpow.h",
    "vector_unit/api/compute/eltwise_unary/rsqrt.h",
    "vector_unit/api/compute/eltwise_unary/rsub.h",
    "vector_unit/api/compute/eltwise_unary/selu.h",
    "vector_unit/api/compute/eltwise_unary/sfpu_int_sum.h",
    "vector_unit/api/compute/eltwise_unary/sfpu_split_includes.h",
    "vector_unit/api/compute/eltwise_unary/shift.h",
    "vector_unit/api/compute/eltwise_unary/snake_beta.h",
    "vector_unit/api/compute/eltwise_unary/softcap.h",
    "vector_unit/api/compute/eltwise_unary/softplus.h",
    "vector_unit/api/compute/eltwise_unary/sqrt.h",
    "vector_unit/api/compute/eltwise_unary/tanh_derivative.h",
    "vector_unit/api/compute/eltwise_unary/tanhshrink.h",
    "vector_unit/api/compute/eltwise_unary/threshold.h",
    "vector_unit/api/compute/eltwise_unary/trigonometry.h",
    "vector_unit/api/compute/eltwise_unary/typecast.h",
    "vector_unit/api/compute/eltwise_unary/where.h",
    "vector_unit/api/compute/eltwise_unary/xielu.h",
    "vector_unit/api/compute/ema.h",
    "vector_unit/api/compute/experimental/layernorm.h",
    "vector_unit/api/compute/gcd.h",
    "vector_unit/api/compute/isclose.h",
    "vector_unit/api/compute/layernorm.h",
    "vector_unit/api/compute/lcm.h",
    "vector_unit/api/compute/logaddexp.h",
    "vector_unit/api/compute/logaddexp2.h",
    "vector_unit/api/compute/logsigmoid.h",
    "vector_unit/api/compute/mask.h",
    "vector_unit/api/compute/mul_int_sfpu.h",
    "vector_unit/api/compute/nextafter.h",
    "vector_unit/api/compute/quantization.h",
    "vector_unit/api/compute/reduce_custom.h",
    "vector_unit/api/compute/reshuffle.h",
    "vector_unit/api/compute/sfpu_binary_bcast.h",
    "vector_unit/api/compute/situ_glu.h",
    "vector_unit/api/compute/softmax.h",
    "vector_unit/api/compute/sub_int_sfpu.h",
    "vector_unit/api/compute/topk.h",
    "vector_unit/api/compute/transpose_dest.h",
    "vector_unit/api/compute/welford.h",
    "vector_unit/api/compute/xlogy.h",
    "vector_unit/ckernel_sfpu_copy_dest_values.h",
    "vector_unit/hallmark/activations.h",
    "vector_unit/hallmark/arithmetic.h",
    "vector_unit/hallmark/broadcasts.h",
    "vector_unit/hallmark/error_function.h",
    "vector_unit/hallmark/exponential.h",
    "vector_unit/hallmark/integers.h",
    "vector_unit/hallmark/left_by_inits.h",
    "vector_unit/hallmark/logarithm.h",
    "vector_unit/hallmark/mask.h",
    "vector_unit/hallmark/not_computed.h",
    "vector_unit/hallmark/numbered_registers.h",
    "vector_unit/hallmark/pack_names.h",
    "vector_unit/hallmark/reciprocal.h",
    "vector_unit/hallmark/rows_of_tiles.h",
    "vector_unit/hallmark/running_sums.h",
    "vector_unit/hallmark/section_units.h",
    "vector_unit/hallmark/selection.h",
    "vector_unit/hallmark/softplus.h",
    "vector_unit/hallmark/sorting.h",
    "vector_unit/hallmark/statistics.h",
    "vector_unit/hallmark/trigonometric.h",
    "vector_unit/hallmark/vector_functions.h",
    "vector_unit/hallmark/vector_mode.h",
    "vector_unit/hallmark/vector_thread.h",
    "vector_unit/hallmark/whole_numbers.h",
    "vector_unit/llk_math_eltwise_binary_sfpu_macros.h",
    "vector_unit/sfpi.h",
    "vector_unit/vector/conditions.h",
    "vector_unit/vector/constants.h",
    "vector_unit/vector/functions.h",
    "vector_unit/vector/instructions.h",
    "vector_unit/vector/registers.h",
    "vector_unit/vector/tensix_word.h",
    "vector_unit/vector/values.h",
};

/// Additional files of builds with markers. No other kernel's key depends on them.
static PROFILER_FILES: &[(&str, &str)] = embedded! {
    "profiler/api/debug/kernel_profiler.hpp",
    "profiler/hallmark/profiler.h",
    "profiler/hallmark/profiler_abi.h",
    "profiler/kernel_zone.cpp",
    "profiler/tools/profiler/kernel_profiler.hpp",
};

/// The firmware's own sources, from which firmware with markers is built on demand.
static FIRMWARE_FILES: &[(&str, &str)] = embedded! {
    "architectures/blackhole/bring_up.h",
    "architectures/grayskull/bring_up.h",
    "architectures/wormhole_b0/bring_up.h",
    "brisc.cpp",
    "brisc_starts_others.h",
    "dispatch.cpp",
    "dispatch_abi.h",
    "firmware.h",
    "firmware.ld",
    "firmware_profiler.h",
    "start.S",
    "subordinate.cpp",
};

const INCLUDE: &str = "include/";
const ARCHITECTURES: &str = "architectures/";

/// Files that only some kernel builds have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Additional {
    /// The compute API for the Tensix coprocessor.
    Compute,
    /// The compute API for the vector unit, and vectors as the vendor names them.
    VectorUnit,
    /// The API of objects, and parts of the C++ library.
    ObjectApi,
    /// The headers for debugging.
    Debug,
    /// The markers of a profile.
    Profiler,
}

impl Additional {
    const ALL: [Self; 5] =
        [Self::Compute, Self::VectorUnit, Self::ObjectApi, Self::Debug, Self::Profiler];

    const fn list(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Compute => COMPUTE_FILES,
            Self::VectorUnit => VECTOR_UNIT_FILES,
            Self::ObjectApi => OBJECT_API_FILES,
            Self::Debug => DEBUG_FILES,
            Self::Profiler => PROFILER_FILES,
        }
    }

    /// The folder of the files, relative to `runtime/firmware`.
    pub(super) const fn folder(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::VectorUnit => "vector_unit",
            Self::ObjectApi => "object_api",
            Self::Debug => "debug",
            Self::Profiler => "profiler",
        }
    }

    /// The files: path relative to `runtime/firmware`, and text.
    pub(super) fn files(self) -> impl Iterator<Item = (&'static str, Cow<'static, str>)> {
        self.list().iter().map(|(path, text)| (*path, defects::planted_in(path, text)))
    }

    fn names(self) -> impl Iterator<Item = &'static str> {
        let name = move |path: &'static str| path.strip_prefix(self.folder())?.strip_prefix('/');
        self.list().iter().filter_map(move |(path, _)| name(path))
    }

    /// Whether this is the include name of one of the headers.
    pub(super) fn has(self, include: &str) -> bool {
        self.names().any(|name| name == include)
    }
}

/// The headers that give a stock compiler the vector unit: `sfpi.h` and those that it includes, by their include names. They
/// need no other header of Hallmark's.
pub fn vector_headers() -> impl Iterator<Item = (&'static str, &'static str)> {
    VECTOR_UNIT_FILES.iter().filter_map(|(path, text)| {
        let name = path.strip_prefix("vector_unit/")?;
        (name == "sfpi.h" || name.starts_with("vector/")).then_some((name, *text))
    })
}

/// The folder with the headers that each architecture has in its own version.
pub(super) fn folder(architecture: Architecture) -> String {
    format!("{ARCHITECTURES}{architecture}")
}

/// A file of kernel builds, by its path relative to `runtime/firmware`.
pub(super) fn text(path: &str) -> Option<&'static str> {
    let all = FILES.iter().chain(DEBUG_FILES).chain(OBJECT_API_FILES).chain(COMPUTE_FILES);
    let all = all.chain(VECTOR_UNIT_FILES);
    all.into_iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
}

/// The files of a build for an architecture: path relative to `runtime/firmware`, and text.
pub(super) fn files(
    architecture: Architecture,
) -> impl Iterator<Item = (&'static str, Cow<'static, str>)> {
    let own = folder(architecture) + "/";
    FILES
        .iter()
        .filter(move |(path, _)| !path.starts_with(ARCHITECTURES) || path.starts_with(&own))
        .map(|(path, text)| (*path, defects::planted_in(path, text)))
}

/// A source of the firmware, by its path relative to `runtime/firmware`.
pub(super) fn firmware_source(path: &str) -> Option<&'static str> {
    FIRMWARE_FILES.iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
}

/// The hash over all inputs of firmware with markers.
pub(super) fn profiled_firmware_hash(architecture: Architecture) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&hash(architecture).0);
    for text in PROFILER_FILES.iter().chain(FIRMWARE_FILES).flat_map(|(path, text)| [path, text]) {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    ContentHash(*hasher.finalize().as_bytes())
}

/// The include names of Hallmark's headers. One of an architecture's own comes once for each architecture.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let below = |path: &'static str| match path.strip_prefix(ARCHITECTURES) {
        Some(rest) => rest.split_once('/').map(|(_, rest)| rest),
        None => path.strip_prefix(INCLUDE),
    };
    let of_every_kernel = FILES.iter().filter_map(move |(path, _)| below(path));
    of_every_kernel.chain(Additional::ALL.into_iter().flat_map(Additional::names))
}

/// Whether this is the include name of a header that every kernel has.
pub(super) fn is_of_every_kernel(include: &str) -> bool {
    FILES.iter().any(|(path, _)| path.strip_prefix(INCLUDE) == Some(include))
}

/// Whether this is the include name of one of Hallmark's headers.
pub(super) fn is_own(include: &str) -> bool {
    names().any(|name| name == include)
}

/// The hash over all files of a build for an architecture.
pub(super) fn hash(architecture: Architecture) -> ContentHash {
    static HASHES: [OnceLock<ContentHash>; Architecture::ALL.len()] =
        [const { OnceLock::new() }; Architecture::ALL.len()];
    let compute = || {
        let mut hasher = blake3::Hasher::new();
        for text in files(architecture).flat_map(|(path, text)| [path.into(), text]) {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        ContentHash(*hasher.finalize().as_bytes())
    };
    match HASHES.get(architecture as usize) {
        Some(hash) => *hash.get_or_init(compute),
        None => compute(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }

    #[test]
    fn every_header_of_the_folder_is_embedded() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware");
        let mut found = Vec::new();
        walk(&root.join("include"), &mut found);
        for architecture in Architecture::ALL {
            walk(&root.join(folder(architecture)).join("hallmark"), &mut found);
        }
        let mut found: Vec<String> = found
            .iter()
            .map(|path| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned())
            .collect();
        found.sort();
        let mut listed: Vec<&str> = FILES
            .iter()
            .map(|(path, _)| *path)
            .filter(|path| path.ends_with(".h") || path.starts_with(INCLUDE))
            .collect();
        listed.sort_unstable();
        assert_eq!(listed, found);
    }

    #[test]
    fn every_additional_file_is_embedded() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../firmware");
        let files = |folder: &str| {
            let mut found = Vec::new();
            walk(&root.join(folder), &mut found);
            let mut found: Vec<String> = found
                .iter()
                .map(|path| path.strip_prefix(&root).unwrap().to_string_lossy().into_owned())
                .collect();
            found.sort();
            found
        };
        for additional in Additional::ALL {
            // The order is a part of what kernels are named after, and need not be that of names.
            let mut listed: Vec<_> = additional.files().map(|(path, _)| path).collect();
            listed.sort();
            assert_eq!(listed, files(additional.folder()), "{additional:?}");
        }
    }

    #[test]
    fn no_header_of_every_kernel_includes_one_of_some_kernels() {
        for (path, text) in FILES {
            for (_, include) in crate::includes(text.as_bytes()) {
                let additional = Additional::ALL
                    .into_iter()
                    .find(|files| files.has(&include) && !is_of_every_kernel(&include));
                assert_eq!(additional, None, "{path} includes {include}");
            }
        }
    }

    #[test]
    fn an_architecture_is_given_its_own_headers_alone() {
        let own = |architecture| {
            files(architecture).filter(|(path, _)| path.ends_with("hallmark/chip.h")).count()
        };
        assert_eq!(Architecture::ALL.map(own), [1, 1, 1]);
        let [grayskull, wormhole, blackhole] = Architecture::ALL.map(hash);
        assert!(grayskull != wormhole && wormhole != blackhole && blackhole != grayskull);
        assert!(is_own("hallmark/chip.h") && is_own("api/compute/cb_api.h"));
        assert!(is_own("api/debug/assert.h") && is_own("api/debug/kernel_profiler.hpp"));
        assert!(!is_own("chip.h") && !is_own("blackhole/hallmark/chip.h"));
    }
}
