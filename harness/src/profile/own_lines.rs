//! The executed instructions of the kernels' own lines.

use std::collections::BTreeMap;

use hallmark_chip::SourceFrame;
use hallmark_pipeline::source_lines::with_text;

use super::operation::Operation;

/// A line of a kernel, including the functions that it calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OwnLine {
    /// The kernel.
    pub(super) kernel: String,
    /// The position of the line, with its text.
    pub(super) place: String,
    /// The executed instructions of the line, on all cores.
    pub(super) instructions: u64,
}

/// The kernels' own lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OwnLines {
    /// The lines with the most instructions come first.
    pub(super) lines: Vec<OwnLine>,
    /// The executed instructions of all kernels.
    pub(super) instructions: u64,
}

impl OwnLines {
    pub(super) fn of(operation: &Operation<'_>) -> Self {
        let mut lines: BTreeMap<(String, &SourceFrame), u64> = BTreeMap::new();
        let mut instructions: u64 = 0;
        for (it, _) in operation.kernels_run() {
            instructions = instructions.saturating_add(it.instructions);
            let kernel = operation.kernel_name(it);
            for line in &it.lines {
                let own = line.frames.iter().rfind(|frame| operation.is_of_kernel(frame));
                if let Some(own) = own {
                    let cost = lines.entry((kernel.clone(), own)).or_default();
                    *cost = cost.saturating_add(line.instructions);
                }
            }
        }
        let mut lines: Vec<OwnLine> = lines
            .into_iter()
            .map(|((kernel, frame), instructions)| OwnLine {
                kernel,
                place: with_text(operation.capture, frame),
                instructions,
            })
            .collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.instructions));
        Self { lines, instructions }
    }
}
