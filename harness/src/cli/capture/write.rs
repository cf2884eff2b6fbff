//! Writes a recording as a capture file and summarizes it on the terminal.

use std::path::Path;

use hallmark_execution::whole_file;
use hallmark_metalium_recording::{Conversion, ConversionOptions, DataPolicy, convert};
use hallmark_runtime::metalium::ReleaseDescription;
use hallmark_schema::model::CommandKind;
use hallmark_schema::plural::{counted, grouped};

use super::CaptureArguments;
use super::included::IncludedFiles;
use super::no_capture::NoCapture;
use super::recording::ProcessRecording;
use crate::cli::output;

/// The number of missing things that the terminal names.
const NAMED: usize = 8;

/// Writes the capture and prints what it holds and lacks. `second` is a recording of the same command with its
/// buffers at other addresses.
pub(super) fn write_capture(
    arguments: &CaptureArguments,
    recording: &ProcessRecording,
    included: &IncludedFiles,
    second: Option<&ProcessRecording>,
) -> Result<(), NoCapture> {
    let description = ReleaseDescription::of_build(&recording.build_id)
        .ok_or_else(|| NoCapture::UnknownLibrary { build_id: recording.build_id.clone() })?;
    let conversion = convert(
        &recording.entries,
        &ConversionOptions {
            read: &|path| included.read(path),
            release: description.version(),
            description,
            build_id: &recording.build_id,
            // The command chose the kernel compiler, in its own environment.
            kernel_compiler: "",
            data: match arguments.no_data {
                true => DataPolicy::Shape,
                false => DataPolicy::Whole,
            },
            second: second.map(|second| second.entries.as_slice()),
        },
    )?;
    let bytes = conversion.capture.to_bytes()?;
    whole_file::write_durably(&arguments.output, &bytes).map_err(|error| NoCapture::File {
        what: "written",
        path: arguments.output.clone(),
        error,
    })?;
    output::note(&summary(&arguments.output, bytes.len(), &conversion, second.is_some()));
    Ok(())
}

/// The summary that ends the output.
fn summary(path: &Path, bytes: usize, conversion: &Conversion, is_checked: bool) -> String {
    let commands = &conversion.capture.program.commands;
    let number = |kind| commands.iter().filter(|call| call.command.kind() == kind).count();
    let mut lines = vec![format!(
        "{}: {} B, {}, {}, {}",
        path.display(),
        grouped(bytes),
        counted(commands.len(), "command", "commands"),
        counted(number(CommandKind::CreateKernel), "kernel", "kernels"),
        counted(number(CommandKind::EnqueueReadBuffer), "read", "reads"),
    )];
    let missing = &conversion.missing;
    lines.extend(missing.iter().take(NAMED).map(|missing| format!("  missing: {missing}")));
    if let Some(more) = missing.len().checked_sub(NAMED).filter(|&more| more > 0) {
        lines.push(format!("  missing: {more} more; `hallmark dump` shows them"));
    }
    let statistics = &conversion.relocations;
    let words = counted(statistics.words, "word", "words");
    lines.push(match is_checked {
        false => format!(
            "  relocations unchecked: {} of {words} are addresses of buffers by their values; --check-relocations runs the command again",
            grouped(statistics.matched),
        ),
        true => format!(
            "  relocations checked: of {words}, {} moved with a buffer, {} moved without one, {} equal the address of a buffer that did not move",
            grouped(statistics.explained()),
            grouped(statistics.unexplained),
            grouped(statistics.undecided),
        ),
    });
    let bound = conversion.placement_bound.len();
    if bound > 0 {
        let words = counted(bound, "argument word", "argument words");
        lines.push(format!(
            "  placement-bound by {words}: the capture replays only with its buffers at the same addresses"
        ));
    }
    let differences = conversion.differences.iter().take(NAMED);
    lines.extend(
        differences.map(|difference| format!("  differs between the two runs: {difference}")),
    );
    if let Some(more) = conversion.differences.len().checked_sub(NAMED).filter(|&more| more > 0) {
        lines.push(format!("  differs between the two runs: {more} more"));
    }
    lines.join("\n")
}
