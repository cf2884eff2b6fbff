//! Suites on harvested chips: the remaining grid, the same kernels, and the refusals.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod common;

use std::collections::BTreeSet;

use common::{command, repository, text};
use hallmark_chip::{Architecture, ChipDescription, HarvestingMask};
use hallmark_schema::commands;
use hallmark_schema::model::Command;
use hallmark_suite::discover::{Root, SelectedTest};

const WHOLE_GRID: &str = "dataflow::core_ranges::whole_grid::processor=riscv_0";

fn hallmark(arguments: &[&str]) -> (i32, String) {
    let root = repository();
    let output = command(&root).args(arguments).output().unwrap();
    (output.status.code().unwrap(), text(&output))
}

/// The inputs of the kernel builds.
fn builds(test: &SelectedTest, chip: &'static ChipDescription) -> BTreeSet<String> {
    let bound = test.measure_on(chip).unwrap();
    let builds = bound.case.steps.iter().filter_map(|step| match &step.command {
        Command::CreateKernel(commands::CreateKernel {
            source,
            config,
            compile_args,
            defines,
            ..
        }) => Some(format!("{source} {config:?} {compile_args:?} {defines:?}")),
        _ => None,
    });
    builds.collect()
}

/// Coordinates of banks and cores are runtime arguments, so that one ELF serves every mask.
#[test]
fn no_mask_needs_another_kernel() {
    let root = Root::above(&repository()).unwrap();
    let suites = root.load_all().unwrap();
    for (architecture, mask) in [
        (Architecture::Grayskull, 0x201),
        (Architecture::WormholeB0, 0x120),
        (Architecture::Blackhole, 0x81),
    ] {
        // A quarter of the tests, of each case at least one.
        let of_case = |test: &SelectedTest| (test.suite().file.clone(), test.name.case.clone());
        let mut seen = BTreeSet::new();
        let tests: Vec<_> = suites
            .iter()
            .flat_map(|suite| suite.tests(&[architecture]))
            .enumerate()
            .filter(|(at, test)| seen.insert(of_case(test)) || at % 4 == 0)
            .map(|(_, test)| test)
            .collect();
        let applies = |test: &&SelectedTest| {
            test.conditions().is_none_or(|conditions| conditions.admits(architecture))
        };
        let whole = ChipDescription::of(architecture);
        let known: BTreeSet<String> =
            tests.iter().filter(applies).flat_map(|test| builds(test, whole)).collect();
        let chip = ChipDescription::harvested(architecture, HarvestingMask(mask)).unwrap();
        let mut count = 0;
        for test in tests.iter().filter(applies).filter(|test| test.misfit(chip).is_none()) {
            let others: Vec<String> = builds(test, chip).difference(&known).cloned().collect();
            assert!(others.is_empty(), "{} on {mask:#x}: {others:?}", test.name);
            count += 1;
        }
        assert!(count > 400, "only {count} tests fit {architecture} with {mask:#x}");
    }
}

#[test]
fn a_run_says_what_is_fused_off_and_that_goldens_are_left_out() {
    let device = "wormhole_b0=sim:wormhole_b0:harvested=0x120";
    let suite = "suites/dataflow/core_ranges.yaml";
    let (code, text) = hallmark(&["run", suite, "--filter", WHOLE_GRID, "--device", device]);
    assert_eq!(code, 0, "{text}");
    let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    for said in [
        "wormhole_b0 sim, 0x120 harvested 1 pass",
        "blackhole sim 1 pass",
        "goldens are of whole chips and left out on wormhole_b0, elsewhere capture bytes equal them",
    ] {
        assert!(text.contains(said), "{said:?} in {text}");
    }
}

#[test]
fn what_makes_no_sense_on_a_harvested_chip_is_refused() {
    let device = "sim:wormhole_b0:harvested=0x120";
    let test = format!("wormhole_b0::{WHOLE_GRID}");
    let (code, text) = hallmark(&["bless", "--dry-run", &test, "--device", device]);
    assert!(code == 2 && text.contains("goldens are of whole chips"), "{text}");
    let both = format!("sim:wormhole_b0,{device}");
    let (code, text) = hallmark(&["compare", "--devices", &both, "--exact", &test]);
    assert!(code == 2 && text.contains("8×9 and 8×7"), "{text}");
    // Two masks with one grid are compared.
    let both = format!("sim:wormhole_b0:harvested=0x3,{device}");
    let (code, text) = hallmark(&["compare", "--devices", &both, "--exact", &test]);
    assert!(code == 0 && text.contains("1 equal, 0 differ"), "{text}");
    let (code, text) = hallmark(&["run", &test, "--device", "sim:wormhole_b0:harvested=0x400"]);
    assert!(code == 2 && text.contains("bits above 0x3ff"), "{text}");
    // No suite covers rows that moved on a chip without translation.
    let device = "sim:grayskull:harvested=0x1";
    let test = format!("grayskull::{WHOLE_GRID}");
    let (code, text) = hallmark(&["run", &test, "--device", device]);
    assert!(code == 0 && text.contains("needs fixed_coordinates, which sim lacks"), "{text}");
}
