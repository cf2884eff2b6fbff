//! `hallmark bisect --replay-log`: shows how a search came to its answer, without a device.

use std::path::Path;

use hallmark_execution::whole_file;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_triage::bisect::Comparison;
use hallmark_triage::log::{Contents, Line, read};
use hallmark_triage::probe::ProbeResult;
use serde_json::Value;

use super::super::{Failed, output};
use super::search_options::{ANSWER_TEXT, LOG};

/// The largest answer, in bytes.
const ANSWER_LIMIT: u64 = 16 << 20;

pub(super) fn run(folder: &Path) -> Result<ExitCode, Failed> {
    let contents: Contents<Value, Value> =
        read(&folder.join(LOG)).map_err(|error| Failed::new(ExitCode::USAGE, error))?;
    let mut lines = vec![format!("SEARCH    {}", folder.display())];
    lines.extend(contents.inputs.iter().map(|(name, value)| format!("  {name}: {value}")));
    lines.extend(contents.lines.iter().map(probe));
    let answer = folder.join(ANSWER_TEXT);
    if answer.is_file() {
        let bytes = whole_file::read(&answer, ANSWER_LIMIT).map_err(|error| {
            Failed::new(ExitCode::USAGE, format!("{} cannot be read: {error}", answer.display()))
        })?;
        lines.push(String::from_utf8_lossy(&bytes).trim_end().to_owned());
    } else {
        lines.push(format!(
            "no answer yet: the same command with --resume {} goes on",
            folder.display()
        ));
    }
    output::say(&lines.join("\n"));
    Ok(ExitCode::SUCCESS)
}

/// "probe 3   brisc: fails with a crash   (14 ms)".
fn probe(line: &Line<Value, Value>) -> String {
    let Line { n, about, result, ms, key } = line;
    let again = if key.run == 0 { String::new() } else { format!(", run {}", key.run) };
    format!("probe {n}   {}{again}: {}   ({ms} ms)", candidate(about), said(result))
}

/// Describes a candidate in the terms of its search.
fn candidate(about: &Value) -> String {
    let texts = |values: &[Value]| -> Option<Vec<String>> {
        values.iter().map(|value| value.as_str().map(str::to_owned)).collect()
    };
    match about {
        Value::String(text) => text.clone(),
        Value::Array(values) if values.is_empty() => "nothing changed".to_owned(),
        Value::Array(values) => texts(values)
            .map_or_else(|| format!("{} edits", values.len()), |texts| texts.join(" and ")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => about.to_string(),
    }
}

/// Describes the result of a probe.
fn said(result: &Value) -> String {
    match serde_json::from_value::<ProbeResult>(result.clone()) {
        Ok(ProbeResult::Same) => "fails as it should".to_owned(),
        Ok(ProbeResult::Other(signature)) => format!("fails: {signature}"),
        Ok(ProbeResult::Passed) => "passes".to_owned(),
        Ok(ProbeResult::CannotTell(reason)) => format!("cannot be told: {reason}"),
        Err(_) => match serde_json::from_value::<Comparison>(result.clone()) {
            Ok(comparison) => comparison.to_string(),
            // A later release may write results that this release does not know.
            Err(_) => result.to_string(),
        },
    }
}
