//! The capture cut off after its first bad command, as the good side records it.

use hallmark_schema::model::{Capture, CommandIndex, QueueId};
use hallmark_schema_editing::{Edit, InsertedExpectation, apply, insert_finish_after, legal_cuts};

use super::conclusion::Conclusion;
use super::{Bisecting, Good};
use crate::probe::ProbeError;

/// The output name of the wrong buffer's read.
const OUTPUT: &str = "first_bad";

/// The capture up to its first bad command, followed by a `finish` and a read of the differing buffer, recorded
/// on the good side. `None` if no command is known, or if the good side is no executor that records.
///
/// # Errors
/// No probe can be made.
pub fn cut(search: &Bisecting<'_>, conclusion: &Conclusion) -> Result<Option<Capture>, ProbeError> {
    let (Conclusion::FirstBad(found), Good::Executor(good)) = (conclusion, search.good) else {
        return Ok(None);
    };
    let program = &search.capture.program;
    let needed = found.command.0.saturating_add(1);
    let cuts = legal_cuts(program);
    let Some(commands) = cuts.into_iter().find(|cut| *cut >= needed) else { return Ok(None) };
    let last = CommandIndex(commands.saturating_sub(1));
    let mut edits = vec![Edit::Cut { commands }];
    edits.extend(insert_finish_after(program, &[last]));
    if let Some(difference) = &found.difference {
        edits.push(Edit::InsertRead {
            after: last,
            queue: QueueId(0),
            buffer: difference.id,
            region: None,
            output: OUTPUT.to_owned(),
            expectation: InsertedExpectation::AsCaptured,
        });
    }
    let candidate = apply(&edits, search.capture).capture;
    let Ok(bytes) = candidate.to_bytes() else { return Ok(None) };
    let seed = good.programs.schedule_seed;
    let run = search.prober.carry_out(&candidate, &bytes, good, seed, None)?;
    let recorded = run.executed.ok().and_then(|executed| executed.capture);
    Ok(recorded.map(|capture| Capture::clone(&capture)))
}
