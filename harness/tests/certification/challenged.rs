//! A challenge over tests of real suites: it replaces generated data, and models follow.

use std::collections::BTreeMap;

use hallmark_certification::lock::Lock;
use hallmark_certification::results::{Pass, ResultLine};
use hallmark_package::{LOCK, Limits, Package, RESULTS, json};
use hallmark_pipeline::verdict::Verdict;
use hallmark_schema::model::ContentHash;

use crate::common::text;
use crate::roots::{hallmark, part_of_the_repository, profile};

/// A few tests each of several suites. The last suite states its expected words itself.
const PROFILE: &str = "profile: challenged
edition: \"1\"
about: Tests with generated data.
subjects: [simulator]
devices:
  - { architecture: wormhole_b0, kinds: [sim], dispatch: [host, device] }
tests:
  suites:
    - dataflow::loopback::one_core::pages=1::page_size=32
    - queues::events::write_then_read
    - computing::matrices::sort
    - circular_buffers::pages::uneven_chunks::in=5::out=1
    - language::generators::bounded_integers
challenge: { required: true }
";

#[test]
fn models_follow_the_data_of_a_challenge() {
    let root = part_of_the_repository(&[
        "dataflow/loopback",
        "queues/events",
        "computing/matrices",
        "circular_buffers/pages",
        "language/generators",
    ]);
    profile(root.path(), "challenged", PROFILE);
    let done = |arguments: &[&str]| {
        let said = hallmark(root.path(), arguments);
        assert!(said.status.success(), "{}", text(&said));
    };
    done(&["certify", "challenge", "--own", "-o", "c.json"]);
    let challenged = ["--draft", "--challenge", "c.json"];
    done(&[["certify", "challenged"].as_slice(), &challenged].concat());

    // Without -o a package takes its profile's name.
    let bytes = std::fs::read(root.path().join("challenged.hallmark")).unwrap();
    let package = Package::read(&bytes, &Limits::default()).unwrap();
    let lock = Lock::read(package.file(LOCK).unwrap()).unwrap();
    let results: Vec<ResultLine> = json::read_lines(package.file(RESULTS).unwrap()).unwrap();
    assert!(results.iter().all(|result| result.verdict.0 == Verdict::Pass));
    let mut programs: BTreeMap<_, [Option<ContentHash>; 2]> = BTreeMap::new();
    for result in &results {
        let of_test = programs.entry((&result.run.test, result.run.dispatch)).or_default();
        of_test[usize::from(result.run.pass == Pass::Challenge)] = result.program;
    }
    let mut suites = BTreeMap::new();
    for ((test, _), [canonical, challenged]) in programs {
        let is_seeded = lock.test(test).unwrap().seeded;
        assert_eq!(challenged.is_some(), is_seeded, "{test}");
        assert_ne!(canonical, challenged, "{test}");
        *suites.entry(format!("{}::{}", test.group, test.suite)).or_default() |= is_seeded;
    }
    let unseeded: Vec<&String> =
        suites.iter().filter(|(_, is_seeded): &(_, &bool)| !**is_seeded).map(|it| it.0).collect();
    assert_eq!(unseeded, ["language::generators"]);
}
