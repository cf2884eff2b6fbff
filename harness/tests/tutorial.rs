//! The tutorial as a newcomer follows it: from an empty folder to a kernel, a suite, a golden and CI of their own.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "common/document.rs"]
mod document;

use std::path::Path;

use document::{command_line, text};

fn run(folder: &Path, line: &str) -> (i32, String) {
    let output = command_line(folder, line).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

/// The commands of `hallmark` in a workflow.
fn commands_of_hallmark(workflow: &str) -> Vec<String> {
    let commands = workflow.lines().filter_map(|line| line.trim().strip_prefix("- run: "));
    commands.filter(|command| command.starts_with("hallmark ")).map(str::to_owned).collect()
}

#[test]
fn a_new_root_runs_as_it_is_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join(".gitignore"), "/notes").unwrap();
    let (code, said) = run(here, "hallmark init");
    assert!(code == 0 && said.contains("next  hallmark run"), "{said}");
    assert_eq!(
        std::fs::read_to_string(here.join(".gitignore")).unwrap(),
        "/notes\n/target/\n/results/\n"
    );
    let (code, said) = run(here, "hallmark run");
    assert_eq!(code, 0, "the goldens came with it: {said}");
    assert!(said.contains("4 tests, every capture replayed"), "{said}");
    let (code, said) = run(here, "hallmark certify first");
    assert!(code == 0 && said.contains("2 tests, 4 runs") && said.contains("verified"), "{said}");
    let (code, said) = run(here, "hallmark doctor");
    assert!(code == 0 && said.contains("4 files"), "{said}");
    // What its CI does.
    let workflow = std::fs::read_to_string(here.join("hallmark-ci.yml")).unwrap();
    let commands = commands_of_hallmark(&workflow);
    assert_eq!(commands.len(), 1, "{commands:?}");
    for command in commands {
        let (code, said) = run(here, &command);
        assert_eq!(code, 0, "{command}: {said}");
        assert!(here.join("hallmark.xml").is_file());
    }
    // The schema lines of its suite and its conformance profile lead somewhere.
    assert!(here.join("suites/schema.json").is_file());
    assert!(here.join("suites/conformance-profile.schema.json").is_file());
    let suite = std::fs::read(here.join("suites/first/add_one.yaml")).unwrap();
    std::fs::write(here.join("suites/first/add_one.yaml"), b"mine").unwrap();
    let (code, said) = run(here, "hallmark init");
    assert!(code == 2 && said.contains("hallmark new suite GROUP/NAME"), "{said}");
    assert_eq!(std::fs::read(here.join("suites/first/add_one.yaml")).unwrap(), b"mine");
    std::fs::write(here.join("suites/first/add_one.yaml"), suite).unwrap();
    // Beside something else of that name nothing is written either.
    std::fs::create_dir(here.join("other")).unwrap();
    std::fs::write(here.join("other/hallmark-ci.yml"), b"mine").unwrap();
    let (code, said) = run(here, "hallmark init other");
    assert!(code == 2 && said.contains("other/hallmark-ci.yml already exists"), "{said}");
    assert!(!here.join("other/suites").exists());
    // In a folder of its own, with what is ignored left as it is.
    std::fs::create_dir(here.join("third")).unwrap();
    std::fs::write(here.join("third/.gitignore"), "results\ntarget/\n").unwrap();
    let (code, said) = run(here, "hallmark init third");
    assert!(code == 0 && said.contains("next  cd third && hallmark run"), "{said}");
    let kept = std::fs::read_to_string(here.join("third/.gitignore")).unwrap();
    assert_eq!(kept, "results\ntarget/\n");
}

#[test]
fn a_new_kernel_is_refused_where_it_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    assert_eq!(run(here, "hallmark init").0, 0);
    let (code, said) = run(here, "hallmark new kernel other/add_one");
    assert!(code == 2 && said.contains("suites/kernels/add_one.cpp already exists"), "{said}");
    assert!(!here.join("suites/other").exists());
    for wrong in ["steps", "a/b/c", "../x", "first/9x", "first/.x", "fragments/x"] {
        assert_eq!(run(here, &format!("hallmark new kernel {wrong}")).0, 2, "{wrong}");
    }
    let nowhere = tempfile::tempdir().unwrap();
    let (code, said) = run(nowhere.path(), "hallmark new kernel first/scale");
    assert!(code == 2 && said.contains("hallmark init"), "{said}");
}

mod with_compiler {
    use super::*;

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn the_tutorial_shows_what_is_printed() {
        let folder = tempfile::tempdir().unwrap();
        document::follow("suites/TUTORIAL.md", folder.path());
        // Its last step copied the workflow of `hallmark init`.
        let here = folder.path().join("first");
        let workflow = here.join(".github/workflows/hallmark.yml");
        let workflow = std::fs::read_to_string(workflow).unwrap();
        // A machine without the compiler runs the kernels that the tutorial committed.
        std::fs::remove_dir_all(here.join("target")).unwrap();
        for command in commands_of_hallmark(&workflow) {
            let (code, said) = run(&here, &command);
            assert_eq!(code, 0, "{command}: {said}");
        }
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_new_kernel_and_its_suite_run_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        std::fs::create_dir(here.join("suites")).unwrap();
        let (code, said) = run(here, "hallmark new kernel own/scale");
        assert!(code == 0 && said.contains("hallmark run suites/own/scale.yaml"), "{said}");
        let suite = std::fs::read_to_string(here.join("suites/own/scale.yaml")).unwrap();
        assert!(suite.starts_with("about:"), "no schema to name: {suite}");
        assert_eq!(run(here, "hallmark run suites/own/scale.yaml").0, 7, "no golden yet");
        let (code, said) = run(here, "hallmark bless suites/own/scale.yaml --yes");
        assert_eq!(code, 0, "{said}");
        let (code, said) = run(here, "hallmark run");
        assert!(code == 0 && said.contains("4 tests"), "{said}");
    }

    #[test]
    #[ignore = "needs the cross compiler gcc-riscv64-unknown-elf; run with: cargo nextest run --run-ignored only -E 'test(with_compiler)'"]
    fn a_new_compute_kernel_and_its_suite_run_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        assert_eq!(run(here, "hallmark init").0, 0);
        let (code, said) = run(here, "hallmark new kernel --compute own/product");
        assert!(code == 0 && said.contains("suites/kernels/product_reader.cpp"), "{said}");
        let (code, said) = run(here, "hallmark bless suites/own/product.yaml --yes");
        assert_eq!(code, 0, "{said}");
        let (code, said) = run(here, "hallmark run suites/own/product.yaml");
        assert!(code == 0 && said.contains("8 tests"), "{said}");
        // The model sees another product.
        let kernel = here.join("suites/kernels/product.cpp");
        let source = std::fs::read_to_string(&kernel).unwrap();
        let wrong =
            source.replace("matmul_init(cb_left, cb_right)", "matmul_init(cb_left, cb_right, 1)");
        assert_ne!(wrong, source);
        std::fs::write(&kernel, wrong).unwrap();
        let (code, said) = run(here, "hallmark run suites/own/product.yaml");
        assert!(code == 1 && said.contains("is not near"), "{said}");
    }
}
