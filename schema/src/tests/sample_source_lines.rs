//! A capture with source lines: those of a race, of a wait and of its kernel.

use hallmark_chip::SourceFrame;

use super::samples::{failed, loopback, race};
use crate::commands;
use crate::model::*;

/// The frames of a call of the kernel API.
pub(crate) fn frames() -> Vec<SourceFrame> {
    let frame = |function: &str, file: &str, line| SourceFrame {
        function: function.to_owned(),
        file: file.to_owned(),
        line,
    };
    vec![
        frame("kernel_main", "kernels/dram_loopback.cpp", 14),
        frame("noc_async_read", "api/dataflow/dataflow_api.h", 88),
    ]
}

/// The race of [`race`] and the wait beside it, in a capture whose kernel has a line table.
pub(crate) fn source_lines() -> Capture {
    let mut capture = loopback();
    let record = capture.record.as_mut().unwrap();
    let stopped = race().record.unwrap();
    for elf in &mut record.elfs {
        elf.lines = LineTableBytes::from(&b"a line table"[..]);
    }
    let mut fault = stopped.faults[0].fault().clone();
    for place in fault.place.iter_mut().chain(&mut fault.against) {
        place.frames = frames();
    }
    let is_read = |made: &RecordedCommand| made.command.kind() == CommandKind::EnqueueReadBuffer;
    let met = capture.program.commands.iter().position(is_read).unwrap();
    let enqueue = CommandIndex(met as u32 - 1);
    let failure = Failure::DeviceFault { category: fault.category, enqueue };
    capture.program.commands.truncate(met);
    let finish = Command::Finish(commands::Finish { queue: QueueId(0) });
    capture.program.commands.push(failed(finish, failure));
    record.faults = vec![FaultRecord::new(CommandIndex(met as u32), fault)];
    record.waits = stopped.waits;
    record.waits[0].frames = frames();
    record.reads.clear();
    capture.outputs.clear();
    capture
}
