//! The writer of the first wrong byte, for each side whose device reports it: takes one more run of each.

use hallmark_chip::LastWriter;
use hallmark_execution::worker::state::StateJob;
use hallmark_execution::worker::writers::{WatchedByte, WatchedMemory};
use hallmark_runtime::LastWrite;
use hallmark_schema::model::{Capture, CommandIndex};
use hallmark_schema_editing::Edited;
use serde_json::{Value, json};

use super::observation::Observation;
use super::{Bisecting, Good, Pair, original};
use crate::root_buffer::{ReadOf, read_of};

/// The writer of the first wrong byte on a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The name of the side in comparisons.
    pub side: String,
    /// Whether it is the good side.
    pub is_good: bool,
    /// The last write before the byte was found to be wrong, by commands of the capture; `None` without a
    /// write.
    pub write: Option<LastWrite>,
    /// The writer in words: `the host (command 3)`.
    pub by: String,
}

impl Written {
    /// The last write in a candidate's run.
    fn new(
        (side, is_good): (String, bool),
        run: &Observation,
        candidate: &Edited,
        write: Option<LastWrite>,
    ) -> Self {
        let Some(write) = write else {
            return Self { side, is_good, write, by: "nobody".to_owned() };
        };
        let who = run.in_words(&write);
        let of_capture = |at: Option<CommandIndex>| at.and_then(|at| original(candidate, at));
        let command = of_capture(write.command);
        let by = match command {
            Some(command) => format!("{who} (command {command})"),
            None => who,
        };
        let launch = of_capture(write.launch);
        Self { side, is_good, write: Some(LastWrite { command, launch, ..write }), by }
    }

    /// The JSON form.
    pub(super) fn document(&self) -> Value {
        let write = self.write.as_ref();
        let core = write.and_then(|write| match &write.writer {
            LastWriter::Core(position) => Some(position),
            LastWriter::Host | LastWriter::Nobody => None,
        });
        let line = core.and_then(|core| core.frames.first());
        json!({
            "side": if self.is_good { "good" } else { "bad" },
            "by": match (write, core) {
                (None, _) => "nobody",
                (Some(_), None) => "host",
                (Some(_), Some(_)) => "core",
            },
            "command": write.and_then(|write| write.command).map(|at| at.0),
            "launch": write.and_then(|write| write.launch).map(|at| at.0),
            "tile": core.map(|core| [core.tile.x, core.tile.y]),
            "processor": core.map(|core| core.processor.name()),
            "pc": core.map(|core| core.pc),
            "symbol": core.and_then(|core| core.symbol.as_deref()),
            "file": line.map(|line| line.file.as_str()),
            "line": line.map(|line| line.line),
            "text": self.by,
        })
    }
}

/// The writes to a byte on a side.
pub(super) struct History {
    side: String,
    pub(super) is_good: bool,
    run: Observation,
    /// The writes in order.
    pub(super) writes: Vec<LastWrite>,
}

impl History {
    /// The last writer.
    pub(super) fn last(self, candidate: &Edited) -> Written {
        let Self { side, is_good, run, mut writes } = self;
        Written::new((side, is_good), &run, candidate, writes.pop())
    }
}

/// Who wrote on both sides: on one line if both say the same.
pub(crate) fn who_wrote(written: &[Written]) -> Vec<String> {
    if let [one, other] = written
        && one.by == other.by
    {
        return vec![format!("on both sides by {}", one.by)];
    }
    written.iter().map(|written| format!("on {} by {}", written.side, written.by)).collect()
}

impl Bisecting<'_> {
    /// The last writer of a byte, for each side that reports it.
    pub(super) fn written(&self, candidate: &Edited, wrong: WatchedByte) -> Vec<Written> {
        let histories = self.histories(candidate, wrong);
        histories.into_iter().map(|history| history.last(candidate)).collect()
    }

    /// The writes to a byte, for each side that reports them. A side whose run gives no answer is left out,
    /// because the conclusion does not depend on it.
    pub(super) fn histories(&self, candidate: &Edited, byte: WatchedByte) -> Vec<History> {
        let good = match self.good {
            Good::Executor(executor) => Some((executor, self.good_name(), true)),
            Good::Recorded => None,
        };
        // A flaky failure may not have occurred in that run.
        let bad = self.flaky.is_none().then(|| (self.bad, self.bad_name(), false));
        let sides = good.into_iter().chain(bad);
        sides
            .filter(|(executor, ..)| executor.knows_writers())
            .filter_map(|(executor, side, is_good)| {
                let state = StateJob { watched: Some(byte), ..StateJob::default() };
                let run = self.side(candidate, executor, state).ok()?;
                let writes = run.writes()?;
                Some(History { side, is_good, run, writes })
            })
            .collect()
    }
}

/// The first byte of a read whose values differ between the sides.
pub(super) fn wrong_byte_of_read(pair: &Pair, at: CommandIndex) -> Option<WatchedByte> {
    let ReadOf { root, offset, .. } = read_of(&pair.good.capture, at)?;
    let bytes = |capture: &Capture| -> Option<Vec<u8>> {
        let hash = capture.read_result(at)?.hash;
        Some(capture.returned_bytes(hash)?.into_owned())
    };
    let (expected, actual) = (bytes(&pair.good.capture)?, bytes(&pair.bad.capture)?);
    let byte = first_difference(&expected, &actual)?.checked_add(offset)?;
    Some(watched_byte(root.0, byte, at))
}

/// A byte of a buffer, up to a call.
pub(super) const fn watched_byte(buffer: u32, byte: u64, until: CommandIndex) -> WatchedByte {
    WatchedByte { memory: WatchedMemory::Buffer { buffer, byte }, until: until.0 }
}

/// The first differing byte.
pub(super) fn first_difference(expected: &[u8], actual: &[u8]) -> Option<u64> {
    let mut pairs = (0_u64..).zip(expected.iter().zip(actual));
    pairs.find(|(_, (one, other))| one != other).map(|(at, _)| at)
}
