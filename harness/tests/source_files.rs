//! Rules for source files: a file begins by saying what it holds, tests draw no values by chance, and no definition of a kernel
//! breaks a device header.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "common/repository.rs"]
mod repository;

use std::path::{Path, PathBuf};

use repository::repository;
use walkdir::WalkDir;

/// Every Rust file of the crates and scripts.
fn source_files() -> Vec<PathBuf> {
    let folders = ["harness", "runtime", "schema", "scripts"];
    let entries = folders.iter().flat_map(|folder| {
        WalkDir::new(repository().join(folder))
            .into_iter()
            .filter_entry(|entry| entry.file_name() != "target")
    });
    let paths = entries.map(|entry| entry.unwrap().into_path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// Whether a file begins with a module doc, or is written by a program.
fn says_what_it_holds(text: &str) -> bool {
    let generated = text.lines().take(2).any(|line| line.trim() == "// @generated");
    generated || text.starts_with("//! ")
}

#[test]
fn every_source_file_says_what_it_holds() {
    let files = source_files();
    assert!(files.contains(&repository().join("harness/tests/source_files.rs")));
    let silent: Vec<&PathBuf> = files
        .iter()
        .filter(|path| !says_what_it_holds(&std::fs::read_to_string(path).unwrap()))
        .collect();
    assert!(silent.is_empty(), "files that do not begin with a `//!` doc: {silent:#?}");
}

#[test]
fn a_file_without_a_doc_is_found() {
    assert!(says_what_it_holds("//! Where pages lie.\n\nuse std::fmt;\n"));
    assert!(says_what_it_holds("// Written by a script.\n// @generated\n\nuse std::fmt;\n"));
    assert!(!says_what_it_holds("use std::fmt;\n\n//! Where pages lie.\n"));
    assert!(!says_what_it_holds("// Where pages lie.\nuse std::fmt;\n"));
    assert!(!says_what_it_holds("//!\n"));
    assert!(!says_what_it_holds(""));
}

/// Names by which Rust code, a shell or Python gets values that differ from run to run.
const SOURCES_OF_CHANCE: [&str; 11] = [
    "RandomState",
    "thread_rng",
    "rand::rng()",
    "rand::random",
    "from_os_rng",
    "from_entropy",
    "OsRng",
    "getrandom",
    "/dev/urandom",
    "$RANDOM",
    "SystemTime::now",
];

/// The part of a file that tests are made of: all of a test's file, and what follows `#[cfg(test)]` in another.
fn tests_of<'t>(path: &Path, text: &'t str) -> &'t str {
    let is_test = |name: &std::ffi::OsStr| {
        let name = name.to_string_lossy();
        name == "tests" || name == "tests.rs" || name.ends_with("_tests.rs")
    };
    if path.extension().is_none_or(|extension| extension != "rs") || path.iter().any(is_test) {
        text
    } else {
        text.find("#[cfg(test)]").and_then(|start| text.get(start..)).unwrap_or_default()
    }
}

/// The lines of tests that draw a value without a seed.
fn draws(text: &str) -> Vec<&str> {
    let draws = |line: &&str| {
        let by_chance = line.split("chance=").skip(1).any(|behind| {
            // A share that is written out, or put in; a name alone is not a device that draws.
            let is_share = |share: char| share.is_ascii_digit() || share == '{';
            behind.starts_with(is_share) && !behind.contains(":seed=")
        });
        by_chance || SOURCES_OF_CHANCE.iter().any(|source| line.contains(source))
    };
    text.lines().filter(draws).collect()
}

/// Only reads and writes the names of devices, and opens none.
const NAMES_ALONE: [&str; 2] =
    ["runtime/devices/src/misbehaving/spec.rs", "harness/tests/source_files.rs"];

#[test]
fn no_test_draws_values_without_a_seed() {
    let suites = WalkDir::new(repository().join("suites")).into_iter();
    let suites = suites.map(|entry| entry.unwrap().into_path());
    let suites = suites.filter(|path| path.extension().is_some_and(|it| it == "yaml"));
    let mut found = Vec::new();
    for path in source_files().into_iter().chain(suites) {
        let name = path.strip_prefix(repository()).unwrap().to_owned();
        if !NAMES_ALONE.iter().any(|known| name == Path::new(known)) {
            let text = std::fs::read_to_string(&path).unwrap();
            let lines = draws(tests_of(&name, &text)).into_iter().map(str::to_owned);
            found.extend(lines.map(|line| (name.clone(), line)));
        }
    }
    assert!(found.is_empty(), "give these a seed: {found:#?}");
    // Property tests have one seed for all files, which cargo sets.
    let cargo = std::fs::read_to_string(repository().join(".cargo/config.toml")).unwrap();
    assert!(cargo.contains("\nPROPTEST_RNG_SEED = "), "{cargo}");
}

#[test]
fn a_test_that_draws_values_is_found() {
    for line in [
        "let bad = \"misbehaving:dies:blackhole:chance=0.6\";",
        "let bad = format!(\"{device}:chance={chance}\");",
        "    device: misbehaving:dies:blackhole:nth=1:chance=1",
        "let two = [\"a:chance=0.6:seed=1\", \"b:chance=0.6\"];",
        "let number = RandomState::new().hash_one(0);",
        "let now = SystemTime::now();",
    ] {
        assert_eq!(draws(line), [line]);
    }
    for line in ["\"a:chance=0.6:seed=1\"", "`chance=` needs `seed=`", "let chance = 0.6;"] {
        assert_eq!(draws(line), [""; 0], "{line}");
    }
    let source = "let random = RandomState::new();\n#[cfg(test)]\nmod tests {\n    thread_rng()\n}";
    let found = |path: &str| draws(tests_of(Path::new(path), source)).len();
    assert_eq!(found("runtime/src/host.rs"), 1);
    for path in ["harness/tests/a.rs", "runtime/src/host/tests.rs", "schema/src/line_tests.rs"] {
        assert_eq!(found(path), 2, "{path}");
    }
}

/// The parameters of templates in a device header that consist of capitals, as the definitions of kernels do.
fn parameters_in_capitals(text: &str) -> Vec<&str> {
    let heads = text.split("template <").skip(1).filter_map(|behind| {
        let mut depth = 1;
        let end = behind.find(|letter| {
            depth += i32::from(letter == '<') - i32::from(letter == '>');
            depth == 0
        });
        behind.get(..end?)
    });
    let parameters = heads.flat_map(|head| head.split(','));
    let names = parameters.filter_map(|parameter| {
        let declared = parameter.split(" = ").next()?;
        declared.split_once(' ')?.1.rsplit([' ', '.']).next()
    });
    let is_in_capitals = |name: &&str| {
        name.len() > 1
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    names.filter(is_in_capitals).collect()
}

/// `defines` of a kernel hold in the headers as well: `INDEX` or `SIZE` would break a header that has a parameter of that name.
#[test]
fn no_definition_of_a_kernel_breaks_a_template() {
    let headers = WalkDir::new(repository().join("runtime/firmware")).into_iter();
    let mut templates = 0;
    let mut found = Vec::new();
    for path in headers.map(|entry| entry.unwrap().into_path()).filter(|path| path.is_file()) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        templates += text.matches("template <").count();
        found.extend(
            parameters_in_capitals(&text).into_iter().map(|name| (path.clone(), name.to_owned())),
        );
    }
    assert!(templates > 500, "{templates}");
    assert!(found.is_empty(), "name these as constants (`kIndex`) or types (`Index`): {found:#?}");
}

#[test]
fn a_parameter_in_capitals_is_found() {
    for (text, names) in [
        ("template <uint32_t INDEX>\nvoid f();", &["INDEX"][..]),
        ("template <typename T, typename... ARGS, bool kWide = DST_ACCUM_MODE>", &["ARGS"]),
        ("template <array<int, 2> VALUES, std::size_t... PLACES>", &["VALUES", "PLACES"]),
        ("template <uint32_t kIndex = INDEX, typename Size>\nint SIZE;", &[]),
        ("template <>\nstruct Numbers<SIZE> {};", &[]),
    ] {
        assert_eq!(parameters_in_capitals(text), names, "{text}");
    }
}
