//! Repeats results of a package on a device: the only evidence that a device gave them.
//!
//! The reviewer's seed selects the repeated results, and nothing in the package influences it: a submitter
//! could otherwise vary the package until the sample misses the wrong results.

use hallmark_package::Package;
use hallmark_schema::model::{Capture, ContentHash};
use hallmark_schema::plural::counted;
use hallmark_search::statistics::{Confidence, Counts};

use super::packed_capture::{PackedCaptureError, packed_capture};
use super::results::{ResultLine, RunKey};

/// A result that can be repeated.
#[derive(Clone, Debug)]
pub struct Repeatable<'a> {
    /// The result, as the package claims it.
    pub result: &'a ResultLine,
    /// The hash of the capture.
    pub capture: ContentHash,
}

/// The outcome of repeating a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repeated {
    /// Every call ended and every read returned as the package says. Where the package says how a process ended, it ended
    /// so again.
    Same,
    /// The repetition differs from the package.
    Differs(String),
    /// The result could not be repeated.
    Unknown(String),
}

/// The selected results, and the number of results to select from.
#[derive(Clone, Debug)]
pub struct Sample<'a> {
    /// The selected results, in the order of the package.
    pub chosen: Vec<Repeatable<'a>>,
    /// The number of results with a capture.
    pub of: usize,
    /// The results of runs that left no capture, and so no evidence. No sample contains them.
    pub without_capture: Vec<&'a ResultLine>,
}

impl<'a> Sample<'a> {
    /// All repeatable results, or the given number of them, selected by the seed.
    pub fn of(results: &'a [ResultLine], drawn: Option<(usize, u64)>) -> Self {
        let repeatable = |result: &'a ResultLine| {
            let capture = result.capture?;
            Some(Repeatable { result, capture })
        };
        let mut chosen: Vec<(usize, Repeatable<'a>)> =
            results.iter().filter_map(repeatable).enumerate().collect();
        let of = chosen.len();
        if let Some((size, seed)) = drawn {
            chosen.sort_by_cached_key(|(_, it)| lot(seed, &it.result.run));
            chosen.truncate(size);
            chosen.sort_by_key(|(place, _)| *place);
        }
        let chosen = chosen.into_iter().map(|(_, it)| it).collect();
        let without_capture = results.iter().filter(|it| it.is_without_capture()).collect();
        Self { chosen, of, without_capture }
    }
}

/// The lot of a run; the lowest ones are selected. It depends only on the seed and the run.
fn lot(seed: u64, run: &RunKey) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(run.to_string().as_bytes());
    *hasher.finalize().as_bytes()
}

/// The capture of a result, for the repetition.
///
/// # Errors
/// [`PackedCaptureError`].
pub fn capture(
    package: &Package<'_>,
    repeatable: &Repeatable<'_>,
) -> Result<Capture, PackedCaptureError> {
    packed_capture(package, repeatable.capture)
}

/// The conclusion about the `of` results that have a capture, in one line. A sample of them tells the largest share of
/// differing results at 95 % confidence. If some of the sample are `unknown`, it tells nothing about the other results:
/// what could not be repeated may be what differs.
pub fn what_it_buys(counts: Counts, unknown: usize, of: usize) -> String {
    let (runs, otherwise) = (counts.runs(), counts.failures());
    if runs == 0 {
        return "nothing was repeated, so nothing is known".to_owned();
    }
    if usize::try_from(runs).is_ok_and(|runs| runs >= of) {
        return "each result that has a capture was repeated".to_owned();
    }
    if unknown > 0 {
        let found = if otherwise == 0 {
            format!("{runs} of {} were repeated and agree", counted(of, "result", "results"))
        } else {
            format!(
                "{otherwise} of {} differ",
                counted(runs, "repeated result", "repeated results")
            )
        };
        return format!("{found}; nothing is known of the others");
    }
    let confidence = Confidence::OF_BOUNDS;
    let most = 100.0 * counts.upper_bound(confidence);
    let found = if otherwise == 0 {
        let results = counted(runs, "result was", "results were");
        format!("{results} repeated without a difference")
    } else {
        format!("{otherwise} of {runs} repeated results differ")
    };
    format!(
        "{found}; at {confidence} confidence, fewer than {most:.1} % of the {of} results that have a capture would differ"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_buys_what_statistics_say() {
        let of = |otherwise, runs| what_it_buys(Counts::new(otherwise, runs), 0, 4624);
        assert_eq!(
            of(0, 59),
            "59 results were repeated without a difference; at 95 % confidence, fewer than 5.0 % of the 4624 results that have a capture would differ"
        );
        assert!(of(0, 299).contains("fewer than 1.0 %"));
        assert!(of(1, 59).starts_with("1 of 59 repeated results differ; "));
        assert_eq!(of(0, 4624), "each result that has a capture was repeated");
        assert_eq!(of(0, 0), "nothing was repeated, so nothing is known");
        assert!(of(0, 1).starts_with("1 result was repeated without a difference; at 95 %"));
    }

    /// What could not be repeated may be just what differs.
    #[test]
    fn a_sample_that_is_partly_unknown_buys_nothing_about_the_others() {
        let of = |otherwise, runs, of| what_it_buys(Counts::new(otherwise, runs), 1, of);
        assert_eq!(
            of(0, 59, 4624),
            "59 of 4624 results were repeated and agree; nothing is known of the others"
        );
        assert_eq!(
            of(2, 59, 60),
            "2 of 59 repeated results differ; nothing is known of the others"
        );
        assert_eq!(of(0, 0, 60), "nothing was repeated, so nothing is known");
    }
}
