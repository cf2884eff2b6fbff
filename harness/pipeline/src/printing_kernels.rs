//! Which kernels have printed, in the words of their capture.

use hallmark_schema::model::{Capture, Printed};

use super::executed::Executed;
use super::printed::PrintedLines;
use super::stopped_program::StoppedProgram;

impl Executed {
    /// The lines of each processor, in the order of its first line.
    pub fn printed_lines(&self) -> Vec<PrintedLines> {
        let capture = self.capture.as_deref().or(self.recovered.as_deref());
        self.printed().iter().map(|printed| of_one(printed, capture)).collect()
    }
}

/// `capture` names kernels and programs.
fn of_one(printed: &Printed, capture: Option<&Capture>) -> PrintedLines {
    let Printed { launch, core, processor, .. } = printed;
    let program =
        capture.zip(*launch).map(|(capture, launch)| StoppedProgram::new(capture, launch));
    let kernel = program.as_ref().and_then(|it| it.kernel_on_core(*core, *processor));
    let kernel = kernel.map_or_else(String::new, |(name, _)| format!("`{name}` on "));
    let program = program.map_or_else(String::new, |program| format!(" in {}", program.title()));
    PrintedLines { place: format!("{kernel}{core} {processor}{program}"), printed: printed.clone() }
}
