//! The kernels of the runtime's own tests. `kernels/builds.jsonl` lists those that no suite builds.
//! `scripts/device-code` prebuilds them beside the list, so tests need no compiler.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hallmark_chip::{Architecture, Processor};
use hallmark_runtime::device_code::{
    BuiltKernel, KernelBuildError, KernelBuildRequest, KernelStore, SourceClosure,
};
use hallmark_runtime::{KernelBinaries, KernelLibrary, KernelProblem, KernelRequest};
use hallmark_schema::model::KernelConfig;
use serde::{Deserialize, Serialize};

const ARCHITECTURE: Architecture = Architecture::WormholeB0;

/// A line of the list.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Build {
    /// The source folder, relative to this repository's root.
    folder: String,
    source: String,
    config: KernelConfig,
    compile_args: Vec<u32>,
    defines: BTreeMap<String, String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folder of the tests' own prebuilt kernels.
pub fn prebuilt() -> PathBuf {
    root().join("runtime/tests/kernels/prebuilt")
}

/// All builds in the list.
pub fn listed() -> Vec<KernelBuildRequest> {
    let list = std::fs::read_to_string(root().join("runtime/tests/kernels/builds.jsonl")).unwrap();
    let builds = list.lines().map(|line| serde_json::from_str::<Build>(line).unwrap());
    builds.flat_map(|build| build.requests(ARCHITECTURE)).collect()
}

impl Build {
    fn requests(&self, architecture: Architecture) -> Vec<KernelBuildRequest> {
        let closure = SourceClosure::read(&root().join(&self.folder), &self.source).unwrap();
        let sources = Arc::new(closure);
        let request = |processor| KernelBuildRequest {
            architecture,
            processor,
            sources: Arc::clone(&sources),
            config: self.config.clone(),
            compile_args: self.compile_args.clone(),
            defines: self.defines.clone(),
            named_compile_args: BTreeMap::new(),
            opt_level: None,
            bindings: None,
            profiler: None,
        };
        self.config.processors().iter().copied().map(request).collect()
    }
}

/// Prebuilt kernels, those of the suites first, without a compiler.
pub struct TestKernels {
    folder: &'static str,
    architecture: Architecture,
}

impl TestKernels {
    /// Uses sources from a folder of this repository.
    pub fn new(folder: &'static str) -> Self {
        Self::of(folder, ARCHITECTURE)
    }

    /// Uses sources for an architecture and compiles a kernel without a prebuilt ELF.
    pub fn of(folder: &'static str, architecture: Architecture) -> Self {
        Self { folder, architecture }
    }

    /// The builds of a kernel, one for each of its processors.
    pub fn builds(
        &self,
        source: &str,
        config: &KernelConfig,
        compile_args: &[u32],
        defines: &BTreeMap<String, String>,
    ) -> Vec<(Processor, BuiltKernel)> {
        let build = Build {
            folder: self.folder.to_owned(),
            source: source.to_owned(),
            config: config.clone(),
            compile_args: compile_args.to_vec(),
            defines: defines.clone(),
        };
        let kernel = |request: KernelBuildRequest| {
            if self.architecture != ARCHITECTURE {
                let store = KernelStore::builder().build();
                return (request.processor, store.kernel(&request).unwrap());
            }
            let found = stores()
                .iter()
                .map(|store| store.kernel(&request))
                .find(|found| !matches!(found, Err(KernelBuildError::NoCompiler { .. })));
            match found {
                Some(Ok(kernel)) => (request.processor, kernel),
                Some(Err(error)) => panic!("{error}"),
                None => {
                    let line = serde_json::to_string(&build).unwrap();
                    panic!(
                        "a kernel is not prebuilt; with the cross compiler installed, add this line \
                         to runtime/tests/kernels/builds.jsonl and run scripts/device-code:\n{line}"
                    )
                }
            }
        };
        build.requests(self.architecture).into_iter().map(kernel).collect()
    }
}

impl KernelLibrary for TestKernels {
    fn kernel(&mut self, request: &KernelRequest<'_>) -> Result<KernelBinaries, KernelProblem> {
        let KernelRequest { source, config, compile_args, defines, .. } = *request;
        let builds = self.builds(source, config, compile_args, defines);
        let closure = SourceClosure::read(&root().join(self.folder), source).unwrap();
        let sources = closure.files().iter();
        let sources = sources.map(|(path, bytes)| (path.clone(), Arc::clone(bytes))).collect();
        Ok(KernelBinaries { sources, builds })
    }
}

fn stores() -> [KernelStore; 2] {
    [root().join("suites/kernels/prebuilt"), prebuilt()]
        .map(|folder| KernelStore::builder().prebuilt(folder).compiler(None).build())
}
