//! Which kernels have printed, in the words of their capture.

use hallmark_runtime::Printed;
use hallmark_schema::model::Capture;

use super::printed::PrintedLines;
use super::stopped_program::StoppedProgram;

/// The lines of each processor, in the order of its first line. `capture` names kernels and programs.
pub(super) fn printed_lines(printed: &[Printed], capture: Option<&Capture>) -> Vec<PrintedLines> {
    let of_one = |Printed { launch, core, processor, text, dropped }: &Printed| {
        let program =
            capture.zip(*launch).map(|(capture, launch)| StoppedProgram::new(capture, launch));
        let kernel = program.as_ref().and_then(|it| it.kernel_on_core(*core, *processor));
        let kernel = kernel.map_or_else(String::new, |(name, _)| format!("`{name}` on "));
        let program =
            program.map_or_else(String::new, |program| format!(" in {}", program.title()));
        PrintedLines {
            place: format!("{kernel}{core} {processor}{program}"),
            lines: text.lines().map(str::to_owned).collect(),
            dropped: *dropped,
        }
    };
    printed.iter().map(of_one).collect()
}
