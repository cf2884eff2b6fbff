//! The gate for publishers of a profile: the number of planted defects that its tests find.

use std::collections::BTreeSet;
use std::path::Path;

use hallmark_certification::lock::MutationScore;
use hallmark_execution::whole_file;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_suite::discover::Root;

use crate::cli::Failed;

/// The largest list of defects, in bytes.
const FILE_LIMIT: u64 = 16 << 20;

/// Compares the score that a profile states with the list of found defects; gives a line that reports the
/// score.
pub(super) fn check(
    root: &Root,
    score: Option<MutationScore>,
    list: Option<&Path>,
) -> Result<String, Failed> {
    let refused = |text: String| Err(Failed::new(ExitCode::USAGE, text));
    let (score, list) = match (score, list) {
        (None, None) => return Ok(String::new()),
        (None, Some(list)) => {
            return refused(format!(
                "the conformance profile states no `score`, so {} says nothing about it; leave --found out",
                list.display()
            ));
        }
        (Some(MutationScore { at_least, of }), None) => {
            return refused(format!(
                "the conformance profile states that its tests find {at_least} of {of} planted defects; name those that were \
                 found with --found"
            ));
        }
        (Some(score), Some(list)) => (score, list),
    };
    let unreadable = |error: &dyn std::fmt::Display| {
        Failed::new(ExitCode::USAGE, format!("{} cannot be read: {error}", list.display()))
    };
    let bytes = root.refuse_links(list).and_then(|()| whole_file::read(list, FILE_LIMIT));
    let bytes = bytes.map_err(|error| unreadable(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| unreadable(&error))?;
    let mut found = BTreeSet::new();
    for (line, name) in (1_usize..).zip(text.lines().map(str::trim)) {
        if !name.is_empty() && !found.insert(name) {
            return refused(format!("{}:{line} names `{name}` again", list.display()));
        }
    }
    let MutationScore { at_least, of } = score;
    let number = u32::try_from(found.len()).unwrap_or(u32::MAX);
    if !(at_least..=of).contains(&number) {
        return refused(format!(
            "{} names {number} planted defects, and the conformance profile states at least {at_least} of {of}; add tests, or \
             state what is so",
            list.display()
        ));
    }
    Ok(format!(", which find {number} of {of} planted defects"))
}
