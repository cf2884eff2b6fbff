//! The kept files of a failed test: `target/hallmark/<test>/`.

use std::path::{Path, PathBuf};

use hallmark_execution::whole_file;
use hallmark_report::untrusted::for_terminal;
use hallmark_suite::discover::Root;
use hallmark_suite::name::TestName;

use super::finding::Finding;
use super::printed::PrintedLines;
use crate::signature;

/// The file of the failure's signature.
const SIGNATURE: &str = "signature.json";
/// The file of what the kernels have printed.
const PRINTED: &str = "printed.txt";

/// The folder of one test below `target/hallmark`.
#[derive(Clone, Debug)]
pub struct TestFolder {
    folder: PathBuf,
    shown: String,
}

impl TestFolder {
    /// The folder of a test; it is created on first use. Each schedule seed other than the default has its own
    /// folder, because a test may run under several at a time.
    pub fn new(root: &Root, name: &TestName, schedule_seed: u64) -> Self {
        let mut below = PathBuf::from("target/hallmark");
        if schedule_seed != 0 {
            below.push(format!("schedule_seed={schedule_seed}"));
        }
        below.push(name.folder());
        Self { folder: root.folder().join(&below), shown: below.display().to_string() }
    }

    /// The folder of a test below another one.
    pub fn below(folder: &Path, name: &TestName) -> Self {
        let folder = folder.join(name.folder());
        Self { shown: folder.display().to_string(), folder }
    }

    /// Removes the files of an earlier run.
    pub fn clear(&self) {
        if self.folder.is_dir() {
            // A file that cannot be removed is overwritten.
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }

    // Keeping is a service: a read-only checkout must not turn a verdict into an error.

    pub(super) fn output(&self, name: &str, expected: &[u8], actual: &[u8]) {
        let folder = self.folder.join("outputs");
        let _ = whole_file::write(&folder.join(format!("{name}.expected.bin")), expected);
        let _ = whole_file::write(&folder.join(format!("{name}.actual.bin")), actual);
    }

    /// Keeps all differences from the golden; a report shows only the first.
    pub(super) fn differences(&self, text: &str) {
        let _ = whole_file::write(&self.folder.join("differences.txt"), text.as_bytes());
    }

    /// Keeps all that the kernels have printed; a report shows only the last lines.
    pub(super) fn printed(&self, printed: &[PrintedLines]) {
        if !printed.is_empty() {
            let text = PrintedLines::whole(printed).join("\n");
            let text = for_terminal(&format!("{text}\n"));
            let _ = whole_file::write(&self.folder.join(PRINTED), text.as_bytes());
        }
    }

    /// Writes the report and the capture, if there is one; returns the folder's name and its content for
    /// people, if it exists.
    pub(super) fn finish(
        &self,
        finding: &Finding,
        name: &TestName,
        capture: &[u8],
        circumstances: &str,
    ) -> Option<String> {
        if !capture.is_empty() {
            let _ = whole_file::write(&self.folder.join("capture.lmb"), capture);
        }
        if let Some(text) = finding.signature().and_then(|it| signature::text(it).ok()) {
            let _ = whole_file::write(&self.folder.join(SIGNATURE), text.as_bytes());
        }
        let report = finding.report().join("\n");
        let text = format!("{name}\n{}\n{report}\n{circumstances}\n", finding.verdict);
        let text = for_terminal(&text);
        whole_file::write(&self.folder.join("report.txt"), text.as_bytes()).ok()?;
        let parts = [
            ("capture.lmb", "capture"),
            ("outputs", "outputs"),
            ("differences.txt", "differences"),
            (PRINTED, "printed lines"),
            ("report.txt", "report"),
            (SIGNATURE, "signature"),
        ];
        let there = parts.into_iter().filter(|(file, _)| self.folder.join(file).exists());
        let there: Vec<&str> = there.map(|(_, what)| what).collect();
        Some(format!("{}  ({})", self.shown, there.join(", ")))
    }
}
