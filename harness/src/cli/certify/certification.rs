//! A certification with checked arguments.

use std::path::Path;

use hallmark_certification::demand::Demand;
use hallmark_certification::subject::Subject;
use hallmark_certification::waivers::Waiver;
use hallmark_pipeline::Settings;
use hallmark_pipeline::shard::Shard;

use super::challenge::GivenChallenge;

/// The subject of a certification, checked before anything runs.
pub(super) struct Certification<'a> {
    pub(super) settings: Settings,
    pub(super) demand: Demand,
    pub(super) subject: Subject,
    pub(super) challenge: Option<GivenChallenge>,
    pub(super) waivers: Vec<Waiver>,
    /// The shard of the runs; `None` for all runs.
    pub(super) shard: Option<Shard>,
    /// The path of the package to write.
    pub(super) package: &'a Path,
    pub(super) is_draft: bool,
    /// Whether failures of the earlier run are run anew.
    pub(super) is_again: bool,
    pub(super) jobs: usize,
}
