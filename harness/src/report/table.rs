//! What a run ends with on the terminal: verdicts counted by architecture and device, and what is known of
//! goldens.

use std::collections::BTreeMap;

use hallmark_schema::plural::{counted, grouped};

use super::RunReport;
use crate::verdict::Verdict;

/// The closing table of a run.
pub fn table(report: &RunReport) -> String {
    let mut text = String::new();
    let devices = report.device_names();
    let architecture_width =
        devices.iter().map(|(architecture, _)| architecture.name().len()).max().unwrap_or(0);
    let device_width = devices.iter().map(|(_, device)| device.chars().count()).max().unwrap_or(0);
    // Each verdict that occurs has a column.
    let mut columns: BTreeMap<usize, usize> = BTreeMap::new();
    let cells = |architecture| {
        let mut counts: BTreeMap<usize, (usize, &'static str, &'static str)> = BTreeMap::new();
        for result in report.results.iter().filter(|it| it.name.architecture == architecture) {
            let (place, one, many) = result.verdict.column();
            counts.entry(place).or_insert((0, one, many)).0 += 1;
        }
        counts
            .into_iter()
            .map(|(place, (count, one, many))| {
                let word = if count == 1 { one } else { many };
                (place, format!("{:>4} {word}", grouped(count)))
            })
            .collect::<BTreeMap<_, _>>()
    };
    let rows: Vec<_> = devices
        .iter()
        .map(|(architecture, device)| (*architecture, device, cells(*architecture)))
        .collect();
    for (_, _, cells) in &rows {
        for (place, cell) in cells {
            let width = columns.entry(*place).or_default();
            *width = (*width).max(cell.chars().count());
        }
    }
    for (architecture, device, cells) in &rows {
        let mut line =
            format!("   {:<architecture_width$}  {device:<device_width$} ", architecture.name());
        for (place, width) in &columns {
            let cell = cells.get(place).map_or("", String::as_str);
            line.push_str(&format!("  {cell:<width$}"));
        }
        let elapsed = report.elapsed.iter().find(|(known, _)| known == architecture);
        let seconds = elapsed.map_or(0.0, |(_, elapsed)| elapsed.as_secs_f64());
        line = format!("{line:<58} {seconds:>5.1} s");
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str(&closing(report));
    text
}

/// What is known of goldens once all tests passed.
fn goldens(report: &RunReport) -> String {
    let without = &report.without_goldens;
    if without.is_empty() {
        return "capture bytes equal their goldens".to_owned();
    }
    let names: Vec<&str> = without.iter().map(|architecture| architecture.name()).collect();
    let left_out = format!("goldens are of whole chips and left out on {}", names.join(", "));
    if without.len() == report.devices.len() {
        return left_out;
    }
    format!("{left_out}, elsewhere capture bytes equal them")
}

fn closing(report: &RunReport) -> String {
    let ran: Vec<&Verdict> = report
        .results
        .iter()
        .map(|result| &result.verdict)
        .filter(|verdict| !matches!(verdict, Verdict::Skipped { .. }))
        .collect();
    let bad =
        ran.iter().filter(|verdict| !verdict.is_success(crate::verdict::Mode::Ordinary)).count();
    let mut total = counted(report.results.len(), "test", "tests");
    if report.seeds.count() > 1 {
        total.push_str(&format!(
            ", each under {} schedule seeds ({})",
            grouped(report.seeds.count()),
            report.seeds
        ));
    }
    let elsewhere = if report.replay_devices.is_empty() { "" } else { " on another device" };
    let mut text = if bad == 0 {
        let goldens = goldens(report);
        format!("   {total}, every capture replayed in a fresh process{elsewhere}; {goldens}\n")
    } else {
        format!("   {total}, {} did not pass\n", grouped(bad))
    };
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for result in &report.results {
        if let Verdict::Skipped { reason } = &result.verdict {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    for (reason, count) in reasons {
        text.push_str(&format!(
            "   skipped: {} {reason}   (hallmark list --skipped)\n",
            grouped(count)
        ));
    }
    if !report.unused_goldens.is_empty() {
        text.push_str(&format!(
            "   {} to no test: {}   (hallmark bless removes what no test needs)\n",
            counted(report.unused_goldens.len(), "golden belongs", "goldens belong"),
            report.unused_goldens.first().map_or("", String::as_str),
        ));
    }
    text
}
