//! The HTML file as a whole.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::model::Report;
use crate::profile::ProfileReport;
use crate::sections::failures::{self, Failures};
use crate::sections::{lists, profile, summary};
use crate::text::line;

/// The largest size of the file in bytes.
pub const LARGEST: usize = 5_000_000;

/// The complete style of the page.
const STYLE: &str = include_str!("style.css");
/// The content security policy: the browser may only show the page in its own style. It loads, runs and sends
/// nothing.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The report as the text of one self-contained HTML file.
pub fn html(report: &Report) -> String {
    page(report).into_string()
}

/// A profile as the text of one self-contained HTML file.
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
            (details)
            (summary::table(&report.rows))
            (lists::difference(report.difference.as_ref()))
            (summary::claims(&report.claims))
            (lists::waivers(&report.waivers))
            (lists::headroom(&report.headroom))
            (lists::reasons(&report.reasons))
            (lists::tests(&report.tests))
        }
        (summary::footer(report))
    };
    document(&title, &body)
}

/// A file with a title and a body.
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
