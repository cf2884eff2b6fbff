//! The progress of a worker with TT-Metalium: a file in the job's folder, for the parent if the worker dies.

use std::path::{Path, PathBuf};

use hallmark_runtime::MetaliumPhase;

use crate::whole_file;

/// The file's name in the job's folder.
const PHASE: &str = "phase.json";
/// The largest phase file, bytes.
const LIMIT: u64 = 4 << 10;

/// The file as the worker sees it.
pub(super) struct PhaseFile {
    path: PathBuf,
}

impl PhaseFile {
    /// The phase file of a job's folder.
    pub(super) fn of(folder: &Path) -> Self {
        Self { path: folder.join(PHASE) }
    }

    /// Writes the phase that begins. If the write fails, a failure's report lacks one line.
    pub(super) fn note(&self, phase: &MetaliumPhase) {
        if let Ok(text) = serde_json::to_vec(phase) {
            let _ = std::fs::write(&self.path, text);
        }
    }
}

/// The last phase that a worker has begun and written.
pub fn last_phase(folder: &Path) -> Option<MetaliumPhase> {
    let text = whole_file::read(&folder.join(PHASE), LIMIT).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use hallmark_schema::model::CommandIndex;

    use super::*;

    #[test]
    fn the_last_phase_is_read_and_half_a_file_is_none() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(last_phase(folder.path()), None);
        let file = PhaseFile::of(folder.path());
        file.note(&MetaliumPhase::Opening);
        let call = "enqueue_program".to_owned();
        let calling = MetaliumPhase::Calling { command: CommandIndex(7), call };
        file.note(&calling);
        let last = last_phase(folder.path()).unwrap();
        assert_eq!(last.to_string(), "TT-Metalium was carrying out command 7, enqueue_program.");
        assert_eq!(last, calling);
        std::fs::write(&file.path, "{\"Calling\":{").unwrap();
        assert_eq!(last_phase(folder.path()), None);
    }
}
