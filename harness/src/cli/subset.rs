//! A part of the selected tests: those that failed, or those of a shard.

use clap::Args;
use hallmark_pipeline::shard::Shard;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_suite::discover::{Root, SelectedTest};

use super::Failed;
use super::failed_tests::{self, NothingFailed};
use super::options::SELECTION;

/// The options that take a part of the selected tests.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct Subset {
    /// Only tests that did not pass when they last ran here
    #[arg(long, help_heading = SELECTION)]
    failed: bool,
    /// Only one part of the tests: 2/5 is the second of five parts
    #[arg(long, value_name = "NUMBER/TOTAL", help_heading = SELECTION)]
    shard: Option<Shard>,
}

impl Subset {
    /// Whether the subset takes every test.
    pub(super) const fn is_everything(&self) -> bool {
        !self.failed && self.shard.is_none()
    }

    /// The shard, if the subset takes only one.
    pub(super) const fn shard(&self) -> Option<Shard> {
        self.shard
    }

    /// The tests to be divided into shards: all of them, or those that failed.
    pub(super) fn failed(
        &self,
        root: &Root,
        tests: Vec<SelectedTest>,
    ) -> Result<Vec<SelectedTest>, NothingFailed> {
        if self.failed { failed_tests::only(root, tests) } else { Ok(tests) }
    }

    /// The tests of the shard; all of them without a shard.
    pub(super) fn in_shard(&self, tests: Vec<SelectedTest>) -> Result<Vec<SelectedTest>, Failed> {
        let Some(shard) = self.shard else { return Ok(tests) };
        shard.some_of(tests).map_err(|error| Failed::new(ExitCode::NOTHING_SELECTED, error))
    }
}
