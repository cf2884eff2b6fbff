//! The sections of a profile page.

use maud::{Markup, html};

use crate::drawings::lanes;
use crate::profile::{LineCost, ProfileReport, ProfiledOperation, WaitShare, ZoneCost};
use crate::room::Room;
use crate::text::{counted, grouped, line, name, prose, to_u64, word};

/// The largest number of table rows.
const ROWS: usize = 400;
/// The largest number of drawn operations.
const DRAWN: usize = 12;
/// The largest number of waits and of lines per operation.
const LISTED: usize = 12;
/// The largest size of the drawn operations, in bytes of the page.
const DETAILS: usize = 3_000_000;

/// The head of the page.
pub(crate) fn heading(report: &ProfileReport) -> Markup {
    let total = total(report);
    html! {
        header {
            p.kind { "Hallmark · profile · " (name(&report.subject)) }
            h1 {
                @if report.sentence.is_empty() { (counted(to_u64(report.operations.len()), "operation", "operations")) }
                @else { (prose(&report.sentence)) }
            }
            @for remark in &report.remarks { p.remark { (prose(remark)) } }
            dl.facts {
                div { dt { "device" } dd { (line(&report.device)) } }
                div { dt { "operations" } dd { (grouped(to_u64(report.operations.len()))) } }
                div { dt { "ticks of all" } dd { (grouped(total)) } }
            }
        }
    }
}

/// The table of all operations, and drawings of the slowest.
pub(crate) fn operations(report: &ProfileReport) -> Markup {
    let total = total(report);
    let shown = report.operations.iter().take(ROWS);
    let more = to_u64(report.operations.len().saturating_sub(ROWS));
    let mut room = Room::new(DETAILS);
    let drawn = report.operations.iter().filter(|it| !it.lanes.is_empty()).take(DRAWN);
    let details = room.fit(drawn, |it| operation(it, total));
    html! {
        h2 { "Operations, the slowest first" }
        div.scroll {
            table.rows.timing {
                thead { tr {
                    th { "call" } th { "program" } th.number { "ticks" } th.number { "share" } th {} th.number { "cores" }
                    th { "longest wait" }
                } }
                tbody { @for it in shown { (row(it, total)) } }
            }
        }
        @if more > 0 { p.muted { "and " (grouped(more)) " more" } }
        @if !details.entries.is_empty() { h2 { "Where their time went" } }
        @for entry in details.entries { (entry) }
    }
}

fn row(operation: &ProfiledOperation, total: u64) -> Markup {
    let ticks = operation.ticks.map(grouped).unwrap_or_default();
    let share = operation.ticks.map(|ticks| percent(ticks, total));
    html! {
        tr {
            td data-name="call" { (grouped(operation.place)) }
            td { code { (word(&operation.program)) } }
            @if operation.completed { td.number data-name=[operation.ticks.map(|_| "ticks")] { (ticks) } }
            @else { td.number.bad { "did not end" } }
            td.number data-name=[share.as_ref().map(|_| "share")] { (share.clone().unwrap_or_default()) }
            td { @if let Some(ticks) = operation.ticks { (gauge(ticks, total)) } }
            td.number data-name=[operation.cores.map(|_| "cores")] { (operation.cores.map(grouped).unwrap_or_default()) }
            td.last data-name=[operation.waits.first().map(|_| "longest wait")] { @if let Some(wait) = operation.waits.first() { (percent(wait.ticks, wait.of)) " " (prose(&wait.place)) } }
        }
    }
}

fn operation(operation: &ProfiledOperation, total: u64) -> Markup {
    let ticks = operation.ticks.unwrap_or_default();
    html! {
        article {
            h3 {
                code { (word(&operation.program)) } ", call " (grouped(operation.place)) ": " (grouped(ticks)) " ticks, "
                (percent(ticks, total)) " of all"
            }
            div.pictures { (lanes::figure(operation)) }
            @if !operation.waits.is_empty() { h3 { "Waits" } (waits(&operation.waits)) }
            @if !operation.zones.is_empty() {
                h3 style="margin-top:1.2rem" { "Zones" }
                (zones(&operation.zones))
            }
            @if !operation.lines.is_empty() {
                h3 style="margin-top:1.2rem" { "Lines of which most was executed" }
                (lines(&operation.lines))
            }
        }
    }
}

fn waits(waits: &[WaitShare]) -> Markup {
    html! {
        div.scroll { table.rows.timing {
            thead { tr {
                th { "kernel" } th { "waits at" } th.number { "cores" } th.number { "ticks" } th.number { "of its time" }
            } }
            tbody { @for wait in waits.iter().take(LISTED) { tr {
                td { code { (word(&wait.kernel)) } }
                td.phrase { (prose(&wait.place)) }
                td.number data-name="cores" { (grouped(wait.cores)) }
                td.number data-name="ticks" { (grouped(wait.ticks)) }
                td.number data-name="of its time" { (percent(wait.ticks, wait.of)) }
            } } }
        } }
    }
}

fn zones(zones: &[ZoneCost]) -> Markup {
    let times = |zone: &ZoneCost, number: u64| match zone.times {
        0 => String::new(),
        _ => grouped(number),
    };
    html! {
        div.scroll { table.rows.timing {
            thead { tr {
                th { "kernel" } th { "zone" } th.number { "times" } th.number { "ticks" } th.number { "longest" }
            } }
            tbody { @for zone in zones.iter().take(LISTED) { tr {
                td { code { (word(&zone.kernel)) } }
                td.phrase { (prose(&zone.zone)) @if zone.open > 0 { " " span.bad { (grouped(zone.open)) " did not end" } } }
                td.number data-name="times" { (times(zone, zone.times)) }
                td.number data-name="ticks" { (grouped(zone.ticks)) }
                td.number data-name="longest" { (times(zone, zone.longest)) }
            } } }
        } }
    }
}

fn lines(lines: &[LineCost]) -> Markup {
    html! {
        div.scroll { table.rows.timing {
            thead { tr { th { "line" } th.number { "instructions" } th.number { "of all" } } }
            tbody { @for cost in lines.iter().take(LISTED) { tr {
                td.phrase { (prose(&cost.place)) }
                td.number data-name="instructions" { (grouped(cost.instructions)) }
                td.number data-name="of all" { (percent(cost.instructions, cost.of)) }
            } } }
        } }
    }
}

fn gauge(part: u64, all: u64) -> Markup {
    let width = permille(part, all) / 10;
    html! { div.gauge { span.neutral style=(format!("width:{width}%;background:var(--accent)")) {} } }
}

fn total(report: &ProfileReport) -> u64 {
    report.operations.iter().filter_map(|it| it.ticks).fold(0, u64::saturating_add)
}

fn permille(part: u64, all: u64) -> u128 {
    let permille = u128::from(part).saturating_mul(1000).checked_div(u128::from(all));
    permille.unwrap_or(0).min(1000)
}

fn percent(part: u64, all: u64) -> String {
    format!("{} %", permille(part, all) / 10)
}

#[cfg(test)]
mod tests;
