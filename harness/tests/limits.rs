//! Limits at their edge: each maximum of a chip's table, the simulator or the host API has a case at it and a
//! case one past it, each axis by itself.
//!
//! `schema/src/tests/limits.rs` tests the schema's limits, from the list that declares them.
#![expect(clippy::unwrap_used, reason = "a failing helper fails its test")]

#[path = "common/repository.rs"]
mod repository;
#[path = "limits/requests.rs"]
mod requests;
#[path = "limits/table.rs"]
mod table;

use std::collections::BTreeSet;

use hallmark_chip::{Architecture, ChipDescription};
use hallmark_pipeline::golden;
use hallmark_runtime::{DispatchSettings, OpenError};
use hallmark_schema::model::FailureCode;
use hallmark_suite::discover::Root;
use repository::repository;
use table::{Case, LIMITS, Limit};

/// The maxima of a chip, by the names in its table. The pattern names all fields, so a new field must join one
/// of the two groups.
fn of_chip(chip: &ChipDescription) -> Vec<&'static str> {
    let ChipDescription {
        // Maxima that kernels and host programs may exceed.
        tensix_columns: _,
        tensix_rows: _,
        dram_banks: _,
        dram_bank_size: _,
        l1_size: _,
        noc_max_burst: _,
        private_memory,
        data_cache,
        circular_buffers: _,
        windows: _,
        noc,
        noc_grid: _,
        ethernet_tiles,
        ethernet_l1_size: _,
        pcie_host_size: _,
        bar_sizes: _,
        harvesting: _,
        overlay: _,
        // The rest: names, places and layouts.
        architecture: _,
        pci_id: _,
        column_names: _,
        row_names: _,
        raw_coordinates_below: _,
        harvests_rows: _,
        harvestable_on_die: _,
        harvested_from_the_last: _,
        harvested: _,
        dram_tiles: _,
        ethernet_firmware: _,
        arc_tile: _,
        arc_report: _,
        arc: _,
        translated_columns: _,
        translated_rows: _,
        rows_of_untranslated_columns: _,
        pcie_tile: _,
        pcie_place: _,
        pcie_host_base: _,
        pcie_direct_windows: _,
        l1_alignment: _,
        l1_bank_order: _,
        dram_alignment: _,
        instruction_set: _,
        kept_configuration: _,
        bar4_shows_bar0: _,
        host_noc_interfaces: _,
        tile_noc_interfaces: _,
        address_translation: _,
        window_noc_bits: _,
        reset: _,
        debug: _,
    } = chip;
    let mut limits = vec![
        "compute grid: columns",
        "compute grid: rows",
        "dram_banks",
        "dram_bank_size",
        "l1_size: allocation",
        "l1_size: a core's access",
        "l1_size: a request's own end",
        "l1_size: a multicast's other end",
        "noc_max_burst",
        "private_memory.size: BRISC",
        "private_memory.size: NCRISC",
        "private_memory.size: UNPACK",
        "private_memory.size: MATH",
        "private_memory.size: PACK",
        "circular_buffers",
        "windows: accesses",
        "windows: count",
        "noc.command_buffers",
        "overlay.streams",
        "noc_grid: columns",
        "noc_grid: rows",
        "pcie_host_size",
        "bar_sizes: BAR0",
        "bar_sizes: BAR2",
        "bar_sizes: BAR4",
        "harvesting: bits",
        "harvesting: rows or columns left",
    ];
    if !ethernet_tiles.is_empty() {
        limits.push("ethernet_l1_size");
    }
    if noc.offsets.outstanding_by_transaction.is_some() {
        limits.push("packet tag: transaction identifier");
    }
    if private_memory.ncrisc_instruction_ram.is_some() {
        limits.push("private_memory.ncrisc_instruction_ram");
    }
    if data_cache.is_some() {
        limits.push("data_cache.lines");
        limits.push("data_cache.line_size");
        limits.push("data_cache.hits_per_flush");
    }
    limits
}

/// Maxima of the simulator itself: registers and requests, on every chip.
const OF_SIMULATOR: &[&str] = &[
    "mailbox: words",
    "coprocessor's semaphore: greatest",
    "coprocessor's semaphore: least",
    "multicast: columns",
    "multicast: rows",
    "atomic: opcode",
    "request: least length",
];

/// Maxima at the opening of a device, by the checks that refuse more.
fn of_opening() -> Vec<&'static str> {
    let limits = |check: &&str| -> &[&str] {
        match *check {
            "OpenError::GridTooLarge" => &["open: columns", "open: rows"],
            "OpenError::CommandQueues" => &["open: command queues"],
            "OpenError::TraceRegion" => &["open: trace region"],
            "OpenError::L1Small" => &["open: L1_SMALL"],
            "OpenError::WorkerL1" => &["open: worker L1"],
            // These errors concern no number.
            "OpenError::Absent" | "OpenError::FirmwareArchitecture" | "OpenError::NoDispatcher" => {
                &[]
            }
            other => panic!("{other} is new: name its limits here, or say that it has none"),
        }
    };
    OpenError::CHECKS.iter().flat_map(limits).copied().collect()
}

/// The smallest and greatest numbers of dispatch on the device.
fn of_dispatch() -> Vec<&'static str> {
    let DispatchSettings {
        ring_size: _,
        completion_size: _,
        first_position: _,
        first_count: _,
        overlap: _,
    } = DispatchSettings::default();
    vec![
        "dispatch: ring_size",
        "dispatch: completion_size",
        "dispatch: first_position",
        "dispatch: first_count",
    ]
}

/// Failures of the host API that state a maximum, by their code.
fn of_host() -> Vec<&'static str> {
    let says_limit =
        |code: &&FailureCode| code.fields().iter().any(|field| field.name() == "limit");
    FailureCode::ALL.iter().filter(says_limit).map(|code| code.name()).collect()
}

#[test]
fn every_limit_has_its_cases_and_every_case_its_limit() {
    let mut limits: BTreeSet<&str> = OF_SIMULATOR.iter().copied().chain(of_host()).collect();
    limits.extend(of_opening().into_iter().chain(of_dispatch()));
    for &architecture in hallmark_sim::ARCHITECTURES {
        limits.extend(of_chip(ChipDescription::of(architecture)));
    }
    let listed: BTreeSet<&str> = LIMITS.iter().map(|limit| limit.name).collect();
    assert_eq!(listed.len(), LIMITS.len(), "a limit stands twice");
    assert_eq!(limits, listed);
    for Limit { name, at, past } in LIMITS {
        assert!(!at.is_empty() && !past.is_empty(), "{name} lacks a case at it or past it");
    }
    println!("{} limits", LIMITS.len());
}

/// The architectures whose table names a limit; all architectures for a limit outside the tables.
fn architectures_of(name: &str) -> Vec<Architecture> {
    let names = |chip: &ChipDescription| of_chip(chip).contains(&name);
    let chips = hallmark_sim::ARCHITECTURES.iter().copied();
    let with: Vec<_> = chips.clone().filter(|&one| names(ChipDescription::of(one))).collect();
    if with.is_empty() { chips.collect() } else { with }
}

/// Whether a test of a suite runs on a chip. A test that runs has a golden; a skipped one has none. Another
/// test checks that goldens belong to tests.
fn runs(architecture: Architecture, test: &str) -> bool {
    let root = Root::above(&repository()).unwrap();
    golden::path(&root, &format!("{architecture}::{test}").parse().unwrap()).is_file()
}

#[test]
fn the_cases_of_limits_exist_on_every_chip_that_has_the_limit() {
    for Limit { name, at, past } in LIMITS {
        for case in at.iter().chain(*past) {
            match case {
                Case::Suite(test) => {
                    for architecture in architectures_of(name) {
                        assert!(
                            runs(architecture, test),
                            "{name}: no test {test} on {architecture}"
                        );
                    }
                }
                Case::Unit { file, test } => {
                    let text = std::fs::read_to_string(repository().join(file)).unwrap();
                    let found = text.contains(&format!("#[test]\n    fn {test}("))
                        || text.contains(&format!("#[test]\nfn {test}("));
                    assert!(found, "{name}: {file} has no test {test}");
                }
            }
        }
    }
}
