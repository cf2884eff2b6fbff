//! Captures to edit: the released captures with their records, and a sample of the goldens.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hallmark_chip::Architecture;

use hallmark_schema::model::{
    BufferId, BufferLayout, BufferType, Capture, Command, CommandKind, Grid, Outcome, ProgramPart,
    QueueId, RecordedCommand,
};
use hallmark_schema::{Golden, GoldenProgram, commands};

/// The step of the sample: every 31st golden is edited.
const SAMPLE: usize = 31;

/// Goldens that are always edited: the call that was added last, a refused call on a queue that does not exist,
/// and a program without calls.
const ALWAYS: [&str; 3] = [
    "queues/events/synchronize_takes_numbers.lmb",
    "grayskull/buffers/lifetime/size_checks.lmb",
    "grayskull/tensors/refusals/no_such_tile.lmb",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The captures below a folder, sorted by path.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "lmb") {
            found.push(path);
        }
    }
}

/// The captures of the released format, with records.
pub(crate) fn released() -> Vec<(PathBuf, Capture)> {
    let mut paths = Vec::new();
    files(&root().join("schema/released/1.0/captures"), &mut paths);
    files(&root().join("suites/deviations"), &mut paths);
    paths
        .into_iter()
        .map(|path| {
            let capture = Capture::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
            (path, capture)
        })
        .collect()
}

/// The released captures, and a sample of the goldens that contains every kind of command.
pub(crate) fn all() -> Vec<(PathBuf, Capture)> {
    let mut captures = released();
    let mut paths = Vec::new();
    files(&root().join("goldens"), &mut paths);
    let is_always_there = |path: &Path| ALWAYS.iter().any(|end| path.ends_with(end));
    let sampled = paths
        .iter()
        .enumerate()
        .filter(|(index, path)| index % SAMPLE == 0 || is_always_there(path));
    for (_, path) in sampled {
        let path = path.clone();
        let golden = Golden::from_bytes(&std::fs::read(&path).unwrap()).unwrap();
        let GoldenProgram::Whole(program) = golden.program else { continue };
        let (outputs, blobs) = (golden.outputs, Default::default());
        captures.push((path, Capture { program, record: None, outputs, blobs }));
    }
    let kinds: BTreeSet<CommandKind> = captures
        .iter()
        .flat_map(|(_, capture)| &capture.program.commands)
        .map(|recorded| recorded.command.kind())
        .collect();
    let lacking: Vec<_> = CommandKind::ALL.iter().filter(|kind| !kinds.contains(kind)).collect();
    assert!(lacking.is_empty(), "no capture of the sample has {lacking:?}");
    captures
}

/// A capture of these calls, each of which succeeded.
pub(crate) fn of(commands: Vec<Command>) -> Capture {
    let done = |command| RecordedCommand { command, outcome: Outcome::Done };
    let grid = Grid { columns: 8, rows: 9 };
    let commands = commands.into_iter().map(done).collect();
    let program = ProgramPart::new(Architecture::WormholeB0, grid, commands);
    Capture { program, record: None, outputs: Vec::new(), blobs: Default::default() }
}

/// `CreateBuffer` of 4 pages of 64 B.
pub(crate) fn buffer(id: u32) -> Command {
    Command::CreateBuffer(commands::CreateBuffer {
        buffer: BufferId(id),
        name: format!("buffer_{id}"),
        size: 256,
        page_size: 64,
        buffer_type: BufferType::Dram,
        layout: BufferLayout::Interleaved,
        shard_spec: None,
        bottom_up: None,
    })
}

/// `Finish` of queue 0.
pub(crate) const FINISH: Command = Command::Finish(commands::Finish { queue: QueueId(0) });
