//! The waivers of an accepted package as data of its report: the excused failures, and the last days.

use std::collections::BTreeSet;

use hallmark_package::{Package, Timestamp};
use hallmark_report::{Tone, Waiver as ShownWaiver};
use hallmark_schema::plural::counted;
use hallmark_suite::read::Choice as _;

use crate::results::ResultLine;
use crate::waivers::Waiver;

/// The waivers that excuse a result, ascending by name. An accepted package has no others.
pub(super) fn waivers(
    package: &Package<'_>,
    results: &[ResultLine],
    at: Timestamp,
    approvers_are_known: bool,
) -> Vec<ShownWaiver> {
    let names: BTreeSet<&str> =
        results.iter().filter_map(|result| result.waiver.as_deref()).collect();
    let read = |name: &str| {
        let file = format!("waivers/{name}.yaml");
        let text = std::str::from_utf8(package.file(&file)?).ok()?;
        Waiver::of_text(file, text).ok()
    };
    let waivers = names.into_iter().filter_map(read);
    waivers.map(|waiver| shown(&waiver, at, approvers_are_known)).collect()
}

fn shown(waiver: &Waiver, at: Timestamp, approver_is_known: bool) -> ShownWaiver {
    let file = waiver.file();
    let last = file.until.value;
    let (tone, left) = match last.days_left(at) {
        None => (Tone::Bad, "which is over".to_owned()),
        Some(0) => (Tone::Excused, "the day of this report".to_owned()),
        Some(days) => (Tone::Excused, format!("in {}", counted(days, "day", "days"))),
    };
    let failure = file.verdict.0.name();
    let approver = &file.approved.value;
    ShownWaiver {
        name: waiver.id().to_owned(),
        tests: file.tests.iter().map(|at| at.value.clone()).collect(),
        matches: file.matches.value,
        failure: match &file.output {
            Some(output) => format!("{failure} of `{}`", output.text),
            None => failure.to_owned(),
        },
        reason: file.reason.clone(),
        link: Some(file.issue.value.clone()),
        until: format!("{last}, {left}"),
        tone,
        approved_by: match approver_is_known {
            true => approver.clone(),
            false => format!("{approver}, whose signature nobody has verified"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> ShownWaiver {
        let text = "waiver: W-1\ntests: [dataflow]\nmatches: 2\nverdict: Mismatch\noutput: out\n\
                    reason: known\nissue: https://example.org/1\nfrom: 2026-11-01\nuntil: 2027-01-01\n\
                    approved: reviewer@example.org\n";
        let waiver = Waiver::of_text("waivers/W-1.yaml".to_owned(), text).unwrap();
        shown(&waiver, time.parse().unwrap(), false)
    }

    #[test]
    fn a_waiver_says_how_long_it_lasts() {
        let until = |time| {
            let shown = at(time);
            (shown.until, shown.tone)
        };
        let excused = |text: &str| (text.to_owned(), Tone::Excused);
        assert_eq!(until("2026-12-30T23:59:59Z"), excused("2027-01-01, in 2 days"));
        assert_eq!(until("2026-12-31T00:00:00Z"), excused("2027-01-01, in 1 day"));
        assert_eq!(until("2027-01-01T23:59:59Z"), excused("2027-01-01, the day of this report"));
        let over = ("2027-01-01, which is over".to_owned(), Tone::Bad);
        assert_eq!(until("2027-01-02T00:00:00Z"), over);
    }

    #[test]
    fn a_waiver_names_what_it_excuses_and_who_vouches_for_it() {
        let shown = at("2026-12-01T00:00:00Z");
        assert_eq!((shown.failure.as_str(), shown.matches), ("Mismatch of `out`", 2));
        assert!(shown.approved_by.contains("nobody has verified"), "{}", shown.approved_by);
    }
}
