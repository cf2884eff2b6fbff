//! The files that `hallmark init` writes, embedded in the executable. They form a root of their own beside this
//! file: `hallmark kernels --root FOLDER build` and `hallmark bless --root` make its kernels and goldens.

macro_rules! embedded {
    ($($path:literal),* $(,)?) => {
        /// Path relative to the root, and content.
        pub(super) static FILES: &[(&str, &[u8])] =
            &[$(($path, include_bytes!(concat!("starting_root/", $path)))),*];
    };
}

embedded! {
    "goldens/blackhole/first/add_one/in_place/pages=1.lmb",
    "goldens/blackhole/first/add_one/in_place/pages=7.lmb",
    "goldens/wormhole_b0/first/add_one/in_place/pages=1.lmb",
    "goldens/wormhole_b0/first/add_one/in_place/pages=7.lmb",
    "hallmark-ci.yml",
    "hallmark.toml",
    "suites/conformance-profiles/first.yaml",
    "suites/first/add_one.yaml",
    "suites/kernels/add_one.cpp",
    "suites/kernels/prebuilt/blackhole.lock",
    "suites/kernels/prebuilt/blackhole/01b5abd7cd06b4df486c8b9e40582f5fbc42c80181b34cdef4480cbb08ab3b24.elf",
    "suites/kernels/prebuilt/blackhole/17f2986698296fbb09c85533cb8466cdc40fd481a115f927e082f1e98ebd8f04.lines",
    "suites/kernels/prebuilt/wormhole_b0.lock",
    "suites/kernels/prebuilt/wormhole_b0/367ecddca5cf7fa2b332b4e3e7635b8619589ac39c02987fc5767a78aab44611.elf",
    "suites/kernels/prebuilt/wormhole_b0/766388a59fac9db7fd386ec779a10be63e92445c32b37c0e4bb6d5514c31ef0a.lines",
}

/// The kernel's name in its suite.
pub(crate) const KERNEL_NAME: &str = "add_one";

/// The kernel's source.
pub(crate) const KERNEL: &str = include_str!("starting_root/suites/kernels/add_one.cpp");

/// The suite that runs the kernel. Its first line names the schema for editors.
pub(crate) const SUITE: &str = include_str!("starting_root/suites/first/add_one.yaml");

#[cfg(test)]
mod tests {
    use std::path::Path;

    use walkdir::WalkDir;

    use super::*;

    #[test]
    fn every_file_of_the_folder_is_embedded() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/init/starting_root");
        let entries = WalkDir::new(&root).into_iter().filter_entry(|it| it.file_name() != "target");
        let mut found: Vec<String> = entries
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| entry.path().strip_prefix(&root).unwrap().display().to_string())
            .collect();
        found.sort();
        let listed: Vec<&str> = FILES.iter().map(|(path, _)| *path).collect();
        assert_eq!(listed, found);
    }
}
