//! How far the verification of a package has come, on stderr.

use std::fmt;
use std::sync::OnceLock;

use hallmark_certification::results::RunKey;
use hallmark_certification::verify::Listener;

use super::progress::{Form, Progress};

/// The progress of the results that a verifier computes. It begins as soon as their number is known.
#[derive(Default)]
pub(super) struct VerifierProgress(OnceLock<Progress>);

impl fmt::Debug for VerifierProgress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("VerifierProgress")
    }
}

impl Listener for VerifierProgress {
    fn begin(&self, results: usize) {
        let progress = || Progress::with_estimate(results, "results", Form::of_stderr());
        let _ = self.0.get_or_init(progress);
    }

    fn end(&self, run: &RunKey, is_right: bool) {
        if let Some(progress) = self.0.get() {
            progress.begin(&run.test.to_string());
            progress.end(is_right, None::<fn()>);
        }
    }

    fn close(&self) {
        if let Some(progress) = self.0.get() {
            progress.close();
        }
    }
}
