//! Rebuilds the firmware bundles, the generated C++ header and the kernels of the runtime's own tests, or
//! checks that the committed ones are what this compiler makes of the sources. Run by `scripts/device-code`.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a command for developers that shares a module with the tests"
)]

use std::path::Path;
use std::process::ExitCode;

use hallmark_chip::Architecture;
use hallmark_runtime::device_code::{
    Compiler, KernelStore, PrebuiltUse, build_firmware, dispatch_abi_header, launch_abi_header,
    profiler_abi_header,
};

#[path = "../tests/common/kernels.rs"]
mod kernels;

fn main() -> ExitCode {
    match run(std::env::args().nth(1).as_deref() == Some("--check")) {
        Ok(changed) if changed.is_empty() => ExitCode::SUCCESS,
        Ok(changed) => {
            changed.iter().for_each(|file| eprintln!("differs: {file}"));
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("device-code: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(check: bool) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("firmware");
    let compiler =
        Compiler::find().ok_or_else(|| format!("no RISC-V compiler: {}", Compiler::INSTALL))?;
    let pinned = root.join("compiler.txt");
    let locked = std::fs::read_to_string(&pinned).unwrap_or_default();
    if check && locked.trim_end() != compiler.version() {
        return Err(format!(
            "the bundle was built with {}; here is {}",
            locked.trim_end(),
            compiler.version()
        )
        .into());
    }
    let mut changed = Vec::new();
    let headers = [
        ("dispatch_abi.h", dispatch_abi_header()),
        ("include/hallmark/launch_abi.h", launch_abi_header()),
        ("profiler/hallmark/profiler_abi.h", profiler_abi_header()),
    ];
    for (name, text) in headers {
        let header = root.join(name);
        if std::fs::read_to_string(&header)? == text {
            continue;
        }
        if !check {
            // The headers are inside this executable: it has to be built again to compile them.
            std::fs::write(&header, text)?;
            return Err(format!("{name} was out of date and is rewritten; run again").into());
        }
        changed.push(header.display().to_string());
    }
    for architecture in Architecture::ALL {
        bundle(&compiler, architecture, &root, check, &mut changed)?;
    }
    let store = KernelStore::builder()
        .prebuilt(kernels::prebuilt())
        .compiler(Some(compiler.clone()))
        .build();
    let prebuilt = if check { PrebuiltUse::CHECK_ALL } else { PrebuiltUse::Complete };
    for file in store.build_all(&kernels::listed(), prebuilt)?.changed {
        if check {
            changed.push(file.display().to_string());
        } else {
            println!("wrote or removed {}", file.display());
        }
    }
    if !check {
        std::fs::write(&pinned, format!("{}\n", compiler.version()))?;
    }
    Ok(changed)
}

fn bundle(
    compiler: &Compiler,
    architecture: Architecture,
    root: &Path,
    check: bool,
    changed: &mut Vec<String>,
) -> Result<(), Box<dyn std::error::Error>> {
    let bundle = root.join("bundles/hallmark-1").join(architecture.name());
    let fresh = tempfile::tempdir()?;
    build_firmware(compiler, architecture, root, fresh.path())?;
    for entry in std::fs::read_dir(fresh.path())? {
        let entry = entry?;
        let committed = bundle.join(entry.file_name());
        let bytes = std::fs::read(entry.path())?;
        if std::fs::read(&committed).ok().as_ref() == Some(&bytes) {
            continue;
        }
        if check {
            changed.push(committed.display().to_string());
        } else {
            std::fs::create_dir_all(&bundle)?;
            std::fs::write(&committed, bytes)?;
            println!("wrote {}", committed.display());
        }
    }
    Ok(())
}
