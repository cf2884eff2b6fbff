//! Tests that did not pass: an index, and the details of each.

use maud::{Markup, html};

use super::class;
use crate::drawings::picture;
use crate::model::{Failure, FailureGroup, Remedy};
use crate::room::Room;
use crate::text::{counted, grouped, line, name, prose, to_u64, word};

/// The largest index, in bytes of the page.
const INDEX: usize = 100_000;
/// The largest number of unfolded index lines.
const OPEN: usize = 12;
/// The largest size of all details, in bytes of the page.
const DETAILS: usize = 2_200_000;
/// The largest size of one failure, in bytes of the page.
const ONE: usize = 200_000;
/// The largest number of lines per failure.
const LINES: usize = 60;
/// The largest number of pictures per failure.
const PICTURES: usize = 12;
/// The largest number of remedies, and of earlier runs.
const REMEDIES: usize = 12;

/// The anchor of a group of failures on the page.
fn anchor(place: usize) -> String {
    format!("f{}", place.saturating_add(1))
}

/// The sections about failures: the index near the top of the page, and the details further down.
pub(crate) struct Failures {
    /// A line for each described group.
    pub(crate) index: Markup,
    /// The details of each failure.
    pub(crate) details: Markup,
}

/// A group that fits on the page.
struct ShownGroup<'a> {
    place: usize,
    group: &'a FailureGroup,
    first: &'a Failure,
    card: Markup,
    others: Vec<Markup>,
}

/// The groups that fit. Every group shows its first failure before any shows its second.
pub(crate) fn failures(groups: &[FailureGroup]) -> Failures {
    let mut room = Room::new(DETAILS);
    let mut shown: Vec<ShownGroup<'_>> = Vec::new();
    let mut left_out: u64 = 0;
    let mut hidden_groups: u64 = 0;
    let mut is_full = false;
    for (place, group) in groups.iter().enumerate() {
        let Some(first) = group.failures.first() else { continue };
        // Markup that does not fit is not made at all, because there may be thousands of failures.
        let card = (!is_full).then(|| grouped_card(group, first));
        match card.filter(|card| room.take(card)) {
            Some(card) => shown.push(ShownGroup { place, group, first, card, others: Vec::new() }),
            None => {
                is_full = true;
                left_out = left_out.saturating_add(to_u64(group.failures.len()));
                hidden_groups = hidden_groups.saturating_add(1);
            }
        }
    }
    for shown in &mut shown {
        let fitting = room.fit(shown.group.failures.iter().skip(1), folded);
        left_out = left_out.saturating_add(fitting.left_out);
        shown.others = fitting.entries;
    }
    Failures { index: index(&shown, hidden_groups), details: details(&shown, left_out) }
}

fn grouped_card(group: &FailureGroup, first: &Failure) -> Markup {
    html! {
        @if let Some(title) = &group.title { p.signature { (prose(title)) } }
        (card(first))
    }
}

/// A line for each described group of failures, with a link to it.
fn index(shown: &[ShownGroup<'_>], hidden_groups: u64) -> Markup {
    if shown.is_empty() {
        return html! {};
    }
    let mut room = Room::new(INDEX);
    let (first, rest) = shown.split_at_checked(OPEN).unwrap_or((shown, &[]));
    let entry = |ShownGroup { place, group, first, .. }: &ShownGroup<'_>| {
        let more = to_u64(group.failures.len().saturating_sub(1));
        html! {
            li {
                a href={ "#" (anchor(*place)) } {
                    span class={ "label " (class(first.tone)) } { (word(&first.label)) }
                    span.name { (name(&first.name)) }
                    @if more > 0 { span.more { "+ " (grouped(more)) " alike" } }
                }
                @if let Some(gist) = first.lines.first() { p { (prose(gist)) } }
            }
        }
    };
    let open = room.fit(first, entry);
    let folded = room.fit(rest, entry);
    let left_out = open.left_out.saturating_add(folded.left_out).saturating_add(hidden_groups);
    html! {
        section.index {
            h2 { "What failed" }
            ol { @for entry in &open.entries { (entry) } }
            @if !folded.entries.is_empty() {
                details {
                    summary { (counted(to_u64(folded.entries.len()), "more kind", "more kinds")) " of failures" }
                    ol { @for entry in &folded.entries { (entry) } }
                }
            }
            @if left_out > 0 { p.muted { "and " (counted(left_out, "more kind", "more kinds")) " of failures" } }
        }
    }
}

/// The details of each failure that fits.
fn details(shown: &[ShownGroup<'_>], left_out: u64) -> Markup {
    html! {
        @if !shown.is_empty() {
            section.failures {
                h2 { "Failures" }
                @for ShownGroup { place, card, others, .. } in shown {
                    section.group id=(anchor(*place)) {
                        (card)
                        @if !others.is_empty() {
                            details.alike {
                                summary { (counted(to_u64(others.len()), "more test", "more tests")) " failed alike" }
                                @for other in others { (other) }
                            }
                        }
                    }
                }
                @if left_out > 0 {
                    p.muted {
                        "This page has no room for " (counted(left_out, "more failure", "more failures"))
                        "; the list of all tests names them."
                    }
                }
            }
        }
    }
}

/// A folded failure.
fn folded(failure: &Failure) -> Markup {
    html! {
        details {
            summary {
                span class={ "label " (class(failure.tone)) } { (word(&failure.label)) }
                span.name { (name(&failure.name)) }
            }
            (body(failure))
        }
    }
}

/// A failure in full.
fn card(failure: &Failure) -> Markup {
    html! {
        article {
            h3 {
                span class={ "label " (class(failure.tone)) } { (word(&failure.label)) }
                span.name { (name(&failure.name)) }
            }
            (body(failure))
        }
    }
}

fn body(failure: &Failure) -> Markup {
    let mut room = Room::new(ONE);
    let pictures = room.fit(failure.pictures.iter().take(PICTURES), picture);
    let lines = failure.lines.iter().skip(1).take(LINES);
    let indent = |text: &String| text.len().saturating_sub(text.trim_start_matches(' ').len());
    let common = lines.clone().map(indent).min().unwrap_or(0);
    let lines = room.fit(lines, |text| html! { (line(text.get(common..).unwrap_or(text))) "\n" });
    let more =
        to_u64(failure.lines.len().saturating_sub(1)).saturating_sub(to_u64(lines.entries.len()));
    html! {
        @if let Some(gist) = failure.lines.first() { p.gist { (prose(gist)) } }
        @if let Some(at) = &failure.written_at { p.muted { "written at " code { (line(at)) } } }
        @for text in failure.earlier.iter().take(REMEDIES) { p.muted { (line(text)) } }
        (further(failure.earlier.len(), REMEDIES, "more earlier run", "more earlier runs"))
        @if !pictures.entries.is_empty() {
            div.pictures { @for picture in &pictures.entries { (picture) } }
        }
        (further(failure.pictures.len(), pictures.entries.len(), "more picture", "more pictures"))
        @if !lines.entries.is_empty() {
            pre.report {
                @for text in &lines.entries { (text) }
                @if more > 0 { "… " (counted(more, "more line", "more lines")) }
            }
        }
        @if !failure.remedies.is_empty() {
            dl.remedies {
                @for Remedy { name: what, text, is_command } in failure.remedies.iter().take(REMEDIES) {
                    dt { (word(what)) }
                    dd { @if *is_command { code.command { (line(text)) } } @else { (prose(text)) } }
                }
            }
        }
        (further(failure.remedies.len(), REMEDIES, "more remedy", "more remedies"))
        @if let Some(signature) = &failure.signature {
            details.raw { summary { "signature" } code { (line(signature)) } }
        }
    }
}

/// The note about the rest of a shortened list.
fn further(all: usize, shown: usize, one: &str, many: &str) -> Markup {
    let more = to_u64(all.saturating_sub(shown));
    html! { @if more > 0 { p.muted { "and " (counted(more, one, many)) } } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Tone;

    fn failure(number: usize, lines: usize) -> Failure {
        Failure {
            name: format!("wormhole_b0::group::suite::case::n={number}"),
            label: "FAIL".to_owned(),
            tone: Tone::Bad,
            written_at: None,
            lines: (0..lines).map(|line| format!("line {line} of {number}")).collect(),
            pictures: Vec::new(),
            remedies: Vec::new(),
            signature: None,
            earlier: Vec::new(),
        }
    }

    fn group(failures: Vec<Failure>) -> FailureGroup {
        FailureGroup { title: None, failures }
    }

    #[test]
    fn failures_that_are_alike_are_one_line_of_the_index() {
        let groups =
            [group(vec![failure(0, 1), failure(1, 1), failure(2, 1)]), group(vec![failure(3, 1)])];
        let text = failures(&groups).index.into_string();
        assert_eq!(text.matches("<li>").count(), 2, "{text}");
        assert!(text.contains("+ 2 alike") && text.contains("href=\"#f2\""), "{text}");
        let text = failures(&groups).details.into_string();
        assert!(text.contains("id=\"f2\"") && text.contains("2 more tests failed alike"), "{text}");
        assert_eq!(text.matches("class=\"gist\"").count(), 4, "{text}");
        // A group without failures is not shown.
        for nothing in [&[] as &[_], &[group(Vec::new())]] {
            let nothing = failures(nothing);
            assert!(nothing.index.0.is_empty() && nothing.details.0.is_empty());
        }
    }

    #[test]
    fn a_long_report_is_cut_and_says_how_much_is_missing() {
        let text = |lines| failures(&[group(vec![failure(0, lines)])]).details.into_string();
        assert!(!text(LINES + 1).contains("more line"));
        assert!(text(LINES + 2).contains("… 1 more line"), "{}", text(LINES + 2));
    }

    #[test]
    fn each_kind_has_its_first_failure_before_any_has_its_second() {
        let long = |number| {
            let mut failure = failure(number, 1);
            failure.lines = vec!["x".repeat(900); 50];
            failure
        };
        let groups = [group((0..100).map(long).collect()), group(vec![long(1000)])];
        let text = failures(&groups).details.into_string();
        assert!(text.len() < DETAILS + 10_000);
        assert!(text.contains("n=1000"), "the second kind is left out");
        assert!(
            text.contains("This page has no room for "),
            "nothing says that failures are left out"
        );
    }

    #[test]
    fn the_index_leads_only_to_what_is_described() {
        let long = |number| {
            let mut failure = failure(number, 1);
            failure.lines = vec!["x".repeat(900); 50];
            group(vec![failure])
        };
        let Failures { index, details } = failures(&(0..100).map(long).collect::<Vec<_>>());
        let (index, details) = (index.into_string(), details.into_string());
        let links: Vec<&str> =
            index.split("href=\"#").skip(1).filter_map(|it| Some(it.split_once('"')?.0)).collect();
        assert!(links.len() > 10 && links.len() < 100, "{}", links.len());
        for link in &links {
            assert!(details.contains(&format!("id=\"{link}\"")), "{link}");
        }
        let hidden = format!("and {} more kinds of failures", 100 - links.len());
        assert!(index.contains(&hidden), "{hidden}");
    }
}
