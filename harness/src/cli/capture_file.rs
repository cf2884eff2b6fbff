//! Reads and writes captures in each of their file forms.

use std::io::Read as _;
use std::path::Path;

use hallmark_execution::whole_file;
use hallmark_pipeline::verdict::ExitCode;
use hallmark_runtime::ReplayError;
use hallmark_schema::model::{Blobs, Capture};
use hallmark_schema::{
    CaptureError, Golden, GoldenProgram, from_jsonl, journal, most_bytes_of_file,
};

use super::Failed;

/// Bytes by which the forms differ.
const BEGINNING: u64 = 8;

/// Writes a file completely or not at all.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failed> {
    whole_file::write_durably(path, bytes).map_err(|error| {
        Failed::new(ExitCode::INTERNAL, format!("{} cannot be written: {error}", path.display()))
    })
}

/// Whether a file that was read before is in the capture or golden format. The replaying worker reads neither
/// journals nor text.
pub(super) fn is_in_the_format(path: &Path) -> bool {
    let mut start = [0; 8];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start.ends_with(b"HLMK")
}

/// Reads a capture from any form: the capture format, JSON lines, a golden with a whole program, or a journal.
pub(super) fn read(path: &Path) -> Result<Capture, Failed> {
    let failed =
        |problem: String| Failed::new(ExitCode::CAPTURE, format!("{}: {problem}", path.display()));
    // Which size is accepted, the first bytes tell; a file with holes takes its whole size in memory.
    let bytes = whole_file::read_beginning(path, BEGINNING)
        .and_then(|beginning| whole_file::read(path, most_bytes_of_file(&beginning)))
        .map_err(|error| failed(error.to_string()))?;
    if bytes.first() == Some(&b'{') {
        let text = std::str::from_utf8(&bytes).map_err(|error| failed(error.to_string()))?;
        return from_jsonl(text).map_err(|error| failed(error.to_string()));
    }
    let bytes = bytes.into();
    let error: CaptureError = match Capture::open(&bytes) {
        Ok(capture) => return Ok(capture),
        Err(error) => error,
    };
    match Golden::from_bytes(&bytes) {
        Ok(Golden { program: GoldenProgram::Whole(program), outputs }) => {
            return Ok(Capture { program, record: None, outputs, blobs: Blobs::new() });
        }
        Ok(Golden { program: GoldenProgram::Digest(hash), .. }) => {
            return Err(failed(format!(
                "this golden holds only the hash of its program part, {hash}; `hallmark capture` makes a capture of the test"
            )));
        }
        Err(_) => {}
    }
    if let Ok(recovered) = journal::recover(&bytes) {
        return Ok(recovered.capture);
    }
    Err(failed(error.to_string()))
}

/// Reads a capture to be replayed, which needs all its data.
pub(super) fn read_to_replay(path: &Path) -> Result<Capture, Failed> {
    let capture = read(path)?;
    if capture.program.is_binary() {
        let text = format!("{}: {}", path.display(), ReplayError::Binary);
        return Err(Failed::new(ExitCode::CAPTURE, text));
    }
    Ok(capture)
}
