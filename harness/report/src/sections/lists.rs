//! Lists for reference: waivers, headroom, differences, tests by reason, all tests.

use maud::{Markup, html};

use super::class;
use crate::model::{
    Difference, DifferenceGroup, Fact, Headroom, ListedTest, Reason, ReasonList, Waiver,
};
use crate::room::{Fitting, Room};
use crate::text::{counted, duration, grouped, line, name, prose, to_u64, word};

/// The largest list of all tests, in bytes of the page.
const TESTS: usize = 1_200_000;
/// The largest of the other lists, in bytes of the page.
const OTHER: usize = 150_000;
/// The largest number of unfolded entries of a difference.
const OPEN: usize = 20;
/// The largest number of kinds of differences and of lists with reasons; reports have fewer.
const KINDS: usize = 16;

/// The note about the entries that do not fit.
fn rest(fitting: &Fitting) -> Markup {
    html! {
        @if fitting.left_out > 0 {
            p.muted { "and " (grouped(fitting.left_out)) " more, for which this page has no room" }
        }
    }
}

/// The differences from the results of another package.
pub(crate) fn difference(difference: Option<&Difference>) -> Markup {
    let Some(Difference { base, groups }) = difference else { return html! {} };
    let mut room = Room::new(OTHER);
    let is_empty = groups.iter().all(|group| group.tests.is_empty());
    html! {
        section {
            h2 { "Compared with " (line(base)) }
            @if is_empty { p { "No test came out otherwise." } }
            @for group in groups.iter().take(KINDS).filter(|group| !group.tests.is_empty()) {
                (difference_group(group, &mut room))
            }
            (further(groups.len()))
        }
    }
}

fn difference_group(group: &DifferenceGroup, room: &mut Room) -> Markup {
    let fitting = room.fit(&group.tests, |Fact { name: test, value }| {
        html! { li { span.name { (name(test)) } @if !value.is_empty() { p { (line(value)) } } } }
    });
    let heading = html! {
        span class={ "label " (class(group.tone)) } { (grouped(to_u64(group.tests.len()))) } (line(&group.title))
    };
    let list = html! { ul.plain { @for entry in &fitting.entries { (entry) } } (rest(&fitting)) };
    html! {
        @if group.tests.len() <= OPEN {
            details open { summary { (heading) } (list) }
        } @else {
            details { summary { (heading) } (list) }
        }
    }
}

/// Excused failures with their expiry.
pub(crate) fn waivers(waivers: &[Waiver]) -> Markup {
    let fitting = Room::new(OTHER).fit(waivers, |waiver| {
        html! {
            article {
                h3 {
                    span class={ "label " (class(waiver.tone)) } { "until " (word(&waiver.until)) }
                    span.name { (name(&waiver.name)) }
                }
                p.gist { (prose(&waiver.reason)) }
                p.muted {
                    (line(&waiver.failure)) " in " (counted(waiver.matches, "test", "tests"))
                    " · approved by " (line(&waiver.approved_by))
                }
                ul.plain { @for test in waiver.tests.iter().take(KINDS) { li.name { (name(test)) } } }
                (further(waiver.tests.len()))
                @if let Some(address) = &waiver.link { p { (link(address)) } }
            }
        }
    });
    html! {
        @if !waivers.is_empty() {
            section {
                h2 { "Waivers" }
                @for entry in &fitting.entries { (entry) }
                (rest(&fitting))
            }
        }
    }
}

/// A link, if the address is that of a web page. The address is always shown in full.
fn link(address: &str) -> Markup {
    let is_plain = |byte: u8| byte.is_ascii_graphic();
    let is_page = address.starts_with("https://") && address.bytes().all(is_plain);
    html! {
        @if is_page && address.len() <= crate::text::LINE {
            a href=(address) rel="noopener noreferrer nofollow" { (line(address)) }
        } @else {
            (line(address))
        }
    }
}

/// The distance of outputs with a tolerance from its limit.
pub(crate) fn headroom(headroom: &[Headroom]) -> Markup {
    let fitting = Room::new(OTHER).fit(headroom, |Headroom { test, output, used, allowed }| {
        let used = if used.is_finite() { used.clamp(0.0, 9.99) } else { 9.99 };
        let tone = if used > 1.0 {
            "bad"
        } else if used > 0.5 {
            "excused"
        } else {
            "good"
        };
        let percent = format!("{:.0} %", used * 100.0);
        let width = format!("width:{:.0}%", used.min(1.0) * 100.0);
        html! {
            tr {
                td.name { (name(test)) }
                td { code { (word(output)) } }
                td { div.gauge { span class=(tone) style=(width) {} } }
                td.number data-name="used" { (percent) }
                td.muted.phrase data-name="allowed" { (line(allowed)) }
            }
        }
    });
    html! {
        @if !headroom.is_empty() {
            section {
                h2 { "Tolerances" }
                details {
                    summary { (counted(to_u64(headroom.len()), "output", "outputs")) " with a tolerance, the closest to the limit first" }
                    div.scroll {
                        table.rows {
                            thead { tr { th { "Test" } th { "Output" } th { "Used" } th {} th { "Allowed" } } }
                            tbody { @for entry in &fitting.entries { (entry) } }
                        }
                    }
                    (rest(&fitting))
                }
            }
        }
    }
}

/// The note about the kinds that are not shown.
fn further(kinds: usize) -> Markup {
    let more = to_u64(kinds.saturating_sub(KINDS));
    html! { @if more > 0 { p.muted { "and " (grouped(more)) " more" } } }
}

/// Tests, grouped by their reasons.
pub(crate) fn reasons(lists: &[ReasonList]) -> Markup {
    let mut room = Room::new(OTHER);
    html! {
        @for list in lists.iter().take(KINDS).filter(|list| !list.reasons.is_empty()) {
            section {
                h2 { (line(&list.title)) }
                (reason_list(list, &mut room))
            }
        }
        (further(lists.len()))
    }
}

fn reason_list(list: &ReasonList, room: &mut Room) -> Markup {
    // Reasons come first, so that a long list of tests does not crowd out the next reason.
    let reasons = room.fit(&list.reasons, |Reason { reason, tests }| {
        html! {
            span class={ "label " (class(list.tone)) } { (grouped(to_u64(tests.len()))) } (prose(reason))
        }
    });
    html! {
        @for (summary, Reason { tests, .. }) in reasons.entries.iter().zip(&list.reasons) {
            @let tests = room.fit(tests, |test| html! { li.name { (name(test)) } });
            details {
                summary { (summary) }
                ul.plain { @for test in &tests.entries { (test) } }
                (rest(&tests))
            }
        }
        (rest(&reasons))
    }
}

/// Every test with its outcome.
pub(crate) fn tests(tests: &[ListedTest]) -> Markup {
    let has_basis = tests.iter().any(|test| test.basis.is_some());
    let fitting = Room::new(TESTS).fit(tests, |test| {
        html! {
            tr {
                td.name { (name(&test.name)) }
                td class=(class(test.tone)) { (word(&test.word)) }
                @if has_basis { td { @if let Some(basis) = test.basis { (basis.name()) } } }
                td.number { @if let Some(seconds) = test.seconds { (duration(seconds)) } }
            }
        }
    });
    html! {
        @if !tests.is_empty() {
            section {
                h2 { "All tests" }
                details.all {
                    summary { (counted(to_u64(tests.len()), "test", "tests")) }
                    div.scroll {
                        table.rows {
                            thead {
                                tr {
                                    th { "Test" } th { "Outcome" }
                                    @if has_basis { th { "Basis" } }
                                    th.number { "Time" }
                                }
                            }
                            tbody { @for entry in &fitting.entries { (entry) } }
                        }
                    }
                    (rest(&fitting))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests_of_lists {
    use super::*;

    #[test]
    fn only_a_pages_address_can_be_followed() {
        let of = |address: &str| link(address).into_string();
        assert!(of("https://example.org/7").starts_with("<a href=\"https://example.org/7\""));
        for other in [
            "javascript:alert(1)",
            "http://example.org",
            "data:text/html,x",
            "https://example.org/\u{202e}x",
            "https://example.org/a b",
            " https://example.org",
        ] {
            assert!(!of(other).contains("<a"), "{other}");
        }
        let long = format!("https://{}", "x".repeat(crate::text::LINE));
        assert!(!of(&long).contains("<a"));
    }

    #[test]
    fn a_gauge_stays_within_its_bounds() {
        let of = |used| {
            let headroom = Headroom {
                test: "t".to_owned(),
                output: "o".to_owned(),
                used,
                allowed: String::new(),
            };
            super::headroom(&[headroom]).into_string()
        };
        assert!(of(0.25).contains("class=\"good\" style=\"width:25%\""));
        assert!(of(0.75).contains("class=\"excused\""));
        assert!(
            of(1.5).contains("class=\"bad\" style=\"width:100%\"") && of(1.5).contains("150 %")
        );
        for odd in [f64::NAN, f64::INFINITY] {
            assert!(of(odd).contains("class=\"bad\" style=\"width:100%\""), "{}", of(odd));
        }
        assert!(of(-1.0).contains("class=\"good\" style=\"width:0%\""), "{}", of(-1.0));
    }
}
