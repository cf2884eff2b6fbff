//! The host's view of the programs that run on the baby cores: the firmware bundle, the launch block through which host
//! and device code meet, kernel ELFs, and the builds of kernels.
//!
//! # Line tables
//!
//! Each kernel has a line table (`line_table.rs`). The table says which source lines each instruction comes from,
//! inlined functions included. It is made from the debug information of a second link of the same objects, so no byte
//! of an ELF depends on it. Prebuilt tables are files beside the ELFs, named by the key of the build, and a capture's
//! record holds the tables of its kernels. When a device stops, the engine looks up addresses in these tables. Faults,
//! waits and positions carry the source lines.
//!
//! A table has at most 2 KiB; the table of a large kernel leaves inlined functions out. All prebuilt tables together
//! have at most 4 MiB. `hallmark kernels check` compares the tables and checks both limits.
//!
//! # Headers for debugging
//!
//! The headers in `runtime/firmware/debug` belong to the builds of the kernels that name something of them, and no other
//! kernel's key depends on them. What a report needs of such a kernel, such as the text of an assertion
//! (`assertions.rs`), stands in sections of its ELF that no device loads. A capture holds the ELF.
//!
//! A kernel that prints has a ring of words in its image ([`PrintBlock`]), from which the host takes messages while the
//! device runs. A message names its format by number; the host has the formats (`printed_texts.rs`), reads messages
//! (`printed_message.rs`) and formats them (`printed_format.rs`).
//!
//! # Words shared with device code
//!
//! `launch_block.rs`, [`dispatch_abi`] and [`profiler_abi`] are the only source of the words that host and device code
//! share; `scripts/device-code` generates the C++ headers from them. No kernel includes the header of the dispatch ABI.
//! A change of that ABI therefore rebuilds the firmware bundle and no kernel.
//!
//! # Builds of kernels
//!
//! A kernel is built from its closure alone (`source_closure.rs`, `directives.rs`): the files lie in a folder of their
//! own, the compiler can open no others where the system confines it (`confinement.rs`), and the lists of the files that
//! compiler and assembler have read are compared with the closure (`dependencies.rs`).
//!
//! Names that a program binds are defined by generated text ([`bindings`]), which is compiled before the kernel.
//!
//! A bundle can be put together from the files of two (`bundle_files.rs`): triage exchanges single images in this way.

mod assertions;
pub mod bindings;
mod bundle;
mod bundle_files;
mod bundle_layout;
mod circular_buffer_table;
mod compiler_messages;
#[cfg(test)]
mod compiler_messages_tests;
mod confinement;
mod defects;
mod dependencies;
mod directives;
mod disassembly;
pub mod dispatch_abi;
mod dwarf_lines;
mod earlier_objects;
mod headers;
mod kernel_build;
mod kernel_elf;
mod kernel_end;
mod kernel_lock;
mod kernel_store;
mod launch_block;
mod leftovers;
mod lexical;
#[cfg(test)]
mod limit_tests;
mod limits;
mod line_table;
mod links;
mod missing_header;
mod own_kernels;
mod printed_format;
mod printed_message;
mod printed_texts;
mod printed_tile;
mod private_memory;
pub mod profiler_abi;
mod profiler_markers;
pub mod promises;
mod source_closure;
pub mod temporary;
mod toolchain;
mod vector_registers;
mod waited_word;

pub use assertions::{Assertion, EBREAK};
pub use bundle::{
    BundleError, BundleProblem, DataCacheState, FirmwareBundle, FirmwareImage, Limits, Manifest,
    ManifestDispatch, ManifestImage, MemoryRange, PrivateSplit, TileMemoryMap,
};
pub use bundle_files::{BundleFiles, BundleImage};
pub use compiler_messages::{Diagnostic, FirstDiagnostics, Severity, first_diagnostics};
pub use defects::{DEFECTS, DevicePatch};
pub use directives::RefusedDirective;
pub use disassembly::disassemble;
pub use dispatch_abi::DISPATCH_ABI;
pub use dwarf_lines::DebugInformationError;
pub use headers::vector_headers;
pub use kernel_build::VECTOR_CODE_FLAGS;
pub use kernel_build::{KernelBuildRequest, KernelKey};
pub use kernel_elf::{KernelElfError, KernelImage, SymbolTable};
pub use kernel_lock::{KernelLock, KernelLockError, LockedKernel};
pub use kernel_store::{
    BuildNews, BuildReport, BuiltKernel, KernelBuildError, KernelStore, KernelStoreBuilder,
    PrebuiltUse,
};
pub use launch_block::{
    BankTables, BankTablesError, BootStatus, CircularBufferSlot, LAUNCH_ABI, LaunchBlock, Mailbox,
    NocBank, ProcessorLaunch, SEMAPHORE_STRIDE,
};
pub use leftovers::{LeftoverPlaces, ring_values, waypoint_text};
pub use lexical::lexical;
pub use line_table::{LineTable, LineTableError};
pub use links::refuse_links;
pub use missing_header::MissingHeader;
pub use printed_message::PrintBlock;
pub use profiler_markers::{MarkedLaunch, MarkedZone, Marker, MarkersError, ZoneName};
pub use source_closure::{
    SourceClosure, SourceClosureError, UnreadDirective, includes, includes_in_folders, normalize,
};
pub use toolchain::{
    Compiler, FirmwareBuildError, ToolchainError, build_firmware, profiled_firmware,
};
pub use vector_registers::TOO_MANY_VECTORS;
pub use waited_word::{NocCounter, WaitedWord};

/// The C++ header with the numbers that the host and dispatch firmware share.
pub fn dispatch_abi_header() -> String {
    dispatch_abi::c_header()
}

/// The C++ header with the numbers that the host and profiled builds share.
pub fn profiler_abi_header() -> String {
    profiler_abi::c_header()
}

/// The C++ header with the offsets of [`LaunchBlock`], [`Mailbox`] and [`BankTables`].
pub fn launch_abi_header() -> String {
    launch_block::c_header()
}

/// A C++ header with the constants of one of these files, and the path that it states as its source.
fn c_header_of(file: &str, constants: &[(&str, u32)]) -> String {
    let mut text = format!(
        "// Generated from {file} by scripts/device-code; do not edit.\n\
         #pragma once\n\n#include <stdint.h>\n\nnamespace hallmark {{\n\n"
    );
    for (name, value) in constants {
        text.push_str(&format!("inline constexpr uint32_t {name} = {value:#x};\n"));
    }
    text.push_str("\n}  // namespace hallmark\n");
    text
}
