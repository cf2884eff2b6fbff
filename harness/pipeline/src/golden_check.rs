//! Compares a capture with its golden.

use hallmark_schema::class::FieldClass;
use hallmark_schema::model::Capture;
use hallmark_schema::{CaptureError, Golden, program_bytes};
use hallmark_suite::checks::Check;
use hallmark_suite::name::TestName;

use super::finding::Finding;
use super::settings::Settings;
use super::test_folder::TestFolder;
use super::{judge, signatures};
use crate::golden::{self, GoldenDifference, StoredGolden};
use crate::signature::Signature;
use crate::verdict::{ExitCode, Verdict};

/// The result of the replay before the golden check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replay {
    /// The replay repeated the capture.
    Agreed,
    /// The capture cannot be replayed on the other chip.
    DidNotApply,
}

impl Replay {
    /// The result of both runs, as the second half of a sentence.
    const fn words(self) -> &'static str {
        match self {
            Self::Agreed => "capture and replay agree",
            Self::DidNotApply => "no replay applies",
        }
    }
}

/// The difference between a capture and its golden.
pub(super) fn compare_with_golden(
    settings: &Settings,
    name: &TestName,
    capture: &Capture,
    replay: Replay,
    kept: &TestFolder,
) -> Option<Finding> {
    let bless = format!("If this is intended: hallmark bless {name}");
    let changed =
        |what: &str| Finding::new(Verdict::Changed, format!("{what}; {}", replay.words()));
    match golden::read(&settings.root, name) {
        StoredGolden::Absent if !Check::GoldenPresent.finds(true) => None,
        StoredGolden::Absent => Some(
            Finding::new(Verdict::Missing, format!("there is no golden {}", name.golden_path()))
                .line(format!(
                    "The expectations hold, and {}. To accept: hallmark bless {name}",
                    replay.words()
                )),
        ),
        StoredGolden::Unreadable(_) if !Check::GoldenReadable.finds(true) => None,
        StoredGolden::Unreadable(problem) => Some(
            changed(&format!("{} cannot be used: {problem}", name.golden_path()))
                .line("Restore it from version control, or bless the test again.")
                .exit(ExitCode::CAPTURE),
        ),
        StoredGolden::Present(golden) => match golden::compare(&golden, capture) {
            Ok(None) => None,
            Ok(Some(GoldenDifference::Program(before))) => {
                kept.differences(&judge::all_program_differences(&before, &capture.program));
                let what = golden::what_changed(&before, &capture.program);
                Some(
                    changed(&what)
                        .signed(signatures::of_programs(&before, &capture.program))
                        .lines(judge::program_differences(&before, &capture.program))
                        .line(bless),
                )
            }
            Ok(Some(GoldenDifference::Digest { golden, capture })) => Some(
                changed(&format!("the program part has the hash {capture}, its golden {golden}"))
                    .signed(Some(Signature::unstable(FieldClass::Stable, "program part")))
                    .line(bless),
            ),
            Ok(Some(GoldenDifference::Outputs(lines))) => {
                let outputs = Golden::of(capture, true).map(|now| now.outputs);
                let signature =
                    outputs.ok().and_then(|now| signatures::of_outputs(&golden.outputs, &now));
                let finding = changed("the outputs differ from their golden").signed(signature);
                Some(finding.lines(lines).line(bless))
            }
            Err(error) => Some(Finding::new(Verdict::InternalError, error.to_string())),
        },
    }
}

/// A capture from which no golden can be made.
#[derive(Debug, thiserror::Error)]
#[error("{0}; a case with a large program part says `golden: {{ digest: reason }}`")]
pub struct GoldenError(#[source] CaptureError);

/// The golden of a capture, as a file.
///
/// # Errors
/// The program part breaks a rule of the format, or is larger than a golden may be.
pub fn golden_bytes(capture: &Capture, digest: bool) -> Result<Vec<u8>, GoldenError> {
    Golden::of(capture, digest).and_then(|golden| golden.to_bytes()).map_err(GoldenError)
}

/// Bytes of a capture's program part.
pub fn program_size(capture: &Capture) -> usize {
    program_bytes(&capture.program).map_or(0, |bytes| bytes.len())
}
