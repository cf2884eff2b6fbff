//! The exit code of a search whose log cannot be used.

use hallmark_pipeline::verdict::ExitCode;
use hallmark_triage::log::LogError;

use super::Failed;

/// The failure of a search that cannot begin its log, or cannot go on with it. A new log that cannot be written is the
/// machine's failure, such as a full disk.
pub(super) fn unusable(error: LogError, is_resumed: bool) -> Failed {
    let is_of_machine = matches!(error, LogError::File { .. }) && !is_resumed;
    Failed::new(if is_of_machine { ExitCode::INTERNAL } else { ExitCode::USAGE }, error)
}
