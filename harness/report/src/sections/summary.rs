//! The summary: the conclusion, the circumstances, the table, and the claims with their bases.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::class;
use crate::model::{Basis, Claim, Fact, Report, Row, Tone};
use crate::room::Room;
use crate::text::{counted, duration, grouped, line, name, prose, to_u64, word};

/// The largest number of circumstances, remarks and claims; reports have fewer.
const SHOWN: usize = 16;
/// The largest size of the table rows, in bytes of the page.
const ROWS: usize = 150_000;
/// The largest number of columns for outcomes; there are fewer outcomes.
const OUTCOMES: usize = 32;

/// The head of the page.
pub(crate) fn heading(report: &Report) -> Markup {
    html! {
        header class=(class(report.conclusion.tone)) {
            p.kind { "Hallmark · " (word(&report.kind)) " · " (line(&report.subject)) }
            h1 { (prose(&report.conclusion.text)) }
            (bar(&report.rows))
            @for remark in report.remarks.iter().take(SHOWN) { p.remark { (prose(remark)) } }
            (left_out(report.remarks.len(), SHOWN))
            @if !report.facts.is_empty() {
                dl.facts {
                    @for Fact { name: what, value } in report.facts.iter().take(SHOWN) {
                        div { dt { (word(what)) } dd { (prose(value)) } }
                    }
                }
                (left_out(report.facts.len(), SHOWN))
            }
        }
    }
}

/// The note about the rest of a shortened list.
fn left_out(count: usize, shown: usize) -> Markup {
    let more = to_u64(count.saturating_sub(shown));
    html! { @if more > 0 { p.muted { "and " (grouped(more)) " more" } } }
}

/// The outcomes of all rows, each word once, in the order of their first occurrence.
fn outcomes(rows: &[Row]) -> Vec<(&str, Tone, u64)> {
    let mut outcomes: Vec<(&str, Tone, u64)> = Vec::new();
    for count in rows.iter().flat_map(|row| &row.counts) {
        let is_full = outcomes.len() >= OUTCOMES;
        match outcomes.iter_mut().find(|(word, ..)| *word == count.word) {
            Some((.., tests)) => *tests = tests.saturating_add(count.tests),
            None if is_full => {}
            None => outcomes.push((&count.word, count.tone, count.tests)),
        }
    }
    outcomes
}

/// A bar of all tests. Bad outcomes come first, because they may be few.
fn bar(rows: &[Row]) -> Markup {
    let mut outcomes = outcomes(rows);
    outcomes.retain(|(.., tests)| *tests > 0);
    outcomes.sort_by_key(|(_, tone, _)| match tone {
        Tone::Bad => 0,
        Tone::Excused => 1,
        Tone::Good => 2,
        Tone::Neutral => 3,
    });
    html! {
        @if !outcomes.is_empty() {
            div.bar aria-hidden="true" {
                @for (_, tone, tests) in &outcomes {
                    span class=(class(*tone)) style=(format!("flex-grow:{tests}")) {}
                }
            }
            ul.outcomes {
                @for (what, tone, tests) in &outcomes {
                    li { span class={ "dot " (class(*tone)) } {} b { (grouped(*tests)) } " " (word(what)) }
                }
            }
        }
    }
}

/// The table of architectures, devices and dispatch modes.
pub(crate) fn table(rows: &[Row]) -> Markup {
    if rows.is_empty() {
        return html! {};
    }
    let columns = outcomes(rows);
    let fitting = Room::new(ROWS).fit(rows, |row| table_row(row, &columns));
    html! {
        section {
            h2 { "By device" }
            div.scroll {
                table.rows {
                    thead {
                        tr {
                            th scope="col" { "Architecture" } th scope="col" { "Device" } th scope="col" { "Dispatch" }
                            @for (what, ..) in &columns { th.number scope="col" { (word(what)) } }
                            th.number scope="col" { "Time" }
                        }
                    }
                    tbody { @for row in &fitting.entries { (row) } }
                }
            }
            (left_out(rows.len(), fitting.entries.len()))
        }
    }
}

fn table_row(row: &Row, columns: &[(&str, Tone, u64)]) -> Markup {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for count in &row.counts {
        let known = counts.entry(&count.word).or_default();
        *known = known.saturating_add(count.tests);
    }
    html! {
        tr {
            td { b { (name(&row.architecture)) } }
            td.breaks { (name(&row.device)) }
            td { (word(&row.dispatch)) }
            @for (what, tone, _) in columns {
                @match counts.get(what).copied().unwrap_or(0) {
                    0 => td.number.muted.none { "·" }
                    tests => td class={ "number " (class(*tone)) } data-name=(word(what)) { (grouped(tests)) }
                }
            }
            td.number { @if let Some(seconds) = row.seconds { (duration(seconds)) } }
        }
    }
}

/// Every basis, the strongest first.
const BASES: [Basis; 5] =
    [Basis::Replayed, Basis::Recomputed, Basis::Submitted, Basis::Signed, Basis::Asserted];

/// The meaning of a basis.
const fn meaning(basis: Basis) -> &'static str {
    match basis {
        Basis::Replayed => "it was run again and came out the same.",
        Basis::Recomputed => "it was computed again from what was recorded.",
        Basis::Submitted => {
            "it was computed again from what the submitter recorded; nobody has repeated the run."
        }
        Basis::Signed => "a key holder answers for it.",
        Basis::Asserted => "the machine that wrote this page says so; the page holds no evidence.",
    }
}

/// The claims with their bases.
pub(crate) fn claims(claims: &[Claim]) -> Markup {
    html! {
        @if !claims.is_empty() {
            section {
                h2 { "What is claimed, and on what basis" }
                ul.claims {
                    @for claim in claims.iter().take(SHOWN) {
                        li {
                            span class={ "basis " (claim.basis.name()) } { (claim.basis.name()) }
                            div {
                                (prose(&claim.text))
                                @if !claim.doubt.is_empty() { p.muted { (prose(&claim.doubt)) } }
                            }
                        }
                    }
                }
                (left_out(claims.len(), SHOWN))
                p.legend {
                    @for basis in BASES {
                        @if claims.iter().any(|claim| claim.basis == basis) {
                            span { b { (basis.name()) } ": " (meaning(basis)) }
                        }
                    }
                }
            }
        }
    }
}

/// The footer of the page.
pub(crate) fn footer(report: &Report) -> Markup {
    html! {
        footer {
            @if !report.tests.is_empty() { (counted(to_u64(report.tests.len()), "test", "tests")) " · " }
            "This file is complete: it loads nothing and runs nothing."
        }
    }
}
