//! A verified package after some of its results were repeated: what its verdict rests on.

use std::collections::BTreeMap;
use std::fmt;

use hallmark_chip::Architecture;
use hallmark_package::{ChallengeKind, RESULTS};
use hallmark_report::untrusted::quoted;
use hallmark_schema::model::ContentHash;
use hallmark_schema::plural::counted;
use hallmark_search::statistics::Counts;
use hallmark_suite::language::DeviceKind;
use serde::Serialize;

use super::rejection::{Rejection, RejectionReason, VerifierStep};
use super::{Reservation, Verified, totals};
use crate::challenge::Challenge;
use crate::environment::DeviceEnvironment;
use crate::replay::{Repeated, what_it_buys};
use crate::results::{Basis, ResultLine, RunKey};

/// The reservations about results that nobody has repeated.
pub(super) fn reservations(results: &[ResultLine]) -> impl Iterator<Item = Reservation> {
    let mut without_capture = 0_usize;
    let (mut asserted, mut submitted) = (0_usize, 0_usize);
    for result in results {
        let count = match result.basis {
            Basis::Replayed | Basis::Recomputed => continue,
            Basis::Asserted | Basis::Submitted if result.is_without_capture() => {
                &mut without_capture
            }
            // Everybody has this device; no capture contains how the process ended.
            Basis::Asserted if result.run.device == DeviceKind::Sim => &mut submitted,
            Basis::Asserted => &mut asserted,
            Basis::Submitted => &mut submitted,
        };
        *count = count.saturating_add(1);
    }
    let found = [
        (without_capture, Reservation::WithoutCapture { results: without_capture }),
        (asserted, Reservation::Asserted { results: asserted }),
        (submitted, Reservation::Submitted { results: submitted }),
    ];
    found.into_iter().filter(|(count, _)| *count > 0).map(|(_, reservation)| reservation)
}

/// The firmware of an architecture in a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PackedFirmware {
    /// The architecture.
    #[serde(skip)]
    pub architecture: Architecture,
    /// The name in its manifest.
    pub name: String,
    /// The hash of its files.
    pub files: ContentHash,
    /// The hash of what the cores load of the files. The rest (symbols, debug information) decides no result.
    pub loaded: ContentHash,
}

/// ``"`build 1.1`, files 94b8…, of which the cores load 7124…"`` with whole hashes.
impl fmt::Display for PackedFirmware {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { architecture: _, name, files, loaded } = self;
        write!(formatter, "{}, files {files}, of which the cores load {loaded}", quoted(name))
    }
}

impl Verified {
    /// The same package after runs were repeated on its subject. A run that could not be repeated changes no basis.
    ///
    /// # Errors
    /// A run came out differently from what the package says.
    pub fn repeated<'a>(
        mut self,
        repeated: impl IntoIterator<Item = (&'a RunKey, &'a Repeated)>,
    ) -> Result<Self, Rejection> {
        let runs = self.results.iter().enumerate().map(|(index, it)| (it.run.clone(), index));
        let places: BTreeMap<RunKey, usize> = runs.collect();
        for (run, repeated) in repeated {
            let Some(&index) = places.get(run) else { continue };
            let Some(result) = self.results.get_mut(index) else { continue };
            match repeated {
                Repeated::Same => {
                    result.basis = Basis::Replayed;
                    self.at_their_word.remove(run);
                }
                Repeated::Differs(what) => {
                    let problem = RejectionReason::NotRepeated {
                        run: Box::new(run.clone()),
                        what: what.clone(),
                    };
                    Rejection::new(VerifierStep::Replays, problem)
                        .in_file(RESULTS)
                        .at_line(index.saturating_add(1))
                        .refuse()?;
                }
                Repeated::Unknown(_) => self.unrepeated = self.unrepeated.saturating_add(1),
            }
        }
        let is_of_basis = |it: &Reservation| {
            matches!(
                it,
                Reservation::FilesNotCompared { .. }
                    | Reservation::WithoutCapture { .. }
                    | Reservation::Unrepeated { .. }
                    | Reservation::Asserted { .. }
                    | Reservation::Submitted { .. }
            )
        };
        self.reservations.retain(|it| !is_of_basis(it));
        self.reservations.extend(reservations(&self.results));
        let lacks_files = |result: &&ResultLine| {
            let device = self.environment.devices.get(&result.run.test.architecture);
            result.basis == Basis::Replayed && device.is_some_and(DeviceEnvironment::lacks_files)
        };
        let not_compared = self.results.iter().filter(lacks_files).count();
        if not_compared > 0 {
            self.reservations.insert(Reservation::FilesNotCompared { results: not_compared });
        }
        if self.unrepeated > 0 {
            self.reservations.insert(Reservation::Unrepeated { results: self.unrepeated });
        }
        Ok(self)
    }

    /// Who gave the challenge of the second pass, and who dates it, as far as this verifier knows.
    pub fn challenge_words(&self) -> Option<String> {
        let Challenge { issued, by, .. } = self.challenge?;
        let is_verified = !self.reservations.contains(&Reservation::SignerUnknown);
        Some(match (by, is_verified) {
            (ChallengeKind::Own, _) => format!(
                "the submitter's own, which shows only carefulness; the submitter dates it {issued}"
            ),
            (ChallengeKind::Reviewer, true) => {
                format!("a reviewer's, with a verified signature; the reviewer dates it {issued}")
            }
            (ChallengeKind::Reviewer, false) => format!(
                "said to be a reviewer's and dated {issued}; no signature was verified, so both are the submitter's word"
            ),
        })
    }

    /// The firmware of each architecture, if it is the subject.
    pub fn packed_firmware(&self) -> Vec<PackedFirmware> {
        let packed = self.firmware.iter().map(|(&architecture, bundle)| PackedFirmware {
            architecture,
            name: bundle.manifest().name.clone(),
            files: bundle.hash(),
            loaded: bundle.images_hash(),
        });
        packed.collect()
    }

    /// The devices of the runs in words, each with the party that vouches for it: this verifier or the submitter.
    pub fn device_words(&self) -> Vec<(Architecture, String)> {
        let words = |(&architecture, device): (&Architecture, &DeviceEnvironment)| {
            let is_of_run = |it: &&ResultLine| {
                it.run.test.architecture == architecture && it.basis != Basis::Recomputed
            };
            let mut ran = self.results.iter().filter(is_of_run).peekable();
            let who = if ran.peek().is_some() && ran.all(|it| it.basis == Basis::Replayed) {
                "on which this verifier repeated each result"
            } else {
                "as the submitter says"
            };
            (architecture, format!("{device}, {who}"))
        };
        self.environment.devices.iter().map(words).collect()
    }

    /// The verdicts that were computed from captures and the profile or found by a repetition, and those that are the
    /// submitter's: the number of results of each, by name.
    pub fn totals_by_origin(&self) -> [BTreeMap<String, u64>; 2] {
        let is_claimed = |result: &&ResultLine| self.at_their_word.contains(&result.run);
        let (claimed, own): (Vec<&ResultLine>, Vec<_>) = self.results.iter().partition(is_claimed);
        [totals(own), totals(claimed)]
    }

    /// What the verdict about the package rests on, in one sentence.
    pub fn rests_on(&self) -> String {
        rests_on(&self.results, self.unrepeated, self.at_their_word.len())
    }
}

fn rests_on(results: &[ResultLine], unrepeated: usize, claimed: usize) -> String {
    let count = |basis| results.iter().filter(|result| result.basis == basis).count();
    let replayed = count(Basis::Replayed);
    let open = count(Basis::Asserted).saturating_add(count(Basis::Submitted));
    let computed = match claimed {
        0 => "each result was computed anew from them".to_owned(),
        1 => "each result but one was computed anew from them".to_owned(),
        more => format!("all results but {more} were computed anew from them"),
    };
    let captures = format!("The verdict rests on captures that the submitter sent in: {computed}");
    match (replayed, open) {
        (0, 0) => "The verdict rests on the profile alone, which skips every test.".to_owned(),
        (0, _) if unrepeated == 0 => format!("{captures}, and nobody has repeated a run."),
        (0, _) => format!(
            "{captures}, and none of {} tried could be repeated.",
            counted(unrepeated, "result that was", "results that were")
        ),
        (_, 0) => format!(
            "The verdict rests on runs of this verifier: {} on the package's subject, and each came out as submitted.",
            counted(replayed, "result was repeated", "results were repeated")
        ),
        (_, _) => {
            let runs = u32::try_from(replayed).unwrap_or(u32::MAX);
            // No sample contains a result without a capture.
            let of = results.iter().filter(|result| result.capture.is_some()).count();
            let bought = what_it_buys(Counts::new(0, runs), unrepeated, of);
            format!("{captures}, and {bought}.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPTURES: &str = "The verdict rests on captures that the submitter sent in: each result was computed anew from them, and ";

    fn result(basis: Basis, has_capture: bool) -> ResultLine {
        let value = serde_json::json!({
            "run": {
                "test": "wormhole_b0::group::suite::case", "device": "sim", "harvesting": 0,
                "dispatch": "host", "schedule_seed": 0, "repeat": 1, "pass": "canonical",
            },
            "verdict": { "name": "Pass" }, "basis": basis, "milliseconds": 1,
        });
        let capture = has_capture.then_some(ContentHash([1; 32]));
        ResultLine { capture, ..serde_json::from_value(value).unwrap() }
    }

    /// The sentence about so many results: replayed, submitted, and asserted without a capture.
    fn of([replayed, submitted, without]: [usize; 3], unrepeated: usize) -> String {
        let kinds = [
            (replayed, result(Basis::Replayed, true)),
            (submitted, result(Basis::Submitted, true)),
            (without, result(Basis::Asserted, false)),
        ];
        let all = kinds.into_iter().flat_map(|(count, it)| std::iter::repeat_n(it, count));
        rests_on(&all.collect::<Vec<_>>(), unrepeated, 0)
    }

    #[test]
    fn a_verdict_rests_on_what_was_repeated_and_on_no_more() {
        let skips = rests_on(&[result(Basis::Recomputed, false)], 0, 0);
        assert_eq!(skips, "The verdict rests on the profile alone, which skips every test.");
        let nobody = format!("{CAPTURES}nobody has repeated a run.");
        assert_eq!(of([0, 9, 0], 0), nobody);
        let none = format!("{CAPTURES}none of 9 results that were tried could be repeated.");
        assert_eq!(of([0, 9, 1], 9), none);
        assert_eq!(
            of([9, 0, 0], 0),
            "The verdict rests on runs of this verifier: 9 results were repeated on the package's subject, and each came out as submitted."
        );
        // Only what can be drawn is in the bound.
        let bound = "59 results were repeated without a difference; at 95 % confidence, fewer than 5.0 % of the 400 results that have a capture would differ.";
        assert_eq!(of([59, 341, 0], 0), format!("{CAPTURES}{bound}"));
        assert_eq!(of([59, 341, 600], 0), format!("{CAPTURES}{bound}"));
        // Without the results that could not be repeated the rest is no random sample.
        let known = "59 of 400 results were repeated and agree; nothing is known of the others.";
        assert_eq!(of([59, 341, 600], 1), format!("{CAPTURES}{known}"));
        let claimed = rests_on(&[result(Basis::Asserted, false)], 0, 1);
        assert!(claimed.contains(": each result but one was computed anew from"), "{claimed}");
        let all = "each result that has a capture was repeated.";
        assert_eq!(of([9, 0, 1], 0), format!("{CAPTURES}{all}"));
    }
}
