//! A failed test with known deviations: compared with the modelled chip, as by `hallmark compare`; and a replay that a
//! simulator ended for one.

use std::path::Path;

use hallmark_chip::Architecture;
use hallmark_execution::executor::{Executor, Executors, Release};
use hallmark_suite::deviations::{ComparedSubject, Deviations, Known};
use hallmark_suite::discover::SelectedTest;
use hallmark_suite::mistake::SuiteMistakes;
use hallmark_suite::read::Choice as _;

use super::compare::{CompareOptions, Compared, compare, known, known_of_test};
use super::failure_details::FailureDetails;
use super::finding::Finding;
use super::settings::Settings;
use super::sightings::Sightings;
use super::test_result::TestResult;
use crate::verdict::Verdict;

/// Excuses a failed test, if the list of deviations explains all of TT-Metalium's differences. The report
/// includes contradictions between the list and TT-Metalium.
///
/// # Errors
/// The suite is invalid.
pub(super) fn excuse(
    settings: &Settings,
    test: &SelectedTest,
    result: &mut TestResult,
) -> Result<(), SuiteMistakes> {
    let architecture = test.name.architecture;
    let Some(devices) = both(settings, architecture) else { return Ok(()) };
    let deviations = &settings.deviations;
    let executor = devices.metalium.workers.executor(architecture);
    let known = known_of_test(deviations, test, &executor).unwrap_or_default();
    if known.is_empty() {
        return Ok(());
    }
    match result.verdict {
        Verdict::Pass => {
            let of_test = known.iter().filter(|known| known.is_looked_for());
            result.sightings.unused = of_test.map(Known::key).collect();
            return Ok(());
        }
        Verdict::Skipped { .. } | Verdict::ExpectedFailure { .. } | Verdict::Interrupted => {
            return Ok(());
        }
        Verdict::Mismatch
        | Verdict::Refused
        | Verdict::NotBuilt
        | Verdict::Unstable
        | Verdict::Changed
        | Verdict::Fault
        | Verdict::Deadlock
        | Verdict::Hang
        | Verdict::Crash
        | Verdict::Missing
        | Verdict::Unsupported
        | Verdict::KnownDeviation { .. }
        | Verdict::KnownFailure { .. }
        | Verdict::UnexpectedPass
        | Verdict::InternalError => {}
    }
    let options = CompareOptions { deviations };
    let comparison = compare(&[devices.reference, devices.metalium], test, options)?;
    result.sightings = Sightings { needed: comparison.used, unused: comparison.unused };
    match comparison.others.into_iter().next() {
        Some(Compared::Deviates(names)) => {
            result.verdict = Verdict::KnownDeviation { reason: reason(deviations, &names) };
            result.exit_code = result.verdict.exit_code();
            result.lines.clear();
            result.details = FailureDetails::default();
            result.signature = None;
        }
        Some(Compared::Differs(difference)) => {
            let Sightings { needed, unused } = &mut result.sightings;
            needed.append(unused);
            let lines = difference.lines.into_iter();
            result.lines.extend(lines.filter(|line| line.starts_with("known ")));
        }
        Some(Compared::Equal | Compared::NotCompared(_)) | None => {}
    }
    Ok(())
}

/// The known deviation for which a simulator below TT-Metalium has ended a replay, if any program of TT-Metalium may show
/// it: its name, its owner, the reason, and where to read about it.
pub fn of_fault(capture: &Path, executor: &Executor, finding: &Finding) -> Option<String> {
    if finding.verdict != Verdict::Fault || !is_metalium(&executor.release) {
        return None;
    }
    let (deviations, text) = (Deviations::of_any_program(), finding.report().join("\n"));
    let known = known(&deviations, ComparedSubject::Capture(capture), executor)?;
    let known = known.into_iter().find(|known| known.explains(None, &text))?.deviation;
    let reason = reason(&deviations, std::slice::from_ref(&known.name.text));
    Some(format!("{reason} ({})", known.link))
}

/// The settings of a device that follows the models, and of TT-Metalium.
struct Devices {
    reference: Settings,
    metalium: Settings,
}

/// The two devices, if tests of an architecture are captured or replayed through TT-Metalium.
fn both(settings: &Settings, architecture: Architecture) -> Option<Devices> {
    let is_metalium =
        |settings: &Settings| is_metalium(&settings.workers.executor(architecture).release);
    let alone = |executors: Executors| {
        let mut alone = settings.clone();
        alone.workers.executors = executors;
        alone.workers.replay_executors = Executors::default();
        alone
    };
    let captures = alone(settings.workers.executors.clone());
    if is_metalium(&captures) {
        let reference = alone(settings.workers.executors.simulated());
        return Some(Devices { reference, metalium: captures });
    }
    let replays = settings.workers.replay_executors.chosen(architecture)?.clone();
    let replays = alone(Executors::only(replays, architecture));
    is_metalium(&replays).then_some(Devices { reference: captures, metalium: replays })
}

/// Whether an executor is the vendor's runtime.
const fn is_metalium(release: &Release) -> bool {
    match release {
        Release::Metalium(_) => true,
        Release::This | Release::Other(_) => false,
    }
}

/// Deviations by name, with their owners and reasons.
fn reason(deviations: &Deviations, names: &[String]) -> String {
    let each = names.iter().map(|name| match deviations.named(name) {
        Some(known) => {
            let owner = known.whose.0.name();
            format!("`{name}` of {owner}: {}", known.reason.trim_end())
        }
        None => format!("`{name}`"),
    });
    each.collect::<Vec<_>>().join("; ")
}

impl Settings {
    /// Reads the list of deviations, if tests of some architectures run through TT-Metalium.
    ///
    /// # Errors
    /// The list is invalid.
    pub fn read_deviations(&mut self, architectures: &[Architecture]) -> Result<(), SuiteMistakes> {
        if architectures.iter().any(|&architecture| both(self, architecture).is_some()) {
            self.deviations = Deviations::load(&self.root)?.into();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use hallmark_execution::executor::ProgramSettings;

    use super::*;

    #[test]
    fn a_replay_that_ends_for_a_known_deviation_is_told_from_every_other() {
        let through = |release: Release| Executor {
            release,
            device: "sim:wormhole_b0".parse().unwrap(),
            architecture: Architecture::WormholeB0,
            programs: ProgramSettings::default(),
            kernels: None,
        };
        let metalium = Release::Metalium(PathBuf::from("/site").into());
        let known = |release: &Release, verdict: Verdict, text: &str| {
            let finding = Finding::new(verdict, text);
            of_fault(Path::new("any.lmb"), &through(release.clone()), &finding)
        };
        let race = "the device ended the replay: DataRace: a NoC write of 4 bytes; the store may reach L1 after the request";
        let told = known(&metalium, Verdict::Fault, race).unwrap();
        assert!(told.starts_with("`request_that_overtakes_a_store` of tt_metal: "), "{told}");
        assert!(told.ends_with("(https://github.com/tenstorrent/tt-metal/issues/50367)"), "{told}");
        for (release, verdict, text) in [
            (&Release::This, Verdict::Fault, race.to_owned()),
            (&metalium, Verdict::Deadlock, race.to_owned()),
            (&metalium, Verdict::Fault, race.replace("DataRace", "MemoryNotGranted")),
            (&metalium, Verdict::Fault, race.replace("after the request", "after the read")),
        ] {
            assert_eq!(known(release, verdict, &text), None, "{text}");
        }
    }
}
