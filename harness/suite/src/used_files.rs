//! The files that a test is made of: its suite and what that imports, its data, its kernels and what they include.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_runtime::device_code::SourceClosure;

use super::discover::{LoadedSuite, Root, SelectedTest};
use super::language::{Case, KernelSource};
use super::node::{load, texts_of_key};

/// The folder that the paths in suites begin at.
const SUITES: &str = "suites/";

/// The files of tests, found once for each suite, case and kernel.
#[derive(Debug)]
pub struct UsedFiles {
    root: Root,
    /// By suite and case.
    cases: BTreeMap<(String, String), Files>,
    known: Known,
}

/// Files that several cases share, by paths below `suites`.
#[derive(Debug, Default)]
struct Known {
    /// The imports and the data of each suite.
    suites: BTreeMap<String, BTreeSet<String>>,
    /// The closure of each kernel's source; `None` where the source or a file that it includes cannot be read.
    kernels: BTreeMap<String, Option<BTreeSet<String>>>,
}

/// The files of a case.
#[derive(Clone, Debug, Default)]
struct Files {
    /// Their paths below the root, with `/`.
    paths: BTreeSet<String>,
    /// Whether there may be others, because not every source could be read.
    may_have_more: bool,
}

impl UsedFiles {
    /// The files of a root's tests in their present state.
    pub fn new(root: Root) -> Self {
        Self { root, cases: BTreeMap::new(), known: Known::default() }
    }

    /// Whether a test uses one of some files, named by their paths below the root. Any file that is no suite may be one
    /// of a test whose sources could not all be read.
    pub fn has_one_of(&mut self, test: &SelectedTest, changed: &BTreeSet<String>) -> bool {
        let key = (test.suite().file.path(), test.name.case.clone());
        let Self { root, cases, known } = self;
        let files = cases.entry(key).or_insert_with(|| Files::of(root, known, test));
        let may_be = |path: &String| files.may_have_more && !path.ends_with(".yaml");
        changed.iter().any(|path| files.paths.contains(path) || may_be(path))
    }
}

impl Files {
    fn of(root: &Root, known: &mut Known, test: &SelectedTest) -> Self {
        let suite = test.suite();
        let path = suite.file.path();
        let Known { suites, kernels } = known;
        let shared = suites.entry(path.clone()).or_insert_with(|| imports_and_data(suite));
        let mut below = shared.clone();
        let mut may_have_more = false;
        for source in test.case().map(|case| sources(suite, case)).unwrap_or_default() {
            let closure = kernels.entry(source.clone()).or_insert_with(|| {
                let closure = SourceClosure::read(&root.suites(), &source).ok()?;
                Some(closure.files().keys().cloned().collect())
            });
            may_have_more |= closure.is_none();
            below.insert(source);
            below.extend(closure.iter().flatten().cloned());
        }
        let below = below.into_iter().map(|path| format!("{SUITES}{path}"));
        Self { paths: below.chain([path]).collect(), may_have_more }
    }
}

/// The files that a suite imports, and the data that it and they name.
fn imports_and_data(suite: &LoadedSuite) -> BTreeSet<String> {
    let imports = suite.suite.import.iter().flatten();
    let mut files: BTreeSet<String> = imports.map(|path| path.value.clone()).collect();
    for node in suite.texts().filter_map(|text| load(text, 0).ok()) {
        texts_of_key(&node, "file", &mut files);
    }
    files
}

/// The sources of the kernels that a case uses, itself, in its binaries and in the fragments that it uses.
fn sources(suite: &LoadedSuite, case: &Case) -> BTreeSet<String> {
    let binaries = case.used_binaries();
    let of_binaries = suite.binaries().filter(|(name, _)| binaries.contains(name));
    let of_binaries = of_binaries.flat_map(|(_, binary)| binary.steps.used_kernels());
    let names = case.used_kernels().into_iter().chain(of_binaries);
    let own = names.filter_map(|name| suite.suite.kernels.as_ref()?.get(name));
    let used = case.used_fragments().into_iter();
    let imported = used.filter_map(|name| suite.fragments().find(name));
    let of_fragments = imported.filter_map(|(file, _)| file.content.kernels.as_ref());
    let of_fragments = of_fragments.flat_map(|kernels| kernels.0.iter().map(|(_, kernel)| kernel));
    own.chain(of_fragments).map(|kernel: &KernelSource| kernel.source.value.clone()).collect()
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;

    use super::*;

    const SUITE: &str = "about: A suite.
import: [fragments/shared.yaml]
kernels:
  one: { source: kernels/one.cpp }
  two: { source: kernels/two.cpp }
cases:
  first:
    about: A case.
    steps:
      - create_program: { id: p }
      - create_kernel: { id: k, program: p, kernel: one, cores: [0, 0], processor: riscv_0 }
      - create_buffer: { id: b, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: b, data: { file: data/words.bin } }
  second:
    about: A case.
    matrix: { n: [1, 2] }
    steps:
      - create_program: { id: p }
      - create_kernel: { id: k, program: p, kernel: two, cores: [0, 0], processor: riscv_0 }
  third:
    about: A case.
    steps:
      - use: { fragment: piece }
";
    const FRAGMENTS: &str = "about: Steps.
kernels:
  three: { source: kernels/three.cpp }
fragments:
  piece:
    about: A program.
    steps:
      - create_program: { id: q }
      - create_kernel: { id: r, program: q, kernel: three, cores: [0, 0], processor: riscv_0 }
      - create_buffer: { id: c, type: dram, size: 64, page_size: 64 }
      - enqueue_write_buffer: { buffer: c, data: { file: data/shared.bin } }
";

    fn root() -> (tempfile::TempDir, Root) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("group/suite.yaml", SUITE),
            (
                "group/other.yaml",
                "about: Another.\ncases:\n  one:\n    about: A case.\n    steps: [create_program: { id: p }]\n",
            ),
            ("fragments/shared.yaml", FRAGMENTS),
            ("data/words.bin", "words"),
            ("data/shared.bin", "words"),
            ("kernels/one.cpp", "#include \"common.h\"\nvoid kernel_main() {}\n"),
            (
                "kernels/two.cpp",
                "#include \"common.h\"\n#include \"deep/two.h\"\nvoid kernel_main() {}\n",
            ),
            ("kernels/three.cpp", "void kernel_main() {}\n"),
            ("kernels/common.h", "\n"),
            ("kernels/deep/two.h", "#include \"inner.h\"\n"),
            ("kernels/deep/inner.h", "\n"),
            ("kernels/alone.h", "\n"),
        ] {
            let path = folder.path().join("suites").join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let root = Root::at(folder.path()).unwrap();
        (folder, root)
    }

    /// The tests that use a file.
    fn users(root: &Root, path: &str) -> Vec<String> {
        let changed = BTreeSet::from([format!("suites/{path}")]);
        let mut used = UsedFiles::new(root.clone());
        let suites = root.load_all().unwrap_or_else(|mistakes| panic!("{mistakes}"));
        let tests = suites.iter().flat_map(|suite| suite.tests(&[Architecture::Blackhole]));
        let users = tests.filter(|test| used.has_one_of(test, &changed));
        let name = |test: SelectedTest| test.name.to_string();
        users.map(name).map(|name| name.replace("blackhole::group::", "")).collect()
    }

    const FIRST: &str = "suite::first";
    const SECOND: [&str; 2] = ["suite::second::n=1", "suite::second::n=2"];
    const THIRD: &str = "suite::third";

    #[test]
    fn a_file_is_that_of_the_tests_that_use_it() {
        let (_folder, root) = root();
        let all = [&[FIRST], SECOND.as_slice(), &[THIRD]].concat();
        assert_eq!(users(&root, "group/suite.yaml"), all);
        assert_eq!(users(&root, "fragments/shared.yaml"), all);
        assert_eq!(users(&root, "data/words.bin"), all);
        assert_eq!(users(&root, "data/shared.bin"), all);
        assert_eq!(users(&root, "group/other.yaml"), ["other::one"]);
        assert_eq!(users(&root, "kernels/one.cpp"), [FIRST]);
        assert_eq!(users(&root, "kernels/two.cpp"), SECOND);
        assert_eq!(users(&root, "kernels/deep/inner.h"), SECOND);
        assert_eq!(users(&root, "kernels/three.cpp"), [THIRD]);
        assert_eq!(users(&root, "kernels/common.h"), [&[FIRST], SECOND.as_slice()].concat());
        assert_eq!(users(&root, "kernels/alone.h"), Vec::<String>::new());
    }

    /// A header that is gone may come back under any name.
    #[test]
    fn a_test_whose_sources_cannot_be_read_uses_any_file_but_suites() {
        let (folder, root) = root();
        std::fs::remove_file(folder.path().join("suites/kernels/deep/inner.h")).unwrap();
        assert_eq!(users(&root, "kernels/deep/inner.h"), SECOND);
        assert_eq!(users(&root, "kernels/alone.h"), SECOND);
        assert_eq!(users(&root, "group/other.yaml"), ["other::one"]);
    }
}
