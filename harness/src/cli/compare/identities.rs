//! The identities of kept results, which show the results that are out of date.

use hallmark_chip::Architecture;
use hallmark_pipeline::Settings;
use hallmark_pipeline::compare::{CompareOptions, capture_identity, identity};
use hallmark_pipeline::verdict::ExitCode;
use hallmark_schema::model::ContentHash;
use hallmark_schema::plural::counted;

use super::Work;
use super::results::Results;
use crate::cli::{Failed, output, work};

/// The identity of a result: the test or capture, and the executors.
pub(super) struct Identities<'a> {
    executors: Vec<ContentHash>,
    settings: &'a [Settings],
    options: CompareOptions<'a>,
}

impl<'a> Identities<'a> {
    pub(super) fn of(
        settings: &'a [Settings],
        architecture: Architecture,
        options: CompareOptions<'a>,
    ) -> Result<Self, Failed> {
        let identity = |one: &Settings| {
            one.workers.executor(architecture).identity(&one.workers.worker.executable)
        };
        let executors: Result<_, _> = settings.iter().map(identity).collect();
        let executors = executors.map_err(|error| Failed::new(ExitCode::DEVICE, error))?;
        Ok(Self { executors, settings, options })
    }
}

impl Identities<'_> {
    pub(super) fn of_work(&self, work: &Work) -> Result<ContentHash, Failed> {
        let of_test = match work {
            Work::Test(test) => identity(self.settings, test, self.options)?,
            Work::Capture(captured) => capture_identity(self.settings, captured, self.options),
        };
        let all: Vec<u8> =
            self.executors.iter().chain([&of_test]).flat_map(|hash| hash.0).collect();
        Ok(ContentHash::of(&all))
    }

    /// Prints the number of kept results that are out of date. The comparison makes them again.
    pub(super) fn say_what_is_stale(
        &self,
        results: &Results,
        work: &[Work],
        jobs: usize,
    ) -> Result<(), Failed> {
        let held: Vec<&Work> = work.iter().filter(|work| results.holds(&work.name())).collect();
        let is_stale = |work: &&Work| -> Result<bool, Failed> {
            Ok(results.of(&work.name(), self.of_work(work)?).is_none())
        };
        let stale = work::each(&held, jobs, is_stale)?.into_iter().filter(|stale| *stale).count();
        if stale > 0 {
            let them = counted(stale, "result is", "results are");
            output::say(&format!(
                "{them} of a test, an executable or a device that has changed since, and made again"
            ));
        }
        Ok(())
    }
}
