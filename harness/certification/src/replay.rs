//! Repeats results of a package on a device: the only evidence that a device gave them.
//!
//! The reviewer's seed selects the repeated results, and nothing in the package influences it: a submitter
//! could otherwise vary the package until the sample misses the wrong results.

use hallmark_package::Package;
use hallmark_schema::model::{Capture, ContentHash};
use hallmark_search::statistics::{Confidence, Counts};

use super::packed_capture::{PackedCaptureError, packed_capture};
use super::results::{ResultLine, RunKey};

/// A result that can be repeated.
#[derive(Clone, Debug)]
pub struct Repeatable<'a> {
    /// Its run.
    pub run: &'a RunKey,
    /// The hash of the capture.
    pub capture: ContentHash,
}

/// What came of repeating a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repeated {
    /// Every call ended and every read returned as the package says.
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
    /// The number of results without one: skipped, or asserted without evidence.
    pub without_capture: usize,
}

impl<'a> Sample<'a> {
    /// All repeatable results, or the given number of them, selected by the seed.
    pub fn of(results: &'a [ResultLine], drawn: Option<(usize, u64)>) -> Self {
        let repeatable = |result: &'a ResultLine| {
            let capture = result.capture?;
            Some(Repeatable { run: &result.run, capture })
        };
        let mut chosen: Vec<(usize, Repeatable<'a>)> =
            results.iter().filter_map(repeatable).enumerate().collect();
        let of = chosen.len();
        if let Some((size, seed)) = drawn {
            chosen.sort_by_cached_key(|(_, it)| lot(seed, it.run));
            chosen.truncate(size);
            chosen.sort_by_key(|(place, _)| *place);
        }
        let chosen = chosen.into_iter().map(|(_, it)| it).collect();
        Self { chosen, of, without_capture: results.len().saturating_sub(of) }
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

/// The conclusion from a sample about all results, in one line: the largest share of differing results at 95 %
/// confidence.
pub fn what_it_buys(counts: Counts, of: usize) -> String {
    let (runs, otherwise) = (counts.runs(), counts.failures());
    if runs == 0 {
        return "nothing was repeated, so nothing is known".to_owned();
    }
    if usize::try_from(runs).is_ok_and(|runs| runs >= of) {
        return "each result that has a capture was repeated".to_owned();
    }
    let confidence = Confidence::OF_BOUNDS;
    let most = 100.0 * counts.upper_bound(confidence);
    let found = if otherwise == 0 {
        format!("{runs} results were repeated without a difference")
    } else {
        format!("{otherwise} of {runs} repeated results differ")
    };
    format!(
        "{found}; at {confidence} confidence, fewer than {most:.1} % of all {of} results would differ"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_buys_what_statistics_say() {
        let of = |otherwise, runs| what_it_buys(Counts::new(otherwise, runs), 4624);
        assert_eq!(
            of(0, 59),
            "59 results were repeated without a difference; at 95 % confidence, fewer than 5.0 % of all 4624 results would differ"
        );
        assert!(of(0, 299).contains("fewer than 1.0 %"));
        assert!(of(1, 59).starts_with("1 of 59 repeated results differ; "));
        assert_eq!(of(0, 4624), "each result that has a capture was repeated");
        assert_eq!(of(0, 0), "nothing was repeated, so nothing is known");
    }
}
