//! The lines that kernels print under TT-Metalium: its print server writes them to a file, and this module reads the file.

use std::io::Read as _;
use std::path::Path;

use hallmark_chip::{LogicalCore, Processor};
use hallmark_schema::limits;
use hallmark_schema::model::{Command, CommandIndex, Printed, PrintedTexts, ProgramPart};

/// The variable that names the file.
pub const FILE_VARIABLE: &str = "TT_METAL_DPRINT_FILE";
/// The file, in the folder of the process that opens the device.
pub const FILE: &str = "prints.txt";
/// Bytes of the file that are read: each line of the text begins with its place.
const FILE_BYTES: u64 = 2 * limits::TOTAL_PRINTED_BYTES;

/// The environment in which TT-Metalium prints. Its dispatch kernels print, too, and are left out.
pub const ENVIRONMENT: [(&str, &str); 2] =
    [("TT_METAL_DPRINT_CORES", "worker"), (FILE_VARIABLE, FILE)];

/// The names of the processors of a core, as the print server writes them.
const PROCESSORS: [(&str, Processor); 5] = [
    ("BR", Processor::Brisc),
    ("NC", Processor::Ncrisc),
    ("TR0", Processor::Trisc0),
    ("TR1", Processor::Trisc1),
    ("TR2", Processor::Trisc2),
];

/// Whether a kernel's source prints: it calls `DPRINT`, or includes a header of functions that do. Comments of a line are left
/// out; a call inside a longer comment counts.
pub fn is_printing(source: &str) -> bool {
    if source.contains("api/debug/dprint_") || source.contains("api/debug/dump.h") {
        return true;
    }
    let code = source.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    code.flat_map(|line| line.match_indices("PRINT").map(move |(at, _)| line.split_at(at))).any(
        |(before, after)| {
            let is_name = before.ends_with("DEVICE_") || before.ends_with('D');
            let tail = after.trim_start_matches("PRINT").trim_start_matches(|letter: char| {
                letter == '_' || letter.is_ascii_uppercase() || letter.is_ascii_digit()
            });
            let tail = tail.trim_start();
            is_name && (tail.is_empty() || tail.starts_with('('))
        },
    )
}

/// The texts of a file. Without a file nothing was printed. `program` tells the launch, if it has only one.
pub fn read(file: &Path, program: Option<&ProgramPart>) -> Vec<Printed> {
    let mut bytes = Vec::new();
    // The vendor's code makes the file. It could make a pipe, and opening a pipe waits for its writer.
    if !file.symlink_metadata().is_ok_and(|about| about.is_file()) {
        return Vec::new();
    }
    let opened = std::fs::File::open(file);
    if opened.and_then(|file| file.take(FILE_BYTES).read_to_end(&mut bytes)).is_err() {
        return Vec::new();
    }
    texts(&bytes, program.and_then(only_launch))
}

/// The texts of the lines, by place.
fn texts(lines: &[u8], launch: Option<CommandIndex>) -> Vec<Printed> {
    let mut printed = PrintedTexts::default();
    for line in lines.split(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        let Some((core, processor, line)) = place_and_line(&line) else { continue };
        printed.add(launch, core, processor, &format!("{line}\n"));
    }
    printed.take()
}

/// `0:3-5:BR: text`: device, core, processor.
fn place_and_line(line: &str) -> Option<(LogicalCore, Processor, &str)> {
    let (device, rest) = line.split_once(':')?;
    let _: u32 = device.parse().ok()?;
    let (core, rest) = rest.split_once(':')?;
    let (x, y) = core.split_once('-')?;
    let core = LogicalCore { x: x.parse().ok()?, y: y.parse().ok()? };
    let (name, text) = rest.split_once(':')?;
    let (_, processor) = PROCESSORS.into_iter().find(|(known, _)| *known == name)?;
    Some((core, processor, text.strip_prefix(' ').unwrap_or(text)))
}

/// The call that launches the only program.
fn only_launch(program: &ProgramPart) -> Option<CommandIndex> {
    let mut launches = (0_u32..).zip(&program.commands).filter(|(_, made)| {
        matches!(made.command, Command::EnqueueProgram(_) | Command::ReplayTrace(_))
    });
    let (index, _) = launches.next()?;
    launches.next().is_none().then_some(CommandIndex(index))
}

#[cfg(test)]
mod tests {
    use hallmark_chip::Architecture;
    use hallmark_schema::commands;
    use hallmark_schema::model::{Grid, Outcome, ProgramId, QueueId, RecordedCommand, TraceId};

    use super::*;

    fn row(printed: &Printed) -> (u32, u32, Processor, &str, u64) {
        let LogicalCore { x, y } = printed.core;
        (x, y, printed.processor, printed.text.as_str(), printed.dropped)
    }

    #[test]
    fn lines_are_kept_by_place() {
        let lines = "0:3-5:BR: one\n0:3-5:NC: other\nno place\n0:3-5:BR: 0:1-1:TR2: forged\n0:0-12:TR2:\n\
                     0:0-12:XX: unknown\n0:0-12:TR0:  indented";
        let printed = texts(lines.as_bytes(), Some(CommandIndex(6)));
        let rows: Vec<_> = printed.iter().map(row).collect();
        assert_eq!(
            rows,
            [
                (3, 5, Processor::Brisc, "one\n0:1-1:TR2: forged\n", 0),
                (3, 5, Processor::Ncrisc, "other\n", 0),
                (0, 12, Processor::Trisc2, "\n", 0),
                (0, 12, Processor::Trisc0, " indented\n", 0),
            ]
        );
        assert!(printed.iter().all(|it| it.launch == Some(CommandIndex(6))));
    }

    #[test]
    fn lines_are_kept_up_to_the_limits() {
        let line = format!("0:3-5:BR: {}\n", "x".repeat(1023));
        let most = usize::try_from(limits::PRINTED_BYTES / 1024).unwrap();
        let of = |count: usize| texts(line.repeat(count).as_bytes(), None).remove(0);
        assert_eq!((of(most).text.len(), of(most).dropped), (most * 1024, 0));
        assert_eq!((of(most + 2).text.len(), of(most + 2).dropped), (most * 1024, 2));
        // After a dropped line nothing follows, not even a short one.
        let short = line.repeat(most + 1) + "0:3-5:BR: short\n";
        assert_eq!(texts(short.as_bytes(), None).remove(0).dropped, 2);
        let cores = limits::TOTAL_PRINTED_BYTES / limits::PRINTED_BYTES;
        let of_core = |core| line.replace("3-5", &format!("{core}-5")).repeat(most);
        let all: String = (0..=cores).map(of_core).collect();
        let printed = texts(all.as_bytes(), None);
        let dropped: Vec<u64> = printed.iter().map(|it| it.dropped).filter(|it| *it > 0).collect();
        assert_eq!(dropped, [most as u64]);
    }

    #[test]
    fn places_are_kept_up_to_the_limit() {
        let most = limits::PRINTED_TEXTS;
        let lines: String = (0..=most).map(|core| format!("0:{core}-1:BR: x\n")).collect();
        let printed = texts(lines.as_bytes(), None);
        assert_eq!(printed.len() as u64, most);
        // A known place goes on.
        let more = lines + "0:7-1:BR: y\n";
        assert_eq!(texts(more.as_bytes(), None)[7].text, "x\ny\n");
    }

    #[test]
    fn sources_that_print_are_told_from_others() {
        for source in [
            "DPRINT(\"x\\n\");",
            "  DPRINT_DATA0 (\"x\");",
            "DEVICE_PRINT(\"\")",
            "a;DPRINT_UNPACK(\"\")",
            "#include \"api/debug/dprint_pages.h\"",
        ] {
            assert!(is_printing(source), "{source}");
        }
        for source in [
            "// DPRINT(\"x\\n\");",
            "#include \"api/debug/dprint.h\"",
            "PRINT(\"x\")",
            "int DPRINT;",
            "DPRINT << 1;",
        ] {
            assert!(!is_printing(source), "{source}");
        }
    }

    #[test]
    fn a_missing_file_has_no_text() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(&folder.path().join(FILE), None).is_empty());
        // Nor has a pipe, at which reading would wait, or a link to another place.
        let file = folder.path().join(FILE);
        std::fs::create_dir(&file).unwrap();
        assert!(read(&file, None).is_empty());
        std::fs::remove_dir(&file).unwrap();
        let other = folder.path().join("other");
        std::fs::write(&other, "0:1-2:NC: x\n").unwrap();
        std::os::unix::fs::symlink(&other, &file).unwrap();
        assert!(read(&file, None).is_empty());
        std::fs::remove_file(&file).unwrap();
        std::fs::write(folder.path().join(FILE), b"0:1-2:NC: \xff\n").unwrap();
        assert_eq!(read(&folder.path().join(FILE), None)[0].text, "\u{fffd}\n");
    }

    #[test]
    fn texts_belong_to_the_only_launch() {
        let launch = || {
            Command::from(commands::EnqueueProgram {
                queue: QueueId(1),
                program: ProgramId(2),
                blocking: false,
            })
        };
        let replay = || {
            Command::from(commands::ReplayTrace {
                queue: QueueId(0),
                trace: TraceId(3),
                blocking: true,
            })
        };
        let other = || Command::from(commands::Finish { queue: QueueId(0) });
        let launch_of = |calls: Vec<Command>| {
            let recorded = calls
                .into_iter()
                .map(|command| RecordedCommand { command, outcome: Outcome::Done });
            let grid = Grid { columns: 8, rows: 7 };
            only_launch(&ProgramPart::new(Architecture::WormholeB0, grid, recorded.collect()))
        };
        assert_eq!(launch_of(vec![other(), other(), launch(), other()]), Some(CommandIndex(2)));
        assert_eq!(launch_of(vec![other(), replay()]), Some(CommandIndex(1)));
        assert_eq!(launch_of(vec![other(), other()]), None);
        for calls in
            [vec![launch(), launch()], vec![launch(), replay()], vec![replay(), other(), replay()]]
        {
            assert_eq!(launch_of(calls), None);
        }
    }
}
