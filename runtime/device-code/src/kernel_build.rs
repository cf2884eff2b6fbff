//! The inputs of a kernel build, and its commands.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use hallmark_chip::{Architecture, Processor};
use hallmark_schema::commands::CreateKernel;
use hallmark_schema::model::{
    ContentHash, KernelBindings, KernelConfig, MathFidelity, NocId, OptLevel,
};

use super::bindings::{BindingForms, generated_main};
use super::directives::{DirectiveKind, Scan, scan};
use super::headers::{self, Additional};
use super::{MemoryRange, SourceClosure};

/// The build of one kernel for one processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelBuildRequest {
    /// The architecture of the chip.
    pub architecture: Architecture,
    /// The processor; a compute kernel takes three requests.
    pub processor: Processor,
    /// The source and its includes.
    pub sources: Arc<SourceClosure>,
    /// The kernel's configuration.
    pub config: KernelConfig,
    /// Compile-time arguments.
    pub compile_args: Vec<u32>,
    /// Preprocessor definitions.
    pub defines: BTreeMap<String, String>,
    /// Compile-time arguments that the kernel reads by name.
    pub named_compile_args: BTreeMap<String, u32>,
    /// The optimization level, if the kernel states one.
    pub opt_level: Option<OptLevel>,
    /// The names of the source whose definitions are generated.
    pub bindings: Option<KernelBindings>,
    /// The range of its markers in L1, if the build is for a profile.
    pub profiler: Option<MemoryRange>,
}

/// The hash over all inputs of a build, including the compiler's version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KernelKey(pub ContentHash);

impl std::fmt::Display for KernelKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The flags of every build of device code (GCC manual, "RISC-V Options"). Code is linked at low addresses, so
/// that every address is absolute and the host can place a kernel anywhere.
pub(super) const COMMON_FLAGS: &[&str] = &[
    "-march=rv32im",
    "-mabi=ilp32",
    "-mcmodel=medlow",
    "-mno-relax",
    "-O2",
    "-std=c++17",
    "-ffreestanding",
    "-fno-pic",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-asynchronous-unwind-tables",
    "-fno-threadsafe-statics",
    "-fno-use-cxa-atexit",
    "-fno-tree-loop-distribute-patterns",
    "-fno-jump-tables",
    "-fno-ident",
    "-ffunction-sections",
    "-fdata-sections",
    "-frandom-seed=hallmark",
    "-msmall-data-limit=0",
    "-nostdinc++",
    "-Wall",
    "-Wextra",
    "-Werror",
];

/// Additional flags of kernels: each thread of a compute kernel leaves the others' variables unused, and
/// TT-Metalium accepts that.
pub(super) const KERNEL_FLAGS: &[&str] = &[
    "-Wno-unused-parameter",
    "-Wno-unused-variable",
    "-Wno-unused-but-set-variable",
    "-Wno-unused-function",
    "-Wno-unused-value",
];

/// Additional flags of kernels that use the API of objects: its headers have designated initializers and texts as
/// template arguments, and such kernels were written for a compiler with other warnings.
pub(super) const OBJECT_API_FLAGS: &[&str] = &["-std=c++20", "-Wno-error"];

/// Additional flags of vector code. `ft0` to `ft7` stand for the vector unit's registers and no other float register is free;
/// `t3` to `t6` hold the scalar floats of such code. A product and a sum of scalars stay two, and objects of vectors are
/// taken apart whatever their size (`runtime/firmware/vector_unit/vector/instructions.h`).
pub const VECTOR_CODE_FLAGS: &[&str] = &[
    "-ffixed-ft8",
    "-ffixed-ft9",
    "-ffixed-ft10",
    "-ffixed-ft11",
    "-ffixed-fs0",
    "-ffixed-fs1",
    "-ffixed-fs2",
    "-ffixed-fs3",
    "-ffixed-fs4",
    "-ffixed-fs5",
    "-ffixed-fs6",
    "-ffixed-fs7",
    "-ffixed-fs8",
    "-ffixed-fs9",
    "-ffixed-fs10",
    "-ffixed-fs11",
    "-ffixed-fa0",
    "-ffixed-fa1",
    "-ffixed-fa2",
    "-ffixed-fa3",
    "-ffixed-fa4",
    "-ffixed-fa5",
    "-ffixed-fa6",
    "-ffixed-fa7",
    "-ffixed-t3",
    "-ffixed-t4",
    "-ffixed-t5",
    "-ffixed-t6",
    "-ffp-contract=off",
    "--param=sra-max-scalarization-size-Ospeed=4096",
];

/// The instructions of a core with float registers, for the thread MATH in kernels for the vector unit.
pub(super) const VECTOR_UNIT_MACHINE: &str = "-march=rv32imfd";

/// Says that the compiler knows where each condition of vector code ends. Without it, values take more registers.
pub(super) const FOLLOWED_CONDITIONS: &str = "-DHALLMARK_FOLLOWED_CONDITIONS";

/// Removes debug information: the compiler's own library contains some, and line tables are made from a link
/// without this flag.
pub(super) const STRIP_DEBUG: &str = "-Wl,--strip-debug";

/// Macros for debugging, and their headers. TT-Metalium's data movement API includes these headers, so a kernel that
/// names such a macro and does not define it gets its header, and so does a kernel with the API of objects, which checks
/// its arguments by assertions.
const DEBUG_API: [(&str, &str); 1] = [("ASSERT", "api/debug/assert.h")];

/// The functions that return a named argument, under upstream's names (`api/compile_time_args.h`). As upstream,
/// kernels without such arguments do not get them. An unknown name does not compile in a constant expression,
/// and traps elsewhere.
const NAMED_COMPILE_ARGUMENTS: &str = "\
namespace hallmark {
struct NamedCompileTimeArgument {
    const char* name;
    __UINT32_TYPE__ value;
};
constexpr NamedCompileTimeArgument named_compile_time_arguments[] = {KERNEL_COMPILE_TIME_ARG_MAP};
constexpr bool is_same_name(const char* one, const char* other) {
    while (*one != 0 && *one == *other) {
        ++one;
        ++other;
    }
    return *one == *other;
}
}  // namespace hallmark
[[gnu::always_inline]] constexpr inline __UINT32_TYPE__ get_named_compile_time_arg_val(const char* name) {
    for (const auto& argument : hallmark::named_compile_time_arguments) {
        if (hallmark::is_same_name(argument.name, name)) {
            return argument.value;
        }
    }
    __builtin_trap();
}
";

/// The flags of every link.
pub(super) const LINK_FLAGS: &[&str] = &[
    "-nostdlib",
    "-nostartfiles",
    "-static",
    "-Wl,--no-relax",
    "-Wl,--emit-relocs",
    "-Wl,--gc-sections",
    STRIP_DEBUG,
    "-Wl,--build-id=none",
    "-Wl,--fatal-warnings",
    "-Wl,-z,max-page-size=16",
];

/// The definitions of builds for a profile, each with its value: TT-Metalium's name, and the address of the
/// markers.
pub(super) fn profiler_definitions(place: MemoryRange) -> [String; 2] {
    ["PROFILE_KERNEL 1".to_owned(), format!("PROFILER_PLACE {:#x}", place.start)]
}

/// What a definition holds that may name files.
fn scanned((name, value): (&String, &String)) -> Scan {
    scan(format!("#define {name} {value}").as_bytes())
}

/// Whether a definition is a directive that no source may contain: `__has_include` under another name tells whether a file
/// exists.
fn asks_for_a_file(definition: (&String, &String)) -> bool {
    let mut found = scanned(definition).directives.into_iter();
    found.any(|it| matches!(it.kind, DirectiveKind::Refused(_)))
}

impl KernelBuildRequest {
    /// The build of a created kernel for one processor of a chip.
    pub fn of(
        call: &CreateKernel,
        architecture: Architecture,
        processor: Processor,
        sources: Arc<SourceClosure>,
    ) -> Self {
        Self {
            architecture,
            processor,
            sources,
            config: call.config.clone(),
            compile_args: call.compile_args.clone(),
            defines: call.defines.clone(),
            named_compile_args: call.named_compile_args.clone(),
            opt_level: call.opt_level,
            bindings: call.bindings.clone(),
            profiler: None,
        }
    }

    /// The build's key with a given compiler.
    pub fn key(&self, compiler_version: &str) -> KernelKey {
        let mut hasher = blake3::Hasher::new_derive_key("hallmark kernel build 1");
        let mut add = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        add(compiler_version.as_bytes());
        add(self.architecture.name().as_bytes());
        add(&headers::hash(self.architecture).0);
        for flag in COMMON_FLAGS.iter().chain(KERNEL_FLAGS).chain(LINK_FLAGS) {
            add(flag.as_bytes());
        }
        // Builds without a stated level keep the keys from before levels existed.
        if let Some(level) = self.opt_level {
            add(level.option().as_bytes());
        }
        // Builds without what these files hold also keep their earlier keys.
        let uses_object_api = self.uses_object_api();
        if uses_object_api {
            for flag in OBJECT_API_FLAGS {
                add(flag.as_bytes());
            }
        }
        if self.has_vectors() {
            add(VECTOR_UNIT_MACHINE.as_bytes());
            for flag in VECTOR_CODE_FLAGS {
                add(flag.as_bytes());
            }
            add(FOLLOWED_CONDITIONS.as_bytes());
        }
        let debugs = self.names_debug_api() || uses_object_api;
        let is_marked = self.names_markers() || self.profiler.is_some();
        for (additional, is_used) in [
            (Additional::Compute, self.uses_compute_api()),
            (Additional::VectorUnit, self.uses_vector_unit()),
            (Additional::ObjectApi, uses_object_api),
            (Additional::Debug, debugs),
            (Additional::Profiler, is_marked),
        ] {
            for (path, text) in additional.files().filter(|_| is_used) {
                add(path.as_bytes());
                add(text.as_bytes());
            }
        }
        add(self.prelude().as_bytes());
        // The text is part of the sources: only the way of its generation can change.
        if let Some(main) = self.generated_main() {
            add(main.as_bytes());
        }
        add(self.sources.path().as_bytes());
        for (path, bytes) in self.sources.files() {
            add(path.as_bytes());
            add(bytes);
        }
        KernelKey(ContentHash(*hasher.finalize().as_bytes()))
    }

    /// Whether the build uses the compute API for the Tensix coprocessor. Kernels of data movement have no such headers.
    pub(super) fn uses_compute_api(&self) -> bool {
        matches!(self.config, KernelConfig::Compute { .. }) && self.sources.uses_compute_api()
    }

    /// Whether the build uses the compute API for the vector unit.
    pub(super) fn uses_vector_unit(&self) -> bool {
        matches!(self.config, KernelConfig::Compute { .. }) && self.sources.uses_vector_unit()
    }

    /// Whether the code has vectors: MATH alone pushes instructions of the vector unit.
    pub(super) fn has_vectors(&self) -> bool {
        self.uses_vector_unit() && self.processor == Processor::Trisc1
    }

    /// Whether the build uses the headers of the API of objects. Definitions of generated names have their classes. As
    /// upstream, kernels that compute tiles have parts of the C++ library without naming them.
    pub(super) fn uses_object_api(&self) -> bool {
        self.sources.uses_object_api() || self.bindings.is_some() || self.uses_compute_api()
    }

    /// The `kernel_main` that is generated for a source with another entry. As upstream, the source must be that of a
    /// kernel with generated names.
    pub(super) fn generated_main(&self) -> Option<String> {
        self.bindings.as_ref()?;
        generated_main(self.sources.files().get(self.sources.path())?)
    }

    /// Whether the sources may use the headers for debugging.
    fn names_debug_api(&self) -> bool {
        self.names(b"api/debug/") || DEBUG_API.iter().any(|(name, _)| self.names(name.as_bytes()))
    }

    /// Whether a source contains this text.
    fn names(&self, text: &[u8]) -> bool {
        let mut files = self.sources.files().values();
        files.any(|file| memchr::memmem::find(file, text).is_some())
    }

    /// Whether the sources may contain profile markers. TT-Metalium's data movement API includes the markers'
    /// header.
    pub(super) fn names_markers(&self) -> bool {
        const NAMES: [&[u8]; 6] = [
            b"DeviceZoneScoped",
            b"DeviceZoneSetCounter",
            b"DeviceValidateProfiler",
            b"DeviceTimestampedData",
            b"DeviceRecordEvent",
            b"kernel_profiler",
        ];
        NAMES.iter().any(|name| self.names(name))
    }

    /// The name of the core's role in sources, as upstream spells it.
    pub(super) const fn processor_define(processor: Processor) -> &'static str {
        match processor {
            Processor::Brisc => "COMPILE_FOR_BRISC",
            Processor::Ncrisc => "COMPILE_FOR_NCRISC",
            Processor::Trisc0 => "UCK_CHLKC_UNPACK",
            Processor::Trisc1 => "UCK_CHLKC_MATH",
            Processor::Trisc2 => "UCK_CHLKC_PACK",
        }
    }

    pub(super) fn architecture_define(architecture: Architecture) -> &'static str {
        match architecture {
            Architecture::Grayskull => "ARCH_GRAYSKULL",
            Architecture::WormholeB0 => "ARCH_WORMHOLE",
            Architecture::Blackhole => "ARCH_BLACKHOLE",
        }
    }

    /// The text that is compiled before the kernel. It is a file and no set of options, so that values need no
    /// quoting and arguments have no limit.
    pub(super) fn prelude(&self) -> String {
        let mut text = String::from("#pragma once\n");
        let mut define = |name: &str, value: &str| {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "#define {name} {value}");
        };
        define(Self::architecture_define(self.architecture), "1");
        define(Self::processor_define(self.processor), "1");
        if self.uses_vector_unit() && self.architecture == Architecture::Blackhole {
            // The vendor's compiler defines it.
            define("__riscv_xtttensixbh", "1");
        }
        define("PROCESSOR_INDEX", &self.processor.index().to_string());
        match &self.config {
            KernelConfig::DataMovement { noc, .. } => {
                let index = match noc {
                    NocId::Noc0 => "0",
                    NocId::Noc1 => "1",
                };
                define("NOC_INDEX", index);
            }
            KernelConfig::Compute {
                math_fidelity,
                fp32_dest_acc_en,
                math_approx_mode,
                dst_full_sync_en,
                unpack_to_dest_mode,
                bfp8_pack_precise,
            } => {
                // Upstream's numbers: the number of passes as a bit pattern.
                let fidelity = match math_fidelity {
                    MathFidelity::LoFi => "0",
                    MathFidelity::HiFi2 => "2",
                    MathFidelity::HiFi3 => "3",
                    MathFidelity::HiFi4 => "4",
                };
                define(
                    "COMPILE_FOR_TRISC",
                    &(self.processor.index().saturating_sub(2)).to_string(),
                );
                define("MATH_FIDELITY", fidelity);
                define("DST_ACCUM_MODE", if *fp32_dest_acc_en { "true" } else { "false" });
                define("APPROX", if *math_approx_mode { "true" } else { "false" });
                define("NOC_INDEX", "0");
                // Builds of kernels without the compute API keep the keys from before these settings mattered.
                if self.uses_compute_api() {
                    define("HALLMARK_DST_FULL_SYNC", if *dst_full_sync_en { "1" } else { "0" });
                    define(
                        "HALLMARK_BFP8_PACK_PRECISE",
                        if *bfp8_pack_precise { "1" } else { "0" },
                    );
                    if !unpack_to_dest_mode.is_empty() {
                        let indices: Vec<String> =
                            unpack_to_dest_mode.keys().map(ToString::to_string).collect();
                        define("HALLMARK_UNPACK_TO_DST", &indices.join(","));
                    }
                }
            }
        }
        let args: Vec<String> = self.compile_args.iter().map(u32::to_string).collect();
        define("KERNEL_COMPILE_TIME_ARG_COUNT", &args.len().to_string());
        define("KERNEL_COMPILE_TIME_ARGS", &args.join(","));
        for (name, value) in &self.defines {
            define(name, value);
        }
        if !self.named_compile_args.is_empty() {
            let pairs = self.named_compile_args.iter();
            let pairs: Vec<String> =
                pairs.map(|(name, value)| format!("{{\"{name}\",{value}}}")).collect();
            define("KERNEL_COMPILE_TIME_ARG_MAP", &pairs.join(","));
            text.push_str(NAMED_COMPILE_ARGUMENTS);
        }
        if let Some(place) = self.profiler {
            for line in profiler_definitions(place) {
                let _ = writeln!(text, "#define {line}");
            }
        }
        if self.uses_compute_api() {
            // Upstream defines DST_SYNC_MODE in front of the kernel.
            text.push_str("#include \"hallmark/dst_sync.h\"\n");
        }
        for (name, header) in DEBUG_API {
            let is_used = self.uses_object_api() || self.names(name.as_bytes());
            if is_used && !self.names(format!("#define {name}").as_bytes()) {
                let _ = writeln!(text, "#include \"{header}\"");
            }
        }
        if self.names_markers() {
            text.push_str("#include \"api/debug/kernel_profiler.hpp\"\n");
        }
        if let Some(bindings) = &self.bindings {
            // Each kind has a form, and a capture with other values is refused. Without its text, a build fails by name.
            text.push_str(&BindingForms::own().headers(bindings).unwrap_or_default());
        }
        text
    }

    /// The first name of a compile-time argument that is no valid C++ string literal.
    pub(super) fn bad_argument_name(&self) -> Option<&str> {
        let mut names = self.named_compile_args.keys().map(String::as_str);
        names.find(|name| !hallmark_schema::is_argument_name(name))
    }

    /// Whether a macro could join words of the sources and the definitions to an operator that asks for a file.
    pub(super) fn can_ask_for_a_file(&self) -> bool {
        let mut pieces = self.sources.pieces().clone();
        self.defines.iter().for_each(|definition| pieces.extend(scanned(definition).pieces));
        pieces.can_ask()
    }

    /// The first definition that does not form a single line `#define NAME VALUE`, or one that no source may contain.
    pub(super) fn bad_define(&self) -> Option<&str> {
        self.defines
            .iter()
            .find(|(name, value)| {
                !hallmark_schema::is_definition(name, value)
                    || value.contains('\\')
                    || asks_for_a_file((name, value))
            })
            .map(|(name, _)| name.as_str())
    }
}
