//! The differences between the results of two packages, for nightly runs and for releases.

use std::collections::{BTreeMap, BTreeSet};

use hallmark_package::{Blake3, LOCK, Package, RESULTS, json};
use hallmark_pipeline::signature::MatchLevel;
use hallmark_pipeline::verdict::Verdict;
use hallmark_report::{DifferenceGroup, Fact, Tone};
use hallmark_schema::model::{Capture, ContentHash};
use hallmark_schema::plural::{counted, grouped};
use hallmark_suite::language::{Capability, DeviceKind};
use hallmark_suite::read::Choice as _;
use serde::Serialize;

use super::lock::{Lock, LockError};
use super::results::{Pass, ResultLine, RunKey};

/// A completely used tolerance, in the millionths of results.
const WHOLE: u32 = 1_000_000;
/// The shortest duration of a run that can count as slower: below it, other load on the machine dominates.
const SHORTEST_MILLISECONDS: u64 = 1_000;
/// The largest number of objects named in one change.
const NAMED: usize = 3;

/// The results of one package.
pub struct PackageResults<'a> {
    package: &'a Package<'a>,
    lock: Lock,
    results: Vec<ResultLine>,
}

/// A package whose results cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The lock is invalid.
    #[error("{LOCK}: {0}")]
    Lock(#[from] LockError),
    /// The results are invalid.
    #[error("{RESULTS}: {0}")]
    Results(#[from] json::JsonError),
}

impl<'a> PackageResults<'a> {
    /// The results claimed by the package.
    ///
    /// # Errors
    /// [`ResultsError`].
    pub fn of(package: &'a Package<'a>) -> Result<Self, ResultsError> {
        let lock = Lock::read(package.file(LOCK).unwrap_or_default())?;
        let results = json::read_lines(package.file(RESULTS).unwrap_or_default())?;
        Ok(Self { package, lock, results })
    }

    /// The same package with the results that a verifier computed.
    pub fn with_results(self, results: Vec<ResultLine>) -> Self {
        Self { results, ..self }
    }

    /// The results, sorted by run.
    pub fn results(&self) -> &[ResultLine] {
        &self.results
    }

    /// The lock of the package.
    pub const fn lock(&self) -> &Lock {
        &self.lock
    }

    /// A capture of the package.
    fn capture(&self, hash: Option<ContentHash>) -> Option<Capture> {
        let hash = Blake3::from_bytes(hash?.0);
        Capture::open(&self.package.capture(&hash)?.to_vec().into()).ok()
    }
}

/// The kind of difference from the same run of another package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The run did not fail before, and fails now.
    Broken,
    /// The run failed before, and fails in another way now.
    OtherFailure,
    /// The run was not waived before, and is waived now.
    NewlyWaived,
    /// The run was executed before, and is skipped now.
    NewlySkipped,
    /// The run was executed before, and the device does not support it now.
    NewlyUnsupported,
    /// The run is only in the other package.
    Missing,
    /// An output keeps less than half of its former distance from its tolerance limit.
    HeadroomHalved,
    /// Outputs have other bytes, all within their tolerances.
    OutputsWithinTolerance,
    /// The run takes more than twice as long.
    Slower,
    /// Addresses or kernels' ELFs differ.
    Derived,
    /// The run is only in this package.
    Added,
    /// The run did not pass before, and passes now.
    Fixed,
}

impl ChangeKind {
    /// Every kind, the worst first.
    pub const ALL: [Self; 12] = [
        Self::Broken,
        Self::OtherFailure,
        Self::NewlyWaived,
        Self::NewlySkipped,
        Self::NewlyUnsupported,
        Self::Missing,
        Self::HeadroomHalved,
        Self::OutputsWithinTolerance,
        Self::Slower,
        Self::Derived,
        Self::Added,
        Self::Fixed,
    ];

    /// Whether the other package was better in this respect.
    pub const fn is_regression(self) -> bool {
        matches!(self.tone(), Tone::Bad)
    }

    /// The description of runs of this kind, to follow their number.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::OtherFailure => "failing otherwise",
            Self::NewlyWaived => "newly waived",
            Self::NewlySkipped => "newly skipped",
            Self::NewlyUnsupported => "newly unsupported",
            Self::Missing => "missing",
            Self::HeadroomHalved => "with half the headroom",
            Self::OutputsWithinTolerance => "with other outputs within tolerance",
            Self::Slower => "twice as slow",
            Self::Derived => "with other addresses or ELFs",
            Self::Added => "added",
            Self::Fixed => "fixed",
        }
    }

    const fn tone(self) -> Tone {
        match self {
            Self::Broken
            | Self::OtherFailure
            | Self::NewlyWaived
            | Self::NewlySkipped
            | Self::NewlyUnsupported
            | Self::Missing => Tone::Bad,
            Self::HeadroomHalved | Self::OutputsWithinTolerance | Self::Slower => Tone::Excused,
            Self::Derived | Self::Added => Tone::Neutral,
            Self::Fixed => Tone::Good,
        }
    }
}

/// A difference in one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The kind of difference.
    pub kind: ChangeKind,
    /// The run in this package, or in the other one if this one lacks it.
    pub run: RunKey,
    /// The difference in words.
    pub about: String,
}

/// The differences between two packages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The number of runs in both packages.
    pub compared: usize,
    /// The differences between the demands, one sentence each.
    pub demands: Vec<String>,
    /// The differences between the results, the worst first, and then by run.
    pub changes: Vec<Change>,
}

/// A run without its device kind, so that runs on different kinds can be compared.
fn any_device(run: &RunKey) -> RunKey {
    RunKey { device: DeviceKind::Sim, ..run.clone() }
}

/// The outcome of a run, for the comparison of packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Passed,
    Failed,
    Waived,
    Skipped,
    Unsupported,
}

impl Class {
    const fn of(result: &ResultLine) -> Self {
        match (&result.verdict.0, result.waiver.is_some()) {
            (Verdict::Pass, _) => Self::Passed,
            (Verdict::Skipped { .. }, _) => Self::Skipped,
            (_, true) => Self::Waived,
            (Verdict::Unsupported, false) => Self::Unsupported,
            (_, false) => Self::Failed,
        }
    }
}

impl Difference {
    /// The differences between a package and the one that it is compared with.
    pub fn between(base: &PackageResults<'_>, new: &PackageResults<'_>) -> Self {
        let captures = |before: &ResultLine, after: &ResultLine| {
            Some([base.capture(before.capture)?, new.capture(after.capture)?])
        };
        let mut demands = demands(&base.lock, &new.lock);
        for (reason, why) in [
            (LeftOut::OfChallenge, "under a challenge"),
            (
                LeftOut::OfOtherDevices,
                "on chips, or with seeds or repeats, that are for its kind of device alone",
            ),
        ] {
            let results = left_out(&base.results, &new.results, reason);
            if results > 0 {
                let results = counted(results, "result is", "results are");
                demands.push(format!("Only the base was run {why}: {results} not compared."));
            }
        }
        Self { demands, ..Self::between_results(&base.results, &new.results, captures) }
    }

    /// The differences between results. `captures` opens the captures of two runs of the same program.
    fn between_results(
        base: &[ResultLine],
        new: &[ResultLine],
        captures: impl Fn(&ResultLine, &ResultLine) -> Option<[Capture; 2]>,
    ) -> Self {
        let of_base: BTreeMap<RunKey, &ResultLine> =
            comparable(base, new).map(|result| (any_device(&result.run), result)).collect();
        let of_new: BTreeSet<RunKey> = new.iter().map(|result| any_device(&result.run)).collect();
        let mut compared: usize = 0;
        let mut changes = Vec::new();
        for result in new {
            let Some(before) = of_base.get(&any_device(&result.run)) else {
                changes.push(change(ChangeKind::Added, result, String::new()));
                continue;
            };
            compared = compared.saturating_add(1);
            changes.extend(changes_of(before, result));
            // Captures of different programs, as under another challenge, cannot be compared by output.
            let is_same_program = before.program.is_some() && before.program == result.program;
            if is_same_program
                && before.capture != result.capture
                && let Some([one, other]) = captures(before, result)
            {
                changes.extend(output_change(&one, &other, result));
                changes.extend(derived_change(&one, &other, result));
            }
        }
        for (run, before) in &of_base {
            if !of_new.contains(run) {
                changes.push(change(ChangeKind::Missing, before, String::new()));
            }
        }
        changes.sort_by(|one, other| (one.kind, &one.run).cmp(&(other.kind, &other.run)));
        Self { compared, demands: Vec::new(), changes }
    }

    /// Whether the other package was better in any respect.
    pub fn is_regression(&self) -> bool {
        self.changes.iter().any(|change| change.kind.is_regression())
    }

    /// The number of runs with a kind of difference.
    pub fn count(&self, kind: ChangeKind) -> usize {
        self.changes.iter().filter(|change| change.kind == kind).count()
    }

    /// `1 fixed, 0 broken, 3 with other outputs within tolerance`: always states broken and fixed runs, other
    /// kinds only if they occur.
    pub fn summary(&self) -> String {
        let always = [ChangeKind::Broken, ChangeKind::Fixed];
        let shown = ChangeKind::ALL.into_iter().filter_map(|kind| {
            let count = self.count(kind);
            (count > 0 || always.contains(&kind))
                .then(|| format!("{} {}", grouped(count), kind.words()))
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// The differences as data of a report.
    pub fn to_report(&self, base: &str) -> hallmark_report::Difference {
        let groups = ChangeKind::ALL.into_iter().map(|kind| DifferenceGroup {
            title: kind.words().to_owned(),
            tone: kind.tone(),
            tests: self
                .changes
                .iter()
                .filter(|change| change.kind == kind)
                .map(|change| Fact { name: change.run.to_string(), value: change.about.clone() })
                .collect(),
        });
        hallmark_report::Difference { base: base.to_owned(), groups: groups.collect() }
    }
}

/// Why results of a base have no counterpart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeftOut {
    /// A nightly package has no challenge pass, and a release has one.
    OfChallenge,
    /// Another kind of device has other chips, seeds and repeats in the same profile.
    OfOtherDevices,
}

/// Why a result has no possible counterpart among other results; `None` if it may have one.
fn why_left_out(new: &[ResultLine]) -> impl Fn(&ResultLine) -> Option<LeftOut> + use<> {
    let place =
        |run: &RunKey| (run.test.architecture, run.harvesting, run.schedule_seed, run.repeat);
    let is_challenged = new.iter().any(|result| result.run.pass == Pass::Challenge);
    let places: BTreeSet<_> = new.iter().map(|result| place(&result.run)).collect();
    let devices: BTreeSet<_> =
        new.iter().map(|result| (result.run.test.architecture, result.run.device)).collect();
    move |result| {
        let run = &result.run;
        let is_of_others = !devices.contains(&(run.test.architecture, run.device))
            && devices.iter().any(|(architecture, _)| *architecture == run.test.architecture);
        if run.pass == Pass::Challenge && !is_challenged {
            Some(LeftOut::OfChallenge)
        } else if is_of_others && !places.contains(&place(run)) {
            Some(LeftOut::OfOtherDevices)
        } else {
            None
        }
    }
}

/// The number of a base's results that are not compared for a reason.
fn left_out(base: &[ResultLine], new: &[ResultLine], reason: LeftOut) -> usize {
    let why = why_left_out(new);
    base.iter().filter(|result| why(result) == Some(reason)).count()
}

/// The results of a base that may have counterparts.
fn comparable<'a>(
    base: &'a [ResultLine],
    new: &[ResultLine],
) -> impl Iterator<Item = &'a ResultLine> {
    let why = why_left_out(new);
    base.iter().filter(move |result| why(result).is_none())
}

fn change(kind: ChangeKind, result: &ResultLine, about: String) -> Change {
    Change { kind, run: result.run.clone(), about }
}

/// The differences between results: the verdict, or the changes under the same verdict.
fn changes_of(before: &ResultLine, after: &ResultLine) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    changes.extend(verdict_change(before, after));
    changes.extend(headroom_change(before, after));
    let long_ago = before.milliseconds.saturating_mul(2);
    if after.milliseconds > long_ago.max(SHORTEST_MILLISECONDS) && before.milliseconds > 0 {
        let about =
            format!("{} ms → {} ms", grouped(before.milliseconds), grouped(after.milliseconds));
        changes.push(change(ChangeKind::Slower, after, about));
    }
    changes
}

fn verdict_change(before: &ResultLine, after: &ResultLine) -> Option<Change> {
    let (was, is) = (Class::of(before), Class::of(after));
    let kind = match (was, is) {
        (Class::Failed, Class::Failed) | (Class::Waived, Class::Waived) => {
            if is_same_failure(before, after) {
                return None;
            }
            ChangeKind::OtherFailure
        }
        (was, is) if was == is => return None,
        (_, Class::Failed) => ChangeKind::Broken,
        (_, Class::Passed) => ChangeKind::Fixed,
        (_, Class::Waived) => ChangeKind::NewlyWaived,
        (_, Class::Skipped) => ChangeKind::NewlySkipped,
        (_, Class::Unsupported) => ChangeKind::NewlyUnsupported,
    };
    Some(change(kind, after, format!("{} → {}", told(before), told(after))))
}

fn is_same_failure(before: &ResultLine, after: &ResultLine) -> bool {
    before.verdict == after.verdict
        && match (&before.signature, &after.signature) {
            (Some(one), Some(other)) => one.matches(other, MatchLevel::Same),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
}

/// A verdict with the failure's signature, or with its reason.
fn told(result: &ResultLine) -> String {
    let verdict = &result.verdict.0;
    let about = result.signature.as_ref().map(ToString::to_string);
    let about = about.or_else(|| verdict.reason().map(str::to_owned));
    let waived = result.waiver.as_ref().map(|name| format!(", waived by {name}"));
    let waived = waived.unwrap_or_default();
    match about {
        Some(about) => format!("{} ({about}){waived}", verdict.name()),
        None => format!("{}{waived}", verdict.name()),
    }
}

fn headroom_change(before: &ResultLine, after: &ResultLine) -> Option<Change> {
    let kept = |used: u32| WHOLE.saturating_sub(used);
    let percent = |used: u32| format!("{:.1} %", f64::from(used) / f64::from(WHOLE) * 100.0);
    let shrunk = after.headroom.iter().filter_map(|now| {
        let was = before.headroom.iter().find(|known| known.output == now.output)?;
        let halved = kept(now.used).saturating_mul(2) < kept(was.used);
        halved.then(|| {
            format!(
                "`{}` uses {} of its tolerance, {} before",
                now.output,
                percent(now.used),
                percent(was.used)
            )
        })
    });
    let shrunk: Vec<String> = shrunk.take(NAMED).collect();
    (!shrunk.is_empty()).then(|| change(ChangeKind::HeadroomHalved, after, shrunk.join("; ")))
}

/// Outputs with other bytes although the run passed.
fn output_change(before: &Capture, after: &Capture, result: &ResultLine) -> Option<Change> {
    if Class::of(result) != Class::Passed {
        return None;
    }
    let other = after.outputs.iter().filter(|output| {
        let was = before.outputs.iter().find(|known| known.name == output.name);
        was.is_some_and(|was| was.hash != output.hash)
    });
    let names: Vec<String> = other.map(|output| format!("`{}`", output.name)).collect();
    let shown = names.get(..NAMED.min(names.len())).unwrap_or_default().join(", ");
    if names.is_empty() {
        return None;
    }
    let more = if names.len() > NAMED { ", …" } else { "" };
    Some(change(
        ChangeKind::OutputsWithinTolerance,
        result,
        format!("other bytes of {shown}{more}"),
    ))
}

/// Differences that follow from the build or the allocator: addresses and ELFs.
fn derived_change(before: &Capture, after: &Capture, result: &ResultLine) -> Option<Change> {
    let (Some(was), Some(is)) = (&before.record, &after.record) else { return None };
    let parts = [(was.addresses != is.addresses, "addresses"), (was.elfs != is.elfs, "ELFs")];
    let differing: Vec<&str> =
        parts.into_iter().filter(|(differs, _)| *differs).map(|(_, what)| what).collect();
    (!differing.is_empty())
        .then(|| change(ChangeKind::Derived, result, format!("other {}", differing.join(" and "))))
}

/// The differences between two locks, one sentence each.
fn demands(base: &Lock, new: &Lock) -> Vec<String> {
    let (was, is) = (&base.profile, &new.profile);
    let mut demands = Vec::new();
    let profile = |name: &str, edition: &str| format!("`{name}`, edition {edition}");
    if (&was.name, &was.edition) != (&is.name, &is.edition) {
        let (was, is) = (profile(&was.name, &was.edition), profile(&is.name, &is.edition));
        demands.push(format!("The profiles differ: {was} → {is}."));
    } else if base != new {
        demands.push("The locks of the profile differ.".to_owned());
    }
    if was.model != is.model {
        let (was, is) = (&was.model.hallmark, &is.model.hallmark);
        demands.push(format!("The models differ: Hallmark {was} → {is}."));
    }
    let lacks = |one: &[Capability], other: &[Capability]| {
        let lacking = one.iter().filter(|capability| !other.contains(capability));
        lacking.map(|capability| capability.name().to_owned()).collect::<Vec<_>>().join(", ")
    };
    let (gone, more) = (lacks(&was.requires, &is.requires), lacks(&is.requires, &was.requires));
    if !gone.is_empty() {
        demands.push(format!("Capabilities that are required no longer: {gone}."));
    }
    if !more.is_empty() {
        demands.push(format!("Capabilities that are required now: {more}."));
    }
    demands
}

#[cfg(test)]
mod tests;
