//! A certification that can begin: its arguments are read and checked.

use std::path::Path;

use hallmark_certification::demand::Demand;
use hallmark_certification::subject::Subject;
use hallmark_certification::waivers::Waiver;
use hallmark_pipeline::Settings;
use hallmark_pipeline::shard::Shard;

use super::challenge::GivenChallenge;

/// What a command certifies, checked before anything runs.
pub(super) struct Certification<'a> {
    pub(super) settings: Settings,
    pub(super) demand: Demand,
    pub(super) subject: Subject,
    pub(super) challenge: Option<GivenChallenge>,
    pub(super) waivers: Vec<Waiver>,
    /// The part of the runs, if it is not all of them.
    pub(super) shard: Option<Shard>,
    /// The package to be written.
    pub(super) package: &'a Path,
    pub(super) is_draft: bool,
    pub(super) jobs: usize,
}
