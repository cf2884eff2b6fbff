//! A reduction in words.

use hallmark_pipeline::signature::Signature;
use hallmark_schema::commands::Command;
use hallmark_schema::model::RecordedCommand;
use hallmark_schema::plural::{bytes, counted};
use hallmark_schema_editing::{Edit, Symbols};
use hallmark_search::Answer;

use super::Reduced;

/// The result of a reduction, without the command that repeats it.
pub fn lines(reduced: &Reduced, name: &str, signature: &Signature) -> Vec<String> {
    let Reduced { before, after, probes, .. } = reduced;
    let objects = |count: usize| counted(count, "object", "objects");
    let mut lines = vec![format!(
        "REDUCED {name} {} → {}, {} → {}, {} → {}, {} → {} ({})",
        before.commands,
        counted(after.commands, "command", "commands"),
        before.objects,
        objects(after.objects),
        before.cores,
        counted(usize::try_from(after.cores).unwrap_or(usize::MAX), "core", "cores"),
        bytes(before.bytes),
        bytes(after.bytes),
        counted(usize::try_from(*probes).unwrap_or(usize::MAX), "probe", "probes"),
    )];
    let count = reduced.recorded.program.commands.len();
    let text = hallmark_schema::dump(&reduced.recorded);
    let commands = text.lines().skip_while(|line| !line.trim_start().starts_with("0 "));
    lines.extend(commands.take(count).map(str::to_owned));
    lines.push(format!("  same      {signature}"));
    lines.push(format!("  least     {}", least(reduced)));
    if let Some(at) = reduced.unwritten {
        lines.push(format!(
            "  unwritten command {at} of {name} reads bytes that no call wrote; what is left may do so, too"
        ));
    }
    lines.extend(shared(reduced).map(|text| format!("  share     {text}")));
    lines
}

/// The reason why no command can be removed.
fn least(reduced: &Reduced) -> String {
    let Some(proof) = &reduced.proof else {
        return "not known: the search was stopped before each command was tried".to_owned();
    };
    let otherwise = proof.values().filter(|answer| **answer == Answer::CannotTell).count();
    let otherwise = match otherwise {
        0 => String::new(),
        1 => "; once something else fails then".to_owned(),
        count => format!("; {count} times something else fails then"),
    };
    format!(
        "taking away any one of the {} loses it ({}{otherwise})",
        counted(reduced.after.commands, "command", "commands"),
        counted(proof.len(), "try", "tries"),
    )
}

/// The parts removed so that the capture can be shared, if there are any.
fn shared(reduced: &Reduced) -> Option<String> {
    let edits = &reduced.edits;
    if !edits.contains(&Edit::ReplaceSources) {
        return None;
    }
    let symbols = edits.iter().find_map(|edit| match edit {
        Edit::ReplaceSymbols(symbols) => Some(*symbols),
        _ => None,
    });
    let symbols = match symbols {
        Some(Symbols::Remove) => "no symbols of ELFs",
        Some(Symbols::Number) => "numbers for the symbols of ELFs, because the failure names one",
        None => "the symbols of ELFs, without which it fails otherwise",
    };
    let is_written = |recorded: &RecordedCommand| match &recorded.command {
        Command::EnqueueWriteBuffer(call) => call.data.generator.is_none(),
        _ => false,
    };
    let has_data = reduced.recorded.program.commands.iter().any(is_written);
    let data = if has_data { "the data that the host writes" } else { "no data of yours" };
    Some(format!(
        "reduced.lmb and suite/ hold no names, no sources, {symbols}, and {data}; log.jsonl holds names"
    ))
}
