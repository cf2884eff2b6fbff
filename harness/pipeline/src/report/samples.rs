//! Sample results of a run, for tests of the report formats.

use std::collections::BTreeMap;
use std::time::Duration;

use hallmark_chip::{Architecture, KernelRuns};
use hallmark_execution::executor::Dispatch;

use super::{RunReport, SelectedTests};
use crate::seeds::Seeds;
use crate::verdict::Verdict;
use crate::{FailureDetails, Sightings, TestResult};

/// A run on Wormhole of one test for each verdict.
pub(super) fn report(verdicts: &[Verdict]) -> RunReport {
    let result = |verdict: &Verdict| TestResult {
        name: "wormhole_b0::group::suite::case".parse().unwrap(),
        verdict: verdict.clone(),
        exit_code: verdict.exit_code(),
        lines: Vec::new(),
        elapsed: Duration::ZERO,
        broken_kernel: None,
        sightings: Sightings::default(),
        warnings: Vec::new(),
        printed: Vec::new(),
        signature: None,
        excused: None,
        relies_on_atomics_behind_writes: false,
        kernel_runs: KernelRuns::default(),
        first_bad: None,
        details: FailureDetails::default(),
    };
    let architectures = vec![Architecture::WormholeB0];
    RunReport {
        commit: None,
        selected: SelectedTests { architectures, tests: verdicts.len(), shard: None },
        missing_shards: Vec::new(),
        results: verdicts.iter().map(result).collect(),
        earlier_runs: BTreeMap::new(),
        devices: vec![(Architecture::WormholeB0, "sim".to_owned())],
        replay_devices: Vec::new(),
        dispatch: vec![(Architecture::WormholeB0, Dispatch::Host)],
        without_goldens: Vec::new(),
        elapsed: Vec::new(),
        baseline: None,
        seeds: Seeds::one(0),
        unused_goldens: Vec::new(),
        early_end: None,
    }
}
