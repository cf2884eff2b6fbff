//! The HTML file as a whole.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::model::Report;
use crate::profile::ProfileReport;
use crate::sections::failures::{self, Failures};
use crate::sections::{lists, profile, summary};
use crate::text::line;

/// Bytes that the file has at most.
pub const LARGEST: usize = 5_000_000;

/// The page's whole style; nothing else decides how it looks.
const STYLE: &str = include_str!("style.css");
/// What a browser may do with the page: show it, in its own style. Nothing is loaded, run or sent.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The report as the text of one HTML file, which needs nothing beside it.
pub fn html(report: &Report) -> String {
    page(report).into_string()
}

/// A profile as the text of one HTML file, which needs nothing beside it.
pub fn profile_html(report: &ProfileReport) -> String {
    let title = html! { "Profile · " (line(&report.subject)) };
    let body = html! {
        (profile::heading(report))
        main { (profile::operations(report)) }
    };
    document(&title, &body).into_string()
}

fn page(report: &Report) -> Markup {
    let Failures { index, details } = failures::failures(&report.failures);
    let title = html! { (line(&report.conclusion.text)) " · " (line(&report.subject)) };
    let body = html! {
        (summary::heading(report))
        main {
            (index)
            (summary::table(&report.rows))
            (lists::difference(report.difference.as_ref()))
            (summary::claims(&report.claims))
            (details)
            (lists::waivers(&report.waivers))
            (lists::headroom(&report.headroom))
            (lists::reasons(&report.reasons))
            (lists::tests(&report.tests))
        }
        (summary::footer(report))
    };
    document(&title, &body)
}

/// A file with a title and what stands in it.
fn document(title: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" dir="ltr" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    }
}

#[cfg(test)]
mod tests;
