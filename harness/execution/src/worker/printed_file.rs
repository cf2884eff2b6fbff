//! What kernels print, as it comes: a file in the job's folder, for a worker that ends without a report.
//!
//! Each line is a piece of text in JSON. The report of a worker has the whole.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use hallmark_runtime::Printed;
use hallmark_runtime::metalium::prints;
use hallmark_schema::model::PrintedTexts;

use super::process::CURRENT;
use crate::whole_file;

/// Its name in the job's folder.
pub const PRINTED: &str = "printed.jsonl";
/// Bytes that are read: the engine keeps 16 MiB of text, which JSON may make several times as long.
const LIMIT: u64 = 128 << 20;

/// Writes each piece. The file is made with the first one; a piece that cannot be written is missing later.
pub fn writer(path: PathBuf) -> impl FnMut(&Printed) {
    let mut file = None;
    move |piece| {
        if file.is_none() {
            file = File::create(&path).ok();
        }
        if let (Some(file), Ok(mut line)) = (&mut file, serde_json::to_vec(piece)) {
            line.push(b'\n');
            // One write for each line, so that a reader finds whole lines.
            let _ = file.write_all(&line);
        }
    }
}

/// What the pieces in a folder say, up to the first one that is damaged; or what TT-Metalium's print server has written.
pub fn read(folder: &Path) -> Vec<Printed> {
    let bytes = whole_file::read(&folder.join(PRINTED), LIMIT).unwrap_or_default();
    if bytes.is_empty() {
        return prints::read(&folder.join(CURRENT).join(prints::FILE), None);
    }
    let mut printed = PrintedTexts::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(piece) = serde_json::from_slice::<Printed>(line) else { break };
        printed.add(piece.launch, piece.core, piece.processor, &piece.text);
    }
    printed.take()
}

#[cfg(test)]
mod tests {
    use hallmark_chip::{LogicalCore, Processor};
    use hallmark_schema::model::CommandIndex;

    use super::*;

    fn piece(launch: u32, processor: Processor, text: &str) -> Printed {
        Printed {
            launch: Some(CommandIndex(launch)),
            core: LogicalCore { x: 3, y: 5 },
            processor,
            text: text.to_owned(),
            dropped: 0,
        }
    }

    #[test]
    fn pieces_are_put_together() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read(folder.path()).is_empty());
        let mut write = writer(folder.path().join(PRINTED));
        assert!(!folder.path().join(PRINTED).exists());
        write(&piece(4, Processor::Brisc, "one "));
        write(&piece(4, Processor::Ncrisc, "other\n"));
        write(&piece(4, Processor::Brisc, "line\n\u{1b}"));
        write(&piece(6, Processor::Brisc, "later"));
        let expected = [
            piece(4, Processor::Brisc, "one line\n\u{1b}"),
            piece(4, Processor::Ncrisc, "other\n"),
            piece(6, Processor::Brisc, "later"),
        ];
        assert_eq!(read(folder.path()), expected);
        // A worker may be stopped inside a line.
        let file = folder.path().join(PRINTED);
        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..bytes.len() - 2]).unwrap();
        assert_eq!(read(folder.path()), expected[..2]);
    }
}
